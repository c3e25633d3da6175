#include "engine/tree.h"

#include <string.h>

#include "engine/loop.h"

struct finder {
    struct ks_subject *s;
    struct ks_affine env; // what was declared so far
    struct ks_affine all; // what is declared anywhere
    const char *why;      // the last refusal of a loop with a barrier
    int64_t threads;      // a block's, of all trees; 0: none yet
    int done;
};

static const char *refuse(const struct finder *f, const struct ks_node *at, const char *why)
{
    return ks_arena_printf(f->s->arena, "line %d: %s", at->line, why);
}

static bool is_barrier(const struct ks_node *node)
{
    return node->kind == KS_N_EXPR && node->kid[0]->kind == KS_N_CALL &&
           ks_node_is(node->kid[0]->kid[0], KS_N_NAME, "__syncthreads");
}

// The value of an expression over constants and the block's size, as the first workload has it.
static bool known_value(const struct finder *f, const struct ks_node *e, int64_t *value)
{
    const struct ks_subject *s = f->s;
    int64_t a, b;
    const char *builtin = ks_builtin_name(s->arena, e);
    if (builtin && strcmp(builtin, "blockDim.x") == 0 && s->brief->n_problems > 0) {
        *value = s->brief->problems[0].block[0];
        return true;
    }
    if (e->kind == KS_N_NAME) {
        const struct ks_affine_local *local = ks_affine_find(&f->env, e->text);
        const char *constant = ks_subject_constant((void *)s, e->text);
        if (local && !local->changes && local->var->init && local->var->n == 0)
            return known_value(f, local->var->init, value);
        return constant && ks_parse_i64(constant, value);
    }
    if (e->kind == KS_N_CAST)
        return known_value(f, e->kid[0], value);
    if (e->kind == KS_N_BINARY && known_value(f, e->kid[0], &a) && known_value(f, e->kid[1], &b)) {
        bool shift = b >= 0 && b < 32;
        *value = strcmp(e->text, "/") == 0 && b > 0    ? a / b
                 : strcmp(e->text, "*") == 0           ? a * b
                 : strcmp(e->text, ">>") == 0 && shift ? a >> b
                 : strcmp(e->text, "<<") == 0 && shift ? a << b
                 : strcmp(e->text, "-") == 0           ? a - b
                                                       : -1;
        return *value >= 0;
    }
    struct ks_poly p = ks_affine_eval(&f->env, e);
    *value = p.n ? p.term[0].coef : 0;
    return p.known && (p.n == 0 || (p.n == 1 && p.term[0].n == 0));
}

// "h /= 2", "h >>= 1", "h = h / 2" and the same upwards: 2 or -2; else 0.
static int read_step(const struct ks_node *step, const char *half)
{
    if (step->kind != KS_N_ASSIGN || !ks_node_is(step->kid[0], KS_N_NAME, half))
        return 0;
    const struct ks_node *by = step->kid[1];
    const char *op = step->text;
    if (strcmp(op, "=") == 0 && by->kind == KS_N_BINARY &&
        ks_node_is(by->kid[0], KS_N_NAME, half)) {
        op = by->text;
        by = by->kid[1];
    }
    bool two = ks_node_is(by, KS_N_NUMBER, "2") || ks_node_is(by, KS_N_NUMBER, "2u");
    bool one = ks_node_is(by, KS_N_NUMBER, "1") || ks_node_is(by, KS_N_NUMBER, "1u");
    if ((two && op[0] == '/') || (one && strncmp(op, ">>", 2) == 0))
        return -2;
    return (two && op[0] == '*') || (one && strncmp(op, "<<", 2) == 0) ? 2 : 0;
}

