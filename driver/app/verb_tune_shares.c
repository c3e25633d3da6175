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

int tuning_shares_option(struct tuning *tuning, const char *file, struct ks_recording *recording)
{
    struct ks_err err = {0};
    if (file == NULL)
        return EXIT_OK;
    if (tuning->budget <= 0)
        return verb_usage(tuning->context, "--shares divides a budget: give --budget=TIME for all kernels together");
    if (ks_recording_read(tuning->context->arena, file, recording, &err) != KS_OK) {
        err.status = KS_E_USER;
        return verb_fail(tuning->context, &err);
    }
    tuning->shares = recording;
    return EXIT_OK;
}

double tuning_time_of(const struct tuning *tuning, const char *symbol)
{
    double ns = 0;
    ks_vec_each(const struct ks_recorded_kernel, k, &tuning->shares->kernels)
        if (strcmp(k->symbol, symbol) == 0)
            ns += k->total_ns;
    return ns;
}

void tuning_divide(struct tuning *tuning, double all_ns)
{
    tuning->left_ns = all_ns;
    tuning->until = ks_now_own() + tuning->budget;
}

bool tuning_take_share(struct tuning *tuning, const char *kernel, const char *key, int arch, double ns)
{
    double share = tuning->left_ns > 0 ? ns / tuning->left_ns : 0;
    tuning->left_ns -= ns;
    tuning->slice = share * (tuning->until - ks_now_own()); // what those before left over is divided too
    if (ns > 0 && tuning->slice >= LEAST_SECONDS)
        return true;
    tuning_report_skipped(tuning, kernel, key, arch, "small-share",
                          ns > 0 ? ks_arena_printf(tuning->context->arena,
                                                   "not tuned: its share of the GPU's time leaves it %.1f s of the "
                                                   "budget, less than %.0f; give a larger --budget",
                                                   tuning->slice > 0 ? tuning->slice : 0, LEAST_SECONDS)
                                 : "not tuned: the recording has no launch of it");
    return false;
}

static int by_time(const void *a, const void *b)
{
    const struct portion *x = a, *y = b;
    return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : 0;
}

void tuning_by_shares(struct tuning *tuning, struct verb_tu *tu, const struct ks_tu_kernel **kernels, size_t n,
                      void (*tune)(struct tuning *tuning, struct verb_tu *tu, const struct ks_tu_kernel *kernel))
{
    struct portion *portions = KS_NEW_ARRAY(tuning->context->arena, struct portion, n + 1);
    double all = 0;
    char hex[KS_HASH_TEXT];
    for (size_t i = 0; i < n; i++) {
        portions[i] = (struct portion){kernels[i], tuning_time_of(tuning, kernels[i]->signature->registered)};
        all += portions[i].ns;
    }
    qsort(portions, n, sizeof *portions, by_time);
    tuning_divide(tuning, all);
    for (size_t i = 0; i < n && !ks_stop_requested(); i++) {
        const struct ks_tu_kernel *kernel = portions[i].kernel;
        ks_digest_hex(&kernel->key, hex);
        if (tuning_take_share(tuning, verb_kernel_name(kernel), hex, kernel->arch, portions[i].ns))
            tune(tuning, tu, kernel);
    }
}
