#include "base/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *sorted_copy(const double *values, size_t n)
{
    KS_ASSERT(n >= 1 && n <= SIZE_MAX / sizeof *values);
    double *copy = malloc(n * sizeof *copy);
    KS_ASSERT(copy != NULL);
    memcpy(copy, values, n * sizeof *copy);
    qsort(copy, n, sizeof *copy, compare_doubles);
    return copy;
}

double ks_median(const double *values, size_t n)
{
    double *sorted = sorted_copy(values, n);
    double median = n % 2 == 1 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
    free(sorted);
    return median;
}

double ks_kth_smallest(const double *values, size_t n, size_t k)
{
    KS_ASSERT(k >= 1 && k <= n);
    double *sorted = sorted_copy(values, n);
    double value = sorted[k - 1];
    free(sorted);
    return value;
}

// log C(n, i) - n log 2, so that n in the thousands does not underflow.
static double log_binomial_half(size_t n, size_t i)
{
    double dn = (double)n, di = (double)i;
    int sign;
    return lgamma_r(dn + 1, &sign) - lgamma_r(di + 1, &sign) - lgamma_r(dn - di + 1, &sign) -
           dn * log(2.0);
}

size_t ks_median_lower_rank(size_t n, double alpha)
{
    double below = 0; // P(X <= k - 1)
    size_t k = 0;
    while (k < n) {
        below += exp(log_binomial_half(n, k));
        // An exact tie, as alpha = 2^-n for k = 1, must not be lost to rounding in the logarithms.
        if (below > alpha * (1 + 1e-9))
            break;
        k++;
    }
    return k;
}

double ks_geomean(const double *values, size_t n)
{
    KS_ASSERT(n >= 1);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        KS_ASSERT(values[i] > 0);
        sum += log(values[i]);
    }
    return exp(sum / (double)n);
}
