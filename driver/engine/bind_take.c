// Complete assignments: which forms they fit, and what is taken down of those that do.
#include <string.h>

#include "base/vec.h"
#include "engine/binder.h"
#include "engine/specimen.h"
#include "verify/gate.h"

enum ks_scalar ks_bind_type_of(const struct binder *b, const char *placeholder)
{
    for (size_t r = 0; r < b->t->n_roles; r++)
        if (ks_bind_is_pointer(&b->t->roles[r]) && b->pointer[r] >= 0 &&
            strcmp(b->t->roles[r].elem, placeholder) == 0)
            return ks_bind_arg(b, 0, (size_t)b->pointer[r])->elem.scalar;
    return KS_T_NONE;
}

enum ks_scalar ks_bind_sum_type(enum ks_scalar scalar)
{
    return scalar == KS_T_F16 || scalar == KS_T_BF16 || scalar == KS_T_I8 || scalar == KS_T_U8 ? KS_T_F32 : scalar;
}

bool ks_bind_adds_in_halves(const struct ks_brief *brief)
{
    return brief->canonical_ptx && ks_arith_of(ks_slice_of(brief->canonical_ptx)).u > 0x1p-24;
}

// The canonical text names the entry's parameters #0, #1, ... in its head and wherever they are read.
bool *ks_bind_idle(struct ks_arena *arena, const struct ks_brief *brief)
{
    bool *idle = KS_NEW_ARRAY(arena, bool, brief->decl->n_params);
    const char *entry = brief->canonical_ptx ? strstr(brief->canonical_ptx, ".entry ") : NULL;
    const char *body = entry ? strchr(entry, '\n') : NULL;
    for (size_t i = 0; body && i < brief->decl->n_params; i++) {
        const char *name = ks_arena_printf(arena, "#%zu", i), *at = body;
        while ((at = strstr(at, name)) != NULL && at[strlen(name)] >= '0' && at[strlen(name)] <= '9')
            at++;
        idle[i] = at == NULL;
    }
    return idle;
}

static bool are_alike(const struct ks_role *a, const struct ks_role *b)
{
    return a->kind == KS_ROLE_KIND_IN && b->kind == KS_ROLE_KIND_IN && strcmp(a->elem, b->elem) == 0;
}

bool ks_bind_may_share(const struct binder *b, const struct ks_role *role, int param)
{
    const size_t r = (size_t)(role - b->t->roles);
    return b->shared && r > 0 && are_alike(role - 1, role) && b->pointer[r - 1] == param;
}

bool ks_bind_shares(const struct binder *b)
{
    for (size_t r = 1; r < b->t->n_roles; r++)
        if (b->pointer[r] >= 0 && b->pointer[r] == b->pointer[r - 1])
            return true;
    return false;
}

bool ks_bind_packs_in_front(const struct ks_template *t)
{
    return t->heads.n > 0 && t->heads.at[0].count != NULL;
}

// That an array which is read behind the sum and what is written do not overlap; in front of it the
// array is read in packs.
static const char *apart_text(const struct binder *b, const struct ks_tail_read *read,
                              const struct ks_tail_kind *kind, bool in_front,
                              const struct ks_assignment *assignment)
{
    size_t r = 0;
    while (b->t->roles[r].kind != KS_ROLE_KIND_OUT && b->t->roles[r].kind != KS_ROLE_KIND_INOUT)
        r++;
    const char *reads = ks_assigned_text(b->arena, b->t, NULL, assignment, kind->extent),
               *writes = ks_assigned_text(b->arena, b->t, NULL, assignment, b->t->roles[r].extent);
    const char *name = b->brief->decl->params[read->param].name;
    const char *packs =
        in_front && ks_bind_packs_in_front(b->t) ? ks_arena_printf(b->arena, "aligned(%s, 16) && ", name)
                                         : "";
    return ks_arena_printf(b->arena, "%s!overlap(%s, %zu * (%s), %s, %zu * (%s))", packs, name,
                           ks_bind_arg(b, 0, read->param)->elem.size, reads,
                           b->brief->decl->params[b->pointer[r]].name,
                           ks_bind_arg(b, 0, (size_t)b->pointer[r])->elem.size, writes);
}

