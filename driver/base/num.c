#include "base/num.h"

#include <string.h>

bool ks_add_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out = sum;
    return true;
}

bool ks_sub_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t difference;
    if (__builtin_sub_overflow(a, b, &difference))
        return false;
    *out = difference;
    return true;
}

bool ks_mul_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out = product;
    return true;
}

bool ks_mul_size(size_t a, size_t b, size_t *out)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out = product;
    return true;
}

bool ks_add_size(size_t a, size_t b, size_t *out)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out = sum;
    return true;
}

bool ks_is_whole(double value)
{
    const double first_without_fraction = 0x1p52;
    if (value > -first_without_fraction && value < first_without_fraction)
        return (double)(int64_t)value == value;
    return value == value;
}

size_t ks_align_up(size_t n, size_t align)
{
    return (n + align - 1) & ~(align - 1);
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float ks_f16_to_f32(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
    uint32_t exponent = (bits >> 10) & 0x1fu;
    uint32_t mantissa = bits & 0x3ffu;
    if (exponent == 0x1f) // infinity and NaN; the payload stays
        return bits_float(sign | 0x7f800000u | mantissa << 13);
    if (exponent == 0) { // zero and subnormals: mantissa * 2^-24, exact in binary32
        float magnitude = (float)mantissa * 0x1p-24f;
        return bits_float(sign | float_bits(magnitude));
    }
    return bits_float(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
}

// Drops the low `shift` bits (1..31), rounding to nearest, ties to even.
static uint32_t shift_right_even(uint32_t value, unsigned shift)
{
    uint32_t half = 1u << (shift - 1);
    uint32_t rest = value & ((half << 1) - 1);
    uint32_t kept = value >> shift;
    return kept + (rest > half || (rest == half && (kept & 1u)));
}

uint16_t ks_f32_to_f16(float value)
{
    uint32_t bits = float_bits(value);
    uint32_t sign = (bits >> 16) & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) // NaN: keep the payload's head, and stay a NaN
        return (uint16_t)(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
    if (magnitude >= 0x47800000u) // 65536 and above, infinity included
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude >=
        0x38800000u) // normal in binary16; a carry out of the mantissa is the next exponent
        return (uint16_t)(sign | shift_right_even(magnitude - (112u << 23), 13));
    uint32_t exponent = magnitude >> 23;
    if (exponent < 102) // below half of the smallest subnormal, 2^-25
        return (uint16_t)sign;
    uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    return (uint16_t)(sign | shift_right_even(mantissa, 126 - exponent));
}

float ks_bf16_to_f32(uint16_t bits)
{
    return bits_float((uint32_t)bits << 16);
}

uint16_t ks_f32_to_bf16(float value)
{
    uint32_t bits = float_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) // NaN must not round to infinity
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)shift_right_even(bits, 16);
}
