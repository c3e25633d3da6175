// Blocks numbered through two axes of the grid, `blockIdx.x + blockIdx.y * gridDim.x`, written as a grid of one axis numbers
// them: what reads maps need then know of one spelling. That both axes are launched, the subject says.
#include <string.h>

#include "engine/reshape.h"

struct numberer {
    const struct ks_subject *s;
    struct ks_affine env; // without locals: what they hold is not looked through
    struct ks_edit_list *edits;
    struct ks_poly block, thread; // blockIdx.x + blockIdx.y * gridDim.x; the same * blockDim.x + threadIdx.x
};

static struct ks_poly product(const char *a, const char *b)
{
    struct ks_poly p = ks_poly_symbol(a), q = ks_poly_symbol(b);
    return ks_poly_product(&p, &q);
}

static bool visit(void *context, struct ks_node *node)
{
    struct numberer *n = context;
    struct ks_arena *arena = n->s->arena;
    if (node->kind != KS_N_BINARY)
        return true;
    struct ks_poly p = ks_affine_eval(&n->env, node);
    const char *text = ks_poly_equal(&p, &n->block)    ? "blockIdx.x"
                       : ks_poly_equal(&p, &n->thread) ? "(blockIdx.x * blockDim.x + threadIdx.x)"
                                                       : NULL;
    if (text == NULL || p.wide) // a product in 64 bits may be meant for more blocks than 32 bits number
        return true;
    ks_edit_add(arena, n->edits, node->begin, node->end, text);
    return false;
}

void ks_numbered_edits(const struct ks_subject *s, struct ks_edit_list *edits)
{
    struct numberer n = {.s = s, .edits = edits};
    struct ks_poly x = ks_poly_symbol("blockIdx.x"), row = product("blockIdx.y", "gridDim.x"),
                   threads = ks_poly_symbol("blockDim.x"), own = ks_poly_symbol("threadIdx.x");
    n.block = ks_poly_sum(&x, &row, 1);
    n.thread = ks_poly_product(&n.block, &threads);
    n.thread = ks_poly_sum(&n.thread, &own, 1);
    ks_affine_begin(s->arena, s->body.block, &n.env);
    ks_node_walk(s->body.block, visit, &n);
}

struct second {
    struct ks_arena *arena;
    bool found;
};

static bool visit_second(void *context, struct ks_node *node)
{
    static const char *const names[] = {"blockIdx.y", "threadIdx.y", "blockDim.y", "gridDim.x", "gridDim.y"};
    struct second *s = context;
    const char *name = ks_builtin_name(s->arena, node);
    for (size_t i = 0; name != NULL && i < sizeof names / sizeof *names; i++)
        s->found |= strcmp(name, names[i]) == 0;
    return !s->found;
}

bool ks_numbered_through(const struct ks_subject *s)
{
    struct second second = {.arena = s->arena};
    ks_node_walk(s->body.block, visit_second, &second);
    return !second.found;
}
