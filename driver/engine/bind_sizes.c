// The probes, and what sizes an assignment of numbers to roles must and can have there.
#include <string.h>

#include "base/num.h"
#include "engine/binder.h"
#include "engine/specimen.h"
#include "engine/vectors_apart.h"

enum { MOST_SIZES = 64, COLUMNS = 8, MOST_PARTS = 64, WHOLE_FROM = 3 };

// Sizes of one set of probes. No two columns are tied by a line with integer slope: primes, and rows that
// leave other remainders, so that a quotient is no line. The smaller ones are for arrays of so many dimensions
// that the others would be too large, the larger ones for launches of n / 1024 blocks.
enum { USUAL, SMALLER, LARGER, SETS };
static const int64_t rows[SETS][KS_PROBES][COLUMNS] = {
    {{211, 223, 227, 229, 233, 239, 241, 251},
     {197, 151, 163, 109, 281, 179, 137, 227},
     {101, 307, 131, 313, 149, 257, 283, 173},
     {208, 214, 220, 226, 232, 238, 244, 250},
     {150, 165, 189, 174, 123, 204, 222, 177}},
    {{53, 59, 61, 67, 71, 73, 79, 83},
     {97, 61, 83, 47, 101, 89, 67, 59},
     {43, 89, 47, 97, 59, 71, 103, 107},
     {56, 58, 62, 66, 70, 74, 78, 82},
     {90, 75, 63, 68, 84, 57, 99, 72}},
    {{2111, 2203, 3307, 4409, 5501, 6607, 7703, 8807},
     {4093, 3137, 1171, 2309, 8111, 5009, 3701, 6007},
     {1129, 7307, 5113, 6311, 2003, 9007, 8209, 4007},
     {3208, 4214, 2250, 7226, 4328, 3238, 6244, 1250},
     {5150, 6165, 4185, 1374, 3123, 7204, 2222, 5177}}};
// Beside any of them, of sizes that others are to be larger than: a window's width, a stride.
static const int64_t few[KS_PROBES][COLUMNS] = {{2, 3, 5, 7, 11, 13, 4, 6},
                                                {5, 2, 11, 3, 7, 4, 13, 9},
                                                {3, 7, 2, 13, 5, 6, 9, 4},
                                                {7, 5, 4, 2, 3, 11, 6, 13},
                                                {4, 11, 3, 5, 2, 9, 7, 8}};

struct extents { // what is to be at least one, and the sizes that it is of
    const struct ks_workload_mark *mark;
    const struct ks_value *sizes;
    size_t n;
    bool lower[MOST_SIZES]; // taken from others, or dividing them
    int64_t parts[MOST_SIZES]; // a number that it is divided by alone; or 1
};

// `under`: of a part that is taken from another, or divides it.
static void note_lower(struct extents *x, const struct ks_expr *e, bool under)
{
    if (e == NULL || e->op == KS_X_INT)
        return;
    for (int i = 0; e->op != KS_X_NAME && i < 4; i++)
        note_lower(x, e->kid[i],
                   under || (i == 1 && (e->op == KS_X_SUB || e->op == KS_X_DIV || e->op == KS_X_MOD)));
    for (size_t i = 0; e->op == KS_X_NAME && under && i < x->n; i++)
        x->lower[i] |= strcmp(x->sizes[i].name, e->name) == 0;
}

// channels / 4: such a size is a multiple, at least in some of the probes.
static void note_parts(struct extents *x, const struct ks_expr *e)
{
    for (size_t i = 0; e != NULL && e->op == KS_X_DIV && i < x->n; i++)
        if (e->kid[0]->op == KS_X_NAME && e->kid[1]->op == KS_X_INT && e->kid[1]->value > 1 &&
            e->kid[1]->value <= MOST_PARTS && strcmp(x->sizes[i].name, e->kid[0]->name) == 0)
            x->parts[i] = e->kid[1]->value;
    for (int i = 0; e != NULL && e->op != KS_X_NAME && e->op != KS_X_INT && i < 4; i++)
        note_parts(x, e->kid[i]);
}

