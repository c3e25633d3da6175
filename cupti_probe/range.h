// The range profiler in process: automatic ranges, replayed by us, all metrics in one configuration.
#ifndef KS_RANGE_H
#define KS_RANGE_H

#include "base/arena.h"
#include "cupti_api.h"
#include "fmt/json.h"

// Names of `ks_metrics` that this chip knows (one bad name fails a whole configuration, so what a chip
// refuses is left out), and how many passes they take together. Needs no GPU.
enum ks_status ks_range_catalogue(struct ks_arena *arena, const char *chip, const char ***names,
                                  size_t *n, size_t *passes, struct ks_err *err);

struct ks_range_values {
    json_t *values;     // {"metric": value} of the heaviest kernel; NULL after a failure
    const char *chip;   // "GH100"; "" where it is not known
    size_t passes;
    double seconds;     // in all, of which
    double seconds_begin;   // what the first call of a process does alone
    double seconds_enable, seconds_collect; // set-up; the kernel's replays
};
// What is replayed: before(context), which is not measured and restores memory, then launch(context), once a
// pass. Both leave the stream synchronised. Were it CUPTI that replays, what it restores would still be in L2, and its
// way to memory be counted as the kernel's: 25 MB written by one that writes 64 KiB (H200, 2026-11-22).
struct ks_range_work {
    enum ks_status (*before)(void *context, struct ks_err *err);
    enum ks_status (*launch)(void *context, struct ks_err *err);
    void *context;
};
// Runs `work`, whose launch has run before, under the profiler, with the current context's kernels of that call
// as ranges. What does not change is kept for the next call, and the profiler stays enabled: times of the kernel
// are to be taken before the first.
enum ks_status ks_range_profile(struct ks_arena *arena, const struct ks_range_work *work,
                                struct ks_range_values *out, struct ks_err *err);

// Gives back what is kept: before CUPTI's other ways of profiling, or when something has failed.
void ks_range_end(void);

// The context of the thread, which profiling concerns, and its device's number.
enum ks_status ks_cuda_context(CUcontext *context, int *device, struct ks_err *err);

// Kernel durations by the activity API (no counter rights needed): microseconds of the longest
// kernel in `launch`.
enum ks_status ks_activity_time(enum ks_status (*launch)(void *context, struct ks_err *err),
                                void *context, double *microseconds, struct ks_err *err);

#endif
