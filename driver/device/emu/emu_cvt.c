// cvt: between all integer and floating formats (PTX ISA 9.7.9.21). Values go through 64-bit
// integers or doubles, both of which hold every source exactly.

#include <fenv.h>

#include "device/emu/emu_alu.h"
#include "device/emu/emu_soft.h"

enum type { U8, S8, U16, S16, U32, S32, U64, S64, F16, BF16, F32, F64, TF32, F16X2, BF16X2, NONE };
static const struct {
    const char *name;
    unsigned bytes;
} types[] = {{"u8", 1},   {"s8", 1},  {"u16", 2},  {"s16", 2}, {"u32", 4}, {"s32", 4}, {"u64", 8},
             {"s64", 8},  {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"tf32", 4},
             {"f16x2", 4}, {"bf16x2", 4}};

// What inst->flags and op carry.
enum { SATURATE = 1, FLUSH = 2, TO_WHOLE = 4, RELU = 8 };
#define FROM(op) ((enum type)((op) >> 4))
#define TO(op) ((enum type)((op)&15))

static bool is_int(enum type t)
{
    return t <= S64;
}
static bool is_signed(enum type t)
{
    return t == S8 || t == S16 || t == S32 || t == S64;
}

static uint64_t load(const unsigned char *reg, unsigned width, unsigned lane)
{
    uint64_t v = 0;
    memcpy(&v, reg + (size_t)lane * width, width);
    return v;
}

