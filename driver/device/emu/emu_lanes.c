// Instructions between the lanes of a warp: shfl, vote, match, redux, activemask, elect
// (PTX ISA 9.7.9.6, 9.7.13.4 to .10).

#include "device/emu/emu_alu.h"
#include "device/emu/emu_soft.h"

typedef uint32_t u32;
typedef uint64_t u64;
enum { UP, DOWN, BFLY, IDX };
enum { ALL, ANY, UNI, BALLOT };
enum { ADD, MIN_U, MAX_U, MIN_S, MAX_S, AND, OR, XOR, MIN_F, MAX_F };
enum { ABS = 1, NAN_WINS = 2 };

static void set_bits(struct ks_emu_warp *warp, u32 at, u32 mask, u32 bits)
{
    u32 *p = KS_EMU_REG(u32, at);
    *p = (*p & ~mask) | (bits & mask);
}

// shfl (9.7.9.6): b lane or distance, c clamp and segment mask; e members.
static void shfl(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    u32 from[KS_EMU_LANES], lanes[KS_EMU_LANES], in[KS_EMU_LANES], inside = 0;
    u32 *d = KS_EMU_REG(u32, inst->d);
    const u32 *pb = KS_EMU_REG(u32, inst->b), *pc = KS_EMU_REG(u32, inst->c);
    const unsigned op = inst->op;
    memcpy(from, KS_EMU_REG(u32, inst->a), sizeof from);
    KS_EMU_SIMD
    for (u32 l = 0; l < KS_EMU_LANES; l++) {
        u32 b = pb[l] & 31, segment = pc[l] >> 8 & 31, clamp = pc[l] & 31, bottom = l & segment;
        int top = (int)(bottom | (clamp & ~segment));
        int lane = op == UP     ? (int)l - (int)b
                   : op == DOWN ? (int)(l + b)
                   : op == BFLY ? (int)(l ^ b)
                                : (int)(bottom | (b & ~segment));
        in[l] = op == UP ? lane >= top : lane <= top;
        lanes[l] = in[l] != 0 ? (u32)lane : l;
    }
    for (u32 l = 0; l < KS_EMU_LANES; l++) {
        inside |= in[l] << l;
        // From a lane that does not take part the value is undefined (9.7.9.6): a sign, not a zero.
        if ((mask >> l & 1) != 0)
            d[l] = (mask >> lanes[l] & 1) != 0 ? from[lanes[l]] : 0xdeadbeefu ^ l << 8;
    }
    if (inst->target != KS_EMU_NONE)
        set_bits(warp, inst->target, mask, inside);
}

static void vote(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    u32 p = *KS_EMU_REG(u32, inst->a) ^ (inst->flags != 0 ? UINT32_MAX : 0), out[KS_EMU_LANES];
    u32 bits = 0;
    for (u32 l = 0; l < KS_EMU_LANES; l++) {
        u32 members = KS_EMU_REG(u32, inst->e)[l] & mask, yes = p & members;
        out[l] = yes;
        bool answer = inst->op == ALL   ? yes == members
                      : inst->op == ANY ? yes != 0
                                        : yes == members || yes == 0;
        bits |= (u32)answer << l;
    }
    if (inst->op != BALLOT) {
        set_bits(warp, inst->d, mask, bits);
        return;
    }
    for (u32 l = 0; l < KS_EMU_LANES; l++)
        if ((mask >> l & 1) != 0)
            KS_EMU_REG(u32, inst->d)[l] = out[l];
}

static u64 word(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 lane)
{
    return inst->width == 8 ? KS_EMU_REG(u64, inst->a)[lane] : KS_EMU_REG(u32, inst->a)[lane];
}

