// Approximate functions (PTX ISA 9.7.3, 9.7.4). Each is computed in double precision and rounded
// once, which lies within every documented error, and is the same on every run and machine with the
// same C library.

#include "device/emu/emu_alu.h"
#include "device/emu/emu_soft.h"

typedef float f32;
typedef double f64;

#define FLUSH(x) ks_emu_flush(x)
#define OUT(x) ks_emu_canonical((f32)(x))
#define OUT_FTZ(x) ks_emu_canonical(FLUSH((f32)(x)))

#define FN(name, expr)                                                                            \
    KS_EMU_OP1(name, f32, f32, OUT(expr((f64)a)))                                                 \
    KS_EMU_OP1(name##_ftz, f32, f32, OUT_FTZ(expr((f64)FLUSH(a))))
static f64 reciprocal(f64 x)
{
    return 1 / x;
}
static f64 root(f64 x)
{
    return x == 0 ? 1 / x : 1 / sqrt(x);
}
FN(rcp, reciprocal)
FN(sqrt_approx, sqrt)
FN(rsqrt, root)
FN(sin_approx, sin)
FN(cos_approx, cos)
FN(lg2, log2)
FN(ex2, exp2)
KS_EMU_OP1(tanh_approx, f32, f32, OUT(tanh((f64)a)))

// div.approx: b beyond 2^126 gives zero, or NaN for an infinite a (table of 9.7.3.8).
static f32 quotient(f32 a, f32 b)
{
    f32 size = fabsf(b);
    if (size > 0x1p126f && size < INFINITY)
        return isinf(a) ? ks_emu_f32(KS_EMU_NAN32)
               : a != a ? a
                        : copysignf(0, signbit(a) != signbit(b) ? -1.0f : 1.0f);
    return (f32)((f64)a / (f64)b);
}
KS_EMU_OP2(div_approx, f32, f32, f32, ks_emu_canonical(quotient(a, b)))
KS_EMU_OP2(div_approx_ftz, f32, f32, f32,
           ks_emu_canonical(FLUSH(quotient(FLUSH(a), FLUSH(b)))))
KS_EMU_OP2(div_full, f32, f32, f32, ks_emu_canonical(a / b))
KS_EMU_OP2(div_full_ftz, f32, f32, f32, OUT_FTZ(FLUSH(a) / FLUSH(b)))

// rcp and rsqrt.approx.ftz.f64 (9.7.3.15, .17): the lower 32 bits are zero, subnormals are flushed.
static f64 gross(f64 exact)
{
    uint64_t bits = ks_emu_bits64(exact);
    if ((bits & UINT64_C(0x7ff0000000000000)) == 0)
        bits &= UINT64_C(0x8000000000000000);
    return exact != exact ? ks_emu_f64(UINT64_C(0x7fffffff00000000))
                          : ks_emu_f64(bits & UINT64_C(0xffffffff00000000));
}
static f64 flush64(f64 x)
{
    uint64_t bits = ks_emu_bits64(x);
    return (bits & UINT64_C(0x7ff0000000000000)) == 0
               ? ks_emu_f64(bits & UINT64_C(0x8000000000000000)) : x;
}
KS_EMU_OP1(rcp_f64_approx, f64, f64, gross(1 / flush64(a)))
KS_EMU_OP1(rsqrt_f64_approx, f64, f64, gross(root(flush64(a))))
KS_EMU_OP1(rsqrt_f64, f64, f64, root(a))

#define F16(name, fn)                                                                             \
    KS_EMU_OP1(name##_f16, uint16_t, uint16_t, ks_emu_to_half(fn(ks_emu_half(a)), KS_EMU_RN))     \
    KS_EMU_OP1(name##_bf16, uint16_t, uint16_t,                                                   \
               ks_emu_to_bf16(fn((f64)ks_emu_bf16(a)), KS_EMU_RN))                                \
    KS_EMU_OP1(name##_f16x2, uint32_t, uint32_t,                                                  \
               ks_emu_to_half(fn(ks_emu_half((uint16_t)a)), KS_EMU_RN) |                          \
                   (uint32_t)ks_emu_to_half(fn(ks_emu_half((uint16_t)(a >> 16))), KS_EMU_RN)      \
                       << 16)                                                                     \
    KS_EMU_OP1(name##_bf16x2, uint32_t, uint32_t,                                                 \
               ks_emu_to_bf16(fn((f64)ks_emu_bf16((uint16_t)a)), KS_EMU_RN) |                     \
                   (uint32_t)ks_emu_to_bf16(fn((f64)ks_emu_bf16((uint16_t)(a >> 16))),            \
                                            KS_EMU_RN) << 16)
F16(tanh, tanh)
F16(ex2, exp2)

#define ROW(text, name) {text ".approx.f32", "44", name}, {text ".approx.ftz.f32", "44", name##_ftz}
#define ROW_F16(text, name)                                                                       \
    {text ".f16", "22", name##_f16}, {text ".f16x2", "44", name##_f16x2},                         \
    {text ".bf16", "22", name##_bf16}, {text ".bf16x2", "44", name##_bf16x2},                     \
    {text ".ftz.bf16", "22", name##_bf16}, {text ".ftz.bf16x2", "44", name##_bf16x2}

const struct ks_emu_opcode ks_emu_approx_ops[] = {
    ROW("rcp", rcp), ROW("sqrt", sqrt_approx), ROW("rsqrt", rsqrt), ROW("sin", sin_approx),
    ROW("cos", cos_approx), ROW("lg2", lg2), ROW("ex2", ex2),
    {"tanh.approx.f32", "44", tanh_approx},
    {"div.approx.f32", "444", div_approx}, {"div.approx.ftz.f32", "444", div_approx_ftz},
    {"div.full.f32", "444", div_full}, {"div.full.ftz.f32", "444", div_full_ftz},
    {"rcp.approx.ftz.f64", "88", rcp_f64_approx}, {"rsqrt.approx.ftz.f64", "88", rsqrt_f64_approx},
    {"rsqrt.approx.f64", "88", rsqrt_f64},
    ROW_F16("tanh.approx", tanh), ROW_F16("ex2.approx", ex2),
    {NULL, NULL, NULL},
};
