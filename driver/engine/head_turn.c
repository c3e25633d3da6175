// Kernels whose threads each take one element to a tree in shared memory, to shuffles or to an atomic addition, as a loop
// of one turn: `s[t] = i < n ? x[i] : 0;` in front of the tree adds to a sum what a turn would, and so does the v of
// `v += __shfl_down_sync(mask, v, o)` or `atomicAdd(y, v)`. What becomes of that, small runs of the original show.
#include "engine/head.h"

#include <stdlib.h>
#include <string.h>

#include "engine/loop.h"
#include "engine/tree.h"

struct turn {
    struct ks_subject *s;
    struct ks_affine env;
    struct ks_buf out;
    const char *array, *type; // in shared memory, and its elements'
};

static bool is_zero(const struct ks_node *e)
{
    char *end;
    if (e->kind != KS_N_NUMBER)
        return false;
    bool zero = strtod(e->text, &end) == 0;
    return zero && end > e->text && end + strspn(end, "fFuUlL") == e->text + strlen(e->text);
}

static const char *text_of(const struct turn *t, const struct ks_node *node)
{
    return ks_node_text(t->s->arena, &t->s->body, node);
}

static const char *words_of(const struct ks_node *decl)
{
    return decl->text + (ks_starts_with(decl->text, "const ") ? 6 : 0);
}

// "float v = i < n ? x[i] : 0;" with the bound as a branch, which it is elsewhere.
static void put_declaration(struct turn *t, const struct ks_node *decl)
{
    const struct ks_node *var = decl->n == 1 ? decl->kid[0] : NULL, *init = var ? var->init : NULL;
    if (init == NULL || init->kind != KS_N_COND || !is_zero(init->kid[2]) || var->pointer || var->reference) {
        ks_buf_printf(&t->out, "%s\n", text_of(t, decl));
        return;
    }
    ks_buf_printf(&t->out, "%s %s = 0;\nif (%s)\n%s = %s;\n", words_of(decl), var->text, text_of(t, init->kid[0]), var->text,
                  text_of(t, init->kid[1]));
}

static bool is_barrier(const struct ks_node *node)
{
    return node->kind == KS_N_EXPR && node->kid[0]->kind == KS_N_CALL &&
           ks_node_is(node->kid[0]->kid[0], KS_N_NAME, "__syncthreads");
}

// The value that each thread puts at its own place in shared memory.
static const struct ks_node *stored(struct turn *t, const struct ks_node *node)
{
    const struct ks_node *set = node->kind == KS_N_EXPR ? node->kid[0] : node;
    if (!ks_node_is(set, KS_N_ASSIGN, "=") || set->kid[0]->kind != KS_N_INDEX || set->kid[0]->kid[0]->kind != KS_N_NAME)
        return NULL;
    const char *name = set->kid[0]->kid[0]->text;
    const struct ks_node *decl = ks_loop_declaration(t->s->body.block, name, node->begin);
    struct ks_poly at = ks_affine_eval(&t->env, set->kid[0]->kid[1]), thread = ks_poly_symbol("threadIdx.x");
    if (decl == NULL || !decl->shared || !ks_poly_equal(&at, &thread))
        return NULL;
    t->array = name;
    t->type = decl->text;
    return set->kid[1];
}

static void put_sum(struct turn *t, const struct ks_node *value)
{
    bool bound = value->kind == KS_N_COND && is_zero(value->kid[2]);
    if (bound)
        ks_buf_printf(&t->out, "if (%s)\n", text_of(t, value->kid[0]));
    ks_buf_printf(&t->out, "opt_sum += %s;\n", text_of(t, bound ? value->kid[1] : value));
}

// Whether the loop makes the sum of the array.
static bool is_sum(struct turn *t, struct ks_node *loop)
{
    struct ks_tree tree;
    return loop->kind == KS_N_FOR && ks_tree_read(t->s, &t->env, loop, &tree) == NULL && tree.n == 1 &&
           strcmp(tree.update[0].array, t->array) == 0 && tree.update[0].between != NULL &&
           strcmp(tree.update[0].between, " + ") == 0;
}

static bool visit_shuffle(void *context, struct ks_node *node)
{
    const struct ks_node **variable = context;
    if (*variable == NULL && ks_node_is(node, KS_N_ASSIGN, "+=") && node->kid[0]->kind == KS_N_NAME &&
        node->kid[1]->kind == KS_N_CALL && node->kid[1]->kid[0]->kind == KS_N_NAME &&
        ks_starts_with(node->kid[1]->kid[0]->text, "__shfl_"))
        *variable = node->kid[0];
    return *variable == NULL;
}

// The variable that threads shuffle their sums of, or add atomically: NULL where a statement does neither.
static const struct ks_node *shared_out(struct turn *t, struct ks_node *node)
{
    const struct ks_node *variable = NULL;
    const struct ks_node *call = node->kind == KS_N_EXPR ? node->kid[0] : NULL;
    ks_node_walk(node, visit_shuffle, &variable);
    if (variable == NULL && call != NULL && call->kind == KS_N_CALL && call->n == 3 &&
        ks_node_is(call->kid[0], KS_N_NAME, "atomicAdd") && call->kid[2]->kind == KS_N_NAME)
        variable = call->kid[2];
    const struct ks_node *decl =
        variable ? ks_loop_declaration(t->s->body.block, variable->text, node->begin) : NULL;
    if (decl == NULL || decl->shared)
        return NULL;
    t->type = words_of(decl);
    return variable;
}

// Statements to the tree; false where there are others than such as make a value.
static bool put_statements(struct turn *t)
{
    const struct ks_node *block = t->s->body.block, *value = NULL;
    for (size_t i = 0; i < block->n; i++) {
        struct ks_node *node = block->kid[i];
        if (value != NULL && node->kind != KS_N_EMPTY && !is_barrier(node))
            return is_sum(t, node);
        if (node->kind == KS_N_EMPTY || is_barrier(node))
            continue;
        const struct ks_node *variable = shared_out(t, node);
        if (variable != NULL) {
            put_sum(t, variable);
            return true;
        }
        if (ks_node_find(node, KS_N_RETURN, NULL) || ks_node_find(node, KS_N_NAME, "__syncthreads") || ks_node_is_loop(node))
            return false;
        if (node->kind == KS_N_DECL) {
            ks_affine_declare(&t->env, node, false);
            if (!node->shared)
                put_declaration(t, node);
            continue;
        }
        value = stored(t, node);
        if (value != NULL)
            put_sum(t, value);
        else
            ks_buf_printf(&t->out, "%s\n", text_of(t, node));
    }
    return false;
}

const char *ks_head_turn(struct ks_arena *arena, const struct ks_brief *brief)
{
    struct ks_subject subject;
    struct ks_err err = {0};
    const char *text = NULL;
    if (ks_subject_make(arena, brief, &subject, &err) != KS_OK || subject.brief->decl != brief->decl)
        return NULL; // or parameters are other ones by now
    struct turn t = {.s = &subject, .out = KS_BUF(1 << 18)};
    ks_affine_begin(arena, subject.body.block, &t.env);
    if (put_statements(&t))
        text = ks_arena_printf(arena, "%.*s\n%s opt_sum = 0;\nfor (int opt_turn = 0; opt_turn < 1; opt_turn++) {\n%s}\n}",
                               (int)subject.body.block->begin + 1, subject.body.text.at, t.type, ks_buf_text(&t.out));
    ks_buf_free(&t.out);
    return text;
}
