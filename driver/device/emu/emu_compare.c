// setp, set, selp, slct, testp (PTX ISA 9.7.5, 9.7.6).

#include "device/emu/emu_alu.h"
#include "device/emu/emu_soft.h"

enum compare { EQ, NE, LT, LE, GT, GE, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NOT_NUM, N_COMPARE };
static const char *const compare_names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                            "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
// lo, ls, hi, hs: the unsigned spellings.
static const struct {
    const char *name;
    enum compare compare;
} unsigned_names[] = {{"lo", LT}, {"ls", LE}, {"hi", GT}, {"hs", GE}};
enum { C_U16, C_S16, C_U32, C_S32, C_U64, C_S64, C_F32, C_F32_FTZ, C_F64, C_F16, C_BF16, C_TYPES };
enum { B_NONE, B_AND, B_OR, B_XOR };

// Bits of the lanes for which the comparison holds. E: from register to comparable value.
#define KEEP(x) (x)
#define LANES_OF(T, E, expr)                                                                      \
    {                                                                                             \
        const T *pa = KS_EMU_REG(T, inst->a), *pb = KS_EMU_REG(T, inst->b);                       \
        for (unsigned l = 0; l < KS_EMU_LANES; l++) {                                             \
            const __typeof__(E(*pa)) a = E(pa[l]), b = E(pb[l]);                                  \
            bits |= (uint32_t)(expr) << l;                                                        \
        }                                                                                         \
        break;                                                                                    \
    }
#define ORDERED(T, E)                                                                             \
    case EQ:                                                                                      \
        LANES_OF(T, E, a == b)                                                                    \
    case LT:                                                                                      \
        LANES_OF(T, E, a < b)                                                                     \
    case LE:                                                                                      \
        LANES_OF(T, E, a <= b)                                                                    \
    case GT:                                                                                      \
        LANES_OF(T, E, a > b)                                                                     \
    case GE:                                                                                      \
        LANES_OF(T, E, a >= b)
#define WHOLE(name, T)                                                                            \
    static uint32_t name(struct ks_emu_warp *warp, const struct ks_emu_inst *inst)                \
    {                                                                                             \
        uint32_t bits = 0;                                                                        \
        switch (inst->op) {                                                                       \
            ORDERED(T, KEEP)                                                                      \
        default:                                                                                  \
            LANES_OF(T, KEEP, a != b)                                                             \
        }                                                                                         \
        return bits;                                                                              \
    }
// Ordered comparisons are false with NaN, those that end in u are true (9.7.5).
#define FLOATING(name, T, E)                                                                      \
    static uint32_t name(struct ks_emu_warp *warp, const struct ks_emu_inst *inst)                \
    {                                                                                             \
        uint32_t bits = 0;                                                                        \
        switch (inst->op) {                                                                       \
            ORDERED(T, E)                                                                         \
        case NE:                                                                                  \
            LANES_OF(T, E, a < b || a > b)                                                        \
        case EQU:                                                                                 \
            LANES_OF(T, E, !(a < b || a > b))                                                     \
        case NEU:                                                                                 \
            LANES_OF(T, E, !(a == b))                                                             \
        case LTU:                                                                                 \
            LANES_OF(T, E, !(a >= b))                                                             \
        case LEU:                                                                                 \
            LANES_OF(T, E, !(a > b))                                                              \
        case GTU:                                                                                 \
            LANES_OF(T, E, !(a <= b))                                                             \
        case GEU:                                                                                 \
            LANES_OF(T, E, !(a < b))                                                              \
        case NUM:                                                                                 \
            LANES_OF(T, E, a == a && b == b)                                                      \
        default:                                                                                  \
            LANES_OF(T, E, a != a || b != b)                                                      \
        }                                                                                         \
        return bits;                                                                              \
    }
WHOLE(cmp_u16, uint16_t)
WHOLE(cmp_s16, int16_t)
WHOLE(cmp_u32, uint32_t)
WHOLE(cmp_s32, int32_t)
WHOLE(cmp_u64, uint64_t)
WHOLE(cmp_s64, int64_t)
FLOATING(cmp_f32, float, KEEP)
FLOATING(cmp_f32_ftz, float, ks_emu_flush)
FLOATING(cmp_f64, double, KEEP)
FLOATING(cmp_f16, uint16_t, ks_emu_half)
FLOATING(cmp_bf16, uint16_t, ks_emu_bf16)

