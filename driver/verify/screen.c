#include "verify/screen.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "os/file.h"
#include "os/lock.h"
#include "verify/timing.h"
#include "verify/vector.h"

#define PAIRS 7   // a median of seven tells 1.05 from 1.00 on a quiet card, which is all it is for
#define ONCE_US 1e5 // of an original that takes so long two runs differ by less than a look tells
#define SLOW 3.0  // seconds one look may take beside fifty times the original's

// One workload laid out in a worker that holds the cubins of the batch.
struct screen {
    struct ks_judge *judge;
    struct ks_arena *arena;
    struct ks_worker worker;
    struct ks_shelf shelf;       // of the worker
    bool placed;                 // the worker holds the workload's buffers, with these workspaces
    const int64_t *workspaces;
    size_t n_workspaces;
    uint64_t addresses[KS_LAUNCH_SLOTS];
    const struct ks_problem *problem;
    struct ks_vector vector;
    double baseline_us;
    int batch;
};

static void drop_worker(struct screen *s)
{
    ks_worker_stop(&s->worker);
    s->shelf = (struct ks_shelf){0};
    s->placed = false;
}

// Filling large inputs takes longer than timing: candidates whose workspaces agree share them. Each
// look ends with a check that inputs are as they were, else the worker is not used again.
static enum ks_answer place(struct screen *s, const int64_t *workspaces, size_t n)
{
    if (s->placed && s->n_workspaces == n &&
        (n == 0 || memcmp(s->workspaces, workspaces, n * sizeof *workspaces) == 0))
        return KS_ANSWER_OK;
    s->placed = false;
    enum ks_answer answer = ks_vector_place(s->arena, &s->vector, &s->worker, KS_AS_ALLOCATED,
                                            workspaces, n, KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(&s->vector, &s->worker, s->addresses);
    s->placed = answer == KS_ANSWER_OK;
    s->workspaces = workspaces;
    s->n_workspaces = n;
    return answer;
}

// A long original has run once, which serves all: else its second run would be most of what looks take, and of a short budget.
static enum ks_answer take_ratio(struct screen *s, json_t *a, json_t *b, double *ratio)
{
    const bool known = s->baseline_us >= ONCE_US;
    json_t *request = json_pack("{s:O,s:O,s:i,s:i,s:b,s:i,s:i,s:b}", "a", known ? b : a, "b", b, "pairs", PAIRS, "enough_us",
                                KS_ENOUGH_US, "cold", s->batch == 1, "batch", s->batch, "poison", 0x5a5a5a5a,
                                "deterministic", 0);
    enum ks_answer answer = ks_worker_ask(
        &s->worker, "time", request, SLOW + 50e-6 * 2 * (PAIRS + 6) * s->baseline_us * s->batch);
    if (answer != KS_ANSWER_OK)
        return answer;
    const json_t *as = json_object_get(s->worker.reply, "a"),
                 *bs = json_object_get(s->worker.reply, "b");
    double ratios[PAIRS];
    size_t n = json_array_size(as);
    if (n == 0 || n > PAIRS || json_array_size(bs) != n)
        return KS_ANSWER_LIED;
    for (size_t i = 0; i < n; i++)
        ratios[i] = (known ? s->baseline_us : json_number_value(json_array_get(as, i))) / json_number_value(json_array_get(bs, i));
    *ratio = ks_median(ratios, n);
    return isfinite(*ratio) && *ratio > 0 ? KS_ANSWER_OK : KS_ANSWER_LIED;
}

// Looks at one candidate. *ratio stays 0 when its guard or plan does not take the workload.
static enum ks_answer look(struct screen *s, const struct ks_candidate *c, double *ratio,
                           struct ks_err *err)
{
    const struct ks_judge *judge = s->judge;
    const struct ks_proposal *proposal = c->proposal;
    uint64_t addresses[64];
    char reason[256];
    int64_t *workspaces = KS_NEW_ARRAY(s->arena, int64_t, proposal->n_workspaces);
    struct ks_scope scope = ks_judge_scope(judge, &s->vector.problem, &s->vector.layout, proposal);
    scope.original = c->original;
    scope.addresses = addresses;
    ks_placement_predict(&s->vector.layout, KS_AS_ALLOCATED, addresses);
    if (!ks_scope_admits(&scope) ||
        !ks_launch_workspaces(&scope, &judge->device, workspaces, reason))
        return KS_ANSWER_OK;
    enum ks_answer answer = place(s, workspaces, proposal->n_workspaces);
    if (answer != KS_ANSWER_OK)
        return answer;
    scope.addresses = s->addresses;
    scope.workspaces = workspaces;
    json_t *b = ks_launch_plan(&scope, &judge->device, s->shelf.module, c->names, reason);
    json_t *a = ks_launch_original(&scope, s->shelf.module);
    if (b != NULL) {
        if (s->baseline_us == 0 &&
            ks_timing_baseline(&s->worker, a, &s->baseline_us, &s->batch, err) != KS_OK)
            answer = KS_ANSWER_TOOL;
        else
            answer = take_ratio(s, a, b, ratio);
    }
    json_decref(a);
    json_decref(b);
    return answer;
}

// A worker with a candidate's cubin and the names of it and of the original there.
static enum ks_status load(struct screen *s, const struct ks_candidate *c, enum ks_answer *answer,
                           struct ks_err *err)
{
    const char **names = KS_NEW_ARRAY(s->arena, const char *, c->n + 1);
    for (size_t i = 0; i < c->n; i++)
        names[i] = c->names[i];
    names[c->n] = c->original;
    if (!ks_worker_alive(&s->worker)) {
        drop_worker(s);
        KS_TRY(ks_runner_take(s->judge, &s->worker, KS_SPARES, err));
    }
    *answer = ks_worker_shelve(&s->worker, s->arena, &s->shelf, c->cubin, names, c->n + 1);
    return KS_OK;
}

static enum ks_status screen_all(struct screen *s, const struct ks_candidate *const *candidates,
                                 size_t n, double *ratios, struct ks_err *err)
{
    struct ks_judge *judge = s->judge;
    bool *spoils = KS_NEW_ARRAY(s->arena, bool, n); // or hangs: once is enough
    for (size_t w = 0; w < judge->n_problems; w++) {
        s->problem = &judge->problems[w];
        s->vector = (struct ks_vector){.problem = *s->problem,
                                       .layout = ks_layout_of(s->arena, s->problem),
                                       .family = KS_FAMILY_DECLARED, .seed = ks_seed_from_os()};
        s->baseline_us = 0;
        s->placed = false;
        for (size_t i = 0; i < n; i++) {
            double *ratio = &ratios[i * judge->n_problems + w];
            enum ks_answer answer;
            *ratio = 0;
            if (spoils[i])
                continue;
            KS_TRY(load(s, candidates[i], &answer, err));
            if (answer == KS_ANSWER_OK)
                answer = look(s, candidates[i], ratio, err);
            if (answer == KS_ANSWER_INTERRUPTED || answer == KS_ANSWER_TOOL)
                return ks_answer_status(&s->worker, answer, "a screening worker", err);
            if (answer != KS_ANSWER_OK) { // the next one gets a fresh worker
                drop_worker(s);
                spoils[i] = true;
                *ratio = 0;
            }
        }
    }
    return KS_OK;
}

enum ks_status ks_screen_run(struct ks_judge *judge, struct ks_arena *arena,
                             const struct ks_candidate *const *candidates, size_t n, double *ratios,
                             struct ks_err *err)
{
    struct screen s = {.judge = judge, .arena = arena};
    struct ks_lock lock = {.fd = -1};
    const char *dir = judge->tu->config->runtime_dir;
    KS_TRY(ks_device_lock(arena, dir, judge->device.uuid, -1, &lock, err));
    ks_leaving_wait(&judge->leaving);
    enum ks_status status = screen_all(&s, candidates, n, ratios, err);
    ks_lock_release(&lock);
    drop_worker(&s);
    return status;
}
