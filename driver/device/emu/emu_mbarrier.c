// mbarrier (PTX ISA 9.7.13.15) in shared memory, and arrivals that cp.async makes. The object's 64
// bits are our own: programs may not look into them.
//
// Who arrives publishes what its warp did before; who sees a phase complete knows what all arrivals
// of that phase published. Arrivals by cp.async are made, with their copies, when somebody asks:
// what is read without asking is not there yet.

#include <stdlib.h>

#include "device/emu/emu_alu.h"
#include "device/emu/emu_count.h"
#include "device/emu/emu_mbarrier.h"

typedef uint32_t u32;
typedef uint64_t u64;

#define MOST ((1u << 20) - 1) // 9.7.13.15.1: of counts
#define TAG UINT64_C(2)
#define WINDOW 64  // turns of a block: time enough to ask once
#define WINDOWS 64 // in which all of its threads ask in vain: a deadlock

struct object {
    u32 pending, expected;
    int32_t tx;
    bool phase;
};

static u64 pack(struct object o)
{
    return o.pending | (u64)o.expected << 20 | (u64)((u32)o.tx & 0x1fffff) << 40 |
           (u64)o.phase << 61 | TAG << 62;
}

static struct object unpack(u64 bits)
{
    int32_t tx = (int32_t)((u32)(bits >> 40) << 11) >> 11;
    return (struct object){(u32)bits & MOST, (u32)(bits >> 20) & MOST, tx, (bits >> 61 & 1) != 0};
}

// ---- what happens before what

static struct ks_emu_mbarrier *entry_of(struct ks_emu_block *block, u32 address)
{
    for (u32 i = 0; i < block->n_mbarriers; i++)
        if (block->mbarriers[i].address == address)
            return &block->mbarriers[i];
    block->mbarriers =
        realloc(block->mbarriers, (block->n_mbarriers + 1) * sizeof *block->mbarriers);
    KS_ASSERT(block->mbarriers != NULL);
    struct ks_emu_mbarrier *m = &block->mbarriers[block->n_mbarriers++];
    *m = (struct ks_emu_mbarrier){.address = address};
    return m;
}

// What the warp did before time `now` is published by an arrival in the phase that runs.
static void publish(struct ks_emu_warp *warp, struct ks_emu_mbarrier *m, bool phase, u32 now)
{
    const struct ks_emu_clock *c = &warp->block->clock;
    for (u32 w = 0; w < 32; w++) {
        u32 known = c->seen[warp->index][w] > c->floor ? c->seen[warp->index][w] : c->floor;
        if (known > m->seen[phase][w])
            m->seen[phase][w] = known;
    }
    m->seen[phase][warp->index] = now;
}

static void acquire(struct ks_emu_warp *warp, const struct ks_emu_mbarrier *m, bool phase)
{
    struct ks_emu_clock *c = &warp->block->clock;
    for (u32 w = 0; w < 32; w++)
        if (m->seen[phase][w] > c->seen[warp->index][w])
            c->seen[warp->index][w] = m->seen[phase][w];
}

// Whoever uses a barrier must know that it was made. (History has only the last write of it.)
static void check_made(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 lane,
                       u64 address, const struct ks_emu_mbarrier *m)
{
    struct ks_emu_grid *grid = warp->grid;
    const struct ks_emu_clock *c = &warp->block->clock;
    u32 by = m->maker / KS_EMU_LANES;
    if (!grid->options.races || m->made == NULL || m->maker == ks_emu_thread(warp, lane) ||
        m->made_at < c->floor || m->made_at < c->seen[warp->index][by])
        return;
    struct ks_finding *f = ks_emu_find(warp, inst, lane, KS_F_RACE, address, 8,
                                       "use of an mbarrier whose initialisation is not ordered "
                                       "before it");
    if (f == NULL || f->count > 1)
        return;
    f->has_other = true;
    ks_emu_site_set(grid, warp->block->linear, m->maker, m->made, &f->other);
    f->other_file = ks_emu_file(grid->module, f->other.source);
}

