// Random numbers: a seedable stream (xoshiro256**) for reproducible choices, a counter-based hash
// for data that may be generated in any order and on any number of threads, and OS seeds.
#ifndef KS_RNG_H
#define KS_RNG_H

#include <stdint.h>

struct ks_rng {
    uint64_t s[4];
};

// State filled from one seed with splitmix64, as the generator's authors advise.
void ks_rng_seed(struct ks_rng *rng, uint64_t seed);
uint64_t ks_rng_next(struct ks_rng *rng);
// Uniform in [0, n), without modulo bias; n > 0.
uint64_t ks_rng_below(struct ks_rng *rng, uint64_t n);
double ks_rng_unit(struct ks_rng *rng); // [0, 1), 53 bits

// 64 well-mixed bits that depend only on (seed, index): output number `index` (from 0) of the
// splitmix64 generator started at `seed`, that is mix(seed + (index + 1) * 0x9e3779b97f4a7c15).
uint64_t ks_hash_counter(uint64_t seed, uint64_t index);

// From the operating system; never repeats in practice. Aborts if the kernel gives none.
uint64_t ks_seed_from_os(void);
// Of those what a reader of JSON keeps, whose numbers are doubles: for seeds that are told. Not 0.
uint64_t ks_seed_to_tell(void);

#endif
