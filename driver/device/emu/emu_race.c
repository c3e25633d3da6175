#include "device/emu/emu_race.h"

#include <stdlib.h>

#include "device/emu/emu_exec.h"

#define DENSE_BLOCKS 8192 // with more, every fenced access counts as ordered once blocks synchronise
#define LOCATIONS 4096     // at first
#define MOST_BYTES (32u << 20) // of what locations know of blocks; beyond, it is as with too many blocks
#define JOINED 32          // blocks whose times are joined in the time of a step (ks_emu_charge)
#define MOST_SPOTS 32768   // of a block; beyond, its warps' accesses count as ordered

#define MOST_EVENTS (1u << 30)
#define STRONG 1u              // of an event
#define CTA 2u                 // strong within its block alone
#define MANY 0x80u             // of a reader's lane: others read too, at the same time

struct location {
    uint64_t address;
    uint32_t *blocks;      // by linear index: what a reader of this location knows of each
    bool used;
};

struct ks_emu_spot {       // a location, as the warps of one block know it
    uint64_t address;      // 0: none
    uint32_t seen[32];
};

struct past {              // what must be known of a block after it ended
    uint32_t fence_barrier;
    uint32_t *fences;      // a thread, or a warp where all its threads' are the same
    bool by_warp;
};

struct ks_emu_sync {
    struct location *table;
    size_t n, size;        // locations; a power of two
    uint64_t bytes;        // of their `blocks`
    bool full;             // new ones find no room
    struct past *past;     // by linear index
};

static struct ks_emu_sync *sync_of(struct ks_emu_grid *grid)
{
    if (grid->sync == NULL) {
        grid->sync = calloc(1, sizeof *grid->sync);
        KS_ASSERT(grid->sync != NULL);
        grid->sync->size = LOCATIONS;
        grid->sync->table = calloc(LOCATIONS, sizeof *grid->sync->table);
        grid->sync->past = calloc(grid->n_blocks, sizeof *grid->sync->past);
        KS_ASSERT(grid->sync->table != NULL && grid->sync->past != NULL);
    }
    return grid->sync;
}

void ks_emu_race_free(struct ks_emu_grid *grid)
{
    struct ks_emu_sync *sync = grid->sync;
    for (uint32_t i = 0; i < grid->events.n_chunks; i++)
        free(grid->events.chunks[i]);
    free(grid->events.chunks);
    grid->events = (struct ks_emu_events){0};
    if (sync == NULL)
        return;
    for (size_t i = 0; i < sync->size; i++)
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
    if (block->n_spots > 0)
        memset(block->spots, 0, block->spot_size * sizeof *block->spots);
    block->n_spots = 0;
}

// Threads of a warp mostly fence together: then one number of each warp is kept.
static void keep_fences(struct past *past, uint32_t *fences, uint32_t threads)
{
    uint32_t warps = (threads + KS_EMU_LANES - 1) / KS_EMU_LANES;
    past->by_warp = true;
    for (uint32_t t = 0; t < threads && past->by_warp; t++)
        past->by_warp = fences[t] == fences[t / KS_EMU_LANES * KS_EMU_LANES];
    past->fences = fences;
    if (!past->by_warp)
        return;
    past->fences = malloc(warps * sizeof *past->fences);
    KS_ASSERT(past->fences != NULL);
    for (uint32_t w = 0; w < warps; w++)
        past->fences[w] = fences[w * KS_EMU_LANES];
    free(fences);
}

