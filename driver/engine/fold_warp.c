// Values that warps combine by shuffles: each by itself, then what its first lanes left in shared memory by the first
// warp, or by a loop over the warps.
#include <string.h>

#include "engine/folder.h"

// What a local that never changes stands for.
static const struct ks_node *meaning(const struct ks_folder *f, const struct ks_node *expr)
{
    for (;;) {
        const struct ks_affine_local *local = expr->kind == KS_N_NAME ? ks_affine_find(&f->env, expr->text) : NULL;
        if (local && !local->changes && local->var->init && local->var->n == 0 && !local->loop)
            expr = local->var->init;
        else if (expr->kind == KS_N_CAST)
            expr = expr->kid[0];
        else
            return expr;
    }
}

static bool is_number(const struct ks_folder *f, const struct ks_node *expr, int64_t number)
{
    expr = meaning(f, expr);
    struct ks_poly p = ks_affine_eval(&f->env, expr), n = ks_poly_constant(number - 32), warp = ks_poly_symbol("warpSize"),
                   size = ks_poly_constant(number);
    n = ks_poly_sum(&warp, &n, 1); // 31 as warpSize - 1
    return ks_poly_equal(&p, &size) || (number > 16 && ks_poly_equal(&p, &n));
}

static bool is_part_of(const struct ks_folder *f, const struct ks_node *expr, const char *op, int64_t by)
{
    struct ks_poly p, thread = ks_poly_symbol("threadIdx.x");
    if (!ks_node_is(expr, KS_N_BINARY, op) || !is_number(f, expr->kid[1], by))
        return false;
    p = ks_affine_eval(&f->env, expr->kid[0]);
    return ks_poly_equal(&p, &thread);
}

bool ks_fold_is_lane(const struct ks_folder *f, const struct ks_node *expr)
{
    expr = meaning(f, expr);
    struct ks_poly p = ks_affine_eval(&f->env, expr), thread = ks_poly_symbol("threadIdx.x");
    return (f->lines && ks_poly_equal(&p, &thread)) || is_part_of(f, expr, "%", 32) || is_part_of(f, expr, "&", 31);
}

bool ks_fold_is_warp(const struct ks_folder *f, const struct ks_node *expr)
{
    expr = meaning(f, expr);
    return is_part_of(f, expr, "/", 32) || is_part_of(f, expr, ">>", 5);
}

// blockDim.x / 32, or the number that this is of the first workload's launch, which is asked for.
static bool is_own_warps(struct ks_folder *f, const struct ks_node *expr)
{
    const struct ks_brief *brief = f->s->brief;
    struct ks_poly p, block = ks_poly_symbol("blockDim.x");
    expr = meaning(f, expr);
    p = ks_affine_eval(&f->env, expr);
    if (p.known && p.n == 1 && p.term[0].n == 0) {
        if (brief->n_problems == 0 || brief->problems[0].block[0] != p.term[0].coef * 32)
            return false;
        ks_fold_ask(f, expr, p.term[0].coef * 32);
        return true;
    }
    if (!(ks_node_is(expr, KS_N_BINARY, "/") && is_number(f, expr->kid[1], 32)) &&
        !(ks_node_is(expr, KS_N_BINARY, ">>") && is_number(f, expr->kid[1], 5)))
        return false;
    p = ks_affine_eval(&f->env, expr->kid[0]);
    return ks_poly_equal(&p, &block);
}

static bool is_block_of_warps(struct ks_folder *f, const struct ks_node *expr)
{
    struct ks_poly p, own = ks_poly_symbol("blockIdx.x");
    expr = meaning(f, expr);
    for (int i = 0; ks_node_is(expr, KS_N_BINARY, "*") && i < 2; i++) {
        p = ks_affine_eval(&f->env, expr->kid[i]);
        if (ks_poly_equal(&p, &own) && is_own_warps(f, expr->kid[1 - i]))
            return true;
    }
    return false;
}

