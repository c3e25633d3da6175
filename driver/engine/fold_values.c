// What values of variables and expressions have to do with the thread.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/folder.h"

void ks_fold_refuse(struct ks_folder *f, const struct ks_node *at, const char *why, ...)
{
    va_list args;
    va_start(args, why);
    if (!f->why)
        f->why = ks_arena_printf(f->s->arena, "line %d: %s", at->line, ks_arena_vprintf(f->s->arena, why, args));
    va_end(args);
}

void ks_fold_ask(struct ks_folder *f, const struct ks_node *at, int64_t threads)
{
    if (threads != 0 && f->threads != 0 && f->threads != threads)
        ks_fold_refuse(f, at, "blocks of two sizes are asked for");
    f->threads = threads != 0 ? threads : f->threads;
}

struct ks_fold_value *ks_fold_find(const struct ks_folder *f, const char *name)
{
    for (size_t i = f->values.len; i > 0; i--)
        if (strcmp(f->values.at[i - 1].name, name) == 0)
            return &f->values.at[i - 1];
    return NULL;
}

struct ks_fold_value *ks_fold_declare(struct ks_folder *f, const char *name, enum ks_scalar type)
{
    struct ks_fold_value *value = ks_vec_push(f->s->arena, &f->values);
    *value = (struct ks_fold_value){.kind = KS_FOLD_OWN, .name = name, .type = type};
    return value;
}

bool ks_fold_is_thread(const struct ks_folder *f, const struct ks_node *expr)
{
    if (f->rows)
        return ks_fold_is_lane(f, expr);
    struct ks_poly p = ks_affine_eval(&f->env, expr), thread = ks_poly_symbol("threadIdx.x");
    return ks_poly_equal(&p, &thread);
}

bool ks_fold_flat_axis(struct ks_folder *f, const struct ks_node *node, const char *builtin)
{
    const struct ks_brief *brief = f->s->brief;
    const char *dot = strchr(builtin, '.');
    bool thread = ks_starts_with(builtin, "threadIdx."), block = ks_starts_with(builtin, "blockDim.");
    if (!(thread || block) || dot[1] == 'x' || brief->n_problems == 0 || brief->problems[0].block[dot[1] - 'x'] != 1)
        return false;
    if (f->depth == 0)
        ks_edit_add(f->s->arena, f->edits, node->begin, node->end, thread ? "0u" : "1u");
    return true;
}

enum ks_fold_op ks_fold_op_of(const char *front, const char *between, const char *pick)
{
    if (pick)
        return pick[0] == '>' ? KS_FOLD_MAX : KS_FOLD_MIN;
    if (front && strstr(front, "max"))
        return KS_FOLD_MAX;
    if (front && strstr(front, "min"))
        return KS_FOLD_MIN;
    const char *sign = between + strspn(between, " ");
    return *sign == '+'   ? KS_FOLD_SUM
           : *sign == '*' ? KS_FOLD_PRODUCT
           : *sign == '|' ? KS_FOLD_OR
           : *sign == '^' ? KS_FOLD_XOR
           : *sign == '&' ? KS_FOLD_AND
                          : KS_FOLD_ANY;
}

bool ks_fold_is_neutral(const struct ks_fold_value *value, enum ks_fold_op op)
{
    char *end = NULL;
    if (value->kind != KS_FOLD_SAME || op == KS_FOLD_ANY)
        return false;
    if (op == KS_FOLD_MAX || op == KS_FOLD_MIN || op == KS_FOLD_OR || op == KS_FOLD_AND)
        return true; // of equal values they make that value
    double number = value->literal ? strtod(value->literal, &end) : 2;
    return (number == 0 || number == 1) && strspn(end, "fFuUlL") == strlen(end) && (op == KS_FOLD_PRODUCT) == (number == 1);
}

struct ks_fold_value ks_fold_join(const struct ks_fold_value *a, const struct ks_fold_value *b)
{
    struct ks_fold_value v = *a;
    bool same_text = a->literal && b->literal && strcmp(a->literal, b->literal) == 0;
    v.literal = same_text ? a->literal : NULL;
    v.whole = a->whole && b->whole && a->op == b->op;
    if (a->kind == b->kind && (a->kind <= KS_FOLD_FIRST || a->kind == KS_FOLD_OWN || a->op == b->op))
        return v;
    if (a->kind == KS_FOLD_PART && !a->array && ks_fold_is_neutral(b, a->op))
        return v;
    if (b->kind == KS_FOLD_PART && !b->array && ks_fold_is_neutral(a, b->op)) {
        v.kind = KS_FOLD_PART;
        v.op = b->op;
        return v;
    }
    bool known = a->kind <= KS_FOLD_FIRST && b->kind <= KS_FOLD_FIRST && !a->shared;
    v.kind = known ? KS_FOLD_FIRST : KS_FOLD_OWN;
    return v;
}

const char *ks_fold_differs(const struct ks_folder *f, const struct ks_fold_value *value)
{
    return ks_arena_printf(f->s->arena, "%s differs from thread to thread%s%s", value->name, value->reason ? ": " : "",
                           value->reason ? value->reason : "");
}

