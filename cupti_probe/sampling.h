// PC sampling: where in the source the warps of a kernel stand, and what they wait for.
#ifndef KS_SAMPLING_H
#define KS_SAMPLING_H

#include "base/arena.h"
#include "base/str.h"
#include "cupti_api.h"
#include "fmt/json.h"

// Runs `launch`, which has run before, under the sampler. *lines gets [{"file","line","samples",
// "stalls":{"long_scoreboard":n}}], the hottest first; "file" is null and "line" 0 where the cubin,
// which holds the kernels of `launch`, has no lines. `samples` counts all, `dropped` those that the
// hardware lost. The kernel runs slower under it.
enum ks_status ks_sample_lines(struct ks_arena *arena, struct ks_slice cubin,
                               enum ks_status (*launch)(void *context, struct ks_err *err),
                               void *context, json_t **lines, uint64_t *samples, uint64_t *dropped,
                               struct ks_err *err);

#endif
