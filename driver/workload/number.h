// One number of a buffer, from its seed and its place: for the host (workload/fill.c, values.c) and for devices
// (device/trusted.cu), so that both make the same bits. IEEE operations only, each rounded by itself: neither libm, whose
// results differ between versions and processors in the last bit, nor a*b+c in one. Included by those files alone.
#ifndef KS_NUMBER_H
#define KS_NUMBER_H

#include <math.h>
#include <string.h>

#include "workload/fill.h"

#ifdef __CUDACC__
#define KS_ANYWHERE static __device__ // and a ks_hash_counter that was defined before
#else
#include "base/rng.h"
#define KS_ANYWHERE static inline
#endif

#define PRODUCT_BITS 300 // of the 1024 that double has
#define POSITION_MODULUS 4093 // prime: no stride of a tile or row lands on the same value
#define SPECIAL_ONE_IN 64
#define DENSE_ONE_IN 4
#define STRETCH_ONE_IN 2
#define LEAST_STRETCH 8
#define TINY_ONE_IN 8
#define ODD_MOST 24.0 // bits

// ---- arithmetic

KS_ANYWHERE double number_unit(uint64_t seed, uint64_t index)
{
    return (double)(ks_hash_counter(seed, index) >> 11) * 0x1p-53;
}

KS_ANYWHERE double double_of_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

