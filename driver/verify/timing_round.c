// What one workload's timing consists of: buffers and plans, pairs, controls, looks, outputs.
#include "verify/timing_round.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "verify/check.h"
#include "verify/recall.h"

#define LONG_US 50.0        // from here on one launch after a flush is timed, below it batches
#define WINDOW_US 200.0     // a batch lasts at least this
#define MAX_BATCH 100
#define MAX_SETS 16         // of single launches
#define MAX_GROUPS 8        // of batches, as many as the worker keeps
#define BASELINE_PAIRS 5
#define BASELINE_TRIES 3
#define WARM_MOST_US 10e3   // of the original: 60 MB that the L2 holds come from DRAM in a few hundredths of a percent of that

double ks_timing_floor_us(int64_t traffic, int64_t l2_bytes, double copy_gbs)
{
    double bytes = (double)(traffic - l2_bytes);
    return bytes > 0 && copy_gbs > 0 ? bytes / (copy_gbs * 1.2 * 1e3) : 0;
}

static double time_seconds(const struct ks_method *m, size_t pairs, const struct ks_problem *problem)
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
                                 const struct ks_method *m, const struct ks_problem *problem,
                                 size_t pairs, struct ks_samples *samples, bool *outputs_ok)
{
    json_t *request = json_pack("{s:O,s:O,s:I,s:b,s:i,s:o,s:b}", "a", a, "b", b, "pairs",
                                (json_int_t)pairs, "cold", m->cold, "batch", m->batch, "poison",
                                m->poisoned ? json_integer(m->poison) : json_null(),
                                "deterministic", m->deterministic);
    if (m->groups > 0)
        json_object_set_new(request, "groups", json_integer(m->groups));
    if (m->enough_us > 0)
        json_object_set_new(request, "enough_us", json_integer(m->enough_us));
    if (m->steady)
        json_object_set_new(request, "steady", json_true());
    enum ks_answer answer = ks_worker_ask(worker, "time", request, time_seconds(m, pairs, problem));
    if (answer != KS_ANSWER_OK)
        return answer;
    const json_t *reply = worker->reply;
    size_t got = json_array_size(json_object_get(reply, "a"));
    if (m->enough_us > 0) {
        int64_t taken = ks_json_int(reply, "taken", (int64_t)pairs);
        pairs = taken < 1 ? 1 : taken < (int64_t)pairs ? (size_t)taken : pairs;
    }
    // Pairs at a low clock are dropped by the worker; more than one in five only where it is to be steady.
    if (got > pairs || got * 5 < pairs * 4 ||
        !read_times(json_object_get(reply, "a"), got, samples->a + samples->n) ||
        !read_times(json_object_get(reply, "b"), got, samples->b + samples->n)) {
        if (got * 5 >= pairs * 4) {
            snprintf(worker->text, sizeof worker->text, "times without sense");
            return KS_ANSWER_LIED;
        }
        snprintf(worker->text, sizeof worker->text,
                 "the clock was too unsteady: in %zu of %zu pairs far below its median of %.0f MHz",
                 pairs - got, pairs, ks_json_num(reply, "clock_mhz", 0));
        return KS_ANSWER_LIMIT;
    }
    samples->n += got;
    if (outputs_ok != NULL)
        *outputs_ok = *outputs_ok && ks_json_bool(reply, "fingerprints_ok", false);
    return KS_ANSWER_OK;
}