static struct extents extents_of(struct ks_arena *arena, const struct ks_mark *mark)
{
    struct ks_value *sizes;
    struct extents x = {.mark = &mark->workloads[0], .n = ks_problem_sizes(arena, mark, 0, &sizes)};
    x.sizes = sizes;
    for (size_t i = 0; i < MOST_SIZES; i++)
        x.parts[i] = 1;
    for (size_t i = 0; x.n <= MOST_SIZES && i < x.mark->n_arrays; i++) {
        note_lower(&x, x.mark->arrays[i].count, false);
        note_parts(&x, x.mark->arrays[i].count);
    }
    for (size_t i = 0; x.n <= MOST_SIZES && i < x.mark->n_lets; i++) {
        note_lower(&x, x.mark->lets[i].expr, false);
        note_parts(&x, x.mark->lets[i].expr);
    }
    return x;
}

// Whether more is taken from something than it is.
static bool goes_below(const struct ks_expr *e, struct ks_problem *p)
{
    int64_t value;
    if (e == NULL || e->op == KS_X_INT || e->op == KS_X_NAME)
        return false;
    for (int i = 0; i < 4; i++)
        if (goes_below(e->kid[i], p))
            return true;
    return e->op == KS_X_SUB && ks_expr_eval(e, ks_specimen_lookup, p, &value) && value < 0;
}

static bool is_sensible(const struct ks_workload_mark *w, struct ks_problem *p)
{
    bool bad = false;
    for (size_t i = 0; i < p->n_args; i++)
        bad |= p->args[i].kind == KS_ARG_BUFFER && p->args[i].count < 1;
    for (size_t i = 0; i < w->n_arrays; i++)
        bad |= goes_below(w->arrays[i].count, p);
    for (size_t i = 0; i < w->n_lets; i++)
        bad |= goes_below(w->lets[i].expr, p);
    return !bad;
}

// Columns come again from another row on.
static int64_t drawn(const int64_t (*table)[COLUMNS], int probe, size_t size)
{
    return table[((size_t)probe + size / COLUMNS) % KS_PROBES][size % COLUMNS];
}

static bool make_probes(struct binder *b, const struct extents *x, int set, bool sensible, bool round)
{
    const struct ks_brief *brief = b->brief;
    const struct ks_specimens *specimens = round ? ks_specimens_of(b->arena, brief) : NULL;
    struct ks_value sizes[MOST_SIZES];
    for (int p = 0; p < KS_PROBES; p++) {
        for (size_t i = 0; i < x->n; i++)
            sizes[i] = (struct ks_value){
                x->sizes[i].name, drawn(x->lower[i] ? few : rows[set], p, i) * (p < WHOLE_FROM ? 1 : x->parts[i]) *
                                      (round ? ks_specimens_round(specimens, brief, x->sizes[i].name) : 1)};
        if (ks_problem_make(b->arena, brief->mark, 0, brief->signature, brief->decl, sizes, x->n,
                            &b->probe[p], NULL) != KS_OK ||
            (sensible && !is_sensible(x->mark, &b->probe[p])))
            return false;
        ks_vectors_apart(&b->probe[p]);
    }
    return true;
}

enum ks_status ks_bind_probes(struct binder *b, bool round, struct ks_err *err)
{
    const struct ks_brief *brief = b->brief;
    if (!brief->mark || brief->mark->n_workloads == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: no workload says how large the arrays are",
                brief->decl->line);
    const struct extents lower = extents_of(b->arena, brief->mark);
    struct extents any = lower;
    memset(any.lower, 0, sizeof any.lower);
    if (any.n > MOST_SIZES)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: more than %d sizes", brief->decl->line, MOST_SIZES);
    for (int pass = 0; pass < 3; pass++)
        for (int set = 0; set < SETS; set++)
            if (make_probes(b, pass == 1 ? &lower : &any, set, pass < 2, round))
                return KS_OK;
    KS_FAIL(err, KS_E_UNSUPPORTED,
            "line %d: at other sizes than the declared ones arrays have no element or too many, so no size "
            "is told from another; what never varies is a set(NAME=VALUE)",
            brief->decl->line);
}

// Names are roles (ks_template_read), told by their first byte: this is asked millions of times.
bool ks_bind_role_value(void *context, const char *name, int64_t *value)
{
    const struct at_probe *a = context;
    size_t r = (unsigned char)*name - KS_ROLE_LETTER;
    if (!a->b->known[r])
        return false;
    *value = a->b->value[r][a->probe];
    return true;
}

struct naming {
    const struct binder *b;
    size_t last;
    uint64_t names;
};

