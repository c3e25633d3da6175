#include "engine/tail_expr.h"

#include <string.h>

#include "base/num.h"
#include "engine/functions.h"
#include "engine/loop.h"

enum { DEEPEST = 40 };

static const char *refuse(struct ks_tail_reader *t, const struct ks_node *at, const char *what)
{
    if (t->why == NULL)
        t->why = ks_arena_printf(t->arena, "line %d: %s", at->line, what);
    return NULL;
}

static const char **slot_of(struct ks_tail_reader *t, const char *name)
{
    for (size_t i = t->env.n; i-- > 0;)
        if (strcmp(t->env.name[i], name) == 0)
            return &t->env.value[i];
    return NULL;
}

const char *ks_tail_value(const struct ks_tail_reader *t, const char *name)
{
    const char **slot = slot_of((struct ks_tail_reader *)(uintptr_t)t, name);
    return slot ? *slot : NULL;
}

bool ks_tail_knows(const struct ks_tail_reader *t, const char *name)
{
    return ks_tail_value(t, name) != NULL;
}

bool ks_tail_param(const struct ks_tail_reader *t, const char *name, size_t *param)
{
    for (*param = 0; *param < t->decl->n_params; ++*param)
        if (strcmp(t->decl->params[*param].name, name) == 0)
            return !ks_loop_declaration(t->body.block, name, SIZE_MAX);
    return false;
}

const char *ks_tail_let(struct ks_tail_reader *t, const char *value)
{
    const char *name = ks_arena_printf(t->arena, "tail_v%d", t->n_lets++);
    ks_buf_printf(&t->lets, "let %s = %s: ", name, value);
    return name;
}

void ks_tail_set(struct ks_tail_reader *t, const char *name, const char *value)
{
    const char **slot = slot_of(t, name);
    const char *let = ks_tail_let(t, value);
    if (!slot && t->env.n < KS_TAIL_NAMES) {
        t->env.name[t->env.n] = name;
        slot = &t->env.value[t->env.n++];
    }
    if (slot)
        *slot = let;
}

// ---- names

struct change {
    const char *name;
    size_t before;
    bool summed; // loops before that one add to it as well: of a thread's share, which the last one combines
    bool found;
};

static bool visit_change(void *context, struct ks_node *node)
{
    struct change *c = context;
    if (c->summed && ks_node_is_loop(node) && node->end <= c->before)
        return false;
    if (node->kind == KS_N_EXPR && node->end <= c->before)
        c->found |= ks_node_changes(node, c->name);
    return !c->found;
}

// A variable from before the loop: what the loop left, or a value that stays.
static const char *outer(struct ks_tail_reader *t, const struct ks_node *at)
{
    const char *name = at->text;
    for (size_t i = 0; i < t->outer.n; i++)
        if (strcmp(t->outer.name[i], name) == 0)
            return t->outer.value[i];
    const size_t begin = t->loop ? t->loop->begin : t->cut.from;
    const struct ks_node *decl = ks_loop_declaration(t->body.block, name, begin), *var = NULL;
    const bool left = t->loop && ks_node_changes((struct ks_node *)(uintptr_t)t->loop, name);
    struct change early = {name, begin, left, !t->loop && ks_node_changes(t->body.block, name)};
    for (size_t i = 0; decl && i < decl->n; i++)
        if (strcmp(decl->kid[i]->text, name) == 0)
            var = decl->kid[i];
    ks_node_walk(t->body.block, visit_change, &early);
    if (!var || !var->init || var->n > 0 || var->pointer || var->reference || decl->shared ||
        early.found)
        return refuse(t, at, "a name behind the loop is no variable with one value");
    // What a sum is added to in memory is the template's: a form that adds to it has it.
    const bool added = left && t->stored && var->init->kind == KS_N_INDEX && ks_node_is(var->init->kid[0], KS_N_NAME, t->stored);
    const char *value = added ? "0" : ks_tail_formula(t, var->init);
    if (!value)
        return NULL;
    char *text = ks_edit_apply(t->arena, &t->edits, t->body.text, var->init->begin, var->init->end);
    if (left) {
        if (t->accumulator)
            return refuse(t, at, "the loop leaves two variables");
        t->accumulator = name;
        ks_buf_printf(&t->front, "    %s %s = its_sum", decl->text, name);
        if (strcmp(value, "0") != 0)
            ks_buf_printf(&t->front, " + (%s)", text);
        ks_buf_puts(&t->front, ";\n");
        value = ks_arena_printf(t->arena, "(@sum@ + %s)", value);
    } else {
        ks_buf_printf(&t->front, "    auto %s = %s;\n", name, text);
    }
    ks_tail_set(t, name, value);
    const char **slot = slot_of(t, name);
    if (!slot || t->outer.n == KS_TAIL_NAMES)
        return refuse(t, at, "too many variables behind the loop");
    t->outer.name[t->outer.n] = name;
    t->outer.value[t->outer.n++] = *slot;
    return *slot;
}

