// What the cells of memory remember goes on being true when events that no cell names any more are dropped:
// loops with barriers or fences make events without end, memory has only so many cells.

#include <stdlib.h>

#include "device/emu/emu_exec.h"

typedef void visit_fn(struct ks_emu_cell *cells, size_t n, uint32_t *names);

static void mark(struct ks_emu_cell *cells, size_t n, uint32_t *names)
{
    for (size_t i = 0; i < n; i++) {
        names[cells[i].write >> 2] = 1;
        names[cells[i].read >> 2] = 1;
    }
}

static void rename_all(struct ks_emu_cell *cells, size_t n, uint32_t *names)
{
    for (size_t i = 0; i < n; i++) {
        if (cells[i].write != 0)
            cells[i].write = names[cells[i].write >> 2] << 2 | (cells[i].write & 3);
        if (cells[i].read != 0)
            cells[i].read = names[cells[i].read >> 2] << 2 | (cells[i].read & 3);
    }
}

static uint32_t slots_of(const struct ks_emu_grid *grid)
{
    return grid->team != NULL ? grid->group : grid->max_resident;
}

static void each(struct ks_emu_grid *grid, visit_fn *visit, uint32_t *names)
{
    uint32_t blocks = slots_of(grid);
    for (uint32_t slot = 0; slot < KS_EMU_SLOTS; slot++) {
        const struct ks_emu_region *r = &grid->memory->regions[slot];
        if (r->data != NULL && r->cells != NULL)
            visit(r->cells, r->mapped / 4, names);
    }
    for (uint32_t i = 0; i < blocks; i++)
        if (grid->blocks[i].shared_cells != NULL)
            visit(grid->blocks[i].shared_cells, ((grid->shared_bytes + 127) & ~63u) / 4 + 4, names);
}

void ks_emu_events_collect(struct ks_emu_grid *grid)
{
    struct ks_emu_events *all = &grid->events;
    uint32_t *names = calloc((size_t)all->n + 1, sizeof *names), kept = 0;
    KS_ASSERT(names != NULL);
    each(grid, mark, names);
    for (uint32_t old = 1; old <= all->n; old++) {
        if (names[old] == 0)
            continue;
        *ks_emu_event_at(all, kept) = *ks_emu_event_at(all, old - 1);
        names[old] = ++kept;
    }
    each(grid, rename_all, names);
    free(names);
    all->n = kept;
    while (all->n_chunks > kept / KS_EMU_CHUNK + 1)
        free(all->chunks[--all->n_chunks]);
    all->collect_at = 2 * kept + KS_EMU_MANY_EVENTS;
    for (uint32_t i = 0; i < slots_of(grid); i++)
        for (uint32_t w = 0; grid->blocks[i].warps != NULL && w < grid->blocks[i].n_warps; w++)
            memset(grid->blocks[i].warps[w].recent, 0, sizeof grid->blocks[i].warps[w].recent);
}
