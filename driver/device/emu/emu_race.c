#include "device/emu/emu_race.h"

#include <stdlib.h>

#include "device/emu/emu_exec.h"

#define DENSE_BLOCKS 8192 // with more, every fenced access counts as ordered once blocks synchronise
#define LOCATIONS 4096

// A stamp: block 24 bits, thread 10, clock 22, bytes 4, then flags.
#define STRONG 8u
#define MANY 4u   // read by other threads too, at the same time
#define CTA 2u    // strong within its block alone
#define VALID 1u
#define STAMP(block, thread, clock, bytes, flags)                                                 \
    (((uint64_t)(block)&0xffffff) << 40 | (uint64_t)(thread) << 30 |                              \
     (uint64_t)((clock) < 0x3fffff ? (clock) : 0x3fffff) << 8 | (uint64_t)(bytes) << 4 | (flags))
#define BLOCK_OF(s) ((uint32_t)((s) >> 40))
#define THREAD_OF(s) ((uint32_t)((s) >> 30 & 1023))
#define CLOCK_OF(s) ((uint32_t)((s) >> 8 & 0x3fffff))
#define BYTES_OF(s) ((unsigned)((s) >> 4 & 15))

struct location {
    uint64_t address;
    uint32_t *blocks;      // by linear index: what a reader of this location knows of each
    uint32_t owner;        // block whose warps `seen` speaks of
    uint32_t seen[32];
    bool used;
};

struct past {              // what must be known of a block after it ended
    uint32_t fence_barrier;
    uint32_t *fences;
};

struct ks_emu_sync {
    struct location *table;
    size_t n;
    struct past *past;     // by linear index
};

static struct ks_emu_sync *sync_of(struct ks_emu_grid *grid)
{
    if (grid->sync == NULL) {
        grid->sync = calloc(1, sizeof *grid->sync);
        KS_ASSERT(grid->sync != NULL);
        grid->sync->table = calloc(LOCATIONS, sizeof *grid->sync->table);
        grid->sync->past = calloc(grid->n_blocks, sizeof *grid->sync->past);
        KS_ASSERT(grid->sync->table != NULL && grid->sync->past != NULL);
    }
    return grid->sync;
}

void ks_emu_race_free(struct ks_emu_grid *grid)
{
    struct ks_emu_sync *sync = grid->sync;
    if (sync == NULL)
        return;
    for (size_t i = 0; i < LOCATIONS; i++)
        free(sync->table[i].blocks);
    for (uint64_t i = 0; i < grid->n_blocks; i++)
        free(sync->past[i].fences);
    free(sync->table);
    free(sync->past);
    free(sync);
    grid->sync = NULL;
}

// ---- clocks

void ks_emu_clock_start(struct ks_emu_block *block)
{
    // Times go on in the slot, so that what an earlier block left in shared memory's history is old.
    uint32_t now = block->clock.now + 1;
    block->clock = (struct ks_emu_clock){.now = now, .floor = now};
}

void ks_emu_clock_end(struct ks_emu_block *block)
{
    struct ks_emu_clock *c = &block->clock;
    if (c->fences != NULL) {
        struct past *past = &sync_of(block->grid)->past[block->linear];
        past->fences = c->fences;
        past->fence_barrier = c->fence_barrier;
    }
    free(c->blocks);
    c->blocks = NULL;
    c->fences = NULL;
}

void ks_emu_clock_barrier(struct ks_emu_block *block, bool all, uint32_t warps)
{
    struct ks_emu_clock *c = &block->clock;
    c->now++;
    if (all) {
        c->floor = c->now;
        return;
    }
    uint32_t joined[32] = {0};
    for (unsigned w = 0; w < 32; w++)
        for (unsigned k = 0; (warps >> w & 1) != 0 && k < 32; k++)
            if (c->seen[w][k] > joined[k])
                joined[k] = c->seen[w][k];
    for (unsigned w = 0; w < 32; w++)
        if ((warps >> w & 1) != 0)
            joined[w] = c->now;
    for (unsigned w = 0; w < 32; w++)
        if ((warps >> w & 1) != 0)
            memcpy(c->seen[w], joined, sizeof joined);
}

void ks_emu_clock_warp_sync(struct ks_emu_warp *warp)
{
    struct ks_emu_clock *c = &warp->block->clock;
    c->seen[warp->index][warp->index] = ++c->now;
}

