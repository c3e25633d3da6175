// Trials of a skill: kernels tuned with it and without it, all else equal. What decides on its adoption.
#ifndef KS_TRIAL_H
#define KS_TRIAL_H

#include "memory/outcomes.h"

#define KS_TRIAL_KERNELS 3     // at least so many different ones
#define KS_TRIAL_GAIN 1.08     // that the lower bound must exceed
#define KS_TRIAL_NO_WORSE 0.97 // and no kernel may fall below

struct ks_trial {
    const char *kernel, *key, *toolkit, *evidence; // "measured" or "modelled"
    int arch;
    double with_ratio, without_ratio; // original over the best that was confirmed, 1: the original stays
    int with_correct, without_correct; // proposals that verified
};
struct ks_trial_judgement {
    bool adopt;
    double lower;       // bound of the median gain of the skill
    double least;       // smallest gain
    const char *reason; // one line, with the numbers
};

// Gains are with_ratio over without_ratio, one a kernel. `lower` is the bound of their median that holds with
// error 1/8 at most, without assuming any distribution: of three the smallest.
void ks_trials_judge(struct ks_arena *arena, const struct ks_trial *trials, size_t n,
                     struct ks_trial_judgement *out);
// Keeps a trial; one of the same skill, key, evidence and toolkit is replaced.
enum ks_status ks_trial_add(struct ks_outcomes *outcomes, const char *skill, const struct ks_trial *trial,
                            struct ks_err *err);

#endif
