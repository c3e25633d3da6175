// ld, st and what only hints at caches (PTX ISA 9.7.9.8 to .19). Vectors are one access of each
// element: a vector access is as atomic as its elements (8.2.2), its alignment is that of the whole.

#include "device/emu/emu_alu.h"
#include "device/emu/emu_count.h"

static uint64_t address_of(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t lane)
{
    uint64_t base = inst->address_width == 8 ? KS_EMU_REG(uint64_t, inst->a)[lane]
                                             : KS_EMU_REG(uint32_t, inst->a)[lane];
    return base + (uint64_t)inst->imm;
}

static struct ks_emu_visit begin(struct ks_emu_warp *warp, const struct ks_emu_inst *inst,
                                 uint32_t mask, enum ks_emu_access how)
{
    uint32_t lane = mask == 0 ? 0 : (uint32_t)__builtin_ctz(mask);
    return ks_emu_visit(warp, inst, lane, address_of(warp, inst, lane), how);
}

static bool aligned(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t lane,
                    uint64_t address)
{
    uint64_t bytes = (uint64_t)inst->size * inst->count;
    if ((address & (bytes - 1)) == 0)
        return true;
    ks_emu_find(warp, inst, lane, KS_F_MISALIGNED, address, bytes,
                "%llu-byte access at an address that is no multiple of it",
                (unsigned long long)bytes);
    return false;
}

// An element; the usual sizes by themselves, for a copy of any number of bytes is slow to begin.
static inline void copy(unsigned char *to, const unsigned char *from, unsigned size)
{
    if (size == 4)
        memcpy(to, from, 4);
    else if (size == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, size);
}

// Into a register that may be wider than the element.
static void put(unsigned char *reg, unsigned width, uint32_t lane, const unsigned char *from,
                unsigned size, bool sign)
{
    unsigned char *to = reg + (size_t)lane * width;
    copy(to, from, size);
    if (width > size)
        memset(to + size, sign && (from[size - 1] & 0x80) != 0 ? 0xff : 0, width - size);
}

static void release(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    if (inst->sem == KS_EMU_RELEASE || inst->sem == KS_EMU_ACQ_REL)
        ks_emu_clock_fence(warp, mask, !inst->scope_cta);
}

static void ld(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    static const unsigned char zero[16];
    warp->grid->accesses += ks_emu_n_lanes(mask) * inst->count;
    ks_emu_charge(warp, ks_emu_n_lanes(mask) * inst->count);
    if (warp->grid->counter != NULL)
        ks_emu_count_access(warp, inst, mask, KS_EMU_READ);
    struct ks_emu_visit visit = begin(warp, inst, mask, KS_EMU_READ);
    for (uint32_t l = 0; l < KS_EMU_LANES; l++) {
        if ((mask >> l & 1) == 0)
            continue;
        uint64_t address = address_of(warp, inst, l);
        if (inst->count > 1 && !aligned(warp, inst, l, address))
            continue;
        for (unsigned k = 0; k < inst->count; k++) {
            uint32_t reg = inst->count == 1 ? inst->d : inst->more[k];
            if (reg == KS_EMU_NONE)
                continue;
            const unsigned char *at = ks_emu_visit_at(&visit, l, address + k * inst->size, NULL);
            put(warp->regs + reg, inst->width, l, at != NULL ? at : zero, inst->size,
                inst->is_signed);
        }
    }
}

static void st(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    release(warp, inst, mask);
    warp->grid->accesses += ks_emu_n_lanes(mask) * inst->count;
    ks_emu_charge(warp, ks_emu_n_lanes(mask) * inst->count);
    if (warp->grid->counter != NULL)
        ks_emu_count_access(warp, inst, mask, KS_EMU_WRITE);
    struct ks_emu_visit visit = begin(warp, inst, mask, KS_EMU_WRITE);
    for (uint32_t l = 0; l < KS_EMU_LANES; l++) {
        if ((mask >> l & 1) == 0)
            continue;
        uint64_t address = address_of(warp, inst, l);
        if (inst->count > 1 && !aligned(warp, inst, l, address))
            continue;
        for (unsigned k = 0; k < inst->count; k++) {
            uint32_t reg = inst->count == 1 ? inst->d : inst->more[k];
            const unsigned char *from = warp->regs + reg + (size_t)l * inst->width;
            unsigned char *at = ks_emu_visit_at(&visit, l, address + k * inst->size, from);
            if (at != NULL)
                copy(at, from, inst->size);
        }
    }
}

// One value for all lanes, into a register of its size.
static void fill(unsigned char *reg, const unsigned char *from, unsigned size, uint32_t mask)
{
    uint32_t *d4 = (uint32_t *)(void *)reg, v4;
    uint64_t *d8 = (uint64_t *)(void *)reg, v8;
    if (size == 4) {
        memcpy(&v4, from, 4);
        KS_EMU_EACH({ d4[l] = v4; })
    } else {
        memcpy(&v8, from, 8);
        KS_EMU_EACH({ d8[l] = v8; })
    }
}

