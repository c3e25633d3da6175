// What follows a sum, in the forms of a template.
#include <string.h>

#include "engine/bind.h"
#include "engine/template.h"

// The element that a read is, in the form's formula.
static const char *read_text(struct ks_arena *arena, const struct ks_template *t,
                             const struct ks_tail_kinds *kinds, const struct ks_kept *kept,
                             size_t e)
{
    const struct ks_tail_kind *kind = &kinds->at[kept->kinds[e]];
    if (kind->count == NULL)
        return ks_arena_printf(arena, "%s[%s]", t->roles[kind->role].name, kind->index);
    return ks_arena_printf(arena, "tail_%zu[%s]", kept->what->reads[e].param, kind->index);
}

// What `its_value` stands for in the formula.
static enum ks_status put_value(struct ks_arena *arena, const struct ks_template *t,
                                struct ks_form *form, struct ks_err *err)
{
    static const char place[] = "its_value";
    const struct ks_tail *head = form->head.what;
    const char *names[KS_TAIL_READS], *values[KS_TAIL_READS];
    const char *at = strstr(form->meaning, place);
    if (!at)
        KS_FAIL(err, KS_E_USER, "%s: no %s in \"%s\"", t->file, place, form->meaning);
    for (size_t e = 0; e < head->n_reads; e++) {
        names[e] = ks_arena_printf(arena, "read%zu", e);
        values[e] = read_text(arena, t, &t->heads, &form->head, e);
    }
    const char *text = ks_arena_printf(arena, "%.*s(%s%s)%s", (int)(at - form->meaning),
                                       form->meaning, head->lets, head->value,
                                       at + sizeof place - 1);
    char *means;
    KS_TRY(ks_template_expand(arena, t->file, text, names, values, head->n_reads, &means, err));
    KS_TRY(ks_template_expand(arena, t->file, means, form->names.name, form->names.value,
                              form->names.n, &means, err)); // an index may be the form's own
    form->meaning = means;
    return ks_formula_parse(arena, t->file, means, &form->means, err);
}

// The element of a role in the formula, "x[i * k + l]"; NULL where it is not there.
static const char *element_of(const char *meaning, const char *role, size_t *len)
{
    const size_t n = strlen(role);
    for (const char *at = meaning; (at = strstr(at, role)) != NULL; at++) {
        if ((at > meaning && ks_is_ident(at[-1])) || at[n] != '[')
            continue;
        int depth = 0;
        for (*len = n; at[*len] && (depth > 0 || at[*len] == '['); ++*len) {
            depth += (at[*len] == '[') - (at[*len] == ']');
            if (depth == 0)
                break;
        }
        ++*len;
        return at;
    }
    return NULL;
}

// What `factor_of` says in the place of its role's element.
static enum ks_status put_factor(struct ks_arena *arena, const struct ks_template *t,
                                 struct ks_form *form, struct ks_err *err)
{
    const struct ks_tail *head = form->head.what;
    const char *names[] = {"read0", "read1"}, *values[2];
    size_t len;
    const char *at = element_of(form->meaning, form->factor_of, &len);
    if (!at)
        KS_FAIL(err, KS_E_USER, "%s: no element of %s in \"%s\"", t->file, form->factor_of,
                form->meaning);
    for (size_t e = 0; e < 2; e++) {
        const char *role = t->roles[t->factors.at[form->head.kinds[e]].role].name;
        values[e] = strcmp(role, form->factor_of) == 0 ? ks_arena_strndup(arena, at, len) : "1";
    }
    const char *text =
        ks_arena_printf(arena, "%.*s(%s%s)%s", (int)(at - form->meaning), form->meaning, head->lets,
                        head->value, at + len);
    char *means;
    KS_TRY(ks_template_expand(arena, t->file, text, names, values, 2, &means, err));
    form->meaning = means;
    form->says = form->says ? ks_arena_printf(arena, "%s, of what it makes of %s", form->says,
                                              form->factor_of)
                            : NULL;
    return ks_formula_parse(arena, t->file, means, &form->means, err);
}

