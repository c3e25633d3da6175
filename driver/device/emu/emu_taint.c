#include "device/emu/emu_taint.h"

#include <stdlib.h>

#include "device/emu/emu_decode.h"

#define CAUSES 64 // loads that a warp's undefined registers are told of
#define PART 0x80 // with a cause: bits of it were cleared, or others put in their place;
#define COPY 0x40 // it is as it was loaded
#define CAUSE 0x3f

struct ks_emu_undefined { // a load that found undefined bytes
    const struct ks_emu_inst *inst;
    const char *name;
    uint32_t lanes; // for which it did: at these places
    uint64_t address[KS_EMU_LANES], offset[KS_EMU_LANES];
    uint32_t bytes[KS_EMU_LANES]; // of the access, a bit each
};

// ---- decoding

static bool is_any(struct ks_slice word, const char *const *names)
{
    while (*names != NULL && !ks_slice_eq(word, *names))
        names++;
    return *names != NULL;
}

enum ks_emu_flow ks_emu_flow_of(const struct ks_emu_decoder *d, bool of_table)
{
    static const char *const carries[] = {"addc", "subc", "madc", NULL}; // to other instructions
    static const char *const values[] = {"cvta", "isspacep", "set", "slct", "testp", NULL};
    const struct ks_emu_stmt *s = &d->stmt;
    if (of_table)
        return is_any(s->base, carries) || ks_emu_mod(s, "cc") ? KS_EMU_FLOW_USE
               : ks_slice_eq(s->base, "and")                   ? KS_EMU_FLOW_AND
               : ks_slice_eq(s->base, "or")                    ? KS_EMU_FLOW_OR
               : ks_slice_eq(s->base, "bfi")                   ? KS_EMU_FLOW_INSERT
                                                               : KS_EMU_FLOW_VALUE;
    if (is_any(s->base, values))
        return KS_EMU_FLOW_VALUE;
    if (ks_slice_eq(s->base, "mov") || ks_slice_eq(s->base, "cvt"))
        return ks_slice_eq(s->base, "mov") ? KS_EMU_FLOW_COPY : KS_EMU_FLOW_CVT;
    return ks_slice_eq(s->base, "selp")   ? KS_EMU_FLOW_SELECT
           : ks_slice_eq(s->base, "setp") ? KS_EMU_FLOW_SETP
           : ks_slice_eq(s->base, "ld")   ? KS_EMU_FLOW_LOAD
           : ks_slice_eq(s->base, "atom") && ks_emu_mod(s, "exch") ? KS_EMU_FLOW_EXCHANGE
           : ks_slice_eq(s->base, "st")   ? KS_EMU_FLOW_STORE
                                          : KS_EMU_FLOW_USE;
}

// ---- registers

// Lanes in which a register of the frame that runs is undefined.
static uint32_t undefined(const struct ks_emu_warp *warp, uint32_t reg)
{
    return reg == KS_EMU_NONE ? 0 : warp->frame->undefined[reg / 4];
}

static void define(struct ks_emu_warp *warp, uint32_t reg, uint32_t mask, uint32_t lanes,
                   uint8_t cause)
{
    if (reg == KS_EMU_NONE)
        return;
    uint32_t *at = &warp->frame->undefined[reg / 4];
    *at = (*at & ~mask) | (lanes & mask);
    if ((lanes & mask) != 0)
        warp->frame->cause[reg / 4] = cause;
}

// An instruction depends on a register: what it was loaded from is told.
static void use(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t reg,
                uint32_t mask)
{
    uint32_t lanes = undefined(warp, reg) & mask;
    if (lanes == 0)
        return;
    const struct ks_emu_undefined *u = &warp->causes[warp->frame->cause[reg / 4] & CAUSE];
    uint32_t lane = (uint32_t)__builtin_ctz((lanes & u->lanes) != 0 ? lanes & u->lanes : u->lanes);
    struct ks_finding *f =
        ks_emu_find(warp, u->inst, lane, KS_F_UNINITIALISED, u->address[lane], u->inst->size,
                    "%u-byte read at offset %llu of %s, where nothing was written yet",
                    u->inst->size, (unsigned long long)u->offset[lane], u->name);
    define(warp, reg, mask, 0, 0); // told once
    if (f == NULL || f->count > 1)
        return;
    f->has_other = true;
    ks_emu_site_set(warp->grid, warp->block->linear, ks_emu_thread(warp, lane), inst, &f->other);
    f->other_file = ks_emu_file(warp->grid->module, f->other.source);
}