enum ks_answer ks_round_pairs(struct ks_round *r, json_t *x, json_t *y, size_t pairs,
                              struct ks_samples *samples, bool *outputs_ok)
{
    return time_pairs(r->worker, x, y, &r->method, r->problem, pairs, samples, outputs_ok);
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
        struct ks_samples s = {.n = 0};
        struct ks_method m = {*batch == 1, *batch, 0, 1e4, 0x5a5a5a5a, true, false, KS_ENOUGH_US, true};
        enum ks_answer answer = KS_ANSWER_LIMIT; // a clock on its way up is steady soon
        for (int tries = 0; tries < BASELINE_TRIES && answer == KS_ANSWER_LIMIT; tries++)
            answer = time_pairs(worker, plan, plan, &m, NULL, BASELINE_PAIRS, &s, NULL);
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

enum ks_status ks_round_answer(struct ks_round *r, enum ks_answer answer, struct ks_err *err)
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

bool ks_round_failed(const struct ks_round *r)
{
    return r->timed->speed == KS_S_VOID || *r->correctness != KS_C_CORRECT;
}

int ks_timing_sets(const struct ks_device_info *device, int64_t bytes, int batch)
{
    int64_t l2 = device->l2_bytes;
    int64_t want = bytes > 0 ? (3 * l2 + bytes - 1) / bytes : 1;
    int64_t fit = bytes > 0 && device->memory_free > 0 ? device->memory_free / 4 / bytes : MAX_SETS;
    int64_t groups = (want + batch - 1) / batch, most = batch == 1 ? MAX_SETS : MAX_GROUPS;
    groups = groups > most ? most : groups < 2 ? 2 : groups;
    if (groups * batch > fit)
        groups = fit / batch < 1 ? 1 : fit / batch;
    return (int)groups * batch;
}

// One arm on the vector: sizes of its workspaces, which stand behind `first` others on the worker.
struct arm {
    const struct ks_candidate *candidate;
    struct ks_scope scope;
    int64_t *workspaces;
};

static bool arm_begin(struct ks_round *r, const struct ks_candidate *candidate,
                      const uint64_t *addresses, size_t first, struct arm *arm)
{
    char reason[256];
    size_t n = candidate->proposal->n_workspaces;
    *arm = (struct arm){candidate, ks_judge_scope(r->judge, &r->vector->problem, &r->vector->layout,
                                                  candidate->proposal),
                        KS_NEW_ARRAY(r->arena, int64_t, n)};
    arm->scope.addresses = addresses;
    arm->scope.first_workspace = first;
    return ks_scope_admits(&arm->scope) &&
           ks_launch_workspaces(&arm->scope, &r->judge->device, arm->workspaces, reason);
}

static json_t *arm_plan(struct ks_round *r, struct arm *arm)
{
    char reason[256];
    arm->scope.workspaces = arm->workspaces;
    return ks_scope_admits(&arm->scope) ? ks_launch_plan(&arm->scope, &r->judge->device, "m0",
                                                         arm->candidate->names, reason)
                                        : NULL;
}

// Buffers on the worker, and both arms' plans. KS_ANSWER_OK with a or b NULL: excluded.
static enum ks_answer place_arms(struct ks_round *r)
{
    struct arm a = {.candidate = r->against}, b;
    uint64_t addresses[64];
    size_t first = r->against != NULL ? r->against->proposal->n_workspaces : 0;
    size_t n = first + r->candidate->proposal->n_workspaces;
    struct ks_placement placement = KS_AS_ALLOCATED;
    ks_placement_predict(&r->vector->layout, placement, addresses);
    if (!arm_begin(r, r->candidate, addresses, first, &b) ||
        (r->against != NULL && !arm_begin(r, r->against, addresses, 0, &a)))
        return KS_ANSWER_OK;
    int64_t *workspaces = KS_NEW_ARRAY(r->arena, int64_t, n);
    for (size_t i = 0; i < n; i++)
        workspaces[i] = i < first ? a.workspaces[i] : b.workspaces[i - first];
    enum ks_answer answer = ks_vector_place(r->arena, r->vector, r->worker, placement, workspaces, n,
                                            KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(r->vector, r->worker, addresses);
    if (answer != KS_ANSWER_OK)
        return answer;
    struct ks_scope plain = ks_judge_scope(r->judge, &r->vector->problem, &r->vector->layout, NULL);
    plain.original = r->candidate->original;
    r->b = arm_plan(r, &b);
    if (r->b != NULL)
        r->a = r->against != NULL ? arm_plan(r, &a) : ks_launch_original(&plain, "m0");
    if (r->a == NULL) {
        json_decref(r->b);
        r->b = NULL;
    }
    return KS_ANSWER_OK;
}

enum ks_status ks_round_prepare(struct ks_round *r, struct ks_err *err)
{
    struct ks_judge *judge = r->judge;
    KS_TRY(ks_recall(judge, r->problem, KS_FAMILY_DECLARED, 0, KS_SKEW_NONE, &r->vector, err));
    if (r->vector->excluded)
        return KS_OK;
    enum ks_answer answer = place_arms(r);
    if (answer != KS_ANSWER_OK)
        return ks_round_answer(r, answer, err);
    if (r->b == NULL)
        return KS_OK;
    r->method = (struct ks_method){.poison = r->vector->poison[0],
                                   .poisoned = ks_judge_defends(judge, KS_D_POISON),
                                   .deterministic = ks_vector_repeats(judge, r->vector)};
    ks_leaving_wait(&judge->leaving); // nothing closes on the device from here on
    KS_TRY(ks_timing_baseline(r->worker, r->a, &r->method.baseline_us, &r->method.batch, err));
    r->method.cold = r->method.batch == 1;
    r->sets = ks_judge_defends(judge, KS_D_ROTATION) // else weakened on purpose
                  ? ks_timing_sets(&judge->device, ks_problem_bytes(&r->vector->problem), r->method.batch)
                  : r->method.batch;
    answer = ks_worker_ask(r->worker, "sets", json_pack("{s:i}", "count", r->sets),
                           60 + (double)ks_problem_bytes(&r->vector->problem) * r->sets / 1e9);
    return answer == KS_ANSWER_OK ? KS_OK : ks_round_answer(r, answer, err);
}

void ks_round_finish(struct ks_round *r)
{
    json_decref(r->a);
    json_decref(r->b);
    r->a = r->b = NULL;
    if (r->vector != NULL)
        ks_recall_done(r->judge, r->vector);
    r->vector = NULL;
}

// The last output of each set, in full.
enum ks_status ks_round_outputs(struct ks_round *r, struct ks_err *err)
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
            if (answer == KS_ANSWER_OK)
                status = ks_vector_settle(r->judge, r->arena, v, o, got, 0, &c, err);
            free(got);
            KS_TRY(status);
            if (answer != KS_ANSWER_OK)
                return ks_round_answer(r, answer, err);
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

enum ks_status ks_round_control(struct ks_round *r, double *alone_us, double *differs, struct ks_err *err)
{
    *differs = 0;
    if (!ks_judge_defends(r->judge, KS_D_CONTROL)) {
        *alone_us = INFINITY;
        return KS_OK;
    }
    double most = 0;
    for (int attempt = 0; attempt < 2; attempt++) {
        struct ks_samples s = {.n = 0};
        enum ks_answer answer = ks_round_pairs(r, r->a, r->a, ks_look_pairs(0, r->method.baseline_us), &s, NULL);
        if (answer != KS_ANSWER_OK)
            return ks_round_answer(r, answer, err);
        *alone_us = ks_median(s.a, s.n);
        double by = ks_control_differs(s.a, s.b, s.n);
        if (by <= KS_CONTROL_QUIET)
            return KS_OK;
        most = fmax(most, by);
    }
    *differs = most;
    if (most <= KS_CONTROL_LOUD)
        return KS_OK;
    r->timed->speed = KS_S_VOID;
    snprintf(r->timed->reason, sizeof r->timed->reason,
             "the device is not quiet: the original differs from itself by %.0f %%", 100 * most);
    return KS_OK;
}

enum ks_status ks_round_floor(struct ks_round *r, double *floor_us, struct ks_err *err)
{
    *floor_us = 0;
    if (r->judge->copy_gbs == 0) {
        enum ks_answer answer = ks_worker_ask(r->worker, "ceilings", json_object(), 60);
        if (answer != KS_ANSWER_OK)
            return ks_round_answer(r, answer, err);
        r->judge->copy_gbs = ks_json_num(r->worker->reply, "copy_gbs", 0);
    }
    int64_t bytes = ks_problem_bytes(&r->vector->problem);
    // A batch over sets that fit into L2 may beat DRAM honestly.
    if (r->method.cold || bytes * r->sets >= 3 * (int64_t)r->judge->device.l2_bytes)
        *floor_us = ks_timing_floor_us(ks_problem_traffic(&r->vector->problem),
                                       r->judge->device.l2_bytes, r->judge->copy_gbs);
    return KS_OK;
}

enum ks_status ks_round_looks(struct ks_round *r, const struct ks_accept_rule *rule,
                            struct ks_paired *paired, enum ks_look *look, struct ks_err *err)
{
    struct ks_samples s = {.n = 0};
    bool outputs_ok = true;
    *look = KS_LOOK_MORE;
    for (int i = 0; i < KS_LOOKS && *look == KS_LOOK_MORE; i++) {
        size_t pairs = ks_look_pairs(i, r->method.baseline_us);
        enum ks_answer answer = ks_round_pairs(r, r->a, r->b, pairs - s.n, &s, &outputs_ok);
        if (answer != KS_ANSWER_OK)
            return ks_round_answer(r, answer, err);
        if (!outputs_ok && ks_judge_defends(r->judge, KS_D_TIMED_OUTPUT)) {
            *r->correctness = r->vector->deterministic ? KS_C_NONDET : KS_C_WRONG;
            snprintf(r->timed->reason, sizeof r->timed->reason,
                     "outputs of timed runs differ from the verified one");
            return KS_OK;
        }
        *look = ks_accept_look(rule, i, s.a, s.b, s.n, paired);
        if (s.n < pairs && *look == KS_LOOK_MORE && i + 1 == KS_LOOKS)
            *look = KS_LOOK_OPEN;
    }
    return KS_OK;
}

enum ks_status ks_round_warm(struct ks_round *r, const struct ks_accept_rule *rule, double *ratio, bool *slower, struct ks_err *err)
{
    const struct ks_method usual = r->method;
    const int64_t l2 = r->judge->device.l2_bytes, bytes = ks_problem_bytes(&r->vector->problem);
    struct ks_samples s = {.n = 0};
    struct ks_paired paired;
    *ratio = 0;
    *slower = false;
    if (bytes * usual.batch > l2 || usual.baseline_us > WARM_MOST_US || (!usual.cold && bytes * r->sets <= l2))
        return KS_OK;
    r->method.cold = false;
    r->method.groups = 1;
    enum ks_answer answer = ks_round_pairs(r, r->a, r->b, ks_look_pairs(0, usual.baseline_us), &s, NULL);
    r->method = usual;
    if (answer != KS_ANSWER_OK)
        return ks_round_answer(r, answer, err);
    ks_paired_of(s.a, s.b, s.n, rule->alpha / KS_LOOKS, &paired);
    *ratio = paired.ratio;
    *slower = paired.upper < rule->loss;
    return KS_OK;
}

const char *ks_round_method(struct ks_arena *arena, const struct ks_method *m)
{
    return m->cold ? "flushed events" : ks_arena_printf(arena, "graph of %d", m->batch);
}