enum ks_status ks_factor_forms(struct ks_arena *arena, const struct ks_template *t,
                               const struct ks_tail *head, struct ks_template *out,
                               struct ks_err *err)
{
    *out = *t;
    out->heads = t->factors;
    out->n_forms = head->n_reads == 2 && t->factors.n == 2 ? 4 * t->n_forms : 0;
    out->forms = KS_NEW_ARRAY(arena, struct ks_form, out->n_forms + 1);
    for (size_t i = 0; i < out->n_forms; i++) {
        struct ks_form *form = &out->forms[i];
        const size_t first = i % 2, factor = i / 2 % 2; // which role's the first read is
        *form = t->forms[i / 4];
        form->head = (struct ks_kept){head, {first, 1 - first}};
        form->factor_of = t->roles[t->factors.at[factor].role].name;
        KS_TRY(put_factor(arena, t, form, err));
    }
    return KS_OK;
}

// "for i < m: c[i] = sum" goes on as "for i < m: let tail_sum = sum: ... c[i] = what is made of
// it".
static enum ks_status go_on(struct ks_arena *arena, const struct ks_template *t,
                            struct ks_form *form, struct ks_err *err)
{
    const struct ks_tail *tail = form->tail.what;
    const char *names[KS_TAIL_READS + 1] = {"sum"}, *values[KS_TAIL_READS + 1] = {"tail_sum"};
    const char *equals = NULL;
    char *means[2];
    for (const char *at = form->meaning; (at = strstr(at, "] = ")) != NULL; at++)
        equals = at;
    if (!equals || strchr(form->meaning, ';'))
        KS_FAIL(err, KS_E_USER, "%s: nothing can follow \"%s\"", t->file, form->meaning);
    const char *target = equals;
    for (int depth = 0; target > form->meaning && (depth >= 0 || target[-1] != ' '); target--)
        depth += (*target == ']' && target != equals) - (*target == '[');
    for (size_t e = 0; e < tail->n_reads; e++) {
        names[e + 1] = ks_arena_printf(arena, "read%zu", e);
        values[e + 1] = read_text(arena, t, &t->tails, &form->tail, e);
    }
    // Twice: with another sum the second time.
    for (int other = 0; other < 2; other++) {
        const char *text = ks_arena_printf(
            arena, "%.*slet tail_sum = %s%s%s: %s%.*s = %s", (int)(target - form->meaning),
            form->meaning, other ? "1.25 * (" : "", equals + 4, other ? ") + 0.125" : "", tail->lets,
            (int)(equals + 1 - target), target, tail->value);
        KS_TRY(ks_template_expand(arena, t->file, text, names, values, tail->n_reads + 1,
                                  &means[other], err));
    }
    form->meaning = means[0];
    form->altered = means[1];
    form->says = form->says ? ks_arena_printf(arena, "%s, and what follows", form->says) : NULL;
    KS_TRY(ks_formula_parse(arena, t->file, form->meaning, &form->means, err));
    form->own = form->means;
    return KS_OK;
}

enum ks_status ks_tail_forms(struct ks_arena *arena, const struct ks_template *t,
                             const struct ks_tail *tail, struct ks_template *out,
                             struct ks_err *err)
{
    const size_t kinds = tail->in_front ? t->heads.n : t->tails.n;
    size_t ways = 1;
    for (size_t e = 0; e < tail->n_reads; e++)
        ways *= kinds;
    *out = *t;
    out->n_forms = t->n_forms * ways;
    out->forms = KS_NEW_ARRAY(arena, struct ks_form, out->n_forms);
    out->n_forms = 0;
    for (size_t i = 0; i < t->n_forms * ways; i++) {
        struct ks_form *form = &out->forms[out->n_forms];
        bool apart = false;
        *form = t->forms[i / ways];
        struct ks_kept *kept = tail->in_front ? &form->head : &form->tail;
        kept->what = tail;
        for (size_t e = 0, way = i % ways; e < tail->n_reads; e++, way /= kinds) {
            kept->kinds[e] = way % kinds;
            apart = apart || (tail->product && t->heads.at[way % kinds].no_product);
        }
        if (apart)
            continue;
        out->n_forms++;
        KS_TRY(tail->in_front ? put_value(arena, t, form, err) : go_on(arena, t, form, err));
    }
    return KS_OK;
}