// blockIdx.x * blockDim.y + threadIdx.y, or with the number that the first workload's blocks are high, which is asked for.
static bool is_line(struct ks_folder *f, const struct ks_node *expr)
{
    int64_t high = f->s->brief->problems[0].block[1];
    struct ks_poly p = ks_affine_eval(&f->env, expr), block = ks_poly_symbol("blockIdx.x"), own = ks_poly_symbol("threadIdx.y"),
                   lines = ks_poly_symbol("blockDim.y"), number = ks_poly_constant(high);
    struct ks_poly any = ks_poly_product(&block, &lines), this_one = ks_poly_product(&block, &number);
    any = ks_poly_sum(&any, &own, 1);
    this_one = ks_poly_sum(&this_one, &own, 1);
    if (ks_poly_equal(&p, &any))
        return true;
    if (!ks_poly_equal(&p, &this_one))
        return false;
    ks_fold_ask(f, expr, high);
    return true;
}

bool ks_fold_is_row(struct ks_folder *f, const struct ks_node *expr)
{
    if (f->lines)
        return is_line(f, expr);
    for (int i = 0; ks_node_is(expr, KS_N_BINARY, "+") && i < 2; i++)
        if (ks_fold_is_warp(f, expr->kid[i]) && is_block_of_warps(f, expr->kid[1 - i]))
            return true;
    if (!(ks_node_is(expr, KS_N_BINARY, "/") && is_number(f, expr->kid[1], 32)) &&
        !(ks_node_is(expr, KS_N_BINARY, ">>") && is_number(f, expr->kid[1], 5)))
        return false;
    struct ks_poly p = ks_affine_eval(&f->env, expr->kid[0]), block = ks_poly_symbol("blockIdx.x"),
                   threads = ks_poly_symbol("blockDim.x"), own = ks_poly_symbol("threadIdx.x");
    block = ks_poly_product(&block, &threads);
    block = ks_poly_sum(&block, &own, 1);
    return ks_poly_equal(&p, &block);
}

bool ks_fold_leads(const struct ks_folder *f, const struct ks_node *test)
{
    return (ks_node_is(test, KS_N_UNARY, "!") && ks_fold_is_lane(f, test->kid[0])) ||
           (ks_node_is(test, KS_N_BINARY, "==") && ks_fold_is_lane(f, test->kid[0]) && is_number(f, test->kid[1], 0));
}

bool ks_fold_first_warp(const struct ks_folder *f, const struct ks_node *test)
{
    if (f->rows)
        return false;
    return (ks_node_is(test, KS_N_UNARY, "!") && ks_fold_is_warp(f, test->kid[0])) ||
           (ks_node_is(test, KS_N_BINARY, "==") && ks_fold_is_warp(f, test->kid[0]) && is_number(f, test->kid[1], 0)) ||
           (ks_node_is(test, KS_N_BINARY, "<") && ks_fold_is_thread(f, test->kid[0]) && is_number(f, test->kid[1], 32));
}

// Whether the expression is how many warps a block has; a number asks for that many.
static bool is_warps(struct ks_folder *f, const struct ks_node *expr)
{
    expr = meaning(f, expr);
    struct ks_poly block = ks_poly_symbol("blockDim.x"), up = ks_poly_constant(31), p = ks_affine_eval(&f->env, expr);
    if (p.known && p.n == 1 && p.term[0].n == 0) {
        ks_fold_ask(f, expr, p.term[0].coef * 32);
        return true;
    }
    bool divides = ks_node_is(expr, KS_N_BINARY, "/") && is_number(f, expr->kid[1], 32);
    if (!divides && !(ks_node_is(expr, KS_N_BINARY, ">>") && is_number(f, expr->kid[1], 5)))
        return false;
    p = ks_affine_eval(&f->env, expr->kid[0]);
    up = ks_poly_sum(&block, &up, 1);
    return ks_poly_equal(&p, &block) || ks_poly_equal(&p, &up);
}

// An element of an array that holds a value of each warp, by this index.
static struct ks_fold_value *of_warps(const struct ks_folder *f, const struct ks_node *expr)
{
    if (expr->kind != KS_N_INDEX || expr->kid[0]->kind != KS_N_NAME)
        return NULL;
    struct ks_fold_value *array = ks_fold_find(f, expr->kid[0]->text);
    return array && array->array && array->kind == KS_FOLD_WARP ? array : NULL;
}