// ---- the object

static u64 address_of(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 lane)
{
    u64 base =
        inst->address_width == 8 ? KS_EMU_REG(u64, inst->a)[lane] : KS_EMU_REG(u32, inst->a)[lane];
    return base + (u64)inst->imm;
}

// The object's bytes, NULL after a finding; `at`: its address in shared memory.
static unsigned char *touch(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 lane,
                            u64 address, enum ks_emu_access how, u32 *at)
{
    if (inst->space == KS_EMU_GENERIC && address >> KS_EMU_SLOT_BITS == 1) {
        address -= KS_EMU_SHARED_BASE;
    } else if (inst->space == KS_EMU_GENERIC) {
        ks_emu_find(warp, inst, lane, KS_F_OUT_OF_BOUNDS, address, 8,
                    "an mbarrier outside of shared memory");
        return NULL;
    }
    *at = (u32)address;
    return ks_emu_touch_as(warp, inst, KS_EMU_SHARED, lane, address, 8, how, NULL);
}

static bool read_object(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 lane,
                        u64 address, const unsigned char *at, struct object *o)
{
    u64 bits;
    if (at == NULL)
        return false;
    memcpy(&bits, at, 8);
    *o = unpack(bits);
    if (bits >> 62 == TAG) {
        check_made(warp, inst, lane, address, entry_of(warp->block, (u32)address));
        return true;
    }
    ks_emu_find(warp, inst, lane, KS_F_UNINITIALISED, address, 8,
                "no mbarrier was initialised here");
    return false;
}

static void write_object(unsigned char *at, struct object o)
{
    u64 bits = pack(o);
    memcpy(at, &bits, 8);
}

// Threads that asked in vain may find something new.
static void wake(struct ks_emu_block *block)
{
    for (u32 w = 0; w < block->n_warps; w++)
        block->warps[w].asking = 0;
    block->in_vain = 0;
}

static void complete(struct ks_emu_block *block, struct ks_emu_mbarrier *m, struct object *o)
{
    if (o->pending != 0 || o->tx != 0)
        return;
    o->phase = !o->phase;
    o->pending = o->expected;
    memset(m->seen[o->phase], 0, sizeof m->seen[o->phase]);
    wake(block);
}

static bool misuse(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 lane, u64 address,
                   u32 n, const struct object *o)
{
    const u32 least =
        inst->op == KS_EMU_MB_ARRIVE && (inst->flags & KS_EMU_MB_NO_COMPLETE) != 0 ? n + 1 : n;
    if (n >= 1 && n <= MOST && least <= o->pending)
        return false;
    ks_emu_find(warp, inst, lane, KS_F_BARRIER_DIVERGENCE, address, 8,
                "%u arrivals at an mbarrier that waits for %u more of %u in this phase", n,
                o->pending, o->expected);
    return true;
}

static void arrive_at(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 lane,
                      u64 address, u32 n, u32 now, u64 *state)
{
    struct object o;
    u32 at = 0;
    unsigned char *data = touch(warp, inst, lane, address, KS_EMU_ATOMIC, &at);
    if (!read_object(warp, inst, lane, address, data, &o))
        return;
    *state = pack(o);
    if (misuse(warp, inst, lane, address, n, &o))
        return;
    struct ks_emu_mbarrier *m = entry_of(warp->block, at);
    if ((inst->flags & KS_EMU_MB_RELAXED) == 0)
        publish(warp, m, o.phase, now);
    if ((inst->flags & KS_EMU_MB_TX) != 0)
        o.tx += (int32_t)KS_EMU_REG(u32, inst->b)[lane];
    o.pending -= n;
    o.expected -= (inst->flags & KS_EMU_MB_DROP) != 0 ? n : 0;
    complete(warp->block, m, &o);
    write_object(data, o);
}

// ---- instructions

