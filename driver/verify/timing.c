#include "verify/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "os/file.h"
#include "os/lock.h"
#include "verify/check.h"
#include "verify/recall.h"
#include "verify/schedule.h"

#define LONG_US 50.0        // from here on one launch after a flush is timed, below it batches
#define WINDOW_US 200.0     // a batch lasts at least this
#define MAX_BATCH 100
#define MAX_SETS 16         // of single launches
#define MAX_GROUPS 8        // of batches, as many as the worker keeps
#define BASELINE_PAIRS 5
#define FLOOR_STEPS 3       // sizes divided by 4, 16, 64
#define SABOTAGE 1.01       // the original beside the candidate, over the original beside itself

double ks_timing_floor_us(int64_t traffic, int64_t l2_bytes, double copy_gbs)
{
    double bytes = (double)(traffic - l2_bytes);
    return bytes > 0 && copy_gbs > 0 ? bytes / (copy_gbs * 1.2 * 1e3) : 0;
}

struct samples {
    double a[401], b[401]; // the last look's count
    size_t n;
};

struct method {
    bool cold;
    int batch;
    double baseline_us;
    uint32_t poison;
    bool poisoned, deterministic;
};

static double time_seconds(const struct method *m, size_t pairs, const struct ks_problem *problem)
{
    // A candidate may be 50 times slower than its original before this counts as a hang.
    double sample = 51 * m->baseline_us * 1e-6 * m->batch + 5e-3 +
                    (problem != NULL ? (double)ks_problem_bytes(problem) / 1e10 : 0);
    return 20 + (double)(pairs + 6) * 2 * sample;
}

static bool read_times(const json_t *list, size_t n, double *out)
{
    if (json_array_size(list) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        out[i] = json_number_value(json_array_get(list, i));
        if (!(out[i] > 0) || !isfinite(out[i]))
            return false;
    }
    return true;
}

// Appends `pairs` pairs. An answer that has no sense counts as a lie.
static enum ks_answer time_pairs(struct ks_worker *worker, json_t *a, json_t *b,
                                 const struct method *m, const struct ks_problem *problem,
                                 size_t pairs, struct samples *samples, bool *outputs_ok)
{
    json_t *request = json_pack("{s:O,s:O,s:I,s:b,s:i,s:o,s:b}", "a", a, "b", b, "pairs",
                                (json_int_t)pairs, "cold", m->cold, "batch", m->batch, "poison",
                                m->poisoned ? json_integer(m->poison) : json_null(),
                                "deterministic", m->deterministic);
    enum ks_answer answer = ks_worker_ask(worker, "time", request, time_seconds(m, pairs, problem));
    if (answer != KS_ANSWER_OK)
        return answer;
    const json_t *reply = worker->reply;
    size_t got = json_array_size(json_object_get(reply, "a"));
    // Pairs at a low clock are dropped by the worker: never more than one in five.
    if (got > pairs || got * 5 < pairs * 4 ||
        !read_times(json_object_get(reply, "a"), got, samples->a + samples->n) ||
        !read_times(json_object_get(reply, "b"), got, samples->b + samples->n)) {
        snprintf(worker->text, sizeof worker->text, "%s",
                 got * 5 < pairs * 4 ? "the clock was too unsteady" : "times without sense");
        return got * 5 < pairs * 4 ? KS_ANSWER_LIMIT : KS_ANSWER_LIED;
    }
    samples->n += got;
    if (outputs_ok != NULL)
        *outputs_ok = *outputs_ok && ks_json_bool(reply, "fingerprints_ok", false);
    return KS_ANSWER_OK;
}

static int batch_for(double us)
{
    double k = ceil(WINDOW_US / us);
    return k < 4 ? 4 : k > MAX_BATCH ? MAX_BATCH : (int)k;
}

enum ks_status ks_timing_baseline(struct ks_worker *worker, json_t *plan, double *microseconds,
                                  int *batch, struct ks_err *err)
{
    *batch = 1;
    for (int attempt = 0; attempt < 2; attempt++) {
        struct samples s = {.n = 0};
        struct method m = {*batch == 1, *batch, 1e4, 0x5a5a5a5a, true, false};
        enum ks_answer answer = time_pairs(worker, plan, plan, &m, NULL, BASELINE_PAIRS, &s, NULL);
        if (answer != KS_ANSWER_OK)
            return ks_answer_status(worker, answer, "timing the original", err);
        *microseconds = ks_median(s.a, s.n);
        if (attempt > 0 || *microseconds >= LONG_US)
            break;
        *batch = batch_for(*microseconds); // chosen from the original alone
    }
    if (*batch > 1)
        *batch = batch_for(*microseconds);
    return KS_OK;
}

