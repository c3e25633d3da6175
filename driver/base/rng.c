#include "base/rng.h"

#include <errno.h>
#include <sys/random.h>

#include "base/status.h"

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

static uint64_t rotl(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

// splitmix64's output function (Steele, Lea, Flood 2014; constants by Stafford, variant 13).
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void ks_rng_seed(struct ks_rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        rng->s[i] = mix(seed += GOLDEN);
}

// xoshiro256** 1.0 (Blackman, Vigna; prng.di.unimi.it).
uint64_t ks_rng_next(struct ks_rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rotl(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

// Lemire, "Fast random integer generation in an interval" (2019): rejects the few products whose
// low half falls into the incomplete last interval.
uint64_t ks_rng_below(struct ks_rng *rng, uint64_t n)
{
    KS_ASSERT(n > 0);
    unsigned __int128 product = (unsigned __int128)ks_rng_next(rng) * n;
    if ((uint64_t)product < n) {
        uint64_t threshold = (0 - n) % n;
        while ((uint64_t)product < threshold)
            product = (unsigned __int128)ks_rng_next(rng) * n;
    }
    return (uint64_t)(product >> 64);
}

double ks_rng_unit(struct ks_rng *rng)
{
    return (double)(ks_rng_next(rng) >> 11) * 0x1p-53;
}

uint64_t ks_hash_counter(uint64_t seed, uint64_t index)
{
    return mix(seed + index * GOLDEN + GOLDEN);
}

uint64_t ks_seed_from_os(void)
{
    uint64_t seed;
    ssize_t n;
    do
        n = getrandom(&seed, sizeof seed, 0);
    while (n < 0 && errno == EINTR);
    KS_ASSERT(n == (ssize_t)sizeof seed);
    return seed;
}

uint64_t ks_seed_to_tell(void)
{
    uint64_t seed = ks_seed_from_os() >> 11;
    return seed + (seed == 0);
}
