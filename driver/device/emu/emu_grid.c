// Blocks of a grid: residency, schedules, deadlock and endless loops.

#include <stdlib.h>

#include "base/num.h"
#include "device/emu/emu_count.h"
#include "device/emu/emu_team.h"

#define SLICE 20000          // instructions of a warp at a stretch
#define SHORT_SLICE 500      // where blocks wait for one another
#define COUNT_SLICE 100      // where warps share a cache: an SM runs them side by side
#define SIDE_BY_SIDE 4       // blocks that run together under seeds
#define LONG (UINT64_C(1) << 28) // thread instructions of a group of blocks that may wait for others
#define SM_COUNT 132         // blocks that wait for others need them resident: as many as an H200 holds
#define SM_BLOCKS 32
#define SM_THREADS 2048
#define SM_SHARED 233472

// ---- shared memory of the entry and what it calls

static void add_own_windows(struct ks_emu_grid *grid, const struct ks_emu_function *f)
{
    const struct ks_emu_module *m = grid->module;
    grid->apart &= !f->talks;
    for (size_t i = 0; i < f->shared.len; i++) {
        const struct ks_emu_var *v = &m->vars.at[f->shared.at[i]];
        struct ks_emu_window *w = &grid->windows[v->address >> KS_EMU_SHARED_WINDOW_BITS];
        if (w->var != NULL || v->external)
            continue;
        grid->shared_bytes = (uint32_t)ks_align_up(grid->shared_bytes, 64);
        *w = (struct ks_emu_window){grid->shared_bytes, (uint32_t)v->bytes, v};
        grid->shared_bytes += (uint32_t)v->bytes;
        grid->system = v->zeroed ? w : grid->system;
    }
}

static void add_windows(struct ks_emu_grid *grid)
{
    const struct ks_emu_module *m = grid->module;
    bool *seen = calloc(m->functions.len + 1, sizeof *seen);
    uint32_t *todo = calloc(m->functions.len + 1, sizeof *todo), n = 0;
    KS_ASSERT(seen != NULL && todo != NULL);
    const struct ks_emu_function *f = grid->entry;
    for (uint32_t at = 0;; f = m->functions.at[todo[at++]]) {
        add_own_windows(grid, f);
        for (size_t i = 0; i < f->calls.len; i++)
            if (!seen[f->calls.at[i]]) {
                seen[f->calls.at[i]] = true;
                todo[n++] = f->calls.at[i];
            }
        if (at == n)
            break;
    }
    grid->reached = seen;
    free(todo);
}

// Dynamic shared memory begins behind the rest; all `extern __shared__` arrays are the same bytes.
static void add_dynamic(struct ks_emu_grid *grid)
{
    const struct ks_emu_module *m = grid->module;
    uint32_t at = (uint32_t)ks_align_up(grid->shared_bytes, 64);
    for (size_t i = 0; i < m->vars.len; i++) {
        const struct ks_emu_var *v = &m->vars.at[i];
        if (v->space == KS_EMU_SHARED && v->external)
            grid->windows[v->address >> KS_EMU_SHARED_WINDOW_BITS] =
                (struct ks_emu_window){at, grid->dynamic_shared, v};
    }
    grid->shared_bytes = at + grid->dynamic_shared;
}

uint32_t ks_emu_shared_static(const struct ks_emu_module *module,
                              const struct ks_emu_function *entry)
{
    struct ks_emu_grid grid = {.module = module, .entry = entry,
                               .n_windows = (uint32_t)module->vars.len + 2};
    grid.windows = calloc(grid.n_windows, sizeof *grid.windows);
    KS_ASSERT(grid.windows != NULL);
    add_windows(&grid);
    free(grid.windows);
    free(grid.reached);
    return grid.shared_bytes;
}

// ---- blocks