static void note_name(void *context, const char *name)
{
    struct naming *n = context;
    for (size_t i = 0; i < n->b->n_order; i++)
        if (n->b->order[i] == (size_t)((unsigned char)*name - KS_ROLE_LETTER)) {
            n->names |= UINT64_C(1) << i;
            n->last = i + 1 > n->last ? i + 1 : n->last;
        }
}

static bool is_product(const struct ks_expr *e)
{
    return e->op == KS_X_NAME || e->op == KS_X_INT ||
           (e->op == KS_X_MUL && is_product(e->kid[0]) && is_product(e->kid[1]));
}

void ks_bind_condition(struct binder *b, struct ks_expr *expr, int pointer)
{
    struct naming naming = {.b = b};
    ks_expr_names(expr, note_name, &naming);
    if (b->n_conditions == MOST_CONDITIONS)
        return;
    struct condition *c = &b->conditions[b->n_conditions++];
    *c = (struct condition){
        .expr = expr, .last = naming.last, .names = naming.names, .pointer = pointer};
    bool parts = expr->op == KS_X_DIV && is_product(expr->kid[0]) && expr->kid[1]->op == KS_X_NAME;
    c->product = pointer >= 0 && (parts || is_product(expr));
    c->divisor = parts ? expr->kid[1] : NULL;
}

// The product of those factors that are known.
static int64_t known_part(const struct at_probe *a, const struct ks_expr *e)
{
    int64_t value = 1;
    if (e->op == KS_X_MUL) {
        int64_t x = known_part(a, e->kid[0]), y = known_part(a, e->kid[1]);
        return ks_mul_i64(x, y, &value) ? value : INT64_MAX;
    }
    if (e->op == KS_X_INT)
        return e->value;
    return ks_bind_role_value((void *)(uintptr_t)a, e->name, &value) ? value : 1;
}

static bool extent_fits(const struct binder *b, const struct condition *c, bool all, int probe)
{
    const struct at_probe at = {b, probe};
    const struct ks_role *role = &b->t->roles[c->pointer];
    int64_t has = ks_bind_arg(b, probe, (size_t)b->pointer[c->pointer])->count, want;
    bool exact = b->exact || role->kind != KS_ROLE_KIND_IN;
    if (!all) {
        int64_t by = 1, most;
        if (c->divisor && !ks_bind_role_value((void *)(uintptr_t)&at, c->divisor->name, &by))
            return true;
        want = known_part(&at, c->divisor ? c->expr->kid[0] : c->expr);
        // Some multiple of what is known, divided so and rounded down, must be the count.
        return want > 0 && by > 0 && ks_mul_i64(has + 1, by, &most) &&
               (exact ? (most - 1) / want * want >= most - by : want < most);
    }
    return ks_expr_eval(c->expr, ks_bind_role_value, (void *)(uintptr_t)&at, &want) &&
           want <= has && (!exact || want == has);
}

// Whether it is known that the template does not speak of the probe's sizes.
static bool is_outside(const struct binder *b, int probe)
{
    const struct at_probe at = {b, probe};
    int64_t holds;
    return b->t->domain && ks_expr_eval(b->t->domain, ks_bind_role_value, (void *)(uintptr_t)&at, &holds) && holds == 0;
}

// Of sizes that the template does not speak of an extent may be another. In the last probe sizes of which others are parts
// are multiples: it is the first that is asked.
static bool extents_fit(const struct binder *b, const struct condition *c, bool all)
{
    if (!extent_fits(b, c, all, KS_PROBES - 1))
        return false;
    for (int p = 0; p < KS_PROBES - 1; p++)
        if (!extent_fits(b, c, all, p) && !is_outside(b, p))
            return false;
    return true;
}

// Whether nothing that is known after `n` numbers speaks against them.
bool ks_bind_possible(const struct binder *b, size_t n)
{
    for (size_t i = 0; i < b->n_conditions; i++) {
        const struct condition *c = &b->conditions[i];
        if ((c->last > n && !c->product) || (n > 0 && !(c->names >> (n - 1) & 1)))
            continue;
        if (c->pointer >= 0 && b->pointer[c->pointer] < 0)
            continue;
        if (c->pointer >= 0 && !extents_fit(b, c, c->last == n))
            return false;
        for (int p = 0; c->pointer < 0 && p < KS_PROBES; p++) {
            const struct at_probe at = {b, p};
            if (!ks_expr_holds(c->expr, ks_bind_role_value, (void *)(uintptr_t)&at))
                return false;
        }
    }
    return true;
}
