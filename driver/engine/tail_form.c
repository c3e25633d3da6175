// What follows a sum, in the forms of a template.
#include <string.h>

#include "engine/bind.h"
#include "engine/template.h"

// The element that a read is, in the form's formula.
static const char *read_text(struct ks_arena *arena, const struct ks_template *t,
                             const struct ks_form *form, size_t e)
{
    return ks_arena_printf(arena, "tail_%zu[%s]", form->tail->reads[e].param,
                           t->tails[form->kinds[e]].index);
}

// What `its_value` stands for in the formula.
static enum ks_status put_value(struct ks_arena *arena, const struct ks_template *t,
                                struct ks_form *form, struct ks_err *err)
{
    static const char place[] = "its_value";
    const struct ks_tail *head = form->tail;
    const char *names[KS_TAIL_READS], *values[KS_TAIL_READS];
    const char *at = strstr(form->meaning, place);
    if (!at)
        KS_FAIL(err, KS_E_USER, "%s: no %s in \"%s\"", t->file, place, form->meaning);
    for (size_t e = 0; e < head->n_reads; e++) {
        names[e] = ks_arena_printf(arena, "read%zu", e);
        values[e] = read_text(arena, t, form, e);
    }
    const char *text = ks_arena_printf(arena, "%.*s(%s%s)%s", (int)(at - form->meaning),
                                       form->meaning, head->lets, head->value,
                                       at + sizeof place - 1);
    char *means;
    KS_TRY(ks_template_expand(arena, t->file, text, names, values, head->n_reads, &means, err));
    form->meaning = means;
    return ks_formula_parse(arena, t->file, means, &form->means, err);
}

// "for i < m: c[i] = sum" goes on as "for i < m: let tail_sum = sum: ... c[i] = what is made of
// it".
static enum ks_status go_on(struct ks_arena *arena, const struct ks_template *t,
                            struct ks_form *form, struct ks_err *err)
{
    const struct ks_tail *tail = form->tail;
    const char *names[KS_TAIL_READS + 1] = {"sum"}, *values[KS_TAIL_READS + 1] = {"tail_sum"};
    const char *equals = NULL;
    for (const char *at = form->meaning; (at = strstr(at, "] = ")) != NULL; at++)
        equals = at;
    if (!equals || strchr(form->meaning, ';'))
        KS_FAIL(err, KS_E_USER, "%s: nothing can follow \"%s\"", t->file, form->meaning);
    const char *target = equals;
    for (int depth = 0; target > form->meaning && (depth >= 0 || target[-1] != ' '); target--)
        depth += (*target == ']' && target != equals) - (*target == '[');
    for (size_t e = 0; e < tail->n_reads; e++) {
        names[e + 1] = ks_arena_printf(arena, "read%zu", e);
        values[e + 1] = read_text(arena, t, form, e);
    }
    const char *text = ks_arena_printf(arena, "%.*slet tail_sum = %s: %s%.*s = %s",
                                       (int)(target - form->meaning), form->meaning, equals + 4,
                                       tail->lets, (int)(equals + 1 - target), target, tail->value);
    char *means;
    KS_TRY(ks_template_expand(arena, t->file, text, names, values, tail->n_reads + 1, &means, err));
    form->meaning = means;
    form->says = form->says ? ks_arena_printf(arena, "%s, and what follows", form->says) : NULL;
    return ks_formula_parse(arena, t->file, means, &form->means, err);
}

enum ks_status ks_tail_forms(struct ks_arena *arena, const struct ks_template *t,
                             const struct ks_tail *tail, struct ks_template *out,
                             struct ks_err *err)
{
    size_t ways = 1;
    for (size_t e = 0; e < tail->n_reads; e++)
        ways *= t->n_tails;
    *out = *t;
    out->n_forms = t->n_forms * ways;
    out->forms = KS_NEW_ARRAY(arena, struct ks_form, out->n_forms);
    for (size_t i = 0; i < out->n_forms; i++) {
        struct ks_form *form = &out->forms[i];
        *form = t->forms[i / ways];
        form->tail = tail;
        for (size_t e = 0, way = i % ways; e < tail->n_reads; e++, way /= t->n_tails)
            form->kinds[e] = way % t->n_tails;
        KS_TRY(t->in_front ? put_value(arena, t, form, err) : go_on(arena, t, form, err));
    }
    return KS_OK;
}

static const char *type_of(const struct ks_brief *brief, size_t param)
{
    return ks_scalar_c_name(brief->signature->params[param].elem.scalar);
}