static const char *name(struct ks_tail_reader *t, const struct ks_node *e)
{
    size_t param;
    const char **slot = slot_of(t, e->text);
    if (slot)
        return *slot;
    if (t->inlining)
        return refuse(t, e, "a function behind the loop uses other names than its arguments");
    if (!ks_tail_param(t, e->text, &param))
        return outer(t, e);
    if (t->brief->signature->params[param].pointer)
        return refuse(t, e, "a pointer is used behind the loop");
    size_t i = 0;
    while (i < t->tail->n_scalars && t->tail->scalars[i] != param)
        i++;
    if (i == KS_TAIL_SCALARS)
        return refuse(t, e, "too many parameters behind the loop");
    t->tail->scalars[i] = param;
    t->tail->n_scalars += i == t->tail->n_scalars;
    return ks_arena_printf(t->arena, "tail_%zu", param);
}

// ---- reads

static bool is_behind(const struct ks_tail_reader *t, const struct ks_node *e)
{
    return !t->inlining && t->loop && e->begin >= t->loop->end;
}

static const char *element(struct ks_tail_reader *t, const struct ks_node *e,
                           const struct ks_node *whole)
{
    size_t param, i = 0;
    const char *shared = ks_tail_shares(t, e);
    if (shared)
        return shared;
    if (t->inlining || e->kid[0]->kind != KS_N_NAME || !ks_tail_param(t, e->kid[0]->text, &param))
        return refuse(t, e, "an element of no parameter is read behind the loop");
    const char *index = ks_node_text(t->arena, &t->body, e->kid[1]);
    while (i < t->tail->n_reads &&
           (t->tail->reads[i].param != param || strcmp(t->tail->reads[i].index, index) != 0))
        i++;
    if (i == KS_TAIL_READS)
        return refuse(t, e, "too many arrays are read behind the loop");
    t->tail->reads[i] = (struct ks_tail_read){param, index};
    t->tail->n_reads += i == t->tail->n_reads;
    ks_edit_add(t->arena, &t->edits, whole->begin, whole->end,
                ks_arena_printf(t->arena, "its_read%zu", i));
    return ks_arena_printf(t->arena, "@read%zu@", i);
}

// ---- functions

// The names of "const float u, float v".
static size_t names_of(struct ks_arena *arena, const char *params, const char *names[4])
{
    size_t n = 0;
    for (const char *at = params; n < 4; n++) {
        size_t len = strcspn(at, ",");
        const char *end = at + len;
        while (end > at && !ks_is_ident(end[-1]))
            end--;
        const char *from = end;
        while (from > at && ks_is_ident(from[-1]))
            from--;
        names[n] = ks_arena_strndup(arena, from, (size_t)(end - from));
        if (at[len] == '\0')
            return n + 1;
        at += len + 1;
    }
    return 0;
}

static bool exchanges(const struct ks_callee *callee)
{
    const char *body = callee->body;
    return body && callee->changes == 0 &&
           (strstr(body, "__shfl_") || strstr(body, "__reduce_") || strstr(body, "__syncthreads"));
}