void ks_emu_mbarrier_init(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    for (u32 l = 0, at; l < KS_EMU_LANES; l++) {
        if ((mask >> l & 1) == 0)
            continue;
        u32 n = inst->op == KS_EMU_MB_INIT ? KS_EMU_REG(u32, inst->b)[l] : 1;
        if (n < 1 || n > MOST)
            ks_emu_find(warp, inst, l, KS_F_BARRIER_DIVERGENCE, address_of(warp, inst, l), 8,
                        "an mbarrier for %u arrivals: 1 to %u are possible", n, MOST);
        unsigned char *data = touch(warp, inst, l, address_of(warp, inst, l), KS_EMU_WRITE, &at);
        if (data == NULL)
            continue;
        write_object(data, (struct object){.pending = n, .expected = n});
        if (inst->op == KS_EMU_MB_INVAL)
            memset(data, 0, 8);
        *entry_of(warp->block, at) = (struct ks_emu_mbarrier){.address = at,
                                                              .made = inst,
                                                              .maker = ks_emu_thread(warp, l),
                                                              .made_at = warp->block->clock.now};
    }
}

void ks_emu_mbarrier_arrive(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    struct ks_emu_clock *c = &warp->block->clock;
    if ((inst->flags & KS_EMU_MB_RELAXED) == 0)
        ks_emu_clock_fence(warp, mask, false);
    for (u32 l = 0; l < KS_EMU_LANES; l++) {
        u32 n = inst->b == KS_EMU_NONE || (inst->flags & KS_EMU_MB_TX) != 0
                    ? 1
                    : KS_EMU_REG(u32, inst->b)[l];
        u64 state = 0;
        if ((mask >> l & 1) == 0)
            continue;
        arrive_at(warp, inst, l, address_of(warp, inst, l), n, c->now + 1, &state);
        if (inst->d != KS_EMU_NONE)
            KS_EMU_REG(u64, inst->d)[l] = state;
    }
    c->now++;
}

// The bytes that bulk copies bring: expected, or there.
void ks_emu_mbarrier_transfer(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    for (u32 l = 0, at = 0; l < KS_EMU_LANES; l++) {
        struct object o;
        if ((mask >> l & 1) == 0)
            continue;
        u64 address = address_of(warp, inst, l);
        unsigned char *data = touch(warp, inst, l, address, KS_EMU_ATOMIC, &at);
        if (!read_object(warp, inst, l, address, data, &o))
            continue;
        int32_t bytes = (int32_t)KS_EMU_REG(u32, inst->b)[l];
        o.tx += inst->op == KS_EMU_MB_EXPECT_TX ? bytes : -bytes;
        if (inst->op == KS_EMU_MB_COMPLETE_TX)
            complete(warp->block, entry_of(warp->block, at), &o);
        write_object(data, o);
    }
}

// cp.async.mbarrier.arrive (9.7.13.15.17): the lane arrives when its copies so far are there.
// Without .noinc one arrival more is expected for it.
void ks_emu_mbarrier_copies(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    struct ks_emu_block *block = warp->block;
    for (u32 l = 0, at = 0; l < KS_EMU_LANES; l++) {
        struct object o;
        if ((mask >> l & 1) == 0)
            continue;
        u64 address = address_of(warp, inst, l);
        unsigned char *data = touch(warp, inst, l, address, KS_EMU_ATOMIC, &at);
        if (!read_object(warp, inst, l, address, data, &o))
            continue;
        if ((inst->flags & KS_EMU_MB_NO_INC) == 0 && o.pending == MOST) {
            ks_emu_find(warp, inst, l, KS_F_BARRIER_DIVERGENCE, address, 8,
                        "an mbarrier that would wait for more than %u arrivals", MOST);
            continue;
        }
        o.pending += (inst->flags & KS_EMU_MB_NO_INC) == 0;
        write_object(data, o);
        block->arrivals =
            realloc(block->arrivals, (block->n_arrivals + 1) * sizeof *block->arrivals);
        KS_ASSERT(block->arrivals != NULL);
        block->arrivals[block->n_arrivals++] =
            (struct ks_emu_arrival){inst, warp->index, l, at, warp->copies_begun};
    }
}