static struct ks_fold_value own(struct ks_folder *f, const struct ks_node *at, const char *why)
{
    f->reason = ks_arena_printf(f->s->arena, "line %d: %s", at->line, why);
    return (struct ks_fold_value){.kind = KS_FOLD_OWN};
}

static struct ks_fold_value name(struct ks_folder *f, const struct ks_node *expr)
{
    const struct ks_fold_value *value = ks_fold_find(f, expr->text);
    if (!value)
        return (struct ks_fold_value){.kind = KS_FOLD_SAME};
    if (value->array)
        return own(f, expr, ks_arena_printf(f->s->arena, "%s is used as a whole", expr->text));
    if (value->kind > KS_FOLD_FIRST)
        own(f, expr, ks_fold_differs(f, value));
    if (value->kind == KS_FOLD_FIRST && !f->first)
        own(f, expr, ks_arena_printf(f->s->arena, "%s is known to the first thread alone", expr->text));
    return *value;
}

static struct ks_fold_value worse(struct ks_fold_value a, struct ks_fold_value b)
{
    struct ks_fold_value v = {.kind = a.kind > b.kind ? a.kind : b.kind};
    v.kind = v.kind > KS_FOLD_FIRST ? KS_FOLD_OWN : v.kind;
    return v;
}

// An element of an array in shared memory, which is a variable of that name behind the fold.
static struct ks_fold_value element(struct ks_folder *f, const struct ks_node *expr, const struct ks_fold_value *array)
{
    struct ks_poly at = ks_affine_eval(&f->env, expr->kid[1]), zero = ks_poly_constant(0);
    if (array->kind == KS_FOLD_PART ? !ks_fold_is_thread(f, expr->kid[1]) : !ks_poly_equal(&at, &zero))
        return own(f, expr,
                   ks_arena_printf(f->s->arena, "another element of %s is read than the one that holds the block's value",
                                   array->name));
    struct ks_fold_value v = *array;
    v.array = v.shared = false;
    if (v.kind > KS_FOLD_FIRST)
        own(f, expr, ks_fold_differs(f, array));
    if (v.kind == KS_FOLD_WARP)
        v.kind = KS_FOLD_OWN;
    if (v.kind == KS_FOLD_OWN)
        own(f, expr, ks_arena_printf(f->s->arena, "what %s holds is not known", array->name));
    else
        ks_edit_add(f->s->arena, f->edits, expr->begin, expr->end, array->name);
    return v;
}