static uint64_t cut(uint64_t v, unsigned bytes, bool sign)
{
    if (bytes >= 8)
        return v;
    unsigned shift = 64 - 8 * bytes;
    return sign ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

static double to_double(uint64_t bits, enum type t, bool flush)
{
    if (t == F16)
        return ks_emu_half((uint16_t)bits);
    if (t == BF16)
        return (double)ks_emu_bf16((uint16_t)bits);
    if (t == F64)
        return ks_emu_f64(bits);
    float x = ks_emu_f32((uint32_t)bits);
    return (double)(flush ? ks_emu_flush(x) : x);
}

static double whole(double x, enum ks_emu_rounding mode)
{
    switch (mode) {
    case KS_EMU_RZ:
        return trunc(x);
    case KS_EMU_RM:
        return floor(x);
    case KS_EMU_RP:
        return ceil(x);
    default:
        return rint(x); // the host rounds to nearest even
    }
}

// Out of range is clamped; NaN gives zero, or the top bit where a 64-bit type is concerned.
static uint64_t to_int(double x, enum type t, enum type from, enum ks_emu_rounding mode)
{
    unsigned bits = 8 * types[t].bytes;
    if (x != x)
        return from == F64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
    x = whole(x, mode);
    if (is_signed(t)) {
        double limit = ldexp(1, (int)bits - 1);
        if (x >= limit)
            return (UINT64_C(1) << (bits - 1)) - 1;
        return x < -limit ? (uint64_t)INT64_MIN >> (64 - bits) : (uint64_t)(int64_t)x;
    }
    if (x >= ldexp(1, (int)bits))
        return UINT64_MAX >> (64 - bits);
    return x <= 0 ? 0 : (uint64_t)x;
}

static uint64_t clamp_int(uint64_t v, enum type t, enum type from)
{
    unsigned bits = 8 * types[t].bytes;
    uint64_t top = is_signed(t) ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
    if (is_signed(from) && (int64_t)v < 0) {
        if (!is_signed(t))
            return 0;
        int64_t least = -(int64_t)top - 1;
        return (int64_t)v < least ? (uint64_t)least : v;
    }
    return v > top ? top : v;
}

static uint64_t from_double(double x, enum type t, unsigned flags, enum ks_emu_rounding mode)
{
    if ((flags & SATURATE) != 0)
        x = x > 0 ? (x < 1 ? x : 1) : 0;
    if ((flags & RELU) != 0 && x <= 0)
        x = 0;
    switch (t) {
    case F16:
        return ks_emu_to_half(x, mode);
    case BF16:
        return ks_emu_to_bf16(x, mode);
    case F64:
        return ks_emu_bits64(x);
    case TF32: // an f32 whose lower 13 bits are zero
        return x != x ? KS_EMU_NAN32 : ks_emu_round_to(x, 10, 8, mode) << 13;
    default: {
        float y = ks_emu_to_f32(x, mode);
        return ks_emu_bits32((flags & FLUSH) != 0 ? ks_emu_flush(y) : y);
    }
    }
}

static double int_to_double(uint64_t v, bool negative_allowed, enum type t,
                            enum ks_emu_rounding mode)
{
    bool negative = negative_allowed && (int64_t)v < 0;
    uint64_t magnitude = negative ? 0 - v : v;
    if (t != F64 || magnitude >> 53 == 0)
        return ks_emu_int_odd(magnitude, negative);
    static const int host_mode[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD,
                                    FE_TONEAREST};
    volatile double high = (double)(magnitude >> 32) * 0x1p32, low = (double)(uint32_t)magnitude;
    volatile double out;
    if (negative) {
        high = -high;
        low = -low;
    }
    fesetround(host_mode[mode]);
    out = high + low; // both exact: rounded once
    fesetround(FE_TONEAREST);
    return out;
}

static uint64_t convert(uint64_t v, enum type from, enum type to, unsigned flags,
                        enum ks_emu_rounding mode)
{
    if (is_int(from)) {
        v = cut(v, types[from].bytes, is_signed(from));
        if (!is_int(to))
            return from_double(int_to_double(v, is_signed(from), to, mode), to, flags, mode);
        return (flags & SATURATE) != 0 ? clamp_int(v, to, from) : v;
    }
    double x = to_double(v, from, (flags & FLUSH) != 0);
    if (is_int(to))
        return to_int(x, to, from, mode);
    if ((flags & TO_WHOLE) != 0) {
        x = whole(x, mode);
        mode = KS_EMU_RN;
    }
    return from_double(x, to, flags, mode);
}

static void cvt(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    const enum type from = FROM(inst->op), to = TO(inst->op);
    const unsigned in = inst->size, out = inst->width;
    const unsigned char *a = warp->regs + inst->a;
    unsigned char *d = warp->regs + inst->d;
    for (unsigned l = 0; l < KS_EMU_LANES; l++) {
        if ((mask >> l & 1) == 0)
            continue;
        uint64_t v = convert(load(a, in, l), from, to, inst->flags,
                             (enum ks_emu_rounding)inst->count);
        v = cut(v, types[to].bytes, is_signed(to));
        memcpy(d + (size_t)l * out, &v, out);
    }
}

// cvt.f16x2.f32 d, a, b: a becomes the upper half.
static void cvt_pair(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    const enum type to = TO(inst->op) == F16X2 ? F16 : BF16;
    const enum ks_emu_rounding mode = (enum ks_emu_rounding)inst->count;
    const uint32_t *a = KS_EMU_REG(uint32_t, inst->a), *b = KS_EMU_REG(uint32_t, inst->b);
    uint32_t *d = KS_EMU_REG(uint32_t, inst->d);
    for (unsigned l = 0; l < KS_EMU_LANES; l++)
        if ((mask >> l & 1) != 0)
            d[l] = (uint32_t)(convert(a[l], F32, to, inst->flags, mode) << 16 |
                              convert(b[l], F32, to, inst->flags, mode));
}

// The common ones at full speed.
KS_EMU_OP1(s64_s32, int64_t, int32_t, a)
KS_EMU_OP1(u64_u32, uint64_t, uint32_t, a)
KS_EMU_OP1(u32_u64, uint32_t, uint64_t, a)
KS_EMU_OP1(f32_s32, float, int32_t, (float)a)
KS_EMU_OP1(f32_u32, float, uint32_t, (float)a)
KS_EMU_OP1(u32_u16, uint32_t, uint16_t, a)
KS_EMU_OP1(u16_u32, uint16_t, uint32_t, a)
KS_EMU_OP1(f32_f16, float, uint16_t, ks_emu_canonical((float)ks_emu_half(a)))
KS_EMU_OP1(f32_bf16, float, uint16_t, ks_emu_canonical(ks_emu_bf16(a)))
KS_EMU_OP1(f64_f32, double, float, a)
static const struct {
    const char *name;
    unsigned to, from;
    ks_emu_op *run;
} quick[] = {
    {"cvt.s64.s32", 8, 4, s64_s32},     {"cvt.u64.u32", 8, 4, u64_u32},
    {"cvt.u32.u64", 4, 8, u32_u64},     {"cvt.rn.f32.s32", 4, 4, f32_s32},
    {"cvt.rn.f32.u32", 4, 4, f32_u32},  {"cvt.u32.u16", 4, 2, u32_u16},
    {"cvt.u16.u32", 2, 4, u16_u32},     {"cvt.f32.f16", 4, 2, f32_f16},
    {"cvt.f32.bf16", 4, 2, f32_bf16},   {"cvt.f64.f32", 8, 4, f64_f32},
};

static enum type type_of(struct ks_slice word)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (ks_slice_eq(word, types[i].name))
            return (enum type)i;
    return NONE;
}

