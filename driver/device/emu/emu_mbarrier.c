// mbarrier (PTX ISA 9.7.13.15) in shared memory, and arrivals that cp.async makes. The object's 64
// bits are our own: programs may not look into them.
//
// Who arrives publishes what its warp did before; who sees a phase complete knows what all arrivals
// of that phase published. Arrivals by cp.async are made, with their copies, when somebody asks:
// what is read without asking is not there yet.

#include <stdlib.h>

#include "device/emu/emu_alu.h"
#include "device/emu/emu_count.h"

typedef uint32_t u32;
typedef uint64_t u64;

#define MOST ((1u << 20) - 1) // 9.7.13.15.1: of counts
#define TAG UINT64_C(2)
#define WINDOW 64  // turns of a block: time enough to ask once
#define WINDOWS 64 // in which all of its threads ask in vain: a deadlock

enum { INIT, INVAL, ARRIVE, EXPECT_TX, COMPLETE_TX, WAIT, COPIES };
enum { RELAXED = 1, DROP = 2, NO_COMPLETE = 4, PARITY = 8, TX = 16, NO_INC = 32 };

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
    const u32 least = inst->op == ARRIVE && (inst->flags & NO_COMPLETE) != 0 ? n + 1 : n;
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
    if ((inst->flags & RELAXED) == 0)
        publish(warp, m, o.phase, now);
    if ((inst->flags & TX) != 0)
        o.tx += (int32_t)KS_EMU_REG(u32, inst->b)[lane];
    o.pending -= n;
    o.expected -= (inst->flags & DROP) != 0 ? n : 0;
    complete(warp->block, m, &o);
    write_object(data, o);
}

// ---- instructions

static void init(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    for (u32 l = 0, at; l < KS_EMU_LANES; l++) {
        if ((mask >> l & 1) == 0)
            continue;
        u32 n = inst->op == INIT ? KS_EMU_REG(u32, inst->b)[l] : 1;
        if (n < 1 || n > MOST)
            ks_emu_find(warp, inst, l, KS_F_BARRIER_DIVERGENCE, address_of(warp, inst, l), 8,
                        "an mbarrier for %u arrivals: 1 to %u are possible", n, MOST);
        unsigned char *data = touch(warp, inst, l, address_of(warp, inst, l), KS_EMU_WRITE, &at);
        if (data == NULL)
            continue;
        write_object(data, (struct object){.pending = n, .expected = n});
        if (inst->op == INVAL)
            memset(data, 0, 8);
        *entry_of(warp->block, at) = (struct ks_emu_mbarrier){.address = at,
                                                              .made = inst,
                                                              .maker = ks_emu_thread(warp, l),
                                                              .made_at = warp->block->clock.now};
    }
}

