// The `emu` device (device.h): runs PTX text on the host with every access checked. What it finds is
// an error of run(): KS_E_DEVICE for a fault of the kernel, KS_E_UNSUPPORTED where the emulator
// cannot tell. It measures no time: run() gives the host's, for timeouts only, time() and
// ceilings() answer KS_E_UNSUPPORTED.
//
// `module` takes PTX where cuda takes a cubin: of the same compile, for the same architecture.
// poison() makes bytes undefined: a kernel that reads them before anything is written there is at fault.
#ifndef KS_EMU_DEVICE_H
#define KS_EMU_DEVICE_H

#include <stdio.h>

#include "device/device.h"
#include "device/emu/emu_finding.h"

struct ks_emu_settings {
    uint64_t seed;        // of the schedule, 0: in order
    bool vary;            // each run takes the next seed: in order, last first, one starved, random, ...
    bool fixed;           // asked for by the device's name: a failure names the seed, as it does when it varies
    uint64_t budget;      // steps a launch (docs/emulator.md), 0: without end
    uint64_t most;        // 0, or as many in all: the budget is then what it may take until a block ends
    bool serial;          // blocks run one at a time, each to its end: all that a GPU promises
    bool races;           // detect them
    bool strict_races;    // also where equal values are stored
    bool count;           // what a run costs, and where
    FILE *print;          // where kernels print, borrowed; NULL: one that does is not supported
    uint32_t cores;       // at most; more than one only where that changes nothing but the time
};

// What one line of the user's text cost in the last run that was counted.
struct ks_emu_line {
    const char *file;     // NULL: line is one of the PTX
    uint32_t line;
    uint64_t insts;       // warp instructions
    uint64_t lanes;       // thread instructions
    uint64_t requests, sectors, bytes; // global memory: of warps; of 32 bytes; asked for
    uint64_t shared, conflicts;        // shared memory: wavefronts, and those that conflicts add
    uint64_t collisions;  // of atomics
};
struct ks_emu_settings *ks_emu_device_settings(const struct ks_device *device);
// What findings call a buffer, instead of "buffer N"; copies.
void ks_emu_device_name(const struct ks_device *device, size_t buffer, const char *name);
// Of the last run; valid until the next, or until the device is closed.
const struct ks_emu_findings *ks_emu_device_findings(const struct ks_device *device);
// With settings.count: costs of the last run's last launch, and of its lines, dearest first.
const struct ks_counts *ks_emu_device_counts(const struct ks_device *device);
size_t ks_emu_device_lines(const struct ks_device *device, const struct ks_emu_line **lines);
json_t *ks_emu_device_lines_json(const struct ks_device *device); // docs/json.md, ks.run
// Instructions of the last run: of threads, and of warps, which is what a run takes on the host.
uint64_t ks_emu_device_executed(const struct ks_device *device);
uint64_t ks_emu_device_steps(const struct ks_device *device);
// Launches of the last run whose blocks several cores ran.
uint32_t ks_emu_device_shared_out(const struct ks_device *device);
// Loads, stores and atomics of its threads, element by element.
uint64_t ks_emu_device_accesses(const struct ks_device *device);

#endif
