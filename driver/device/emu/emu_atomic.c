// atom and red (PTX ISA 9.7.13.11, .12): one lane after the other.

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

static u64 add(unsigned type, u64 x, u64 y)
{
    switch (type) {
    case FLOAT: // .ftz in global memory only for the spelling with .ftz, which is not emitted
        return ks_emu_bits32(ks_emu_canonical(ks_emu_f32((u32)x) + ks_emu_f32((u32)y)));
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

static u64 apply(const struct ks_emu_inst *inst, u64 old, u64 b, u64 c)
{
    unsigned shift = 64 - 8u * inst->size;
    int64_t x = (int64_t)(old << shift) >> shift, y = (int64_t)(b << shift) >> shift;
    switch (inst->op) {
    case EXCH:
        return b;
    case CAS:
        return old == b ? c : old;
    case ADD:
        return add(inst->flags, old, b);
    case INC:
        return old >= b ? 0 : old + 1;
    case DEC:
        return old == 0 || old > b ? b : old - 1;
    case MIN:
        return inst->flags == INT_S ? (x < y ? old : b) : old < b ? old : b;
    case MAX:
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

static void atom(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    if (inst->sem == KS_EMU_RELEASE || inst->sem == KS_EMU_ACQ_REL)
        ks_emu_clock_fence(warp, mask, inst->scope_cta == 0);
    warp->grid->accesses += (uint64_t)__builtin_popcount(mask);
    if (warp->grid->counter != NULL)
        ks_emu_count_access(warp, inst, mask, KS_EMU_ATOMIC);
    for (u32 l = 0; l < KS_EMU_LANES; l++) {
        if ((mask >> l & 1) == 0)
            continue;
        u64 address = (inst->address_width == 8 ? KS_EMU_REG(u64, inst->a)[l]
                                                : KS_EMU_REG(u32, inst->a)[l]) + (u64)inst->imm;
        unsigned char *at = ks_emu_touch(warp, inst, l, address, inst->size, KS_EMU_ATOMIC, NULL);
        u64 old = 0;
        if (at != NULL) {
            memcpy(&old, at, inst->size);
            u64 new = apply(inst, old, load(warp, inst->b, inst->size, l),
                            load(warp, inst->c, inst->size, l));
            memcpy(at, &new, inst->size);
        }
        if (inst->d != KS_EMU_NONE)
            memcpy(warp->regs + inst->d + (size_t)l * inst->size, &old, inst->size);
    }
}

static void read_type(struct ks_emu_decoder *d, struct ks_slice type)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } kinds[] = {{"f32", FLOAT},  {"f64", DOUBLE}, {"f16x2", HALF2}, {"bf16x2", BFLOAT2},
                 {"f16", HALF},   {"bf16", BFLOAT}};
    d->inst.size = (uint8_t)ks_emu_type_bytes(type);
    d->inst.flags = type.len > 0 && type.at[0] == 's' ? INT_S : INT_U;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (ks_slice_eq(type, kinds[i].name))
            d->inst.flags = kinds[i].kind;
    if (d->inst.size < 2 || d->inst.size > 8 ||
        (d->inst.flags >= FLOAT && d->inst.op != ADD && d->inst.op != EXCH))
        ks_emu_unsupported(d, "this type");
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
    for (unsigned m = 0; m + 1 < s->n_mods; m++) {
        bool known = ks_emu_read_sem(d, s->mods[m]) || ks_emu_read_space(d, s->mods[m]) ||
                     ks_slice_eq(s->mods[m], "noftz");
        for (uint8_t k = 0; k < sizeof op_names / sizeof op_names[0]; k++)
            if (ks_slice_eq(s->mods[m], op_names[k])) {
                i->op = k;
                known = true;
            }
        if (!known)
            ks_emu_unsupported(d, ".%.*s", (int)(s->mods[m].len > 30 ? 30 : s->mods[m].len),
                               s->mods[m].at);
    }
    unsigned at = red ? 0 : 1;
    if (i->op == UINT8_MAX || s->n_ops < at + (i->op == CAS ? 3u : 2u)) {
        ks_emu_unsupported(d, "this operation");
        return true;
    }
    read_type(d, s->mods[s->n_mods - 1]);
    i->run = atom;
    uint32_t width;
    if (!red && ks_emu_register(d, s->ops[0].word, &i->d, &width) && width != 0 &&
        width != i->size)
        ks_emu_unsupported(d, "a destination of another width");
    ks_emu_address(d, at);
    i->b = ks_emu_source(d, at + 1, i->size);
    if (i->op == CAS)
        i->c = ks_emu_source(d, at + 2, i->size);
    return true;
}
