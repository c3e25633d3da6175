// One budget for several kernels, divided by their share of GPU time in a recording: a kernel with share s of the time
// can save s at most, whatever is found.
#include <stdlib.h>
#include <string.h>

#include "app/verb_tune.h"
#include "os/clock.h"
#include "profile/recording.h"

#define LEAST_SECONDS 5.0 // less is gone before a candidate is judged

struct portion {
    const struct ks_tu_kernel *kernel;
    double ns;
};

static double time_of(const struct ks_recording *recording, const struct ks_tu_kernel *kernel)
{
    double ns = 0;
    ks_vec_each(const struct ks_recorded_kernel, k, &recording->kernels)
        if (kernel->signature != NULL && strcmp(k->symbol, kernel->signature->registered) == 0)
            ns += k->total_ns;
    return ns;
}

static int by_time(const void *a, const void *b)
{
    const struct portion *x = a, *y = b;
    return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : 0;
}

void tuning_by_shares(struct tuning *tuning, struct verb_tu *tu, const struct ks_tu_kernel **kernels, size_t n,
                      void (*tune)(struct tuning *tuning, struct verb_tu *tu, const struct ks_tu_kernel *kernel))
{
    struct ks_arena *arena = tuning->context->arena;
    struct portion *portions = KS_NEW_ARRAY(arena, struct portion, n + 1);
    double left = 0, until = ks_now() + tuning->budget;
    for (size_t i = 0; i < n; i++) {
        portions[i] = (struct portion){kernels[i], time_of(tuning->shares, kernels[i])};
        left += portions[i].ns;
    }
    qsort(portions, n, sizeof *portions, by_time);
    for (size_t i = 0; i < n && !ks_stop_requested(); i++) {
        double share = left > 0 ? portions[i].ns / left : 0;
        left -= portions[i].ns;
        tuning->slice = share * (until - ks_now()); // what those before left over is divided too
        if (portions[i].ns > 0 && tuning->slice >= LEAST_SECONDS)
            tune(tuning, tu, portions[i].kernel);
        else
            tuning_report(tuning, portions[i].kernel, "small-share", KS_R_COUNT,
                          portions[i].ns > 0
                              ? ks_arena_printf(arena, "not tuned: its share of the GPU's time leaves it %.1f s of the "
                                                       "budget, less than %.0f; give a larger --budget",
                                                tuning->slice > 0 ? tuning->slice : 0, LEAST_SECONDS)
                              : "not tuned: the recording has no launch of it",
                          NULL);
    }
}