static const char *guard_of_kept(const struct binder *b, const char *guard,
                                 const struct ks_tail_kinds *kinds, const struct ks_kept *kept,
                                 const struct ks_assignment *assignment)
{
    for (size_t e = 0; kept->what && e < kept->what->n_reads; e++) {
        const struct ks_tail_kind *kind = &kinds->at[kept->kinds[e]];
        if (kind->count)
            guard = ks_arena_printf(b->arena, "%s%s%s", guard, *guard ? " && " : "",
                                    apart_text(b, &kept->what->reads[e], kind,
                                               kept->what->in_front, assignment));
    }
    return guard;
}

static void say_kept(const struct binder *b, const struct ks_form *form, const struct ks_assignment *assignment,
                     const struct ks_tail_kinds *kinds, const struct ks_kept *kept, struct ks_buf *text)
{
    for (size_t e = 0; kept->what && e < kept->what->n_reads; e++)
        if (kinds->at[kept->kinds[e]].count)
            ks_buf_printf(text, " %s[%s]",
                          b->brief->decl->params[kept->what->reads[e].param].name,
                          ks_assigned_text(b->arena, b->t, form, assignment, kinds->at[kept->kinds[e]].index));
}

// @T_sum@, the type in which elements of T are added up, and what makes one of the other.
static void name_sums(const struct binder *b, struct ks_binding_choice *c, const char *type,
                      enum ks_scalar scalar)
{
    const bool f16 = scalar == KS_T_F16, bf16 = scalar == KS_T_BF16;
    ks_names_add(b->arena, &c->names, ks_arena_printf(b->arena, "%s_sum", type),
                 ks_scalar_c_name(ks_bind_sum_type(scalar)));
    ks_names_add(b->arena, &c->names, ks_arena_printf(b->arena, "%s_wide", type),
                 f16 ? "__half2float" : bf16 ? "__bfloat162float" : "");
    ks_names_add(b->arena, &c->names, ks_arena_printf(b->arena, "%s_narrow", type),
                 f16 ? "__float2half" : bf16 ? "__float2bfloat16" : "");
}

// Literals that are parameters of the kernel: in the code the role's name, which the last step is passed.
static void name_parameters(const struct binder *b, struct ks_binding_choice *c)
{
    struct ks_buf parameters = KS_BUF(4096);
    for (size_t r = 0; r < b->t->n_roles; r++) {
        const struct ks_role *role = &b->t->roles[r];
        if (!ks_bind_may_be_parameter(role) || b->pointer[r] < 0)
            continue;
        const struct ks_arg *arg = ks_bind_arg(b, 0, (size_t)b->pointer[r]);
        ks_buf_printf(&parameters, ", %s %s", ks_scalar_c_name(arg->type.elem.scalar), role->name);
        ks_strv_add(b->arena, &c->more, b->brief->decl->params[b->pointer[r]].name);
    }
    ks_names_add(b->arena, &c->names, "number_parameters",
                 ks_arena_strdup(b->arena, ks_buf_text(&parameters)));
    ks_buf_free(&parameters);
}

