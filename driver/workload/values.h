// One number from one counter: the arithmetic behind fill.c, made of IEEE operations only, so that
// the same bits come out on every machine. libm is not used: its results differ between versions
// and processors in the last bit.
#ifndef KS_VALUES_H
#define KS_VALUES_H

#include <stdint.h>

// [0, 1), 53 bits.
double ks_value_unit(uint64_t seed, uint64_t index);
// Standard normal pair by Box-Muller from the counters 2*pair and 2*pair+1; out[0] and out[1].
void ks_value_normal_pair(uint64_t seed, uint64_t pair, double out[2]);
// 2^x for |x| < 1000, relative error below 1e-15.
double ks_value_exp2(double x);
// Position `index` of a permutation of 0..n-1 chosen by `seed`; index < n <= 2^62.
uint64_t ks_value_permuted(uint64_t seed, uint64_t index, uint64_t n);

#endif