// Of sources: all lanes that are undefined in one of them, and why.
static uint32_t gather(const struct ks_emu_warp *warp, const uint32_t *regs, uint32_t n,
                       uint8_t *cause)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t more = undefined(warp, regs[i]);
        if (more != 0)
            *cause = warp->frame->cause[regs[i] / 4];
        lanes |= more;
    }
    return lanes;
}

static uint8_t cause_of(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, const char *name)
{
    uint8_t i = 0;
    while (i < warp->n_causes && warp->causes[i].inst != inst)
        i++;
    if (i < warp->n_causes)
        return i;
    if (warp->n_causes == CAUSES)
        i = CAUSES - 1; // (one of many is told wrongly)
    else
        warp->n_causes++;
    if (warp->causes == NULL)
        warp->causes = malloc(CAUSES * sizeof *warp->causes);
    KS_ASSERT(warp->causes != NULL);
    warp->causes[i] = (struct ks_emu_undefined){.inst = inst, .name = name};
    return i;
}

static void follow(struct ks_emu_frame *frame)
{
    size_t n = frame->function->frame_bytes / 4 + 1;
    if (frame->undefined != NULL)
        return;
    frame->undefined = calloc(n, sizeof *frame->undefined);
    frame->cause = calloc(n, sizeof *frame->cause);
    KS_ASSERT(frame->undefined != NULL && frame->cause != NULL);
}

bool ks_emu_taint_load(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t lane,
                       uint64_t address, uint32_t bytes, uint64_t offset, const char *name)
{
    struct ks_emu_frame *frame = warp->frame;
    if ((inst->flow != KS_EMU_FLOW_LOAD && inst->flow != KS_EMU_FLOW_EXCHANGE) || warp->grid->team != NULL)
        return false;
    uint64_t base = inst->address_width == 8 ? KS_EMU_REG(uint64_t, inst->a)[lane]
                                             : KS_EMU_REG(uint32_t, inst->a)[lane];
    uint64_t element = (address - base - (uint64_t)inst->imm) / inst->size;
    if (element >= inst->count)
        return false;
    follow(frame);
    warp->tainted = true;
    uint8_t cause = cause_of(warp, inst, name);
    struct ks_emu_undefined *u = &warp->causes[cause];
    u->lanes |= 1u << lane;
    u->address[lane] = address;
    u->offset[lane] = offset;
    u->bytes[lane] = bytes;
    define(warp, inst->count == 1 ? inst->d : inst->more[element], 1u << lane, 1u << lane, cause | COPY);
    return true;
}

// ---- instructions

// Lanes in which a defined operand of `and` or `or` decides alone.
static uint32_t decided(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t reg)
{
    uint32_t lanes = 0;
    const bool and = inst->flow == KS_EMU_FLOW_AND;
    if (inst->width == KS_EMU_PRED)
        lanes = and? ~*KS_EMU_REG(uint32_t, reg) : *KS_EMU_REG(uint32_t, reg);
    else
        for (uint32_t l = 0; l < KS_EMU_LANES; l++) {
            uint64_t value = 0, all = UINT64_MAX >> (64 - 8 * inst->width);
            memcpy(&value, warp->regs + reg + l * inst->width, inst->width);
            lanes |= (uint32_t)(value == (and? 0 : all)) << l;
        }
    return lanes & ~undefined(warp, reg);
}

