// What is left out of a schedule that would take too long: kernels of many sizes, whose work grows with the product of
// all of them, and kernels on the emulated device.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify/schedule_maker.h"

#define MOST_INSTS 3.2e8      // thread instructions of one run of each task, some ten seconds of judging on one core
#define USUAL_INSTS 2e6       // of a declared problem that was not counted
#define MOST_DECLARED 2000.0  // on a GPU: declared problems,
#define MOST_UNITS 0x1p31     // or products of sizes where those are small
#define REPEATED 5            // what a task with repeats weighs

static double volume(const struct ks_judge *judge, size_t workload, const struct ks_problem *problem)
{
    struct ks_arena scratch = {0};
    struct ks_value *sizes;
    size_t n = ks_problem_sizes(&scratch, judge->kernel->mark->mark, workload, &sizes);
    double product = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < problem->n_values; k++)
            if (strcmp(problem->values[k].name, sizes[i].name) == 0)
                product *= fmax(1, (double)problem->values[k].value);
    ks_arena_free(&scratch);
    return product;
}

static bool emulated(const struct ks_judge *judge)
{
    return strcmp(judge->device.kind, "emu") == 0;
}

double ks_schedule_work(const struct ks_judge *judge, size_t workload, const struct ks_problem *problem)
{
    double units = volume(judge, workload, problem);
    if (!emulated(judge))
        return units;
    double insts = judge->insts != NULL && judge->insts[workload] > 0 ? judge->insts[workload] : USUAL_INSTS;
    return insts * units / volume(judge, workload, &judge->problems[workload]);
}

double ks_schedule_room(const struct ks_judge *judge, size_t workload)
{
    return emulated(judge) ? MOST_INSTS
                           : fmax(MOST_DECLARED * volume(judge, workload, &judge->problems[workload]), MOST_UNITS);
}

struct cost {
    size_t task;
    enum ks_worth worth;
    double work;
};

static int by_worth(const void *a, const void *b)
{
    const struct cost *x = a, *y = b;
    if (x->worth != y->worth)
        return x->worth < y->worth ? -1 : 1;
    if (x->work < y->work || x->work > y->work)
        return x->work < y->work ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

void ks_schedule_fit(struct ks_maker *m, size_t workload)
{
    size_t n = m->tasks.len, kept = 0, derived = 0;
    struct cost *costs = KS_NEW_ARRAY(m->arena, struct cost, n);
    bool *out = KS_NEW_ARRAY(m->arena, bool, n);
    double left = ks_schedule_room(m->judge, workload);
    for (size_t t = 0; t < n; t++) {
        const struct ks_task *task = &m->tasks.at[t];
        double work = ks_schedule_work(m->judge, workload, task->problem);
        costs[t] = (struct cost){t, task->worth, work * (task->repeats > 0 ? REPEATED : 1)};
    }
    qsort(costs, n, sizeof *costs, by_worth);
    for (size_t i = 0; i < n; i++) {
        if (costs[i].worth == KS_WORTH_ALWAYS)
            continue;
        derived++;
        left -= costs[i].work;
        out[costs[i].task] = left < 0;
    }
    for (size_t t = 0; t < n; t++)
        if (!out[t])
            m->tasks.at[kept++] = m->tasks.at[t];
    m->tasks.len = kept;
    if (kept < n)
        ks_judge_note(m->judge, "%zu of %zu tries on sizes other than %s were left out, the largest first: too much "
                      "work for one judgement", n - kept, derived, m->judge->problems[workload].name);
}
