// Single and double precision, rounded to nearest (PTX ISA 9.7.3). The other modes: emu_round.c.

#include "device/emu/emu_alu.h"
#include "device/emu/emu_soft.h"

typedef float f32;
typedef double f64;

#define FLUSH ks_emu_flush
#define SAME(x) (x)
#define CANON(x) ks_emu_canonical(x)
#define SAT(x) ks_emu_saturate(x)

// One operation in its four kinds: plain, .ftz, .sat, .ftz.sat.
#define F32_2(name, expr)                                                                         \
    KS_EMU_OP2(name##_f32, f32, f32, f32, CANON(expr(SAME, a, b)))                                \
    KS_EMU_OP2(name##_f32_ftz, f32, f32, f32, CANON(FLUSH(expr(FLUSH, a, b))))                    \
    KS_EMU_OP2(name##_f32_sat, f32, f32, f32, SAT(expr(SAME, a, b)))                              \
    KS_EMU_OP2(name##_f32_ftz_sat, f32, f32, f32, SAT(FLUSH(expr(FLUSH, a, b))))
#define ADD(F, a, b) (F(a) + F(b))
#define SUB(F, a, b) (F(a) - F(b))
#define MUL(F, a, b) (F(a) * F(b))
F32_2(add, ADD)
F32_2(sub, SUB)
F32_2(mul, MUL)
KS_EMU_OP2(add_f64, f64, f64, f64, a + b)
KS_EMU_OP2(sub_f64, f64, f64, f64, a - b)
KS_EMU_OP2(mul_f64, f64, f64, f64, a *b)

// fma once rounded: by the processor's instruction where it has one, else by the library.
#if defined(__x86_64__)
#define FMA_TARGET __attribute__((target("avx2,fma")))
#define HAS_FMA __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2")
#else
#define FMA_TARGET
#define HAS_FMA false
#endif
#define FMA(name, T, fn, IN, OUT)                                                                 \
    KS_EMU_OP3(name##_slow, T, T, T, T, OUT(fn(IN(a), IN(b), IN(c))))                             \
    FMA_TARGET KS_EMU_OP3(name##_fast, T, T, T, T, OUT(fn(IN(a), IN(b), IN(c))))                  \
    static void name(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)     \
    {                                                                                             \
        if (HAS_FMA)                                                                              \
            name##_fast(warp, inst, mask);                                                        \
        else                                                                                      \
            name##_slow(warp, inst, mask);                                                        \
    }
#define CANON_FLUSH(x) CANON(FLUSH(x))
#define SAT_FLUSH(x) SAT(FLUSH(x))
FMA(fma_f32, f32, __builtin_fmaf, SAME, CANON)
FMA(fma_f32_ftz, f32, __builtin_fmaf, FLUSH, CANON_FLUSH)
FMA(fma_f32_sat, f32, __builtin_fmaf, SAME, SAT)
FMA(fma_f32_ftz_sat, f32, __builtin_fmaf, FLUSH, SAT_FLUSH)
FMA(fma_f64, f64, __builtin_fma, SAME, SAME)

// Two singles side by side in 64 bits (sm_100): .f32x2.
static uint64_t two(f32 low, f32 high)
{
    return (uint64_t)ks_emu_bits32(high) << 32 | ks_emu_bits32(low);
}
#define LOW(x) ks_emu_f32((uint32_t)(x))
#define HIGH(x) ks_emu_f32((uint32_t)((x) >> 32))
#define F32X2(name, suffix, F, OUT)                                                               \
    KS_EMU_OP2(sub_f32x2##suffix, uint64_t, uint64_t, uint64_t,                                   \
               two(OUT(F(LOW(a)) - F(LOW(b))), OUT(F(HIGH(a)) - F(HIGH(b)))))                     \
    KS_EMU_OP2(add_f32x2##suffix, uint64_t, uint64_t, uint64_t,                                   \
               two(OUT(F(LOW(a)) + F(LOW(b))), OUT(F(HIGH(a)) + F(HIGH(b)))))                     \
    KS_EMU_OP2(mul_f32x2##suffix, uint64_t, uint64_t, uint64_t,                                   \
               two(OUT(F(LOW(a)) * F(LOW(b))), OUT(F(HIGH(a)) * F(HIGH(b)))))                     \
    KS_EMU_OP3(fma_f32x2##suffix, uint64_t, uint64_t, uint64_t, uint64_t,                         \
               two(OUT(__builtin_fmaf(F(LOW(a)), F(LOW(b)), F(LOW(c)))),                          \
                   OUT(__builtin_fmaf(F(HIGH(a)), F(HIGH(b)), F(HIGH(c))))))
F32X2(f32x2, , SAME, CANON)
F32X2(f32x2, _ftz, FLUSH, CANON_FLUSH)

// Division and roots round once as IEEE 754 asks (9.7.3.8, .13, .14).
KS_EMU_OP2(div_f32, f32, f32, f32, CANON(a / b))
KS_EMU_OP2(div_f32_ftz, f32, f32, f32, CANON_FLUSH(FLUSH(a) / FLUSH(b)))
KS_EMU_OP2(div_f64, f64, f64, f64, a / b)
KS_EMU_OP1(rcp_f32, f32, f32, CANON(1.0f / a))
KS_EMU_OP1(rcp_f32_ftz, f32, f32, CANON_FLUSH(1.0f / FLUSH(a)))
KS_EMU_OP1(rcp_f64, f64, f64, 1.0 / a)
KS_EMU_OP1(sqrt_f32, f32, f32, CANON(__builtin_sqrtf(a)))
KS_EMU_OP1(sqrt_f32_ftz, f32, f32, CANON_FLUSH(__builtin_sqrtf(FLUSH(a))))
KS_EMU_OP1(sqrt_f64, f64, f64, __builtin_sqrt(a))

KS_EMU_OP1(neg_f32, uint32_t, uint32_t, a ^ 0x80000000)
KS_EMU_OP1(neg_f32_ftz, uint32_t, f32, ks_emu_bits32(FLUSH(a)) ^ 0x80000000)
KS_EMU_OP1(abs_f32, uint32_t, uint32_t, a & 0x7fffffff)
KS_EMU_OP1(abs_f32_ftz, uint32_t, f32, ks_emu_bits32(FLUSH(a)) & 0x7fffffff)
KS_EMU_OP1(neg_f64, uint64_t, uint64_t, a ^ UINT64_C(0x8000000000000000))
KS_EMU_OP1(abs_f64, uint64_t, uint64_t, a & UINT64_C(0x7fffffffffffffff))
// copysign d, a, b: the sign of a on the magnitude of b (9.7.3.2).
KS_EMU_OP2(copysign_f32, uint32_t, uint32_t, uint32_t, (a & 0x80000000) | (b & 0x7fffffff))
KS_EMU_OP2(copysign_f64, uint64_t, uint64_t, uint64_t,
           (a & UINT64_C(0x8000000000000000)) | (b & UINT64_C(0x7fffffffffffffff)))

// min and max (9.7.3.11, .12): a number beats NaN, -0 is less than +0; .NaN: NaN beats all.
static f32 least(f32 a, f32 b)
{
    if (a != a || b != b)
        return a != a ? (b != b ? ks_emu_f32(KS_EMU_NAN32) : b) : a;
    return a < b || (a == b && signbit(a)) ? a : b;
}
static f32 most(f32 a, f32 b)
{
    if (a != a || b != b)
        return a != a ? (b != b ? ks_emu_f32(KS_EMU_NAN32) : b) : a;
    return a > b || (a == b && !signbit(a)) ? a : b;
}
static f64 least64(f64 a, f64 b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    return a < b || (a == b && signbit(a)) ? a : b;
}
static f64 most64(f64 a, f64 b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    return a > b || (a == b && !signbit(a)) ? a : b;
}
#define NAN_OR(x) (a != a || b != b ? ks_emu_f32(KS_EMU_NAN32) : (x))
KS_EMU_OP2(min_f32, f32, f32, f32, least(a, b))
KS_EMU_OP2(max_f32, f32, f32, f32, most(a, b))
KS_EMU_OP2(min_f32_ftz, f32, f32, f32, least(FLUSH(a), FLUSH(b)))
KS_EMU_OP2(max_f32_ftz, f32, f32, f32, most(FLUSH(a), FLUSH(b)))
KS_EMU_OP2(min_nan_f32, f32, f32, f32, NAN_OR(least(a, b)))
KS_EMU_OP2(max_nan_f32, f32, f32, f32, NAN_OR(most(a, b)))
KS_EMU_OP2(min_ftz_nan_f32, f32, f32, f32, NAN_OR(least(FLUSH(a), FLUSH(b))))
KS_EMU_OP2(max_ftz_nan_f32, f32, f32, f32, NAN_OR(most(FLUSH(a), FLUSH(b))))
// Of three operands (sm_100), and with .abs; .xorsign.abs: the sign is that of the operands' product.
#define NAN_OR3(x) (a != a || b != b || c != c ? ks_emu_f32(KS_EMU_NAN32) : (x))
static f32 crossed(f32 size, f32 a, f32 b)
{
    return size != size ? size : copysignf(size, signbit(a) != signbit(b) ? -1.0f : 1.0f);
}
#define KINDS(op, of, suffix, F)                                                                  \
    KS_EMU_OP3(op##3##suffix, f32, f32, f32, f32, of(of(F(a), F(b)), F(c)))                       \
    KS_EMU_OP3(op##3_nan##suffix, f32, f32, f32, f32, NAN_OR3(of(of(F(a), F(b)), F(c))))          \
    KS_EMU_OP3(op##3_abs##suffix, f32, f32, f32, f32, of(of(fabsf(F(a)), fabsf(F(b))), fabsf(F(c)))) \
    KS_EMU_OP3(op##3_nan_abs##suffix, f32, f32, f32, f32,                                         \
               NAN_OR3(of(of(fabsf(F(a)), fabsf(F(b))), fabsf(F(c)))))                            \
    KS_EMU_OP2(op##_cross##suffix, f32, f32, f32, crossed(of(fabsf(F(a)), fabsf(F(b))), a, b))    \
    KS_EMU_OP2(op##_nan_cross##suffix, f32, f32, f32,                                             \
               NAN_OR(crossed(of(fabsf(F(a)), fabsf(F(b))), a, b)))
KINDS(min, least, , SAME)
KINDS(min, least, _ftz, FLUSH)
KINDS(max, most, , SAME)
KINDS(max, most, _ftz, FLUSH)
KS_EMU_OP2(min_f64, f64, f64, f64, least64(a, b))
KS_EMU_OP2(max_f64, f64, f64, f64, most64(a, b))

#define ROW_2(name)                                                                               \
    {#name ".f32", "444", name##_f32}, {#name ".rn.f32", "444", name##_f32},                      \
    {#name ".ftz.f32", "444", name##_f32_ftz}, {#name ".rn.ftz.f32", "444", name##_f32_ftz},      \
    {#name ".sat.f32", "444", name##_f32_sat}, {#name ".rn.sat.f32", "444", name##_f32_sat},      \
    {#name ".ftz.sat.f32", "444", name##_f32_ftz_sat},                                            \
    {#name ".rn.ftz.sat.f32", "444", name##_f32_ftz_sat},                                         \
    {#name ".f64", "888", name##_f64}, {#name ".rn.f64", "888", name##_f64}
#define ROW_X2(name, w)                                                                           \
    {#name ".rn.f32x2", w, name##_f32x2}, {#name ".f32x2", w, name##_f32x2},                      \
    {#name ".rn.ftz.f32x2", w, name##_f32x2_ftz}, {#name ".ftz.f32x2", w, name##_f32x2_ftz}

#define ROW_KIND(op, text, suffix)                                                                \
    {#op text ".f32", "4444", op##3##suffix}, {#op text ".NaN.f32", "4444", op##3_nan##suffix},   \
    {#op text ".abs.f32", "4444", op##3_abs##suffix},                                             \
    {#op text ".NaN.abs.f32", "4444", op##3_nan_abs##suffix},                                     \
    {#op text ".xorsign.abs.f32", "444", op##_cross##suffix},                                     \
    {#op text ".NaN.xorsign.abs.f32", "444", op##_nan_cross##suffix}
#define ROW_KINDS(op) ROW_KIND(op, "", ), ROW_KIND(op, ".ftz", _ftz)

const struct ks_emu_opcode ks_emu_float_ops[] = {
    ROW_2(add), ROW_2(sub), ROW_2(mul),
    ROW_X2(add, "888"), ROW_X2(sub, "888"), ROW_X2(mul, "888"), ROW_X2(fma, "8888"),
    {"fma.rn.f32", "4444", fma_f32}, {"fma.rn.ftz.f32", "4444", fma_f32_ftz},
    {"fma.rn.sat.f32", "4444", fma_f32_sat}, {"fma.rn.ftz.sat.f32", "4444", fma_f32_ftz_sat},
    {"mad.rn.f32", "4444", fma_f32}, {"mad.rn.ftz.f32", "4444", fma_f32_ftz},
    {"fma.rn.f64", "8888", fma_f64}, {"mad.rn.f64", "8888", fma_f64},
    {"div.rn.f32", "444", div_f32}, {"div.rn.ftz.f32", "444", div_f32_ftz},
    {"div.rn.f64", "888", div_f64},
    {"rcp.rn.f32", "44", rcp_f32}, {"rcp.rn.ftz.f32", "44", rcp_f32_ftz},
    {"rcp.rn.f64", "88", rcp_f64},
    {"sqrt.rn.f32", "44", sqrt_f32}, {"sqrt.rn.ftz.f32", "44", sqrt_f32_ftz},
    {"sqrt.rn.f64", "88", sqrt_f64},
    {"neg.f32", "44", neg_f32}, {"neg.ftz.f32", "44", neg_f32_ftz}, {"neg.f64", "88", neg_f64},
    {"abs.f32", "44", abs_f32}, {"abs.ftz.f32", "44", abs_f32_ftz}, {"abs.f64", "88", abs_f64},
    {"copysign.f32", "444", copysign_f32}, {"copysign.f64", "888", copysign_f64},
    {"min.f32", "444", min_f32}, {"max.f32", "444", max_f32},
    {"min.ftz.f32", "444", min_f32_ftz}, {"max.ftz.f32", "444", max_f32_ftz},
    {"min.NaN.f32", "444", min_nan_f32}, {"max.NaN.f32", "444", max_nan_f32},
    {"min.ftz.NaN.f32", "444", min_ftz_nan_f32}, {"max.ftz.NaN.f32", "444", max_ftz_nan_f32},
    ROW_KINDS(min), ROW_KINDS(max),
    {"min.f64", "888", min_f64}, {"max.f64", "888", max_f64},
    {NULL, NULL, NULL},
};