// The lanes whose result is undefined.
static uint32_t result_of(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint8_t *cause)
{
    const uint32_t regs[] = {inst->a, inst->b, inst->c, inst->e};
    uint32_t lanes, p;
    bool one; // operand alone is undefined
    switch ((enum ks_emu_flow)inst->flow) {
    case KS_EMU_FLOW_SELECT:
        p = *KS_EMU_REG(uint32_t, inst->c);
        lanes = (gather(warp, &inst->a, 1, cause) & p) | (gather(warp, &inst->b, 1, cause) & ~p) |
                gather(warp, &inst->c, 1, cause);
        *cause &= CAUSE;
        return lanes;
    case KS_EMU_FLOW_AND:
    case KS_EMU_FLOW_OR:
        lanes = gather(warp, regs, 2, cause);
        one = (undefined(warp, inst->a) & undefined(warp, inst->b)) == 0;
        *cause &= one ? PART | CAUSE : CAUSE;
        if (one && inst->flow == KS_EMU_FLOW_AND)
            *cause |= PART;
        return lanes == 0 ? 0
                          : lanes & ~decided(warp, inst, inst->a) & ~decided(warp, inst, inst->b);
    case KS_EMU_FLOW_INSERT: // a into b
        lanes = gather(warp, regs, 4, cause);
        *cause &= CAUSE;
        if (lanes == undefined(warp, inst->b))
            *cause |= PART;
        return lanes;
    case KS_EMU_FLOW_COPY:
        if (inst->n_more == 0)
            return gather(warp, regs, 4, cause);
        break;
    case KS_EMU_FLOW_CVT:
        lanes = gather(warp, regs, 4, cause);
        *cause &= PART | CAUSE;
        return lanes;
    case KS_EMU_FLOW_SETP: // flags: 1 and, 2 or, 3 xor; 4: the third operand is negated
        lanes = gather(warp, regs, 2, cause);
        *cause &= CAUSE;
        if (inst->c == KS_EMU_NONE)
            return lanes;
        p = *KS_EMU_REG(uint32_t, inst->c) ^ ((inst->flags & 4) != 0 ? UINT32_MAX : 0);
        if ((inst->flags & 3) == 1)
            lanes &= p;
        else if ((inst->flags & 3) == 2)
            lanes &= ~p;
        lanes |= gather(warp, &inst->c, 1, cause);
        *cause &= CAUSE;
        return lanes;
    default:
        break;
    }
    lanes = gather(warp, regs, 4, cause);
    lanes |= inst->d == KS_EMU_NONE ? 0 : gather(warp, inst->more, inst->n_more, cause);
    *cause &= CAUSE;
    return lanes;
}

static void step_value(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    uint8_t cause = 0;
    uint32_t lanes = result_of(warp, inst, &cause);
    inst->run(warp, inst, mask);
    define(warp, inst->d, mask, lanes, cause);
    if (inst->flow == KS_EMU_FLOW_SETP)
        define(warp, inst->e, mask, lanes, cause);
    for (uint32_t i = 0; inst->d == KS_EMU_NONE && i < inst->n_more; i++)
        define(warp, inst->more[i], mask, lanes, cause);
}

static void step_load(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    use(warp, inst, inst->a, mask);
    for (uint32_t k = 0; k < inst->count; k++)
        define(warp, inst->count == 1 ? inst->d : inst->more[k], mask, 0, 0);
    inst->run(warp, inst, mask);
}

static uint64_t address_of(const struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t lane)
{
    uint64_t base = inst->address_width == 8   ? KS_EMU_REG(uint64_t, inst->a)[lane]
                    : inst->address_width != 0 ? KS_EMU_REG(uint32_t, inst->a)[lane]
                                               : 0;
    return base + (uint64_t)inst->imm;
}

static uint32_t own_memory(const struct ks_emu_warp *warp, const struct ks_emu_inst *inst)
{
    uint32_t own = inst->space == KS_EMU_SHARED || inst->space == KS_EMU_LOCAL ? UINT32_MAX : 0;
    for (uint32_t l = 0; l < KS_EMU_LANES && inst->address_width == 8 && inst->space == KS_EMU_GENERIC; l++) {
        uint64_t slot = address_of(warp, inst, l) >> KS_EMU_SLOT_BITS;
        own |= (uint32_t)(slot == 1 || slot == 2) << l;
    }
    return own;
}