// A value that changes nothing, for the lanes that have no warp.
static bool is_rest(const struct ks_node *expr, enum ks_fold_op op)
{
    bool minus = ks_node_is(expr, KS_N_UNARY, "-");
    struct ks_fold_value v = {.kind = KS_FOLD_SAME, .literal = expr->kind == KS_N_NUMBER ? expr->text : NULL};
    if (op == KS_FOLD_MAX || op == KS_FOLD_MIN)
        return ks_node_is(minus ? expr->kid[0] : expr, KS_N_NAME, "INFINITY") && minus == (op == KS_FOLD_MAX);
    return op != KS_FOLD_AND && v.literal && ks_fold_is_neutral(&v, op == KS_FOLD_OR ? KS_FOLD_SUM : op);
}

bool ks_fold_gather(struct ks_folder *f, const struct ks_node *cond, struct ks_fold_value *value)
{
    const struct ks_node *test = cond->kid[0], *one = cond->kid[1];
    struct ks_fold_value *array = of_warps(f, one);
    if (!array || !ks_node_is(test, KS_N_BINARY, "<") ||
        !(ks_fold_is_thread(f, test->kid[0]) || ks_fold_is_lane(f, test->kid[0])) ||
        !(ks_fold_is_thread(f, one->kid[1]) || ks_fold_is_lane(f, one->kid[1])) || !is_rest(cond->kid[2], array->op) ||
        !is_warps(f, test->kid[1]))
        return false;
    *value = *array;
    value->array = value->shared = false;
    value->kind = KS_FOLD_LANES;
    ks_edit_add(f->s->arena, f->edits, cond->begin, cond->end, array->name);
    return true;
}

// ~0u, 0xffffffff, -1
static bool is_full(const struct ks_folder *f, const struct ks_node *mask)
{
    mask = meaning(f, mask);
    struct ks_poly p = ks_affine_eval(&f->env, mask), all = ks_poly_constant(0xffffffff), one = ks_poly_constant(-1);
    return ks_poly_equal(&p, &all) || ks_poly_equal(&p, &one) ||
           (ks_node_is(mask, KS_N_UNARY, "~") && is_number(f, mask->kid[0], 0));
}

static bool is_extreme(const char *function)
{
    static const char *const functions[] = {"max", "fmax", "fmaxf", "min", "fmin", "fminf"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(function, functions[i]) == 0)
            return true;
    return false;
}

// Of two operands the one beside the name, or NULL.
static const struct ks_node *other_of(const struct ks_node *a, const struct ks_node *b, const char *name)
{
    return ks_node_is(a, KS_N_NAME, name) ? b : ks_node_is(b, KS_N_NAME, name) ? a : NULL;
}

// The variable that a statement combines with its value in another lane, `step` away; NULL where it does no such thing.
// *all: every lane comes to have what they make together, and the same bits, since a + b is b + a.
static struct ks_fold_value *update(struct ks_folder *f, const struct ks_node *node, const char *step,
                                    enum ks_fold_op *op, bool *all)
{
    const struct ks_node *set = node->kind == KS_N_EXPR ? node->kid[0] : node, *other = NULL;
    if (set->kind != KS_N_ASSIGN || set->kid[0]->kind != KS_N_NAME)
        return NULL;
    const char *name = set->kid[0]->text, *front = NULL, *between = set->text;
    const struct ks_node *value = set->kid[1];
    if (strcmp(set->text, "=") != 0) {
        other = value;
    } else if (value->kind == KS_N_BINARY && strlen(value->text) == 1) {
        between = value->text;
        other = other_of(value->kid[0], value->kid[1], name);
    } else if (value->kind == KS_N_CALL && value->n == 3 && value->kid[0]->kind == KS_N_NAME) {
        front = value->kid[0]->text;
        other = is_extreme(front) ? other_of(value->kid[1], value->kid[2], name) : NULL;
    }
    if (!other || other->kind != KS_N_CALL || other->n < 4 || other->n > 5)
        return NULL;
    *all = ks_node_is(other->kid[0], KS_N_NAME, "__shfl_xor_sync");
    if (!(*all || ks_node_is(other->kid[0], KS_N_NAME, "__shfl_down_sync")) ||
        !is_full(f, other->kid[1]) || !ks_node_is(other->kid[2], KS_N_NAME, name) ||
        !ks_node_is(other->kid[3], KS_N_NAME, step) || (other->n == 5 && !is_number(f, other->kid[4], 32)))
        return NULL;
    *op = ks_fold_op_of(front, between, NULL);
    return *op == KS_FOLD_ANY ? NULL : ks_fold_find(f, name);
}

