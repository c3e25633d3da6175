// The shares of a block's threads in shared memory, which are read as what they come to.
#include <string.h>

#include "base/num.h"
#include "engine/loop.h"
#include "engine/tail_expr.h"

static const char *refuse(struct ks_tail_reader *t, const struct ks_node *at, const char *what)
{
    if (t->why == NULL)
        t->why = ks_arena_printf(t->arena, "line %d: %s", at->line, what);
    return NULL;
}

// The array of which an expression is an element, or a sum of some; NULL: of none.
static const struct ks_node *array_of(const struct ks_node *e)
{
    if (ks_node_is(e, KS_N_BINARY, "+")) {
        const struct ks_node *a = array_of(e->kid[0]), *b = array_of(e->kid[1]);
        return a && b && strcmp(a->text, b->text) == 0 ? a : NULL;
    }
    if (e->kind != KS_N_INDEX)
        return NULL;
    while (e->kind == KS_N_INDEX)
        e = e->kid[0];
    return e->kind == KS_N_NAME ? e : NULL;
}

// Bits of the elements that a sum has, each once; 0: others, too.
static uint64_t elements_of(const struct ks_node *e)
{
    int64_t index;
    if (e->kind == KS_N_BINARY) {
        const uint64_t a = elements_of(e->kid[0]), b = elements_of(e->kid[1]);
        return a && b && (a & b) == 0 ? a | b : 0;
    }
    const bool known = e->kid[0]->kind == KS_N_NAME && e->kid[1]->kind == KS_N_NUMBER && ks_parse_i64(e->kid[1]->text, &index);
    return known && index >= 0 && index < 64 ? UINT64_C(1) << index : 0;
}

// Whether that are all elements of the array: of the shares of warps small runs might not show that one is left out.
static bool sums_all(const struct ks_node *decl, const char *name, const struct ks_node *e)
{
    int64_t extent;
    for (size_t i = 0; i < decl->n; i++) {
        const struct ks_node *var = decl->kid[i];
        if (strcmp(var->text, name) == 0 && var->n == 1 && var->kid[0]->kind == KS_N_NUMBER && ks_parse_i64(var->kid[0]->text, &extent))
            return extent > 1 && extent < 64 && elements_of(e) == (UINT64_C(1) << extent) - 1;
    }
    return false;
}

const char *ks_tail_shares(struct ks_tail_reader *t, const struct ks_node *e)
{
    const struct ks_node *base = array_of(e);
    const struct ks_node *decl =
        base && !t->inlining && t->loop && e->begin >= t->loop->end ? ks_loop_declaration(t->body.block, base->text, e->begin) : NULL;
    if (!decl || !decl->shared)
        return NULL;
    if (t->accumulator && strcmp(t->accumulator, base->text) != 0)
        return refuse(t, e, "the loop leaves two variables");
    if ((e->kind == KS_N_BINARY || t->shares) && !sums_all(decl, base->text, e))
        return e->kind == KS_N_BINARY ? NULL : refuse(t, e, "not all shares are summed behind the loop");
    t->accumulator = base->text;
    ks_edit_add(t->arena, &t->edits, e->begin, e->end, "its_sum");
    return "@sum@";
}

bool ks_tail_leaves_share(struct ks_tail_reader *t, const struct ks_node *s)
{
    if (s->kind == KS_N_IF && s->n == 2)
        return ks_tail_leaves_share(t, s->kid[1]);
    if (s->kind == KS_N_BLOCK)
        return s->n == 1 && ks_tail_leaves_share(t, s->kid[0]);
    if (s->kind != KS_N_EXPR || !ks_node_is(s->kid[0], KS_N_ASSIGN, "=") || s->kid[0]->kid[0]->kind != KS_N_INDEX)
        return false;
    const struct ks_node *base = array_of(s->kid[0]->kid[0]);
    const struct ks_node *decl = base ? ks_loop_declaration(t->body.block, base->text, s->begin) : NULL;
    if (!decl || !decl->shared)
        return false;
    t->shares = base->text;
    return true;
}
