// The directed rounding modes .rz .rm .rp (PTX ISA 9.7.3), by the host's own rounding mode.

#include <fenv.h>

#include "device/emu/emu_alu.h"
#include "device/emu/emu_soft.h"

enum { ADD, SUB, MUL, FMA, DIV, RCP, SQRT };

static const int host_mode[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};

// Operands and result are volatile: the compiler must not compute across the change of mode.
#define DIRECTED(name, T, fma_fn, sqrt_fn)                                                        \
    T name(int op, T a, T b, T c, enum ks_emu_rounding mode)                                      \
    {                                                                                             \
        volatile T x = a, y = b, z = c, out = 0;                                                  \
        fesetround(host_mode[mode]);                                                              \
        switch (op) {                                                                             \
        case ADD:                                                                                 \
            out = x + y;                                                                          \
            break;                                                                                \
        case SUB:                                                                                 \
            out = x - y;                                                                          \
            break;                                                                                \
        case MUL:                                                                                 \
            out = x * y;                                                                          \
            break;                                                                                \
        case FMA:                                                                                 \
            out = fma_fn(x, y, z);                                                                \
            break;                                                                                \
        case DIV:                                                                                 \
            out = x / y;                                                                          \
            break;                                                                                \
        case RCP:                                                                                 \
            out = 1 / x;                                                                          \
            break;                                                                                \
        default:                                                                                  \
            out = sqrt_fn(x);                                                                     \
        }                                                                                         \
        fesetround(FE_TONEAREST);                                                                 \
        return out;                                                                               \
    }
DIRECTED(ks_emu_directed_f32, float, fmaf, sqrtf)
DIRECTED(ks_emu_directed_f64, double, fma, sqrt)

#define MODES(op, X)                                                                              \
    X(op, rz, KS_EMU_RZ)                                                                          \
    X(op, rm, KS_EMU_RM)                                                                          \
    X(op, rp, KS_EMU_RP)

#define F(x) ks_emu_flush(x)
#define C(x) ks_emu_canonical(x)
#define TWO(op, name, mode)                                                                       \
    KS_EMU_OP2(op##_##name##_f32, float, float, float,                                            \
               C(ks_emu_directed_f32(op, a, b, 0, mode)))                                         \
    KS_EMU_OP2(op##_##name##_ftz_f32, float, float, float,                                        \
               C(F(ks_emu_directed_f32(op, F(a), F(b), 0, mode))))                                \
    KS_EMU_OP2(op##_##name##_f64, double, double, double,                                         \
               ks_emu_directed_f64(op, a, b, 0, mode))
#define THREE(op, name, mode)                                                                     \
    KS_EMU_OP3(op##_##name##_f32, float, float, float, float,                                     \
               C(ks_emu_directed_f32(op, a, b, c, mode)))                                         \
    KS_EMU_OP3(op##_##name##_ftz_f32, float, float, float, float,                                 \
               C(F(ks_emu_directed_f32(op, F(a), F(b), F(c), mode))))                             \
    KS_EMU_OP3(op##_##name##_f64, double, double, double, double,                                 \
               ks_emu_directed_f64(op, a, b, c, mode))
#define ONE(op, name, mode)                                                                       \
    KS_EMU_OP1(op##_##name##_f32, float, float, C(ks_emu_directed_f32(op, a, 0, 0, mode)))        \
    KS_EMU_OP1(op##_##name##_ftz_f32, float, float,                                               \
               C(F(ks_emu_directed_f32(op, F(a), 0, 0, mode))))                                   \
    KS_EMU_OP1(op##_##name##_f64, double, double, ks_emu_directed_f64(op, a, 0, 0, mode))

MODES(ADD, TWO)
MODES(SUB, TWO)
MODES(MUL, TWO)
MODES(DIV, TWO)
MODES(FMA, THREE)
MODES(RCP, ONE)
MODES(SQRT, ONE)

#define ROW(text, op, name, n4, n8)                                                               \
    {text "." #name ".f32", n4, op##_##name##_f32},                                               \
    {text "." #name ".ftz.f32", n4, op##_##name##_ftz_f32},                                       \
    {text "." #name ".f64", n8, op##_##name##_f64}
#define ROWS(text, op, n4, n8)                                                                    \
    ROW(text, op, rz, n4, n8), ROW(text, op, rm, n4, n8), ROW(text, op, rp, n4, n8)

const struct ks_emu_opcode ks_emu_round_ops[] = {
    ROWS("add", ADD, "444", "888"), ROWS("sub", SUB, "444", "888"), ROWS("mul", MUL, "444", "888"),
    ROWS("div", DIV, "444", "888"), ROWS("fma", FMA, "4444", "8888"), ROWS("rcp", RCP, "44", "88"),
    ROWS("sqrt", SQRT, "44", "88"), {NULL, NULL, NULL},
};