static void open_block(struct ks_emu_grid *grid, struct ks_emu_block *block, uint64_t linear)
{
    uint32_t bytes = (grid->shared_bytes + 127) & ~63u;
    block->grid = grid;
    block->linear = (uint32_t)linear;
    block->index[0] = (uint32_t)(linear % grid->grid[0]);
    block->index[1] = (uint32_t)(linear / grid->grid[0] % grid->grid[1]);
    block->index[2] = (uint32_t)(linear / grid->grid[0] / grid->grid[1]);
    block->n_warps = (grid->threads + KS_EMU_LANES - 1) / KS_EMU_LANES;
    block->alive = grid->threads;
    block->live = true;
    if (block->warps == NULL) {
        block->warps = calloc(block->n_warps, sizeof *block->warps);
        block->shared = calloc(bytes, 1);
        block->shared_known = calloc(bytes / 8 + 16, 1);
        block->shared_cells = calloc(bytes / 4 + 4, sizeof *block->shared_cells);
        KS_ASSERT(block->warps != NULL && block->shared != NULL && block->shared_known != NULL &&
                  block->shared_cells != NULL);
    } else {
        memset(block->shared_known, 0, bytes / 8 + 16);
    }
    if (grid->system != NULL) {
        memset(block->shared + grid->system->offset, 0, grid->system->bytes);
        ks_emu_known_set(block->shared_known + grid->system->offset / 8, 0, grid->system->bytes, true);
    }
    memset(block->barriers, 0, sizeof block->barriers);
    block->n_mbarriers = block->n_arrivals = block->turns = block->in_vain = 0;
    ks_emu_clock_start(block);
    for (uint32_t w = 0; w < block->n_warps; w++) {
        uint32_t left = grid->threads - w * KS_EMU_LANES;
        ks_emu_warp_start(&block->warps[w], block, w, left < KS_EMU_LANES ? left : KS_EMU_LANES);
    }
}

static void free_block(struct ks_emu_block *block)
{
    for (uint32_t w = 0; block->warps != NULL && w < block->n_warps; w++)
        ks_emu_warp_free(&block->warps[w]);
    ks_emu_clock_end(block);
    free(block->warps);
    free(block->shared);
    free(block->shared_known);
    free(block->shared_cells);
    free(block->mbarriers);
    free(block->spots);
    free(block->arrivals);
}

void ks_emu_close_blocks(struct ks_emu_grid *grid, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (grid->blocks[i].warps != NULL)
            free_block(&grid->blocks[i]);
    ks_emu_race_free(grid);
    free(grid->blocks);
}

static void report_deadlock(struct ks_emu_block *block)
{
    for (uint32_t w = 0; w < block->n_warps; w++) {
        struct ks_emu_warp *warp = &block->warps[w];
        if (warp->n_groups == 0)
            continue;
        const struct ks_emu_group *g = &warp->groups[0];
        const struct ks_emu_inst *inst = &block->grid->module->code.at[g->pc];
        uint32_t lane = (uint32_t)__builtin_ctz(g->mask);
        if (g->state == KS_EMU_AT_BARRIER)
            ks_emu_find(warp, inst, lane, KS_F_DEADLOCK, 0, 0,
                        "%u threads of the block are left, not all of them come to barrier %u",
                        block->alive, g->barrier);
        else
            ks_emu_find(warp, inst, lane, KS_F_DEADLOCK, 0, 0,
                        "lanes that a warp synchronisation names do not come to it");
        break;
    }
    ks_emu_stop(block->grid);
}

// Schedules: 0 in order; else by seed: random, last warp first, or one warp starved.
static uint32_t pick_warp(struct ks_emu_grid *grid, uint32_t turn, uint32_t n)
{
    switch (grid->options.seed == 0 ? 3 : grid->options.seed % 3) {
    case 3:
        return turn;
    case 0:
        return (uint32_t)ks_rng_below(&grid->rng, n);
    case 1:
        return n - 1 - turn;
    default: // the starved one comes last
        return (turn + 1 + (uint32_t)(grid->options.seed / 3)) % n;
    }
}

