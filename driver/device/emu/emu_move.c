// mov with its packing forms, cvta, isspacep (PTX ISA 9.7.9.3 to .6, .20).

#include "device/emu/emu_alu.h"

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

KS_EMU_OP1(mov_2, u16, u16, a)
KS_EMU_OP1(mov_4, u32, u32, a)
KS_EMU_OP1(mov_8, u64, u64, a)

// {a, b, ...} into one register, the first lowest; and back. `size`: bytes of a part.
static void pack(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    unsigned char *d = warp->regs + inst->d;
    for (u32 l = 0; l < KS_EMU_LANES; l++)
        for (u32 k = 0; k < inst->n_more && (mask >> l & 1) != 0; k++)
            memcpy(d + (size_t)l * inst->width + k * inst->size,
                   warp->regs + inst->more[k] + (size_t)l * inst->size, inst->size);
}
static void unpack(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    for (u32 l = 0; l < KS_EMU_LANES; l++) {
        unsigned char whole[8];
        if ((mask >> l & 1) == 0)
            continue;
        memcpy(whole, warp->regs + inst->a + (size_t)l * inst->width, inst->width);
        for (u32 k = 0; k < inst->n_more; k++)
            if (inst->more[k] != KS_EMU_NONE)
                memcpy(warp->regs + inst->more[k] + (size_t)l * inst->size,
                       whole + k * inst->size, inst->size);
    }
}

// The usual ones: 64 bits of two halves.
static void pack_8(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    u64 *d = KS_EMU_REG(u64, inst->d);
    const u32 *low = KS_EMU_REG(u32, inst->more[0]), *high = KS_EMU_REG(u32, inst->more[1]);
    KS_EMU_EACH({ d[l] = low[l] | (u64)high[l] << 32; })
}
static void unpack_8(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    const u64 *a = KS_EMU_REG(u64, inst->a);
    if (inst->more[0] != KS_EMU_NONE) {
        u32 *low = KS_EMU_REG(u32, inst->more[0]);
        KS_EMU_EACH({ low[l] = (u32)a[l]; })
    }
    if (inst->more[1] != KS_EMU_NONE) {
        u32 *high = KS_EMU_REG(u32, inst->more[1]);
        KS_EMU_EACH({ high[l] = (u32)(a[l] >> 32); })
    }
}

static void decode_vector(struct ks_emu_decoder *d, unsigned n, unsigned width)
{
    const struct ks_emu_operand *op = &d->stmt.ops[n];
    struct ks_emu_inst *i = &d->inst;
    i->width = (uint8_t)width;
    i->n_more = op->n_items;
    i->size = (uint8_t)(op->n_items == 0 ? 0 : width / op->n_items);
    if ((op->n_items != 2 && op->n_items != 4) || i->size < 2 ||
        d->stmt.ops[1 - n].kind != KS_EMU_O_WORD) {
        ks_emu_unsupported(d, "a vector of this form");
        return;
    }
    i->more = KS_NEW_ARRAY(&d->module->arena, uint32_t, op->n_items);
    for (unsigned k = 0; k < op->n_items; k++) {
        u32 w = 0;
        if (n == 0 && (!ks_emu_register(d, op->items[k].word, &i->more[k], &w) ||
                       (w != i->size && w != 0)))
            ks_emu_unsupported(d, "a part of another width");
        if (n == 1)
            i->more[k] = ks_emu_source_word(d, op->items[k].word, op->items[k].minus, i->size);
    }
    bool halves = width == 8 && i->size == 4;
    i->run = n == 0 ? (halves ? unpack_8 : unpack) : (halves ? pack_8 : pack);
    if (n == 0)
        i->a = ks_emu_source(d, 1, width);
    else
        i->d = ks_emu_dest(d, 0, width);
}

static void decode_mov(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    unsigned width = s->n_mods == 1 ? ks_emu_type_bytes(s->mods[0]) : 0;
    if (s->n_ops != 2 || (width != 2 && width != 4 && width != 8)) {
        ks_emu_unsupported(d, "this type");
        return;
    }
    for (unsigned n = 0; n < 2; n++)
        if (s->ops[n].kind == KS_EMU_O_VECTOR) {
            decode_vector(d, n, width);
            return;
        }
    d->inst.run = width == 2 ? mov_2 : width == 4 ? mov_4 : mov_8;
    d->inst.d = ks_emu_dest(d, 0, width);
    d->inst.a = ks_emu_source(d, 1, width);
}

// cvta: shared and local have windows of generic addresses; the other spaces are generic already.
static void cvta(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    u64 *d = KS_EMU_REG(u64, inst->d);
    const u64 *a = KS_EMU_REG(u64, inst->a);
    const u64 add = (u64)inst->imm;
    KS_EMU_EACH({ d[l] = a[l] + add; })
}

static void isspacep(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    u32 *d = KS_EMU_REG(u32, inst->d), bits = 0;
    for (u32 l = 0; l < KS_EMU_LANES; l++) {
        u64 slot = KS_EMU_REG(u64, inst->a)[l] >> KS_EMU_SLOT_BITS;
        bool constant = slot >= KS_EMU_FIRST_SLOT && slot < KS_EMU_SLOTS &&
                        warp->grid->memory->regions[slot].constant;
        bool is = inst->space == KS_EMU_SHARED  ? slot == 1
                  : inst->space == KS_EMU_LOCAL ? slot == 2
                  : inst->space == KS_EMU_PARAM ? slot == 3
                  : inst->space == KS_EMU_CONST ? constant
                                                : slot == 0 || (slot > 3 && !constant);
        bits |= (u32)is << l;
    }
    *d = (*d & ~mask) | (bits & mask);
}

bool ks_emu_decode_move(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    bool to = s->n_mods > 0 && ks_slice_eq(s->mods[0], "to");
    if (ks_slice_eq(s->base, "mov")) {
        decode_mov(d);
        return true;
    }
    if (ks_slice_eq(s->base, "isspacep")) {
        if (s->n_mods != 1 || !ks_emu_read_space(d, s->mods[0]))
            ks_emu_unsupported(d, "this space");
        d->inst.run = isspacep;
        d->inst.d = ks_emu_dest(d, 0, KS_EMU_PRED);
        d->inst.a = ks_emu_source(d, 1, 8);
        return true;
    }
    if (!ks_slice_eq(s->base, "cvta"))
        return false;
    if (s->n_mods != (to ? 3u : 2u) || !ks_emu_read_space(d, s->mods[to ? 1 : 0]) ||
        !ks_slice_eq(s->mods[s->n_mods - 1], "u64"))
        ks_emu_unsupported(d, "this form");
    u64 base = d->inst.space == KS_EMU_SHARED  ? KS_EMU_SHARED_BASE
               : d->inst.space == KS_EMU_LOCAL ? KS_EMU_LOCAL_BASE
                                               : 0;
    d->inst.imm = (int64_t)(to ? 0 - base : base);
    d->inst.run = cvta;
    d->inst.d = ks_emu_dest(d, 0, 8);
    d->inst.a = ks_emu_source(d, 1, 8);
    return true;
}
