// Profiles of the original kernel: counters read by ks-probe (a separate program, the only one that
// touches CUPTI), turned into facts, a bottleneck class and the distance from measured ceilings.
#ifndef KS_PROFILE_H
#define KS_PROFILE_H

#include "device/device.h"
#include "key/tu.h"
#include "memory/skill.h"
#include "workload/problem.h"

struct ks_profile {
    const char *method;     // "range profiler", "activity", or "timing" when counters are refused
    const char *refused;    // why counters were not read, with what to change; "" if they were
    const char *chip;
    double time_us;
    struct ks_fact_list facts;   // short names: dram_pct, sectors_per_request_st, registers, ...
    const char *bottleneck; // "dram-bandwidth", "uncoalesced", "latency", "compute", "shared-conflicts",
                            // "issue", "atomics", "local-memory", "launch", "unknown"
    const char *evidence;   // the numbers that say so, one line
    double copy_gbs, fma_gflops;  // ceilings measured on this card
    double achieved_gbs, achieved_gflops; // over compulsory traffic; 0 unknown
    double roofline_pct;    // time at the nearer ceiling over time measured, percent; 0 unknown
    json_t *json;           // everything raw, for --json; owned by the caller (json_decref)
};

// Profiles one problem of the kernel from the plain compile's cubin. Takes the GPU's lock.
// KS_E_DEVICE or KS_E_CHILD when not even timing worked.
enum ks_status ks_profile_run(struct ks_arena *arena, const struct ks_config *config,
                              const struct ks_tu_kernel *kernel, const char *cubin,
                              const struct ks_problem *problem, struct ks_profile *profile,
                              struct ks_err *err);

// The page a person can act on: time, ceilings, class with the counters that say so.
void ks_profile_print(struct ks_buf *out, const struct ks_profile *profile);

// Bottleneck class and its evidence from facts alone (no device): what ks_profile_run uses last.
void ks_profile_classify(struct ks_arena *arena, struct ks_profile *profile);

#endif
