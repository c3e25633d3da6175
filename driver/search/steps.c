// What the steps of a tune took so far, and will take.
#include <math.h>

#include "search/tuner.h"

#define USUAL 4 // seconds of a step on an H200, compiling included

const char *ks_tune_step_name(enum ks_tune_step step)
{
    static const char *const names[] = {"opening", "profiling", "screening", "judging", "confirming"};
    return names[step];
}

double ks_step_expected(const struct ks_tuner *t, enum ks_tune_step step)
{
    double longest = t->result->steps[step].longest;
    return longest > 0 ? longest : USUAL;
}

void ks_step_took(struct ks_tuner *t, enum ks_tune_step step, double seconds)
{
    t->result->steps[step].times++;
    t->result->steps[step].seconds += seconds;
    t->result->steps[step].longest = fmax(t->result->steps[step].longest, seconds);
}

void ks_checks_took(struct ks_tuner *t, const struct ks_verdict *verdict)
{
    for (int kind = 0; kind < KS_CHECK_COUNT; kind++)
        t->result->checks[kind] += verdict->checks.seconds[kind];
}
