#include "workload/values.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

double ks_value_unit(uint64_t seed, uint64_t index)
{
    return (double)(ks_hash_counter(seed, index) >> 11) * 0x1p-53;
}

static double double_of_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

// c[n-1] x^(n-1) + ... + c[0]. Coefficients are constants: a division for each would take most of the time.
static inline double polynomial(const double *c, int n, double x)
{
    double sum = c[n - 1];
    for (int i = n - 2; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

// ln(x) for normal x > 0, by x = m * 2^e with m in [sqrt(1/2), sqrt(2)) and
// ln m = 2 artanh((m-1)/(m+1)). |s| <= 0.1716, so eleven terms leave less than 1e-17.
static double natural_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int e = (int)(bits >> 52) - 1023;
    double m = double_of_bits((bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1023) << 52);
    if (m >= 1.4142135623730951) {
        m *= 0.5;
        e++;
    }
    static const double odd[] = {1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11,
                                 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
    double s = (m - 1.0) / (m + 1.0);
    return 2.0 * s * polynomial(odd, 12, s * s) + e * 0.693147180559945309;
}

// cos and sin of 2*pi*turn for turn in [0, 1): the nearest eighth is taken out exactly, Taylor
// series on |angle| <= pi/4 leave less than 1e-16.
static void cos_sin_turn(double turn, double *cos_out, double *sin_out)
{
    int quadrant = (int)(turn * 4.0 + 0.5); // 0..4
    static const double cosine[] = { // (-1)^k / (2k)!
        1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200,
        1.0 / 20922789888000, -1.0 / 6402373705728000};
    static const double sine[] = { // (-1)^k / (2k + 1)!
        1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800,
        -1.0 / 1307674368000, 1.0 / 355687428096000, -1.0 / 121645100408832000};
    double x = (turn - quadrant * 0.25) * 6.283185307179586477, q = x * x;
    double c = polynomial(cosine, 10, q), s = x * polynomial(sine, 10, q);
    switch (quadrant & 3) {
    case 0:
        *cos_out = c, *sin_out = s;
        break;
    case 1:
        *cos_out = -s, *sin_out = c;
        break;
    case 2:
        *cos_out = -c, *sin_out = -s;
        break;
    default:
        *cos_out = s, *sin_out = -c;
    }
}

void ks_value_normal_pair(uint64_t seed, uint64_t pair, double out[2])
{
    // (0, 1]: the logarithm never sees zero.
    double u = ((double)(ks_hash_counter(seed, 2 * pair) >> 11) + 1.0) * 0x1p-53;
    double radius = sqrt(-2.0 * natural_log(u)); // sqrt is correctly rounded by IEEE 754
    double c, s;
    cos_sin_turn(ks_value_unit(seed, 2 * pair + 1), &c, &s);
    out[0] = radius * c;
    out[1] = radius * s;
}

double ks_value_exp2(double x)
{
    int whole = (int)(x + (x < 0 ? -0.5 : 0.5)); // |rest| <= 1/2
    static const double power[] = { // 1 / k!
        1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
        1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200, 1.0 / 1307674368000,
        1.0 / 20922789888000};
    double t = (x - whole) * 0.693147180559945309;
    return polynomial(power, 17, t) * double_of_bits((uint64_t)(whole + 1023) << 52);
}

// Balanced Feistel network on 2*half bits; values outside 0..n-1 walk on until they fall inside,
// which keeps it a bijection (Black, Rogaway 2002). At most four times n values: 4 steps on average.
uint64_t ks_value_permuted(uint64_t seed, uint64_t index, uint64_t n)
{
    unsigned half = 1;
    while (half < 31 && UINT64_C(1) << (2 * half) < n)
        half++;
    uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = index >> half, right = index & mask;
        for (uint64_t round = 0; round < 6; round++) {
            uint64_t next = left ^ (ks_hash_counter(seed + (round << 56), right) & mask);
            left = right;
            right = next;
        }
        index = left << half | right;
    } while (index >= n);
    return index;
}
