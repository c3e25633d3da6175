#include "memory/direction.h"

#include <string.h>

static const struct ks_direction directions[] = {
    {"memory-access", "how global memory is addressed: contiguity, width, alignment"},
    {"cache", "what stays in L1, L2 and the constant and texture caches"},
    {"data-reuse", "a value is loaded once and used often: tiles, registers"},
    {"data-layout", "where data lie: transposes, structures of arrays, packing"},
    {"shared-memory", "use of shared memory: banks, size, copies into it"},
    {"latency-hiding", "loads ahead of their use: prefetch, asynchronous copies, pipelines"},
    {"instruction-level-parallelism", "independent instructions in one thread"},
    {"parallelism", "work a thread, block and grid: shape, balance, enough of it"},
    {"occupancy", "how many warps are resident"},
    {"registers", "live values and local memory"},
    {"arithmetic", "fewer or cheaper instructions"},
    {"precision", "types and units: tensor cores, halves, packed arithmetic"},
    {"control-flow", "branches and divergence"},
    {"parallel-reduction", "sums, scans and their like over threads"},
    {"atomics", "updates of shared places"},
    {"synchronization", "barriers and what waits at them"},
    {"launch", "number and cost of launches"},
    {"measurement", "learning more before changing anything"},
    {NULL, NULL},
};

const struct ks_direction *ks_directions(void)
{
    return directions;
}

const struct ks_direction *ks_direction_find(const char *name)
{
    for (const struct ks_direction *d = directions; d->name; d++)
        if (strcmp(d->name, name) == 0)
            return d;
    return NULL;
}
