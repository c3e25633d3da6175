#include "search/effects.h"

#include <math.h>
#include <string.h>

#define N KS_EFFECT_WORDS

void ks_effects_init(struct ks_effects *e, struct ks_arena *arena,
                     const struct ks_effect_priors *priors)
{
    *e = (struct ks_effects){.arena = arena,
                             .priors = *priors,
                             .mean = KS_NEW_ARRAY(arena, double, N),
                             .cov = KS_NEW_ARRAY(arena, double, (size_t)N *N)};
}

static int word_of(struct ks_effects *e, const char *text, size_t len)
{
    for (int i = 0; i < e->n; i++)
        if (strlen(e->word[i]) == len && memcmp(e->word[i], text, len) == 0)
            return i;
    if (e->n == N)
        return -1;
    int at = e->n++;
    // A template is another algorithm: what it is worth is of another size than what an option is.
    bool algorithm = memchr(text, '=', len) == NULL;
    double variance = algorithm ? e->priors.algorithm : e->priors.open;
    e->word[at] = ks_arena_strndup(e->arena, text, len);
    e->mean[at] = algorithm ? e->priors.algorithm_gain : 0;
    e->cov[at * N + at] = variance;
    return at;
}

struct ks_words ks_effects_words(struct ks_effects *e, const char *name)
{
    struct ks_words words = {.n = 0};
    for (const char *at = name; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        int word = word_of(e, at, strcspn(at, " "));
        if (word >= 0 && words.n < KS_EFFECT_PER_NAME)
            words.at[words.n++] = word;
    }
    return words;
}

void ks_effects_predict(const struct ks_effects *e, const struct ks_words *words, double *mean,
                        double *variance)
{
    *mean = 0;
    *variance = e->priors.unexplained;
    for (int i = 0; i < words->n; i++) {
        *mean += e->mean[words->at[i]];
        for (int k = 0; k < words->n; k++)
            *variance += e->cov[words->at[i] * N + words->at[k]];
    }
}

void ks_effects_learn(struct ks_effects *e, const struct ks_words *words, double log_ratio,
                      bool seen)
{
    double gain[N], mean, variance;
    ks_effects_predict(e, words, &mean, &variance);
    for (int i = 0; i < e->n; i++) {
        gain[i] = 0;
        for (int k = 0; k < words->n; k++)
            gain[i] += e->cov[i * N + words->at[k]];
    }
    for (int i = 0; i < e->n; i++) {
        if (seen)
            e->mean[i] += gain[i] / variance * (log_ratio - mean);
        for (int k = 0; k < e->n; k++)
            e->cov[i * N + k] -= gain[i] * gain[k] / variance;
    }
}

void ks_effects_save(const struct ks_effects *e, double *store)
{
    for (int i = 0; i < e->n; i++)
        memcpy(&store[i * N], &e->cov[i * N], (size_t)e->n * sizeof *store);
}

void ks_effects_restore(struct ks_effects *e, const double *store)
{
    for (int i = 0; i < e->n; i++)
        memcpy(&e->cov[i * N], &store[i * N], (size_t)e->n * sizeof *store);
}