static bool read_header(const struct finder *f, struct ks_tree *t)
{
    const struct ks_node *l = t->loop, *init = l->kid[0], *test = l->kid[1];
    const struct ks_node *start = NULL;
    int64_t from, to;
    if (init->kind == KS_N_DECL && init->n == 1 && init->kid[0]->init) {
        t->half = init->kid[0]->text;
        start = init->kid[0]->init;
    } else if (init->kind == KS_N_EXPR && ks_node_is(init->kid[0], KS_N_ASSIGN, "=") &&
               init->kid[0]->kid[0]->kind == KS_N_NAME) {
        t->half = init->kid[0]->kid[0]->text;
        start = init->kid[0]->kid[1];
    }
    if (!start)
        return false;
    bool alone = ks_node_is(test, KS_N_NAME, t->half); // until it is zero
    int step = read_step(l->kid[2], t->half);
    if (step == 0 || !known_value(f, start, &from))
        return false;
    t->threads = 2 * from;
    if (alone)
        return step < 0;
    if (test->kind != KS_N_BINARY || !ks_node_is(test->kid[0], KS_N_NAME, t->half) || !known_value(f, test->kid[1], &to))
        return false;
    t->up = step > 0;
    t->threads = t->up ? to : 2 * from;
    if (t->up)
        return from == 1 && (strcmp(test->text, "<") == 0);
    return (strcmp(test->text, ">") == 0 && to == 0) ||
           (strcmp(test->text, ">=") == 0 && to == 1) || (strcmp(test->text, "!=") == 0 && to == 0);
}

static struct ks_poly symbol_of(const char *name, int64_t factor)
{
    struct ks_poly p = ks_poly_symbol(name), c = ks_poly_constant(factor);
    return ks_poly_product(&p, &c);
}

// s[at]: the array's name, with the element in *at.
static const char *element(const struct ks_affine *env, const struct ks_node *e, struct ks_poly *at)
{
    if (e->kind != KS_N_INDEX || e->kid[0]->kind != KS_N_NAME)
        return NULL;
    *at = ks_affine_eval(env, e->kid[1]);
    return e->kid[0]->text;
}

// Whether `own` and `other` are elements of one array, half apart; `own` is the thread's, or, in
// trees that count upwards, twice the thread's number times half.
static bool is_pair(const struct finder *f, const struct ks_tree *t, const struct ks_node *own,
                    const struct ks_node *other, bool *spread)
{
    struct ks_poly a, b, thread = ks_poly_symbol("threadIdx.x"), half = ks_poly_symbol(t->half);
    const char *x = element(&f->env, own, &a), *y = element(&f->env, other, &b);
    struct ks_poly product = ks_poly_product(&thread, &half), two = ks_poly_constant(2);
    product = ks_poly_product(&product, &two);
    struct ks_poly next = ks_poly_sum(&a, &half, 1);
    if (!x || !y || strcmp(x, y) != 0 || !ks_poly_equal(&next, &b))
        return false;
    *spread = t->up && ks_poly_equal(&a, &product);
    return *spread || ks_poly_equal(&a, &thread);
}

static bool is_same(const struct finder *f, const struct ks_node *a, const struct ks_node *b)
{
    return strcmp(ks_node_text(f->s->arena, &f->s->body, a),
                  ks_node_text(f->s->arena, &f->s->body, b)) == 0;
}

static const struct ks_node *only(const struct ks_node *node)
{
    while (node->kind == KS_N_BLOCK && node->n == 1)
        node = node->kid[0];
    return node;
}

