#include "engine/fold.h"

#include <string.h>

#include "engine/folder.h"

static enum ks_scalar scalar_of(const struct ks_folder *f, const char *text)
{
    struct ks_type type = ks_type_parse(f->s->arena, ks_slice_of(text));
    return type.pointer || type.elem.lanes != 1 ? KS_T_NONE : type.elem.scalar;
}

// Variables in shared memory become the one thread's own; an array, which is left with the element that holds the
// block's value, a variable.
static void declare_shared(struct ks_folder *f, struct ks_node *decl)
{
    struct ks_buf text = KS_BUF(1 << 12);
    enum ks_scalar type = scalar_of(f, decl->text);
    if (f->rows)
        ks_fold_refuse(f, decl, "warps of a block share memory");
    for (size_t i = 0; i < decl->n; i++) {
        const struct ks_node *var = decl->kid[i];
        struct ks_fold_value *value = ks_fold_declare(f, var->text, type);
        value->shared = true;
        value->array = var->n == 1;
        if (decl->is_extern && f->externs++ > 0)
            ks_fold_refuse(f, var, "arrays that lie in one place of shared memory");
        if (var->n > 1 || var->pointer || var->reference || var->init || type == KS_T_NONE)
            ks_fold_refuse(f, var, "%s in shared memory is no number or row of numbers", var->text);
        if (ks_node_mentions(f->s->body.block, var->text))
            ks_buf_printf(&text, "%s %s; ", ks_scalar_c_name(type), var->text);
    }
    ks_edit_add(f->s->arena, f->edits, decl->begin, decl->end, ks_arena_strdup(f->s->arena, ks_buf_text(&text)));
    ks_buf_free(&text);
}

// The variable takes the value, as far as that is known.
static void take(struct ks_folder *f, struct ks_fold_value *to, struct ks_fold_value from)
{
    bool part = from.kind > KS_FOLD_FIRST && from.kind < KS_FOLD_OWN, few = f->first || f->warp;
    bool lost = from.kind == KS_FOLD_OWN ||
                (part && (from.type != to->type || f->first || (f->warp && from.kind != KS_FOLD_LANES)));
    to->kind = lost || part ? from.kind : to->shared ? KS_FOLD_SAME : few ? KS_FOLD_FIRST : from.kind;
    to->kind = lost ? KS_FOLD_OWN : to->kind;
    to->reason = from.kind == KS_FOLD_OWN ? f->reason : NULL;
    to->op = from.op;
    to->literal = from.literal;
    to->whole = from.whole && from.type == to->type;
}

static void declaration(struct ks_folder *f, struct ks_node *decl)
{
    if (decl->shared) {
        declare_shared(f, decl);
        return;
    }
    for (size_t i = 0; i < decl->n; i++) {
        struct ks_node *var = decl->kid[i];
        struct ks_fold_value from = {.kind = KS_FOLD_OWN};
        if (var->reference || decl->is_static)
            ks_fold_refuse(f, var, "%s is static, or another's name", var->text);
        f->reason = NULL;
        if (var->init)
            from = ks_fold_eval(f, var->init);
        take(f, ks_fold_declare(f, var->text, scalar_of(f, decl->text)), from);
    }
    ks_loop_declare(&f->env, decl);
}

// part[threadIdx.x] = value; part[0] = value;
static void set_element(struct ks_folder *f, const struct ks_node *set, struct ks_fold_value *array)
{
    const struct ks_node *target = set->kid[0];
    struct ks_poly at = ks_affine_eval(&f->env, target->kid[1]), zero = ks_poly_constant(0);
    struct ks_fold_value from = ks_fold_eval(f, set->kid[1]);
    bool few = f->first || f->warp || f->leads, first = f->first && ks_poly_equal(&at, &zero);
    bool own = !few && ks_fold_is_thread(f, target->kid[1]), leads = f->leads && ks_fold_is_warp(f, target->kid[1]);
    int wanted = leads ? KS_FOLD_WARP : KS_FOLD_PART;
    if (strcmp(set->text, "=") != 0 || !(own || first || leads))
        ks_fold_refuse(f, set, "an element of %s other than the thread's own is set", array->name);
    else if (first ? from.kind > KS_FOLD_FIRST : (int)from.kind != wanted || from.type != array->type)
        ks_fold_refuse(f, set, "what goes to %s is no value that the block combines", array->name);
    take(f, array, from);
    array->kind = first ? KS_FOLD_SAME : leads ? KS_FOLD_WARP : KS_FOLD_PART;
    ks_edit_add(f->s->arena, f->edits, target->begin, target->end, array->name);
}