// A launch that goes on for longer than it may is endless.
static void check_budget(struct ks_emu_grid *grid, struct ks_emu_block *block)
{
    const uint64_t budget = grid->options.budget, most = grid->options.most;
    if (grid->stop || budget == 0 || (most == 0 ? grid->steps < budget : grid->steps - grid->ended < budget && grid->steps < most))
        return;
    for (uint32_t w = 0; w < block->n_warps; w++) {
        struct ks_emu_warp *warp = &block->warps[w];
        if (warp->n_groups == 0)
            continue;
        const struct ks_emu_group *g = &warp->groups[0];
        ks_emu_find(warp, &grid->module->code.at[g->pc], (uint32_t)__builtin_ctz(g->mask),
                    KS_F_ENDLESS, 0, 0, "not at its end after %llu steps",
                    (unsigned long long)grid->steps);
        ks_emu_stop(grid);
        return;
    }
    // At its end: the next block, if there is one, is what goes on for too long.
}

// One turn of a block. Returns whether a warp did anything.
static bool run_block(struct ks_emu_block *block)
{
    struct ks_emu_grid *grid = block->grid;
    bool any = false;
    check_budget(grid, block); // blocks before it may have taken all
    for (uint32_t turn = 0; turn < block->n_warps && !grid->stop; turn++) {
        uint32_t slice = grid->options.seed != 0 ? 1 + (uint32_t)ks_rng_below(&grid->rng, 300)
                         : grid->counter != NULL ? COUNT_SLICE
                         : grid->n_resident > 1  ? SHORT_SLICE
                                                 : SLICE;
        any |= ks_emu_warp_run(&block->warps[pick_warp(grid, turn, block->n_warps)], slice);
        check_budget(grid, block);
    }
    for (uint32_t w = 0; !any && w < block->n_warps && !grid->stop; w++)
        any |= ks_emu_warp_run(&block->warps[w], SLICE); // those that chance left out
    if (block->n_mbarriers > 0)
        ks_emu_mbarrier_turn(block);
    return any;
}

// The block that is the i'th to run: all of them, or a sample from the middles of equal parts.
static uint64_t block_at(const struct ks_emu_grid *grid, uint64_t i, uint64_t n)
{
    return n == grid->n_blocks ? i : (2 * i + 1) * grid->n_blocks / (2 * n);
}

// After its turns: whether the block is at its end.
static bool ended(struct ks_emu_block *block)
{
    if (block->alive > 0)
        return false;
    ks_emu_clock_end(block);
    block->live = false;
    block->grid->ended = block->grid->steps;
    return true;
}

// From block `next` on, of which some may have been begun.
static void run_all(struct ks_emu_grid *grid, uint64_t next)
{
    uint64_t done = next;
    uint64_t n = grid->samples != 0 && grid->samples < grid->n_blocks ? grid->samples : grid->n_blocks;
    uint64_t all = n;
    uint32_t wanted = grid->options.seed == 0 ? 1 : SIDE_BY_SIDE;
    for (uint32_t i = 0; i < grid->max_resident; i++)
        done -= grid->blocks[i].live;
    while (done < n && !grid->stop) {
        bool finished = false;
        if (wanted > grid->max_resident)
            wanted = grid->max_resident;
        for (uint32_t i = 0; i < wanted && !grid->stop; i++) {
            struct ks_emu_block *block = &grid->blocks[i];
            if (!block->live) {
                if (next == n)
                    continue;
                open_block(grid, block, block_at(grid, next++, all));
                if (grid->counter != NULL)
                    ks_emu_counter_block(grid->counter);
                if (i >= grid->n_resident)
                    grid->n_resident = i + 1;
            }
            // Alone, it runs to its end; beside others each gets its turns.
            for (int turn = 0; turn < (wanted == 1 ? 16 : 1) && block->alive > 0 && !grid->stop;
                 turn++)
                if (!run_block(block) && block->alive > 0 && !grid->stop)
                    report_deadlock(block);
            if (ended(block)) {
                finished = true;
                done++;
                if (grid->sample_insts != 0 && grid->executed >= grid->sample_insts)
                    n = next;
            }
        }
        // Blocks that do not end may wait for others, which a GPU would run beside them.
        if (!finished && next < n)
            wanted *= 2;
    }
}

