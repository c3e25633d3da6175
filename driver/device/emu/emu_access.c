// Every load and store of every lane goes through here: space, bounds, alignment, initialised
// bytes, races.

#include <stdio.h>

#include "device/emu/emu_taint.h"
#include "device/emu/emu_team.h"

struct place {
    unsigned char *data, *known;   // of the object, from its start
    struct ks_emu_cell *cells;
    uint64_t bytes, offset;        // of the object; of the access in it
    unsigned lead;                 // what known and cells count more than offset does
    const char *name;
    const struct ks_emu_region *region; // in global memory
    bool constant, freed, shared;
};

static void in_shared(struct ks_emu_warp *warp, uint64_t address, struct place *p)
{
    const struct ks_emu_grid *grid = warp->grid;
    uint64_t window = address >> KS_EMU_SHARED_WINDOW_BITS;
    p->name = "shared memory";
    p->offset = address;
    p->shared = true;
    if (window >= grid->n_windows || grid->windows[window].var == NULL)
        return;
    const struct ks_emu_window *w = &grid->windows[window];
    p->data = warp->block->shared + w->offset;
    p->known = warp->block->shared_known + w->offset / 8;
    p->cells = grid->options.races ? warp->block->shared_cells + w->offset / 4 : NULL;
    p->bytes = w->bytes;
    p->offset = address & ((1u << KS_EMU_SHARED_WINDOW_BITS) - 1);
    p->name = w->var->external ? "dynamic shared memory" : "a shared variable";
}

static void in_local(struct ks_emu_warp *warp, uint32_t lane, uint64_t address, struct place *p)
{
    uint64_t depth = address >> KS_EMU_LOCAL_WINDOW_BITS;
    struct ks_emu_frame *frame = warp->frame;
    p->name = "the local memory of its function";
    p->offset = address;
    while (frame != NULL && frame->depth + 1 != depth)
        frame = frame->parent;
    if (frame == NULL || frame->local == NULL)
        return;
    uint64_t stride = (frame->function->local_bytes + 15) & ~UINT64_C(15);
    p->data = frame->local + lane * stride;
    p->known = frame->local_known + lane * stride / 8;
    p->bytes = frame->function->local_bytes;
    p->offset = address & ((1u << KS_EMU_LOCAL_WINDOW_BITS) - 1);
}

static void in_global(struct ks_emu_warp *warp, uint64_t address, struct place *p)
{
    struct ks_emu_memory *memory = warp->grid->memory;
    uint64_t slot = address >> KS_EMU_SLOT_BITS;
    p->name = "any allocation";
    p->offset = address;
    if (slot >= KS_EMU_SLOTS)
        return;
    const struct ks_emu_region *r = &memory->regions[slot];
    p->freed = r->freed && r->data == NULL;
    if (r->data == NULL)
        return;
    p->region = r;
    p->data = r->data;
    p->known = r->known;
    p->lead = r->lead;
    p->constant = r->constant || r->frozen;
    p->cells = p->constant ? NULL : r->cells; // what nobody writes has no races
    p->bytes = r->bytes;
    p->offset = address - r->address; // before the start: huge
    p->name = r->name != NULL ? r->name : "its buffer";
}

static struct place find_place(struct ks_emu_warp *warp, enum ks_emu_space space, uint32_t lane,
                               uint64_t address)
{
    struct place p = {.name = ""};
    uint64_t slot = address >> KS_EMU_SLOT_BITS;
    switch (space) {
    case KS_EMU_SHARED:
        in_shared(warp, address, &p);
        break;
    case KS_EMU_LOCAL:
        in_local(warp, lane, address, &p);
        break;
    default:
        if (slot == 1 && space == KS_EMU_GENERIC)
            in_shared(warp, address - KS_EMU_SHARED_BASE, &p);
        else if (slot == 2 && space == KS_EMU_GENERIC)
            in_local(warp, lane, address - KS_EMU_LOCAL_BASE, &p);
        else
            in_global(warp, address, &p);
    }
    return p;
}

