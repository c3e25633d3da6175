#include "verify/timing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "os/file.h"
#include "os/lock.h"
#include "verify/sanitize.h"
#include "verify/schedule.h"
#include "verify/timing_round.h"

// The original beside the candidate, over the original beside itself: what is no matter, and what no clock explains.
// A candidate that keeps more of the chip busy lowers the clock for both.
#define SLOWED 1.01
#define SABOTAGE 1.05

// The pairs as if the original had taken `by` of its time, below 1: less is claimed then, never more.
static void discount(const struct ks_accept_rule *rule, double by, struct ks_paired *paired, enum ks_look *look)
{
    paired->ratio *= by;
    paired->lower *= by;
    paired->a_us *= by;
    if (*look == KS_LOOK_WIN && (paired->lower <= rule->gain || paired->a_us - paired->b_us < rule->min_us))
        *look = KS_LOOK_OPEN;
}

static enum ks_status one_workload(struct ks_round *r, const struct ks_accept_rule *rule,
                                   struct ks_timing *timing, enum ks_look *look, struct ks_err *err)
{
    struct ks_paired paired = {0};
    double alone_us = 0, floor_us = 0, differs = 0;
    KS_TRY(ks_round_prepare(r, err));
    if (ks_round_failed(r))
        return KS_OK;
    if (r->b == NULL) {
        r->timed->speed = KS_S_NOT_FASTER;
        snprintf(r->timed->reason, sizeof r->timed->reason, "guard excludes workload %s",
                 r->problem->name);
        *look = KS_LOOK_NO_GAIN;
        return KS_OK;
    }
    for (int attempt = 0; attempt < 2; attempt++) {
        KS_TRY(ks_round_control(r, &alone_us, &differs, err));
        if (ks_round_failed(r))
            return KS_OK;
        KS_TRY(ks_round_looks(r, rule, &paired, look, err));
        if (ks_round_failed(r) || paired.a_us <= SLOWED * alone_us)
            break;
        if (attempt == 1 && paired.a_us <= SABOTAGE * alone_us) {
            discount(rule, alone_us / paired.a_us, &paired, look); // as if it had run as it does alone
        } else if (attempt == 1) {
            r->timed->speed = KS_S_VOID;
            snprintf(r->timed->reason, sizeof r->timed->reason,
                     "the original runs slower beside the candidate than alone: %.4g us, %.4g us",
                     paired.a_us, alone_us);
        }
    }
    if (ks_round_failed(r))
        return KS_OK;
    if (differs > 0)
        discount(rule, 1 / (1 + differs), &paired, look);
    KS_TRY(ks_round_floor(r, &floor_us, err));
    if (ks_round_failed(r))
        return KS_OK;
    if (paired.b_us < floor_us && ks_judge_defends(r->judge, KS_D_FLOOR)) {
        r->timed->speed = KS_S_VOID;
        snprintf(r->timed->reason, sizeof r->timed->reason,
                 "suspicious: faster than memory can deliver the workload's bytes");
        return KS_OK;
    }
    double warm = 0;
    bool slower = false;
    if (*look == KS_LOOK_WIN)
        KS_TRY(ks_round_warm(r, rule, &warm, &slower, err));
    if (ks_round_failed(r))
        return KS_OK;
    *look = slower ? KS_LOOK_LOSS : *look;
    KS_TRY(ks_round_outputs(r, err));
    *timing = (struct ks_timing){
        .workload = ks_arena_strdup(r->judge->arena, r->problem->name),
        .original_us = paired.a_us, .variant_us = paired.b_us, .ratio = paired.ratio,
        .lower = paired.lower, .upper = paired.upper, .warm = warm, .pairs = (int)paired.pairs,
        .method = ks_round_method(r->judge->arena, &r->method)};
    return KS_OK;
}

