// f16, bf16 and their pairs (PTX ISA 9.7.4). Sums and products of such numbers, rounded first to
// single and then to half precision, are as if rounded once (24 >= 2 * 11 + 2 bits); fma is rounded
// to odd in double first.

#include "device/emu/emu_alu.h"
#include "device/emu/emu_soft.h"

typedef uint16_t u16;
typedef uint32_t u32;
typedef double f64;

// A subnormal has no exponent bits set.
static u16 flush_f16(u16 x)
{
    return (x & 0x7c00) == 0 ? x & 0x8000 : x;
}
static u16 sat_f16(u16 x)
{
    return (x & 0x8000) != 0 || (x & 0x7fff) > 0x7c00 ? 0 : x > 0x3c00 ? 0x3c00 : x;
}
static u16 relu(u16 x) // NaN stays (canonical), negative becomes +0
{
    return x == KS_EMU_NAN16 ? x : (x & 0x8000) != 0 ? 0 : x;
}

static f64 from_f16(u16 x)
{
    return ks_emu_half(x);
}
static f64 from_bf16(u16 x)
{
    return (f64)ks_emu_bf16(x);
}
static u16 to_f16(f64 x)
{
    return ks_emu_to_half(x, KS_EMU_RN);
}
static u16 to_bf16(f64 x)
{
    return ks_emu_to_bf16(x, KS_EMU_RN);
}

// Products are exact in double; sums of bf16 far apart are not, so they are rounded to odd.
static f64 sum(f64 a, f64 b)
{
    return ks_emu_fma_odd(a, 1, b);
}
static f64 difference(f64 a, f64 b)
{
    return ks_emu_fma_odd(a, 1, -b);
}
static f64 product(f64 a, f64 b)
{
    return a * b;
}

static u16 least(u16 a, u16 b, f64 x, f64 y, bool nan)
{
    if (x != x || y != y)
        return nan || (x != x && y != y) ? KS_EMU_NAN16 : x != x ? b : a;
    return x < y || (x == y && (a & 0x8000) != 0) ? a : b;
}
static u16 most(u16 a, u16 b, f64 x, f64 y, bool nan)
{
    if (x != x || y != y)
        return nan || (x != x && y != y) ? KS_EMU_NAN16 : x != x ? b : a;
    return x > y || (x == y && (a & 0x8000) == 0) ? a : b;
}

