#include "device/emu/emu_team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "device/emu/emu_count.h"

#define PAGE KS_EMU_PAGE
#define TOUCHED KS_EMU_TOUCHED
#define WRITTEN KS_EMU_WRITTEN
#define CELLS_OF_PAGE (PAGE / 4)
#define LEAST_THREADS 32768 // of the grid; below, starting the team takes longer than the run
#define SPARE (UINT64_C(48) << 20) // of the 64 MiB beside four times the workload

enum { CLEAN, BUSY, SAVED };
struct ks_emu_undo {        // contents of a region's written pages before the run
    _Atomic unsigned char *state;
    unsigned char *saved;
    size_t n_pages;
};

struct ks_emu_team {
    _Atomic uint64_t bytes; // of histories and saved pages
    _Atomic bool abandoned;
    uint64_t limit;
    uint32_t slots[KS_EMU_SLOTS], n_slots;
};

struct worker {
    struct ks_emu_grid grid;
    struct ks_emu_memory memory;
    struct ks_emu_findings findings;
    uint64_t from, to;      // groups: neighbours in one hand, as they share pages
    pthread_t thread;
    bool started;
};

void ks_emu_team_abandon(struct ks_emu_grid *grid)
{
    atomic_store_explicit(&grid->team->abandoned, true, memory_order_relaxed);
    grid->stop = true;
}

bool ks_emu_team_abandoned(const struct ks_emu_grid *grid)
{
    return atomic_load_explicit(&grid->team->abandoned, memory_order_relaxed);
}

// ---- accesses

static unsigned char *start_of(const struct ks_emu_region *r)
{
    return r->data - r->lead;
}

static bool save(const struct ks_emu_region *r, size_t page)
{
    _Atomic unsigned char *state = &r->undo->state[page];
    unsigned char clean = CLEAN;
    if (atomic_compare_exchange_strong(state, &clean, BUSY)) {
        memcpy(r->undo->saved + page * PAGE, start_of(r) + page * PAGE, PAGE);
        atomic_store(state, SAVED);
        return true;
    }
    while (atomic_load(state) != SAVED)
        sched_yield();
    return false;
}

bool ks_emu_team_first(struct ks_emu_grid *grid, const struct ks_emu_region *r,
                       const struct ks_emu_inst *inst, size_t page, bool write)
{
    struct ks_emu_team *team = grid->team;
    uint64_t bytes = 0;
    if (inst->sem != KS_EMU_WEAK) {
        ks_emu_team_abandon(grid);
        return false;
    }
    if ((r->pages[page] & TOUCHED) == 0)
        bytes += CELLS_OF_PAGE * sizeof(struct ks_emu_cell);
    if (write && save(r, page))
        bytes += PAGE;
    r->pages[page] = (unsigned char)(r->pages[page] | TOUCHED | (write ? WRITTEN : 0));
    if (atomic_fetch_add(&team->bytes, bytes) + bytes <= team->limit)
        return true;
    ks_emu_team_abandon(grid);
    return false;
}

// ---- threads

// What is frozen is not written, so that everybody may look at one copy of what is known.
static bool own_region(const struct ks_emu_team *team, struct ks_emu_region *r)
{
    const unsigned char *known = r->known;
    (void)team;
    r->pages = calloc(r->undo->n_pages, 1);
    r->cells = ks_emu_pages(r->cells_mapped);
    if (!r->frozen) {
        r->known = ks_emu_pages(r->known_mapped);
        if (r->known != NULL)
            memcpy(r->known, known, r->known_mapped);
    }
    return r->pages != NULL && r->cells != NULL && r->known != NULL;
}

