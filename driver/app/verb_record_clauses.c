// Workloads of captured launches as clauses, where shapes and values follow simple rules. A rule must hold in every
// capture of the kernel and be the only one of its kind: nothing is guessed, the capture itself is a workload too.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/verb_record.h"
#include "base/num.h"
#include "source/signature.h"

#define MOST_SIZES 8
#define SLACK 512 // bytes by which an allocator rounds up
#define SMALL 64  // elements of an array that no size explains
#define LARGE 64  // an integer that no rule needs may be a stride beyond

struct size_param { // an integer parameter that may be a size
    size_t param;
    const char *name;
    bool used;      // by a rule: it varies with the sizes, all others are what they were
};

struct ruler {
    struct ks_arena *arena;
    const struct ks_kernel_decl *decl;
    const struct ks_type *types;                    // by parameter
    const struct record_capture *const *captures;
    size_t n;
    struct size_param sizes[MOST_SIZES];
    size_t n_sizes;
    const char *why;                                // there are no clauses
};

__attribute__((format(printf, 2, 3)))
static bool no(struct ruler *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    r->why = ks_arena_vprintf(r->arena, format, args);
    va_end(args);
    return false;
}

static bool is_integer(const struct ks_type *type)
{
    return !type->pointer && type->elem.lanes == 1 && type->elem.scalar >= KS_T_BOOL && type->elem.scalar <= KS_T_U64;
}

static int64_t integer_at(enum ks_scalar scalar, const unsigned char *at)
{
    uint64_t bits = 0;
    unsigned shift = 64 - 8 * (unsigned)ks_scalar_size(scalar);
    memcpy(&bits, at, ks_scalar_size(scalar));
    return ks_scalar_is_signed(scalar) ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
}

static double float_at(enum ks_scalar scalar, const unsigned char *at)
{
    float f32;
    double f64;
    uint16_t half;
    switch (scalar) {
    case KS_T_F64:
        memcpy(&f64, at, sizeof f64);
        return f64;
    case KS_T_F32:
        memcpy(&f32, at, sizeof f32);
        return (double)f32;
    default:
        memcpy(&half, at, sizeof half);
        return (double)(scalar == KS_T_F16 ? ks_f16_to_f32(half) : ks_bf16_to_f32(half));
    }
}

static int64_t value_of(const struct ruler *r, size_t capture, size_t size)
{
    size_t p = r->sizes[size].param;
    return integer_at(r->types[p].elem.scalar, r->captures[capture]->capture.params.at[p].bytes);
}

// ---- rules for a number that each capture has

// One formula: size a, times size b where there is one, divided by `by` and rounded up.
struct rule {
    size_t a, b; // b: n_sizes where there is none
    int64_t by;
};

static int64_t apply(const struct ruler *r, const struct rule *rule, size_t capture)
{
    int64_t value = value_of(r, capture, rule->a), other = rule->b < r->n_sizes ? value_of(r, capture, rule->b) : 1;
    if (value < 1 || other < 1 || value > INT32_MAX || other > INT32_MAX)
        return -1;
    value *= other;
    return value / rule->by + (value % rule->by != 0);
}

// Whether it gives the numbers; `slack` is how much larger each may be.
static bool holds(const struct ruler *r, const struct rule *rule, const int64_t *numbers, int64_t slack)
{
    for (size_t i = 0; i < r->n; i++) {
        int64_t value = apply(r, rule, i);
        if (value < 0 || numbers[i] < value || numbers[i] - value > slack)
            return false;
    }
    return true;
}

// All sizes alone, else products of two. *found: how many hold; the first is in *rule.
static void find_rule(const struct ruler *r, const int64_t *numbers, int64_t by, int64_t slack, struct rule *rule,
                      size_t *found)
{
    *found = 0;
    for (int pass = 0; pass < 2 && *found == 0; pass++)
        for (size_t a = 0; a < r->n_sizes; a++)
            for (size_t b = pass == 0 ? r->n_sizes : a; b < (pass == 0 ? r->n_sizes + 1 : r->n_sizes); b++) {
                struct rule one = {a, b, by};
                if (holds(r, &one, numbers, slack) && (*found)++ == 0)
                    *rule = one;
            }
}