// c[n-1] x^(n-1) + ... + c[0]. Coefficients are constants: a division for each would take most of the time.
KS_ANYWHERE double polynomial(const double *c, int n, double x)
{
    double sum = c[n - 1];
    for (int i = n - 2; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

// ln(x) for normal x > 0, by x = m * 2^e with m in [sqrt(1/2), sqrt(2)) and
// ln m = 2 artanh((m-1)/(m+1)). |s| <= 0.1716, so eleven terms leave less than 1e-17.
KS_ANYWHERE double natural_log(double x)
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
KS_ANYWHERE void cos_sin_turn(double turn, double *cos_out, double *sin_out)
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

KS_ANYWHERE void number_normal_pair(uint64_t seed, uint64_t pair, double out[2])
{
    // (0, 1]: the logarithm never sees zero.
    double u = ((double)(ks_hash_counter(seed, 2 * pair) >> 11) + 1.0) * 0x1p-53;
    double radius = sqrt(-2.0 * natural_log(u)); // sqrt is correctly rounded by IEEE 754
    double c, s;
    cos_sin_turn(number_unit(seed, 2 * pair + 1), &c, &s);
    out[0] = radius * c;
    out[1] = radius * s;
}

KS_ANYWHERE double number_exp2(double x)
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
KS_ANYWHERE uint64_t number_permuted(uint64_t seed, uint64_t index, uint64_t n)
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

// ---- what types hold

KS_ANYWHERE double largest(enum ks_scalar scalar)
{
    switch (scalar) {
    case KS_T_F16:
        return 65504.0;
    case KS_T_BF16:
        return 0x1.FEp127;
    case KS_T_F32:
        return 0x1.fffffep127;
    default:
        return 0x1.fffffffffffffp1023;
    }
}

// Smallest positive denormal of the type.
KS_ANYWHERE double smallest(enum ks_scalar scalar)
{
    switch (scalar) {
    case KS_T_F16:
        return 0x1p-24;
    case KS_T_BF16:
        return 0x1p-133;
    case KS_T_F32:
        return 0x1p-149;
    default:
        return 0x1p-1074;
    }
}

KS_ANYWHERE double smallest_normal(enum ks_scalar scalar)
{
    return scalar == KS_T_F16 ? 0x1p-14 : scalar == KS_T_F64 ? 0x1p-1022 : 0x1p-126;
}

// ---- declared initialisers

KS_ANYWHERE int64_t to_int(double value)
{
    if (value != value)
        return 0;
    if (value >= 0x1p63)
        return INT64_MAX;
    if (value <= -0x1p63)
        return INT64_MIN;
    return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

// ---- declared initialisers

KS_ANYWHERE int64_t randint(const struct ks_init *init, uint64_t seed, uint64_t i)
{
    int64_t lo = to_int(init->a), hi = to_int(init->b);
    if (hi < lo)
        hi = lo;
    uint64_t h = ks_hash_counter(seed, i), width = (uint64_t)hi - (uint64_t)lo;
    if (width == UINT64_MAX)
        return (int64_t)h;
    uint64_t step = (uint64_t)((unsigned __int128)h * (width + 1) >> 64);
    return (int64_t)((uint64_t)lo + step);
}

// Numbers of one buffer. Normal ones come in pairs, so the last pair is kept.
struct source {
    uint64_t seed, n; // n: scalars in the whole buffer
    uint64_t pair;    // of `normals`; UINT64_MAX: none
    double normals[2];
    bool normal;  // specials without denormals
    bool factors; // wide numbers whose product is a double
    int nearer;   // powers of two by which great and slight numbers are less so
    int bits, exponent; // of odd numbers
};

KS_ANYWHERE struct source number_source(const struct ks_init *init, uint64_t seed, uint64_t n)
{
    struct source source = {seed, n, UINT64_MAX, {0, 0}, init->normal, init->factors, init->nearer, (int)fmin(fmax(init->a, 1.0), ODD_MOST),
                            (int)fmin(fmax(init->b, 0.0), ODD_MOST)};
    return source;
}

KS_ANYWHERE double normal(struct source *source, uint64_t i)
{
    if (source->pair != i / 2)
        number_normal_pair(source->seed, i / 2, source->normals);
    source->pair = i / 2;
    return source->normals[i & 1];
}

KS_ANYWHERE double number_declared(const struct ks_init *init, struct source *source, uint64_t i)
{
    uint64_t seed = source->seed;
    switch (init->kind) {
    case KS_INIT_UNIFORM:
        return init->a + (init->b - init->a) * number_unit(seed, i);
    case KS_INIT_DEFAULT:
        return normal(source, i);
    case KS_INIT_NORMAL:
        return init->a + init->b * normal(source, i);
    case KS_INIT_RANDINT:
        return (double)randint(init, seed, i);
    case KS_INIT_IOTA:
        return init->a + init->b * (double)i;
    case KS_INIT_PERMUTATION:
        return (double)number_permuted(seed, i, source->n);
    case KS_INIT_CONSTANT:
    case KS_INIT_FILE:
    case KS_INIT_CAPTURE:
        break;
    }
    return init->a;
}

// ---- families

// A NaN hides all else from what adds or compares many numbers, so buffers take turns: any specials, without NaN
// those of one infinity or the other, one special alone among ordinary numbers (as often at an end as elsewhere), or so
// many that the first of some row is one, and both ends are. Zeros stand beside another input's specials. In stretches
// of one special, half of some two to 16 that the buffer has, whole rows and windows have no number: infinities, the
// negative one as a rule, or none at all.
enum palette {
    ANY, DENSE, PLUS, LONE = KS_FILL_LONE, MINUS, ZEROS = KS_FILL_ZEROS, STRETCHES = KS_FILL_STRETCHES,
    BLANKS = KS_FILL_BLANKS
};

KS_ANYWHERE uint64_t turn_of(uint64_t seed)
{
    return ks_hash_counter(seed ^ UINT64_C(0x5bec1a15), UINT64_MAX);
}

KS_ANYWHERE int number_palette(uint64_t seed)
{
    return (int)(turn_of(seed) % KS_FILL_PALETTES);
}

// Of either sign: who looks at that bit alone takes one of them for a number. And all ones, as arithmetic on a GPU
// makes them: who rounds the bits like a number's gets zero from that.
KS_ANYWHERE double no_number(uint64_t chance)
{
    uint64_t bits = chance & 1 ? UINT64_C(0x7fffffffffffffff) : UINT64_C(0x7ff8000000000000);
    double value;
    memcpy(&value, &bits, sizeof value);
    return chance & 2 ? -value : value;
}

KS_ANYWHERE double special(enum ks_scalar scalar, struct source *source, uint64_t i)
{
    uint64_t seed = source->seed ^ UINT64_C(0x5bec1a15), turn = turn_of(source->seed);
    enum palette palette = (enum palette)(turn % KS_FILL_PALETTES);
    uint64_t part = source->n / (UINT64_C(2) << turn / 1024 % 4), length = part > LEAST_STRETCH ? part : LEAST_STRETCH;
    bool alike = palette == STRETCHES || palette == BLANKS;
    uint64_t h = ks_hash_counter(seed, alike ? i / length : i), kind = h / SPECIAL_ONE_IN % 7;
    double least = source->normal ? smallest_normal(scalar) : smallest(scalar);
    uint64_t end = turn / 16 % 4, lone = end == 0 ? 0 : end == 1 ? source->n - 1 : turn / 64 % source->n;
    if (palette == ZEROS)
        return h & 1 ? h >> 40 & 1 ? -0.0 : 0.0 : normal(source, i);
    bool first_or_last = i == 0 || i + 1 == source->n;
    uint64_t one_in = alike ? STRETCH_ONE_IN : palette == DENSE ? DENSE_ONE_IN : SPECIAL_ONE_IN;
    if (palette == LONE ? i != lone : h % one_in != 0 && !(palette == DENSE && first_or_last))
        return normal(source, i);
    if (palette == LONE || palette == DENSE)
        kind = palette == LONE ? turn / KS_FILL_PALETTES % 3 : kind % 3;
    else if (alike) // what masks leave out is least
        kind = palette == BLANKS ? 0 : kind < 5 ? 2 : 1;
    else if (palette != ANY && kind < 3)
        kind = palette == PLUS ? 1 : 2;
    switch (kind) {
    case 0:
        return no_number(h >> 40);
    case 1:
        return (double)INFINITY;
    case 2:
        return -(double)INFINITY;
    case 3:
        return 0.0;
    case 4:
        return -0.0;
    case 5:
        return least * 3;
    default:
        return -least * 3;
    }
}

// In units of the smallest: so many that the quotient of 1 is beyond the largest, and seldom few.
KS_ANYWHERE double number_tiny(enum ks_scalar scalar, uint64_t chance)
{
    int bits = scalar == KS_T_F16 ? 7 : scalar == KS_T_BF16 ? 4 : scalar == KS_T_F32 ? 20 : 49;
    double value = smallest(scalar) * (double)(1 + (chance >> 1 & ((UINT64_C(1) << bits) - 1)));
    return chance & 1 ? -value : value;
}

KS_ANYWHERE double tiny(enum ks_scalar scalar, struct source *source, uint64_t i)
{
    uint64_t h = ks_hash_counter(source->seed ^ UINT64_C(0x71a7), i);
    if (h % TINY_ONE_IN == 0)
        return number_tiny(scalar, h / TINY_ONE_IN);
    return normal(source, i) * (scalar == KS_T_F16 ? 0x1p-4 : 0x1p-20);
}

KS_ANYWHERE double number_extreme(enum ks_scalar scalar, uint64_t chance)
{
    int low = ilogb(smallest(scalar)), high = ilogb(largest(scalar)) + 1;
    double exponent = low + (high - low) * ((double)(chance >> 12) * 0x1p-52), whole = floor(exponent);
    double size = fmin(ldexp(number_exp2(exponent - whole), (int)whole), largest(scalar));
    return chance & 1 ? -size : size;
}

// A power of two so great that no sum of normal numbers times it overflows in fp32, and each square does. None is for
// fp16, and what a sum of doubles is measured by has fp32's range.
KS_ANYWHERE double great(enum ks_scalar scalar, const struct source *source)
{
    return scalar == KS_T_F32 || scalar == KS_T_BF16 ? ldexp(1.0, KS_FILL_GREAT - source->nearer) : 1;
}

// Of either sign, and every other run of 64, 256 or 1024 of one: what begins at -1e20 is seen by rows that lie below.
KS_ANYWHERE double great_value(enum ks_scalar scalar, struct source *source, uint64_t i)
{
    double value = normal(source, i) * great(scalar, source);
    uint64_t run = i >> (6 + 2 * (turn_of(source->seed) % 3));
    return (run & 1) == 0 ? value : (run & 2) == 0 ? -fabs(value) : fabs(value);
}

// Of the upper half of such numbers, so that none has fewer bits.
KS_ANYWHERE double odd(const struct source *source, uint64_t chance)
{
    uint64_t top = UINT64_C(1) << (source->bits - 1);
    double value = ldexp((double)((chance >> 1 & (top - 1)) | top | 1), -source->exponent);
    return chance >> 63 ? -value : value;
}

KS_ANYWHERE double family_value(enum ks_family family, enum ks_scalar scalar, struct source *source,
                           uint64_t i)
{
    uint64_t seed = source->seed;
    uint64_t h = ks_hash_counter(seed, i);
    switch (family) {
    case KS_FAMILY_POSITIVE:
        return number_unit(seed, i);
    case KS_FAMILY_WIDE: {
        // binary16 ends at 2^16 and loses bits below 2^-14. Some buffers reach both; of most the products fit, for where
        // nearly all sums are infinite little else is seen.
        double span = scalar != KS_T_F16 ? 20 : turn_of(seed) % 4 == 0 ? 12 : 8;
        if (source->factors) // of all together the exponent deviates by span * sqrt(n / 3)
            span = fmin(span, PRODUCT_BITS / sqrt((double)source->n / 3));
        double power = number_exp2(-span + 2 * span * number_unit(seed, i));
        return ks_hash_counter(~seed, i) >> 63 ? -power : power;
    }
    case KS_FAMILY_POSITION:
        return (double)(i % POSITION_MODULUS);
    case KS_FAMILY_IMPULSE:
        // Zeros of either sign: who orders the bits takes one for the larger.
        return i == ks_hash_counter(seed, 0) % source->n ? 1.0 : h >> 63 ? -0.0 : 0.0;
    case KS_FAMILY_EXACT: // +-1, 3, 5, 7: sums of 2^18 products of two stay below 2^24
        return (h >> 63 ? -1.0 : 1.0) * (double)(1 + 2 * (h >> 61 & 3));
    case KS_FAMILY_POWERS:
        return (h >> 63 ? -1.0 : 1.0) * (double)(1 << (h >> 61 & 3));
    case KS_FAMILY_TINY:
        return tiny(scalar, source, i);
    case KS_FAMILY_EXTREME:
        return number_extreme(scalar, h);
    case KS_FAMILY_GREAT:
        return great_value(scalar, source, i);
    case KS_FAMILY_SLIGHT:
        return normal(source, i) / great(scalar, source);
    case KS_FAMILY_ODD:
        return odd(source, h);
    default:
        return special(scalar, source, i);
    }
}

// Number `i` of a buffer of floats, before its type rounds it.
KS_ANYWHERE double number_of(enum ks_family family, enum ks_scalar scalar, const struct ks_init *init, struct source *source,
                             uint64_t i)
{
    return family == KS_FAMILY_DECLARED || family == KS_FAMILY_LITERALS ? number_declared(init, source, i)
                                                                        : family_value(family, scalar, source, i);
}

// An interval without its end, to which a type may round: `begin` stands for that.
struct number_range {
    bool open;
    double begin, end;
};

KS_ANYWHERE struct number_range number_range(enum ks_family family, const struct ks_init *init)
{
    bool declared = family == KS_FAMILY_DECLARED || family == KS_FAMILY_LITERALS;
    struct number_range unit = {family == KS_FAMILY_POSITIVE, 0, 1};
    struct number_range own = {init->kind == KS_INIT_UNIFORM && init->b > init->a, init->a, init->b};
    return declared ? own : unit;
}

// ---- moves

KS_ANYWHERE double factor(uint64_t pattern, uint64_t index)
{
    bool back = (pattern & KS_FILL_BACK) != 0;
    pattern &= ~KS_FILL_BACK;
    int exponent = (int)(pattern >> 56);
    double move = exponent == 0 ? KS_FILL_MOVE : ldexp(1.0, -exponent), there = 1 + move;
    pattern %= KS_FILL_PATTERNS;
    if (pattern == 0)
        return 1;
    if (pattern != KS_FILL_ALIKE) {
        uint64_t bits = ks_hash_counter(pattern, index);
        double size = move * (0.5 + (double)(bits >> 11) * 0x1p-53);
        there = bits & 1 ? 1 + size : 1 - size;
    }
    return back ? 1 - (there - 1) / 2 : there;
}

// A float's sign, exponent and first ten bits behind the leading one.
KS_ANYWHERE uint64_t first_bits(double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits >> 13;
}

// To the nearest of ten bits behind the leading one.
KS_ANYWHERE double shortened(double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    bits = (bits + 0x1000) & ~UINT32_C(0x1fff);
    memcpy(&narrow, &bits, sizeof narrow);
    return isfinite(narrow) ? (double)narrow : value;
}

KS_ANYWHERE double number_moved(double value, uint64_t pattern, uint64_t index)
{
    if (!(pattern & KS_FILL_UNITS))
        return value * factor(pattern, pattern & KS_FILL_BY_NUMBER ? first_bits(value) : index);
    if (pattern != KS_FILL_UNITS)
        return ks_hash_counter(pattern, index) % (pattern - KS_FILL_UNITS) == 0 ? shortened(value) : value;
    return isfinite(value) && value != 0 ? copysign(1.0, value) : value;
}

// What a filling that is `wide` or `single` keeps of number `index`.
KS_ANYWHERE double number_kept(const struct ks_filling *filling, double value, uint64_t index)
{
    if (!filling->single)
        return number_moved(value, filling->nudge, index);
    return filling->elem.scalar == KS_T_F32 ? (double)(float)number_moved(value, filling->nudge, index) : value;
}

// ---- signs

// Whether the magnitude of number `i` is made negative: by chance, where there is a pattern.
KS_ANYWHERE bool number_negative(uint64_t pattern, uint64_t i)
{
    return pattern != 0 && (ks_hash_counter(pattern, i) & 1) != 0;
}

#endif