// Parameters of an entry: one value for all lanes, at a place known since decoding.
static void ld_param(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    const unsigned char *from = warp->grid->params + inst->imm;
    for (unsigned k = 0; k < inst->count; k++, from += inst->size) {
        uint32_t reg = inst->count == 1 ? inst->d : inst->more[k];
        if (reg != KS_EMU_NONE && inst->width == inst->size && (inst->size == 4 || inst->size == 8)) {
            fill(warp->regs + reg, from, inst->size, mask);
            continue;
        }
        for (uint32_t l = 0; l < KS_EMU_LANES && reg != KS_EMU_NONE; l++)
            if ((mask >> l & 1) != 0)
                put(warp->regs + reg, inst->width, l, from, inst->size, inst->is_signed);
    }
}

// Parameter slots of calls: bytes of the frame, lane after lane. b: the slot, e: its bytes.
static void ld_slot(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    for (unsigned k = 0; k < inst->count; k++) {
        uint32_t reg = inst->count == 1 ? inst->d : inst->more[k];
        for (uint32_t l = 0; l < KS_EMU_LANES && reg != KS_EMU_NONE; l++)
            if ((mask >> l & 1) != 0)
                put(warp->regs + reg, inst->width, l,
                    warp->regs + inst->b + (size_t)l * inst->e + inst->imm + k * inst->size,
                    inst->size, inst->is_signed);
    }
}

static void st_slot(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    for (unsigned k = 0; k < inst->count; k++) {
        uint32_t reg = inst->count == 1 ? inst->d : inst->more[k];
        for (uint32_t l = 0; l < KS_EMU_LANES; l++)
            if ((mask >> l & 1) != 0)
                memcpy(warp->regs + inst->b + (size_t)l * inst->e + inst->imm + k * inst->size,
                       warp->regs + reg + (size_t)l * inst->width, inst->size);
    }
}

static void nothing(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    (void)warp, (void)inst, (void)mask;
}

// ---- decoding

// Modifiers that change neither value nor order: cache operators, eviction and prefetch hints.
static bool is_hint(struct ks_slice mod)
{
    static const char *const hints[] = {
        "ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1::evict_normal", "L1::evict_unchanged",
        "L1::evict_first", "L1::evict_last", "L1::no_allocate", "L2::64B", "L2::128B", "L2::256B",
        "L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::cache_hint", "unified", "weak"};
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (ks_slice_eq(mod, hints[i]))
            return true;
    return false;
}

bool ks_emu_read_sem(struct ks_emu_decoder *d, struct ks_slice mod)
{
    static const struct {
        const char *name;
        enum ks_emu_sem sem;
    } sems[] = {{"volatile", KS_EMU_VOLATILE}, {"relaxed", KS_EMU_STRONG}, {"mmio", KS_EMU_STRONG},
                {"acquire", KS_EMU_ACQUIRE}, {"release", KS_EMU_RELEASE},
                {"acq_rel", KS_EMU_ACQ_REL}};
    for (size_t i = 0; i < sizeof sems / sizeof sems[0]; i++)
        if (ks_slice_eq(mod, sems[i].name)) {
            d->inst.sem = (uint8_t)sems[i].sem;
            return true;
        }
    if (ks_slice_eq(mod, "cta") || ks_slice_eq(mod, "cluster"))
        d->inst.scope_cta = 1; // every block is a cluster of its own
    return ks_slice_eq(mod, "cta") || ks_slice_eq(mod, "cluster") || ks_slice_eq(mod, "gpu") ||
           ks_slice_eq(mod, "sys");
}

bool ks_emu_read_space(struct ks_emu_decoder *d, struct ks_slice mod)
{
    static const struct {
        const char *name;
        enum ks_emu_space space;
    } spaces[] = {{"global", KS_EMU_GLOBAL},      {"shared", KS_EMU_SHARED},
                  {"shared::cta", KS_EMU_SHARED}, {"local", KS_EMU_LOCAL},
                  {"const", KS_EMU_CONST},        {"param", KS_EMU_PARAM},
                  {"param::entry", KS_EMU_PARAM}, {"param::func", KS_EMU_PARAM}};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (ks_slice_eq(mod, spaces[i].name)) {
            d->inst.space = (uint8_t)spaces[i].space;
            return true;
        }
    return false;
}

