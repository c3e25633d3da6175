#include "search/choose.h"

#include <string.h>

#include "engine/given.h"
#include "memory/fact.h"
#include "memory/structure.h"
#include "source/expanded.h"
#include "verify/gate.h"

// The kernel's text, calls of the functions that the template's instance is given, and the other arguments, of which
// types may be those of objects.
static const char *with_given(struct ks_arena *arena, const struct ks_brief *brief)
{
    const char *text = brief->kernel_text;
    for (size_t i = 0; i < brief->signature->n_template_args; i++) {
        const char *name = ks_given_name(arena, brief->signature->template_args[i]);
        text = ks_arena_printf(arena, "%s\n%s%s;", text, name ? name : brief->signature->template_args[i], name ? "()" : "");
    }
    return text;
}

enum ks_status ks_choose_brief(struct ks_arena *arena, const struct ks_tu *tu,
                               const struct ks_tu_kernel *kernel,
                               const struct ks_problem *problems, size_t n_problems,
                               const struct ks_device_info *device, struct ks_brief *brief,
                               struct ks_err *err)
{
    const struct ks_tu_mark *mark = kernel->mark;
    struct ks_slice text = mark->file->text;
    *brief = (struct ks_brief){.decl = mark->decl,
                               .signature = kernel->signature,
                               .mark = mark->mark,
                               .problems = problems,
                               .n_problems = n_problems,
                               .device = device};
    brief->kernel_text =
        ks_arena_strndup(arena, text.at + mark->decl->begin, mark->decl->end - mark->decl->begin);
    struct ks_kernel_decl *decl = KS_NEW(arena, struct ks_kernel_decl);
    struct ks_slice unit = ks_tu_preprocessed(arena, tu, kernel->arch);
    if (ks_kernel_expanded(arena, mark->file->path, text, mark->decl, unit, &brief->kernel_text, decl))
        brief->decl = decl;
    struct ks_word_index words;
    ks_word_index_make(arena, unit.len ? unit : text, &words);
    ks_callees_find(arena, ks_slice_of(with_given(arena, brief)), &words, &brief->callees);
    ks_aliases_find(arena, ks_slice_of(brief->kernel_text), &words, &brief->aliases);
    brief->canonical_ptx =
        ks_arena_strndup(arena, kernel->ptx->canonical.at, kernel->ptx->canonical.len);
    brief->specimens = ks_engine_specimens(arena);
    ks_fact_set(arena, &brief->facts, "arch_alone", ks_ends_with(kernel->target, "a"));
    const struct ks_arith arith = ks_arith_of(kernel->ptx->canonical);
    ks_fact_set(arena, &brief->facts, "shows_tf32", ks_arith_shows_tf32(&arith));
    return ks_engine_features(arena, brief, err);
}

size_t ks_choose_workload(const struct ks_problem *problems, size_t n)
{
    size_t heaviest = 0;
    for (size_t i = 1; i < n; i++)
        if (problems[i].weight > problems[heaviest].weight)
            heaviest = i;
    return heaviest;
}

// Of all classes that skills may name, which it is; none where that is not known.
static void set_bottleneck(struct ks_arena *arena, const char *bottleneck, struct ks_fact_list *facts)
{
    const char *is = ks_arena_printf(arena, "bottleneck(%s)", bottleneck);
    for (const struct ks_fact_name *f = ks_fact_names(); f->name && ks_fact_is_known(is); f++)
        if (ks_starts_with(f->name, "bottleneck("))
            ks_fact_set(arena, facts, f->name, strcmp(f->name, is) == 0);
}

size_t ks_choose_skills(struct ks_arena *arena, const struct ks_skill_list *skills,
                        struct ks_brief *brief, const struct ks_profile *profile,
                        struct ks_outcomes *outcomes, int arch, struct ks_ranked_skill **ranked)
{
    bool measured = profile != NULL && !profile->modelled;
    for (size_t i = 0; measured && i < profile->facts.len; i++)
        if (profile->facts.at[i].known)
            ks_fact_set(arena, &brief->facts, profile->facts.at[i].name,
                        profile->facts.at[i].value);
    if (measured)
        set_bottleneck(arena, profile->bottleneck, &brief->facts);
    ks_fact_set(arena, &brief->facts, "arch", arch);
    const struct ks_place place = {.arch = arch,
                                   .structure = ks_structure_of(&brief->facts),
                                   .bottleneck = measured ? profile->bottleneck : "unknown"};
    return ks_rank_skills(arena, skills, &brief->facts, outcomes, &place, ranked);
}
