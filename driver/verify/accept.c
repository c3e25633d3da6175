#include "verify/accept.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "base/status.h"

const struct ks_accept_rule ks_rule_search = {0.01, 1.01, 0.99, 0.3};
const struct ks_accept_rule ks_rule_confirm = {0.001, 1.01, 0.99, 0.3};

struct ks_accept_rule ks_rule_claim(int n)
{
    struct ks_accept_rule rule = ks_rule_confirm;
    rule.alpha = ldexp(rule.alpha, 1 - n);
    return rule;
}

#define LONG_US 10e3

size_t ks_look_pairs(int look, double us)
{
    static const size_t pairs[KS_LOOKS] = {51, 101, 201, 401};
    return pairs[look] >> (us > 5 * LONG_US ? 3 : us > 2 * LONG_US ? 2 : us > LONG_US);
}

void ks_paired_of(const double *a, const double *b, size_t n, double alpha,
                  struct ks_paired *paired)
{
    KS_ASSERT(n >= 1);
    double *work = malloc(n * sizeof *work);
    KS_ASSERT(work != NULL);
    size_t rank = ks_median_lower_rank(n, alpha);
    *paired = (struct ks_paired){.pairs = n, .a_us = ks_median(a, n), .b_us = ks_median(b, n)};
    for (size_t i = 0; i < n; i++)
        work[i] = a[i] / b[i];
    paired->ratio = ks_median(work, n);
    paired->lower = rank > 0 ? ks_kth_smallest(work, n, rank) : 0;
    paired->upper = rank > 0 ? ks_kth_smallest(work, n, n + 1 - rank) : INFINITY;
    for (size_t i = 0; i < n; i++)
        work[i] = a[i] - b[i];
    paired->gain_us = ks_median(work, n);
    free(work);
}

enum ks_look ks_accept_look(const struct ks_accept_rule *rule, int look, const double *a,
                            const double *b, size_t n, struct ks_paired *paired)
{
    ks_paired_of(a, b, n, rule->alpha / KS_LOOKS, paired);
    if (paired->upper < rule->loss)
        return KS_LOOK_LOSS;
    if (paired->upper < rule->gain)
        return KS_LOOK_NO_GAIN;
    if (look > 0 && paired->lower > rule->gain)
        return paired->gain_us > rule->min_us ? KS_LOOK_WIN : KS_LOOK_NO_GAIN;
    return look + 1 < KS_LOOKS ? KS_LOOK_MORE : KS_LOOK_OPEN;
}

double ks_control_differs(const double *a, const double *b, size_t n)
{
    struct ks_paired paired;
    ks_paired_of(a, b, n, 0.01, &paired);
    return fabs(paired.ratio - 1);
}