static unsigned char *outside(struct ks_emu_warp *warp, const struct ks_emu_inst *inst,
                              uint32_t lane, uint64_t address, uint32_t bytes,
                              enum ks_emu_access access, const struct place *p)
{
    const char *verb = access == KS_EMU_READ ? "read" : access == KS_EMU_WRITE ? "write" : "atomic";
    if (p->freed) {
        ks_emu_find(warp, inst, lane, KS_F_USE_AFTER_FREE, address, bytes,
                    "%u-byte %s of a buffer that was freed", bytes, verb);
        return NULL;
    }
    int64_t offset = (int64_t)p->offset;
    if (p->data == NULL)
        ks_emu_find(warp, inst, lane, KS_F_OUT_OF_BOUNDS, address, bytes,
                    "%u-byte %s at address 0x%llx, which is outside of %s", bytes, verb,
                    (unsigned long long)p->offset, p->name);
    else if (offset < 0)
        ks_emu_find(warp, inst, lane, KS_F_OUT_OF_BOUNDS, address, bytes,
                    "%u-byte %s %lld bytes before the start of %s", bytes, verb,
                    (long long)-offset, p->name);
    else
        ks_emu_find(warp, inst, lane, KS_F_OUT_OF_BOUNDS, address, bytes,
                    "%u-byte %s at offset %lld of %s, which has %llu bytes", bytes, verb,
                    (long long)offset, p->name, (unsigned long long)p->bytes);
    return NULL;
}

static uint32_t unknown_bytes(const unsigned char *known, uint64_t bit, uint64_t bytes)
{
    uint32_t out = 0;
    for (uint64_t b = 0; b < bytes; b++)
        out |= (uint32_t)!ks_emu_known(known, bit + b, 1) << b;
    return out;
}

// A read of bytes that nothing wrote. Apart, as what follows of races is: it is no part of the usual access, which so has
// few registers to save.
static __attribute__((noinline)) void read_unknown(struct ks_emu_visit *v, uint32_t lane, uint64_t address, uint64_t bit)
{
    struct ks_emu_warp *warp = v->access.warp;
    const struct ks_emu_inst *inst = v->access.inst;
    const uint64_t bytes = v->access.bytes;
    struct place p = find_place(warp, (enum ks_emu_space)inst->space, lane, address);
    if (p.data == NULL) // of another space than the instruction's
        p = find_place(warp, KS_EMU_GENERIC, lane, address);
    if ((v->how == KS_EMU_READ || v->how == KS_EMU_ATOMIC) &&
        ks_emu_taint_load(warp, inst, lane, address, unknown_bytes(v->known, bit, bytes), p.offset, p.name))
        return;
    ks_emu_find(warp, inst, lane, KS_F_UNINITIALISED, address, bytes,
                "%u-byte read at offset %llu of %s, where nothing was written yet",
                (unsigned)bytes, (unsigned long long)p.offset, p.name);
    if (v->region == NULL || warp->grid->team == NULL)
        ks_emu_known_set(v->known, bit, bytes, true); // told once
}

// What is left once an access lies inside of an object that it may make it to, at `offset`.
static inline unsigned char *inside(struct ks_emu_visit *v, uint32_t lane, uint64_t address,
                                    uint64_t offset, const void *value)
{
    struct ks_emu_race_access *x = &v->access;
    struct ks_emu_warp *warp = x->warp;
    const struct ks_emu_inst *inst = x->inst;
    const struct ks_emu_options *options = &warp->grid->options;
    const uint64_t bytes = x->bytes, bit = offset + v->lead;
    unsigned char *at = v->data + offset;
    const bool team = v->region != NULL && warp->grid->team != NULL;
    if (team && !ks_emu_team_touch(warp->grid, v->region, inst, bit, x->write))
        return NULL;
    bool known = v->known == NULL || ks_emu_known(v->known, bit, bytes);
    if (v->how != KS_EMU_WRITE && !known && !options->undefined)
        read_unknown(v, lane, address, bit);
    // A write of what is there already changes nothing that another thread could see. (What is there
    // is not certain while other cores run.)
    bool silent = !team && v->how == KS_EMU_WRITE && known && value != NULL &&
                  memcmp(at, value, bytes) == 0 && !options->strict_races;
    if (v->cells != NULL && !silent && options->races) {
        x->lane = lane;
        x->address = address;
        ks_emu_race_note(x, v->cells + bit / 4, (unsigned)(bit & 3));
    }
    if (inst->sem != KS_EMU_WEAK && options->races)
        ks_emu_race_sync(warp, x->shared ? KS_EMU_SHARED_BASE | address : address, x->write,
                         x->shared || inst->scope_cta != 0);
    if (x->write && v->known != NULL && !known)
        ks_emu_known_mark(v->known, bit, bytes);
    return at;
}

