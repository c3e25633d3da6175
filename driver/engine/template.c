#include "engine/template.h"

#include <string.h>

#include "engine/bind.h"
#include "engine/specimen.h"
#include "os/file.h"

enum {
    MAX_TEXT = 1 << 18,
    MOST_THREADS = 1024,  // of a block
    SETTINGS_AT_ONCE = 4, // of what is recognised in one way: a look at them costs little more than at one
};

enum ks_status ks_template_expand(struct ks_arena *arena, const char *file, const char *text,
                                  const char *const *names, const char *const *values, size_t n,
                                  char **out, struct ks_err *err)
{
    struct ks_buf buf = KS_BUF(1 << 20);
    int line = 1;
    for (const char *at = text; *at; at++) {
        line += *at == '\n';
        size_t len = *at == '@' ? strcspn(at + 1, "@ \n") : 0;
        if (len == 0 || at[1 + len] != '@') {
            ks_buf_putc(&buf, *at);
            continue;
        }
        size_t i = 0;
        while (i < n && (strlen(names[i]) != len || memcmp(names[i], at + 1, len) != 0))
            i++;
        if (i == n) {
            ks_buf_free(&buf);
            KS_FAIL(err, KS_E_USER, "%s:%d: nothing stands for @%.*s@", file, line, (int)len,
                    at + 1);
        }
        ks_buf_puts(&buf, values[i]);
        at += len + 1;
    }
    *out = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return KS_OK;
}

static enum ks_status load(struct ks_arena *arena, const char *dir, const char *name,
                           struct ks_template *t, struct ks_err *err)
{
    *t = (struct ks_template){.name = name, .as = name};
    t->file = ks_path_join(arena, dir, ks_arena_printf(arena, "%s.yaml", name));
    struct ks_slice text;
    KS_TRY(ks_file_read(arena, t->file, MAX_TEXT, &text, err));
    t->text = ks_arena_strndup(arena, text.at, text.len);
    KS_TRY(ks_template_read(arena, t, err));
    for (size_t i = 0; i < t->source_files.len; i++) {
        t->source_files.at[i] = ks_path_join(arena, dir, t->source_files.at[i]);
        KS_TRY(ks_file_read(arena, t->source_files.at[i], MAX_TEXT, &text, err));
        ks_strv_add(arena, &t->sources, ks_arena_strndup(arena, text.at, text.len));
    }
    return KS_OK;
}

// Values of `t` in place of those of one that it stands for, and what that one has not.
static void settle(struct ks_arena *arena, const struct ks_template *t, struct ks_template *one)
{
    const char **names = KS_NEW_ARRAY(arena, const char *, t->n_params + one->n_params);
    const char **values = KS_NEW_ARRAY(arena, const char *, t->n_params + one->n_params);
    size_t n = t->n_params;
    memcpy(names, t->param_names, n * sizeof *names);
    memcpy(values, t->param_values, n * sizeof *values);
    for (size_t i = 0; i < one->n_params; i++) {
        size_t k = 0;
        while (k < t->n_params && strcmp(names[k], one->param_names[i]) != 0)
            k++;
        if (k == t->n_params) {
            names[n] = one->param_names[i];
            values[n++] = one->param_values[i];
        }
    }
    one->param_names = names;
    one->param_values = values;
    one->n_params = n;
}

// What one of those that `t` stands for is called.
static const char *name_of(struct ks_arena *arena, const struct ks_template *t, const char *name)
{
    return t->sources.len > 0 ? ks_arena_printf(arena, "%s %s", t->name, name) : name;
}

// One of those that `t` stands for.
static enum ks_status load_one(struct ks_arena *arena, const char *dir, const struct ks_template *t, const char *name,
                               struct ks_template *one, struct ks_err *err)
{
    KS_TRY(load(arena, dir, name, one, err));
    one->fits = t->fits != NULL ? t->fits : one->fits;
    if (t->sources.len == 0)
        return KS_OK;
    one->as = name_of(arena, t, name);
    one->title = t->title;
    one->source_files = t->source_files;
    one->sources = t->sources;
    one->errs = t->errs;
    one->planned = t->has_plan ? t : NULL;
    settle(arena, t, one);
    return KS_OK;
}