// The modifiers before the two types. False: one that is not known.
static bool read_mods(struct ks_emu_decoder *d, unsigned n)
{
    static const struct {
        const char *name;
        enum ks_emu_rounding mode;
        unsigned flags;
    } mods[] = {
        {"rn", KS_EMU_RN, 0},          {"rz", KS_EMU_RZ, 0},          {"rm", KS_EMU_RM, 0},
        {"rp", KS_EMU_RP, 0},          {"rna", KS_EMU_RNA, 0},        {"rni", KS_EMU_RN, TO_WHOLE},
        {"rzi", KS_EMU_RZ, TO_WHOLE},  {"rmi", KS_EMU_RM, TO_WHOLE},  {"rpi", KS_EMU_RP, TO_WHOLE},
        {"ftz", KS_EMU_RN, FLUSH},     {"sat", KS_EMU_RN, SATURATE},  {"relu", KS_EMU_RN, RELU},
    };
    for (unsigned i = 0; i < n; i++) {
        size_t k = 0;
        while (k < sizeof mods / sizeof mods[0] && !ks_slice_eq(d->stmt.mods[i], mods[k].name))
            k++;
        if (k == sizeof mods / sizeof mods[0])
            return false;
        if (mods[k].flags == 0 || mods[k].flags == TO_WHOLE)
            d->inst.count = (uint8_t)mods[k].mode;
        d->inst.flags = (uint8_t)(d->inst.flags | mods[k].flags);
    }
    return true;
}

bool ks_emu_decode_cvt(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    if (!ks_slice_eq(s->base, "cvt"))
        return false;
    enum type to = s->n_mods < 2 ? NONE : type_of(s->mods[s->n_mods - 2]);
    enum type from = s->n_mods < 2 ? NONE : type_of(s->mods[s->n_mods - 1]);
    bool pair = to == F16X2 || to == BF16X2;
    if (to == NONE || from >= TF32 || !read_mods(d, s->n_mods - 2) || (pair && from != F32)) {
        ks_emu_unsupported(d, "this conversion");
        return true;
    }
    d->inst.op = (uint8_t)(from << 4 | to);
    if (pair) {
        d->inst.run = cvt_pair;
        d->inst.d = ks_emu_dest(d, 0, 4);
        d->inst.a = ks_emu_source(d, 1, 4);
        d->inst.b = ks_emu_source(d, 2, 4);
        return true;
    }
    uint32_t in = types[from].bytes, out;
    if (s->n_ops != 2 || !ks_emu_register(d, s->ops[0].word, &d->inst.d, &out) || out == 0 ||
        out < types[to].bytes) {
        ks_emu_unsupported(d, "this destination");
        return true;
    }
    uint32_t offset, width; // the source may be wider than its type
    if (s->ops[1].word.len > 0 && s->ops[1].word.at[0] == '%' &&
        ks_emu_register_find(d, s->ops[1].word, &offset, &width) && width >= in) {
        d->inst.a = offset;
        in = width;
    } else {
        in = in == 1 ? 2 : in;
        d->inst.a = ks_emu_source(d, 1, in);
    }
    d->inst.size = (uint8_t)in;
    d->inst.width = (uint8_t)out;
    d->inst.run = cvt;
    for (size_t i = 0; i < sizeof quick / sizeof quick[0]; i++)
        if (ks_slice_eq(s->opcode, quick[i].name) && quick[i].to == out && quick[i].from == in)
            d->inst.run = quick[i].run;
    return true;
}
