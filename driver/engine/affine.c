#include "engine/affine.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/vec.h"

static const struct ks_poly unknown = {.known = false};

struct ks_poly ks_poly_constant(int64_t value)
{
    struct ks_poly p = {.known = true};
    if (value != 0)
        p.term[p.n++].coef = value;
    return p;
}

struct ks_poly ks_poly_symbol(const char *name)
{
    struct ks_poly p = {.known = true, .n = 1};
    p.term[0] = (struct ks_term){.coef = 1, .n = 1, .symbol = {name}};
    return p;
}

static bool same_symbols(const struct ks_term *a, const struct ks_term *b)
{
    if (a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++)
        if (strcmp(a->symbol[i], b->symbol[i]) != 0)
            return false;
    return true;
}

// Adds coef * term; false when there is no room or the sum overflows.
static bool add_term(struct ks_poly *p, const struct ks_term *term)
{
    for (int i = 0; i < p->n; i++)
        if (same_symbols(&p->term[i], term)) {
            if (!ks_add_i64(p->term[i].coef, term->coef, &p->term[i].coef))
                return false;
            if (p->term[i].coef == 0)
                p->term[i] = p->term[--p->n];
            return true;
        }
    if (p->n == KS_POLY_TERMS)
        return false;
    p->term[p->n++] = *term;
    return true;
}

struct ks_poly ks_poly_sum(const struct ks_poly *a, const struct ks_poly *b, int64_t factor)
{
    if (!a->known || !b->known)
        return unknown;
    struct ks_poly p = *a;
    p.wide = a->wide || b->wide;
    for (int i = 0; i < b->n; i++) {
        struct ks_term t = b->term[i];
        if (!ks_mul_i64(t.coef, factor, &t.coef) || (t.coef != 0 && !add_term(&p, &t)))
            return unknown;
    }
    return p;
}

static int compare_symbols(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct ks_poly ks_poly_product(const struct ks_poly *a, const struct ks_poly *b)
{
    if (!a->known || !b->known)
        return unknown;
    struct ks_poly p = {.known = true, .wide = a->wide || b->wide};
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < b->n; k++) {
            const struct ks_term *x = &a->term[i], *y = &b->term[k];
            struct ks_term t = {.n = x->n + y->n};
            if (t.n > KS_POLY_SYMBOLS || !ks_mul_i64(x->coef, y->coef, &t.coef))
                return unknown;
            for (int s = 0; s < t.n; s++)
                t.symbol[s] = s < x->n ? x->symbol[s] : y->symbol[s - x->n];
            qsort(t.symbol, (size_t)t.n, sizeof *t.symbol, compare_symbols);
            if (!add_term(&p, &t))
                return unknown;
        }
    return p;
}

bool ks_poly_equal(const struct ks_poly *a, const struct ks_poly *b)
{
    struct ks_poly d = ks_poly_sum(a, b, -1);
    return d.known && d.n == 0;
}

bool ks_poly_mentions(const struct ks_poly *p, const char *prefix)
{
    for (int i = 0; p->known && i < p->n; i++)
        for (int s = 0; s < p->term[i].n; s++)
            if (ks_starts_with(p->term[i].symbol[s], prefix))
                return true;
    return false;
}

