// The probes, and what sizes an assignment of numbers to roles must and can have there.
#include "base/num.h"
#include "engine/binder.h"
#include "engine/specimen.h"

enum ks_status ks_bind_probes(struct binder *b, bool round, struct ks_err *err)
{
    // No two columns are tied by a line with integer slope: primes, and rows that leave other
    // remainders, so that a quotient is no line. The smaller ones are for arrays of so many
    // dimensions that the others would be too large, the larger ones for launches of n / 1024
    // blocks.
    enum { KINDS = 3 };
    static const int64_t rows[KINDS][KS_PROBES][8] = {
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
    struct ks_value *sizes;
    const struct ks_brief *brief = b->brief;
    if (!brief->mark || brief->mark->n_workloads == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: no workload says how large the arrays are",
                brief->decl->line);
    size_t n = ks_problem_sizes(b->arena, brief->mark, 0, &sizes);
    enum ks_status status = KS_OK;
    const struct ks_specimens *specimens = round ? ks_specimens_of(b->arena, brief) : NULL;
    for (int kind = 0; kind < KINDS; kind++) {
        status = KS_OK;
        for (int p = 0; p < KS_PROBES && status == KS_OK; p++) {
            for (size_t i = 0; i < n; i++)
                sizes[i].value = rows[kind][p][i % 8] *
                                 (round ? ks_specimens_round(specimens, brief, sizes[i].name) : 1);
            status = ks_problem_make(b->arena, brief->mark, 0, brief->signature, brief->decl, sizes,
                                     n, &b->probe[p], err);
        }
        if (status == KS_OK)
            return KS_OK;
    }
    return status;
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

// Whether nothing that is known after `n` numbers speaks against them.
bool ks_bind_possible(const struct binder *b, size_t n)
{
    for (size_t i = 0; i < b->n_conditions; i++) {
        const struct condition *c = &b->conditions[i];
        if ((c->last > n && !c->product) || (n > 0 && !(c->names >> (n - 1) & 1)))
            continue;
        if (c->pointer >= 0 && b->pointer[c->pointer] < 0)
            continue;
        for (int p = 0; p < KS_PROBES; p++) {
            const struct at_probe at = {b, p};
            if (c->pointer >= 0
                    ? !extent_fits(b, c, c->last == n, p)
                    : !ks_expr_holds(c->expr, ks_bind_role_value, (void *)(uintptr_t)&at))
                return false;
        }
    }
    return true;
}