static void match(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    u32 same[KS_EMU_LANES], agree = 0;
    for (u32 l = 0; l < KS_EMU_LANES; l++) {
        u32 members = KS_EMU_REG(u32, inst->e)[l] & mask;
        same[l] = 0;
        for (u32 k = 0; k < KS_EMU_LANES && (mask >> l & 1) != 0; k++)
            if ((members >> k & 1) != 0 && word(warp, inst, k) == word(warp, inst, l))
                same[l] |= 1u << k;
        if (inst->op == ALL) {
            agree |= (u32)(same[l] == members) << l;
            same[l] = same[l] == members ? members : 0;
        }
    }
    for (u32 l = 0; l < KS_EMU_LANES; l++)
        if ((mask >> l & 1) != 0)
            KS_EMU_REG(u32, inst->d)[l] = same[l];
    if (inst->target != KS_EMU_NONE)
        set_bits(warp, inst->target, mask, agree);
}

static u32 reduce(unsigned op, u32 x, u32 y)
{
    switch (op) {
    case ADD:
        return x + y;
    case MIN_U:
        return x < y ? x : y;
    case MAX_U:
        return x > y ? x : y;
    case MIN_S:
        return (int32_t)x < (int32_t)y ? x : y;
    case MAX_S:
        return (int32_t)x > (int32_t)y ? x : y;
    case AND:
        return x & y;
    case OR:
        return x | y;
    default:
        return x ^ y;
    }
}

// Of two singles; a number beats NaN but with .NaN, -0 is less than +0 (9.7.13.9).
static u32 reduce_float(const struct ks_emu_inst *inst, u32 x, u32 y)
{
    float a = ks_emu_f32(x), b = ks_emu_f32(y);
    if (a != a || b != b)
        return (inst->flags & NAN_WINS) != 0 || (a != a && b != b) ? KS_EMU_NAN32 : a != a ? y : x;
    bool less = a < b || (a == b && signbit(a));
    return less == (inst->op == MIN_F) ? x : y;
}

static void redux(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    u32 from[KS_EMU_LANES];
    memcpy(from, KS_EMU_REG(u32, inst->a), sizeof from);
    for (u32 l = 0; l < KS_EMU_LANES && (inst->flags & ABS) != 0; l++)
        from[l] &= 0x7fffffff;
    for (u32 l = 0; l < KS_EMU_LANES; l++) {
        u32 members = KS_EMU_REG(u32, inst->e)[l] & mask, out = 0;
        bool first = true;
        for (u32 k = 0; k < KS_EMU_LANES && (mask >> l & 1) != 0; k++)
            if ((members >> k & 1) != 0) {
                out = first             ? from[k]
                      : inst->op >= MIN_F ? reduce_float(inst, out, from[k])
                                          : reduce(inst->op, out, from[k]);
                first = false;
            }
        if ((mask >> l & 1) != 0)
            KS_EMU_REG(u32, inst->d)[l] = out;
    }
}

static void activemask(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    for (u32 l = 0; l < KS_EMU_LANES; l++)
        if ((mask >> l & 1) != 0)
            KS_EMU_REG(u32, inst->d)[l] = mask;
}

// elect.sync d|p, members: the lowest member leads.
static void elect(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    u32 leader = (u32)__builtin_ctz(mask);
    for (u32 l = 0; l < KS_EMU_LANES; l++)
        if ((mask >> l & 1) != 0 && inst->d != KS_EMU_NONE)
            KS_EMU_REG(u32, inst->d)[l] = leader;
    if (inst->target != KS_EMU_NONE)
        set_bits(warp, inst->target, mask, 1u << leader);
}

// ---- decoding

static uint8_t mode_of(struct ks_emu_decoder *d, const char *const *names, uint8_t n)
{
    for (uint8_t i = 0; i < n; i++)
        if (ks_emu_mod(&d->stmt, names[i]))
            return i;
    ks_emu_unsupported(d, "this mode");
    return 0;
}

// d|p: the predicate into inst.target, which these instructions have no other use for.
static void pair_of(struct ks_emu_decoder *d)
{
    uint32_t width;
    struct ks_emu_operand *op = &d->stmt.ops[0];
    if (op->pair.len > 0 && ks_emu_register(d, op->pair, &d->inst.target, &width) &&
        width != KS_EMU_PRED)
        ks_emu_unsupported(d, "a second destination that is no predicate");
    op->pair.len = 0;
    if (ks_emu_register(d, op->word, &d->inst.d, &width) && width != 4 && width != 0)
        ks_emu_unsupported(d, "a destination of this width");
}