// Down to which sizes the candidate is not slower: timed at 1/4, 1/16, 1/64 of the declared ones.
static enum ks_status find_floors(struct ks_round *base, size_t w, struct ks_timed *timed,
                                  struct ks_err *err)
{
    struct ks_judge *judge = base->judge;
    const struct ks_tu_mark *mark = judge->kernel->mark;
    struct ks_value *sizes = NULL;
    size_t n = ks_problem_sizes(base->arena, mark->mark, w, &sizes);
    int64_t modulus = ks_judge_modulus(judge, base->candidate->proposal);
    timed->floors[w] = sizes;
    timed->n_floors[w] = n;
    int64_t divisor = 4;
    const struct ks_timed before = *timed;
    for (int step = 0; n > 0 && step < KS_FLOOR_STEPS; step++, divisor *= 4) {
        struct ks_value *smaller = ks_arena_memdup(base->arena, sizes, n * sizeof *smaller);
        for (size_t i = 0; i < n; i++) {
            int64_t value = sizes[i].value / divisor;
            value = value < 1 ? 1 : (value + modulus - 1) / modulus * modulus;
            if (value < sizes[i].value) // a short side stays as it is
                smaller[i].value = value;
        }
        struct ks_problem problem;
        if (ks_problem_make(base->arena, mark->mark, w, judge->kernel->signature, mark->decl, smaller, n,
                            &problem, NULL) != KS_OK)
            break;
        struct ks_round r = *base;
        r.problem = &problem;
        r.vector = NULL;
        r.a = r.b = NULL;
        struct ks_samples s = {.n = 0};
        struct ks_paired paired = {0};
        enum ks_status status = ks_round_prepare(&r, err);
        bool usable = status == KS_OK && !ks_round_failed(&r) && r.b != NULL;
        if (usable) {
            enum ks_answer answer = ks_round_pairs(&r, r.a, r.b, ks_look_pairs(0, r.method.baseline_us), &s, NULL);
            if (answer != KS_ANSWER_OK)
                status = ks_round_answer(&r, answer, err);
            else
                ks_paired_of(s.a, s.b, s.n, ks_rule_search.alpha, &paired);
        }
        ks_round_finish(&r);
        KS_TRY(status);
        if (timed->speed == KS_S_VOID && *base->correctness == KS_C_CORRECT) {
            // Not measurable at this size: the claim on the declared ones stands.
            timed->speed = before.speed;
            memcpy(timed->reason, before.reason, sizeof timed->reason);
            break;
        }
        if (ks_round_failed(&r) || !usable || paired.lower < ks_rule_search.loss ||
            (judge->rival != NULL && paired.lower < judge->rival[step]))
            break;
        timed->probes[w * KS_FLOOR_STEPS + (size_t)step] = paired.upper;
        timed->floors[w] = smaller;
    }
    return KS_OK;
}

static void conclude(struct ks_judge *judge, struct ks_timed *timed, const enum ks_look *looks_of,
                     size_t n)
{
    double log_sum = 0, weights = 0;
    int wins = 0, open = 0;
    timed->lower = INFINITY;
    for (size_t w = 0; w < n; w++) {
        double weight = ks_judge_weight(judge, w);
        log_sum += weight * log(timed->timings[w].ratio);
        weights += weight;
        timed->lower = fmin(timed->lower, timed->timings[w].lower);
        wins += looks_of[w] == KS_LOOK_WIN;
        open += looks_of[w] == KS_LOOK_OPEN;
    }
    timed->geomean = exp(log_sum / weights);
    timed->speed = KS_S_NOT_FASTER;
    for (size_t w = 0; w < n; w++)
        if (looks_of[w] == KS_LOOK_LOSS) {
            const struct ks_timing *t = &timed->timings[w];
            const bool warm = t->warm > 0; // asked only of what is faster otherwise
            snprintf(timed->reason, sizeof timed->reason, "slower on workload %s%s (%.3f of the original's speed)", t->workload,
                     warm ? " while its arrays lie in the L2 cache" : "", warm ? t->warm : t->ratio);
            return;
        }
    if (wins > 0 && timed->geomean > ks_rule_search.gain) {
        timed->speed = KS_S_FASTER;
        snprintf(timed->reason, sizeof timed->reason, "%.3f times as fast, at least %.3f", timed->geomean,
                 timed->lower);
    } else if (open > 0) {
        timed->speed = KS_S_AMBIGUOUS;
        snprintf(timed->reason, sizeof timed->reason, "about %.3f times as fast: too close to call",
                 timed->geomean);
    } else {
        snprintf(timed->reason, sizeof timed->reason, "%.3f times as fast: below the minimum gain",
                 timed->geomean);
    }
}

