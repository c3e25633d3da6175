// Expressions of a stencil with elements by their names, numbers in place of what counts turns.
#include <string.h>

#include "engine/stencil_reader.h"

static const char *tap(struct ks_stencil_reader *r, const struct ks_node *e, size_t param)
{
    struct ks_stencil *st = r->stencil;
    bool folded = r->bounded > 0;
    struct ks_poly at = ks_stencil_index(r, e->kid[1], &folded);
    size_t i = 0;
    if (!at.known)
        return ks_stencil_refuse(r, e, "which element is read depends on more than its place"), NULL;
    if (r->stored[param])
        return ks_stencil_refuse(r, e, "an array is read behind a store to it"), NULL;
    while (i < st->n_taps && (st->taps[i].param != param || !ks_poly_equal(&st->taps[i].away, &at)))
        i++;
    if (i == KS_STENCIL_TAPS)
        return ks_stencil_refuse(r, e, "too many elements are read"), NULL;
    if (i == st->n_taps)
        st->taps[st->n_taps++] = (struct ks_stencil_tap){.param = param, .away = at};
    st->taps[i].central |= r->other;
    st->taps[i].folded |= folded;
    return ks_arena_printf(r->arena, "its_tap%zu", i);
}

static const char *fixed(struct ks_stencil_reader *r, const struct ks_node *e, size_t param, int64_t index)
{
    struct ks_stencil *st = r->stencil;
    size_t i = 0;
    while (i < st->n_fixed && (st->fixed[i].param != param || st->fixed[i].index != index))
        i++;
    if (index < 0 || i == KS_STENCIL_FIXED)
        return ks_stencil_refuse(r, e, "too many elements that all take are read"), NULL;
    if (i == st->n_fixed)
        st->fixed[st->n_fixed++] = (struct ks_stencil_fixed){param, index};
    return ks_arena_printf(r->arena, "its_fixed%zu", i);
}

static const char *element(struct ks_stencil_reader *r, const struct ks_node *e, size_t param)
{
    int64_t index;
    return ks_stencil_number(r, e->kid[1], &index) ? fixed(r, e, param, index) : tap(r, e, param);
}

// An element of an array of numbers that the text lists.
static const struct ks_node *listed(struct ks_stencil_reader *r, const struct ks_node *e)
{
    int64_t index;
    for (size_t i = 0; e->kind == KS_N_INDEX && e->kid[0]->kind == KS_N_NAME && i < r->tables.len; i++)
        if (strcmp(r->tables.at[i].name, e->kid[0]->text) == 0 && ks_stencil_number(r, e->kid[1], &index) && index >= 0 &&
            (size_t)index < r->tables.at[i].node->n)
            return r->tables.at[i].node->kid[index];
    return NULL;
}

static bool is_load(const struct ks_node *e)
{
    return e->kind == KS_N_CALL && e->n == 2 && ks_node_is(e->kid[0], KS_N_NAME, "__ldg") &&
           ks_node_is(e->kid[1], KS_N_UNARY, "&");
}

static bool put(struct ks_stencil_reader *r, const struct ks_node *e, struct ks_edit_list *edits);

static bool is_zero(const struct ks_node *e)
{
    return e->kind == KS_N_NUMBER && e->text[strspn(e->text, "0.fF")] == '\0';
}

static bool put_instead(struct ks_stencil_reader *r, const struct ks_node *e, const struct ks_node *other,
                        struct ks_edit_list *edits)
{
    const char *text = ks_stencil_text(r, other);
    if (text)
        ks_edit_add(r->arena, edits, e->begin, e->end, ks_arena_printf(r->arena, "(%s)", text));
    return text != NULL;
}

// `x > 0 ? in[i - 1] : 0`: beyond an end zero stands for the element.
static bool put_bounded(struct ks_stencil_reader *r, const struct ks_node *e, struct ks_edit_list *edits)
{
    const struct ks_node *value = is_zero(e->kid[2]) ? e->kid[1] : e->kid[2];
    ks_stencil_note(r, e->kid[0]);
    r->bounded++;
    const bool understood = put_instead(r, e, value, edits);
    r->bounded--;
    return understood;
}

static bool put(struct ks_stencil_reader *r, const struct ks_node *e, struct ks_edit_list *edits)
{
    size_t param;
    int64_t number;
    bool holds;
    const bool loads = is_load(e);
    const struct ks_node *read = loads ? e->kid[1]->kid[0] : e, *number_of = listed(r, e);
    if (ks_stencil_element(r, read, &param)) {
        const char *name = element(r, read, param);
        if (name)
            ks_edit_add(r->arena, edits, e->begin, e->end, name);
        return name != NULL;
    }
    if (number_of)
        return put_instead(r, e, number_of, edits);
    if (e->kind == KS_N_COND && ks_stencil_decides(r, e->kid[0], &holds))
        return put_instead(r, e, e->kid[holds ? 1 : 2], edits);
    if (e->kind == KS_N_COND && ks_stencil_is_place(r, e->kid[0]) && is_zero(e->kid[1]) != is_zero(e->kid[2]))
        return put_bounded(r, e, edits);
    if (loads || e->kind == KS_N_INDEX || e->kind == KS_N_ASSIGN || e->kind == KS_N_POSTFIX || ks_node_is(e, KS_N_UNARY, "&") ||
        ks_node_is(e, KS_N_UNARY, "*") || ks_node_is(e, KS_N_UNARY, "++") || ks_node_is(e, KS_N_UNARY, "--"))
        return ks_stencil_refuse(r, e, "memory that is no parameter's, or a change in an expression");
    if (e->kind == KS_N_NAME && ks_stencil_number(r, e, &number))
        ks_edit_add(r->arena, edits, e->begin, e->end, ks_arena_printf(r->arena, "(%lld)", (long long)number));
    for (size_t i = e->kind == KS_N_CALL; i < e->n; i++)
        if (!put(r, e->kid[i], edits))
            return false;
    return true;
}

const char *ks_stencil_text(struct ks_stencil_reader *r, const struct ks_node *e)
{
    struct ks_edit_list edits = {0};
    return put(r, e, &edits) ? ks_edit_apply(r->arena, &edits, r->s->body.text, e->begin, e->end) : NULL;
}