// A variable of the thread's own, or one in shared memory.
static void set_variable(struct ks_folder *f, const struct ks_node *node, struct ks_fold_value *to)
{
    const struct ks_node *set = node->kid[0];
    bool plain = ks_node_is(set, KS_N_ASSIGN, "="), one = set->n == 1;
    f->reason = NULL;
    struct ks_fold_value from = one ? (struct ks_fold_value){.kind = KS_FOLD_SAME} : ks_fold_eval(f, set->kid[1]);
    if (to->shared && from.kind > (f->first ? KS_FOLD_FIRST : KS_FOLD_SAME))
        ks_fold_refuse(f, set, "threads set %s to values of their own", to->name);
    if (to->shared && !plain && !f->first)
        ks_fold_refuse(f, set, "all threads change %s", to->name);
    if (!plain) {
        from.kind = to->kind > from.kind ? to->kind : from.kind;
        from.kind = from.kind == KS_FOLD_PART ? KS_FOLD_OWN : from.kind;
        from.literal = NULL;
        from.whole = false;
    }
    const struct ks_node *call = plain ? set->kid[1] : NULL;
    if (call && call->kind == KS_N_CALL && call->n == 2 && ks_node_is(call->kid[1], KS_N_NAME, to->name) &&
        from.type != KS_T_NONE)
        ks_fold_erase(f, node); // s = block_sum(s);
    take(f, to, from);
}

static void store(struct ks_folder *f, const struct ks_node *set)
{
    const struct ks_node *target = set->kid[0];
    if (f->depth > 0)
        ks_fold_refuse(f, set, "a function stores");
    if (!f->first && !ks_node_is(set, KS_N_ASSIGN, "="))
        ks_fold_refuse(f, set, "all threads change memory");
    for (size_t i = 0; i < target->n; i++)
        ks_fold_same(f, target->kid[i]);
    if (set->n > 1)
        ks_fold_same(f, set->kid[1]);
}

static void effect(struct ks_folder *f, const struct ks_node *node)
{
    const struct ks_node *e = node->kid[0], *target = e->n > 0 ? e->kid[0] : e;
    const char *function = e->kind == KS_N_CALL && target->kind == KS_N_NAME ? target->text : "";
    bool changes = e->kind == KS_N_ASSIGN || e->kind == KS_N_POSTFIX ||
                   (e->kind == KS_N_UNARY && (strcmp(e->text, "++") == 0 || strcmp(e->text, "--") == 0));
    struct ks_fold_value *value = NULL;
    if (strcmp(function, "__syncthreads") == 0 || strcmp(function, "__syncwarp") == 0) {
        if ((f->first || f->warp || f->leads || f->rows) && strcmp(function, "__syncthreads") == 0)
            ks_fold_refuse(f, node, "a barrier that not all threads reach");
        ks_fold_erase(f, node);
        return;
    }
    if (ks_starts_with(function, "atomic") && f->first && f->depth == 0) {
        for (size_t i = 1; i < e->n; i++)
            ks_fold_same(f, i == 1 && ks_node_is(e->kid[i], KS_N_UNARY, "&") ? e->kid[i]->kid[0] : e->kid[i]);
        return;
    }
    if (!changes) {
        ks_fold_refuse(f, node, "a statement that is no assignment");
        return;
    }
    const struct ks_node *base = target->kind == KS_N_INDEX ? target->kid[0] : target;
    value = base->kind == KS_N_NAME ? ks_fold_find(f, base->text) : NULL;
    if (value && value->array && target->kind == KS_N_INDEX)
        set_element(f, e, value);
    else if (f->leads)
        ks_fold_refuse(f, node, "the first lanes of warps do more than to hand on what their warps have");
    else if (value && target->kind == KS_N_NAME && !value->array)
        set_variable(f, node, value);
    else
        store(f, e);
}

static void statement(struct ks_folder *f, struct ks_node *node);

// Leaves the scope that began with so many declarations.
static void leave(struct ks_folder *f, size_t values, size_t env)
{
    f->values.len = values;
    f->env.len = env;
}

static void scope(struct ks_folder *f, struct ks_node *node)
{
    size_t values = f->values.len, env = f->env.len;
    f->alone = node->kind != KS_N_BLOCK;
    if (f->alone)
        statement(f, node);
    else
        ks_fold_statements(f, node->kid, node->n);
    leave(f, values, env);
}