enum ks_status ks_template_check(struct ks_arena *arena, const char *template_dir, const char *name, struct ks_err *err)
{
    struct ks_template t, one;
    KS_TRY(load(arena, template_dir, name, &t, err));
    for (size_t i = 0; i < t.any.len; i++)
        KS_TRY(load_one(arena, template_dir, &t, t.any.at[i], &one, err));
    return KS_OK;
}

// Values of the template's parameters under one combination of the skill's; KS_E_USER for a
// parameter that the template lacks.
static enum ks_status settings(struct ks_arena *arena, const struct ks_template *t,
                               const struct ks_skill *skill, const size_t *index,
                               struct ks_names *names, struct ks_strv *text, struct ks_err *err)
{
    for (size_t i = 0; i < skill->n_params; i++) {
        bool known = false;
        for (size_t k = 0; k < t->n_params; k++)
            known |= strcmp(t->param_names[k], skill->param_names[i]) == 0;
        if (!known)
            KS_FAIL(err, KS_E_USER, "%s:%d: template %s has no parameter %s", skill->file,
                    skill->line, t->name, skill->param_names[i]);
    }
    for (size_t k = 0; k < t->n_params; k++) {
        const char *value = t->param_values[k];
        for (size_t i = 0; i < skill->n_params; i++)
            if (strcmp(t->param_names[k], skill->param_names[i]) == 0)
                value = skill->param_values[i][index[i]];
        ks_names_add(arena, names, t->param_names[k], value);
        ks_strv_add(arena, text, ks_arena_printf(arena, "%s=%s", t->param_names[k], value));
    }
    return KS_OK;
}