static bool asks_others(const char *function)
{
    static const char *const begins[] = {"__sync", "__shfl", "__active", "__any", "__all", "__ballot", "__match", "__reduce",
                                         "__vote", "__clock", "__isShared", "__nanosleep", "__barrier", "__cluster"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (ks_starts_with(function, begins[i]))
            return true;
    return false;
}

static bool is_quiet(const struct ks_folder *f, const char *function, int depth)
{
    static const char *const loud[] = {"threadIdx", "blockDim", "warpSize", "asm", "__asm__", "static", "__shared__",
                                       NULL};
    static const char *const words[] = {"if", "for", "while", "return", "sizeof", "int", "float", "double", "unsigned",
                                        "long", "short", "char", "bool", "static_cast", "switch", "size_t", NULL};
    const struct ks_callee *callee = ks_callee_find(&f->s->brief->callees, function);
    struct ks_token *tokens;
    if (!callee || !callee->body || depth > 8)
        return false;
    ks_lex_all(f->s->arena, ks_slice_of(callee->body), false, &tokens);
    for (; tokens->kind != KS_TOK_END; tokens++) {
        bool word = false, known = false;
        for (size_t i = 0; tokens->kind == KS_TOK_IDENT && loud[i]; i++)
            if (ks_token_is(tokens, loud[i]))
                return false;
        for (size_t i = 0; words[i]; i++)
            word |= ks_token_is(tokens, words[i]);
        if (tokens->kind != KS_TOK_IDENT || word || !ks_token_is(tokens + 1, "("))
            continue;
        const char *called = ks_token_text(f->s->arena, tokens);
        known = ks_function_is_pure(called) ? !asks_others(called) : is_quiet(f, called, depth + 1);
        if (!known)
            return false;
    }
    return true;
}

bool ks_fold_is_quiet(const struct ks_folder *f, const char *function)
{
    return ks_function_is_pure(function) ? !asks_others(function) : is_quiet(f, function, 0);
}

static struct ks_fold_value arguments(struct ks_folder *f, const struct ks_node *call, struct ks_fold_value v)
{
    for (size_t i = 1; i < call->n; i++)
        v = worse(v, ks_fold_eval(f, call->kid[i]));
    return v;
}

// A function that combines the threads' values: the variable that it is given holds that behind the fold.
static struct ks_fold_value combined(struct ks_folder *f, const struct ks_node *call, const char *function)
{
    const struct ks_fold_function *one = ks_fold_function(f, function);
    const struct ks_node *arg = call->n == 2 ? call->kid[1] : NULL;
    const struct ks_fold_value *value = arg && arg->kind == KS_N_NAME ? ks_fold_find(f, arg->text) : NULL;
    if (one->why) {
        ks_fold_refuse(f, call, "%s: %s", function, one->why);
        return own(f, call, function);
    }
    bool part = value && value->kind == KS_FOLD_PART && !f->warp && (value->op == one->op || value->op == KS_FOLD_ANY);
    bool lanes = value && value->kind == KS_FOLD_LANES && one->kind == KS_FOLD_WARP && value->op == one->op;
    if (f->first)
        ks_fold_refuse(f, call, "threads meet where not all are");
    if (!value || value->array || !(part || lanes))
        ks_fold_refuse(f, call, "what %s is given is no value that it may combine", function);
    else if (value->type != one->type)
        ks_fold_refuse(f, call, "%s is given another type than its own", function);
    ks_fold_ask(f, call, one->threads);
    if (f->why)
        return own(f, call, function);
    ks_edit_add(f->s->arena, f->edits, call->begin, call->end, arg->text);
    f->folded++;
    f->warps = f->warps || one->warps;
    struct ks_fold_value v = {.kind = KS_FOLD_FIRST, .type = one->type, .whole = value->whole || value->op == KS_FOLD_ANY,
                              .op = one->op};
    v.kind = part ? one->kind : KS_FOLD_FIRST;
    return v;
}

static struct ks_fold_value call(struct ks_folder *f, const struct ks_node *expr)
{
    const char *function = expr->kid[0]->kind == KS_N_NAME ? expr->kid[0]->text : "";
    for (size_t i = 0; i < expr->n; i++)
        if (ks_node_changed_by(expr, i)) {
            ks_fold_refuse(f, expr, "a function may change what it is given");
            return own(f, expr, function);
        }
    if (ks_fold_is_quiet(f, function))
        return arguments(f, expr, (struct ks_fold_value){.kind = KS_FOLD_SAME});
    if (ks_callee_find(&f->s->brief->callees, function))
        return combined(f, expr, function);
    ks_fold_refuse(f, expr, "%s is not understood here", *function ? function : "this call");
    return own(f, expr, function);
}

struct ks_fold_value ks_fold_eval(struct ks_folder *f, const struct ks_node *expr)
{
    struct ks_fold_value v = {.kind = KS_FOLD_SAME};
    const struct ks_fold_value *array;
    const char *builtin = ks_builtin_name(f->s->arena, expr);
    if (builtin && ks_fold_flat_axis(f, expr, builtin))
        return v;
    if (f->rows && f->depth == 0 && ks_fold_is_row(f, expr)) {
        ks_edit_add(f->s->arena, f->edits, expr->begin, expr->end, "blockIdx.x");
        f->numbered = true;
        return v;
    }
    if (f->rows && builtin && (strcmp(builtin, "blockIdx.x") == 0 || strcmp(builtin, "gridDim.x") == 0))
        ks_fold_refuse(f, expr, "%s beside the number of a warp", builtin);
    if (builtin)
        return ks_starts_with(builtin, "threadIdx.") ? own(f, expr, ks_arena_printf(f->s->arena, "%s is used", builtin)) : v;
    switch (expr->kind) {
    case KS_N_NUMBER:
        v.literal = expr->text;
        return v;
    case KS_N_NAME:
        return name(f, expr);
    case KS_N_CALL:
        return call(f, expr);
    case KS_N_INDEX:
        array = expr->kid[0]->kind == KS_N_NAME ? ks_fold_find(f, expr->kid[0]->text) : NULL;
        if (array && array->array)
            return element(f, expr, array);
        break;
    case KS_N_COND:
        if (ks_fold_gather(f, expr, &v))
            return v;
        break;
    case KS_N_CAST:
        v = ks_fold_eval(f, expr->kid[0]);
        return worse(v, v);
    case KS_N_ASSIGN:
    case KS_N_POSTFIX:
        ks_fold_refuse(f, expr, "a change inside of an expression");
        break;
    case KS_N_UNARY:
        if (strcmp(expr->text, "++") == 0 || strcmp(expr->text, "--") == 0 || strcmp(expr->text, "&") == 0)
            ks_fold_refuse(f, expr, "a change or an address inside of an expression");
        break;
    default:
        break;
    }
    for (size_t i = 0; i < expr->n; i++)
        v = worse(v, ks_fold_eval(f, expr->kid[i]));
    return v;
}

bool ks_fold_same(struct ks_folder *f, const struct ks_node *expr)
{
    f->reason = NULL;
    struct ks_fold_value v = ks_fold_eval(f, expr);
    bool same = v.kind == KS_FOLD_SAME || (f->first && v.kind == KS_FOLD_FIRST);
    if (!same && !f->why && f->reason)
        f->why = f->reason;
    if (!same)
        ks_fold_refuse(f, expr, "a value that differs from thread to thread");
    return same && !f->why;
}