// One workload on its way through.
struct round {
    struct ks_judge *judge;
    struct ks_arena *arena;
    const struct ks_candidate *candidate;
    struct ks_worker *worker;
    const struct ks_problem *problem;
    struct ks_vector *vector, own;
    bool recall;           // in a search: the session's vectors
    json_t *a, *b;
    struct method method;
    int sets;
    struct ks_timed *timed;
    enum ks_correctness *correctness;
};

static enum ks_status of_candidate(struct round *r, enum ks_answer answer, struct ks_err *err)
{
    char reason[512];
    if (answer == KS_ANSWER_LIMIT) {
        r->timed->speed = KS_S_VOID;
        snprintf(r->timed->reason, sizeof r->timed->reason, "not measurable: %.200s", r->worker->text);
        return KS_OK;
    }
    if (!ks_check_answer(answer, r->worker->text, r->correctness, reason))
        return ks_answer_status(r->worker, answer, "the timing worker", err);
    r->timed->speed = KS_S_VOID;
    snprintf(r->timed->reason, sizeof r->timed->reason, "while timed: %.200s", reason);
    return KS_OK;
}

static bool failed(const struct round *r)
{
    return r->timed->speed == KS_S_VOID || *r->correctness != KS_C_CORRECT;
}

// Rotating copies: three times the L2 in all where memory allows, and whole batches, since each launch
// of a batch has a copy of its own.
static int set_count(const struct ks_judge *judge, const struct ks_problem *problem, int batch)
{
    if (!ks_judge_defends(judge, KS_D_ROTATION)) // weakened on purpose
        return batch;
    int64_t bytes = ks_problem_bytes(problem), l2 = judge->device.l2_bytes;
    int64_t want = bytes > 0 ? (3 * l2 + bytes - 1) / bytes : 1;
    int64_t fit = bytes > 0 && judge->device.memory_free > 0 ? judge->device.memory_free / 4 / bytes
                                                             : MAX_SETS;
    int64_t groups = (want + batch - 1) / batch, most = batch == 1 ? MAX_SETS : MAX_GROUPS;
    groups = groups > most ? most : groups < 2 ? 2 : groups;
    if (groups * batch > fit)
        groups = fit / batch < 1 ? 1 : fit / batch;
    return (int)groups * batch;
}