static bool hire(struct ks_emu_grid *grid, struct worker *w)
{
    const struct ks_emu_team *team = grid->team;
    bool ok = true;
    w->memory = *grid->memory;
    w->grid = *grid;
    w->grid.memory = &w->memory;
    w->grid.findings = &w->findings;
    w->grid.blocks = calloc(grid->group, sizeof *grid->blocks);
    if (grid->counter != NULL)
        w->grid.counter = ks_emu_counter_again(grid->counter, grid->module);
    KS_ASSERT(w->grid.blocks != NULL);
    for (uint32_t i = 0; i < team->n_slots; i++)
        ok &= own_region(team, &w->memory.regions[team->slots[i]]);
    return ok;
}

static void dismiss(struct ks_emu_grid *grid, struct worker *w)
{
    const struct ks_emu_team *team = grid->team;
    for (uint32_t i = 0; i < team->n_slots; i++) {
        struct ks_emu_region *r = &w->memory.regions[team->slots[i]];
        free(r->pages);
        ks_emu_pages_free(r->cells, r->cells_mapped);
        if (!r->frozen)
            ks_emu_pages_free(r->known, r->known_mapped);
    }
    if (grid->counter != NULL)
        ks_emu_counter_free(w->grid.counter);
    ks_emu_close_blocks(&w->grid, w->grid.group);
}

static void *work(void *context)
{
    struct worker *w = context;
    for (uint64_t at = w->from; at < w->to && !w->grid.stop; at++)
        if (ks_emu_team_abandoned(&w->grid) || !ks_emu_run_group(&w->grid, at))
            ks_emu_team_abandon(&w->grid);
    return NULL;
}

// ---- afterwards

// Whether threads met in this page: one wrote four bytes that another touched.
static bool met(const struct ks_emu_team *team, const struct worker *workers, uint32_t n,
                uint32_t slot, size_t page)
{
    (void)team;
    for (size_t c = page * CELLS_OF_PAGE; c < (page + 1) * CELLS_OF_PAGE; c++) {
        unsigned touched = 0, written = 0;
        for (uint32_t w = 0; w < n; w++) {
            const struct ks_emu_region *r = &workers[w].memory.regions[slot];
            if ((r->pages[page] & TOUCHED) == 0)
                continue;
            touched += r->cells[c].write != 0 || r->cells[c].read != 0;
            written += r->cells[c].write != 0;
        }
        if (touched > 1 && written > 0)
            return true;
    }
    return false;
}

static bool conflict(const struct ks_emu_team *team, const struct worker *workers, uint32_t n)
{
    for (uint32_t i = 0; i < team->n_slots; i++) {
        uint32_t slot = team->slots[i];
        for (size_t page = 0; page < workers[0].memory.regions[slot].undo->n_pages; page++) {
            unsigned touched = 0, written = 0;
            for (uint32_t w = 0; w < n; w++) {
                unsigned char is = workers[w].memory.regions[slot].pages[page];
                touched += is != 0;
                written += (is & WRITTEN) != 0;
            }
            if (touched > 1 && written > 0 && met(team, workers, n, slot, page))
                return true;
        }
    }
    return false;
}

static void put_back(struct ks_emu_grid *grid)
{
    const struct ks_emu_team *team = grid->team;
    for (uint32_t i = 0; i < team->n_slots; i++) {
        struct ks_emu_region *r = &grid->memory->regions[team->slots[i]];
        for (size_t page = 0; page < r->undo->n_pages; page++)
            if (atomic_load(&r->undo->state[page]) == SAVED)
                memcpy(start_of(r) + page * PAGE, r->undo->saved + page * PAGE, PAGE);
    }
}

static void keep(struct ks_emu_grid *grid, const struct worker *w)
{
    const struct ks_emu_team *team = grid->team;
    for (uint32_t i = 0; i < team->n_slots; i++) {
        const struct ks_emu_region *from = &w->memory.regions[team->slots[i]];
        unsigned char *known = grid->memory->regions[team->slots[i]].known;
        for (size_t page = 0; page < from->undo->n_pages; page++)
            for (size_t b = page * PAGE / 8; (from->pages[page] & WRITTEN) != 0 &&
                                             b < (page + 1) * PAGE / 8; b++)
                known[b] |= from->known[b];
    }
    grid->executed += w->grid.executed;
    grid->steps += w->grid.steps;
    grid->accesses += w->grid.accesses;
    if (grid->counter != NULL)
        ks_emu_counter_add(grid->counter, w->grid.counter, grid->module);
}