static void arrive(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    struct ks_emu_clock *c = &warp->block->clock;
    if ((inst->flags & RELAXED) == 0)
        ks_emu_clock_fence(warp, mask, false);
    for (u32 l = 0; l < KS_EMU_LANES; l++) {
        u32 n = inst->b == KS_EMU_NONE || (inst->flags & TX) != 0 ? 1 : KS_EMU_REG(u32, inst->b)[l];
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
static void transfer(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
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
        o.tx += inst->op == EXPECT_TX ? bytes : -bytes;
        if (inst->op == COMPLETE_TX)
            complete(warp->block, entry_of(warp->block, at), &o);
        write_object(data, o);
    }
}

// cp.async.mbarrier.arrive (9.7.13.15.17): the lane arrives when its copies so far are there.
// Without .noinc one arrival more is expected for it.
static void copies(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
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
        if ((inst->flags & NO_INC) == 0 && o.pending == MOST) {
            ks_emu_find(warp, inst, l, KS_F_BARRIER_DIVERGENCE, address, 8,
                        "an mbarrier that would wait for more than %u arrivals", MOST);
            continue;
        }
        o.pending += (inst->flags & NO_INC) == 0;
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

static void wait(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
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
        bool phase = (inst->flags & PARITY) != 0 ? (KS_EMU_REG(u32, inst->b)[l] & 1) != 0
                                                 : unpack(KS_EMU_REG(u64, inst->b)[l]).phase;
        if (!read_object(warp, inst, l, address, data, &o)) {
            ks_emu_stop(warp->grid); // nobody will ever complete it
            return;
        }
        if (o.phase == phase)
            continue;
        yes |= 1u << l;
        if ((inst->flags & RELAXED) == 0)
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
static void count_of(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
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

// ---- decoding

static bool read_mods(struct ks_emu_decoder *d, unsigned from)
{
    static const struct {
        const char *name;
        uint8_t flag;
    } flags[] = {{"noComplete", NO_COMPLETE},
                 {"parity", PARITY},
                 {"noinc", NO_INC},
                 {"relaxed", RELAXED},
                 {"release", 0},
                 {"acquire", 0},
                 {"cta", 0},
                 {"cluster", 0},
                 {"b64", 0},
                 {"expect_tx", TX}};
    for (unsigned m = from; m < d->stmt.n_mods; m++) {
        bool known = false;
        struct ks_slice mod = d->stmt.mods[m];
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
            if (ks_slice_eq(mod, flags[i].name)) {
                d->inst.flags = (uint8_t)(d->inst.flags | flags[i].flag);
                known = true;
            }
        if (ks_slice_eq(mod, "shared") || ks_slice_eq(mod, "shared::cta") ||
            ks_slice_eq(mod, "shared::cluster")) { // a block is a cluster of its own
            d->inst.space = KS_EMU_SHARED;
            known = true;
        }
        if (!known)
            ks_emu_unsupported(d, ".%.*s", (int)(mod.len > 30 ? 30 : mod.len), mod.at);
    }
    d->inst.size = 8;
    d->inst.count = 1;
    d->inst.strong = true;
    d->inst.scope_cta = 1;
    return d->why[0] == '\0';
}

static void want_operands(struct ks_emu_decoder *d, unsigned least, unsigned most)
{
    if (d->stmt.n_ops < least || d->stmt.n_ops > most)
        ks_emu_unsupported(d, "%u operands", d->stmt.n_ops);
}

static void decode_arrive(struct ks_emu_decoder *d)
{
    struct ks_emu_inst *i = &d->inst;
    uint32_t width = 0;
    i->run = arrive;
    want_operands(d, (i->flags & (TX | NO_COMPLETE)) != 0 ? 3 : 2, 3);
    if (d->why[0] != '\0' || !ks_emu_register(d, d->stmt.ops[0].word, &i->d, &width))
        return;
    if (width != 0 && width != 8)
        ks_emu_unsupported(d, "a state of %u bits", width * 8);
    ks_emu_address(d, 1);
    if (d->stmt.n_ops == 3)
        i->b = ks_emu_source(d, 2, 4);
}

// p, [address], state or parity{, time}
static void decode_wait(struct ks_emu_decoder *d)
{
    struct ks_emu_inst *i = &d->inst;
    i->kind = KS_EMU_WAIT;
    i->run = wait;
    want_operands(d, 3, 4);
    if (d->why[0] != '\0')
        return;
    i->d = ks_emu_dest(d, 0, KS_EMU_PRED);
    ks_emu_address(d, 1);
    i->b = ks_emu_source(d, 2, (i->flags & PARITY) != 0 ? 4 : 8);
}

static void decode_plain(struct ks_emu_decoder *d)
{
    struct ks_emu_inst *i = &d->inst;
    bool alone = i->op == INVAL || i->op == COPIES;
    i->run = i->op == COPIES ? copies : i->op <= INVAL ? init : transfer;
    i->strong = i->op != INIT; // (cuda::pipeline ends its barriers without order between lanes)
    want_operands(d, alone ? 1 : 2, alone ? 1 : 2);
    if (d->why[0] != '\0')
        return;
    ks_emu_address(d, 0);
    if (!alone)
        i->b = ks_emu_source(d, 1, 4);
}

bool ks_emu_decode_mbarrier(struct ks_emu_decoder *d)
{
    static const char *const names[] = {"init", "inval", "arrive", "expect_tx", "complete_tx"};
    const struct ks_emu_stmt *s = &d->stmt;
    struct ks_emu_inst *i = &d->inst;
    const bool copy =
        ks_slice_eq(s->base, "cp") && ks_emu_mod(s, "mbarrier") && !ks_emu_mod(s, "bulk");
    if (!copy && (!ks_slice_eq(s->base, "mbarrier") || s->n_mods == 0))
        return false;
    struct ks_slice name = s->mods[0];
    i->op = UINT8_MAX;
    for (uint8_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (ks_slice_eq(name, names[k]))
            i->op = k;
    i->is_store = true;
    if (copy) {
        i->op = COPIES;
        if (read_mods(d, 3)) // async.mbarrier.arrive
            decode_plain(d);
    } else if (ks_slice_eq(name, "pending_count")) {
        i->run = count_of;
        i->is_store = false;
        i->d = ks_emu_dest(d, 0, 4);
        i->a = ks_emu_source(d, 1, 8);
    } else if (ks_slice_eq(name, "test_wait") || ks_slice_eq(name, "try_wait")) {
        i->op = WAIT;
        i->is_store = false;
        if (read_mods(d, 1))
            decode_wait(d);
    } else if (i->op == ARRIVE || ks_slice_eq(name, "arrive_drop")) {
        i->flags = i->op == ARRIVE ? 0 : DROP;
        i->op = ARRIVE;
        if (read_mods(d, 1))
            decode_arrive(d);
    } else if (i->op != UINT8_MAX) {
        if (read_mods(d, 1))
            decode_plain(d);
    } else {
        ks_emu_unsupported(d, "this form");
    }
    return true;
}