static void decode_redux(struct ks_emu_decoder *d)
{
    static const char *const ops[] = {"add", "min", "max", "", "", "and", "or", "xor"};
    bool sign = ks_emu_mod(&d->stmt, "s32");
    uint8_t op = 0;
    while (op < 8 && (ops[op][0] == '\0' || !ks_emu_mod(&d->stmt, ops[op])))
        op++;
    d->inst.op = (uint8_t)(sign && (op == MIN_U || op == MAX_U) ? op + 2 : op);
    bool single = ks_emu_mod(&d->stmt, "f32");
    if (op == 8 || (single && op != MIN_U && op != MAX_U))
        ks_emu_unsupported(d, "this operation");
    if (single)
        d->inst.op = op == MIN_U ? MIN_F : MAX_F;
    d->inst.flags = (uint8_t)((ks_emu_mod(&d->stmt, "abs") ? ABS : 0) |
                              (ks_emu_mod(&d->stmt, "NaN") ? NAN_WINS : 0));
    d->inst.run = redux;
    d->inst.d = ks_emu_dest(d, 0, 4);
    d->inst.a = ks_emu_source(d, 1, 4);
    d->inst.e = ks_emu_source(d, 2, 4);
}

static void decode_vote(struct ks_emu_decoder *d)
{
    static const char *const modes[] = {"all", "any", "uni", "ballot"};
    struct ks_emu_operand *p = &d->stmt.ops[1];
    d->inst.op = mode_of(d, modes, 4);
    d->inst.run = vote;
    d->inst.flags = p->negated;
    p->negated = false;
    d->inst.d = ks_emu_dest(d, 0, d->inst.op == BALLOT ? 4 : KS_EMU_PRED);
    d->inst.a = ks_emu_source(d, 1, KS_EMU_PRED);
    d->inst.e = ks_emu_source(d, 2, 4);
}

bool ks_emu_decode_warp(struct ks_emu_decoder *d)
{
    static const char *const shuffles[] = {"up", "down", "bfly", "idx"};
    static const char *const matches[] = {"all", "any"};
    struct ks_slice base = d->stmt.base;
    if (ks_slice_eq(base, "activemask")) {
        d->inst.run = activemask;
        d->inst.d = ks_emu_dest(d, 0, 4);
        return true;
    }
    if (!ks_slice_eq(base, "shfl") && !ks_slice_eq(base, "vote") && !ks_slice_eq(base, "match") &&
        !ks_slice_eq(base, "redux") && !ks_slice_eq(base, "elect"))
        return false;
    d->inst.kind = KS_EMU_WARP_SYNC;
    if (!ks_emu_mod(&d->stmt, "sync"))
        ks_emu_unsupported(d, "no .sync"); // not for sm_70 and later
    if (ks_slice_eq(base, "shfl")) {
        d->inst.op = mode_of(d, shuffles, 4);
        d->inst.run = shfl;
        pair_of(d);
        d->inst.a = ks_emu_source(d, 1, 4);
        d->inst.b = ks_emu_source(d, 2, 4);
        d->inst.c = ks_emu_source(d, 3, 4);
        d->inst.e = ks_emu_source(d, 4, 4);
    } else if (ks_slice_eq(base, "vote")) {
        decode_vote(d);
    } else if (ks_slice_eq(base, "match")) {
        d->inst.op = mode_of(d, matches, 2);
        d->inst.width = ks_emu_mod(&d->stmt, "b64") ? 8 : 4;
        d->inst.run = match;
        pair_of(d);
        d->inst.a = ks_emu_source(d, 1, d->inst.width);
        d->inst.e = ks_emu_source(d, 2, 4);
    } else if (ks_slice_eq(base, "elect")) {
        d->inst.run = elect;
        pair_of(d);
        d->inst.e = ks_emu_source(d, 1, 4);
    } else {
        decode_redux(d);
    }
    return true;
}