// "s[t] += s[t + h]" and so on; NULL, or why not.
static const char *read_update(const struct finder *f, struct ks_tree *t, const struct ks_node *node,
                               bool *spread)
{
    static const char *const functions[] = {"max", "min", "fmaxf", "fminf", "fmax", "fmin", NULL};
    static const char *const operators[] = {"+", "*", "|", "&", "^", NULL};
    struct ks_tree_update u = {.front = "", .behind = ""};
    const struct ks_node *own, *other = NULL, *value;
    if (t->n == KS_TREE_UPDATES)
        return refuse(f, node, "more arrays in one tree than four");
    if (node->kind == KS_N_IF && node->n == 2) { // if (s[t + h] > s[t]) s[t] = s[t + h];
        const struct ks_node *test = node->kid[0], *set = only(node->kid[1]);
        set = set->kind == KS_N_EXPR ? set->kid[0] : set;
        if (!ks_node_is(set, KS_N_ASSIGN, "=") || test->kind != KS_N_BINARY ||
            !strchr("<>", test->text[0]))
            return refuse(f, node, "a level that is no update of pairs");
        own = set->kid[0];
        other = set->kid[1];
        bool left = is_same(f, test->kid[0], other) && is_same(f, test->kid[1], own);
        if (!left && !(is_same(f, test->kid[1], other) && is_same(f, test->kid[0], own)))
            return refuse(f, node, "a level that is no update of pairs");
        u.pick = (test->text[0] == '>') == left ? ">" : "<";
    } else {
        const struct ks_node *set = node->kind == KS_N_EXPR ? node->kid[0] : node;
        if (set->kind != KS_N_ASSIGN)
            return refuse(f, node, "a level that is no update of pairs");
        own = set->kid[0];
        value = set->kid[1];
        char op[2] = {set->text[0], '\0'};
        if (strcmp(set->text, "=") != 0) {
            other = value;
        } else if (value->kind == KS_N_CALL && value->n == 3 && value->kid[0]->kind == KS_N_NAME) {
            for (int i = 0; functions[i]; i++)
                if (strcmp(value->kid[0]->text, functions[i]) == 0)
                    u.front = ks_arena_printf(f->s->arena, "%s(", functions[i]);
            u.between = *u.front ? ", " : NULL;
            u.behind = ")";
            other = value->kid[1 + is_same(f, value->kid[1], own)];
            if (!is_same(f, value->kid[1], own) && !is_same(f, value->kid[2], own))
                other = NULL;
        } else if (value->kind == KS_N_BINARY && strlen(value->text) == 1) {
            op[0] = value->text[0];
            bool first = is_same(f, value->kid[0], own);
            other = first || is_same(f, value->kid[1], own) ? value->kid[first] : NULL;
        }
        for (int i = 0; operators[i] && !u.between && value->kind != KS_N_CALL; i++)
            if (strcmp(op, operators[i]) == 0)
                u.between = ks_arena_printf(f->s->arena, " %s ", operators[i]);
        if (!u.between && value->kind != KS_N_CALL && strcmp(set->text, "=") != 0)
            return refuse(f, node, "an operation whose order is not free");
    }
    if (!other || (!u.pick && !u.between) || !is_pair(f, t, own, other, spread))
        return refuse(f, node, "a level that is no update of pairs");
    u.array = own->kid[0]->text;
    t->update[t->n++] = u;
    return NULL;
}

// Which threads work on a level: "t < h", "t % (2 * h) == 0", or with spread pairs "2 * h * t < n".
static bool is_level_test(const struct finder *f, const struct ks_tree *t, const struct ks_node *test,
                          bool spread)
{
    struct ks_poly thread = ks_poly_symbol("threadIdx.x"), half = ks_poly_symbol(t->half);
    struct ks_poly two = symbol_of(t->half, 2);
    int64_t value;
    if (test->kind != KS_N_BINARY)
        return false;
    struct ks_poly a = ks_affine_eval(&f->env, test->kid[0]),
                   b = ks_affine_eval(&f->env, test->kid[1]);
    if (!t->up)
        return (strcmp(test->text, "<") == 0 && ks_poly_equal(&a, &thread) &&
                ks_poly_equal(&b, &half)) ||
               (strcmp(test->text, ">") == 0 && ks_poly_equal(&b, &thread) &&
                ks_poly_equal(&a, &half));
    if (spread) {
        struct ks_poly all = ks_poly_product(&thread, &two);
        return strcmp(test->text, "<") == 0 && ks_poly_equal(&a, &all) &&
               known_value(f, test->kid[1], &value) && value == t->threads;
    }
    const struct ks_node *rest = test->kid[0];
    if (strcmp(test->text, "==") != 0 || !ks_node_is(rest, KS_N_BINARY, "%") ||
        !known_value(f, test->kid[1], &value) || value != 0)
        return false;
    a = ks_affine_eval(&f->env, rest->kid[0]);
    b = ks_affine_eval(&f->env, rest->kid[1]);
    return ks_poly_equal(&a, &thread) && ks_poly_equal(&b, &two);
}

