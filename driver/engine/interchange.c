// Two loops, one of them all that the other holds, exchanged: what the inner one walked over in
// strides is then walked over by the outer one. Only where the turns of both may run in any order.
#include <string.h>

#include "engine/loop.h"
#include "engine/reshape.h"

struct exchanger {
    struct ks_subject *s;
    struct ks_edit_list *edits;
    struct ks_affine env;
    int done;
    const char *why; // the last refusal of a nest
};

static const char *refuse(const struct exchanger *x, const struct ks_node *at, const char *why)
{
    return ks_arena_printf(x->s->arena, "line %d: %s", at->line, why);
}

// The loop that is all of another's body, or NULL.
static struct ks_node *only_loop(struct ks_node *body)
{
    while (body->kind == KS_N_BLOCK && body->n == 1)
        body = body->kid[0];
    return body->kind == KS_N_FOR ? body : NULL;
}

static bool has_pragma(const struct exchanger *x, const struct ks_node *outer,
                       const struct ks_node *inner)
{
    const struct ks_body *b = &x->s->body;
    for (size_t i = 0; i < b->n_pragmas; i++)
        if (b->pragmas[i].begin > outer->begin && b->pragmas[i].end <= inner->begin)
            return true;
    return false;
}

// Whether a loop's header says the same wherever in the other loop it stands.
static bool depends(const struct ks_loop *loop, const struct ks_loop *on)
{
    return ks_node_count_name(loop->start, on->var) + ks_node_count_name(loop->limit, on->var) >
               0 ||
           strstr(loop->by, on->var) != NULL;
}

static const char *why_not(struct exchanger *x, const struct ks_node *outer,
                           const struct ks_node *inner, const struct ks_loop *a,
                           const struct ks_loop *b)
{
    if (a->why || b->why)
        return a->why ? a->why : b->why;
    if (!a->declared || !b->declared)
        return refuse(x, outer, "only loops with variables of their own are exchanged");
    if (depends(b, a) || depends(a, b))
        return refuse(x, inner, "the inner loop's bounds change with the outer one");
    if (has_pragma(x, outer, inner))
        return refuse(x, inner, "a pragma between the loops");
    if (ks_node_find((struct ks_node *)b->limit, KS_N_CALL, NULL) ||
        ks_node_find((struct ks_node *)b->limit, KS_N_INDEX, NULL))
        return refuse(x, inner, "the inner loop's limit is more than a number");
    if (a->stores && !ks_subject_apart(x->s))
        return refuse(x, outer, "the extent of an array is no expression of parameters");
    return NULL;
}

// The text between the brackets of a header.
static char *header(const struct exchanger *x, const struct ks_node *loop)
{
    const char *text = x->s->body.text.at;
    size_t open = loop->begin, close = loop->kid[3]->begin;
    while (text[open] != '(')
        open++;
    while (text[close - 1] != ')')
        close--;
    return ks_arena_strndup(x->s->arena, text + open, close - open);
}

static void exchange(struct exchanger *x, const struct ks_node *a, const struct ks_node *b)
{
    const struct ks_node *loops[] = {a, b};
    const char *text = x->s->body.text.at;
    for (int i = 0; i < 2; i++) {
        size_t open = loops[i]->begin, close = loops[i]->kid[3]->begin;
        while (text[open] != '(')
            open++;
        while (text[close - 1] != ')')
            close--;
        ks_edit_add(x->s->arena, x->edits, open, close, header(x, loops[1 - i]));
    }
    x->done++;
}

static void statement(struct exchanger *x, struct ks_node *node);

static void loop(struct exchanger *x, struct ks_node *node)
{
    struct ks_affine before = x->env;
    struct ks_node *inner = only_loop(node->kid[3]);
    bool items =
        x->s->is_map && x->s->map.stride && node == x->s->body.block->kid[x->s->body.block->n - 1];
    struct ks_loop a, b;
    if (inner && !items && !only_loop(inner->kid[3])) { // the innermost pair of a nest
        ks_loop_read(x->s->arena, x->s->decl, &x->s->body, &x->env, node, &a);
        struct ks_affine env = x->env;
        env.cap = env.len;
        ks_loop_enter(&env, node);
        ks_loop_read(x->s->arena, x->s->decl, &x->s->body, &env, inner, &b);
        const char *why = why_not(x, node, inner, &a, &b);
        if (!why) {
            x->s->apart |= a.stores;
            exchange(x, node, inner);
            return;
        }
        x->why = why;
    } else if (!items && !inner && !x->why &&
               (ks_node_find(node->kid[3], KS_N_FOR, NULL) || ks_node_find(node->kid[3], KS_N_WHILE, NULL))) {
        x->why = refuse(x, node, "the loop holds more than another loop");
    }
    ks_loop_enter(&x->env, node);
    statement(x, node->kid[3]);
    x->env = before;
    x->env.cap = x->env.len;
}

static void statement(struct exchanger *x, struct ks_node *node)
{
    if (node->kind == KS_N_DECL)
        ks_loop_declare(&x->env, node);
    else if (node->kind == KS_N_FOR)
        loop(x, node);
    else
        for (size_t i = 0; node->kind >= KS_N_BLOCK && i < node->n; i++)
            statement(x, node->kid[i]);
}

enum ks_status ks_interchange_loops(struct ks_subject *s, struct ks_edit_list *edits,
                                    struct ks_err *err)
{
    struct exchanger x = {.s = s, .edits = edits};
    ks_affine_begin(s->arena, s->body.block, &x.env);
    statement(&x, s->body.block);
    if (x.done == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s",
                x.why ? x.why
                      : ks_arena_printf(s->arena, "line %d: no loop in a loop", s->decl->line));
    return KS_OK;
}
