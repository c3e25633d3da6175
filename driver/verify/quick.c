// Many candidates looked at in passing; declared in verify/judge.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "os/clock.h"
#include "verify/check.h"
#include "verify/modelled.h"
#include "verify/recall.h"
#include "verify/schedule.h"
#include "verify/screen.h"
#include "verify/wide.h"

// One proposal of a quick batch that is still in the running.
struct entrant {
    const struct ks_candidate *candidate;
    struct ks_verdict *verdict;
    struct ks_tested tested;
    int covered, proved;
};

static void refuse(struct ks_verdict *verdict, const char *reason)
{
    verdict->correctness = KS_C_VOID;
    snprintf(verdict->reason, sizeof verdict->reason, "%s", reason);
}

static bool alive(const struct entrant *e)
{
    return e->verdict->correctness == KS_C_CORRECT;
}

// What runs a batch: it holds the cubins of candidates that had their turn, and is started anew after one spoilt it.
struct quick_runner {
    struct ks_worker worker;
    struct ks_shelf shelf;
    const struct ks_candidate *loaded; // knows its kernels by name; NULL: none's
};

static enum ks_status load(struct ks_judge *judge, struct ks_arena *scratch, struct quick_runner *r,
                           const struct ks_candidate *c, enum ks_answer *answer, struct ks_err *err)
{
    *answer = KS_ANSWER_OK;
    if (ks_worker_alive(&r->worker) && r->loaded == c)
        return KS_OK;
    if (!ks_worker_alive(&r->worker) || r->loaded == NULL) {
        ks_worker_stop(&r->worker);
        r->shelf = (struct ks_shelf){0};
        KS_TRY(ks_runner_take(judge, &r->worker, KS_SPARES, err));
    }
    *answer = ks_worker_shelve(&r->worker, scratch, &r->shelf, c->cubin, c->names, c->n);
    r->loaded = *answer == KS_ANSWER_OK ? c : NULL;
    return KS_OK;
}

static enum ks_status quick_entrant(struct ks_judge *judge, struct ks_arena *scratch,
                                    struct entrant *e, struct ks_vector *vector,
                                    enum ks_flush flush, struct quick_runner *runner, struct ks_err *err)
{
    enum ks_answer answer;
    enum ks_correctness verdict = KS_C_CORRECT;
    bool covered, proved;
    KS_TRY(load(judge, scratch, runner, e->candidate, &answer, err));
    if (answer != KS_ANSWER_OK) {
        if (!ks_check_answer(answer, runner->worker.text, &e->verdict->correctness, e->verdict->reason))
            return ks_answer_status(&runner->worker, answer, "a runner", err);
        return KS_OK;
    }
    struct ks_check check = {judge, e->candidate, &runner->worker, runner->shelf.module, &e->tested,
                             e->verdict->reason};
    KS_TRY(ks_check_vector(&check, scratch, vector, flush, 0, &verdict, &covered, &proved, err));
    e->verdict->correctness = verdict;
    e->covered += covered;
    e->proved += proved;
    return KS_OK;
}

static enum ks_status quick_task(struct ks_judge *judge, struct ks_arena *scratch, const struct ks_task *task,
                                 struct entrant *e, struct quick_runner *runner, int *served, int *refused,
                                 struct ks_err *err)
{
    struct ks_vector *vector;
    KS_TRY(ks_recall(judge, task->problem, task->family, task->variation, KS_SKEW_NONE, &vector, err));
    bool excluded = vector->excluded;
    enum ks_status status =
        excluded ? KS_OK : quick_entrant(judge, scratch, e, vector, task->flush, runner, err);
    ks_recall_done(judge, vector);
    *(excluded ? refused : served) += status == KS_OK;
    return status;
}

// Adds to *served and *refused how many vectors the original serves, or does not.
static enum ks_status quick_schedule(struct ks_judge *judge, struct ks_arena *scratch,
                                     const struct ks_schedule *schedule, struct entrant *e,
                                     struct quick_runner *runner, int *served, int *refused, struct ks_err *err)
{
    for (size_t t = 0; t < schedule->n_tasks && alive(e); t++) {
        const struct ks_task *task = &schedule->tasks[t];
        if (!ks_guard_admits(judge, scratch, e->candidate->proposal, task->problem))
            continue;
        struct ks_lock lock;
        KS_TRY(ks_judge_share(judge, &lock, err));
        enum ks_status status = quick_task(judge, scratch, task, e, runner, served, refused, err);
        ks_lock_release(&lock);
        KS_TRY(status);
    }
    return KS_OK;
}