// The threads of a warp or a block combine their shares there, and its value is the argument's, which
// behind the loop is what they come to. If not, no template finds the formula right.
static const char *exchanged(struct ks_tail_reader *t, const struct ks_node *call)
{
    const struct ks_node *share = call->kid[1];
    const char *value = ks_tail_formula(t, share);
    if (value)
        ks_edit_add(t->arena, &t->edits, call->begin, call->end,
                    ks_edit_apply(t->arena, &t->edits, t->body.text, share->begin, share->end));
    return value;
}

// The program's own function that is one expression.
static const char *inlined(struct ks_tail_reader *t, const struct ks_node *call)
{
    static const char head[] = "__global__ void f() ";
    const struct ks_callee *callee = ks_callee_find(&t->brief->callees, call->kid[0]->text);
    const char *names[4];
    if (callee && is_behind(t, call) && exchanges(callee))
        return exchanged(t, call);
    if (!callee || !callee->value || names_of(t->arena, callee->params, names) != call->n - 1)
        return refuse(t, call, "a function behind the loop is not known");
    struct ks_tail_env inner = {0};
    for (size_t i = 1; i < call->n; i++) {
        const char *value = ks_tail_formula(t, call->kid[i]);
        if (!value)
            return NULL;
        inner.name[inner.n] = names[i - 1];
        inner.value[inner.n++] = ks_tail_let(t, value);
    }
    const struct ks_tail_env kept =
        t->env; // arguments may have brought variables from before the loop
    const struct ks_kernel_decl decl = {.name = "f", .line = call->line, .body = sizeof head - 1};
    const char *text = ks_arena_printf(t->arena, "%s{ x = %s; }", head, callee->value);
    struct ks_body body;
    struct ks_err err = {0};
    if (ks_body_parse(t->arena, text, &decl, &t->brief->callees, &body, &err) != KS_OK ||
        body.block->n != 1 || body.block->kid[0]->kind != KS_N_EXPR ||
        body.block->kid[0]->kid[0]->kind != KS_N_ASSIGN)
        return refuse(t, call, "a function behind the loop is not understood");
    bool was = t->inlining;
    t->inlining = true;
    t->env = inner;
    const char *value = ks_tail_formula(t, body.block->kid[0]->kid[0]->kid[1]);
    t->inlining = was;
    t->env = kept;
    return value;
}

static const char *call(struct ks_tail_reader *t, const struct ks_node *e)
{
    const char *args[KS_FUNCTION_TAKES];
    if (e->kid[0]->kind != KS_N_NAME || e->n < 2)
        return refuse(t, e, "this call behind the loop is not understood");
    if (strcmp(e->kid[0]->text, "__ldg") == 0 && e->n == 2 &&
        ks_node_is(e->kid[1], KS_N_UNARY, "&") && e->kid[1]->kid[0]->kind == KS_N_INDEX)
        return element(t, e->kid[1]->kid[0], e);
    const struct ks_function *f = ks_function_find(e->kid[0]->text, e->n - 1);
    if (!f)
        return inlined(t, e);
    for (size_t i = 0; i + 1 < e->n; i++) {
        if ((args[i] = ks_tail_formula(t, e->kid[i + 1])) == NULL)
            return NULL;
        if (ks_function_repeats(f, i))
            args[i] = ks_tail_let(t, args[i]);
    }
    return ks_function_of(t->arena, f, args);
}

// ---- expressions

static const char *number(struct ks_tail_reader *t, const struct ks_node *e)
{
    char *text = ks_arena_strdup(t->arena, e->text);
    size_t n = strlen(text);
    double value;
    while (n > 1 && strchr("fFuUlL", text[n - 1]))
        text[--n] = '\0';
    return ks_parse_f64(text, &value)
               ? ks_arena_printf(t->arena, "%.17g", value)
               : refuse(t, e, "this number behind the loop is not understood");
}

static bool is_pointer(const struct ks_tail_reader *t, const struct ks_node *e)
{
    size_t param;
    return !t->inlining && e->kind == KS_N_NAME && !ks_tail_knows(t, e->text) &&
           ks_tail_param(t, e->text, &param) && t->brief->signature->params[param].pointer;
}

