#include "engine/stencil.h"

#include <string.h>

#include "engine/stencil_reader.h"
#include "engine/tail_expr.h"

// What stands behind `text` for variables that the walk does not declare.
static bool stand(struct ks_tail_reader *t, const char *name, const char *value)
{
    if (t->env.n == KS_TAIL_NAMES)
        return false;
    t->env.name[t->env.n] = name;
    t->env.value[t->env.n++] = value;
    return true;
}

static bool stand_all(struct ks_tail_reader *t, const struct ks_stencil *st)
{
    bool room = true;
    for (size_t i = 0; i < st->n_taps; i++)
        room &= stand(t, ks_arena_printf(t->arena, "its_tap%zu", i), ks_arena_printf(t->arena, "@tap%zu@", i));
    for (size_t i = 0; i < st->n_fixed; i++)
        room &= stand(t, ks_arena_printf(t->arena, "its_fixed%zu", i), ks_arena_printf(t->arena, "@fixed%zu@", i));
    for (size_t k = 0; k < st->n_outs; k++)
        room &= stand(t, ks_arena_printf(t->arena, "its_out%zu", k), "0") &&
                stand(t, ks_arena_printf(t->arena, "its_other%zu", k), "0");
    return room;
}

// The statements as a formula, and as code that calls no sum by name.
static bool read_values(struct ks_stencil_reader *r, struct ks_tail_reader *t)
{
    struct ks_stencil *st = r->stencil;
    struct ks_buf code = KS_BUF(1 << 18);
    bool understood = stand_all(t, st);
    for (size_t i = 0; understood && i < t->body.block->n; i++) {
        understood = ks_tail_statement(t, t->body.block->kid[i]);
        if (understood)
            ks_tail_add_code(t, &code, t->body.block->kid[i]);
    }
    st->code = ks_arena_strdup(r->arena, ks_buf_text(&code));
    st->lets = ks_arena_strdup(r->arena, ks_buf_text(&t->lets));
    ks_buf_free(&code);
    for (size_t k = 0; understood && k < st->n_outs; k++) {
        st->outs[k].value = ks_tail_value(t, ks_arena_printf(r->arena, "its_out%zu", k));
        if (st->outs[k].other)
            st->outs[k].other = ks_tail_value(t, ks_arena_printf(r->arena, "its_other%zu", k));
    }
    return understood && t->tail->n_reads == 0;
}

static bool read_text(struct ks_stencil_reader *r)
{
    struct ks_tail_reader t;
    struct ks_brief *brief = ks_arena_memdup(r->arena, r->s->given, sizeof *brief);
    brief->kernel_text = ks_arena_printf(r->arena, "%.*s\n%s}", (int)r->s->body.block->begin + 1, r->s->body.text.at,
                                         ks_buf_text(&r->out));
    const bool understood = ks_tail_open(&t, r->arena, brief, &r->stencil->numbers) && read_values(r, &t);
    ks_tail_close(&t);
    if (!understood && r->why == NULL)
        r->why = t.why ? t.why : ks_arena_printf(r->arena, "line %d: too much is made of elements", r->s->decl->line);
    return understood;
}

// Whether two elements of an array take part, of which none is written by another thread.
static bool has_neighbours(struct ks_stencil_reader *r)
{
    struct ks_stencil *st = r->stencil;
    const struct ks_poly zero = ks_poly_constant(0);
    bool neighbours = false;
    for (size_t i = 0; i < st->n_taps; i++) {
        struct ks_stencil_tap *tap = &st->taps[i];
        tap->away = ks_poly_sum(&tap->away, &r->place, -1);
        if (!ks_stencil_is_fixed(r, &tap->away))
            return ks_stencil_refuse(r, NULL, "an element is read at no fixed distance");
        if (!ks_poly_equal(&tap->away, &zero) && (tap->central || r->stored[tap->param]))
            return ks_stencil_refuse(r, NULL, "neighbours are read of an array that is written, or where no stencil reaches");
        for (size_t k = 0; k < i; k++)
            neighbours |= st->taps[k].param == tap->param;
    }
    for (size_t i = 0; i < st->n_fixed; i++)
        if (r->stored[st->fixed[i].param])
            return ks_stencil_refuse(r, NULL, "an array is read and written");
    return neighbours || ks_stencil_refuse(r, NULL, "no two neighbours are read");
}

static bool is_whole(struct ks_stencil_reader *r)
{
    const struct ks_stencil *st = r->stencil;
    for (size_t k = 0; k < st->n_outs; k++)
        if (!st->outs[k].value || !st->outs[k].other != !st->outs[0].other)
            return ks_stencil_refuse(r, NULL, "not all arrays are written alike");
    return st->n_outs > 0 || ks_stencil_refuse(r, NULL, "nothing is written");
}

// The parameter of the kernel as it came.
static bool is_given(const struct ks_stencil_reader *r, size_t *param)
{
    const char *name = r->s->decl->params[*param].name;
    const struct ks_kernel_decl *given = r->s->given->decl;
    for (*param = 0; *param < given->n_params; ++*param)
        if (strcmp(given->params[*param].name, name) == 0)
            return true;
    return false;
}

// Arrays by their parameters, of which structs are some.
static bool all_given(struct ks_stencil_reader *r)
{
    struct ks_stencil *st = r->stencil;
    bool all = true;
    for (size_t i = 0; i < st->n_taps; i++)
        all &= is_given(r, &st->taps[i].param);
    for (size_t i = 0; i < st->n_fixed; i++)
        all &= is_given(r, &st->fixed[i].param);
    for (size_t k = 0; k < st->n_outs; k++)
        all &= is_given(r, &st->outs[k].param);
    return all || ks_stencil_refuse(r, NULL, "an array is a struct's");
}

bool ks_stencil_find(struct ks_arena *arena, const struct ks_brief *brief, struct ks_stencil *stencil,
                     const char **why)
{
    struct ks_subject subject;
    struct ks_err err = {0};
    *stencil = (struct ks_stencil){0};
    *why = "the text is not understood";
    if (ks_subject_make(arena, brief, &subject, &err) != KS_OK)
        return false;
    stencil->members = subject.members;
    struct ks_stencil_reader r = {.arena = arena,
                                  .s = &subject,
                                  .stencil = stencil,
                                  .out = KS_BUF(1 << 18),
                                  .stored = KS_NEW_ARRAY(arena, bool, subject.decl->n_params + 1)};
    ks_affine_begin(arena, subject.body.block, &r.env);
    const bool found = ks_stencil_walk(&r) && r.why == NULL && is_whole(&r) && has_neighbours(&r) && all_given(&r) &&
                       read_text(&r);
    ks_buf_free(&r.out);
    *why = r.why;
    return found;
}
