// Logic, shifts and bit fields (PTX ISA 9.7.1.14 to .22, 9.7.8).

#include "device/emu/emu_alu.h"

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define LOGIC(T)                                                                                  \
    KS_EMU_OP2(and_##T, T, T, T, a & b)                                                           \
    KS_EMU_OP2(or_##T, T, T, T, a | b)                                                            \
    KS_EMU_OP2(xor_##T, T, T, T, a ^ b)                                                           \
    KS_EMU_OP1(not_##T, T, T, ~a)                                                                 \
    KS_EMU_OP1(cnot_##T, T, T, a == 0)                                                            \
    KS_EMU_OP2(shl_##T, T, T, u32, b >= 8 * sizeof(T) ? 0 : (T)(a << b))                          \
    KS_EMU_OP2(shr_##T, T, T, u32, b >= 8 * sizeof(T) ? 0 : (T)(a >> b))
LOGIC(u16)
LOGIC(u32)
LOGIC(u64)
#define SHIFT_S(T)                                                                                \
    KS_EMU_OP2(shr_##T, T, T, u32, a >> (b >= 8 * sizeof(T) ? 8 * sizeof(T) - 1 : b))
SHIFT_S(s16)
SHIFT_S(s32)
SHIFT_S(s64)

// Predicates: a word a register, a bit a lane.
#define LOGIC_P(name, expr)                                                                       \
    static void name(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)     \
    {                                                                                             \
        u32 *d = KS_EMU_REG(u32, inst->d);                                                        \
        const u32 a = *KS_EMU_REG(u32, inst->a);                                                  \
        const u32 b = inst->b == KS_EMU_NONE ? 0 : *KS_EMU_REG(u32, inst->b);                     \
        (void)b;                                                                                  \
        *d = (*d & ~mask) | ((expr)&mask);                                                        \
    }
LOGIC_P(and_pred, a & b)
LOGIC_P(or_pred, a | b)
LOGIC_P(xor_pred, a ^ b)
LOGIC_P(not_pred, ~a)
LOGIC_P(mov_pred, a)

KS_EMU_OP1(popc_b32, u32, u32, __builtin_popcount(a))
KS_EMU_OP1(popc_b64, u32, u64, __builtin_popcountll(a))
KS_EMU_OP1(clz_b32, u32, u32, a == 0 ? 32 : __builtin_clz(a))
KS_EMU_OP1(clz_b64, u32, u64, a == 0 ? 64 : __builtin_clzll(a))

// bfind: the highest bit that differs from the sign; with .shiftamt the distance to the top.
static u32 bfind32(u32 a, bool is_signed, bool shift)
{
    if (is_signed && (s32)a < 0)
        a = ~a;
    if (a == 0)
        return UINT32_MAX;
    return shift ? (u32)__builtin_clz(a) : 31 - (u32)__builtin_clz(a);
}
static u32 bfind64(u64 a, bool is_signed, bool shift)
{
    if (is_signed && (s64)a < 0)
        a = ~a;
    if (a == 0)
        return UINT32_MAX;
    return shift ? (u32)__builtin_clzll(a) : 63 - (u32)__builtin_clzll(a);
}
KS_EMU_OP1(bfind_u32, u32, u32, bfind32(a, false, false))
KS_EMU_OP1(bfind_s32, u32, u32, bfind32(a, true, false))
KS_EMU_OP1(bfind_u64, u32, u64, bfind64(a, false, false))
KS_EMU_OP1(bfind_s64, u32, u64, bfind64(a, true, false))
KS_EMU_OP1(bfind_shift_u32, u32, u32, bfind32(a, false, true))
KS_EMU_OP1(bfind_shift_s32, u32, u32, bfind32(a, true, true))
KS_EMU_OP1(bfind_shift_u64, u32, u64, bfind64(a, false, true))
KS_EMU_OP1(bfind_shift_s64, u32, u64, bfind64(a, true, true))

static u64 reverse(u64 a)
{
    u64 out = 0;
    for (int i = 0; i < 64; i++)
        out |= (a >> i & 1) << (63 - i);
    return out;
}
KS_EMU_OP1(brev_b32, u32, u32, reverse(a) >> 32)
KS_EMU_OP1(brev_b64, u64, u64, reverse(a))

// bfe (9.7.1.19): position and length are the low bytes; past the top comes zero, or the sign.
static u64 extract(u64 a, u32 pos, u32 len, unsigned bits, bool is_signed)
{
    pos &= 0xff;
    len &= 0xff;
    u64 sign = 0;
    if (is_signed && len > 0) {
        u64 top = (u64)pos + len - 1;
        sign = a >> (top < bits ? top : bits - 1) & 1;
    }
    u64 field = pos >= bits ? 0 : a >> pos;
    unsigned got = pos >= bits ? 0 : bits - pos;
    if (got > len)
        got = len;
    u64 keep = got == 64 ? UINT64_MAX : (UINT64_C(1) << got) - 1;
    return (field & keep) | (sign != 0 ? ~keep : 0);
}
KS_EMU_OP3(bfe_u32, u32, u32, u32, u32, extract(a, b, c, 32, false))
KS_EMU_OP3(bfe_s32, u32, u32, u32, u32, extract(a, b, c, 32, true))
KS_EMU_OP3(bfe_u64, u64, u64, u32, u32, extract(a, b, c, 64, false))
KS_EMU_OP3(bfe_s64, u64, u64, u32, u32, extract(a, b, c, 64, true))

// bfi (9.7.1.20): the low bits of a into b.
static u64 insert(u64 a, u64 b, u32 pos, u32 len, unsigned bits)
{
    pos &= 0xff;
    len &= 0xff;
    if (pos >= bits || len == 0)
        return b;
    if (len > bits - pos)
        len = bits - pos;
    u64 keep = (len == 64 ? UINT64_MAX : (UINT64_C(1) << len) - 1) << pos;
    return (b & ~keep) | (a << pos & keep);
}
#define INSERT(name, T, bits)                                                                     \
    static void name(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)     \
    {                                                                                             \
        T *d = KS_EMU_REG(T, inst->d);                                                            \
        const T *a = KS_EMU_REG(T, inst->a), *b = KS_EMU_REG(T, inst->b);                         \
        const u32 *c = KS_EMU_REG(u32, inst->c), *e = KS_EMU_REG(u32, inst->e);                   \
        KS_EMU_EACH({ d[l] = (T)insert(a[l], b[l], c[l], e[l], bits); })                          \
    }
INSERT(bfi_b32, u32, 32)
INSERT(bfi_b64, u64, 64)

// bmsk (9.7.1.25), szext (9.7.1.21).
static u32 mask_of(u32 pos, u32 len, bool wrap)
{
    if (wrap) {
        pos &= 31;
        len &= 31;
    }
    if (pos > 31 || len == 0)
        return 0;
    u64 ones = len > 32 ? UINT32_MAX : (UINT64_C(1) << len) - 1;
    return (u32)(ones << pos);
}
KS_EMU_OP2(bmsk_clamp, u32, u32, u32, mask_of(a, b, false))
KS_EMU_OP2(bmsk_wrap, u32, u32, u32, mask_of(a, b, true))
static u32 extend(u32 a, u32 n, bool is_signed, bool wrap)
{
    if (wrap)
        n &= 31;
    if (n >= 32)
        return a;
    if (n == 0)
        return 0;
    u32 ones = (1u << n) - 1;
    return is_signed && (a >> (n - 1) & 1) != 0 ? a | ~ones : a & ones;
}
KS_EMU_OP2(szext_clamp_u32, u32, u32, u32, extend(a, b, false, false))
KS_EMU_OP2(szext_clamp_s32, u32, u32, u32, extend(a, b, true, false))
KS_EMU_OP2(szext_wrap_u32, u32, u32, u32, extend(a, b, false, true))
KS_EMU_OP2(szext_wrap_s32, u32, u32, u32, extend(a, b, true, true))

// shf (9.7.8.8): the 64-bit number (b:a) shifted; .l gives its upper half, .r its lower.
#define LONG(a, b) (((u64)(b) << 32) | (a))
KS_EMU_OP3(shf_l_wrap, u32, u32, u32, u32, LONG(a, b) << (c & 31) >> 32)
KS_EMU_OP3(shf_l_clamp, u32, u32, u32, u32, c >= 32 ? a : (u32)(LONG(a, b) << c >> 32))
KS_EMU_OP3(shf_r_wrap, u32, u32, u32, u32, LONG(a, b) >> (c & 31))
KS_EMU_OP3(shf_r_clamp, u32, u32, u32, u32, c >= 32 ? b : (u32)(LONG(a, b) >> c))

// prmt (9.7.9.7): bytes of (b:a) by the nibbles of c; bit 3 of a nibble spreads the byte's sign.
static u32 permute(u32 a, u32 b, u32 c)
{
    u64 from = LONG(a, b);
    u32 out = 0;
    for (unsigned i = 0; i < 4; i++) {
        u32 pick = c >> (4 * i) & 15;
        u32 byte = (u32)(from >> (8 * (pick & 7))) & 0xff;
        if ((pick & 8) != 0)
            byte = (byte & 0x80) != 0 ? 0xff : 0;
        out |= byte << (8 * i);
    }
    return out;
}
KS_EMU_OP3(prmt, u32, u32, u32, u32, permute(a, b, c))
// The modes other than the default take their selectors from a table (9.7.9.7).
static u32 permute_mode(u32 a, u32 b, u32 c, const u16 table[4])
{
    return permute(a, b, table[c & 3]);
}
static const u16 f4e[4] = {0x3210, 0x4321, 0x5432, 0x6543};
static const u16 b4e[4] = {0x5670, 0x6701, 0x7012, 0x0123};
static const u16 rc8[4] = {0x0000, 0x1111, 0x2222, 0x3333};
static const u16 ecl[4] = {0x3210, 0x3211, 0x3222, 0x3333};
static const u16 ecr[4] = {0x0000, 0x1110, 0x2210, 0x3210};
static const u16 rc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};
KS_EMU_OP3(prmt_f4e, u32, u32, u32, u32, permute_mode(a, b, c, f4e))
KS_EMU_OP3(prmt_b4e, u32, u32, u32, u32, permute_mode(a, b, c, b4e))
KS_EMU_OP3(prmt_rc8, u32, u32, u32, u32, permute_mode(a, b, c, rc8))
KS_EMU_OP3(prmt_ecl, u32, u32, u32, u32, permute_mode(a, b, c, ecl))
KS_EMU_OP3(prmt_ecr, u32, u32, u32, u32, permute_mode(a, b, c, ecr))
KS_EMU_OP3(prmt_rc16, u32, u32, u32, u32, permute_mode(a, b, c, rc16))

// lop3 (9.7.8.6): bit (a << 2 | b << 1 | c) of the table.
static void lop3(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    u32 *d = KS_EMU_REG(u32, inst->d);
    const u32 *pa = KS_EMU_REG(u32, inst->a), *pb = KS_EMU_REG(u32, inst->b);
    const u32 *pc = KS_EMU_REG(u32, inst->c);
    const u32 table = *KS_EMU_REG(u32, inst->e);
    u32 term[8];
    for (unsigned k = 0; k < 8; k++)
        term[k] = (table >> k & 1) != 0 ? UINT32_MAX : 0;
    KS_EMU_EACH({
        const u32 a = pa[l];
        const u32 b = pb[l];
        const u32 c = pc[l];
        d[l] = (term[0] & ~a & ~b & ~c) | (term[1] & ~a & ~b & c) | (term[2] & ~a & b & ~c) |
               (term[3] & ~a & b & c) | (term[4] & a & ~b & ~c) | (term[5] & a & ~b & c) |
               (term[6] & a & b & ~c) | (term[7] & a & b & c);
    })
}

// fns (9.7.1.19): the c'th set bit from bit b on, upwards or downwards; 0: b itself if it is set.
static u32 nth_set(u32 a, u32 b, int32_t c)
{
    int step = c < 0 ? -1 : 1, left = c < 0 ? -c : c;
    if (b > 31)
        return UINT32_MAX;
    if (c == 0)
        return (a >> b & 1) != 0 ? b : UINT32_MAX;
    for (int at = (int)b; at >= 0 && at < 32; at += step)
        if ((a >> at & 1) != 0 && --left == 0)
            return (u32)at;
    return UINT32_MAX;
}
KS_EMU_OP3(fns, u32, u32, u32, u32, nth_set(a, b, (int32_t)c))

#define ROWS(T, B, S, w)                                                                          \
    {"and." #B, w w w, and_##T}, {"or." #B, w w w, or_##T}, {"xor." #B, w w w, xor_##T},          \
    {"not." #B, w w, not_##T}, {"cnot." #B, w w, cnot_##T}, {"shl." #B, w w "4", shl_##T},        \
    {"shr." #B, w w "4", shr_##T}, {"shr." #T, w w "4", shr_##T}, {"shr." #S, w w "4", shr_##S}

const struct ks_emu_opcode ks_emu_bit_ops[] = {
    ROWS(u16, b16, s16, "2"), ROWS(u32, b32, s32, "4"), ROWS(u64, b64, s64, "8"),
    {"and.pred", "ppp", and_pred}, {"or.pred", "ppp", or_pred}, {"xor.pred", "ppp", xor_pred},
    {"not.pred", "pp", not_pred},
    {"popc.b32", "44", popc_b32}, {"popc.b64", "48", popc_b64},
    {"clz.b32", "44", clz_b32}, {"clz.b64", "48", clz_b64},
    {"bfind.u32", "44", bfind_u32}, {"bfind.s32", "44", bfind_s32},
    {"bfind.u64", "48", bfind_u64}, {"bfind.s64", "48", bfind_s64},
    {"bfind.shiftamt.u32", "44", bfind_shift_u32}, {"bfind.shiftamt.s32", "44", bfind_shift_s32},
    {"bfind.shiftamt.u64", "48", bfind_shift_u64}, {"bfind.shiftamt.s64", "48", bfind_shift_s64},
    {"brev.b32", "44", brev_b32}, {"brev.b64", "88", brev_b64},
    {"bfe.u32", "4444", bfe_u32}, {"bfe.s32", "4444", bfe_s32},
    {"bfe.u64", "8844", bfe_u64}, {"bfe.s64", "8844", bfe_s64},
    {"bfi.b32", "44444", bfi_b32}, {"bfi.b64", "88844", bfi_b64},
    {"bmsk.clamp.b32", "444", bmsk_clamp}, {"bmsk.wrap.b32", "444", bmsk_wrap},
    {"szext.clamp.u32", "444", szext_clamp_u32}, {"szext.clamp.s32", "444", szext_clamp_s32},
    {"szext.wrap.u32", "444", szext_wrap_u32}, {"szext.wrap.s32", "444", szext_wrap_s32},
    {"shf.l.wrap.b32", "4444", shf_l_wrap}, {"shf.l.clamp.b32", "4444", shf_l_clamp},
    {"shf.r.wrap.b32", "4444", shf_r_wrap}, {"shf.r.clamp.b32", "4444", shf_r_clamp},
    {"prmt.b32", "4444", prmt}, {"prmt.b32.f4e", "4444", prmt_f4e},
    {"prmt.b32.b4e", "4444", prmt_b4e}, {"prmt.b32.rc8", "4444", prmt_rc8},
    {"prmt.b32.ecl", "4444", prmt_ecl}, {"prmt.b32.ecr", "4444", prmt_ecr},
    {"prmt.b32.rc16", "4444", prmt_rc16},
    {"lop3.b32", "44444", lop3}, {"fns.b32", "4444", fns}, {"mov.pred", "pp", mov_pred},
    {NULL, NULL, NULL},
};