static const char *type_of(const struct ks_brief *brief, size_t param)
{
    return ks_scalar_c_name(brief->signature->params[param].elem.scalar);
}

// What the template's kernels get beside their own arguments; `takes` under the names that the
// code has for numbers. Elements of roles are the template's business.
static void add_parameters(struct ks_arena *arena, const struct ks_brief *brief,
                           const struct ks_tail_kinds *kinds, const struct ks_kept *kept,
                           const char *prefix, struct ks_strv *more, struct ks_buf *parameters,
                           struct ks_buf *arguments, struct ks_buf *takes)
{
    const struct ks_tail *tail = kept->what;
    for (size_t e = 0; e < tail->n_reads; e++) {
        size_t param = tail->reads[e].param;
        bool again = kinds->at[kept->kinds[e]].count == NULL;
        for (size_t k = 0; k < e; k++)
            again |= tail->reads[k].param == param;
        if (again)
            continue;
        const char *text = ks_arena_printf(arena, ", const %s *__restrict__ %s_p%zu",
                                           type_of(brief, param), prefix, param);
        ks_buf_puts(parameters, text);
        ks_buf_puts(takes, text);
        ks_buf_printf(arguments, ", %s_p%zu", prefix, param);
        ks_strv_add(arena, more, brief->decl->params[param].name);
    }
    for (size_t i = 0; i < tail->n_scalars; i++) {
        size_t param = tail->scalars[i];
        ks_buf_printf(parameters, ", %s %s_p%zu", type_of(brief, param), prefix, param);
        ks_buf_printf(takes, ", %s %s", type_of(brief, param), brief->decl->params[param].name);
        ks_buf_printf(arguments, ", %s_p%zu", prefix, param);
        ks_strv_add(arena, more, brief->decl->params[param].name);
    }
}

static void add_text(struct ks_arena *arena, struct ks_binding_choice *choice, const char *name,
                     struct ks_buf *text)
{
    ks_names_add(arena, &choice->names, name, ks_arena_strdup(arena, ks_buf_text(text)));
    ks_buf_free(text);
}

// Reads in packs, as `wide` elements; a role's element is a variable of the template, and what is
// read beside roles has an index there.
static void add_reads(const struct ks_brief *brief, const struct ks_template *t,
                      const struct ks_form *form, struct ks_buf *takes, struct ks_buf *values,
                      struct ks_buf *loads)
{
    const struct ks_kept *kept = &form->head;
    for (size_t e = 0; e < kept->what->n_reads; e++) {
        size_t param = kept->what->reads[e].param;
        const struct ks_tail_kind *kind = &t->heads.at[kept->kinds[e]];
        const char *comma = e > 0 ? ", " : "";
        ks_buf_printf(takes, ", %s its_read%zu", type_of(brief, param), e);
        if (kind->count == NULL) {
            const bool other =
                form->factor_of && strcmp(t->roles[kind->role].name, form->factor_of) != 0;
            ks_buf_printf(values, "%s%s", comma, other ? "1" : kind->code);
            continue;
        }
        if (t->heads.at[0].count == NULL) {
            ks_buf_printf(values, "%shead_p%zu[%s]", comma, param, kind->code);
            continue;
        }
        ks_buf_printf(values, "%sits_read%zu[lane]", comma, e);
        ks_buf_printf(loads,
                      "    %s its_read%zu[wide];\n"
                      "    {\n        auto &to = its_read%zu;\n"
                      "        const auto *const from = head_p%zu;\n        %s;\n    }\n",
                      type_of(brief, param), e, e, param, kind->code);
    }
    for (size_t i = 0; i < kept->what->n_scalars; i++) {
        size_t param = kept->what->scalars[i];
        ks_buf_printf(takes, ", %s %s", type_of(brief, param), brief->decl->params[param].name);
        ks_buf_printf(values, ", head_p%zu", param);
    }
}

// Bytes of the largest element that is read.
static size_t widest(const struct ks_brief *brief, const struct ks_tail *head)
{
    size_t bytes = 1;
    for (size_t e = 0; e < head->n_reads; e++) {
        const size_t size = brief->signature->params[head->reads[e].param].elem.size;
        bytes = size > bytes ? size : bytes;
    }
    return bytes;
}