static struct ks_fold_value *kept(const struct ks_folder *f)
{
    return ks_arena_memdup(f->s->arena, f->values.at, f->values.len * sizeof *f->values.at);
}

// What may have gone the one way or the other; true where that is what stands there.
static bool join(struct ks_folder *f, const struct ks_fold_value *other)
{
    bool same = true;
    for (size_t i = 0; i < f->values.len; i++) {
        struct ks_fold_value *v = &f->values.at[i], both = ks_fold_join(v, &other[i]);
        same = same && both.kind == v->kind && both.op == v->op && both.literal == v->literal && both.whole == v->whole;
        *v = both;
    }
    return same;
}

// threadIdx.x == 0, in its spellings.
static bool is_first(const struct ks_folder *f, const struct ks_node *test)
{
    struct ks_poly zero = ks_poly_constant(0), one = ks_poly_constant(1), b;
    if (ks_node_is(test, KS_N_UNARY, "!"))
        return ks_fold_is_thread(f, test->kid[0]);
    if (test->kind != KS_N_BINARY || !ks_fold_is_thread(f, test->kid[0]))
        return false;
    b = ks_affine_eval(&f->env, test->kid[1]);
    return (strcmp(test->text, "==") == 0 && ks_poly_equal(&b, &zero)) ||
           (strcmp(test->text, "<") == 0 && ks_poly_equal(&b, &one));
}

// What the first thread, the first warp or the first lane of each does; false where it is none of these.
static bool for_few(struct ks_folder *f, struct ks_node *node)
{
    const struct ks_node *test = node->kid[0];
    bool leads = ks_fold_leads(f, test), *who = is_first(f, test) || (f->warp && leads) ? &f->first
                                                : leads                                ? &f->leads
                                                : !f->warp && ks_fold_first_warp(f, test) ? &f->warp
                                                                                          : NULL;
    if (!who)
        return false;
    ks_edit_add(f->s->arena, f->edits, node->begin, node->kid[1]->begin, "");
    *who = true;
    scope(f, node->kid[1]);
    *who = false;
    return true;
}

static void branch(struct ks_folder *f, struct ks_node *node)
{
    bool left = false;
    struct ks_fold_value *before = kept(f), *after;
    if (!f->first && node->n == 2 && for_few(f, node))
        return;
    if (!ks_fold_same(f, node->kid[0]))
        return;
    scope(f, node->kid[1]);
    left = f->left;
    f->left = false;
    after = kept(f);
    if (f->values.len > 0)
        memcpy(f->values.at, before, f->values.len * sizeof *before);
    if (node->n > 2)
        scope(f, node->kid[2]);
    if (f->left && f->values.len > 0)
        memcpy(f->values.at, after, f->values.len * sizeof *after);
    else if (!left)
        join(f, after);
    f->left = f->left && left;
}

// A loop that all threads go through alike: what holds in front of a turn holds behind it.
static void common_loop(struct ks_folder *f, struct ks_node *node)
{
    enum { TRIES = 4 };
    size_t values = f->values.len, env = f->env.len;
    f->alone = true;
    statement(f, node->kid[0]);
    if (node->kid[0]->kind == KS_N_DECL)
        ks_loop_enter(&f->env, node);
    size_t edits = f->edits->len;
    int folded = f->folded;
    for (int i = 0; i < TRIES && !f->why; i++) {
        struct ks_fold_value *before = kept(f);
        size_t inner = f->values.len;
        f->edits->len = edits;
        f->folded = folded;
        if (node->kid[1]->kind != KS_N_EMPTY)
            ks_fold_same(f, node->kid[1]);
        scope(f, node->kid[3]);
        struct ks_node step = {.kind = KS_N_EXPR, .line = node->line, .begin = node->kid[2]->begin, .end = node->kid[2]->end,
                               .kid = &node->kid[2], .n = 1};
        if (node->kid[2]->kind != KS_N_EMPTY)
            effect(f, &step);
        if (f->values.len != inner || f->left)
            break;
        struct ks_fold_value *after = kept(f);
        memcpy(f->values.at, before, inner * sizeof *before);
        if (join(f, after)) {
            leave(f, values, env);
            return;
        }
    }
    ks_fold_refuse(f, node, "what a turn of the loop leaves to the next is not known");
}