// The loop as a tree; NULL, or why it is none.
static const char *read_tree(struct finder *f, struct ks_tree *t)
{
    struct ks_node *body = t->loop->kid[3], *work = NULL;
    struct ks_affine before = f->env;
    const char *why = NULL;
    bool barrier = false, spread = false;
    if (!read_header(f, t))
        return refuse(f, t->loop, "the loop does not halve or double a known number");
    if (t->threads < 2 || t->threads > 1024 || (t->threads & (t->threads - 1)) != 0)
        return refuse(f, t->loop, "the tree's width is no power of two up to 1024");
    f->env.cap = f->env.len;
    struct ks_affine_local *local = ks_vec_push(f->s->arena, &f->env);
    *local = (struct ks_affine_local){
        .name = t->half, .value = ks_poly_symbol(t->half), .var = t->loop, .loop = true};
    for (size_t i = 0; !why && body->kind == KS_N_BLOCK && i < body->n; i++) {
        struct ks_node *node = body->kid[i];
        if (is_barrier(node)) {
            t->meets_first = !work;
            barrier = true;
        } else if (node->kind == KS_N_DECL) {
            ks_affine_declare(&f->env, node, false);
        } else if (node->kind == KS_N_IF && node->n == 2 && !work) {
            work = node;
        } else {
            why = refuse(f, node, "more than one level's work in the loop");
        }
    }
    if (!why && (!work || !barrier))
        why = refuse(f, t->loop, "a loop without a barrier and one level's work");
    struct ks_node *one = work ? work->kid[1] : NULL;
    for (size_t i = 0; !why && one && i < (one->kind == KS_N_BLOCK ? one->n : 1); i++)
        why = read_update(f, t, one->kind == KS_N_BLOCK ? one->kid[i] : one, &spread);
    if (!why && !is_level_test(f, t, work->kid[0], spread))
        why = refuse(f, work, "other threads work on a level than the tree's");
    f->env = before;
    f->env.cap = f->env.len;
    return why;
}

const char *ks_tree_read(struct ks_subject *s, const struct ks_affine *env, struct ks_node *loop,
                         struct ks_tree *tree)
{
    struct finder f = {.s = s, .env = *env};
    *tree = (struct ks_tree){.loop = loop};
    return read_tree(&f, tree);
}

struct uses {
    const struct finder *f;
    const char *array;
    size_t from;
    bool renewed;                // every thread stored its element anew
    const struct ks_node *found; // a read of another element than the first
    const struct ks_node *target;
};

static bool visit_uses(void *context, struct ks_node *node)
{
    struct uses *u = context;
    struct ks_poly at, zero = ks_poly_constant(0), thread = ks_poly_symbol("threadIdx.x");
    if (node->end <= u->from || u->renewed || u->found)
        return false;
    if (node->begin < u->from)
        return true;
    if (ks_node_is(node, KS_N_ASSIGN, "=")) {
        const char *name = element(&u->f->all, node->kid[0], &at);
        if (name && strcmp(name, u->array) == 0 && ks_poly_equal(&at, &thread)) {
            ks_node_walk(node->kid[1], visit_uses, u);
            u->renewed = true;
            return false;
        }
    }
    const char *name = element(&u->f->all, node, &at);
    if (name && strcmp(name, u->array) == 0) {
        if (!ks_poly_equal(&at, &zero))
            u->found = node;
        return false;
    }
    if (ks_node_is(node, KS_N_NAME, u->array))
        u->found = node;
    return !u->found;
}

static const struct ks_node *shared_declaration(const struct finder *f, const char *name,
                                                size_t before)
{
    const struct ks_node *decl = ks_loop_declaration(f->s->body.block, name, before);
    return decl && decl->shared ? decl : NULL;
}