// Whether the loop goes through all distances in a warp: from 16 down by halves, or up from 1 by doubles.
static bool all_distances(const struct ks_folder *f, const struct ks_node *loop, const char **step)
{
    const struct ks_node *init = loop->kid[0], *test = loop->kid[1], *by = loop->kid[2];
    if (init->kind != KS_N_DECL || init->n != 1 || !init->kid[0]->init || test->kind != KS_N_BINARY ||
        by->kind != KS_N_ASSIGN)
        return false;
    *step = init->kid[0]->text;
    const struct ks_node *from = meaning(f, init->kid[0]->init), *limit = test->kid[1];
    if (!ks_node_is(test->kid[0], KS_N_NAME, *step) || !ks_node_is(by->kid[0], KS_N_NAME, *step))
        return false;
    bool half = ks_node_is(from, KS_N_BINARY, "/") && is_number(f, from->kid[0], 32) && is_number(f, from->kid[1], 2);
    bool halves = (strcmp(by->text, ">>=") == 0 && is_number(f, by->kid[1], 1)) ||
                  (strcmp(by->text, "/=") == 0 && is_number(f, by->kid[1], 2));
    bool doubles = (strcmp(by->text, "<<=") == 0 && is_number(f, by->kid[1], 1)) ||
                   (strcmp(by->text, "*=") == 0 && is_number(f, by->kid[1], 2));
    bool zero = is_number(f, limit, 0), one = is_number(f, limit, 1);
    bool down = (zero && (strcmp(test->text, ">") == 0 || strcmp(test->text, "!=") == 0)) ||
                (one && strcmp(test->text, ">=") == 0);
    return (halves && down && (half || is_number(f, from, 16))) ||
           (doubles && is_number(f, from, 1) && ((strcmp(test->text, "<") == 0 && is_number(f, limit, 32)) ||
                                                 (strcmp(test->text, "<=") == 0 && is_number(f, limit, 16))));
}

// Whether a block is one warp, as the first workload has it, and is asked to be, or is taken for one.
static bool is_one_warp(struct ks_folder *f, const struct ks_node *at)
{
    const struct ks_brief *brief = f->s->brief;
    if (f->rows)
        return true;
    if (brief->n_problems == 0 || brief->problems[0].block[0] != 32)
        return false;
    ks_fold_ask(f, at, 32);
    return true;
}

bool ks_fold_shuffles(struct ks_folder *f, const struct ks_node *loop)
{
    const struct ks_node *body = loop->kid[3];
    size_t n = body->kind == KS_N_BLOCK ? body->n : 1;
    const char *step = "";
    if (!all_distances(f, loop, &step))
        return false;
    for (size_t i = 0; i < n && !f->why; i++) {
        const struct ks_node *node = body->kind == KS_N_BLOCK ? body->kid[i] : body;
        enum ks_fold_op op = KS_FOLD_ANY;
        bool all = false;
        struct ks_fold_value *value = update(f, node, step, &op, &all);
        bool own = value && value->kind == KS_FOLD_PART && (value->op == op || value->op == KS_FOLD_ANY);
        if (!value || value->array || f->first || !(own || (value->kind == KS_FOLD_LANES && value->op == op))) {
            ks_fold_refuse(f, node, "what lanes of a warp exchange is no value that they combine");
            return true;
        }
        if (own && f->warp) {
            ks_fold_refuse(f, node, "the first warp alone combines what all threads have");
            return true;
        }
        bool whole_block = own && is_one_warp(f, node);
        value->kind = whole_block && all ? KS_FOLD_SAME : !own || whole_block ? KS_FOLD_FIRST : KS_FOLD_WARP;
        value->whole = value->whole || value->op == KS_FOLD_ANY;
        value->op = op;
    }
    f->warps = true;
    f->folded++;
    return true;
}
