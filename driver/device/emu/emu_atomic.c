// atom and red (PTX ISA 9.7.13.11, .12): one lane after the other, of vectors one element after the other.

#include "device/emu/emu_alu.h"
#include "device/emu/emu_count.h"
#include "device/emu/emu_soft.h"

typedef uint32_t u32;
typedef uint64_t u64;
enum { EXCH, CAS, ADD, INC, DEC, MIN, MAX, AND, OR, XOR };
static const char *const op_names[] = {"exch", "cas", "add", "inc", "dec",
                                       "min",  "max", "and", "or",  "xor"};
enum { INT_U, INT_S, FLOAT, DOUBLE, HALF2, HALF, BFLOAT, BFLOAT2 };

static u64 sum16(u64 x, u64 y, bool bf16)
{
    if (bf16)
        return ks_emu_to_bf16(ks_emu_fma_odd((double)ks_emu_bf16((uint16_t)x), 1,
                                             (double)ks_emu_bf16((uint16_t)y)), KS_EMU_RN);
    return ks_emu_to_half(ks_emu_half((uint16_t)x) + ks_emu_half((uint16_t)y), KS_EMU_RN);
}

// The lesser or greater half; a number beats NaN, -0 is less than +0.
static u64 end16(u64 x, u64 y, bool bf16, bool least)
{
    double a = bf16 ? (double)ks_emu_bf16((uint16_t)x) : ks_emu_half((uint16_t)x);
    double b = bf16 ? (double)ks_emu_bf16((uint16_t)y) : ks_emu_half((uint16_t)y);
    if (a != a || b != b)
        return a != a && b != b ? KS_EMU_NAN16 : a != a ? (uint16_t)y : (uint16_t)x;
    bool less = a < b || (a == b && signbit(a));
    return (uint16_t)(less == least ? x : y);
}

static u64 end_of(unsigned type, u64 x, u64 y, bool least)
{
    bool bf16 = type == BFLOAT || type == BFLOAT2;
    u64 low = end16(x & 0xffff, y & 0xffff, bf16, least);
    return type == HALF || type == BFLOAT ? low : low | end16(x >> 16, y >> 16, bf16, least) << 16;
}

// `flush`: in global memory sums of singles have no subnormals (9.7.13.11).
static u64 add(unsigned type, u64 x, u64 y, bool flush)
{
    float a = ks_emu_f32((u32)x), b = ks_emu_f32((u32)y);
    switch (type) {
    case FLOAT:
        if (flush)
            return ks_emu_bits32(ks_emu_canonical(ks_emu_flush(ks_emu_flush(a) + ks_emu_flush(b))));
        return ks_emu_bits32(ks_emu_canonical(a + b));
    case DOUBLE:
        return ks_emu_bits64(ks_emu_f64(x) + ks_emu_f64(y));
    case HALF:
    case BFLOAT:
        return sum16(x, y, type == BFLOAT);
    case HALF2:
    case BFLOAT2:
        return sum16(x & 0xffff, y & 0xffff, type == BFLOAT2) |
               sum16(x >> 16, y >> 16, type == BFLOAT2) << 16;
    default:
        return x + y;
    }
}

static u64 apply(const struct ks_emu_inst *inst, u64 old, u64 b, u64 c, bool flush)
{
    unsigned shift = 64 - 8u * inst->size;
    int64_t x = (int64_t)(old << shift) >> shift, y = (int64_t)(b << shift) >> shift;
    switch (inst->op) {
    case EXCH:
        return b;
    case CAS:
        return old == b ? c : old;
    case ADD:
        return add(inst->flags, old, b, flush);
    case INC:
        return old >= b ? 0 : old + 1;
    case DEC:
        return old == 0 || old > b ? b : old - 1;
    case MIN:
        if (inst->flags >= HALF2)
            return end_of(inst->flags, old, b, true);
        return inst->flags == INT_S ? (x < y ? old : b) : old < b ? old : b;
    case MAX:
        if (inst->flags >= HALF2)
            return end_of(inst->flags, old, b, false);
        return inst->flags == INT_S ? (x > y ? old : b) : old > b ? old : b;
    case AND:
        return old & b;
    case OR:
        return old | b;
    default:
        return old ^ b;
    }
}

static u64 load(const struct ks_emu_warp *warp, uint32_t reg, unsigned size, u32 lane)
{
    u64 v = 0;
    if (reg != KS_EMU_NONE)
        memcpy(&v, warp->regs + reg + (size_t)lane * size, size);
    return v;
}

static void change(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 lane, u64 address,
                   u32 d, u32 b)
{
    unsigned char *at = ks_emu_touch(warp, inst, lane, address, inst->size, KS_EMU_ATOMIC, NULL);
    bool shared = inst->space == KS_EMU_SHARED || address >> KS_EMU_SLOT_BITS == 1;
    u64 old = 0;
    if (at != NULL) {
        memcpy(&old, at, inst->size);
        u64 new = apply(inst, old, load(warp, b, inst->size, lane),
                        load(warp, inst->c, inst->size, lane), !shared);
        memcpy(at, &new, inst->size);
    }
    if (d != KS_EMU_NONE)
        memcpy(warp->regs + d + (size_t)lane * inst->size, &old, inst->size);
}

