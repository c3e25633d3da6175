// Blocks on several cores: groups of blocks are handed to threads, each of which has a history of
// accesses and knowledge of written bytes of its own, and writes results where they belong.
//
// The run counts only if it is the run of one core to the bit. So it is thrown away, written pages are
// put back, and one core begins anew, as soon as a block of one thread touches four bytes that another
// thread's blocks wrote, anything is found, a block talks to others (atomics, volatile and the like in
// global memory), or more memory is needed than one core may take.
#ifndef KS_EMU_TEAM_H
#define KS_EMU_TEAM_H

#include "device/emu/emu_exec.h"

#define KS_EMU_CORES 16

// Whether the grid was run; else nothing happened to memory. The grid is ready to run.
bool ks_emu_team_run(struct ks_emu_grid *grid);
#define KS_EMU_PAGE 4096u
#define KS_EMU_TOUCHED 1 // of a thread's page
#define KS_EMU_WRITTEN 2
bool ks_emu_team_first(struct ks_emu_grid *grid, const struct ks_emu_region *region,
                       const struct ks_emu_inst *inst, size_t page, bool write);
// Before an access at `bit` (lead and offset) of a region. False: the run is given up.
static inline bool ks_emu_team_touch(struct ks_emu_grid *grid, const struct ks_emu_region *region,
                                     const struct ks_emu_inst *inst, uint64_t bit, bool write)
{
    if (region->pages == NULL) // constants
        return true;
    unsigned wanted = write ? KS_EMU_TOUCHED | KS_EMU_WRITTEN : KS_EMU_TOUCHED;
    return ((region->pages[bit / KS_EMU_PAGE] & wanted) == wanted && inst->sem == KS_EMU_WEAK) ||
           ks_emu_team_first(grid, region, inst, bit / KS_EMU_PAGE, write);
}
void ks_emu_team_abandon(struct ks_emu_grid *grid);
bool ks_emu_team_abandoned(const struct ks_emu_grid *grid);

#endif