static void add_binding(struct binder *b, const struct ks_form *form,
                        const struct ks_assignment *assignment, bool guessed)
{
    struct ks_binding_choice *c = ks_vec_push(b->arena, b->out);
    c->guessed = guessed;
    c->beside = (form->tail.what ? form->tail.what->n_reads : 0) + (form->head.what ? form->head.what->n_reads : 0);
    struct ks_buf text = KS_BUF(4096);
    for (size_t r = 0; r < b->t->n_roles; r++) {
        const struct ks_role *role = &b->t->roles[r];
        const char *value = b->text[r] ? b->text[r] : role->fallback;
        if (b->pointer[r] >= 0)
            value = b->brief->decl->params[b->pointer[r]].name;
        bool single = ks_bind_is_word(value) || b->pointer[r] >= 0;
        bool passed = ks_bind_may_be_parameter(role) && b->pointer[r] >= 0;
        ks_names_add(b->arena, &c->names, role->name,
                     passed   ? role->name
                     : single ? value
                              : ks_arena_printf(b->arena, "(%s)", value));
        if (value != role->fallback)
            ks_buf_printf(&text, "%s%s=%s", text.len ? " " : "", role->name, value);
    }
    for (size_t i = 0; i < b->t->n_types; i++) {
        enum ks_scalar scalar = ks_bind_type_of(b, b->t->type_names[i]);
        ks_names_add(b->arena, &c->names, b->t->type_names[i], ks_scalar_c_name(scalar));
        ks_names_add(b->arena, &c->names,
                     ks_arena_printf(b->arena, "%s_name", b->t->type_names[i]),
                     ks_scalar_name(scalar));
        ks_names_add(b->arena, &c->names,
                     ks_arena_printf(b->arena, "%s_bytes", b->t->type_names[i]),
                     ks_arena_printf(b->arena, "%zu", ks_scalar_size(scalar)));
        name_sums(b, c, b->t->type_names[i], scalar);
        ks_buf_printf(&text, " %s=%s", b->t->type_names[i], ks_scalar_name(scalar));
    }
    name_parameters(b, c);
    for (size_t i = 0; i < form->names.n; i++)
        ks_names_add(b->arena, &c->names, form->names.name[i], form->names.value[i]);
    if (b->t->n_forms > 1)
        ks_buf_printf(&text, " form=%s", form->names.value[0]);
    if (form->factor_of)
        ks_buf_printf(&text, " made=%s", form->factor_of);
    say_kept(b, form, assignment, &b->t->heads, &form->head, &text);
    say_kept(b, form, assignment, &b->t->tails, &form->tail, &text);
    c->text = ks_arena_strdup(b->arena, ks_buf_text(&text));
    c->says = form->says ? ks_assigned_text(b->arena, b->t, form, assignment, form->says) : NULL;
    c->guard = ks_bind_guard(b);
    if (b->round)
        c->guard = ks_bind_round_guard(b, c->guard);
    if (b->t->domain_text)
        c->guard =
            ks_arena_printf(b->arena, "%s%s(%s)", c->guard, *c->guard ? " && " : "",
                            ks_assigned_text(b->arena, b->t, NULL, assignment, b->t->domain_text));
    ks_tail_names(b->arena, b->brief, b->t, form, c);
    c->guard = guard_of_kept(b, c->guard, &b->t->heads, &form->head, assignment);
    c->guard = guard_of_kept(b, c->guard, &b->t->tails, &form->tail, assignment);
    if (form->asks)
        c->guard = ks_arena_printf(b->arena, "%s%s%s", c->guard, *c->guard ? " && " : "", form->asks);
    for (size_t i = 0; i < form->passes.len; i++)
        ks_strv_add(b->arena, &c->more, form->passes.at[i]);
    ks_buf_free(&text);
}

bool ks_bind_enough(const struct binder *b)
{
    return b->steps >= (b->exact ? MOST_STEPS : MOST_LOOSE) || b->tried >= MOST_TRIED || b->recognised >= MOST_RECOGNISED ||
           b->out->len >= MOST_UNKNOWN;
}

