// A thread's own sum over a loop, added by one atomic behind it, as an atomic a turn: then the loop is all that the kernel
// does, and what gathers atomics sums in a way of its own.
#include <string.h>

#include "engine/reshape.h"

struct spread {
    const struct ks_subject *s;
    struct ks_edit_list *edits;
    const struct ks_node *target; // "&p[i]"
    const char *sum, *type;
    bool floats;
    int updates, named;
    bool lost;
};

static bool is_zero(const char *text)
{
    return text[strspn(text, "0.")] == '\0' || strcmp(text + strspn(text, "0."), "f") == 0 ||
           strcmp(text + strspn(text, "0."), "u") == 0;
}

// `p[i]` with an index of numbers and names that the loop leaves alone.
static bool is_fixed(const struct ks_node *node, struct ks_node *loop)
{
    if (node->kind == KS_N_NAME)
        return !ks_node_changes(loop, node->text) && ks_node_find(loop, KS_N_VAR, node->text) == NULL;
    for (size_t i = 0; i < node->n; i++)
        if (!is_fixed(node->kid[i], loop))
            return false;
    return node->kind == KS_N_NUMBER || node->kind == KS_N_BINARY;
}

static bool visit_update(void *context, struct ks_node *node)
{
    struct spread *d = context;
    struct ks_arena *arena = d->s->arena;
    d->named += ks_node_is(node, KS_N_NAME, d->sum);
    const struct ks_node *change = node->kind == KS_N_EXPR ? node->kid[0] : NULL;
    bool one = change != NULL && change->kind != KS_N_CALL && strcmp(change->text, "++") == 0;
    if (change == NULL || !(one || ks_node_is(change, KS_N_ASSIGN, "+=")) || !ks_node_is(change->kid[0], KS_N_NAME, d->sum))
        return true;
    // A sum of integers may be of fractions, each cut off elsewhere.
    d->lost = d->lost || (!one && !d->floats && change->kid[1]->kind != KS_N_NUMBER);
    d->updates++;
    ks_edit_add(arena, d->edits, change->begin, change->end,
                ks_arena_printf(arena, "atomicAdd(%s, (%s)(%s))", ks_node_text(arena, &d->s->body, d->target), d->type,
                                one ? "1" : ks_node_text(arena, &d->s->body, change->kid[1])));
    return true;
}

// The declaration of the sum in front of the loop, which begins at zero; *gone receives its place there.
static const struct ks_node *find_sum(struct spread *d, const struct ks_node *block, bool **gone)
{
    for (size_t i = 0; i + 2 < block->n; i++)
        for (size_t v = 0; block->kid[i]->kind == KS_N_DECL && v < block->kid[i]->n; v++) {
            const struct ks_node *decl = block->kid[i], *var = decl->kid[v];
            if (strcmp(var->text, d->sum) != 0)
                continue;
            if (var->n > 0 || var->pointer || var->reference || decl->shared || decl->is_static ||
                !ks_node_is(var->init, KS_N_NUMBER, NULL) || !is_zero(var->init->text))
                return NULL;
            *gone = KS_NEW_ARRAY(d->s->arena, bool, decl->n + 1);
            (*gone)[v] = true;
            return decl;
        }
    return NULL;
}

static const struct ks_type *type_of(const struct ks_subject *s, const char *param)
{
    for (size_t i = 0; i < s->decl->n_params; i++)
        if (strcmp(s->decl->params[i].name, param) == 0)
            return &s->brief->signature->params[i];
    return NULL;
}

enum ks_status ks_spread_atomics(struct ks_subject *s, struct ks_edit_list *edits, struct ks_err *err)
{
    struct ks_node *block = s->body.block;
    struct ks_node *loop = block->n > 2 ? block->kid[block->n - 2] : NULL, *last = loop ? block->kid[block->n - 1] : NULL;
    const struct ks_node *call = last != NULL && last->kind == KS_N_EXPR ? last->kid[0] : NULL;
    (void)err;
    if (call == NULL || loop->kind != KS_N_FOR || call->kind != KS_N_CALL || call->n != 3 ||
        !ks_node_is(call->kid[0], KS_N_NAME, "atomicAdd") || !ks_node_is(call->kid[1], KS_N_UNARY, "&") ||
        call->kid[1]->kid[0]->kind != KS_N_INDEX || call->kid[2]->kind != KS_N_NAME ||
        ks_node_find(loop, KS_N_RETURN, NULL) != NULL)
        return KS_OK;
    const struct ks_node *place = call->kid[1]->kid[0];
    struct ks_edit_list own = {0};
    struct spread d = {.s = s, .edits = &own, .target = call->kid[1], .sum = call->kid[2]->text};
    bool *gone = NULL;
    const struct ks_node *decl = find_sum(&d, block, &gone);
    const struct ks_type *elem = place->kid[0]->kind == KS_N_NAME ? type_of(s, place->kid[0]->text) : NULL;
    if (decl == NULL || elem == NULL || !is_fixed(place->kid[0], loop) || !is_fixed(place->kid[1], loop))
        return KS_OK;
    struct ks_type type = ks_type_parse(s->arena, ks_slice_of(decl->text));
    if (type.elem.scalar != elem->elem.scalar || type.elem.lanes != 1 || elem->elem.lanes != 1)
        return KS_OK;
    d.type = decl->text;
    d.floats = ks_scalar_is_float(type.elem.scalar);
    ks_node_walk(block, visit_update, &d);
    if (d.lost || d.updates == 0 || d.named != d.updates + 1 || ks_node_find(loop, KS_N_VAR, d.sum) != NULL)
        return KS_OK;
    ks_node_drop(s->arena, &own, decl, gone);
    ks_edit_add(s->arena, &own, last->begin, last->end, "");
    *edits = own;
    return KS_OK;
}
