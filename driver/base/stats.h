// Order statistics of paired measurements. No distribution is assumed anywhere.
#ifndef KS_STATS_H
#define KS_STATS_H

#include <stddef.h>

// Median of n values (n >= 1); the input is not changed.
double ks_median(const double *values, size_t n);

// Rank k (1-based) such that the k-th smallest of n independent values is a lower confidence bound
// of their median with error probability at most alpha: the largest k with
// P(Binomial(n, 1/2) <= k-1) <= alpha. 0 when n is too small for any bound.
// Source: the sign-test interval (e.g. Conover, Practical Nonparametric Statistics, 3.2).
size_t ks_median_lower_rank(size_t n, double alpha);

// The k-th smallest (1-based) of n values; 1 <= k <= n.
double ks_kth_smallest(const double *values, size_t n, size_t k);

// Geometric mean of positive values.
double ks_geomean(const double *values, size_t n);

#endif
