// One proposal against another, or the original: correctness of each, then paired times; declared in
// verify/judge.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify/correct.h"
#include "verify/launch.h"
#include "verify/modelled.h"
#include "verify/timing.h"

static void refuse(struct ks_verdict *verdict, enum ks_correctness correctness, const char *reason)
{
    verdict->correctness = correctness;
    snprintf(verdict->reason, sizeof verdict->reason, "%.500s", reason);
}

// Timed in one process, both have to be in one compile.
static bool together(const struct ks_candidate *a, const struct ks_candidate *b)
{
    return a->cubin.len == b->cubin.len && memcmp(a->cubin.at, b->cubin.at, a->cubin.len) == 0;
}

// A model's times of both. That it errs is no reason to ask for more than of a clock: it errs alike for two variants of
// one kernel, more than for one of them and the original.
static enum ks_status model(struct ks_judge *judge, struct ks_arena *scratch, struct ks_candidate *const *made,
                            struct ks_timed *timed, struct ks_err *err)
{
    struct ks_timed first;
    double log_sum = 0, weights = 0;
    KS_TRY(ks_modelled_run(judge, scratch, made[0], &first, err));
    KS_TRY(ks_modelled_run(judge, scratch, made[1], timed, err));
    size_t n = timed->n_timings, k = 0;
    if (first.speed == KS_S_NOT_MEASURED || timed->speed == KS_S_NOT_MEASURED || first.n_timings != n) {
        timed->speed = KS_S_VOID;
        snprintf(timed->reason, sizeof timed->reason, "no time can be modelled");
        return KS_OK;
    }
    timed->lower = INFINITY;
    for (size_t w = 0; w < judge->n_problems && k < n; w++) {
        struct ks_timing *t = &timed->timings[k];
        if (!ks_judge_counts(judge, w))
            continue;
        t->original_us = first.timings[k++].variant_us;
        t->ratio = t->lower = t->upper = t->original_us / t->variant_us;
        log_sum += ks_judge_weight(judge, w) * log(t->ratio);
        weights += ks_judge_weight(judge, w);
        timed->lower = fmin(timed->lower, t->ratio);
    }
    timed->geomean = exp(log_sum / weights);
    timed->speed = timed->geomean > ks_rule_confirm.gain && timed->lower >= ks_rule_confirm.loss ? KS_S_MODELLED
                                                                                                 : KS_S_NOT_FASTER;
    snprintf(timed->reason, sizeof timed->reason, "modelled for %s: %.3f times as fast", judge->gpu.name,
             timed->geomean);
    return KS_OK;
}

static enum ks_status compare(struct ks_judge *judge, struct ks_arena *scratch,
                              struct ks_proposal *const *proposals, bool confirms, struct ks_verdict *verdict,
                              int *at_fault, struct ks_err *err)
{
    struct ks_candidate *made[2] = {NULL, NULL};
    size_t first = proposals[0] == NULL; // the original needs no checks
    KS_TRY(judge->build(judge, proposals + first, 2 - first, KS_BUILD_TOGETHER, made + first, err));
    for (size_t i = first; i < 2; i++) {
        struct ks_correct correct = {.verdict = made[i]->failure};
        *at_fault = (int)i;
        if (made[i]->failure != KS_C_CORRECT) {
            refuse(verdict, made[i]->failure, made[i]->reason);
            return KS_OK;
        }
        KS_TRY(ks_correct_run(judge, scratch, made[i], KS_JUDGE_FULL, NULL, &correct, err));
        if (correct.verdict != KS_C_CORRECT) {
            refuse(verdict, correct.verdict, correct.reason);
            return KS_OK;
        }
    }
    struct ks_timed timed;
    enum ks_correctness correctness = KS_C_CORRECT;
    if (!ks_judge_times(judge)) {
        KS_TRY(model(judge, scratch, made, &timed, err));
    } else {
        if (first == 0 && !together(made[0], made[1]))
            KS_FAIL(err, KS_E_UNSUPPORTED, "the two do not compile in one unit, so that they cannot be timed in one "
                                           "process; bench each against the original");
        KS_TRY(ks_timing_compare(judge, scratch, made[0], made[1], confirms ? &ks_rule_confirm : &ks_rule_search,
                                 &timed, &correctness, err));
    }
    verdict->correctness = correctness;
    verdict->speed = timed.speed;
    verdict->geomean = timed.geomean;
    verdict->lower = isfinite(timed.lower) ? timed.lower : 0;
    verdict->evidence.timings = timed.timings;
    verdict->evidence.n_timings = timed.n_timings;
    snprintf(verdict->reason, sizeof verdict->reason, "%s", timed.reason);
    return KS_OK;
}

enum ks_status ks_judge_compare(struct ks_judge *judge, struct ks_proposal *a, struct ks_proposal *b, bool confirms,
                                struct ks_verdict *verdict, int *at_fault, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    struct ks_proposal *const proposals[] = {a, b};
    *verdict = (struct ks_verdict){.correctness = KS_C_VOID, .speed = KS_S_NOT_MEASURED};
    *at_fault = 1;
    judge->n_notes = judge->n_session_notes;
    enum ks_status status = ks_workers_stay(judge, true, err);
    if (status == KS_OK)
        status = compare(judge, &scratch, proposals, confirms, verdict, at_fault, err);
    ks_workers_part(judge);
    ks_arena_free(&scratch);
    return status;
}

static bool admits(const struct ks_judge *judge, struct ks_arena *arena, const struct ks_proposal *proposal,
                   const struct ks_problem *problem)
{
    uint64_t addresses[KS_LAUNCH_SLOTS];
    struct ks_layout layout = ks_layout_of(arena, problem);
    struct ks_scope scope = ks_judge_scope(judge, problem, &layout, proposal);
    if (layout.n_slots > KS_LAUNCH_SLOTS)
        return false;
    ks_placement_predict(&layout, KS_AS_ALLOCATED, addresses);
    scope.addresses = addresses;
    return ks_scope_admits(&scope);
}

bool ks_judge_admits(const struct ks_judge *judge, const struct ks_proposal *proposal, struct ks_expr *domain,
                     size_t workload)
{
    struct ks_arena scratch = {0};
    const struct ks_problem *const sizes[] = {&judge->declared[workload], &judge->problems[workload]};
    struct ks_proposal within = *proposal; // the domain in place of its own condition
    bool yes = false;
    within.when = domain != NULL ? domain : proposal->when;
    for (size_t i = 0; i < 2 && !yes; i++)
        yes = admits(judge, &scratch, proposal, sizes[i]) && admits(judge, &scratch, &within, sizes[i]);
    ks_arena_free(&scratch);
    return yes;
}
