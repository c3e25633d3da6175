#include "search_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WORTH 0.03 // what saves a smaller part of the candidates is noise

#define VALUES 3
static const double grids[][VALUES] = {
    {0.01, 0.04, 0.16}, {0.0009, 0.0036, 0.0144}, {0.25, 0.5, 1}, {0.1, 0.3, 1},
    {0.05, 0.1, 0.2},   {0.1, 0.3, 0.6},          {6, 12, 24},
};
enum { CONSTANTS = sizeof grids / sizeof *grids };

static void set(struct ks_policy_constants *c, int which, double value)
{
    double *const at[] = {&c->priors.open,      &c->priors.unexplained, &c->priors.algorithm_gain,
                          &c->priors.algorithm, &c->rule_lift,          &c->binding};
    if (which == CONSTANTS - 1)
        c->ahead = (int)value;
    else
        *at[which] = value;
}

int fit_half(const char *kernel)
{
    uint32_t hash = 2166136261u;
    for (; *kernel != '\0'; kernel++)
        hash = (hash ^ (unsigned char)*kernel) * 16777619u;
    return (int)(hash >> 16 & 1);
}

static double cost(const struct ks_replay_log *log, int half, struct ks_replay_options options,
                   long seeds, const struct ks_policy_constants *constants)
{
    double sum = 0;
    size_t n = 0;
    options.constants = constants;
    for (size_t k = 0; k < log->kernels.len; k++) {
        double needed = 0;
        if (fit_half(log->kernels.at[k].name) != half)
            continue;
        for (long seed = 1; seed <= seeds; seed++) {
            struct ks_replay_result result;
            struct ks_err err = {0};
            options.seed = (uint64_t)seed;
            if (ks_replay_search(log, k, &options, &result, &err) != KS_OK) {
                fprintf(stderr, "search_bench: %s\n", err.text);
                exit(1);
            }
            needed += (double)result.needed / (double)seeds;
        }
        sum += needed > 0 ? log1p(needed) : 0;
        n += needed > 0;
    }
    return n > 0 ? sum / (double)n : 0;
}

void fit_constants(const struct ks_replay_log *log, int half,
                   const struct ks_replay_options *options, long seeds,
                   struct ks_policy_constants *constants)
{
    struct ks_policy_constants best = {0};
    for (int i = 0; i < CONSTANTS; i++)
        set(&best, i, grids[i][VALUES / 2]);
    double least = cost(log, half, *options, seeds, &best);
    for (int i = 0; i < CONSTANTS; i++) {
        const struct ks_policy_constants from = best;
        for (int v = 0; v < VALUES; v++) {
            struct ks_policy_constants other = from;
            set(&other, i, grids[i][v]);
            double needs = v == VALUES / 2 ? INFINITY : cost(log, half, *options, seeds, &other);
            if (needs < least - WORTH) {
                least = needs;
                best = other;
            }
        }
    }
    *constants = best;
}

void fit_print(const char *what, const struct ks_policy_constants *c)
{
    printf("| %s | %g | %g | %g | %g | %g | %g | %d |\n", what, c->priors.open,
           c->priors.unexplained, c->priors.algorithm_gain, c->priors.algorithm, c->rule_lift,
           c->binding, c->ahead);
}
