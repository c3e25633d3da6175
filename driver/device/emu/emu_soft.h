// Rounding of exactly known numbers to the formats of PTX, in every mode.
#ifndef KS_EMU_SOFT_H
#define KS_EMU_SOFT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum ks_emu_rounding { KS_EMU_RN, KS_EMU_RZ, KS_EMU_RM, KS_EMU_RP, KS_EMU_RNA };

#define KS_EMU_NAN32 UINT32_C(0x7fffffff) // what single precision gives for every NaN (9.7.3)
#define KS_EMU_NAN16 UINT16_C(0x7fff)     // f16 and bf16 alike

// Rounds to a binary format of `mantissa` stored bits and `exponent` bits; returns its bits without
// NaN handling (x is no NaN). Overflow goes to infinity or the largest number, by the mode.
uint64_t ks_emu_round_to(double x, unsigned mantissa, unsigned exponent, enum ks_emu_rounding mode);
// Rounded to odd: rounding this again to at most 51 bits is rounding the exact result once.
double ks_emu_fma_odd(double a, double b, double c); // a * b exact in double
double ks_emu_int_odd(uint64_t magnitude, bool negative);

static inline float ks_emu_f32(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}
static inline uint32_t ks_emu_bits32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}
static inline double ks_emu_f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}
static inline uint64_t ks_emu_bits64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}
// Subnormal to zero of the same sign (.ftz).
static inline float ks_emu_flush(float x)
{
    uint32_t bits = ks_emu_bits32(x);
    return ks_emu_f32((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}
static inline float ks_emu_canonical(float x)
{
    return x != x ? ks_emu_f32(KS_EMU_NAN32) : x;
}
// .sat: to [0, 1], NaN to +0.
static inline float ks_emu_saturate(float x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0;
}
static inline double ks_emu_half(uint16_t bits) // f16, exact
{
    unsigned e = bits >> 10 & 31, m = bits & 1023;
    double x = e == 31 ? (m != 0 ? NAN : INFINITY)
               : e == 0 ? (double)m * 0x1p-24
                        : ks_emu_f64((uint64_t)(e + 1008) << 52 | (uint64_t)m << 42);
    return (bits & 0x8000) != 0 ? -x : x;
}
static inline float ks_emu_bf16(uint16_t bits)
{
    return ks_emu_f32((uint32_t)bits << 16);
}
static inline uint16_t ks_emu_to_half(double x, enum ks_emu_rounding mode)
{
    return x != x ? KS_EMU_NAN16 : (uint16_t)ks_emu_round_to(x, 10, 5, mode);
}
static inline uint16_t ks_emu_to_bf16(double x, enum ks_emu_rounding mode)
{
    return x != x ? KS_EMU_NAN16 : (uint16_t)ks_emu_round_to(x, 7, 8, mode);
}
static inline float ks_emu_to_f32(double x, enum ks_emu_rounding mode)
{
    return ks_emu_f32(x != x ? KS_EMU_NAN32 : (uint32_t)ks_emu_round_to(x, 23, 8, mode));
}

#endif