static enum ks_status quick_all(struct ks_judge *judge, struct ks_arena *scratch,
                                struct entrant *entrants, size_t n, struct quick_runner *runner,
                                struct ks_err *err)
{
    for (size_t w = 0; w < judge->n_problems; w++) {
        struct ks_schedule tiny, declared;
        KS_TRY(ks_schedule_quick(judge, scratch, w, true, &tiny, err));
        KS_TRY(ks_schedule_quick(judge, scratch, w, false, &declared, err));
        for (size_t i = 0; i < n; i++) {
            int served = 0, refused = 0;
            KS_TRY(quick_schedule(judge, scratch, &tiny, &entrants[i], runner, &served, &refused, err));
            if (served == 0 && refused == 0) {
                struct ks_schedule guarded;
                KS_TRY(ks_schedule_guarded(judge, scratch, w, entrants[i].candidate->proposal, &guarded, err));
                KS_TRY(quick_schedule(judge, scratch, &guarded, &entrants[i], runner, &served, &refused, err));
            }
            if (served == 0) // its guard ties sizes to each other, or indices of a range that holds for the declared size alone
                KS_TRY(quick_schedule(judge, scratch, &declared, &entrants[i], runner, &served, &refused, err));
        }
    }
    for (size_t i = 0; i < n; i++)
        if (alive(&entrants[i]) && entrants[i].proved == 0)
            refuse(entrants[i].verdict, entrants[i].covered == 0
                                            ? "the guard admits none of the small sizes"
                                            : "no small test could have caught a trivial answer");
    return KS_OK;
}

// The ratios of one into its verdict: by workload as timings, 0 where the guard excludes one, and their weighted
// geometric mean, 0 if any is.
static void take_ratios(struct ks_judge *judge, const double *ratios, struct ks_verdict *verdict)
{
    double log_sum = 0, weights = 0;
    bool all = true;
    struct ks_timing *timings = KS_NEW_ARRAY(judge->arena, struct ks_timing, judge->n_problems);
    for (size_t w = 0; w < judge->n_problems; w++) {
        double weight = ks_judge_weight(judge, w);
        timings[w] = (struct ks_timing){.workload = judge->declared[w].name, .ratio = ratios[w]};
        all = all && ratios[w] > 0;
        if (all)
            log_sum += weight * log(ratios[w]);
        weights += weight;
    }
    verdict->evidence.timings = timings;
    verdict->evidence.n_timings = judge->n_problems;
    verdict->geomean = all ? exp(log_sum / weights) : 0;
}

// A short look at the speed of those that are still in the running.
static enum ks_status quick_speed(struct ks_judge *judge, struct ks_arena *scratch,
                                  struct entrant *entrants, size_t n, struct ks_err *err)
{
    const struct ks_candidate **alive_ones = KS_NEW_ARRAY(scratch, const struct ks_candidate *, n);
    double *ratios = KS_NEW_ARRAY(scratch, double, n * judge->n_problems);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (alive(&entrants[i]))
            alive_ones[m++] = entrants[i].candidate;
    if (m == 0)
        return KS_OK;
    if (ks_judge_times(judge))
        KS_TRY(ks_screen_run(judge, scratch, alive_ones, m, ratios, err));
    else
        KS_TRY(ks_modelled_screen(judge, scratch, alive_ones, m, ratios, err));
    for (size_t i = 0; i < n; i++)
        if (alive(&entrants[i])) {
            take_ratios(judge, ratios, entrants[i].verdict);
            ratios += judge->n_problems;
        }
    return KS_OK;
}

static enum ks_status quick(struct ks_judge *judge, struct ks_proposal *const *proposals, size_t n,
                            bool speed, struct ks_verdict *verdicts, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    struct ks_candidate **built = KS_NEW_ARRAY(&scratch, struct ks_candidate *, n);
    struct entrant *entrants = KS_NEW_ARRAY(&scratch, struct entrant, n);
    size_t running = 0;
    double start = ks_now();
    ks_wide_begin(judge);
    enum ks_status status = judge->build(judge, proposals, n, KS_BUILD_SHARED, built, err);
    double compile = ks_now() - start;
    for (size_t i = 0; status == KS_OK && i < n; i++) {
        verdicts[i] = (struct ks_verdict){.correctness = built[i]->failure,
                                          .speed = KS_S_NOT_MEASURED,
                                          .seconds_compile = compile / (double)n};
        snprintf(verdicts[i].reason, sizeof verdicts[i].reason, "%s", built[i]->reason);
        if (built[i]->failure == KS_C_CORRECT)
            entrants[running++] = (struct entrant){built[i], &verdicts[i], {0}, 0, 0};
    }
    // A full judgement finds it compiled.
    for (size_t i = 0; status == KS_OK && i < n; i++)
        if (built[i]->ships)
            ks_judge_keep(judge, built[i]);
    struct quick_runner runner = {0};
    if (status == KS_OK && running > 0)
        status = quick_all(judge, &scratch, entrants, running, &runner, err);
    ks_worker_leave(&runner.worker, &judge->leaving);
    if (status == KS_OK && speed)
        status = quick_speed(judge, &scratch, entrants, running, err);
    for (size_t i = 0; i < n; i++)
        verdicts[i].seconds_run = (ks_now() - start - compile) / (double)n;
    ks_arena_free(&scratch);
    return status;
}

enum ks_status ks_judge_quick(struct ks_judge *judge, struct ks_proposal *const *proposals, size_t n,
                              struct ks_verdict *verdicts, struct ks_err *err)
{
    return quick(judge, proposals, n, false, verdicts, err);
}

enum ks_status ks_judge_screen(struct ks_judge *judge, struct ks_proposal *const *proposals, size_t n,
                               struct ks_verdict *verdicts, struct ks_err *err)
{
    return quick(judge, proposals, n, true, verdicts, err);
}