void ks_emu_clock_end(struct ks_emu_block *block)
{
    struct ks_emu_clock *c = &block->clock;
    if (c->fences != NULL) {
        struct past *past = &sync_of(block->grid)->past[block->linear];
        keep_fences(past, c->fences, block->grid->threads);
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
    const struct ks_emu_block *block = warp->block;
    struct ks_emu_clock *c = &warp->block->clock;
    c->now++;
    c->fenced = true;
    if (!gpu)
        return;
    if (c->fences == NULL) {
        c->fences = calloc(block->grid->threads, sizeof *c->fences);
        KS_ASSERT(c->fences != NULL);
        sync_of(warp->grid);
    }
    c->fence_barrier = c->floor;
    for (unsigned l = 0; l < KS_EMU_LANES; l++)
        if ((mask >> l & 1) != 0)
            c->fences[ks_emu_thread(warp, l)] = c->now;
}

// ---- publication

static size_t hash(uint64_t address, size_t size)
{
    return (size_t)((address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);
}

static struct location *slot_of(struct location *table, size_t size, uint64_t address)
{
    size_t at = hash(address, size);
    while (table[at].used && table[at].address != address)
        at = (at + 1) & (size - 1);
    return &table[at];
}

static void grow(struct ks_emu_sync *sync)
{
    struct location *table = calloc(2 * sync->size, sizeof *table);
    KS_ASSERT(table != NULL);
    for (size_t i = 0; i < sync->size; i++)
        if (sync->table[i].used)
            *slot_of(table, 2 * sync->size, sync->table[i].address) = sync->table[i];
    free(sync->table);
    sync->table = table;
    sync->size *= 2;
}

static struct location *find(struct ks_emu_sync *sync, uint64_t address, bool make)
{
    struct location *at = slot_of(sync->table, sync->size, address);
    if (at->used || !make)
        return at->used ? at : NULL;
    sync->full |= sync->bytes + sync->n * sizeof *at >= MOST_BYTES;
    if (sync->full)
        return NULL;
    if (++sync->n > sync->size / 2) {
        grow(sync);
        at = slot_of(sync->table, sync->size, address);
    }
    *at = (struct location){.address = address, .used = true};
    return at;
}

static struct ks_emu_spot *spot_slot(struct ks_emu_spot *spots, size_t size, uint64_t address)
{
    size_t at = hash(address, size);
    while (spots[at].address != 0 && spots[at].address != address)
        at = (at + 1) & (size - 1);
    return &spots[at];
}

static struct ks_emu_spot *find_spot(struct ks_emu_block *block, uint64_t address, bool make)
{
    struct ks_emu_spot *spot =
        block->spot_size == 0 ? NULL : spot_slot(block->spots, block->spot_size, address);
    if (!make || (spot != NULL && spot->address != 0))
        return spot != NULL && spot->address != 0 ? spot : NULL;
    if (block->n_spots == MOST_SPOTS) {
        block->clock.lost = true;
        return NULL;
    }
    if (++block->n_spots > block->spot_size / 2) {
        uint32_t size = block->spot_size == 0 ? 16 : 2 * block->spot_size;
        struct ks_emu_spot *more = calloc(size, sizeof *more);
        KS_ASSERT(more != NULL);
        for (uint32_t i = 0; i < block->spot_size; i++)
            if (block->spots[i].address != 0)
                *spot_slot(more, size, block->spots[i].address) = block->spots[i];
        free(block->spots);
        block->spots = more;
        block->spot_size = size;
        spot = spot_slot(more, size, address);
    }
    spot->address = address;
    return spot;
}

static void join(uint32_t **to, const uint32_t *from, uint64_t n)
{
    if (from == NULL)
        return;
    if (*to == NULL)
        *to = calloc(n, sizeof **to);
    KS_ASSERT(*to != NULL);
    uint32_t *at = *to;
    for (uint64_t i = 0; i < n; i++)
        at[i] = from[i] > at[i] ? from[i] : at[i];
}

// Between blocks.
static void meet_blocks(struct ks_emu_warp *warp, uint64_t address, bool publish)
{
    struct ks_emu_grid *grid = warp->grid;
    struct ks_emu_block *block = warp->block;
    struct ks_emu_clock *c = &block->clock;
    uint64_t n = grid->n_blocks <= DENSE_BLOCKS ? grid->n_blocks : 1;
    if (grid->sync == NULL && !publish)
        return;
    struct ks_emu_sync *sync = sync_of(grid);
    struct location *at = find(sync, address, publish);
    if (at == NULL)
        return;
    ks_emu_charge(warp, n / JOINED);
    join(&c->blocks, at->blocks, n);
    if (!publish)
        return;
    if (at->blocks == NULL) {
        at->blocks = calloc(n, sizeof *at->blocks);
        sync->bytes += n * sizeof *at->blocks;
    }
    KS_ASSERT(at->blocks != NULL);
    join(&at->blocks, c->blocks, n);
    at->blocks[n == 1 ? 0 : block->linear] = c->now;
}

void ks_emu_race_sync(struct ks_emu_warp *warp, uint64_t address, bool publish, bool cta)
{
    struct ks_emu_block *block = warp->block;
    struct ks_emu_clock *c = &block->clock;
    uint32_t *seen = c->seen[warp->index];
    publish &= c->fenced;
    struct ks_emu_spot *spot = find_spot(block, address, publish);
    for (unsigned w = 0; w < 32 && spot != NULL; w++)
        if (spot->seen[w] > seen[w])
            seen[w] = spot->seen[w];
    c->now += publish;
    if (!cta)
        meet_blocks(warp, address, publish);
    if (!publish || spot == NULL)
        return;
    for (unsigned w = 0; w < 32; w++)
        spot->seen[w] = seen[w] > c->floor ? seen[w] : c->floor;
    spot->seen[warp->index] = c->now;
}

// ---- accesses

// The event of this instruction at this time; the last ones of a warp are at hand.
static uint32_t event_of(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, unsigned flags)
{
    struct ks_emu_events *all = &warp->grid->events;
    uint32_t at = (uint32_t)(inst - warp->grid->module->code.at), now = warp->block->clock.now;
    struct ks_emu_recent *recent = &warp->recent[at % KS_EMU_RECENT];
    if (recent->event != 0 && recent->inst == at && recent->clock == now)
        return recent->event;
    uint32_t n = all->n;
    if (n / KS_EMU_CHUNK == all->n_chunks) {
        if (n >= KS_EMU_MANY_EVENTS && n >= all->collect_at) {
            ks_emu_events_collect(warp->grid);
            return event_of(warp, inst, flags); // there is room now
        }
        all->chunks = realloc(all->chunks, (all->n_chunks + 1) * sizeof *all->chunks);
        KS_ASSERT(all->chunks != NULL && n < MOST_EVENTS);
        all->chunks[all->n_chunks] = malloc(KS_EMU_CHUNK * sizeof **all->chunks);
        KS_ASSERT(all->chunks[all->n_chunks] != NULL);
        all->n_chunks++;
    }
    *ks_emu_event_at(all, n) = (struct ks_emu_event){
        warp->block->linear, at, now, (uint8_t)warp->index, (uint8_t)flags};
    *recent = (struct ks_emu_recent){at, now, ++all->n};
    return all->n;
}

// The event that a side of a cell names.
static inline const struct ks_emu_earlier *look(const struct ks_emu_race_access *x,
                                                struct ks_emu_earlier *last, uint32_t word)
{
    if (last->name == word >> 2)
        return last;
    const struct ks_emu_block *block = x->warp->block;
    const struct ks_emu_clock *c = &block->clock;
    const struct ks_emu_event *e = ks_emu_event_at(&x->warp->grid->events, (word >> 2) - 1);
    last->event = e;
    last->name = word >> 2;
    last->here = x->shared || e->block == block->linear;
    last->same_warp = last->here && e->warp == x->warp->index;
    last->ordered =
        last->here &&
        (c->lost || e->clock < c->floor || e->clock < c->seen[x->warp->index][e->warp]);
    return last;
}

static unsigned bytes_of(uint32_t word, uint8_t lane)
{
    return (word & 3) | (lane >> 5 & 3u) << 2;
}

static uint32_t thread_of(const struct ks_emu_event *e, uint8_t lane)
{
    return e->warp * (uint32_t)KS_EMU_LANES + (lane & 31u);
}

// Whether the fence that makes an access of another block visible was made.
static __attribute__((noinline)) bool flushed(struct ks_emu_grid *grid, const struct ks_emu_event *e, uint32_t thread)
{
    const struct past *past = &sync_of(grid)->past[e->block];
    const uint32_t *fences = past->fences;
    uint32_t barrier = past->fence_barrier, at = past->by_warp ? thread / KS_EMU_LANES : thread;
    for (uint32_t i = 0; fences == NULL && i < grid->n_resident; i++)
        if (grid->blocks[i].live && grid->blocks[i].linear == e->block) {
            at = thread;
            fences = grid->blocks[i].clock.fences;
            barrier = grid->blocks[i].clock.fence_barrier;
        }
    return fences != NULL && (fences[at] > e->clock || barrier > e->clock);
}

static inline bool ordered(const struct ks_emu_race_access *x, const struct ks_emu_earlier *b,
                           uint8_t lane)
{
    const struct ks_emu_clock *c = &x->warp->block->clock;
    const struct ks_emu_event *e = b->event;
    if (b->here)
        return b->ordered;
    const struct ks_emu_sync *sync = x->warp->grid->sync;
    const bool full = sync != NULL && sync->full;
    if (c->blocks == NULL && !full)
        return false;
    return (full || x->warp->grid->n_blocks > DENSE_BLOCKS || c->blocks[e->block] > e->clock) &&
           flushed(x->warp->grid, e, thread_of(e, lane));
}

static inline bool same_thread(const struct ks_emu_race_access *x, const struct ks_emu_earlier *b,
                               uint8_t lane)
{
    return b->same_warp && (lane & 31u) == x->lane;
}

// The earlier one of two accesses that do not agree.
static void add_earlier(struct ks_finding *f, const struct ks_emu_race_access *x,
                        const struct ks_emu_event *e, uint8_t lane)
{
    struct ks_emu_grid *grid = x->warp->grid;
    if (f == NULL || f->count > 1)
        return;
    f->has_other = true;
    ks_emu_site_set(grid, x->shared ? x->warp->block->linear : e->block, thread_of(e, lane),
                    &grid->module->code.at[e->inst], &f->other);
    f->other_file = ks_emu_file(grid->module, f->other.source);
}

// Apart, so that the usual access has few registers to save.
static __attribute__((noinline)) void report(const struct ks_emu_race_access *x, const struct ks_emu_event *e, uint8_t lane,
                   const char *earlier)
{
    struct ks_finding *f = ks_emu_find(x->warp, x->inst, x->lane, KS_F_RACE, x->address, x->bytes,
                                       "%s of %s memory against an unordered earlier %s",
                                       x->write ? "write" : "read",
                                       x->shared ? "shared" : "global", earlier);
    add_earlier(f, x, e, lane);
}

// The earlier access is named while the cell knows it.
static __attribute__((noinline)) void report_held(const struct ks_emu_race_access *x, uint32_t word, uint8_t lane,
                                                  unsigned bytes)
{
    const struct ks_emu_grid *grid = x->warp->grid;
    struct ks_finding *f = ks_emu_find(x->warp, x->inst, x->lane, KS_F_NONCOHERENT, x->address, x->bytes,
                                       x->write ? "write of what the launch read by the non-coherent path (__ldg)"
                                                : "read by the non-coherent path (__ldg) of what the launch wrote");
    const struct ks_emu_event *e = word == 0 ? NULL : ks_emu_event_at(&grid->events, (word >> 2) - 1);
    if (e != NULL && (bytes_of(word, lane) & bytes) != 0 &&
        (!x->write || grid->module->code.at[e->inst].noncoherent))
        add_earlier(f, x, e, lane);
}

// A write, or a read by the non-coherent path.
static inline void note_held(const struct ks_emu_race_access *x, struct ks_emu_cell *cell, unsigned bytes)
{
    const bool clash = ((x->write ? cell->held : cell->held >> 4) & bytes) != 0;
    cell->held |= (uint8_t)(x->write ? bytes << 4 : bytes);
    if (clash)
        report_held(x, x->write ? cell->read : cell->write, x->write ? cell->read_lane : cell->write_lane, bytes);
}

// Lanes of a warp that hand values on in shared memory and count on running in step. Volatile keeps compilers from
// holding them back; which lane comes first it leaves open (CUDA C++ Programming Guide, independent thread scheduling).
static bool in_step(const struct ks_emu_race_access *x, const struct ks_emu_earlier *b)
{
    return x->shared && b->same_warp && x->inst->sem == KS_EMU_VOLATILE &&
           x->warp->grid->module->code.at[b->event->inst].sem == KS_EMU_VOLATILE;
}

// Both atomic, volatile or the like, and each within the other's scope (8.7: morally strong).
static bool both_strong(const struct ks_emu_race_access *x, const struct ks_emu_earlier *b)
{
    if (in_step(x, b))
        return false;
    return x->strong && (b->event->flags & STRONG) != 0 &&
           (b->here || (!x->cta && (b->event->flags & CTA) == 0));
}

// A reader stays as long as others read at the same time. Its bytes are such as it read itself, and with
// MANY such as another one read too. Of readers of different bytes of a word one is remembered, by
// the address the first or the last.
static void note_read(const struct ks_emu_race_access *x, struct ks_emu_cell *cell,
                      const struct ks_emu_earlier *r, unsigned bytes)
{
    unsigned before = r == NULL ? 0 : bytes_of(cell->read, cell->read_lane);
    bool many = (cell->read_lane & MANY) != 0, same = false;
    if (r != NULL) {
        same = same_thread(x, r, cell->read_lane);
        if (same ? r->event->clock != x->warp->block->clock.now : ordered(x, r, cell->read_lane))
            before = 0;
    }
    if (before == 0 || (!same && (before & bytes) == 0 && (x->address >> 2 & 1) != 0)) {
        cell->read = x->event << 2 | (bytes & 3);
        cell->read_lane = (uint8_t)(x->lane | bytes >> 2 << 5);
        return;
    }
    if (same ? many : (before & bytes) == 0)
        return;
    bytes = same ? before | bytes : before & bytes;
    cell->read = (cell->read & ~3u) | (bytes & 3);
    cell->read_lane = (uint8_t)((cell->read_lane & 31u) | bytes >> 2 << 5 | (same ? 0 : MANY));
}

static void note_one(struct ks_emu_race_access *x, struct ks_emu_cell *cell, unsigned bytes)
{
    uint32_t word = x->event << 2 | (bytes & 3);
    uint8_t lane = (uint8_t)(x->lane | bytes >> 2 << 5);
    const struct ks_emu_earlier *r = NULL;
    if (x->write || x->noncoherent)
        note_held(x, cell, bytes);
    if (cell->write != 0) {
        if (cell->write == word && cell->write_lane == lane && cell->read == 0 && x->write)
            return;
        const struct ks_emu_earlier *w = look(x, &x->last_write, cell->write);
        if (!ordered(x, w, cell->write_lane) && !same_thread(x, w, cell->write_lane) &&
            (bytes_of(cell->write, cell->write_lane) & bytes) != 0 && !both_strong(x, w))
            report(x, w->event, cell->write_lane,
                   in_step(x, w)                          ? "volatile write"
                   : (w->event->flags & STRONG) != 0 ? "atomic write"
                                                     : "write");
    }
    if (cell->read != 0)
        r = look(x, &x->last_read, cell->read);
    if (x->write) {
        if (r != NULL && !ordered(x, r, cell->read_lane) &&
            (!same_thread(x, r, cell->read_lane) || (cell->read_lane & MANY) != 0) &&
            (bytes_of(cell->read, cell->read_lane) & bytes) != 0 && !both_strong(x, r))
            report(x, r->event, cell->read_lane, "read");
        cell->write = word;
        cell->write_lane = lane;
        return;
    }
    note_read(x, cell, r, bytes);
}

void ks_emu_race_note(struct ks_emu_race_access *x, struct ks_emu_cell *cells, unsigned offset)
{
    if (x->event == 0)
        x->event = event_of(x->warp, x->inst, (x->strong ? STRONG : 0) | (x->cta ? CTA : 0));
    if (offset == 0 && (x->bytes & 3) == 0) {
        for (unsigned i = 0; i < x->bytes / 4; i++, cells++) {
            uint32_t word = x->event << 2 | 3;
            uint8_t lane = (uint8_t)(x->lane | 3 << 5);
            if (cells->write == 0 && cells->read == 0) { // nothing was here
                *cells = x->write ? (struct ks_emu_cell){.write = word, .write_lane = lane}
                                  : (struct ks_emu_cell){.read = word, .read_lane = lane};
                cells->held = x->write ? 15 << 4 : x->noncoherent ? 15 : 0;
            } else if (cells->write != 0 || x->write || cells->read != word ||
                       (cells->read_lane & MANY) == 0) {
                note_one(x, cells, 15);
            }
        }
        return;
    }
    unsigned end = offset + (unsigned)x->bytes;
    for (unsigned at = 0; at < end; at += 4, cells++) {
        unsigned from = offset > at ? offset - at : 0, to = end - at < 4 ? end - at : 4;
        if (from < to)
            note_one(x, cells, ((1u << to) - 1) & ~((1u << from) - 1));
    }
}