static void read_data(struct ks_emu_decoder *d, unsigned n, bool load)
{
    const struct ks_emu_operand *op = &d->stmt.ops[n];
    struct ks_emu_inst *i = &d->inst;
    uint32_t width = 0, offset;
    unsigned natural = i->size == 1 ? 2 : i->size;
    i->width = (uint8_t)natural;
    if (op->kind == KS_EMU_O_WORD && i->count == 1) {
        if (!load && !ks_emu_register_find(d, op->word, &offset, &width)) {
            i->d = ks_emu_source(d, n, natural); // a constant
            return;
        }
        ks_emu_register(d, op->word, &i->d, &width);
        i->width = (uint8_t)width;
        if (width < i->size && i->d != KS_EMU_NONE)
            ks_emu_unsupported(d, "a register narrower than the type");
        return;
    }
    if (op->kind != KS_EMU_O_VECTOR || op->n_items != i->count) {
        ks_emu_unsupported(d, "data of this form");
        return;
    }
    i->more = KS_NEW_ARRAY(&d->module->arena, uint32_t, i->count);
    for (unsigned k = 0; k < i->count; k++) {
        uint32_t this = 0;
        if (!load && !ks_emu_register_find(d, op->items[k].word, &i->more[k], &this)) {
            i->more[k] = ks_emu_source_word(d, op->items[k].word, op->items[k].minus,
                                            width != 0 ? width : natural);
            continue;
        }
        if (load)
            ks_emu_register(d, op->items[k].word, &i->more[k], &this);
        if (this == 0) // '_'
            continue;
        if ((width != 0 && this != width) || this < i->size)
            ks_emu_unsupported(d, "registers of different widths");
        width = this;
        i->width = (uint8_t)width;
    }
}

// [symbol + offset] in param space: an entry's own parameter, or a slot of a call.
static bool param_symbol(struct ks_emu_decoder *d, unsigned n, bool load)
{
    const struct ks_emu_operand *op = &d->stmt.ops[n];
    struct ks_emu_inst *i = &d->inst;
    uint32_t offset, width;
    if (op->kind != KS_EMU_O_ADDRESS || op->word.len == 0 ||
        ks_emu_register_find(d, op->word, &offset, &width))
        return false;
    uint64_t bytes = (uint64_t)i->size * i->count;
    const struct ks_emu_slot *slot = ks_emu_slot_find(d, op->word);
    i->imm = op->offset;
    if (slot != NULL) {
        i->run = load ? ld_slot : st_slot;
        i->b = slot->offset;
        i->e = slot->bytes;
        if (op->offset < 0 || (uint64_t)op->offset + bytes > slot->bytes)
            ks_emu_unsupported(d, "an offset beyond the parameter");
        return true;
    }
    ks_vec_each(struct ks_emu_var, v, &d->function->params) {
        if (!load || !d->function->entry || v->name.len != op->word.len ||
            memcmp(v->name.at, op->word.at, v->name.len) != 0)
            continue;
        i->run = ld_param;
        i->imm += (int64_t)v->address;
        if (op->offset < 0 || (uint64_t)op->offset + bytes > v->bytes)
            ks_emu_unsupported(d, "an offset beyond the parameter");
        return true;
    }
    ks_emu_unsupported(d, "parameter %.*s", (int)(op->word.len > 60 ? 60 : op->word.len),
                       op->word.at);
    return true;
}

static void decode_access(struct ks_emu_decoder *d, bool load)
{
    struct ks_emu_stmt *s = &d->stmt;
    struct ks_emu_inst *i = &d->inst;
    i->count = 1;
    for (unsigned m = 0; m < s->n_mods; m++) {
        struct ks_slice mod = s->mods[m];
        unsigned bytes = ks_emu_type_bytes(mod);
        if (ks_slice_eq(mod, "v2") || ks_slice_eq(mod, "v4") || ks_slice_eq(mod, "v8")) {
            i->count = (uint8_t)(mod.at[1] - '0');
        } else if (m == s->n_mods - 1 && bytes != 0) {
            i->size = (uint8_t)bytes;
            i->is_signed = mod.at[0] == 's';
        } else if (ks_slice_eq(mod, "nc")) {
            i->noncoherent = true;
        } else if (!is_hint(mod) && !ks_emu_read_sem(d, mod) && !ks_emu_read_space(d, mod)) {
            ks_emu_unsupported(d, ".%.*s", (int)(mod.len > 30 ? 30 : mod.len), mod.at);
        }
    }
    // A further operand is a cache policy (createpolicy), which changes no value.
    if (i->size == 0 || i->size == 16 || s->n_ops < 2 || s->n_ops > 3) {
        ks_emu_unsupported(d, "this type");
        return;
    }
    i->run = load ? ld : st;
    i->is_store = !load;
    i->noncoherent |= ks_slice_eq(s->base, "ldu"); // "read-only data" as well (9.7.9.10)
    i->role = load ? KS_EMU_LOAD : KS_EMU_NO_ROLE;
    read_data(d, load ? 0 : 1, load);
    if (i->space != KS_EMU_PARAM || !param_symbol(d, load ? 1 : 0, load))
        ks_emu_address(d, load ? 1 : 0);
}

bool ks_emu_decode_memory(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    static const char *const hints[] = {"prefetch", "prefetchu"};
    if (ks_slice_eq(s->base, "ld") || ks_slice_eq(s->base, "ldu") || ks_slice_eq(s->base, "st")) {
        decode_access(d, s->base.at[0] == 'l');
        return true;
    }
    if (ks_slice_eq(s->base, "createpolicy")) {
        d->inst.run = nothing;
        return true;
    }
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (ks_slice_eq(s->base, hints[i])) {
            d->inst.run = nothing;
            return true;
        }
    return false;
}