// Whether the arrays that are read behind the sum, or in front of it, have the extents that the form
// says, or are the roles'.
static bool kept_fits(const struct binder *b, const struct ks_tail_kinds *kinds,
                      const struct ks_kept *kept)
{
    for (size_t e = 0; kept->what && e < kept->what->n_reads; e++) {
        const struct ks_tail_kind *kind = &kinds->at[kept->kinds[e]];
        const size_t param = kept->what->reads[e].param;
        if (kind->count == NULL && b->pointer[kind->role] != (int)param)
            return false;
        for (int p = 0; kind->count && p < KS_PROBES; p++) {
            const struct at_probe at = {b, p};
            int64_t want;
            if (!ks_expr_eval(kind->count, ks_bind_role_value, (void *)(uintptr_t)&at, &want) ||
                want != ks_bind_arg(b, p, param)->count)
                return false;
        }
    }
    return true;
}

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        if ((at == text || !ks_is_ident(at[-1])) && !ks_is_ident(at[n]))
            return true;
    return false;
}

// Whether numbers of which elements in front of the sum may speak are what they are by themselves
// where none does, and there alone: else the same binding would come once for each number.
static bool is_plain(const struct binder *b, const struct ks_form *form)
{
    for (size_t r = 0; ks_bind_packs_in_front(b->t) && r < b->t->n_roles; r++) {
        const struct ks_role *role = &b->t->roles[r];
        if (role->otherwise &&
            (strcmp(b->text[r], role->otherwise) == 0) == has_word(form->meaning, role->name))
            return false;
    }
    return true;
}

// Whether a form has a place for each parameter that is a number of it, and for each number of the text
// but the first: else the same binding would come once for each of them.
static bool places_numbers(const struct binder *b, const struct ks_form *form)
{
    for (size_t r = 0; r < b->t->n_roles; r++) {
        const struct ks_role *role = &b->t->roles[r];
        if (!ks_bind_is_value(role) || (form->meaning && has_word(form->meaning, role->name)))
            continue;
        if (b->pointer[r] >= 0 || strcmp(b->text[r], b->choices[r].at[0].text) != 0)
            return false;
    }
    return true;
}

// Whether what was seen hangs on the sum at all: not where what follows makes a constant of it, or of
// all that small runs came to.
static bool hangs_on_sum(const struct binder *b, const struct ks_form *form,
                         const struct ks_assignment *assignment)
{
    struct ks_form other = *form;
    struct ks_near_miss near = {0};
    if (form->altered == NULL)
        return true;
    return ks_formula_parse(b->arena, b->t->file, form->altered, &other.means, NULL) == KS_OK &&
           ks_recognise(b->arena, b->brief, b->t, &other, assignment, b->round, &near) ==
               KS_NOT_RECOGNISED;
}

void ks_bind_finish(struct binder *b)
{
    if (ks_bind_repeats(b))
        return;
    const char **texts = KS_NEW_ARRAY(b->arena, const char *, b->t->n_roles);
    for (size_t r = 0; r < b->t->n_roles; r++)
        texts[r] = b->pointer[r] >= 0 ? b->brief->decl->params[b->pointer[r]].name : b->text[r];
    const struct ks_assignment assignment = {b->pointer, texts};
    if (b->stencil && !ks_bind_stencil_forms(b, &assignment))
        return;
    for (size_t i = 0; i < b->t->n_forms && !ks_bind_enough(b); i++) {
        const struct ks_form *form = &b->t->forms[i];
        if (!kept_fits(b, &b->t->heads, &form->head) || !kept_fits(b, &b->t->tails, &form->tail) ||
            !is_plain(b, form) || !places_numbers(b, form))
            continue;
        b->tried++;
        b->asked = true;
        enum ks_recognised is =
            ks_recognise(b->arena, b->brief, b->t, form, &assignment, b->round, &b->near);
        if (is == KS_NOT_RECOGNISED ||
            (is == KS_RECOGNISED && !hangs_on_sum(b, form, &assignment)))
            continue;
        b->recognised += is == KS_RECOGNISED;
        add_binding(b, form, &assignment, is == KS_RECOGNISED_UNKNOWN);
    }
}
