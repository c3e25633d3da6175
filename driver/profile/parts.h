// The parts of a profile, for profile.c alone.
#ifndef KS_PROFILE_PARTS_H
#define KS_PROFILE_PARTS_H

#include "device/counts.h"
#include "fmt/json.h"
#include "profile/profile.h"
#include "verify/client.h"
#include "verify/vector.h"

// resources.c: what ptxas said of the kernel (text of a compile with --resource-usage; else
// unknown).
void ks_resources_read(struct ks_slice said, const char *registered, int arch,
                       struct ks_resources *resources);
// Occupancy, once registers and shared memory are known and the limits are (gpu->threads_sm > 0).
void ks_resources_place(const struct ks_gpu *gpu, const struct ks_problem *problem,
                        struct ks_resources *resources);
void ks_resources_print(struct ks_buf *out, const struct ks_resources *resources);
json_t *ks_resources_json(const struct ks_resources *resources);

// counted.c: a profile from counts of the emulated device, as the described GPU would have it.
void ks_profile_counted(struct ks_arena *arena, const struct ks_gpu *gpu,
                        const struct ks_counts *counts, const json_t *lines, double traffic,
                        struct ks_profile *profile);

// floor.c: the largest arrays of a layout, whole: what a launch that reads one and writes one moves. written is 0 where
// none is written.
struct ks_moved {
    int64_t read, written; // bytes
    size_t from, to;       // which buffers of the worker
};
void ks_profile_arrays(const struct ks_layout *layout, struct ks_moved *moved);
// Times the plan of a problem, which the worker holds, against the least launch, which moves *moved. Leaves the floor
// unknown where the original takes 50 us and more, or where it cannot be taken.
void ks_profile_least(struct ks_worker *worker, const struct ks_device_info *device,
                      const struct ks_vector *vector, const struct ks_moved *moved, json_t *plan,
                      struct ks_profile_floor *floor);
// Whether counters show that the kernel moved as much: it may use a part of its arrays.
bool ks_profile_moved(const struct ks_fact_list *facts, const json_t *metrics, const struct ks_moved *moved);

// profile_page.c
json_t *ks_profile_json(const struct ks_profile *profile, const json_t *metrics);

#endif