bool ks_emu_run_group(struct ks_emu_grid *grid, uint64_t number)
{
    uint64_t first = number * grid->group, left = grid->n_blocks - first, before = grid->executed;
    uint32_t n = left < grid->group ? (uint32_t)left : grid->group;
    // The schedule is the group's own, whoever runs it and when.
    ks_rng_seed(&grid->rng, grid->options.seed + (number + 1) * UINT64_C(0x9e3779b97f4a7c15));
    grid->n_resident = n;
    for (uint32_t i = 0; i < n; i++) {
        open_block(grid, &grid->blocks[i], first + i);
        if (grid->counter != NULL)
            ks_emu_counter_block(grid->counter);
    }
    for (uint32_t alive = n; alive > 0 && !grid->stop;) {
        alive = 0;
        for (uint32_t i = 0; i < n && !grid->stop; i++) {
            struct ks_emu_block *block = &grid->blocks[i];
            if (!block->live)
                continue;
            if (!run_block(block) && block->alive > 0 && !grid->stop)
                report_deadlock(block);
            alive += !ended(block);
        }
        if (alive > 0 && grid->executed - before > LONG)
            return false;
    }
    return true;
}

static void run_apart(struct ks_emu_grid *grid)
{
    for (uint64_t g = 0; g * grid->group < grid->n_blocks && !grid->stop; g++)
        if (!ks_emu_run_group(grid, g)) {
            uint64_t next = (g + 1) * grid->group;
            run_all(grid, next < grid->n_blocks ? next : grid->n_blocks);
            break;
        }
}

static uint32_t resident(const struct ks_emu_grid *grid)
{
    uint32_t threads = (uint32_t)ks_align_up(grid->threads, KS_EMU_LANES), a_sm = SM_BLOCKS;
    if (SM_THREADS / threads < a_sm)
        a_sm = SM_THREADS / threads;
    if (SM_SHARED / (grid->shared_bytes + 1024) < a_sm)
        a_sm = SM_SHARED / (grid->shared_bytes + 1024);
    uint64_t most = (uint64_t)(a_sm > 0 ? a_sm : 1) * SM_COUNT;
    return (uint32_t)(grid->n_blocks < most ? grid->n_blocks : most);
}

enum ks_status ks_emu_run_grid(struct ks_emu_grid *grid, struct ks_err *err)
{
    grid->n_blocks = (uint64_t)grid->grid[0] * grid->grid[1] * grid->grid[2];
    grid->threads = grid->block[0] * grid->block[1] * grid->block[2];
    if (grid->n_blocks > UINT32_MAX)
        KS_FAIL(err, KS_E_LIMIT, "%llu blocks are too many to emulate",
                (unsigned long long)grid->n_blocks);
    grid->n_windows = (uint32_t)grid->module->vars.len + 2;
    grid->windows = calloc(grid->n_windows, sizeof *grid->windows);
    KS_ASSERT(grid->windows != NULL);
    grid->apart = grid->samples == 0;
    add_windows(grid);
    add_dynamic(grid);
    grid->max_resident = grid->options.serial ? 1 : resident(grid);
    grid->blocks = calloc(grid->max_resident, sizeof *grid->blocks);
    KS_ASSERT(grid->blocks != NULL);
    ks_rng_seed(&grid->rng, grid->options.seed);
    grid->group = grid->options.seed == 0 ? 1 : SIDE_BY_SIDE;
    if (grid->group > grid->max_resident)
        grid->group = grid->max_resident;
    if (!grid->apart)
        run_all(grid, 0);
    else if (!grid->options.races || !ks_emu_team_run(grid))
        run_apart(grid);
    ks_emu_close_blocks(grid, grid->max_resident);
    free(grid->windows);
    free(grid->reached);
    return KS_OK;
}