static bool is_null(const struct ks_node *e)
{
    return ks_node_is(e, KS_N_NAME, "nullptr") || ks_node_is(e, KS_N_NAME, "__null") ||
           ks_node_is(e, KS_N_NAME, "NULL") || ks_node_is(e, KS_N_NUMBER, "0");
}

const char *ks_tail_condition(struct ks_tail_reader *t, const struct ks_node *e)
{
    const bool compared = e->kind == KS_N_BINARY && ((is_pointer(t, e->kid[0]) && is_null(e->kid[1])) ||
                                                     (is_null(e->kid[0]) && is_pointer(t, e->kid[1])));
    const bool is_equal = compared && strcmp(e->text, "==") == 0;
    if (!is_pointer(t, e) && !is_equal && !(compared && strcmp(e->text, "!=") == 0))
        return ks_tail_formula(t, e);
    ks_edit_add(t->arena, &t->edits, e->begin, e->end, is_equal ? "false" : "true");
    return is_equal ? "0" : "1";
}

static const char *binary(struct ks_tail_reader *t, const struct ks_node *e)
{
    static const char *const known[] = {
        "+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
    const char *shared = ks_tail_shares(t, e);
    bool is = false;
    if (shared)
        return shared;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is |= strcmp(known[i], e->text) == 0;
    const char *a = is ? ks_tail_formula(t, e->kid[0]) : NULL,
               *b = a ? ks_tail_formula(t, e->kid[1]) : NULL;
    if (!is)
        return refuse(t, e, "this operation behind the loop is not known");
    return b ? ks_arena_printf(t->arena, "(%s %s %s)", a, e->text, b) : NULL;
}

// The expression that is the sum, wherever its statement has it.
static bool is_cut(struct ks_tail_reader *t, const struct ks_node *e)
{
    return t->cut.text && !t->inlining && e->begin >= t->cut.from && e->end <= t->cut.to &&
           strcmp(ks_node_text(t->arena, &t->body, e), t->cut.text) == 0;
}

static const char *expression(struct ks_tail_reader *t, const struct ks_node *e)
{
    const char *a, *b, *c;
    if (is_cut(t, e)) {
        t->accumulator = t->cut.text;
        ks_edit_add(t->arena, &t->edits, e->begin, e->end, "its_sum");
        return "@sum@";
    }
    switch (e->kind) {
    case KS_N_NUMBER:
        return number(t, e);
    case KS_N_NAME:
        return name(t, e);
    case KS_N_INDEX:
        return element(t, e, e);
    case KS_N_CALL:
        return call(t, e);
    case KS_N_BINARY:
        return binary(t, e);
    case KS_N_UNARY:
        if (strcmp(e->text, "-") != 0 && strcmp(e->text, "!") != 0 && strcmp(e->text, "+") != 0)
            return refuse(t, e, "this operation behind the loop is not known");
        a = ks_tail_formula(t, e->kid[0]);
        return a ? ks_arena_printf(t->arena, "(%s%s)", *e->text == '+' ? "" : e->text, a) : NULL;
    case KS_N_COND:
        if (!(a = ks_tail_condition(t, e->kid[0])) || !(b = ks_tail_formula(t, e->kid[1])) ||
            !(c = ks_tail_formula(t, e->kid[2])))
            return NULL;
        return ks_arena_printf(t->arena, "(%s ? %s : %s)", a, b, c);
    case KS_N_CAST:
        if (strcmp(e->text, "float") != 0 && strcmp(e->text, "double") != 0)
            return refuse(t, e, "this conversion behind the loop is not known");
        return ks_tail_formula(t, e->kid[0]);
    default:
        return refuse(t, e, "this expression behind the loop is not understood");
    }
}

const char *ks_tail_formula(struct ks_tail_reader *t, const struct ks_node *e)
{
    if (t->depth == DEEPEST)
        return refuse(t, e, "expressions behind the loop are nested too deep");
    t->depth++;
    const char *text = expression(t, e);
    t->depth--;
    return text;
}