static const char *rule_text(struct ruler *r, const struct rule *rule)
{
    r->sizes[rule->a].used = true;
    if (rule->b < r->n_sizes)
        r->sizes[rule->b].used = true;
    const char *product = rule->b < r->n_sizes
                              ? ks_arena_printf(r->arena, "%s*%s", r->sizes[rule->a].name, r->sizes[rule->b].name)
                              : r->sizes[rule->a].name;
    return rule->by == 1 ? product : ks_arena_printf(r->arena, "ceildiv(%s,%lld)", product, (long long)rule->by);
}

static bool all_equal(const struct ruler *r, const int64_t *numbers)
{
    for (size_t i = 1; i < r->n; i++)
        if (numbers[i] != numbers[0])
            return false;
    return true;
}

// ---- geometry

// One axis of the grid: a block's share of a size, a size, or the same number whatever the sizes are. NULL: none of it.
static const char *grid_axis(struct ruler *r, int axis)
{
    int64_t *numbers = KS_NEW_ARRAY(r->arena, int64_t, r->n), block = r->captures[0]->capture.block[axis];
    struct rule rule;
    size_t found = 0;
    for (size_t i = 0; i < r->n; i++)
        numbers[i] = r->captures[i]->capture.grid[axis];
    if (all_equal(r, numbers) && numbers[0] == 1)
        return "1";
    for (int64_t each = 1; each <= 16 && found == 0; each *= 2) // elements of a thread
        find_rule(r, numbers, block * each, 0, &rule, &found);
    if (found == 0 && block > 1)
        find_rule(r, numbers, 1, 0, &rule, &found);
    if (found == 1)
        return rule_text(r, &rule);
    if (found > 1)
        no(r, "several sizes explain grid.%c alike: record a launch in which they differ", "xyz"[axis]);
    else if (r->n > 1 && all_equal(r, numbers))
        return ks_arena_printf(r->arena, "%lld", (long long)numbers[0]);
    else
        no(r, "grid.%c follows no simple rule", "xyz"[axis]);
    return NULL;
}

static bool geometry(struct ruler *r, const char **text)
{
    const struct ks_capture *first = &r->captures[0]->capture;
    const char *grid[3];
    for (size_t i = 1; i < r->n; i++)
        if (memcmp(r->captures[i]->capture.block, first->block, sizeof first->block) != 0)
            return no(r, "it is launched with blocks of several sizes");
    for (int axis = 0; axis < 3; axis++) {
        grid[axis] = grid_axis(r, axis);
        if (grid[axis] == NULL)
            return false;
    }
    int last = strcmp(grid[2], "1") != 0 ? 2 : strcmp(grid[1], "1") != 0 ? 1 : 0;
    int deepest = first->block[2] > 1 ? 2 : first->block[1] > 1 ? 1 : 0;
    struct ks_buf out = KS_BUF(4096);
    for (int axis = 0; axis <= last; axis++)
        ks_buf_printf(&out, "%s%s", axis == 0 ? " grid(" : ",", grid[axis]);
    for (int axis = 0; axis <= deepest; axis++)
        ks_buf_printf(&out, "%s%lld", axis == 0 ? ") block(" : ",", (long long)first->block[axis]);
    *text = ks_arena_printf(r->arena, "%s)", ks_buf_text(&out));
    ks_buf_free(&out);
    return true;
}

// ---- arrays

static const struct ks_capture_pointer *pointer_of(const struct ks_capture *c, size_t param)
{
    ks_vec_each(const struct ks_capture_pointer, p, &c->pointers)
        if (p->param == param)
            return p;
    return NULL;
}

static int64_t extent(const struct ks_capture *c, const struct ks_capture_pointer *p)
{
    int64_t end = c->memory.at[p->allocation].size;
    ks_vec_each(const struct ks_capture_pointer, q, &c->pointers)
        if (q->allocation == p->allocation && q->offset > p->offset && (int64_t)q->offset < end)
            end = (int64_t)q->offset;
    return end - (int64_t)p->offset;
}