static void enter(struct ks_emu_visit *v, const struct place *p)
{
    v->data = p->data;
    v->known = p->known;
    v->cells = p->cells;
    v->lead = p->lead;
    v->region = p->region;
    v->access.shared = p->shared;
}

static struct ks_emu_visit visit(struct ks_emu_warp *warp, const struct ks_emu_inst *inst,
                                 uint32_t bytes, enum ks_emu_access how)
{
    return (struct ks_emu_visit){
        .how = how, .access = {.warp = warp, .inst = inst, .bytes = bytes,
                               .write = how != KS_EMU_READ, .strong = inst->strong,
                               .cta = inst->scope_cta != 0, .noncoherent = inst->noncoherent}};
}

unsigned char *ks_emu_touch_as(struct ks_emu_warp *warp, const struct ks_emu_inst *inst,
                               enum ks_emu_space space, uint32_t lane, uint64_t address,
                               uint32_t bytes, enum ks_emu_access access, const void *value)
{
    ks_emu_charge(warp, 1);
    struct place p = find_place(warp, space, lane, address);
    struct ks_emu_visit v;
    if (p.data == NULL || p.offset > p.bytes || p.bytes - p.offset < bytes)
        return outside(warp, inst, lane, address, bytes, access, &p);
    if ((address & (bytes - 1)) != 0) {
        ks_emu_find(warp, inst, lane, KS_F_MISALIGNED, address, bytes,
                    "%u-byte access at an address that is no multiple of it", bytes);
        return NULL;
    }
    if (p.constant && access != KS_EMU_READ) {
        ks_emu_find(warp, inst, lane, KS_F_READ_ONLY, address, bytes, "%u-byte write to %s", bytes,
                    p.name);
        return NULL;
    }
    v = visit(warp, inst, bytes, access);
    enter(&v, &p);
    return inside(&v, lane, address, p.offset, value);
}

unsigned char *ks_emu_touch(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t lane,
                            uint64_t address, uint32_t bytes, enum ks_emu_access access,
                            const void *value)
{
    return ks_emu_touch_as(warp, inst, (enum ks_emu_space)inst->space, lane, address, bytes, access,
                           value);
}

struct ks_emu_visit ks_emu_visit(struct ks_emu_warp *warp, const struct ks_emu_inst *inst,
                                 uint32_t lane, uint64_t address, enum ks_emu_access how)
{
    struct ks_emu_visit v = visit(warp, inst, inst->size, how);
    const uint64_t slot = address >> KS_EMU_SLOT_BITS;
    struct place p;
    bool fixed = inst->space == KS_EMU_SHARED ||
                 (inst->space <= KS_EMU_GLOBAL && slot >= KS_EMU_FIRST_SLOT);
    if (!fixed || inst->sem != KS_EMU_WEAK)
        return v;
    p = find_place(warp, (enum ks_emu_space)inst->space, lane, address);
    if (p.data == NULL || p.offset > p.bytes || (p.constant && how != KS_EMU_READ))
        return v;
    enter(&v, &p);
    v.start = address - p.offset;
    v.bytes = p.bytes;
    return v;
}

unsigned char *ks_emu_visit_at(struct ks_emu_visit *v, uint32_t lane, uint64_t address,
                               const void *value)
{
    const uint64_t offset = address - v->start, bytes = v->access.bytes; // before the start: huge
    if (offset < v->bytes && v->bytes - offset >= bytes && (address & (bytes - 1)) == 0)
        return inside(v, lane, address, offset, value);
    v->access.event = 0; // what follows may drop events
    v->access.last_write.name = v->access.last_read.name = 0;
    return ks_emu_touch(v->access.warp, v->access.inst, lane, address, (uint32_t)bytes, v->how,
                        value);
}

void ks_emu_undefine(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t lane,
                     uint64_t address, uint32_t bytes)
{
    struct place p = find_place(warp, (enum ks_emu_space)inst->space, lane, address);
    if (p.data != NULL && p.known != NULL && p.offset < p.bytes && p.bytes - p.offset >= bytes)
        ks_emu_known_set(p.known, p.offset + p.lead, bytes, false);
}
