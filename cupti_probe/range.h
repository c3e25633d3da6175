// The range profiler in process: automatic ranges, kernel replay, all metrics in one configuration.
#ifndef KS_RANGE_H
#define KS_RANGE_H

#include "base/arena.h"
#include "cupti_api.h"
#include "fmt/json.h"

// Names of `ks_metrics` that this chip knows (each tried alone on a throw-away host object: one bad
// name fails a whole configuration), and how many passes they take together. Needs no GPU.
enum ks_status ks_range_catalogue(struct ks_arena *arena, const char *chip, const char ***names,
                                  size_t *n, size_t *passes, struct ks_err *err);

// Runs `launch` once under the profiler, with the current context's kernels of that call as ranges;
// *values gets {"metric": value} of the first range with the longest duration. `launch` must leave
// the stream synchronised. The driver replays each kernel with its memory restored.
enum ks_status ks_range_profile(struct ks_arena *arena, int device,
                                enum ks_status (*launch)(void *context, struct ks_err *err),
                                void *context, json_t **values, const char **chip,
                                struct ks_err *err);

// Kernel durations by the activity API (no counter rights needed): microseconds of the longest
// kernel in `launch`.
enum ks_status ks_activity_time(enum ks_status (*launch)(void *context, struct ks_err *err),
                                void *context, double *microseconds, struct ks_err *err);

#endif