static void head_names(struct ks_arena *arena, const struct ks_brief *brief,
                       const struct ks_template *t, const struct ks_form *form,
                       struct ks_binding_choice *choice)
{
    struct ks_buf loads = KS_BUF(1 << 16), takes = KS_BUF(4096), values = KS_BUF(4096),
                  parameters = KS_BUF(4096), arguments = KS_BUF(4096), arrays = KS_BUF(4096);
    const struct ks_tail *head = form->head.what;
    if (head) {
        add_reads(brief, t, form, &takes, &values, &loads);
        add_parameters(arena, brief, &t->heads, &form->head, "head", &choice->first, &parameters,
                       &arguments, &arrays);
    } else {
        ks_buf_puts(&takes, ", @T@ its_read0, @T@ its_read1");
        ks_buf_puts(&values, "in_a, in_b");
    }
    ks_buf_free(&arrays);
    for (size_t i = 0; i < t->factors.n; i++) {
        const char *role = t->roles[t->factors.at[i].role].name;
        const bool is = form->factor_of && strcmp(role, form->factor_of) == 0;
        ks_names_add(arena, &choice->names, ks_arena_printf(arena, "%s_factor", role),
                     is ? ks_arena_printf(arena, "added(0, %s)", ks_buf_text(&values))
                        : t->factors.at[i].code);
    }
    ks_names_add(arena, &choice->names, "head",
                 head ? head->code : "    return its_sum + its_read0 * its_read1;\n");
    ks_names_add(arena, &choice->names, "head_type", head ? head->type : "@T@");
    ks_names_add(arena, &choice->names, "head_bytes", ks_arena_printf(arena, "%zu", head ? widest(brief, head) : 1));
    ks_names_add(arena, &choice->names, "head_place", head && head->place ? head->place : "int");
    ks_names_add(arena, &choice->names, "head_counts", ks_arena_printf(arena, "%d", head && head->n_counts ? head->n_counts : 1));
    ks_names_add(arena, &choice->names, "head_own_bytes", head && head->once ? "4" : "@T_bytes@");
    ks_names_add(arena, &choice->names, "head_own", head && head->once ? "unsigned" : "@T@");
    add_text(arena, choice, "head_takes", &takes);
    add_text(arena, choice, "head_values", &values);
    add_text(arena, choice, "head_loads", &loads);
    add_text(arena, choice, "head_parameters", &parameters);
    add_text(arena, choice, "head_arguments", &arguments);
}

// The element type of what is written first.
static const char *stored_as(const struct ks_template *t)
{
    size_t r = 0;
    while (r < t->n_roles && t->roles[r].kind != KS_ROLE_KIND_OUT && t->roles[r].kind != KS_ROLE_KIND_INOUT)
        r++;
    return r < t->n_roles ? t->roles[r].elem : "T";
}

void ks_tail_names(struct ks_arena *arena, const struct ks_brief *brief,
                   const struct ks_template *t, const struct ks_form *form,
                   struct ks_binding_choice *choice)
{
    const struct ks_tail none = {.code = ks_arena_printf(arena, "    return (@%s@)its_sum;\n", stored_as(t))};
    struct ks_kept kept = form->tail;
    struct ks_buf code = KS_BUF(1 << 16), takes = KS_BUF(4096), parameters = KS_BUF(4096),
                  arguments = KS_BUF(4096);
    if (!kept.what)
        kept.what = &none;
    add_parameters(arena, brief, &t->tails, &kept, "tail", &choice->more, &parameters, &arguments,
                   &takes);
    for (size_t e = 0; e < kept.what->n_reads; e++) {
        size_t param = kept.what->reads[e].param;
        ks_buf_printf(&code, "    const %s its_read%zu = tail_p%zu[%s];\n", type_of(brief, param), e,
                      param, t->tails.at[kept.kinds[e]].code);
    }
    ks_buf_puts(&code, kept.what->code);
    add_text(arena, choice, "tail", &code);
    add_text(arena, choice, "tail_takes", &takes);
    add_text(arena, choice, "tail_parameters", &parameters);
    add_text(arena, choice, "tail_arguments", &arguments);
    head_names(arena, brief, t, form, choice);
}