bool ks_poly_is_global(const struct ks_poly *p, char axis, const char **block)
{
    static const char *const thread[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
    static const char *const index[] = {"blockIdx.x", "blockIdx.y", "blockIdx.z"};
    static const char *const extent[] = {"blockDim.x", "blockDim.y", "blockDim.z"};
    static const char literal[] = "";
    int a = axis - 'x';
    *block = NULL;
    if (p->known && p->n == 1 && p->term[0].coef == 1 && p->term[0].n == 1 &&
        strcmp(p->term[0].symbol[0], index[a]) == 0) {
        *block = "1"; // blocks of one thread in this axis
        return true;
    }
    if (!p->known || p->n != 2)
        return false;
    const struct ks_term *t = &p->term[0], *b = &p->term[1];
    if (t->n != 1 || strcmp(t->symbol[0], thread[a]) != 0) {
        t = &p->term[1];
        b = &p->term[0];
    }
    if (t->n != 1 || t->coef != 1 || strcmp(t->symbol[0], thread[a]) != 0)
        return false;
    if (b->n == 1 && strcmp(b->symbol[0], index[a]) == 0 && b->coef > 1) {
        *block = literal; // the caller reads the coefficient
        return true;
    }
    if (b->n != 2 || b->coef != 1)
        return false;
    const char *other = strcmp(b->symbol[0], index[a]) == 0   ? b->symbol[1]
                        : strcmp(b->symbol[1], index[a]) == 0 ? b->symbol[0]
                                                              : NULL;
    if (!other || strcmp(other, extent[a]) == 0)
        return other != NULL;
    if (strchr(other, '.'))
        return false;
    *block = other;
    return true;
}

bool ks_poly_thread_stride(const struct ks_poly *p, int64_t *stride)
{
    *stride = 0;
    if (!p->known)
        return false;
    for (int i = 0; i < p->n; i++) {
        const struct ks_term *t = &p->term[i];
        for (int s = 0; s < t->n; s++)
            if (strcmp(t->symbol[s], "threadIdx.x") == 0) {
                if (t->n > 1) {
                    *stride = -1;
                    return false;
                }
                *stride = t->coef;
            }
    }
    return true;
}

const char *ks_builtin_name(struct ks_arena *arena, const struct ks_node *node)
{
    static const char *const vars[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    if (node->kind != KS_N_MEMBER || node->kid[0]->kind != KS_N_NAME || node->arrow)
        return NULL;
    for (size_t i = 0; i < sizeof vars / sizeof *vars; i++)
        if (strcmp(node->kid[0]->text, vars[i]) == 0 && strlen(node->text) == 1 &&
            strchr("xyz", node->text[0]))
            return ks_arena_printf(arena, "%s.%s", vars[i], node->text);
    return NULL;
}

void ks_affine_begin(struct ks_arena *arena, struct ks_node *root, struct ks_affine *env)
{
    *env = (struct ks_affine){.arena = arena, .root = root};
}

static bool is_wide_type(const char *text)
{
    return strstr(text, "long") || strstr(text, "size_t") || strstr(text, "64") ||
           strstr(text, "ptrdiff");
}

// What is narrower than `int` may cut off what the polynomial has.
static bool is_integer_type(struct ks_arena *arena, const char *text)
{
    if (strstr(text, "auto"))
        return true;
    struct ks_type type = ks_type_parse(arena, ks_slice_of(text));
    return type.elem.lanes == 1 && type.elem.scalar >= KS_T_I32 && type.elem.scalar <= KS_T_U64;
}

void ks_affine_declare(struct ks_affine *env, const struct ks_node *decl, bool loop)
{
    for (size_t i = 0; i < decl->n; i++) {
        const struct ks_node *var = decl->kid[i];
        struct ks_poly value = unknown;
        bool changes = ks_node_changes(env->root, var->text);
        if (var->init && var->n == 0 && !var->pointer && is_integer_type(env->arena, decl->text)) {
            value = ks_affine_eval(env, var->init);
            if (loop && changes && value.known) { // its start plus an unknown that threads share
                struct ks_poly turn = ks_poly_symbol(var->text);
                value = ks_poly_sum(&value, &turn, 1);
            } else if (changes) {
                value = unknown;
            }
            value.wide = value.wide || is_wide_type(decl->text);
        }
        struct ks_affine_local *local = ks_vec_push(env->arena, env);
        *local = (struct ks_affine_local){var->text, value, var, changes, loop};
    }
}

const struct ks_affine_local *ks_affine_find(const struct ks_affine *env, const char *name)
{
    for (size_t i = env->len; i > 0; i--)
        if (strcmp(env->at[i - 1].name, name) == 0)
            return &env->at[i - 1];
    return NULL;
}

static struct ks_poly eval_number(const char *text)
{
    char digits[32];
    size_t n = strlen(text);
    while (n > 0 && strchr("uUlL", text[n - 1]))
        n--;
    if (n == 0 || n >= sizeof digits)
        return unknown;
    memcpy(digits, text, n);
    digits[n] = '\0';
    int64_t value;
    if (!ks_parse_i64(digits, &value) || (digits[0] == '0' && n > 1 && digits[1] != 'x'))
        return unknown; // floats, octal, separators
    return ks_poly_constant(value);
}

static struct ks_poly eval_binary(const struct ks_affine *env, const struct ks_node *expr)
{
    struct ks_poly a = ks_affine_eval(env, expr->kid[0]);
    struct ks_poly b = ks_affine_eval(env, expr->kid[1]);
    if (strcmp(expr->text, "+") == 0 || strcmp(expr->text, "-") == 0)
        return ks_poly_sum(&a, &b, expr->text[0] == '+' ? 1 : -1);
    if (strcmp(expr->text, "*") == 0)
        return ks_poly_product(&a, &b);
    if (strcmp(expr->text, "<<") == 0 && b.known && b.n == 1 && b.term[0].n == 0 &&
        b.term[0].coef > 0 && b.term[0].coef < 31) {
        struct ks_poly factor = ks_poly_constant((int64_t)1 << b.term[0].coef);
        return ks_poly_product(&a, &factor);
    }
    return unknown;
}

struct ks_poly ks_affine_eval(const struct ks_affine *env, const struct ks_node *expr)
{
    struct ks_poly p;
    const char *builtin;
    switch (expr->kind) {
    case KS_N_NUMBER:
        return eval_number(expr->text);
    case KS_N_NAME: {
        const struct ks_affine_local *local = ks_affine_find(env, expr->text);
        return local ? local->value : ks_poly_symbol(expr->text);
    }
    case KS_N_MEMBER:
        builtin = ks_builtin_name(env->arena, expr);
        return builtin ? ks_poly_symbol(builtin) : unknown;
    case KS_N_CAST:
        if (!is_integer_type(env->arena, expr->text))
            return unknown;
        p = ks_affine_eval(env, expr->kid[0]);
        p.wide = p.wide || is_wide_type(expr->text);
        return p;
    case KS_N_UNARY:
        if (strcmp(expr->text, "-") != 0 && strcmp(expr->text, "+") != 0)
            return unknown;
        p = ks_affine_eval(env, expr->kid[0]);
        struct ks_poly zero = ks_poly_constant(0);
        return ks_poly_sum(&zero, &p, expr->text[0] == '-' ? -1 : 1);
    case KS_N_BINARY:
        return eval_binary(env, expr);
    case KS_N_CALL: // the 24-bit product of old devices
        if (expr->n == 3 && (ks_node_is(expr->kid[0], KS_N_NAME, "__mul24") ||
                             ks_node_is(expr->kid[0], KS_N_NAME, "__umul24"))) {
            struct ks_poly a = ks_affine_eval(env, expr->kid[1]);
            struct ks_poly b = ks_affine_eval(env, expr->kid[2]);
            return ks_poly_product(&a, &b);
        }
        return unknown;
    default:
        return unknown;
    }
}