typedef uint32_t compare_fn(struct ks_emu_warp *warp, const struct ks_emu_inst *inst);
static compare_fn *const compares[C_TYPES] = {cmp_u16, cmp_s16, cmp_u32, cmp_s32,
                                              cmp_u64, cmp_s64, cmp_f32, cmp_f32_ftz,
                                              cmp_f64, cmp_f16, cmp_bf16};

static uint32_t combine(unsigned how, uint32_t bits, uint32_t c)
{
    return how == B_AND ? bits & c : how == B_OR ? bits | c : how == B_XOR ? bits ^ c : bits;
}

// inst: op compare, size type, flags bool | negated << 2, c predicate, e second destination.
static void setp(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    uint32_t bits = compares[inst->size](warp, inst), c = 0, unlike = ~bits;
    if (inst->c != KS_EMU_NONE)
        c = *KS_EMU_REG(uint32_t, inst->c) ^ ((inst->flags & 4) != 0 ? UINT32_MAX : 0);
    bits = combine(inst->flags & 3, bits, c);
    unlike = combine(inst->flags & 3, unlike, c);
    if (inst->d != KS_EMU_NONE) {
        uint32_t *d = KS_EMU_REG(uint32_t, inst->d);
        *d = (*d & ~mask) | (bits & mask);
    }
    if (inst->e != KS_EMU_NONE) {
        uint32_t *q = KS_EMU_REG(uint32_t, inst->e);
        *q = (*q & ~mask) | (unlike & mask);
    }
}

// set: the answer as a number: all ones, or 1.0 for a floating destination.
static void set(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    uint32_t bits = compares[inst->size](warp, inst), c = 0;
    unsigned char *d = warp->regs + inst->d;
    if (inst->c != KS_EMU_NONE)
        c = *KS_EMU_REG(uint32_t, inst->c) ^ ((inst->flags & 4) != 0 ? UINT32_MAX : 0);
    bits = combine(inst->flags & 3, bits, c);
    for (unsigned l = 0; l < KS_EMU_LANES; l++)
        if ((mask >> l & 1) != 0) {
            uint32_t answer = (bits >> l & 1) != 0 ? (uint32_t)inst->imm : 0;
            memcpy(d + l * inst->width, &answer, inst->width);
        }
}

// setp and set on pairs: each half by itself.
static void set_pair(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    const uint32_t *a = KS_EMU_REG(uint32_t, inst->a), *b = KS_EMU_REG(uint32_t, inst->b);
    uint32_t half[2] = {0, 0};
    unsigned char lanes[2 * 2 * KS_EMU_LANES];
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned l = 0; l < KS_EMU_LANES; l++) {
            uint16_t x = (uint16_t)(a[l] >> (16 * h)), y = (uint16_t)(b[l] >> (16 * h));
            memcpy(lanes + 2 * l, &x, 2);
            memcpy(lanes + 2 * (KS_EMU_LANES + l), &y, 2);
        }
        struct ks_emu_warp view = {.regs = lanes};
        struct ks_emu_inst one = {.op = inst->op, .a = 0, .b = 2 * KS_EMU_LANES};
        half[h] = compares[inst->size](&view, &one);
    }
    if (inst->imm == 0) { // setp d|e
        uint32_t *p = KS_EMU_REG(uint32_t, inst->d), *q = KS_EMU_REG(uint32_t, inst->e);
        *p = (*p & ~mask) | (half[0] & mask);
        *q = (*q & ~mask) | (half[1] & mask);
        return;
    }
    uint32_t *d = KS_EMU_REG(uint32_t, inst->d);
    for (unsigned l = 0; l < KS_EMU_LANES; l++)
        if ((mask >> l & 1) != 0)
            d[l] = ((half[0] >> l & 1) != 0 ? (uint32_t)inst->imm & 0xffff : 0) |
                   ((half[1] >> l & 1) != 0 ? (uint32_t)inst->imm & 0xffff0000 : 0);
}