// Each operation for one number and for a pair in 32 bits.
#define OP1(name, expr)                                                                           \
    static u16 one_##name(u16 a)                                                                  \
    {                                                                                             \
        return (u16)(expr);                                                                       \
    }                                                                                             \
    KS_EMU_OP1(name, u16, u16, one_##name(a))                                                     \
    KS_EMU_OP1(name##_x2, u32, u32, one_##name((u16)a) | (u32)one_##name((u16)(a >> 16)) << 16)
#define OP2(name, expr)                                                                           \
    static u16 one_##name(u16 a, u16 b)                                                           \
    {                                                                                             \
        return (u16)(expr);                                                                       \
    }                                                                                             \
    KS_EMU_OP2(name, u16, u16, u16, one_##name(a, b))                                             \
    KS_EMU_OP2(name##_x2, u32, u32, u32,                                                          \
               one_##name((u16)a, (u16)b) |                                                       \
                   (u32)one_##name((u16)(a >> 16), (u16)(b >> 16)) << 16)
#define OP3(name, expr)                                                                           \
    static u16 one_##name(u16 a, u16 b, u16 c)                                                    \
    {                                                                                             \
        return (u16)(expr);                                                                       \
    }                                                                                             \
    KS_EMU_OP3(name, u16, u16, u16, u16, one_##name(a, b, c))                                     \
    KS_EMU_OP3(name##_x2, u32, u32, u32, u32,                                                     \
               one_##name((u16)a, (u16)b, (u16)c) |                                               \
                   (u32)one_##name((u16)(a >> 16), (u16)(b >> 16), (u16)(c >> 16)) << 16)

#define ARITH(T)                                                                                  \
    OP2(add_##T, to_##T(sum(from_##T(a), from_##T(b))))                                           \
    OP2(sub_##T, to_##T(difference(from_##T(a), from_##T(b))))                                    \
    OP2(mul_##T, to_##T(product(from_##T(a), from_##T(b))))                                       \
    OP3(fma_##T, to_##T(ks_emu_fma_odd(from_##T(a), from_##T(b), from_##T(c))))                   \
    OP3(fma_relu_##T, relu(to_##T(ks_emu_fma_odd(from_##T(a), from_##T(b), from_##T(c)))))        \
    OP2(min_##T, least(a, b, from_##T(a), from_##T(b), false))                                    \
    OP2(max_##T, most(a, b, from_##T(a), from_##T(b), false))                                     \
    OP2(min_nan_##T, least(a, b, from_##T(a), from_##T(b), true))                                 \
    OP2(max_nan_##T, most(a, b, from_##T(a), from_##T(b), true))                                  \
    OP1(neg_##T, a ^ 0x8000)                                                                      \
    OP1(abs_##T, a & 0x7fff)
ARITH(f16)
ARITH(bf16)

#define Z(x) from_f16(flush_f16(x))
OP2(add_ftz_f16, flush_f16(to_f16(sum(Z(a), Z(b)))))
OP2(sub_ftz_f16, flush_f16(to_f16(difference(Z(a), Z(b)))))
OP2(mul_ftz_f16, flush_f16(to_f16(product(Z(a), Z(b)))))
OP3(fma_ftz_f16, flush_f16(to_f16(ks_emu_fma_odd(Z(a), Z(b), Z(c)))))
OP2(min_ftz_f16, least(flush_f16(a), flush_f16(b), Z(a), Z(b), false))
OP2(max_ftz_f16, most(flush_f16(a), flush_f16(b), Z(a), Z(b), false))
OP2(add_sat_f16, sat_f16(to_f16(sum(from_f16(a), from_f16(b)))))
OP2(sub_sat_f16, sat_f16(to_f16(difference(from_f16(a), from_f16(b)))))
OP2(mul_sat_f16, sat_f16(to_f16(product(from_f16(a), from_f16(b)))))
OP3(fma_sat_f16, sat_f16(to_f16(ks_emu_fma_odd(from_f16(a), from_f16(b), from_f16(c)))))
OP1(neg_ftz_f16, flush_f16(a) ^ 0x8000)
OP1(abs_ftz_f16, flush_f16(a) & 0x7fff)

#define ROWS_1(text, T, name) {text #T, "22", name}, {text #T "x2", "44", name##_x2}
#define ROWS_2(text, T, name) {text #T, "222", name}, {text #T "x2", "444", name##_x2}
#define ROWS_3(text, T, name) {text #T, "2222", name}, {text #T "x2", "4444", name##_x2}
#define ROWS(T)                                                                                   \
    ROWS_2("add.", T, add_##T), ROWS_2("add.rn.", T, add_##T), ROWS_2("sub.", T, sub_##T),        \
    ROWS_2("sub.rn.", T, sub_##T), ROWS_2("mul.", T, mul_##T), ROWS_2("mul.rn.", T, mul_##T),     \
    ROWS_3("fma.rn.", T, fma_##T), ROWS_3("fma.rn.relu.", T, fma_relu_##T),                       \
    ROWS_2("min.", T, min_##T), ROWS_2("max.", T, max_##T), ROWS_2("min.NaN.", T, min_nan_##T),   \
    ROWS_2("max.NaN.", T, max_nan_##T), ROWS_1("neg.", T, neg_##T), ROWS_1("abs.", T, abs_##T)

const struct ks_emu_opcode ks_emu_half_ops[] = {
    ROWS(f16), ROWS(bf16),
    ROWS_2("add.ftz.", f16, add_ftz_f16), ROWS_2("add.rn.ftz.", f16, add_ftz_f16),
    ROWS_2("sub.ftz.", f16, sub_ftz_f16), ROWS_2("sub.rn.ftz.", f16, sub_ftz_f16),
    ROWS_2("mul.ftz.", f16, mul_ftz_f16), ROWS_2("mul.rn.ftz.", f16, mul_ftz_f16),
    ROWS_3("fma.rn.ftz.", f16, fma_ftz_f16), ROWS_2("min.ftz.", f16, min_ftz_f16),
    ROWS_2("max.ftz.", f16, max_ftz_f16),
    ROWS_2("add.sat.", f16, add_sat_f16), ROWS_2("add.rn.sat.", f16, add_sat_f16),
    ROWS_2("sub.sat.", f16, sub_sat_f16), ROWS_2("sub.rn.sat.", f16, sub_sat_f16),
    ROWS_2("mul.sat.", f16, mul_sat_f16), ROWS_2("mul.rn.sat.", f16, mul_sat_f16),
    ROWS_3("fma.rn.sat.", f16, fma_sat_f16), ROWS_1("neg.ftz.", f16, neg_ftz_f16),
    ROWS_1("abs.ftz.", f16, abs_ftz_f16),
    {NULL, NULL, NULL},
};
