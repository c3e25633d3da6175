#include "verify/harvest.h"

#include <ctype.h>
#include <stdlib.h>

#define MAX_MODULUS 4096

static void add_constant(int64_t value, int64_t *out, size_t *n, size_t max)
{
    if (value < 2 || value > 65536)
        return;
    for (size_t i = 0; i < *n; i++)
        if (out[i] == value)
            return;
    if (*n < max)
        out[(*n)++] = value;
}

static bool no_names(void *context, const char *name, int64_t *value)
{
    (void)context, (void)name, (void)value;
    return false;
}

// The threads of a launch that does not depend on sizes: a step of grid-stride loops. 0: it does.
static int64_t fixed_threads(const struct ks_step *step)
{
    int64_t threads = 1, value;
    for (int d = 0; d < 6; d++) {
        const struct ks_expr *e = d < 3 ? step->grid[d] : step->block[d - 3];
        if (e == NULL)
            continue;
        if (!ks_expr_eval(e, no_names, NULL, &value) || value < 1 || value > INT32_MAX || threads > INT32_MAX)
            return 0;
        threads *= value;
    }
    return threads;
}

static void from_expr(const struct ks_expr *e, int64_t *out, size_t *n, size_t max)
{
    int64_t value;
    if (e == NULL)
        return;
    if (ks_expr_eval(e, no_names, NULL, &value)) // 3*64 is one, too
        add_constant(value, out, n, max);
    for (int i = 0; i < 4; i++)
        from_expr(e->kid[i], out, n, max);
}

size_t ks_harvest_constants(const struct ks_proposal *proposal, int64_t *out, size_t max)
{
    size_t n = 0;
    from_expr(proposal->when, out, &n, max);
    for (size_t i = 0; i < proposal->n_steps; i++) {
        const struct ks_step *step = &proposal->steps[i];
        for (int d = 0; d < 3; d++) {
            from_expr(step->grid[d], out, &n, max);
            from_expr(step->block[d], out, &n, max);
        }
        add_constant(fixed_threads(step), out, &n, max);
        for (size_t a = 0; a < step->n_args; a++)
            from_expr(step->args[a], out, &n, max);
    }
    const char *p = proposal->source == NULL ? "" : proposal->source;
    while (*p != '\0') {
        if (isalpha((unsigned char)*p) || *p == '_') {
            while (isalnum((unsigned char)*p) || *p == '_')
                p++;
        } else if (isdigit((unsigned char)*p)) {
            char *end;
            long long value = strtoll(p, &end, 0);
            if (*end != '.' && *end != 'e' && *end != 'f')
                add_constant(value, out, &n, max);
            p = end;
            while (isalnum((unsigned char)*p) || *p == '.')
                p++;
        } else {
            p++;
        }
    }
    return n;
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static int64_t join_moduli(int64_t a, int64_t b)
{
    int64_t lcm = a / gcd(a, b) * b;
    return lcm <= MAX_MODULUS ? lcm : a;
}

static void moduli(const struct ks_expr *e, int64_t *m)
{
    if (e == NULL)
        return;
    if (e->op == KS_X_MOD && e->kid[1]->op == KS_X_INT && e->kid[1]->value > 1 &&
        e->kid[1]->value <= MAX_MODULUS)
        *m = join_moduli(*m, e->kid[1]->value);
    for (int i = 0; i < 4; i++)
        moduli(e->kid[i], m);
}

int64_t ks_guard_modulus(const struct ks_expr *when)
{
    int64_t m = 1;
    moduli(when, &m);
    return m;
}

int64_t ks_judge_modulus(const struct ks_judge *judge, const struct ks_proposal *proposal)
{
    const struct ks_mark *mark = judge->kernel->mark->mark;
    int64_t m = proposal != NULL ? ks_guard_modulus(proposal->when) : 1;
    for (size_t i = 0; i < mark->n_assumes; i++)
        m = join_moduli(m, ks_guard_modulus(mark->assumes[i]));
    return m;
}