// Makes the arrivals of copies at an object.
static void settle(struct ks_emu_block *block, u32 address)
{
    u32 kept = 0;
    for (u32 i = 0; i < block->n_arrivals; i++) {
        struct ks_emu_arrival a = block->arrivals[i];
        if (a.address != address) {
            block->arrivals[kept++] = a;
            continue;
        }
        struct ks_emu_warp *warp = &block->warps[a.warp];
        u64 state;
        ks_emu_copies_finish(warp, a.lane, a.before);
        ks_emu_clock_fence(warp, 1u << a.lane, false);
        arrive_at(warp, a.inst, a.lane,
                  a.address + (a.inst->space == KS_EMU_GENERIC ? KS_EMU_SHARED_BASE : 0), 1,
                  block->clock.now + 1, &state);
        block->clock.now++;
    }
    block->n_arrivals = kept;
}

void ks_emu_mbarrier_wait(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    u32 yes = 0, *p = KS_EMU_REG(u32, inst->d);
    for (u32 l = 0, at = 0; l < KS_EMU_LANES; l++) {
        struct object o;
        if ((mask >> l & 1) == 0)
            continue;
        u64 address = address_of(warp, inst, l);
        unsigned char *data = touch(warp, inst, l, address, KS_EMU_READ, &at);
        if (data != NULL && warp->block->n_arrivals > 0)
            settle(warp->block, at);
        bool phase = (inst->flags & KS_EMU_MB_PARITY) != 0
                         ? (KS_EMU_REG(u32, inst->b)[l] & 1) != 0
                         : unpack(KS_EMU_REG(u64, inst->b)[l]).phase;
        if (!read_object(warp, inst, l, address, data, &o)) {
            ks_emu_stop(warp->grid); // nobody will ever complete it
            return;
        }
        if (o.phase == phase)
            continue;
        yes |= 1u << l;
        if ((inst->flags & KS_EMU_MB_RELAXED) == 0)
            acquire(warp, entry_of(warp->block, at), phase);
    }
    *p = (*p & ~mask) | yes;
    warp->asking = (warp->asking & ~mask) | (mask & ~yes);
    warp->asked = inst;
    warp->gives_way = (mask & ~yes) != 0;
    if (yes == 0)
        return;
    wake(warp->block);
    if (warp->grid->counter != NULL && warp->copies_missed) {
        warp->missed = true;
        ks_emu_count_wait(warp);
        warp->copies_missed = false;
    }
}

// pending_count: of the phase that a state is of.
void ks_emu_mbarrier_count(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    KS_EMU_EACH({ KS_EMU_REG(u32, inst->d)[l] = (u32)KS_EMU_REG(u64, inst->a)[l] & MOST; })
}

void ks_emu_mbarrier_turn(struct ks_emu_block *block)
{
    struct ks_emu_warp *asker = NULL;
    u32 lanes = 0;
    bool vain = true;
    if (block->grid->stop || ++block->turns % WINDOW != 0)
        return;
    for (u32 w = 0; w < block->n_warps; w++) {
        struct ks_emu_warp *warp = &block->warps[w];
        u32 asking = warp->asking & warp->alive, stand = asking;
        for (unsigned i = 0; i < warp->n_groups; i++)
            stand |= warp->groups[i].state != KS_EMU_READY ? warp->groups[i].mask : 0;
        vain &= (warp->alive & ~stand) == 0;
        if (asking != 0 && asker == NULL) {
            asker = warp;
            lanes = asking;
        }
        warp->asking = 0;
    }
    block->in_vain = vain && asker != NULL ? block->in_vain + 1 : 0;
    if (block->in_vain < WINDOWS)
        return;
    ks_emu_find(asker, asker->asked, (u32)__builtin_ctz(lanes), KS_F_DEADLOCK, 0, 0,
                "%u threads of the block are left, and none of them completes the phase of the "
                "mbarrier that this one waits for",
                block->alive);
    ks_emu_stop(block->grid);
}