static bool read_type(struct ks_slice word, bool ftz, uint8_t *type, uint32_t *width)
{
    static const struct {
        const char *name;
        uint8_t type, width;
    } types[] = {{"u16", C_U16, 2}, {"b16", C_U16, 2}, {"s16", C_S16, 2}, {"u32", C_U32, 4},
                 {"b32", C_U32, 4}, {"s32", C_S32, 4}, {"u64", C_U64, 8}, {"b64", C_U64, 8},
                 {"s64", C_S64, 8}, {"f32", C_F32, 4}, {"f64", C_F64, 8}, {"f16", C_F16, 2},
                 {"bf16", C_BF16, 2}, {"f16x2", C_F16, 4}, {"bf16x2", C_BF16, 4}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (ks_slice_eq(word, types[i].name)) {
            *type = types[i].type == C_F32 && ftz ? C_F32_FTZ : types[i].type;
            *width = types[i].width;
            return !ftz || types[i].type == C_F32;
        }
    return false;
}

static bool read_compare(struct ks_slice word, uint8_t *op)
{
    for (uint8_t i = 0; i < N_COMPARE; i++)
        if (ks_slice_eq(word, compare_names[i])) {
            *op = i;
            return true;
        }
    for (size_t i = 0; i < 4; i++)
        if (ks_slice_eq(word, unsigned_names[i].name)) {
            *op = (uint8_t)unsigned_names[i].compare;
            return true;
        }
    return false;
}

static void decode_set(struct ks_emu_decoder *d, bool is_setp)
{
    struct ks_emu_stmt *s = &d->stmt;
    struct ks_emu_inst *i = &d->inst;
    unsigned last = s->n_mods - 1, at = 1;
    bool ftz = ks_emu_mod(s, "ftz");
    uint32_t width, source;
    if (s->n_mods < 2 || !read_compare(s->mods[0], &i->op) ||
        !read_type(s->mods[last], ftz, &i->size, &width) ||
        (i->size <= C_S64 && i->op > GE)) {
        ks_emu_unsupported(d, "this comparison");
        return;
    }
    bool paired = width == 4 && (i->size == C_F16 || i->size == C_BF16);
    static const char *const bools[] = {"", "and", "or", "xor"};
    for (uint8_t k = B_AND; k <= B_XOR; k++)
        if (ks_slice_eq(s->mods[1], bools[k])) {
            i->flags = k;
            at = 2;
        }
    i->run = paired ? set_pair : is_setp ? setp : set;
    i->a = ks_emu_source(d, 1, width);
    i->b = ks_emu_source(d, 2, width);
    if (i->flags != 0) {
        struct ks_emu_operand *c = &s->ops[3];
        if (paired || s->n_ops != 4)
            ks_emu_unsupported(d, "this combination");
        i->flags = (uint8_t)(i->flags | (c->negated ? 4 : 0));
        c->negated = false;
        i->c = ks_emu_source(d, 3, KS_EMU_PRED);
    } else if (s->n_ops != 3) {
        ks_emu_unsupported(d, "%u operands", s->n_ops);
    }
    if (is_setp) {
        if (ks_emu_register(d, s->ops[0].word, &i->d, &source) && i->d != KS_EMU_NONE &&
            source != KS_EMU_PRED)
            ks_emu_unsupported(d, "a destination that is no predicate");
        if (s->ops[0].pair.len > 0)
            ks_emu_register(d, s->ops[0].pair, &i->e, &source);
        if (paired && (i->d == KS_EMU_NONE || i->e == KS_EMU_NONE))
            ks_emu_unsupported(d, "one predicate for a pair");
        return;
    }
    (void)at;
    struct ks_slice to = s->mods[last - 1];
    i->width = 4;
    if (paired && (ks_slice_eq(to, "f16x2") || ks_slice_eq(to, "bf16x2")))
        i->imm = ks_slice_eq(to, "f16x2") ? 0x3c003c00 : 0x3f803f80;
    else if (ks_slice_eq(to, "u32") || ks_slice_eq(to, "s32"))
        i->imm = UINT32_MAX;
    else if (ks_slice_eq(to, "f32") && !paired)
        i->imm = 0x3f800000;
    else if (!paired && (ks_slice_eq(to, "f16") || ks_slice_eq(to, "bf16"))) {
        i->imm = ks_slice_eq(to, "f16") ? 0x3c00 : 0x3f80;
        i->width = 2;
    } else {
        ks_emu_unsupported(d, "this destination type");
    }
    i->d = ks_emu_dest(d, 0, i->width);
}

// selp: a where the predicate holds; slct: a where c >= 0 (9.7.6.3, .4).
#define SELECT(T)                                                                                 \
    static void selp_##T(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask) \
    {                                                                                             \
        T *d = KS_EMU_REG(T, inst->d);                                                            \
        const T *a = KS_EMU_REG(T, inst->a), *b = KS_EMU_REG(T, inst->b);                         \
        const uint32_t p = *KS_EMU_REG(uint32_t, inst->c);                                        \
        KS_EMU_EACH({ d[l] = (p >> l & 1) != 0 ? a[l] : b[l]; })                                  \
    }                                                                                             \
    static void slct_##T(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask) \
    {                                                                                             \
        T *d = KS_EMU_REG(T, inst->d);                                                            \
        const T *a = KS_EMU_REG(T, inst->a), *b = KS_EMU_REG(T, inst->b);                         \
        const int32_t *c = KS_EMU_REG(int32_t, inst->c);                                          \
        const float *f = KS_EMU_REG(float, inst->c);                                              \
        KS_EMU_EACH({ d[l] = (inst->op != 0 ? f[l] >= 0 : c[l] >= 0) ? a[l] : b[l]; })            \
    }
SELECT(uint16_t)
SELECT(uint32_t)
SELECT(uint64_t)

static void testp(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    uint32_t *d = KS_EMU_REG(uint32_t, inst->d), bits = 0;
    for (unsigned l = 0; l < KS_EMU_LANES; l++) {
        double x = inst->width == 4 ? (double)KS_EMU_REG(float, inst->a)[l]
                                    : KS_EMU_REG(double, inst->a)[l];
        int class = inst->width == 4 ? fpclassify(KS_EMU_REG(float, inst->a)[l]) : fpclassify(x);
        bool is = inst->op == 0   ? class != FP_NAN && class != FP_INFINITE
                  : inst->op == 1 ? class == FP_INFINITE
                  : inst->op == 2 ? class != FP_NAN
                  : inst->op == 3 ? class == FP_NAN
                  : inst->op == 4 ? class == FP_NORMAL || class == FP_ZERO
                                  : class == FP_SUBNORMAL;
        bits |= (uint32_t)is << l;
    }
    *d = (*d & ~mask) | (bits & mask);
}

static void decode_testp(struct ks_emu_decoder *d)
{
    static const char *const tests[] = {"finite", "infinite", "number", "notanumber", "normal",
                                        "subnormal"};
    uint8_t op = 0;
    while (op < 6 && !ks_slice_eq(d->stmt.mods[0], tests[op]))
        op++;
    d->inst.op = op;
    d->inst.width = ks_emu_mod(&d->stmt, "f64") ? 8 : 4;
    if (op == 6 || d->stmt.n_ops != 2)
        ks_emu_unsupported(d, "this test");
    d->inst.run = testp;
    d->inst.d = ks_emu_dest(d, 0, KS_EMU_PRED);
    d->inst.a = ks_emu_source(d, 1, d->inst.width);
}

bool ks_emu_decode_compare(struct ks_emu_decoder *d)
{
    struct ks_emu_stmt *s = &d->stmt;
    bool selp = ks_slice_eq(s->base, "selp"), slct = ks_slice_eq(s->base, "slct");
    if (ks_slice_eq(s->base, "setp") || ks_slice_eq(s->base, "set")) {
        if (s->n_mods == 0)
            ks_emu_unsupported(d, "no type");
        else
            decode_set(d, s->base.len == 4);
        return true;
    }
    if (ks_slice_eq(s->base, "testp")) {
        decode_testp(d);
        return true;
    }
    if (!selp && !slct)
        return false;
    unsigned width = s->n_mods == 0 ? 0 : ks_emu_type_bytes(s->mods[selp ? s->n_mods - 1
                                                             : s->n_mods > 1 ? s->n_mods - 2
                                                                             : 0]);
    if (s->n_ops != 4 || (width != 2 && width != 4 && width != 8)) {
        ks_emu_unsupported(d, "this type");
        return true;
    }
    d->inst.op = slct && ks_slice_eq(s->mods[s->n_mods - 1], "f32");
    d->inst.run = selp ? (width == 2 ? selp_uint16_t : width == 4 ? selp_uint32_t : selp_uint64_t)
                       : (width == 2 ? slct_uint16_t : width == 4 ? slct_uint32_t : slct_uint64_t);
    d->inst.d = ks_emu_dest(d, 0, width);
    d->inst.a = ks_emu_source(d, 1, width);
    d->inst.b = ks_emu_source(d, 2, width);
    d->inst.c = ks_emu_source(d, 3, selp ? KS_EMU_PRED : 4);
    return true;
}
