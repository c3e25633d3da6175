// The `emu` device (device.h): runs PTX text on the host with every access checked. What it finds is
// an error of run(): KS_E_DEVICE for a fault of the kernel, KS_E_UNSUPPORTED where the emulator
// cannot tell. It measures no time: run() gives the host's, for timeouts only, time() and
// ceilings() answer KS_E_UNSUPPORTED.
//
// `module` takes PTX where cuda takes a cubin: of the same compile, for the same architecture.
// poison() makes bytes undefined: a kernel that reads them before anything is written there is at fault.
#ifndef KS_EMU_DEVICE_H
#define KS_EMU_DEVICE_H

#include "device/device.h"
#include "device/emu/emu_finding.h"

struct ks_emu_settings {
    uint64_t seed;        // of the schedule, 0: in order
    uint64_t budget;      // thread instructions a launch, 0: without end
    bool races;           // detect them
    bool strict_races;    // also where equal values are stored
};
struct ks_emu_settings *ks_emu_device_settings(const struct ks_device *device);
// What findings call a buffer, instead of "buffer N"; copies.
void ks_emu_device_name(const struct ks_device *device, size_t buffer, const char *name);
// Of the last run; valid until the next, or until the device is closed.
const struct ks_emu_findings *ks_emu_device_findings(const struct ks_device *device);
// Thread instructions of the last run.
uint64_t ks_emu_device_executed(const struct ks_device *device);

#endif
