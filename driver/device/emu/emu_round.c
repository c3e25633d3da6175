// The directed rounding modes .rz .rm .rp (PTX ISA 9.7.3), by the host's own rounding mode.

#include <fenv.h>
#include <math.h>

#include "device/emu/emu_alu.h"
#include "device/emu/emu_soft.h"

static const int host_mode[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};

// An instruction for all lanes between two changes of mode: calls that may write any memory, so that no load of an
// operand, nor what is computed from it, moves across them.
static void in_mode(enum ks_emu_rounding mode, ks_emu_op *lanes, struct ks_emu_warp *warp,
                    const struct ks_emu_inst *inst, uint32_t mask)
{
    fesetround(host_mode[mode]);
    lanes(warp, inst, mask);
    fesetround(FE_TONEAREST);
}

#define F(x) ks_emu_flush(x)
#define SAME(x) (x)
#define C(x) ks_emu_canonical(x)
#define CF(x) C(F(x))
#define S(x) ks_emu_saturate(x)
#define SF(x) S(F(x))

#define ADD(T, IN) (IN(a) + IN(b))
#define SUB(T, IN) (IN(a) - IN(b))
#define MUL(T, IN) (IN(a) * IN(b))
#define DIV(T, IN) (IN(a) / IN(b))
#define RCP(T, IN) ((T)1 / IN(a))
#define SQRT(T, IN) (sizeof(T) == 4 ? (T)sqrtf((float)IN(a)) : (T)sqrt((double)IN(a)))
#define FMA(T, IN)                                                                                 \
    (sizeof(T) == 4 ? (T)fmaf((float)IN(a), (float)IN(b), (float)IN(c))                             \
                    : (T)fma((double)IN(a), (double)IN(b), (double)IN(c)))

#define IN_MODE(name, mode, lanes)                                                                 \
    static void name(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)      \
    {                                                                                              \
        in_mode(mode, lanes, warp, inst, mask);                                                    \
    }
#define ALL_MODES(name)                                                                            \
    IN_MODE(name##_rz, KS_EMU_RZ, name)                                                            \
    IN_MODE(name##_rm, KS_EMU_RM, name)                                                            \
    IN_MODE(name##_rp, KS_EMU_RP, name)

#define LANES_1(name, T, IN, OUT, op) KS_EMU_OP1(name, T, T, OUT(op(T, IN)))
#define LANES_2(name, T, IN, OUT, op) KS_EMU_OP2(name, T, T, T, OUT(op(T, IN)))
#define LANES_3(name, T, IN, OUT, op) KS_EMU_OP3(name, T, T, T, T, OUT(op(T, IN)))
#define KINDS(name, op, LANES)                                                                     \
    LANES(name##_f32, float, SAME, C, op)                                                          \
    ALL_MODES(name##_f32)                                                                          \
    LANES(name##_ftz_f32, float, F, CF, op)                                                        \
    ALL_MODES(name##_ftz_f32)                                                                      \
    LANES(name##_f64, double, SAME, SAME, op)                                                      \
    ALL_MODES(name##_f64)
#define SATURATED(name, op, LANES)                                                                 \
    LANES(name##_sat_f32, float, SAME, S, op)                                                      \
    ALL_MODES(name##_sat_f32)                                                                      \
    LANES(name##_ftz_sat_f32, float, F, SF, op)                                                    \
    ALL_MODES(name##_ftz_sat_f32)

KINDS(add, ADD, LANES_2)
KINDS(sub, SUB, LANES_2)
KINDS(mul, MUL, LANES_2)
KINDS(div, DIV, LANES_2)
KINDS(fma, FMA, LANES_3)
KINDS(rcp, RCP, LANES_1)
KINDS(root, SQRT, LANES_1)
SATURATED(add, ADD, LANES_2)
SATURATED(sub, SUB, LANES_2)
SATURATED(mul, MUL, LANES_2)
SATURATED(fma, FMA, LANES_3)

#define ROW(text, name, mode, n4, n8)                                                              \
    {text "." #mode ".f32", n4, name##_f32_##mode},                                                \
    {text "." #mode ".ftz.f32", n4, name##_ftz_f32_##mode},                                        \
    {text "." #mode ".f64", n8, name##_f64_##mode}
#define ROWS(text, name, n4, n8)                                                                   \
    ROW(text, name, rz, n4, n8), ROW(text, name, rm, n4, n8), ROW(text, name, rp, n4, n8)
#define SAT_ROW(text, name, mode, n4)                                                              \
    {text "." #mode ".sat.f32", n4, name##_sat_f32_##mode},                                        \
    {text "." #mode ".ftz.sat.f32", n4, name##_ftz_sat_f32_##mode}
#define SAT_ROWS(text, name, n4)                                                                   \
    SAT_ROW(text, name, rz, n4), SAT_ROW(text, name, rm, n4), SAT_ROW(text, name, rp, n4)

const struct ks_emu_opcode ks_emu_round_ops[] = {
    ROWS("add", add, "444", "888"), ROWS("sub", sub, "444", "888"), ROWS("mul", mul, "444", "888"),
    ROWS("div", div, "444", "888"), ROWS("fma", fma, "4444", "8888"), ROWS("rcp", rcp, "44", "88"),
    ROWS("sqrt", root, "44", "88"),
    SAT_ROWS("add", add, "444"), SAT_ROWS("sub", sub, "444"), SAT_ROWS("mul", mul, "444"),
    SAT_ROWS("fma", fma, "4444"), {NULL, NULL, NULL},
};
