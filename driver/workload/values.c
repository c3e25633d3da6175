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
    double s = (m - 1.0) / (m + 1.0), q = s * s, sum = 0.0;
    for (int k = 23; k >= 1; k -= 2)
        sum = sum * q + 1.0 / k;
    return 2.0 * s * sum + e * 0.693147180559945309;
}

// cos and sin of 2*pi*turn for turn in [0, 1): the nearest eighth is taken out exactly, Taylor
// series on |angle| <= pi/4 leave less than 1e-16.
static void cos_sin_turn(double turn, double *cos_out, double *sin_out)
{
    int quadrant = (int)(turn * 4.0 + 0.5); // 0..4
    double x = (turn - quadrant * 0.25) * 6.283185307179586477, q = x * x;
    double c = 0.0, s = 0.0;
    for (int k = 18; k >= 2; k -= 2) {
        c = (1.0 + c) * (-q / (k * (k - 1)));
        s = (1.0 + s) * (-q / (k * (k + 1)));
    }
    c = 1.0 + c;
    s = x * (1.0 + s);
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
    double t = (x - whole) * 0.693147180559945309, sum = 1.0;
    for (int k = 16; k >= 1; k--)
        sum = 1.0 + sum * t / k;
    return sum * double_of_bits((uint64_t)(whole + 1023) << 52);
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