static const char *count_text(struct ruler *r, size_t param)
{
    const struct ks_elem elem = r->types[param].elem;
    int64_t *counts = KS_NEW_ARRAY(r->arena, int64_t, r->n);
    struct rule rule;
    size_t found;
    for (size_t i = 0; i < r->n; i++) {
        const struct ks_capture *c = &r->captures[i]->capture;
        const struct ks_capture_pointer *pointer = pointer_of(c, param);
        counts[i] = extent(c, pointer) / (int64_t)elem.size;
        if (pointer->offset != 0 || extent(c, pointer) != c->memory.at[pointer->allocation].size) {
            no(r, "'%s' has no allocation of its own: where it ends is not known", r->decl->params[param].name);
            return NULL;
        }
    }
    find_rule(r, counts, 1, 0, &rule, &found);
    if (found == 0)
        find_rule(r, counts, 1, (SLACK - 1) / (int64_t)elem.size, &rule, &found);
    if (found == 1)
        return rule_text(r, &rule);
    if (found == 0 && all_equal(r, counts) && (r->n > 1 || counts[0] <= SMALL))
        return ks_arena_printf(r->arena, "%lld", (long long)counts[0]);
    no(r, found > 1 ? "several sizes explain how long '%s' is: record a launch in which they differ"
                    : "how long '%s' is follows no simple rule", r->decl->params[param].name);
    return NULL;
}

// What the values are like, over all lanes.
struct values {
    int64_t n;
    double low, high, sum, first, second;
    bool ramp, finite;
};

static void look(struct values *v, int64_t i, double x)
{
    v->finite = v->finite && isfinite(x);
    v->low = i == 0 || x < v->low ? x : v->low;
    v->high = i == 0 || x > v->high ? x : v->high;
    v->first = i == 0 ? x : v->first;
    v->second = i == 1 ? x : v->second;
    v->ramp = v->ramp && (i < 2 || x == v->first + (v->second - v->first) * (double)i);
    v->sum += x;
}

static bool is_permutation(const struct ks_elem elem, const unsigned char *bytes, int64_t n)
{
    size_t size = ks_scalar_size(elem.scalar);
    unsigned char *seen = calloc((size_t)n / 8 + 1, 1);
    bool each = seen != NULL;
    for (int64_t i = 0; each && i < n; i++) {
        int64_t x = integer_at(elem.scalar, bytes + (size_t)i * size);
        each = x >= 0 && x < n && (seen[x / 8] >> (x % 8) & 1) == 0;
        if (each)
            seen[x / 8] = (unsigned char)(seen[x / 8] | 1 << (x % 8));
    }
    free(seen);
    return each;
}

static const char *float_text(struct ks_arena *arena, const struct ks_elem elem, const unsigned char *bytes,
                              const struct values *v)
{
    double mean = v->sum / (double)v->n, squares = 0, fourths = 0;
    size_t size = ks_scalar_size(elem.scalar);
    for (int64_t i = 0; i < v->n; i++) {
        double d = float_at(elem.scalar, bytes + (size_t)i * size) - mean;
        squares += d * d;
        fourths += d * d * d * d;
    }
    double variance = squares / (double)v->n, tails = fourths / (double)v->n / (variance * variance);
    if (tails > 2.5 && tails < 4) // 3 for a normal distribution, 1.8 for a uniform one
        return ks_arena_printf(arena, "normal(%.2g,%.2g)", fabs(mean) < 0.05 * sqrt(variance) ? 0 : mean,
                               sqrt(variance));
    // Outward to two digits of what lies between, so that the range keeps what it holds.
    double unit = pow(10, floor(log10(v->high - v->low)) - 1);
    return ks_arena_printf(arena, "uniform(%.10g,%.10g)", floor(v->low / unit) * unit, ceil(v->high / unit) * unit);
}

// Whether sizes that other arrays follow are its own, too: no array can be too short for what it holds as indices but
// one of fixed length.
static bool alone(struct ruler *r, size_t param)
{
    const char *own = count_text(r, param);
    for (size_t p = 0; p < r->decl->n_params; p++) {
        bool array = r->types[p].pointer && pointer_of(&r->captures[0]->capture, p) != NULL;
        const char *other = array ? count_text(r, p) : NULL;
        if (other != NULL && strspn(other, "0123456789") != strlen(other) && strcmp(other, own) != 0)
            return false;
    }
    return true;
}