static char *joined(struct ks_arena *arena, const struct ks_strv *words)
{
    struct ks_buf buf = KS_BUF(4096);
    for (size_t i = 0; i < words->len; i++)
        ks_buf_printf(&buf, "%s%s", i ? " " : "", words->at[i]);
    char *text = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

// Twice: a form's text may hold placeholders itself.
static enum ks_status expand(struct ks_arena *arena, const char *file, const char *text,
                             const struct ks_names *names, char **out, struct ks_err *err)
{
    KS_TRY(ks_template_expand(arena, file, text, names->name, names->value, names->n, out, err));
    return ks_template_expand(arena, file, *out, names->name, names->value, names->n, out, err);
}

// Parameters behind those of a step.
static enum ks_status pass_more(struct ks_arena *arena, const struct ks_template *t,
                                const struct ks_strv *more, struct ks_step *step,
                                struct ks_err *err)
{
    struct ks_expr **args = KS_NEW_ARRAY(arena, struct ks_expr *, step->n_args + more->len + 1);
    for (size_t i = 0; i < step->n_args; i++)
        args[i] = step->args[i];
    for (size_t i = 0; i < more->len; i++)
        KS_TRY(
            ks_expr_parse(arena, t->file, ks_slice_of(more->at[i]), &args[step->n_args + i], err));
    step->args = args;
    step->n_args += more->len;
    return KS_OK;
}

// A template's text with all that stands for placeholders.
static enum ks_status read_filled(struct ks_arena *arena, const struct ks_template *t, const struct ks_names *names,
                                  struct ks_yaml **root, struct ks_err *err)
{
    char *yaml;
    KS_TRY(expand(arena, t->file, t->text, names, &yaml, err));
    return ks_yaml_parse(arena, t->file, ks_slice_of(yaml), root, err);
}

// One binding under one setting as a proposal.
static enum ks_status build(struct ks_arena *arena, const struct ks_brief *brief,
                            const struct ks_template *t, const struct ks_names *names,
                            const struct ks_binding_choice *binding, struct ks_proposal *proposal,
                            struct ks_expr **fits, struct ks_err *err)
{
    const char *guard = binding->guard;
    char *part;
    struct ks_buf source = KS_BUF(1 << 20);
    struct ks_yaml *root, *other = NULL;
    KS_TRY(read_filled(arena, t, names, &root, err));
    if (t->planned != NULL)
        KS_TRY(read_filled(arena, t->planned, names, &other, err));
    for (size_t i = 0; other != NULL && i < root->len; i++)
        if (strcmp(root->keys[i], "plan") == 0)
            root->items[i] = *ks_yaml_get(other, "plan");
    for (size_t i = 0; i < t->sources.len; i++) {
        const char *file = t->source_files.at[i];
        KS_TRY(expand(arena, file, t->sources.at[i], names, &part, err));
        ks_buf_puts(&source, part);
    }
    const char *text = ks_arena_strdup(arena, ks_buf_text(&source));
    ks_buf_free(&source);
    KS_TRY(ks_proposal_read(arena, t->file, root, proposal, err));
    *fits = NULL;
    if (t->fits != NULL) {
        KS_TRY(expand(arena, t->file, t->fits, names, &part, err));
        KS_TRY(ks_expr_parse(arena, t->file, ks_slice_of(part), fits, err));
    }
    KS_TRY(pass_more(arena, t, &binding->first, &proposal->steps[0], err));
    KS_TRY(pass_more(arena, t, &binding->more, &proposal->steps[proposal->n_steps - 1], err));
    proposal->source = text;
    proposal->n_params = brief->decl->n_params;
    proposal->params = KS_NEW_ARRAY(arena, const char *, brief->decl->n_params);
    for (size_t i = 0; i < brief->decl->n_params; i++)
        proposal->params[i] = brief->decl->params[i].name;
    if (*guard) {
        struct ks_buf when = KS_BUF(1 << 16);
        ks_buf_puts(&when, guard);
        ks_buf_puts(&when, " && (");
        ks_expr_print(&when, proposal->when, NULL, NULL);
        ks_buf_puts(&when, ")");
        const char *both = ks_arena_strdup(arena, ks_buf_text(&when));
        ks_buf_free(&when);
        KS_TRY(ks_expr_parse(arena, t->file, ks_slice_of(both), &proposal->when, err));
    }
    return ks_proposal_check(arena, proposal, brief->signature, err);
}

// Whether a step's block holds more threads than a launch may have, on a declared workload: settings multiply.
static bool is_too_wide(const struct ks_brief *brief, const struct ks_step *step)
{
    for (size_t w = 0; w < brief->n_problems; w++) {
        int64_t threads = 1, n;
        for (int d = 0; d < 3; d++)
            if (step->block[d] && ks_expr_eval(step->block[d], ks_specimen_lookup, (void *)(uintptr_t)&brief->problems[w], &n) &&
                __builtin_mul_overflow(threads, n, &threads))
                return true;
        if (threads > MOST_THREADS)
            return true;
    }
    return false;
}

static enum ks_status add(struct ks_arena *arena, const struct ks_brief *brief,
                          const struct ks_skill *skill, const struct ks_template *t,
                          const struct ks_binding_choice *binding, const size_t *index,
                          bool recognition, struct ks_candidate_list *out, struct ks_err *err)
{
    struct ks_names names = {0};
    struct ks_strv words = {0};
    struct ks_err local = {0};
    ks_strv_add(arena, &words, binding->text);
    for (size_t i = 0; i < binding->names.n; i++)
        ks_names_add(arena, &names, binding->names.name[i], binding->names.value[i]);
    KS_TRY(settings(arena, t, skill, index, &names, &words, err));
    struct ks_proposal proposal;
    struct ks_expr *fits;
    if (build(arena, brief, t, &names, binding, &proposal, &fits, &local) != KS_OK)
        KS_FAIL(err, KS_E_INTERNAL, "template %s: %s", t->as, local.text);
    for (size_t i = 0; i < proposal.n_steps; i++)
        if (is_too_wide(brief, &proposal.steps[i]))
            return KS_OK;
    const char *params = joined(arena, &words);
    const char *says = binding->says ? binding->says : binding->text;
    *ks_vec_push(arena, out) = (struct ks_candidate){
        .proposal = proposal,
        .fits = fits,
        .skill = skill->id,
        .direction = skill->direction,
        .params = params,
        .mechanism = ks_arena_printf(arena, "template %s %s", t->as, params),
        .rationale = ks_arena_printf(arena, "%s: this is %s%s", skill->title, binding->guessed ? "perhaps " : "", says),
        .recognised = binding->guessed ? NULL : says,
        .binding = ks_arena_printf(arena, "%s %s", t->as, binding->text),
        .recognition = recognition,
        .group = recognition ? t->as : NULL,
    };
    return KS_OK;
}

// Bindings are kept with the specimens: the search asks again for other settings.
static enum ks_status bind_once(struct ks_arena *arena, const struct ks_brief *brief,
                                const struct ks_template *t, struct ks_binding_list *out,
                                const char **refusal, struct ks_err *err)
{
    struct ks_specimens *kept = brief->specimens;
    for (struct ks_bound *b = kept ? kept->bound : NULL; b; b = b->next)
        if (strcmp(b->template_, t->name) == 0) {
            *out = b->bindings;
            *refusal = b->refusal;
            return KS_OK;
        }
    *refusal = NULL;
    KS_TRY(ks_bind(arena, brief, t, out, refusal, err));
    if (kept) {
        struct ks_bound *b = KS_NEW(arena, struct ks_bound);
        *b = (struct ks_bound){t->name, *out, *refusal, kept->bound};
        kept->bound = b;
    }
    return KS_OK;
}

// Of bindings with more than `most` arrays beside their roles there are none.
static enum ks_status propose_one(struct ks_arena *arena, const struct ks_brief *brief,
                                  const struct ks_skill *skill, const struct ks_template *t, size_t most,
                                  struct ks_candidate_list *out, const char **refusal,
                                  struct ks_err *err)
{
    struct ks_binding_list bindings = {0};
    KS_TRY(bind_once(arena, brief, t, &bindings, refusal, err));
    if (bindings.len > 0 && t->errs > 0 && !(brief->mark && brief->mark->tolerance.sum >= t->errs)) {
        *refusal = ks_arena_printf(arena, "line %d: %s is for marks with tol(sum=F), F at least %g",
                                   brief->decl->line, t->title, t->errs);
        return KS_OK;
    }
    size_t *index = KS_NEW_ARRAY(arena, size_t, skill->n_params + 1);
    if (bindings.len > 0 && bindings.at[0].beside > most)
        return KS_OK; // all bindings of a template are of one kind
    for (size_t i = 0; i < bindings.len; i++)
        KS_TRY(add(arena, brief, skill, t, &bindings.at[i], index, true, out, err));
    for (int n = 1; bindings.len == 1 && n < SETTINGS_AT_ONCE && ks_skill_next(skill, index); n++)
        KS_TRY(add(arena, brief, skill, t, &bindings.at[0], index, true, out, err));
    return KS_OK;
}

// The fewest arrays that one of those has beside its roles where it computes what the kernel does. Where the `first` one is enough, those
// behind one that has none are not tried.
static enum ks_status fewest_beside(struct ks_arena *arena, const struct ks_brief *brief, const struct ks_template *all,
                                    bool first, size_t *n, size_t *fewest, struct ks_err *err)
{
    *fewest = SIZE_MAX;
    for (size_t i = 0; i < *n; i++) {
        struct ks_binding_list bindings = {0};
        const char *why;
        KS_TRY(bind_once(arena, brief, &all[i], &bindings, &why, err));
        for (size_t k = 0; k < bindings.len; k++)
            if (!bindings.at[k].guessed && bindings.at[k].beside < *fewest)
                *fewest = bindings.at[k].beside;
        if (first && *fewest == 0)
            *n = i + 1;
    }
    return KS_OK;
}

enum ks_status ks_template_propose(struct ks_arena *arena, const struct ks_brief *brief,
                                   const struct ks_skill *skill, const char *template_dir,
                                   struct ks_candidate_list *out, const char **refusal,
                                   struct ks_err *err)
{
    struct ks_template t;
    size_t before = out->len, fewest, n = 0;
    const char *why = NULL;
    KS_TRY(load(arena, template_dir, skill->template_, &t, err));
    if (t.any.len == 0)
        return propose_one(arena, brief, skill, &t, SIZE_MAX, out, refusal, err);
    struct ks_template *all = KS_NEW_ARRAY(arena, struct ks_template, t.any.len);
    for (size_t i = 0; i < t.any.len; i++)
        KS_TRY(load_one(arena, template_dir, &t, t.any.at[i], &all[n++], err));
    KS_TRY(fewest_beside(arena, brief, all, t.first, &n, &fewest, err));
    for (size_t i = 0; i < n; i++) {
        KS_TRY(propose_one(arena, brief, skill, &all[i], fewest, out, &why, err));
        // The word of one that came near is worth more than that of one that never fitted.
        if (why && (!*refusal || strstr(why, "almost ")))
            *refusal = why;
    }
    if (out->len > before)
        *refusal = NULL;
    return KS_OK;
}

// Whether a candidate is made of the template that is called so.
static bool is_of(struct ks_arena *arena, const struct ks_candidate *base, const char *as)
{
    return ks_starts_with(base->mechanism, ks_arena_printf(arena, "template %s ", as));
}

static enum ks_status settings_one(struct ks_arena *arena, const struct ks_brief *brief,
                                   const struct ks_candidate *base, const struct ks_skill *skill,
                                   const struct ks_template *t, struct ks_candidate_list *out,
                                   struct ks_err *err)
{
    struct ks_binding_list bindings = {0};
    const char *refusal;
    KS_TRY(bind_once(arena, brief, t, &bindings, &refusal, err));
    for (size_t i = 0; i < bindings.len; i++) {
        const char *text = bindings.at[i].text;
        size_t n = strlen(text);
        if (strncmp(base->params, text, n) != 0 || (base->params[n] && base->params[n] != ' '))
            continue;
        size_t *index = KS_NEW_ARRAY(arena, size_t, skill->n_params + 1);
        while (ks_skill_next(skill, index))
            KS_TRY(add(arena, brief, skill, t, &bindings.at[i], index, false, out, err));
        return KS_OK;
    }
    return KS_OK;
}

enum ks_status ks_template_settings(struct ks_arena *arena, const struct ks_brief *brief,
                                    const struct ks_candidate *base, const struct ks_skill *skill,
                                    const char *template_dir, struct ks_candidate_list *out,
                                    struct ks_err *err)
{
    struct ks_template t;
    if (!ks_starts_with(base->mechanism, "template "))
        return KS_OK;
    KS_TRY(load(arena, template_dir, skill->template_, &t, err));
    if (t.any.len == 0)
        return is_of(arena, base, t.name) ? settings_one(arena, brief, base, skill, &t, out, err) : KS_OK;
    for (size_t i = 0; i < t.any.len; i++) {
        struct ks_template one;
        if (!is_of(arena, base, name_of(arena, &t, t.any.at[i])))
            continue;
        KS_TRY(load_one(arena, template_dir, &t, t.any.at[i], &one, err));
        KS_TRY(settings_one(arena, brief, base, skill, &one, out, err));
    }
    return KS_OK;
}
