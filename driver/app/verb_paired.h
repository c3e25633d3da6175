// Kernels tuned twice, with something and without it, all else equal. Each tuning is a `ks tune` of
// its own, with a state, cache and project of its own: both begin from nothing learned, and nothing
// that they find is stored.
#ifndef KS_VERB_PAIRED_H
#define KS_VERB_PAIRED_H

#include "app/verb.h"
#include "base/vec.h"
#include "fmt/json.h"
#include "memory/trial.h"

struct verb_paired {
    struct ks_verb_context *context;
    const char *what;             // "with WHAT", for people
    const char *budget, *device;  // of each tuning, or NULL
    const char *const *words;     // for nvcc, or NULL
    bool agents_alone;            // without the engine's search
    struct ks_outcomes *outcomes; // keeps each trial under `recorded`, as it ends
    const char *recorded;
    // Makes the state folder of one tuning, with what is tried or without it.
    enum ks_status (*prepare)(void *self, const char *state, bool with, struct ks_err *err);
    void *self;
    // the rest is its own
    char *scratch;
    const char *toolkit; // its version
    KS_VEC(struct ks_trial) trials;
};
// Tunes the kernels FILE.cu:KERNEL, each both ways, which comes first by turns.
enum ks_status verb_paired_run(struct verb_paired *paired, const char *const *targets, size_t n,
                               struct ks_err *err);
// A table for people, or nothing under --json; and its rows for the report.
json_t *verb_paired_rows(const struct verb_paired *paired);
// EXIT_USAGE unless there are so many kernels and their files are there.
int verb_paired_check(struct ks_verb_context *context, const char *verb, const char *const *targets,
                      size_t n);

#endif
