// What follows a sum, in the forms of a template.
#include <string.h>

#include "engine/bind.h"
#include "engine/template.h"

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
        values[e + 1] = ks_arena_printf(arena, "tail_%zu[%s]", tail->reads[e].param,
                                        t->tails[form->kinds[e]].index);
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
        KS_TRY(go_on(arena, t, form, err));
    }
    return KS_OK;
}

static void add_array(struct ks_buf *out, const struct ks_brief *brief, size_t param)
{
    ks_buf_printf(out, ", const %s *__restrict__ tail_p%zu",
                  ks_scalar_c_name(brief->signature->params[param].elem.scalar), param);
}

void ks_tail_names(struct ks_arena *arena, const struct ks_brief *brief,
                   const struct ks_template *t, const struct ks_form *form,
                   struct ks_binding_choice *choice)
{
    static const struct ks_tail none = {.code = "    return (@T@)its_sum;\n"};
    const struct ks_tail *tail = form->tail ? form->tail : &none;
    struct ks_buf code = KS_BUF(1 << 16), takes = KS_BUF(4096), parameters = KS_BUF(4096),
                  arguments = KS_BUF(4096);
    for (size_t e = 0; e < tail->n_reads; e++) {
        size_t param = tail->reads[e].param;
        ks_buf_printf(&code, "    const %s its_read%zu = tail_p%zu[%s];\n",
                      ks_scalar_c_name(brief->signature->params[param].elem.scalar), e, param,
                      t->tails[form->kinds[e]].code);
        bool again = false;
        for (size_t k = 0; k < e; k++)
            again |= tail->reads[k].param == param;
        if (again)
            continue;
        add_array(&takes, brief, param);
        add_array(&parameters, brief, param);
        ks_buf_printf(&arguments, ", tail_p%zu", param);
        ks_strv_add(arena, &choice->more, brief->decl->params[param].name);
    }
    for (size_t i = 0; i < tail->n_scalars; i++) {
        size_t param = tail->scalars[i];
        const char *type = ks_scalar_c_name(brief->signature->params[param].elem.scalar);
        ks_buf_printf(&takes, ", %s %s", type, brief->decl->params[param].name);
        ks_buf_printf(&parameters, ", %s tail_p%zu", type, param);
        ks_buf_printf(&arguments, ", tail_p%zu", param);
        ks_strv_add(arena, &choice->more, brief->decl->params[param].name);
    }
    ks_buf_puts(&code, tail->code);
    const struct {
        const char *name;
        struct ks_buf *text;
    } all[] = {{"tail", &code},
               {"tail_takes", &takes},
               {"tail_parameters", &parameters},
               {"tail_arguments", &arguments}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ks_names_add(arena, &choice->names, all[i].name,
                     ks_arena_strdup(arena, ks_buf_text(all[i].text)));
        ks_buf_free(all[i].text);
    }
}