// The initialiser that makes values like those recorded; NULL: none does.
static const char *init_text(struct ruler *r, size_t param, const struct record_capture *c, int64_t count)
{
    const struct ks_elem elem = r->types[param].elem;
    const struct ks_capture_pointer *pointer = pointer_of(&c->capture, param);
    const struct ks_capture_memory *memory = &c->capture.memory.at[pointer->allocation];
    size_t size = ks_scalar_size(elem.scalar);
    bool is_float = ks_scalar_is_float(elem.scalar);
    struct values v = {.n = count * elem.lanes, .ramp = true, .finite = true};
    void *bytes;
    if (ks_capture_contents(c->dir, &memory->before, (size_t)memory->size, &bytes, NULL) != KS_OK) {
        no(r, "contents of '%s' cannot be read", r->decl->params[param].name);
        return NULL;
    }
    const unsigned char *at = (const unsigned char *)bytes + pointer->offset;
    for (int64_t i = 0; i < v.n; i++)
        look(&v, i, is_float ? float_at(elem.scalar, at + (size_t)i * size)
                             : (double)integer_at(elem.scalar, at + (size_t)i * size));
    const char *text = NULL;
    if (v.n < 1 || !v.finite)
        no(r, "values of '%s' are not all finite", r->decl->params[param].name);
    else if (v.low == v.high)
        text = ks_arena_printf(r->arena, "constant(%.9g)", v.low);
    else if (v.ramp && elem.lanes == 1)
        text = ks_arena_printf(r->arena, "iota(%.9g,%.9g)", v.first, v.second - v.first);
    else if (is_float)
        text = float_text(r->arena, elem, at, &v);
    else if (elem.lanes == 1 && is_permutation(elem, at, v.n))
        text = "permutation";
    else if (size > 1 || !alone(r, param)) // a table of fixed length serves all bytes
        no(r, "'%s' may hold indices, which would have to follow the sizes", r->decl->params[param].name);
    else
        text = ks_arena_printf(r->arena, "randint(%.0f,%.0f)", v.low, v.high);
    free(bytes);
    return text;
}

// Aliases are the same in every capture, or there are no clauses.
static bool alias_of(struct ruler *r, size_t param, size_t *of)
{
    *of = param;
    for (size_t i = 0; i < r->n; i++) {
        const struct ks_capture *c = &r->captures[i]->capture;
        const struct ks_capture_pointer *own = pointer_of(c, param);
        size_t first = param;
        ks_vec_each(const struct ks_capture_pointer, q, &c->pointers)
            if (q->allocation == own->allocation && q->offset == own->offset && q->param < first)
                first = q->param;
        if (i > 0 && first != *of)
            return no(r, "'%s' is another array in some launches only", r->decl->params[param].name);
        *of = first;
    }
    return true;
}

static bool array_text(struct ruler *r, size_t param, size_t capture, struct ks_buf *out)
{
    const char *name = r->decl->params[param].name;
    const struct ks_type *type = &r->types[param];
    const struct record_capture *c = r->captures[capture];
    size_t of;
    if (type->elem.scalar == KS_T_NONE)
        return no(r, "'%s' points to no numbers", name);
    if (!alias_of(r, param, &of))
        return false;
    if (of != param) {
        ks_buf_printf(out, " alias(%s,%s)", name, r->decl->params[of].name);
        return true;
    }
    const char *count = count_text(r, param);
    int64_t n = extent(&c->capture, pointer_of(&c->capture, param)) / (int64_t)type->elem.size;
    const char *init = count != NULL ? init_text(r, param, c, n) : NULL;
    if (init == NULL)
        return false;
    ks_buf_printf(out, " %s(%s[%s]=%s)", type->pointee_const ? "in" : "inout", name, count, init);
    return true;
}

// ---- scalars

