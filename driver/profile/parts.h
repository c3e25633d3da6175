// The parts of a profile, for profile.c alone.
#ifndef KS_PROFILE_PARTS_H
#define KS_PROFILE_PARTS_H

#include "device/counts.h"
#include "fmt/json.h"
#include "profile/profile.h"

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

// profile_page.c
json_t *ks_profile_json(const struct ks_profile *profile, const json_t *metrics);

#endif