static bool prepare(struct ks_emu_grid *grid, struct ks_emu_team *team, uint32_t cores)
{
    uint64_t workload = 0;
    bool ok = true;
    for (uint32_t slot = 0; slot < KS_EMU_SLOTS; slot++) {
        struct ks_emu_region *r = &grid->memory->regions[slot];
        if (r->data == NULL || r->cells == NULL || r->constant)
            continue;
        struct ks_emu_undo *undo = calloc(1, sizeof *undo);
        KS_ASSERT(undo != NULL);
        undo->n_pages = r->mapped / PAGE;
        undo->state = calloc(undo->n_pages, 1);
        undo->saved = ks_emu_pages(r->mapped);
        ok &= undo->state != NULL && undo->saved != NULL;
        r->undo = undo;
        team->slots[team->n_slots++] = slot;
        workload += r->bytes;
    }
    // Data, what is known, here and by every thread; the rest is for histories and saved pages.
    uint64_t fixed = workload + workload / 8 + cores * workload / 8;
    team->limit = 4 * workload + SPARE > fixed ? 4 * workload + SPARE - fixed : 0;
    return ok;
}

static void clear(struct ks_emu_grid *grid, const struct ks_emu_team *team)
{
    for (uint32_t i = 0; i < team->n_slots; i++) {
        struct ks_emu_region *r = &grid->memory->regions[team->slots[i]];
        ks_emu_pages_free(r->undo->saved, r->mapped);
        free(r->undo->state);
        free(r->undo);
        r->undo = NULL;
    }
}

bool ks_emu_team_run(struct ks_emu_grid *grid)
{
    struct ks_emu_team *team = calloc(1, sizeof *team);
    struct worker *workers;
    uint64_t steps = 0;
    KS_ASSERT(team != NULL);
    uint64_t groups = (grid->n_blocks + grid->group - 1) / grid->group;
    uint32_t cores = grid->options.cores, n = 0;
    if (cores > KS_EMU_CORES)
        cores = KS_EMU_CORES;
    if (cores > groups)
        cores = (uint32_t)groups;
    if (cores < 2 || grid->n_blocks * grid->threads < LEAST_THREADS) {
        free(team);
        return false;
    }
    grid->team = team;
    workers = calloc(cores, sizeof *workers);
    KS_ASSERT(workers != NULL);
    bool ok = prepare(grid, team, cores);
    for (; ok && n < cores; n++) {
        ok = hire(grid, &workers[n]);
        workers[n].from = groups * n / cores;
        workers[n].to = groups * (n + 1) / cores;
    }
    for (uint32_t w = 1; ok && w < n; w++)
        workers[w].started = pthread_create(&workers[w].thread, NULL, work, &workers[w]) == 0;
    for (uint32_t w = 0; ok && w < n; w++) // those for which there is no thread, too
        if (!workers[w].started)
            work(&workers[w]);
    for (uint32_t w = 1; w < n; w++)
        if (workers[w].started)
            pthread_join(workers[w].thread, NULL);
    for (uint32_t w = 0; w < n; w++)
        steps += workers[w].grid.steps;
    const uint64_t most = grid->options.most != 0 ? grid->options.most : grid->options.budget;
    bool endless = grid->options.budget != 0 && steps >= most;
    ok = ok && !ks_emu_team_abandoned(grid) && !endless && !conflict(team, workers, n);
    if (!ok)
        put_back(grid);
    for (uint32_t w = 0; w < n; w++) {
        if (ok)
            keep(grid, &workers[w]);
        dismiss(grid, &workers[w]);
    }
    clear(grid, team);
    free(workers);
    free(team);
    grid->team = NULL;
    grid->shared_out = ok;
    grid->gave_up = !ok;
    return ok;
}