static void statement(struct ks_folder *f, struct ks_node *node)
{
    if (f->leads && node->kind != KS_N_EXPR && node->kind != KS_N_BLOCK)
        ks_fold_refuse(f, node, "the first lanes of warps do more than to hand on what their warps have");
    switch (node->kind) {
    case KS_N_DECL:
        declaration(f, node);
        return;
    case KS_N_EXPR:
        effect(f, node);
        return;
    case KS_N_IF:
        branch(f, node);
        return;
    case KS_N_BLOCK:
        scope(f, node);
        return;
    case KS_N_FOR:
        if (ks_fold_shuffles(f, node))
            ks_fold_erase(f, node);
        else if (!ks_fold_tree(f, node) && !ks_fold_shared_loop(f, node))
            common_loop(f, node);
        return;
    case KS_N_RETURN:
        if (f->first || f->warp)
            ks_fold_refuse(f, node, "not all threads return");
        f->left = true;
        return;
    case KS_N_EMPTY:
        return;
    default:
        ks_fold_refuse(f, node, "a loop without a counter, or what leaves a loop");
    }
}

void ks_fold_statements(struct ks_folder *f, struct ks_node *const *nodes, size_t n)
{
    for (size_t i = 0; i < n && !f->why; i++) {
        f->alone = false;
        statement(f, nodes[i]);
    }
}

static bool visit_number(void *context, struct ks_node *node)
{
    bool *found = context;
    *found = *found || (ks_node_is(node, KS_N_MEMBER, "x") && ks_node_is(node->kid[0], KS_N_NAME, "blockIdx"));
    return !*found;
}

static bool numbers_blocks(const struct ks_subject *s)
{
    bool found = false;
    ks_node_walk(s->body.block, visit_number, &found);
    return found;
}

static struct ks_folder folded(struct ks_subject *s, struct ks_fold_functions *functions, struct ks_edit_list *edits,
                               bool rows, bool lines)
{
    struct ks_folder f = {.s = s, .edits = edits, .functions = functions, .rows = rows, .warps = rows, .lines = lines};
    ks_affine_begin(s->arena, s->body.block, &f.env);
    for (size_t i = 0; i < s->decl->n_params; i++) {
        const struct ks_type *type = &s->decl->params[i].type;
        ks_fold_declare(&f, s->decl->params[i].name, type->pointer ? KS_T_NONE : type->elem.scalar)->kind = KS_FOLD_SAME;
    }
    ks_fold_statements(&f, s->body.block->kid, s->body.block->n);
    return f;
}

enum ks_status ks_fold_threads(struct ks_subject *s, struct ks_edit_list *edits, struct ks_err *err)
{
    const struct ks_brief *brief = s->brief;
    bool lines = brief->n_problems > 0 && brief->problems[0].block[0] == 32 && brief->problems[0].block[1] > 1;
    struct ks_fold_functions functions = {0}, of_warps = {0};
    struct ks_edit_list by_warps = {0};
    struct ks_folder f = folded(s, &functions, edits, false, false);
    if (f.why && !s->numbered) { // where blocks are none, their warps may be
        struct ks_folder rows = folded(s, &of_warps, &by_warps, true, lines);
        if (rows.numbered) {
            f = rows;
            *edits = by_warps;
            s->warps = lines ? "grid.x * block.y" : "grid.x * (block.x / 32)";
        }
    }
    if (f.why)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", f.why);
    if (f.folded == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: threads of a block share no loop", s->decl->line);
    const char *warps = f.lines ? "block.x == 32 && " : f.warps ? "block.x % 32 == 0 && " : "";
    const char *size = f.threads ? ks_arena_printf(s->arena, "block.%c == %lld && ", f.lines ? 'y' : 'x', (long long)f.threads) : "";
    const char *one = ks_arena_printf(s->arena, "%s%s%sblock.z == 1", warps, size, f.lines ? "" : "block.y == 1 && ");
    if (!numbers_blocks(s)) { // a map has a number in x
        size_t front = s->body.block->begin + 1;
        ks_edit_add(s->arena, edits, front, front, "\n    if (blockIdx.x > 0)\n        return;");
        one = ks_arena_printf(s->arena, "%s && grid.x == 1", one);
    }
    s->asks = s->asks ? ks_arena_printf(s->arena, "%s && %s", s->asks, one) : one;
    s->folded = f.folded;
    return KS_OK;
}