static void atom(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    if (inst->sem == KS_EMU_RELEASE || inst->sem == KS_EMU_ACQ_REL)
        ks_emu_clock_fence(warp, mask, inst->scope_cta == 0);
    warp->grid->accesses += (uint64_t)__builtin_popcount(mask) * inst->count;
    if (warp->grid->counter != NULL)
        ks_emu_count_access(warp, inst, mask, KS_EMU_ATOMIC);
    for (u32 l = 0; l < KS_EMU_LANES; l++) {
        if ((mask >> l & 1) == 0)
            continue;
        u64 address = (inst->address_width == 8 ? KS_EMU_REG(u64, inst->a)[l]
                                                : KS_EMU_REG(u32, inst->a)[l]) + (u64)inst->imm;
        u64 bytes = (u64)inst->size * inst->count;
        if (inst->count > 1 && (address & (bytes - 1)) != 0) {
            ks_emu_find(warp, inst, l, KS_F_MISALIGNED, address, bytes,
                        "%u-byte access at an address that is no multiple of it", (u32)bytes);
            continue;
        }
        for (unsigned k = 0; k < inst->count; k++)
            change(warp, inst, l, address + k * inst->size,
                   inst->count == 1 ? inst->d : inst->more[k],
                   inst->count == 1 ? inst->b : inst->more[inst->count + k]);
    }
}

static bool read_type(struct ks_emu_decoder *d, struct ks_slice type)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } kinds[] = {{"f32", FLOAT},  {"f64", DOUBLE}, {"f16x2", HALF2}, {"bf16x2", BFLOAT2},
                 {"f16", HALF},   {"bf16", BFLOAT}};
    unsigned bytes = ks_emu_type_bytes(type);
    if (bytes == 0)
        return false;
    d->inst.size = (uint8_t)bytes;
    d->inst.flags = type.len > 0 && type.at[0] == 's' ? INT_S : INT_U;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (ks_slice_eq(type, kinds[i].name))
            d->inst.flags = kinds[i].kind;
    return true;
}

// What the operation is defined for.
static bool fits(const struct ks_emu_inst *i)
{
    if (i->size < 2 || i->size > 8)
        return false;
    if (i->count > 1)
        return (i->flags == FLOAT && i->op == ADD && i->count <= 4) ||
               (i->flags >= HALF2 && (i->op == ADD || i->op == MIN || i->op == MAX));
    if (i->flags >= HALF2)
        return i->op == ADD || i->op == MIN || i->op == MAX;
    return i->flags < FLOAT || i->op == ADD || i->op == EXCH;
}

// A modifier into the instruction; false: it is not known.
static bool read_mod(struct ks_emu_decoder *d, struct ks_slice mod)
{
    for (uint8_t k = 0; k < sizeof op_names / sizeof op_names[0]; k++)
        if (ks_slice_eq(mod, op_names[k])) {
            d->inst.op = k;
            return true;
        }
    if (ks_slice_eq(mod, "v2") || ks_slice_eq(mod, "v4") || ks_slice_eq(mod, "v8")) {
        d->inst.count = (uint8_t)(mod.at[1] - '0');
        return true;
    }
    return ks_emu_read_sem(d, mod) || ks_emu_read_space(d, mod) || ks_slice_eq(mod, "noftz") ||
           ks_slice_eq(mod, "L2::cache_hint") || read_type(d, mod);
}

// {d, ...}, [a], {b, ...}
static void vectors(struct ks_emu_decoder *d, bool red, unsigned at)
{
    struct ks_emu_inst *i = &d->inst;
    const struct ks_emu_stmt *s = &d->stmt;
    const struct ks_emu_operand *from = &s->ops[at + 1];
    uint32_t width = i->size;
    if (from->kind != KS_EMU_O_VECTOR || from->n_items != i->count ||
        (!red && (s->ops[0].kind != KS_EMU_O_VECTOR || s->ops[0].n_items != i->count))) {
        ks_emu_unsupported(d, "operands of this form");
        return;
    }
    i->more = KS_NEW_ARRAY(&d->module->arena, uint32_t, 2u * i->count);
    for (unsigned k = 0; k < i->count; k++) {
        i->more[k] = KS_EMU_NONE;
        if (!red && ks_emu_register(d, s->ops[0].items[k].word, &i->more[k], &width) && width != 0 &&
            width != i->size)
            ks_emu_unsupported(d, "a destination of another width");
        i->more[i->count + k] = ks_emu_source_word(d, from->items[k].word, from->items[k].minus, i->size);
    }
}

bool ks_emu_decode_atomic(struct ks_emu_decoder *d)
{
    struct ks_emu_stmt *s = &d->stmt;
    struct ks_emu_inst *i = &d->inst;
    bool red = ks_slice_eq(s->base, "red");
    if (!red && !ks_slice_eq(s->base, "atom"))
        return false;
    i->sem = KS_EMU_STRONG;
    i->is_store = true;
    i->op = UINT8_MAX;
    i->count = 1;
    for (unsigned m = 0; m < s->n_mods; m++)
        if (!read_mod(d, s->mods[m]))
            ks_emu_unsupported(d, ".%.*s", (int)(s->mods[m].len > 30 ? 30 : s->mods[m].len),
                               s->mods[m].at);
    unsigned at = red ? 0 : 1;
    if (i->op == UINT8_MAX || s->n_ops < at + (i->op == CAS ? 3u : 2u) || !fits(i)) {
        ks_emu_unsupported(d, "this operation");
        return true;
    }
    i->run = atom;
    i->role = i->op == CAS ? KS_EMU_CAS : KS_EMU_NO_ROLE;
    ks_emu_address(d, at);
    if (i->count > 1) {
        vectors(d, red, at);
        return true;
    }
    uint32_t width;
    if (!red && ks_emu_register(d, s->ops[0].word, &i->d, &width) && width != 0 &&
        width != i->size)
        ks_emu_unsupported(d, "a destination of another width");
    i->b = ks_emu_source(d, at + 1, i->size);
    if (i->op == CAS)
        i->c = ks_emu_source(d, at + 2, i->size);
    return true;
}