// What is written in place of the loop.
static char *shuffles(const struct finder *f, const struct ks_tree *t)
{
    struct ks_arena *arena = f->s->arena;
    int warps = (int)(t->threads / 32);
    struct ks_buf out = KS_BUF(1 << 16);
    ks_buf_printf(&out, "{%s\n", t->meets_first ? " __syncthreads();" : "");
    for (int round = 0; round < 2; round++) {
        int width = round ? warps : 32;
        if (round)
            ks_buf_puts(&out, "if (threadIdx.x < 32) {\n");
        for (int i = 0; i < t->n; i++) {
            const struct ks_tree_update *u = &t->update[i];
            const char *other =
                ks_arena_printf(arena, "__shfl_down_sync(0xffffffffu, opt_own%d, opt_step)", i);
            ks_buf_printf(&out, "%sopt_own%d = %s[threadIdx.x%s];\n",
                          round ? "" : ks_arena_printf(arena, "auto "), i, u->array,
                          round ? ks_arena_printf(arena, " %% %d", warps) : "");
            ks_buf_printf(&out, "for (int opt_step = %d; opt_step > 0; opt_step /= 2) {\n",
                          width / 2);
            if (u->pick)
                ks_buf_printf(&out,
                              "const auto opt_other = %s;\nif (opt_other %s opt_own%d)\nopt_own%d "
                              "= opt_other;\n",
                              other, u->pick, i, i);
            else
                ks_buf_printf(&out, "opt_own%d = %sopt_own%d%s%s%s;\n", i, u->front, i, u->between,
                              other, u->behind);
            ks_buf_puts(&out, "}\n");
        }
        if (!round)
            ks_buf_puts(&out, "__syncthreads();\nif (threadIdx.x % 32 == 0) {\n");
        else
            ks_buf_puts(&out, "__syncwarp();\nif (threadIdx.x == 0) {\n");
        for (int i = 0; i < t->n; i++)
            ks_buf_printf(&out, "%s[%s] = opt_own%d;\n", t->update[i].array,
                          round ? "0" : "threadIdx.x / 32", i);
        ks_buf_puts(&out, round ? "}\n}\n__syncthreads();\n}" : "}\n__syncthreads();\n");
    }
    char *text = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

static const char *replace(struct finder *f, struct ks_node *loop)
{
    struct ks_tree t = {.loop = loop};
    const char *why = read_tree(f, &t);
    if (why)
        return why;
    if (t.threads < 64)
        return refuse(f, loop, "the tree is narrower than two warps");
    if (f->threads && f->threads != t.threads)
        return refuse(f, loop, "trees of two widths");
    for (int i = 0; i < t.n; i++) {
        struct uses u = {.f = f, .array = t.update[i].array, .from = loop->end};
        if (!shared_declaration(f, u.array, loop->begin))
            return refuse(f, loop,
                          ks_arena_printf(f->s->arena, "%s is not in shared memory", u.array));
        ks_node_walk(f->s->body.block, visit_uses, &u);
        if (u.found)
            return refuse(f, u.found, "more than the tree's first element is read behind it");
    }
    f->threads = t.threads;
    f->done++;
    ks_edit_add(f->s->arena, &f->s->rewrites, ks_node_front(&f->s->body, loop), loop->end,
                shuffles(f, &t));
    return NULL;
}

static bool visit(void *context, struct ks_node *node)
{
    struct finder *f = context;
    if (node->kind == KS_N_DECL)
        ks_affine_declare(&f->env, node, false);
    if (node->kind != KS_N_FOR || !ks_node_find(node, KS_N_NAME, "__syncthreads"))
        return true;
    const char *why = replace(f, node);
    if (why)
        f->why = why;
    return why != NULL;
}

static bool visit_declarations(void *context, struct ks_node *node)
{
    struct finder *f = context;
    if (node->kind == KS_N_DECL)
        ks_affine_declare(&f->all, node, false);
    return true;
}

enum ks_status ks_tree_rewrite(struct ks_subject *s, struct ks_err *err)
{
    struct finder f = {.s = s};
    ks_affine_begin(s->arena, s->body.block, &f.env);
    ks_affine_begin(s->arena, s->body.block, &f.all);
    ks_node_walk(s->body.block, visit_declarations, &f);
    ks_node_walk(s->body.block, visit, &f);
    if (f.done == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s",
                f.why ? f.why
                      : ks_arena_printf(s->arena, "line %d: no loop with a barrier in it",
                                        s->decl->line));
    s->guard = ks_arena_printf(s->arena, "block.x == %lld && block.y == 1 && block.z == 1",
                               (long long)f.threads);
    return KS_OK;
}