static enum ks_status run_all(struct ks_round *base, const struct ks_accept_rule *rule, bool floors,
                              struct ks_err *err)
{
    struct ks_judge *judge = base->judge;
    struct ks_timed *timed = base->timed;
    size_t n = judge->n_problems;
    enum ks_look *look = KS_NEW_ARRAY(base->arena, enum ks_look, n);
    for (size_t w = 0; w < n; w++) {
        struct ks_round r = *base;
        size_t k = timed->n_timings;
        if (!ks_judge_counts(judge, w))
            continue;
        r.problem = &judge->problems[w];
        enum ks_status status = one_workload(&r, rule, &timed->timings[k], &look[k], err);
        bool excluded = status == KS_OK && r.b == NULL;
        ks_round_finish(&r);
        KS_TRY(status);
        if (ks_round_failed(&r) || excluded)
            return KS_OK;
        timed->n_timings = k + 1;
        if (look[k] == KS_LOOK_LOSS && !base->every)
            break;
    }
    conclude(judge, timed, look, timed->n_timings);
    for (size_t w = 0; floors && timed->speed == KS_S_FASTER && w < n; w++)
        if (ks_judge_counts(judge, w))
            KS_TRY(find_floors(base, w, timed, err));
    return KS_OK;
}

// In a worker of its own, which holds the compile of both arms and the original, under the GPU's lock.
static enum ks_status run_apart(struct ks_round *base, const struct ks_accept_rule *rule, bool floors,
                                struct ks_err *err)
{
    struct ks_judge *judge = base->judge;
    struct ks_arena *arena = base->arena;
    struct ks_timed *timed = base->timed;
    const struct ks_candidate *arms[] = {base->candidate, base->against};
    struct ks_strv names = {0};
    struct ks_worker worker;
    *timed = (struct ks_timed){.speed = KS_S_NOT_MEASURED};
    timed->timings = KS_NEW_ARRAY(judge->arena, struct ks_timing, judge->n_problems);
    timed->floors = KS_NEW_ARRAY(arena, struct ks_value *, judge->n_problems);
    timed->n_floors = KS_NEW_ARRAY(arena, size_t, judge->n_problems);
    timed->probes = KS_NEW_ARRAY(judge->arena, double, judge->n_problems * KS_FLOOR_STEPS);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; arms[i] != NULL && k < arms[i]->n; k++)
            ks_strv_add(arena, &names, arms[i]->names[k]);
    ks_strv_add(arena, &names, base->candidate->original);
    KS_TRY(ks_runner_take_last(judge, &worker, err));
    ks_sanitize_settle(judge);
    base->worker = &worker;
    enum ks_answer answer = ks_worker_load(&worker, base->candidate->cubin, names.at, names.len);
    enum ks_status status = KS_OK;
    struct ks_lock lock = {.fd = -1};
    if (answer != KS_ANSWER_OK) {
        status = ks_round_answer(base, answer, err);
    } else {
        const char *dir = judge->tu->config->runtime_dir;
        status = ks_device_lock(arena, dir, judge->device.uuid, -1, &lock, err);
        if (status == KS_OK)
            status = run_all(base, rule, floors, err);
    }
    ks_lock_release(&lock);
    if (status == KS_OK) // its context opens while this one closes
        status = ks_runner_spare(judge, KS_SPARES, err);
    ks_worker_leave(&worker, &judge->leaving);
    return status;
}

enum ks_status ks_timing_run(struct ks_judge *judge, struct ks_arena *arena,
                             const struct ks_candidate *candidate,
                             const struct ks_accept_rule *rule, bool floors,
                             struct ks_timed *timed, enum ks_correctness *correctness,
                             struct ks_err *err)
{
    struct ks_round base = {.judge = judge, .arena = arena, .candidate = candidate, .timed = timed,
                            .correctness = correctness};
    return run_apart(&base, rule, floors, err);
}

enum ks_status ks_timing_compare(struct ks_judge *judge, struct ks_arena *arena,
                                 const struct ks_candidate *a, const struct ks_candidate *b,
                                 const struct ks_accept_rule *rule, struct ks_timed *timed, enum ks_correctness *correctness,
                                 struct ks_err *err)
{
    struct ks_round base = {.judge = judge, .arena = arena, .candidate = b, .against = a,
                            .timed = timed, .correctness = correctness, .every = true};
    return run_apart(&base, rule, false, err);
}