// Bytes of what a lane stores that stay undefined where it is stored, a bit each; *used: the store depends on them.
static uint32_t stored_bytes(const struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t reg,
                             uint32_t lane, bool own, bool *used)
{
    const uint8_t cause = warp->frame->cause[reg / 4];
    const struct ks_emu_undefined *u = &warp->causes[cause & CAUSE];
    const uint32_t all = inst->size >= 32 ? UINT32_MAX : (1u << inst->size) - 1;
    bool like = u->inst->size == inst->size;
    *used = !own;
    if (like && (cause & PART) != 0 && u->address[lane] == address_of(warp, inst, lane) && inst->count == 1) {
        *used = false;
        return 0; // a field, put into the word that holds it
    }
    if (!like || (cause & COPY) == 0 || (u->bytes[lane] & all) == all)
        return all;
    *used = false;
    return u->bytes[lane] & all;
}

static void step_store(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    uint32_t own = own_memory(warp, inst);
    if (inst->address_width != 0)
        use(warp, inst, inst->a, mask);
    for (uint32_t k = 0; k < inst->count; k++) {
        uint32_t reg = inst->count == 1 ? inst->d : inst->more[k], users = 0;
        for (uint32_t lanes = undefined(warp, reg) & mask; lanes != 0; lanes &= lanes - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(lanes);
            bool used;
            stored_bytes(warp, inst, reg, l, own >> l & 1, &used);
            users |= (uint32_t)used << l;
        }
        use(warp, inst, reg, users);
    }
    inst->run(warp, inst, mask);
    for (uint32_t k = 0; k < inst->count; k++) {
        uint32_t reg = inst->count == 1 ? inst->d : inst->more[k];
        for (uint32_t lanes = undefined(warp, reg) & mask; lanes != 0; lanes &= lanes - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(lanes);
            uint64_t address = address_of(warp, inst, l) + k * inst->size;
            bool used;
            uint32_t kept = stored_bytes(warp, inst, reg, l, own >> l & 1, &used);
            for (uint32_t b = 0; b < inst->size; b++)
                if ((kept >> b & 1) != 0)
                    ks_emu_undefine(warp, inst, l, address + b, 1);
        }
    }
}

static void step_use(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    const uint32_t regs[] = {inst->a, inst->b, inst->c, inst->e};
    for (uint32_t i = 0; i < 4; i++)
        use(warp, inst, regs[i], mask);
    if (inst->kind == KS_EMU_SWITCH)
        return; // (more holds targets)
    for (uint32_t i = 0; i < inst->n_more; i++)
        use(warp, inst, inst->more[i], mask);
    define(warp, inst->d, mask, 0, 0);
}

void ks_emu_taint_step(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t all,
                       uint32_t mask)
{
    const bool plain = inst->kind == KS_EMU_PLAIN;
    if (warp->frame->undefined == NULL) { // of a function whose registers are all defined
        if (plain && mask != 0)
            inst->run(warp, inst, mask);
        return;
    }
    use(warp, inst, inst->guard, all);
    if (mask == 0)
        return;
    switch (plain ? (enum ks_emu_flow)inst->flow : KS_EMU_FLOW_USE) {
    case KS_EMU_FLOW_LOAD:
        step_load(warp, inst, mask);
        return;
    case KS_EMU_FLOW_STORE:
        step_store(warp, inst, mask);
        return;
    case KS_EMU_FLOW_USE:
    case KS_EMU_FLOW_EXCHANGE:
        step_use(warp, inst, mask);
        if (plain)
            inst->run(warp, inst, mask);
        return;
    default:
        step_value(warp, inst, mask);
    }
}

void ks_emu_taint_move(struct ks_emu_frame *to, const struct ks_emu_frame *from, uint32_t lanes)
{
    if (to->undefined == NULL && from->undefined == NULL)
        return;
    follow(to);
    for (size_t i = 0; i < to->function->frame_bytes / 4 + 1; i++) {
        uint32_t moved = from->undefined != NULL ? from->undefined[i] & lanes : 0;
        to->undefined[i] = (to->undefined[i] & ~lanes) | moved;
        if (moved != 0)
            to->cause[i] = from->cause[i];
    }
}

void ks_emu_taint_free(struct ks_emu_warp *warp)
{
    free(warp->causes);
    warp->causes = NULL;
}