// What the template's kernels get beside their own arguments; `takes` under the names that the
// code has for numbers.
static void add_parameters(struct ks_arena *arena, const struct ks_brief *brief,
                           const struct ks_tail *tail, struct ks_binding_choice *choice,
                           struct ks_buf *parameters, struct ks_buf *arguments,
                           struct ks_buf *takes)
{
    for (size_t e = 0; e < tail->n_reads; e++) {
        size_t param = tail->reads[e].param;
        bool again = false;
        for (size_t k = 0; k < e; k++)
            again |= tail->reads[k].param == param;
        if (again)
            continue;
        const char *text = ks_arena_printf(arena, ", const %s *__restrict__ tail_p%zu",
                                           type_of(brief, param), param);
        ks_buf_puts(parameters, text);
        ks_buf_puts(takes, text);
        ks_buf_printf(arguments, ", tail_p%zu", param);
        ks_strv_add(arena, &choice->more, brief->decl->params[param].name);
    }
    for (size_t i = 0; i < tail->n_scalars; i++) {
        size_t param = tail->scalars[i];
        ks_buf_printf(parameters, ", %s tail_p%zu", type_of(brief, param), param);
        ks_buf_printf(takes, ", %s %s", type_of(brief, param), brief->decl->params[param].name);
        ks_buf_printf(arguments, ", tail_p%zu", param);
        ks_strv_add(arena, &choice->more, brief->decl->params[param].name);
    }
}

static void add_text(struct ks_arena *arena, struct ks_binding_choice *choice, const char *name,
                     struct ks_buf *text)
{
    ks_names_add(arena, &choice->names, name, ks_arena_strdup(arena, ks_buf_text(text)));
    ks_buf_free(text);
}

static void head_names(struct ks_arena *arena, const struct ks_brief *brief,
                       const struct ks_template *t, const struct ks_form *form,
                       struct ks_binding_choice *choice)
{
    const struct ks_tail *head = form->tail;
    struct ks_buf loads = KS_BUF(1 << 16), takes = KS_BUF(4096), values = KS_BUF(4096),
                  parameters = KS_BUF(4096), arguments = KS_BUF(4096), arrays = KS_BUF(4096);
    for (size_t e = 0; e < head->n_reads; e++) {
        size_t param = head->reads[e].param;
        const char *comma = e > 0 ? ", " : "";
        ks_buf_printf(&takes, "%s%s its_read%zu", comma, type_of(brief, param), e);
        ks_buf_printf(&values, "%sits_read%zu[lane]", comma, e);
        ks_buf_printf(&loads,
                      "    %s its_read%zu[wide];\n"
                      "    {\n        auto &to = its_read%zu;\n"
                      "        const auto *const from = tail_p%zu;\n        %s;\n    }\n",
                      type_of(brief, param), e, e, param, t->tails[form->kinds[e]].code);
    }
    for (size_t i = 0; i < head->n_scalars; i++) {
        size_t param = head->scalars[i];
        ks_buf_printf(&takes, ", %s %s", type_of(brief, param), brief->decl->params[param].name);
        ks_buf_printf(&values, ", tail_p%zu", param);
    }
    add_parameters(arena, brief, head, choice, &parameters, &arguments, &arrays);
    ks_buf_free(&arrays);
    ks_names_add(arena, &choice->names, "head", head->code);
    ks_names_add(arena, &choice->names, "head_type", head->type);
    add_text(arena, choice, "head_takes", &takes);
    add_text(arena, choice, "head_values", &values);
    add_text(arena, choice, "head_loads", &loads);
    add_text(arena, choice, "head_parameters", &parameters);
    add_text(arena, choice, "head_arguments", &arguments);
}

void ks_tail_names(struct ks_arena *arena, const struct ks_brief *brief,
                   const struct ks_template *t, const struct ks_form *form,
                   struct ks_binding_choice *choice)
{
    static const struct ks_tail none = {.code = "    return (@T@)its_sum;\n"};
    const struct ks_tail *tail = form->tail ? form->tail : &none;
    struct ks_buf code = KS_BUF(1 << 16), takes = KS_BUF(4096), parameters = KS_BUF(4096),
                  arguments = KS_BUF(4096);
    if (t->in_front) {
        head_names(arena, brief, t, form, choice);
        return;
    }
    add_parameters(arena, brief, tail, choice, &parameters, &arguments, &takes);
    for (size_t e = 0; e < tail->n_reads; e++) {
        size_t param = tail->reads[e].param;
        ks_buf_printf(&code, "    const %s its_read%zu = tail_p%zu[%s];\n", type_of(brief, param), e,
                      param, t->tails[form->kinds[e]].code);
    }
    ks_buf_puts(&code, tail->code);
    add_text(arena, choice, "tail", &code);
    add_text(arena, choice, "tail_takes", &takes);
    add_text(arena, choice, "tail_parameters", &parameters);
    add_text(arena, choice, "tail_arguments", &arguments);
}
