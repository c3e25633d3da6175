#include "device/emu/emu_soft.h"

uint64_t ks_emu_round_to(double x, unsigned mantissa, unsigned exponent, enum ks_emu_rounding mode)
{
    const uint64_t bits = ks_emu_bits64(x);
    const uint64_t sign = bits >> 63;
    const int bias = (1 << (exponent - 1)) - 1;
    const uint64_t infinity = ((UINT64_C(1) << exponent) - 1) << mantissa;
    const uint64_t top = sign << (mantissa + exponent);
    int e = (int)(bits >> 52 & 2047) - 1023;
    uint64_t significand = bits & ((UINT64_C(1) << 52) - 1);
    if (e == 1024)
        return top | infinity;
    if (e == -1023) { // zero, or smaller than any format's least number
        if (significand == 0)
            return top;
        e = -1022;
    } else {
        significand |= UINT64_C(1) << 52;
    }
    int shift = 52 - (int)mantissa + (e < 1 - bias ? 1 - bias - e : 0);
    uint64_t kept = shift > 62 ? 0 : significand >> shift;
    uint64_t rest = shift > 62 ? 1 : significand & ((UINT64_C(1) << shift) - 1);
    uint64_t half = shift > 62 ? 2 : shift == 0 ? 0 : UINT64_C(1) << (shift - 1);
    bool up = false;
    if (mode == KS_EMU_RN)
        up = rest > half || (rest == half && rest != 0 && (kept & 1) != 0);
    else if (mode == KS_EMU_RNA)
        up = rest >= half && rest != 0;
    else if (mode == KS_EMU_RM)
        up = rest != 0 && sign != 0;
    else if (mode == KS_EMU_RP)
        up = rest != 0 && sign == 0;
    uint64_t packed = kept + (up ? 1 : 0);
    if (e >= 1 - bias)
        packed += (uint64_t)(e + bias - 1) << mantissa;
    if (packed >= infinity) {
        bool largest = mode == KS_EMU_RZ || (mode == KS_EMU_RM && sign == 0) ||
                       (mode == KS_EMU_RP && sign != 0);
        packed = largest ? infinity - 1 : infinity;
    }
    return top | packed;
}

double ks_emu_fma_odd(double a, double b, double c)
{
    double p = a * b, s = p + c;
    double v = s - p, error = (p - (s - v)) + (c - v); // two-sum: s + error is exact
    if (!isfinite(s) || error == 0 || (ks_emu_bits64(s) & 1) != 0)
        return s;
    // Towards the error's side, to the neighbour, which is odd.
    bool away = (error > 0) == (s > 0);
    return ks_emu_f64(away ? ks_emu_bits64(s) + 1 : ks_emu_bits64(s) - 1);
}

double ks_emu_int_odd(uint64_t magnitude, bool negative)
{
    uint64_t kept = magnitude;
    if (magnitude >> 53 != 0)
        kept = (magnitude & ~UINT64_C(2047)) | ((magnitude & 2047) != 0 ? 2048 : 0);
    double x = (double)kept;
    return negative ? -x : x;
}