void ks_emu_clock_fence(struct ks_emu_warp *warp, uint32_t mask, bool gpu)
{
    struct ks_emu_clock *c = &warp->block->clock;
    c->now++;
    c->fenced = true;
    if (!gpu)
        return;
    if (c->fences == NULL) {
        c->fences = calloc(KS_EMU_MAX_THREADS, sizeof *c->fences);
        KS_ASSERT(c->fences != NULL);
        sync_of(warp->grid);
    }
    c->fence_barrier = c->floor;
    for (unsigned l = 0; l < KS_EMU_LANES; l++)
        if ((mask >> l & 1) != 0)
            c->fences[ks_emu_thread(warp, l)] = c->now;
}

// ---- publication

static struct location *find(struct ks_emu_sync *sync, uint64_t address, bool make)
{
    size_t at = (size_t)((address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % LOCATIONS;
    for (size_t tries = 0; tries < LOCATIONS; tries++, at = (at + 1) % LOCATIONS) {
        if (sync->table[at].used && sync->table[at].address == address)
            return &sync->table[at];
        if (!sync->table[at].used) {
            if (!make || sync->n > LOCATIONS / 2)
                return NULL;
            sync->n++;
            sync->table[at] = (struct location){.address = address, .used = true,
                                                .owner = UINT32_MAX};
            return &sync->table[at];
        }
    }
    return NULL;
}

static void join(uint32_t **to, const uint32_t *from, uint64_t n)
{
    if (from == NULL)
        return;
    if (*to == NULL)
        *to = calloc(n, sizeof **to);
    KS_ASSERT(*to != NULL);
    for (uint64_t i = 0; i < n; i++)
        if (from[i] > (*to)[i])
            (*to)[i] = from[i];
}

void ks_emu_race_sync(struct ks_emu_warp *warp, uint32_t lane, uint64_t address, bool publish,
                      bool cta)
{
    struct ks_emu_grid *grid = warp->grid;
    struct ks_emu_block *block = warp->block;
    struct ks_emu_clock *c = &block->clock;
    uint64_t n = grid->n_blocks <= DENSE_BLOCKS ? grid->n_blocks : 1;
    (void)lane;
    if (grid->sync == NULL && !(publish && c->fenced))
        return;
    struct location *at = find(sync_of(grid), address, publish && c->fenced);
    if (at == NULL)
        return;
    if (!cta)
        join(&c->blocks, at->blocks, n);
    if (at->owner == block->linear)
        for (unsigned w = 0; w < 32; w++)
            if (at->seen[w] > c->seen[warp->index][w])
                c->seen[warp->index][w] = at->seen[w];
    if (!publish || !c->fenced)
        return;
    c->now++;
    if (!cta) {
        join(&at->blocks, c->blocks, n);
        if (at->blocks == NULL)
            at->blocks = calloc(n, sizeof *at->blocks);
        KS_ASSERT(at->blocks != NULL);
        at->blocks[n == 1 ? 0 : block->linear] = c->now;
    }
    at->owner = block->linear;
    for (unsigned w = 0; w < 32; w++)
        at->seen[w] = c->seen[warp->index][w] > c->floor ? c->seen[warp->index][w] : c->floor;
    at->seen[warp->index] = c->now;
}

// ---- accesses

// Whether the fence that makes an access of another block visible was made.
static bool flushed(struct ks_emu_grid *grid, uint32_t block, uint32_t thread, uint32_t clock)
{
    const struct past *past = &sync_of(grid)->past[block];
    const uint32_t *fences = past->fences;
    uint32_t barrier = past->fence_barrier;
    for (uint32_t i = 0; fences == NULL && i < grid->n_resident; i++)
        if (grid->blocks[i].live && grid->blocks[i].linear == block) {
            fences = grid->blocks[i].clock.fences;
            barrier = grid->blocks[i].clock.fence_barrier;
        }
    return fences != NULL && (fences[thread] > clock || barrier > clock);
}

static bool ordered(const struct ks_emu_race_access *x, uint64_t stamp)
{
    struct ks_emu_block *block = x->warp->block;
    struct ks_emu_clock *c = &block->clock;
    uint32_t clock = CLOCK_OF(stamp), thread = THREAD_OF(stamp), other = BLOCK_OF(stamp);
    if (x->shared || other == (block->linear & 0xffffff))
        return clock < c->floor || clock < c->seen[x->warp->index][thread / KS_EMU_LANES];
    if (x->warp->grid->n_blocks > DENSE_BLOCKS)
        return c->blocks != NULL && flushed(x->warp->grid, other, thread, clock);
    return c->blocks != NULL && c->blocks[other] > clock &&
           flushed(x->warp->grid, other, thread, clock);
}

static bool same_thread(const struct ks_emu_race_access *x, uint64_t stamp)
{
    return THREAD_OF(stamp) == ks_emu_thread(x->warp, x->lane) &&
           (x->shared || BLOCK_OF(stamp) == (x->warp->block->linear & 0xffffff));
}

static void site_of(struct ks_emu_grid *grid, uint32_t block, uint32_t thread, uint32_t inst,
                    struct ks_emu_site *site)
{
    const struct ks_emu_inst *at = &grid->module->code.at[inst];
    ks_emu_site_set(grid, block, thread, at, site);
}

static void report(const struct ks_emu_race_access *x, uint64_t stamp, uint32_t inst,
                   const char *earlier)
{
    struct ks_emu_grid *grid = x->warp->grid;
    struct ks_finding *f = ks_emu_find(x->warp, x->inst, x->lane, KS_F_RACE, x->address, x->bytes,
                                       "%s of %s memory against an unordered earlier %s",
                                       x->write ? "write" : "read",
                                       x->shared ? "shared" : "global", earlier);
    if (f == NULL || f->count > 1)
        return;
    f->has_other = true;
    site_of(grid, x->shared ? x->warp->block->linear : BLOCK_OF(stamp), THREAD_OF(stamp), inst,
            &f->other);
    f->other_file = ks_emu_file(grid->module, f->other.source);
}

// Both atomic, volatile or the like, and each within the other's scope (8.7: morally strong).
static bool both_strong(const struct ks_emu_race_access *x, uint64_t stamp)
{
    bool here = x->shared || BLOCK_OF(stamp) == (x->warp->block->linear & 0xffffff);
    return x->strong && (stamp & STRONG) != 0 && (here || (!x->cta && (stamp & CTA) == 0));
}

static void note_one(const struct ks_emu_race_access *x, struct ks_emu_cell *cell, unsigned bytes)
{
    uint64_t w = cell->write, r = cell->read;
    uint32_t thread = ks_emu_thread(x->warp, x->lane);
    const struct ks_emu_clock *c = &x->warp->block->clock;
    uint64_t mine = STAMP(x->warp->block->linear, thread, c->now, bytes,
                          VALID | (x->strong ? STRONG : 0) | (x->cta ? CTA : 0));
    uint32_t inst = (uint32_t)(x->inst - x->warp->grid->module->code.at);
    if (w != 0 && (BYTES_OF(w) & bytes) != 0 && !both_strong(x, w) && !same_thread(x, w) &&
        !ordered(x, w))
        report(x, w, cell->write_inst, (w & STRONG) != 0 ? "atomic write" : "write");
    if (x->write) {
        if (r != 0 && (BYTES_OF(r) & bytes) != 0 && !both_strong(x, r) &&
            (!same_thread(x, r) || (r & MANY) != 0) && !ordered(x, r))
            report(x, r, cell->read_inst, "read");
        cell->write = mine;
        cell->write_inst = inst;
        return;
    }
    // The first of several concurrent readers stays; MANY tells that it was not alone.
    if (r != 0 && !same_thread(x, r) && !ordered(x, r))
        cell->read = r | MANY | (uint64_t)bytes << 4;
    else if (r != 0 && same_thread(x, r) && CLOCK_OF(r) == CLOCK_OF(mine))
        cell->read = r | (uint64_t)bytes << 4;
    else {
        cell->read = mine;
        cell->read_inst = inst;
    }
}

void ks_emu_race_note(const struct ks_emu_race_access *x, struct ks_emu_cell *cells,
                      unsigned offset)
{
    unsigned end = offset + (unsigned)x->bytes;
    for (unsigned at = 0; at < end; at += 4, cells++) {
        unsigned from = offset > at ? offset - at : 0, to = end - at < 4 ? end - at : 4;
        if (from < to)
            note_one(x, cells, ((1u << to) - 1) & ~((1u << from) - 1));
    }
}
