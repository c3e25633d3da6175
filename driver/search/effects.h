// What options do to a kernel's time, learned while it is searched: the logarithm of a candidate's
// ratio as a sum of effects of the words of its name ("block=256", "width=4"), each known with an
// uncertainty. Bayesian linear regression, updated candidate by candidate.
#ifndef KS_EFFECTS_H
#define KS_EFFECTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

struct ks_effect_priors {
    double open;           // variance of an effect that nothing is known of
    double unexplained;    // variance of what words do not explain, and of the measurement
    double algorithm_gain; // mean and variance of what a template is worth: another algorithm
    double algorithm;
};
#define KS_EFFECT_WORDS 256 // of one kernel; further ones count for nothing
#define KS_EFFECT_PER_NAME 24

struct ks_words { // of one name, by position in an effects' list
    int at[KS_EFFECT_PER_NAME];
    int n;
};

struct ks_effects {
    struct ks_arena *arena;
    struct ks_effect_priors priors;
    const char *word[KS_EFFECT_WORDS];
    int n;
    double *mean; // by word
    double *cov;  // [KS_EFFECT_WORDS][KS_EFFECT_WORDS]
};

void ks_effects_init(struct ks_effects *effects, struct ks_arena *arena,
                     const struct ks_effect_priors *priors);
// The words of a name. Nothing is known of new ones: an option may do anything to a time, a
// template more.
struct ks_words ks_effects_words(struct ks_effects *effects, const char *name);
// Expected log ratio, and its variance, what no sum of words explains included.
void ks_effects_predict(const struct ks_effects *effects, const struct ks_words *words,
                        double *mean, double *variance);
// Takes in what was measured. `seen` false: only the variances shrink, as they will when it is
// measured.
void ks_effects_learn(struct ks_effects *effects, const struct ks_words *words, double log_ratio,
                      bool seen);
// Saves the variances into `store` (KS_EFFECT_WORDS squared), or takes them back.
void ks_effects_save(const struct ks_effects *effects, double *store);
void ks_effects_restore(struct ks_effects *effects, const double *store);

#endif