// Buffers, plans and one checked run. Leaves a and b NULL when the guard excludes the problem.
static enum ks_status prepare(struct round *r, enum ks_family family, struct ks_err *err)
{
    struct ks_judge *judge = r->judge;
    const struct ks_proposal *proposal = r->candidate->proposal;
    r->vector = &r->own;
    if (r->recall)
        KS_TRY(ks_recall(judge, r->problem, family, 0, false, &r->vector, err));
    else
        KS_TRY(ks_vector_make(judge, r->arena, r->problem, family, 0, false, r->vector, err));
    if (r->vector->excluded)
        return KS_OK;
    struct ks_scope scope = ks_judge_scope(judge, &r->vector->problem, &r->vector->layout, proposal);
    struct ks_placement placement = KS_AS_ALLOCATED;
    uint64_t addresses[64];
    char reason[256];
    int64_t *workspaces = KS_NEW_ARRAY(r->arena, int64_t, proposal->n_workspaces);
    ks_placement_predict(&r->vector->layout, placement, addresses);
    scope.addresses = addresses;
    if (!ks_scope_admits(&scope) ||
        !ks_launch_workspaces(&scope, &judge->device, workspaces, reason))
        return KS_OK;
    enum ks_answer answer = ks_vector_place(r->arena, r->vector, r->worker, placement, workspaces,
                                            proposal->n_workspaces, KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(r->vector, r->worker, addresses);
    if (answer != KS_ANSWER_OK)
        return of_candidate(r, answer, err);
    scope.workspaces = workspaces;
    if (!ks_scope_admits(&scope))
        return KS_OK;
    r->b = ks_launch_plan(&scope, &judge->device, "m0", r->candidate->names, reason);
    if (r->b == NULL)
        return KS_OK;
    r->a = ks_launch_original(&scope, "m0");
    r->method = (struct method){.poison = r->vector->poison[0],
                                .poisoned = ks_judge_defends(judge, KS_D_POISON),
                                .deterministic = ks_vector_repeats(judge, r->vector)};
    KS_TRY(ks_timing_baseline(r->worker, r->a, &r->method.baseline_us, &r->method.batch, err));
    r->method.cold = r->method.batch == 1;
    r->sets = set_count(judge, &r->vector->problem, r->method.batch);
    answer = ks_worker_ask(r->worker, "sets", json_pack("{s:i}", "count", r->sets),
                           60 + (double)ks_problem_bytes(&r->vector->problem) * r->sets / 1e9);
    return answer == KS_ANSWER_OK ? KS_OK : of_candidate(r, answer, err);
}

static void finish(struct round *r)
{
    json_decref(r->a);
    json_decref(r->b);
    r->a = r->b = NULL;
    if (r->vector != NULL && r->recall)
        ks_recall_done(r->judge, r->vector);
    else if (r->vector != NULL)
        ks_vector_free(r->vector);
    r->vector = NULL;
}

// The last output of each set, in full.
static enum ks_status verify_outputs(struct round *r, struct ks_err *err)
{
    struct ks_vector *v = r->vector;
    for (int s = 0; s < r->sets && ks_judge_defends(r->judge, KS_D_TIMED_OUTPUT); s++)
        for (size_t o = 0; o < v->n_outputs; o++) {
            const struct ks_slot *slot = &v->layout.slots[v->outputs[o].slot];
            uint64_t print;
            enum ks_answer answer = ks_worker_fingerprint(r->worker, v->outputs[o].slot, s, &print, 60);
            if (answer == KS_ANSWER_OK && print == v->outputs[o].print[0])
                continue;
            void *got = malloc((size_t)slot->bytes + 1);
            KS_ASSERT(got != NULL);
            if (answer == KS_ANSWER_OK)
                answer = ks_worker_read(r->worker, v->outputs[o].slot, s, got, (size_t)slot->bytes,
                                        30 + (double)slot->bytes / 5e7);
            enum ks_status status = KS_OK;
            struct ks_comparison c = {.bad = 0};
            if (answer == KS_ANSWER_OK) {
                status = ks_vector_read(r->judge, v, err);
                if (status == KS_OK)
                    status = ks_vector_scale(r->judge, r->arena, v, err);
                if (status == KS_OK)
                    ks_vector_compare(r->judge, v, o, got, 0, &c);
            }
            free(got);
            KS_TRY(status);
            if (answer != KS_ANSWER_OK)
                return of_candidate(r, answer, err);
            if (c.bad > 0) {
                *r->correctness = KS_C_WRONG;
                snprintf(r->timed->reason, sizeof r->timed->reason,
                         "output `%s` of a timed run differs: %s",
                         v->problem.args[slot->arg].name, c.pattern);
                return KS_OK;
            }
        }
    return KS_OK;
}

// Original against itself, twice if need be; the median of the quiet one in *alone_us.
static enum ks_status control(struct round *r, double *alone_us, struct ks_err *err)
{
    if (!ks_judge_defends(r->judge, KS_D_CONTROL)) {
        *alone_us = INFINITY;
        return KS_OK;
    }
    for (int attempt = 0; attempt < 2; attempt++) {
        struct samples s = {.n = 0};
        enum ks_answer answer = time_pairs(r->worker, r->a, r->a, &r->method, r->problem,
                                           ks_look_pairs[0], &s, NULL);
        if (answer != KS_ANSWER_OK)
            return of_candidate(r, answer, err);
        *alone_us = ks_median(s.a, s.n);
        if (ks_control_quiet(s.a, s.b, s.n))
            return KS_OK;
    }
    r->timed->speed = KS_S_VOID;
    snprintf(r->timed->reason, sizeof r->timed->reason,
             "the device is not quiet: the original differs from itself by more than 0.5 %%");
    return KS_OK;
}

static enum ks_status compulsory_floor(struct round *r, double *floor_us, struct ks_err *err)
{
    *floor_us = 0;
    if (r->judge->copy_gbs == 0) {
        enum ks_answer answer = ks_worker_ask(r->worker, "ceilings", json_object(), 60);
        if (answer != KS_ANSWER_OK)
            return of_candidate(r, answer, err);
        r->judge->copy_gbs = ks_json_num(r->worker->reply, "copy_gbs", 0);
    }
    int64_t bytes = ks_problem_bytes(&r->vector->problem);
    // A batch over sets that fit into L2 may beat DRAM honestly.
    if (r->method.cold || bytes * r->sets >= 3 * (int64_t)r->judge->device.l2_bytes)
        *floor_us = ks_timing_floor_us(ks_problem_traffic(&r->vector->problem),
                                       r->judge->device.l2_bytes, r->judge->copy_gbs);
    return KS_OK;
}

static enum ks_status looks(struct round *r, const struct ks_accept_rule *rule,
                            struct ks_paired *paired, enum ks_look *look, struct ks_err *err)
{
    struct samples s = {.n = 0};
    bool outputs_ok = true;
    *look = KS_LOOK_MORE;
    for (int i = 0; i < KS_LOOKS && *look == KS_LOOK_MORE; i++) {
        enum ks_answer answer = time_pairs(r->worker, r->a, r->b, &r->method, r->problem,
                                           ks_look_pairs[i] - s.n, &s, &outputs_ok);
        if (answer != KS_ANSWER_OK)
            return of_candidate(r, answer, err);
        if (!outputs_ok && ks_judge_defends(r->judge, KS_D_TIMED_OUTPUT)) {
            *r->correctness = r->vector->deterministic ? KS_C_NONDET : KS_C_WRONG;
            snprintf(r->timed->reason, sizeof r->timed->reason,
                     "outputs of timed runs differ from the verified one");
            return KS_OK;
        }
        *look = ks_accept_look(rule, i, s.a, s.b, s.n, paired);
        if (s.n < ks_look_pairs[i] && *look == KS_LOOK_MORE && i + 1 == KS_LOOKS)
            *look = KS_LOOK_OPEN;
    }
    return KS_OK;
}

static const char *method_text(struct ks_arena *arena, const struct method *m)
{
    return m->cold ? "flushed events" : ks_arena_printf(arena, "graph of %d", m->batch);
}

static enum ks_status one_workload(struct round *r, const struct ks_accept_rule *rule,
                                   struct ks_timing *timing, enum ks_look *look, struct ks_err *err)
{
    struct ks_paired paired = {0};
    double alone_us = 0, floor_us = 0;
    KS_TRY(prepare(r, KS_FAMILY_DECLARED, err));
    if (failed(r))
        return KS_OK;
    if (r->b == NULL) {
        r->timed->speed = KS_S_NOT_FASTER;
        snprintf(r->timed->reason, sizeof r->timed->reason, "guard excludes workload %s",
                 r->problem->name);
        *look = KS_LOOK_NO_GAIN;
        return KS_OK;
    }
    for (int attempt = 0; attempt < 2; attempt++) {
        KS_TRY(control(r, &alone_us, err));
        if (failed(r))
            return KS_OK;
        KS_TRY(looks(r, rule, &paired, look, err));
        if (failed(r) || paired.a_us <= SABOTAGE * alone_us)
            break;
        if (attempt == 1) {
            r->timed->speed = KS_S_VOID;
            snprintf(r->timed->reason, sizeof r->timed->reason,
                     "the original runs slower beside the candidate than alone");
        }
    }
    if (failed(r))
        return KS_OK;
    KS_TRY(compulsory_floor(r, &floor_us, err));
    if (failed(r))
        return KS_OK;
    if (paired.b_us < floor_us && ks_judge_defends(r->judge, KS_D_FLOOR)) {
        r->timed->speed = KS_S_VOID;
        snprintf(r->timed->reason, sizeof r->timed->reason,
                 "suspicious: faster than memory can deliver the workload's bytes");
        return KS_OK;
    }
    KS_TRY(verify_outputs(r, err));
    *timing = (struct ks_timing){
        .workload = ks_arena_strdup(r->judge->arena, r->problem->name),
        .original_us = paired.a_us, .variant_us = paired.b_us, .ratio = paired.ratio,
        .lower = paired.lower, .pairs = (int)paired.pairs,
        .method = method_text(r->judge->arena, &r->method)};
    return KS_OK;
}

// Down to which sizes the candidate is not slower: timed at 1/4, 1/16, 1/64 of the declared ones.
static enum ks_status find_floors(struct round *base, size_t w, struct ks_timed *timed,
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
    for (int step = 0; n > 0 && step < FLOOR_STEPS; step++, divisor *= 4) {
        struct ks_value *smaller = ks_arena_memdup(base->arena, sizes, n * sizeof *smaller);
        for (size_t i = 0; i < n; i++) {
            int64_t value = sizes[i].value / divisor;
            smaller[i].value = value < 1 ? 1 : (value + modulus - 1) / modulus * modulus;
        }
        struct ks_problem problem;
        if (ks_problem_make(base->arena, mark->mark, w, judge->kernel->signature, mark->decl, smaller, n,
                            &problem, NULL) != KS_OK)
            break;
        struct round r = *base;
        r.problem = &problem;
        r.vector = NULL;
        r.a = r.b = NULL;
        struct samples s = {.n = 0};
        struct ks_paired paired = {0};
        enum ks_status status = prepare(&r, KS_FAMILY_DECLARED, err);
        bool usable = status == KS_OK && !failed(&r) && r.b != NULL;
        if (usable) {
            enum ks_answer answer = time_pairs(r.worker, r.a, r.b, &r.method, &problem,
                                               ks_look_pairs[0], &s, NULL);
            if (answer != KS_ANSWER_OK)
                status = of_candidate(&r, answer, err);
            else
                ks_paired_of(s.a, s.b, s.n, ks_rule_search.alpha, &paired);
        }
        finish(&r);
        KS_TRY(status);
        if (timed->speed == KS_S_VOID && *base->correctness == KS_C_CORRECT) {
            // Not measurable at this size: the claim on the declared ones stands.
            timed->speed = before.speed;
            memcpy(timed->reason, before.reason, sizeof timed->reason);
            break;
        }
        if (failed(&r) || !usable || paired.lower < ks_rule_search.loss)
            break;
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
        double weight = judge->problems[w].weight > 0 ? judge->problems[w].weight : 1;
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
            snprintf(timed->reason, sizeof timed->reason, "slower on workload %s (%.3f of the original's speed)",
                     timed->timings[w].workload, timed->timings[w].ratio);
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

static enum ks_status run_all(struct round *base, const struct ks_accept_rule *rule, bool floors,
                              struct ks_err *err)
{
    struct ks_judge *judge = base->judge;
    struct ks_timed *timed = base->timed;
    size_t n = judge->n_problems;
    enum ks_look *look = KS_NEW_ARRAY(base->arena, enum ks_look, n);
    for (size_t w = 0; w < n; w++) {
        struct round r = *base;
        r.problem = &judge->problems[w];
        enum ks_status status = one_workload(&r, rule, &timed->timings[w], &look[w], err);
        bool excluded = status == KS_OK && r.b == NULL;
        finish(&r);
        KS_TRY(status);
        if (failed(&r) || excluded)
            return KS_OK;
        timed->n_timings = w + 1;
        if (look[w] == KS_LOOK_LOSS)
            break;
    }
    conclude(judge, timed, look, timed->n_timings);
    for (size_t w = 0; floors && timed->speed == KS_S_FASTER && w < n; w++)
        KS_TRY(find_floors(base, w, timed, err));
    return KS_OK;
}

enum ks_status ks_timing_run(struct ks_judge *judge, struct ks_arena *arena,
                             const struct ks_candidate *candidate,
                             const struct ks_accept_rule *rule, bool floors,
                             struct ks_timed *timed, enum ks_correctness *correctness,
                             struct ks_err *err)
{
    size_t n = judge->n_problems;
    *timed = (struct ks_timed){.speed = KS_S_NOT_MEASURED};
    timed->timings = KS_NEW_ARRAY(judge->arena, struct ks_timing, n);
    timed->floors = KS_NEW_ARRAY(arena, struct ks_value *, n);
    timed->n_floors = KS_NEW_ARRAY(arena, size_t, n);
    struct ks_worker worker;
    KS_TRY(ks_runner_take(judge, &worker, err));
    // Names of the candidate's kernels and the original's, from the same cubin.
    const char **names = KS_NEW_ARRAY(arena, const char *, candidate->n + 1);
    for (size_t i = 0; i < candidate->n; i++)
        names[i] = candidate->names[i];
    names[candidate->n] = judge->kernel->signature->registered;
    enum ks_answer answer = ks_worker_load(&worker, candidate->cubin, names, candidate->n + 1);
    struct round base = {.judge = judge, .arena = arena, .candidate = candidate, .worker = &worker,
                         .timed = timed, .correctness = correctness,
                         .recall = rule == &ks_rule_search};
    enum ks_status status = KS_OK;
    struct ks_lock lock = {.fd = -1};
    if (answer != KS_ANSWER_OK) {
        status = of_candidate(&base, answer, err);
    } else {
        const char *dir = judge->tu->config->runtime_dir;
        status = ks_dir_make(dir, err);
        if (status == KS_OK)
            status = ks_lock_take(ks_device_lock_path(arena, dir, judge->device.uuid), -1, &lock, err);
        if (status == KS_OK)
            status = run_all(&base, rule, floors, err);
    }
    ks_lock_release(&lock);
    ks_worker_stop(&worker);
    return status;
}
