// Integer arithmetic (PTX ISA 9.7.1, 9.7.2). Signed operations wrap, so they are done on unsigned
// types where that makes no difference.

#include "device/emu/emu_alu.h"

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

// W: the type in which products of two T do not lose bits.
#define BASIC(T, U, W, UW)                                                                        \
    KS_EMU_OP2(add_##T, U, U, U, (U)(a + b))                                                      \
    KS_EMU_OP2(sub_##T, U, U, U, (U)(a - b))                                                      \
    KS_EMU_OP2(mul_lo_##T, U, U, U, (UW)a *(UW)b)                                                 \
    KS_EMU_OP2(mul_hi_##T, T, T, T, ((W)a * (W)b) >> (8 * sizeof(T)))                             \
    KS_EMU_OP3(mad_lo_##T, U, U, U, U, (UW)a *(UW)b + (UW)c)                                      \
    KS_EMU_OP3(mad_hi_##T, U, T, T, U, (U)(((W)a * (W)b) >> (8 * sizeof(T))) + c)                 \
    KS_EMU_OP2(min_##T, T, T, T, a < b ? a : b)                                                   \
    KS_EMU_OP2(max_##T, T, T, T, a > b ? a : b)                                                   \
    KS_EMU_OP3(sad_##T, U, T, T, U, (U)(a < b ? (U)b - (U)a : (U)a - (U)b) + c)

BASIC(u16, u16, u32, u32)
BASIC(s16, u16, s32, u32)
BASIC(u32, u32, u64, u64)
BASIC(s32, u32, s64, u64)
BASIC(u64, u64, u128, u64)
BASIC(s64, u64, s128, u64)

#define WIDE(T, W, UW)                                                                            \
    KS_EMU_OP2(mul_wide_##T, W, T, T, (W)a *(W)b)                                                 \
    KS_EMU_OP3(mad_wide_##T, UW, T, T, UW, (UW)((W)a * (W)b) + c)

WIDE(u16, u32, u32)
WIDE(s16, s32, u32)
WIDE(u32, u64, u64)
WIDE(s32, s64, u64)

// Division by zero is unspecified in PTX (9.7.1.9): all ones, and the dividend as remainder.
#define DIVIDE_U(T)                                                                               \
    KS_EMU_OP2(div_##T, T, T, T, b == 0 ? (T)-1 : (T)(a / b))                                     \
    KS_EMU_OP2(rem_##T, T, T, T, b == 0 ? a : (T)(a % b))
#define DIVIDE_S(T, U)                                                                            \
    KS_EMU_OP2(div_##T, T, T, T, b == 0 ? (T)-1 : b == -1 ? (T)(U)(0 - (U)a) : (T)(a / b))        \
    KS_EMU_OP2(rem_##T, T, T, T, b == 0 ? a : b == -1 ? (T)0 : (T)(a % b))                        \
    KS_EMU_OP1(abs_##T, U, T, a < 0 ? (U)(0 - (U)a) : (U)a)                                       \
    KS_EMU_OP1(neg_##T, U, U, (U)(0 - a))

DIVIDE_U(u16)
DIVIDE_U(u32)
DIVIDE_U(u64)
DIVIDE_S(s16, u16)
DIVIDE_S(s32, u32)
DIVIDE_S(s64, u64)

static s32 clamp_s32(s64 x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x;
}
KS_EMU_OP2(add_sat_s32, s32, s32, s32, clamp_s32((s64)a + b))
KS_EMU_OP2(sub_sat_s32, s32, s32, s32, clamp_s32((s64)a - b))
KS_EMU_OP3(mad_hi_sat_s32, s32, s32, s32, s32, clamp_s32((((s64)a * b) >> 32) + c))

// 24-bit factors: the low bits of each, sign-extended for .s32.
static s64 low24(s32 x)
{
    return (s32)((u32)x << 8) >> 8;
}
KS_EMU_OP2(mul24_u32, u32, u32, u32, (u64)(a & 0xffffff) * (b & 0xffffff))
KS_EMU_OP2(mul24_s32, s32, s32, s32, (u32)(low24(a) * low24(b)))
KS_EMU_OP2(mul24_hi_u32, u32, u32, u32, ((u64)(a & 0xffffff) * (b & 0xffffff)) >> 16)
KS_EMU_OP2(mul24_hi_s32, s32, s32, s32, (u32)((low24(a) * low24(b)) >> 16))
KS_EMU_OP3(mad24_u32, u32, u32, u32, u32, (u64)(a & 0xffffff) * (b & 0xffffff) + c)
KS_EMU_OP3(mad24_s32, u32, s32, s32, u32, (u32)(low24(a) * low24(b)) + c)

// dp4a: four 8-bit products and an addend; dp2a: two 16-bit by 8-bit ones (9.7.1.23, .24).
#define BYTE_U(x, i) ((u32)((x) >> (8 * (i)) & 0xff))
#define BYTE_S(x, i) ((u32)(s32)(int8_t)((x) >> (8 * (i)) & 0xff))
#define HALF_U(x, i) ((u32)((x) >> (16 * (i)) & 0xffff))
#define HALF_S(x, i) ((u32)(s32)(s16)((x) >> (16 * (i)) & 0xffff))
#define DOT(x, y, X, Y)                                                                           \
    KS_EMU_OP3(dp4a_##x##_##y, u32, u32, u32, u32,                                                \
               BYTE_##X(a, 0) * BYTE_##Y(b, 0) + BYTE_##X(a, 1) * BYTE_##Y(b, 1) +                \
                   BYTE_##X(a, 2) * BYTE_##Y(b, 2) + BYTE_##X(a, 3) * BYTE_##Y(b, 3) + c)         \
    KS_EMU_OP3(dp2a_lo_##x##_##y, u32, u32, u32, u32,                                             \
               HALF_##X(a, 0) * BYTE_##Y(b, 0) + HALF_##X(a, 1) * BYTE_##Y(b, 1) + c)             \
    KS_EMU_OP3(dp2a_hi_##x##_##y, u32, u32, u32, u32,                                             \
               HALF_##X(a, 0) * BYTE_##Y(b, 2) + HALF_##X(a, 1) * BYTE_##Y(b, 3) + c)
DOT(u32, u32, U, U)
DOT(u32, s32, U, S)
DOT(s32, u32, S, U)
DOT(s32, s32, S, S)

// Video instructions: of those CUDA's intrinsics still give these (9.7.13), all bytes chosen, so that the
// third operand, which stands for bytes that are not, counts only as the addend.
static u32 absdiff(u32 a, u32 b, unsigned bits, bool sum)
{
    u32 out = 0, mask = (1u << bits) - 1;
    for (unsigned i = 0; i < 32; i += bits) {
        const u32 x = a >> i & mask, y = b >> i & mask, d = x > y ? x - y : y - x;
        out += sum ? d : d << i;
    }
    return out;
}
KS_EMU_OP3(vabsdiff2, u32, u32, u32, u32, ((void)c, absdiff(a, b, 16, false)))
KS_EMU_OP3(vabsdiff4, u32, u32, u32, u32, ((void)c, absdiff(a, b, 8, false)))
KS_EMU_OP3(vabsdiff2_add, u32, u32, u32, u32, absdiff(a, b, 16, true) + c)
KS_EMU_OP3(vabsdiff4_add, u32, u32, u32, u32, absdiff(a, b, 8, true) + c)

// Extended precision: the carry of each lane, a bit in warp->carry (9.7.2). Subtraction adds the
// complement: its carry is set where nothing is borrowed, on which nvcc's division of 128 bits relies.
#define CARRY(name, T, WIDE_T, first, expr, keeps)                                                \
    static void name(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)     \
    {                                                                                             \
        T *d = KS_EMU_REG(T, inst->d);                                                            \
        const T *pa = KS_EMU_REG(T, inst->a), *pb = KS_EMU_REG(T, inst->b);                       \
        const T *pc = inst->c == KS_EMU_NONE ? pb : KS_EMU_REG(T, inst->c);                       \
        for (unsigned l = 0; l < KS_EMU_LANES; l++) {                                             \
            const T a = pa[l], b = pb[l], c = pc[l];                                              \
            const T in = first ? 0 : (T)(warp->carry >> l & 1);                                   \
            if ((mask >> l & 1) == 0)                                                             \
                continue;                                                                         \
            const WIDE_T sum = (expr);                                                            \
            (void)c;                                                                              \
            (void)in;                                                                             \
            d[l] = (T)sum;                                                                        \
            if (keeps)                                                                            \
                warp->carry = (warp->carry & ~(1u << l)) |                                        \
                              (u32)(sum >> (8 * sizeof(T)) & 1) << l;                             \
        }                                                                                         \
    }
#define CARRIES(T, W)                                                                             \
    CARRY(add_cc_##T, T, W, true, (W)a + b, true)                                                 \
    CARRY(addc_##T, T, W, false, (W)a + b + in, false)                                            \
    CARRY(addc_cc_##T, T, W, false, (W)a + b + in, true)                                          \
    CARRY(sub_cc_##T, T, W, true, (W)a + (T)~b + 1, true)                                         \
    CARRY(subc_##T, T, W, false, (W)a + (T)~b + in, false)                                        \
    CARRY(subc_cc_##T, T, W, false, (W)a + (T)~b + in, true)                                      \
    CARRY(mad_lo_cc_##T, T, W, true, (W)(T)((W)a * b) + c, true)                                  \
    CARRY(madc_lo_##T, T, W, false, (W)(T)((W)a * b) + c + in, false)                             \
    CARRY(madc_lo_cc_##T, T, W, false, (W)(T)((W)a * b) + c + in, true)                           \
    CARRY(mad_hi_cc_##T, T, W, true, (W)(T)(((W)a * b) >> (8 * sizeof(T))) + c, true)             \
    CARRY(madc_hi_##T, T, W, false, (W)(T)(((W)a * b) >> (8 * sizeof(T))) + c + in, false)        \
    CARRY(madc_hi_cc_##T, T, W, false, (W)(T)(((W)a * b) >> (8 * sizeof(T))) + c + in, true)
CARRIES(u32, u64)
CARRIES(u64, u128)

// Two 16-bit numbers side by side (9.7.1.1, .12, .13).
#define PAIR(name, T, expr)                                                                       \
    static u32 pair_##name(u32 x, u32 y)                                                          \
    {                                                                                             \
        u32 out = 0;                                                                              \
        for (unsigned i = 0; i < 32; i += 16) {                                                   \
            const T a = (T)(x >> i), b = (T)(y >> i);                                             \
            out |= (u32)(u16)(expr) << i;                                                         \
        }                                                                                         \
        return out;                                                                               \
    }                                                                                             \
    KS_EMU_OP2(name, u32, u32, u32, pair_##name(a, b))
PAIR(add_x2, u16, a + b)
PAIR(min_u16x2, u16, a < b ? a : b)
PAIR(max_u16x2, u16, a > b ? a : b)
PAIR(min_s16x2, s16, a < b ? a : b)
PAIR(max_s16x2, s16, a > b ? a : b)
PAIR(min_relu_s16x2, s16, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
PAIR(max_relu_s16x2, s16, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))
KS_EMU_OP2(min_relu_s32, s32, s32, s32, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
KS_EMU_OP2(max_relu_s32, s32, s32, s32, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))

#define ROWS(T, w)                                                                                \
    {"add." #T, w w w, add_##T}, {"sub." #T, w w w, sub_##T},                                     \
    {"mul.lo." #T, w w w, mul_lo_##T}, {"mul.hi." #T, w w w, mul_hi_##T},                         \
    {"mad.lo." #T, w w w w, mad_lo_##T}, {"mad.hi." #T, w w w w, mad_hi_##T},                     \
    {"min." #T, w w w, min_##T}, {"max." #T, w w w, max_##T},                                     \
    {"sad." #T, w w w w, sad_##T}, {"div." #T, w w w, div_##T}, {"rem." #T, w w w, rem_##T}
#define ROWS_WIDE(T, n, w)                                                                        \
    {"mul.wide." #T, w n n, mul_wide_##T}, {"mad.wide." #T, w n n w, mad_wide_##T}
#define ROWS_SIGN(T, w) {"abs." #T, w w, abs_##T}, {"neg." #T, w w, neg_##T}
#define ROWS_CARRY(N, T, w)                                                                       \
    {"add.cc." #N, w w w, add_cc_##T}, {"addc." #N, w w w, addc_##T},                             \
    {"addc.cc." #N, w w w, addc_cc_##T}, {"sub.cc." #N, w w w, sub_cc_##T},                       \
    {"subc." #N, w w w, subc_##T}, {"subc.cc." #N, w w w, subc_cc_##T}
#define ROWS_CARRY_MAD(T, w)                                                                      \
    {"mad.lo.cc." #T, w w w w, mad_lo_cc_##T}, {"madc.lo." #T, w w w w, madc_lo_##T},             \
    {"madc.lo.cc." #T, w w w w, madc_lo_cc_##T}, {"mad.hi.cc." #T, w w w w, mad_hi_cc_##T},       \
    {"madc.hi." #T, w w w w, madc_hi_##T}, {"madc.hi.cc." #T, w w w w, madc_hi_cc_##T}
#define ROWS_DOT(x, y)                                                                            \
    {"dp4a." #x "." #y, "4444", dp4a_##x##_##y},                                                  \
    {"dp2a.lo." #x "." #y, "4444", dp2a_lo_##x##_##y},                                            \
    {"dp2a.hi." #x "." #y, "4444", dp2a_hi_##x##_##y}

const struct ks_emu_opcode ks_emu_int_ops[] = {
    ROWS(u16, "2"), ROWS(s16, "2"), ROWS(u32, "4"), ROWS(s32, "4"), ROWS(u64, "8"), ROWS(s64, "8"),
    ROWS_WIDE(u16, "2", "4"), ROWS_WIDE(s16, "2", "4"), ROWS_WIDE(u32, "4", "8"),
    ROWS_WIDE(s32, "4", "8"),
    ROWS_SIGN(s16, "2"), ROWS_SIGN(s32, "4"), ROWS_SIGN(s64, "8"),
    {"add.sat.s32", "444", add_sat_s32}, {"sub.sat.s32", "444", sub_sat_s32},
    {"mad.hi.sat.s32", "4444", mad_hi_sat_s32},
    {"mul24.lo.u32", "444", mul24_u32}, {"mul24.lo.s32", "444", mul24_s32},
    {"mul24.hi.u32", "444", mul24_hi_u32}, {"mul24.hi.s32", "444", mul24_hi_s32},
    {"mad24.lo.u32", "4444", mad24_u32}, {"mad24.lo.s32", "4444", mad24_s32},
    {"vabsdiff2.u32.u32.u32", "4444", vabsdiff2}, {"vabsdiff4.u32.u32.u32", "4444", vabsdiff4},
    {"vabsdiff2.u32.u32.u32.add", "4444", vabsdiff2_add},
    {"vabsdiff4.u32.u32.u32.add", "4444", vabsdiff4_add},
    ROWS_DOT(u32, u32), ROWS_DOT(u32, s32), ROWS_DOT(s32, u32), ROWS_DOT(s32, s32),
    ROWS_CARRY(u32, u32, "4"), ROWS_CARRY(s32, u32, "4"), ROWS_CARRY(u64, u64, "8"),
    ROWS_CARRY(s64, u64, "8"), ROWS_CARRY_MAD(u32, "4"), ROWS_CARRY_MAD(u64, "8"),
    {"add.u16x2", "444", add_x2}, {"add.s16x2", "444", add_x2},
    {"min.u16x2", "444", min_u16x2}, {"max.u16x2", "444", max_u16x2},
    {"min.s16x2", "444", min_s16x2}, {"max.s16x2", "444", max_s16x2},
    {"min.s32.relu", "444", min_relu_s32}, {"max.s32.relu", "444", max_relu_s32}, // as nvcc spells it
    {"min.relu.s16x2", "444", min_relu_s16x2}, {"max.relu.s16x2", "444", max_relu_s16x2},
    {"min.s16x2.relu", "444", min_relu_s16x2}, {"max.s16x2.relu", "444", max_relu_s16x2},
    {"min.relu.s32", "444", min_relu_s32}, {"max.relu.s32", "444", max_relu_s32},
    {NULL, NULL, NULL},
};