static bool scalar_text(struct ruler *r, size_t param, const struct ks_capture *c, struct ks_buf *out)
{
    const struct ks_type *type = &r->types[param];
    const char *name = r->decl->params[param].name;
    size_t size = ks_scalar_size(type->elem.scalar);
    if (type->elem.scalar == KS_T_NONE)
        return no(r, "'%s' is a %s", name, type->text);
    if (is_integer(type)) {
        int64_t value = integer_at(type->elem.scalar, c->params.at[param].bytes);
        bool used = false;
        for (size_t i = 0; i < r->n_sizes; i++)
            used = used || (r->sizes[i].param == param && r->sizes[i].used);
        if (!used && (value > LARGE || value < -LARGE))
            return no(r, "no rule tells what %lld of '%s' is", (long long)value, name);
        ks_buf_printf(out, used ? " let(%s=%lld)" : " set(%s=%lld)", name, (long long)value);
        return true;
    }
    for (int lane = 0; lane < type->elem.lanes; lane++) {
        const unsigned char *at = c->params.at[param].bytes + (size_t)lane * size;
        ks_buf_printf(out, lane == 0 ? " set(%s=" : ",", name);
        if (!ks_scalar_is_float(type->elem.scalar))
            ks_buf_printf(out, "%lld", (long long)integer_at(type->elem.scalar, at));
        else if (isfinite(float_at(type->elem.scalar, at)))
            ks_buf_printf(out, "%.*g", type->elem.scalar == KS_T_F64 ? 17 : 9, float_at(type->elem.scalar, at));
        else
            return no(r, "'%s' is not finite", name);
    }
    ks_buf_puts(out, ")");
    return true;
}

static bool one_workload(struct ruler *r, size_t capture, const char *launch, const char **line)
{
    const struct ks_capture *c = &r->captures[capture]->capture;
    struct ks_buf scalars = KS_BUF(1 << 14), arrays = KS_BUF(1 << 14);
    bool ok = true;
    for (size_t p = 0; ok && p < r->decl->n_params; p++)
        if (r->types[p].pointer && pointer_of(c, p) != NULL)
            ok = array_text(r, p, capture, &arrays);
        else if (r->types[p].pointer)
            ks_buf_printf(&arrays, " set(%s=nullptr)", r->decl->params[p].name);
    for (size_t p = 0; ok && p < r->decl->n_params; p++) // behind what tells which are sizes
        if (!r->types[p].pointer)
            ok = scalar_text(r, p, c, &scalars);
    if (c->shared > 0)
        ks_buf_printf(&arrays, " shared(%lld)", (long long)c->shared);
    *line = ks_arena_printf(r->arena, "#pragma ks workload%s%s%s", ks_buf_text(&scalars), ks_buf_text(&arrays), launch);
    ks_buf_free(&scalars);
    ks_buf_free(&arrays);
    return ok;
}

static bool read_params(struct ruler *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct ks_capture *c = &r->captures[i]->capture;
        if (c->params.len != r->decl->n_params)
            return no(r, "its parameters in the file are others");
        ks_vec_each(const struct ks_capture_pointer, p, &c->pointers)
            if (!r->types[p->param].pointer)
                return no(r, "'%s' holds a pointer", r->decl->params[p->param].name);
        for (size_t p = 0; p < c->params.len; p++)
            if (r->types[p].pointer && (pointer_of(c, p) == NULL) != (pointer_of(&r->captures[0]->capture, p) == NULL))
                return no(r, "'%s' is null in some launches only", r->decl->params[p].name);
    }
    for (size_t p = 0; p < r->decl->n_params && r->n_sizes < MOST_SIZES; p++)
        if (is_integer(&r->types[p]) && r->types[p].elem.scalar != KS_T_BOOL)
            r->sizes[r->n_sizes++] = (struct size_param){.param = p, .name = r->decl->params[p].name};
    return true;
}

bool record_clauses(struct ks_arena *arena, const struct ks_kernel_decl *decl,
                    const struct record_capture *const *captures, size_t n, struct ks_strv *lines, const char **why)
{
    struct ruler r = {.arena = arena, .decl = decl, .captures = captures, .n = n};
    struct ks_type *types;
    const char *launch = "", *line;
    struct ks_strv found = {0};
    size_t n_types;
    ks_signature_types(arena, captures[0]->capture.symbol, &types, &n_types);
    r.types = types;
    bool ok = n_types == decl->n_params ? read_params(&r) && geometry(&r, &launch)
                                        : no(&r, "its parameters in the file are others");
    for (size_t i = 0; ok && i < n; i++) {
        ok = one_workload(&r, i, launch, &line);
        if (ok)
            ks_strv_add(arena, &found, line);
    }
    for (size_t i = 0; ok && i < found.len; i++)
        ks_strv_add(arena, lines, found.at[i]);
    *why = r.why;
    return ok;
}
