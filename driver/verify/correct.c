#include "verify/correct.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "os/clock.h"
#include "verify/luck.h"
#include "verify/recall.h"
#include "verify/vary.h"

#define UNSEEN_SHAPES 2 // at least, in a confirmation
#define EXCLUDED_TOLD 2 // of vectors outside the contract; the others are counted
#define SLOW 0.25       // seconds of a vector, for the log
#define MOST_SENT (64 << 20) // bytes of a declared problem whose values are made here and sent to the device
#define PROVING 12      // kinds of values that are run on a declared size by which nothing is proved
#define LOOK_AFTER 4    // vectors: much of what is wrong has shown by then

struct state {
    struct ks_judge *judge;
    struct ks_arena *arena;
    const struct ks_candidate *candidate;
    struct ks_check check;
    struct ks_correct *result;
    enum ks_judging phase;
    struct ks_second_look *look; // to be begun; NULL: begun, or not wanted
    unsigned families;
    unsigned hung; // families beside the declared values on which the original hung: once is slow enough
    uint64_t closed; // of integers without a declared range: which others the original does not serve
    int excluded; // vectors of a workload beside the declared one that the original does not serve
    int shifted;  // of those with spare elements behind buffers, of all workloads
    int unsteady; // vectors of a workload on which the original's own runs differ
};

static uint64_t open_bit(const struct ks_task *task)
{
    const int integers = task->variation / KS_INTEGERS; // those alike go with any
    const int flooded = ks_vary_flooded(task->variation);
    if (ks_vary_leaves_integers(task->variation))
        return 0;
    if (flooded >= 0)
        return ks_arg_is_open(&task->problem->args[flooded])
                   ? UINT64_C(1) << (KS_INTEGERS_OPEN_ONE(flooded) - KS_INTEGERS_OPEN) % (64 - KS_INTEGERS_INDICES) : 0;
    const int k = integers >= KS_INTEGERS_INDEX(0)        ? 63 - (integers - KS_INTEGERS_INDEX(0))
                  : integers >= KS_INTEGERS_OPEN_ALIKE(0) ? 0
                                                          : (integers - KS_INTEGERS_OPEN) % (64 - KS_INTEGERS_INDICES);
    return UINT64_C(1) << k;
}

static size_t count_open(const struct ks_problem *problem)
{
    size_t open = 0;
    for (size_t i = 0; i < problem->n_args; i++)
        open += ks_arg_is_open(&problem->args[i]);
    return open;
}

// Where what is made of such integers turns is not looked for, either, if the original does not serve any.
static bool is_closed_brink(const struct state *s, const struct ks_task *task)
{
    const int arg = ks_vary_brink(task->variation);
    if (arg >= 0 && task->variation / KS_INTEGERS >= KS_INTEGERS_BRINK_OPEN(0))
        return (s->closed & 1) != 0;
    if (arg < 0 || !ks_arg_is_open(&task->problem->args[arg]))
        return false;
    const int alone = count_open(task->problem) == 1 ? KS_INTEGERS_OPEN : KS_INTEGERS_OPEN_ONE(arg);
    return (s->closed >> (alone - KS_INTEGERS_OPEN) % (64 - KS_INTEGERS_INDICES) & 1) != 0;
}

// Of integers of which nothing is declared: those that the original was seen not to serve, and indices where it serves any.
static bool is_closed(const struct state *s, const struct ks_task *task)
{
    const int integers = task->variation / KS_INTEGERS;
    if (integers < KS_INTEGERS_OPEN || task->family == KS_FAMILY_ODD || ks_vary_leaves_integers(task->variation))
        return task->family != KS_FAMILY_ODD && is_closed_brink(s, task);
    return (s->closed & open_bit(task)) != 0 ||
           (integers >= KS_INTEGERS_INDEX(0) && ks_vary_flooded(task->variation) < 0 && (s->closed & 1) == 0);
}

// Integers that the original finds its way by: nothing more is asked of such.
static void note_closed(struct state *s, const struct ks_task *task)
{
    const struct ks_problem *problem = task->problem;
    s->closed |= open_bit(task);
    if (task->variation / KS_INTEGERS >= KS_INTEGERS_OPEN_ALIKE(0))
        return;
    const size_t open = count_open(problem);
    for (size_t i = 0; i < problem->n_args; i++)
        if (ks_arg_is_open(&problem->args[i]) &&
            (open == 1 || task->variation / KS_INTEGERS == KS_INTEGERS_OPEN_ONE(i)))
            ks_judge_note(s->judge, "`%.60s` was judged with 0 to 99, and as an index of its arrays where the original serves that, since it fails "
                          "on other integers: give what it holds, as randint(low,high)", problem->args[i].name);
}

// A vector that the original does not serve.
static void note_excluded(struct state *s, const struct ks_task *task, const struct ks_vector *vector)
{
    char why[300];
    ks_text_fit(why, sizeof why, vector->why);
    if (task->skew != KS_SKEW_NONE) {
        if (s->shifted++ == 0)
            ks_judge_note(s->judge, "outside the contract: buffers that begin elsewhere, by spare elements behind them (%s)",
                          why);
    } else if (!task->problem->derived && task->family == KS_FAMILY_DECLARED &&
               task->variation < KS_INTEGERS) {
        s->result->verdict = KS_C_BASELINE_FAULT;
        ks_text_fit(s->result->reason, sizeof s->result->reason,
                    ks_arena_printf(s->judge->arena, "the original fails on workload %s: %s", task->problem->where,
                                    vector->why));
    } else if (task->variation >= KS_INTEGERS * KS_INTEGERS_OPEN && !ks_vary_leaves_integers(task->variation)) {
        note_closed(s, task);
    } else if (++s->excluded <= EXCLUDED_TOLD) {
        ks_judge_note(s->judge, "%s, family %s: outside the contract, the original fails (%s)",
                      task->problem->name, ks_family_name(task->family), why);
    }
}

// How many they were, and whether nothing but the declared size is left.
static void note_all(const struct state *s, const char *declared, bool others)
{
    if (s->unsteady > 0)
        ks_judge_note(s->judge, "the original is nondeterministic on %d vectors of %s%s", s->unsteady, declared,
                      s->judge->arith.float_atomics ? ": it adds floats with atomics" : "");
    if (s->excluded > EXCLUDED_TOLD)
        ks_judge_note(s->judge, "%d vectors beside %s are outside the contract", s->excluded, declared);
    if (s->excluded > 0 && !others)
        ks_judge_note(s->judge, "the original serves no size but %s: see whether its arrays' values fit smaller ones",
                      declared);
}

struct outcome {
    bool excluded, covered, proved;
};

static enum ks_status run_vector(struct state *s, const struct ks_task *task, struct ks_vector *vector,
                                 int repeats, struct outcome *o, struct ks_err *err)
{
    if (vector->excluded) {
        o->excluded = true;
        if (vector->hung && task->family != KS_FAMILY_DECLARED)
            s->hung |= 1u << task->family;
        note_excluded(s, task, vector);
        return KS_OK;
    }
    s->unsteady += !vector->deterministic;
    // Where the original itself varies, the classes of special values may too.
    if (task->family == KS_FAMILY_SPECIAL && !vector->deterministic) {
        o->excluded = true;
        return KS_OK;
    }
    KS_TRY(ks_leave_luck(s->judge, s->arena, vector, &o->excluded, err));
    if (o->excluded)
        return KS_OK;
    return ks_check_vector(&s->check, s->arena, vector, task->flush, repeats, &s->result->verdict,
                           &o->covered, &o->proved, err);
}

// A vector for a task: the session's or the confirmation's, or *own.
static enum ks_status take_vector(struct state *s, const struct ks_task *task, int variation, bool recalled,
                                  struct ks_vector *own, struct ks_vector **vector, struct ks_err *err)
{
    if (recalled)
        return ks_recall(s->judge, task->problem, task->family, variation, task->skew, vector, err);
    *vector = own;
    return ks_vector_make(s->judge, s->arena, task->problem, task->family, variation, task->skew, own, err);
}

static void leave_vector(struct state *s, bool recalled, struct ks_vector *vector)
{
    if (recalled)
        ks_recall_done(s->judge, vector);
    else
        ks_vector_free(vector);
}

// Odd numbers whose sums are of one size or another, until who rounds factors to TF32 would be seen.
static enum ks_status run_odd(struct state *s, const struct ks_task *task, struct outcome *o, struct ks_err *err)
{
    static const int exponents[] = {4, 2, 6, 0, 8};
    const char *name = task->problem->args[task->variation / KS_ODD(1, 0)].name;
    bool shows = false, served = false;
    double start = ks_now();
    *o = (struct outcome){false, false, false};
    const size_t first = s->judge->odd_shown, n = sizeof exponents / sizeof *exponents;
    for (size_t i = 0; !shows && i < n; i++) {
        const size_t at = (first + i) % n;
        struct ks_vector own, *vector;
        KS_TRY(take_vector(s, task, task->variation + exponents[at], true, &own, &vector, err));
        served = served || !vector->excluded;
        enum ks_status status = vector->excluded ? KS_OK : ks_vector_shows(s->judge, s->arena, vector, &shows, err);
        if (status == KS_OK && shows)
            status = run_vector(s, task, vector, 0, o, err);
        leave_vector(s, true, vector);
        ks_debug("%s, family odd, `%s` and 2^-%d: %s, %.2f s", task->problem->name, name, exponents[at],
                 shows ? "shows" : "would not show", ks_now() - start);
        KS_TRY(status);
        s->judge->odd_shown = shows ? at : first;
    }
    if (shows)
        s->families |= 1u << task->family;
    o->excluded = !served && task->problem->derived;
    if (shows || o->excluded)
        return KS_OK;
    s->result->verdict = KS_C_STATIC;
    snprintf(s->result->reason, sizeof s->result->reason,
             "the candidate contains TF32, which the original does not use, and its results would not show `%s` rounded to it: %.200s",
             name, s->judge->wide.absent != NULL ? s->judge->wide.absent
                                           : "more is made of it than a sum of products with element-wise operations behind");
    return KS_OK;
}

// One vector of the session's or the confirmation's; another one if it turns out to prove nothing.
static enum ks_status run_task(struct state *s, const struct ks_task *task, struct outcome *o,
                               struct ks_err *err)
{
    double start = ks_now();
    *o = (struct outcome){false, false, false};
    for (int attempt = 0; attempt < 2 && !o->proved; attempt++) {
        struct ks_vector own, *vector;
        bool recalled = attempt == 0;
        KS_TRY(take_vector(s, task, task->variation, recalled, &own, &vector, err));
        enum ks_status status =
            run_vector(s, task, vector, attempt == 0 ? task->repeats : 0, o, err);
        leave_vector(s, recalled, vector);
        if (ks_now() - start > SLOW)
            ks_debug("%s, family %s: %.2f s", task->problem->name, ks_family_name(task->family), ks_now() - start);
        KS_TRY(status);
        if (s->result->verdict != KS_C_CORRECT || o->excluded || !o->covered)
            return KS_OK;
    }
    s->families |= 1u << task->family;
    return KS_OK;
}

// One task while others may run on the device too, but none takes times.
static enum ks_status share_task(struct state *s, const struct ks_task *task, struct outcome *o, struct ks_err *err)
{
    struct ks_lock lock;
    KS_TRY(ks_judge_share(s->judge, &lock, err));
    enum ks_status status = task->family == KS_FAMILY_ODD ? run_odd(s, task, o, err) : run_task(s, task, o, err);
    ks_lock_release(&lock);
    return status;
}

// Of a workload's vectors: on how many of the declared problem one would see a trivial answer, and on which values of smaller
// ones, no two of them of one family and kind.
struct proving {
    int declared;
    struct ks_task at[PROVING]; size_t n;
};

static void note_proof(struct proving *p, const struct ks_task *task)
{
    bool known = task->family == KS_FAMILY_ODD || task->skew != KS_SKEW_NONE || p->n == PROVING;
    p->declared += !task->problem->derived;
    for (size_t i = 0; i < p->n; i++)
        known = known || (p->at[i].family == task->family && p->at[i].variation / KS_INTEGERS == task->variation / KS_INTEGERS);
    if (!known && task->problem->derived)
        p->at[p->n++] = *task;
}

// What is declared may always come to one answer, which whoever gives that from some size on has right as well: then the values that
// told smaller sizes' answers apart are run on the declared size, too.
static enum ks_status prove_declared(struct state *s, size_t w, struct proving *p, struct ks_err *err)
{
    struct ks_correct *result = s->result;
    const struct ks_problem *declared = &s->judge->problems[w];
    struct outcome o;
    if (s->phase != KS_JUDGE_FULL || !result->covered[w] || !ks_judge_defends(s->judge, KS_D_VACUITY))
        return KS_OK;
    for (size_t i = 0; i < p->n && p->declared == 0; i++) {
        struct ks_task task = p->at[i];
        const bool sent = task.family == KS_FAMILY_LITERALS || task.variation >= KS_INTEGERS; // made here, not on the device
        task.problem = declared;
        task.repeats = 0;
        if (s->hung >> task.family & 1 || (sent && ks_problem_bytes(declared) > MOST_SENT))
            continue;
        KS_TRY(share_task(s, &task, &o, err));
        if (result->verdict != KS_C_CORRECT)
            return KS_OK;
        p->declared += o.proved;
    }
    if (p->declared > 0)
        return KS_OK;
    result->verdict = KS_C_VOID;
    snprintf(result->reason, sizeof result->reason, "no test vector of the declared size (the workload at %s) could have caught a trivial "
             "answer: give it inputs that matter", declared->where);
    return KS_OK;
}

static enum ks_status run_workload(struct state *s, size_t w, const struct ks_schedule *schedule,
                                   struct ks_err *err)
{
    struct ks_correct *result = s->result;
    struct proving proving = {.declared = 0};
    KS_VEC(const struct ks_problem *) passed = {0};
    const struct ks_problem *skip = NULL;
    int proofs = 0, voids = 0;
    bool others = false;
    s->excluded = s->unsteady = 0;
    for (size_t t = 0; t < schedule->n_tasks; t++) {
        const struct ks_task *task = &schedule->tasks[t];
        struct outcome o;
        if (task->problem == skip || s->hung >> task->family & 1 || is_closed(s, task))
            continue;
        // The guard is looked at before the oracle works.
        if (!ks_guard_admits(s->judge, s->arena, s->candidate->proposal, task->problem)) {
            skip = task->problem;
            continue;
        }
        KS_TRY(share_task(s, task, &o, err));
        if (result->verdict != KS_C_CORRECT)
            return KS_OK;
        if (o.excluded && task->family == KS_FAMILY_DECLARED && task->skew == KS_SKEW_NONE &&
            task->variation < KS_INTEGERS)
            skip = task->problem; // this size is outside the contract
        if (o.excluded || !o.covered)
            continue;
        if (s->look != NULL && s->check.tested->vectors >= LOOK_AFTER) {
            ks_second_look_begin(s->look, s->judge, s->candidate);
            s->look = NULL;
        }
        proofs += o.proved;
        voids += !o.proved;
        if (o.proved)
            note_proof(&proving, task);
        if (task->family != KS_FAMILY_ODD && (passed.len == 0 || passed.at[passed.len - 1] != task->problem)) {
            *ks_vec_push(s->arena, &passed) = task->problem;
            result->shapes++;
        }
        if (!task->problem->derived)
            result->covered[w] = true;
        others = others || task->problem->derived;
    }
    note_all(s, s->judge->problems[w].name, others);
    if (voids > 0)
        ks_judge_note(s->judge, "%d of %d vectors of %s could not have caught a trivial answer", voids,
                      voids + proofs, s->judge->problems[w].name);
    if (passed.len > 0 && proofs == 0) {
        result->verdict = KS_C_VOID;
        snprintf(result->reason, sizeof result->reason,
                 "no test vector of the workload at %s could have caught a trivial answer: give it "
                 "inputs that matter", s->judge->problems[w].where);
        return KS_OK;
    }
    if (proofs > 0)
        KS_TRY(prove_declared(s, w, &proving, err));
    result->seen[w] = (struct ks_seen){w, passed.at, passed.len, NULL, 0};
    return KS_OK;
}

static enum ks_status run_all(struct state *s, struct ks_err *err)
{
    struct ks_judge *judge = s->judge;
    struct ks_correct *result = s->result;
    size_t passed = 0;
    for (size_t w = 0; w < judge->n_problems; w++) {
        struct ks_schedule schedule;
        if (s->phase == KS_JUDGE_FULL) {
            KS_TRY(ks_schedule_full(judge, s->arena, w, s->candidate->proposal, &schedule, err));
        } else {
            size_t unseen = ks_judge_defends(judge, KS_D_UNSEEN) ? UNSEEN_SHAPES : 0;
            KS_TRY(ks_schedule_confirm(judge, s->arena, w, s->candidate->proposal, unseen, &schedule,
                                       err));
        }
        KS_TRY(run_workload(s, w, &schedule, err));
        if (result->verdict != KS_C_CORRECT)
            return KS_OK;
        passed += result->seen[w].n_passed;
    }
    if (passed == 0) {
        result->verdict = KS_C_VOID;
        snprintf(result->reason, sizeof result->reason, "the guard admits none of the tested launches");
    }
    return KS_OK;
}

enum ks_status ks_correct_run(struct ks_judge *judge, struct ks_arena *arena,
                              const struct ks_candidate *candidate, enum ks_judging phase,
                              struct ks_second_look *look, struct ks_correct *result, struct ks_err *err)
{
    struct ks_worker runner;
    *result = (struct ks_correct){.verdict = KS_C_CORRECT, .n_seen = judge->n_problems};
    result->tested.deterministic = !judge->arith.float_atomics; // else nobody can ask it of a candidate
    result->seen = KS_NEW_ARRAY(arena, struct ks_seen, judge->n_problems);
    result->covered = KS_NEW_ARRAY(arena, bool, judge->n_problems);
    for (size_t w = 0; w < judge->n_problems; w++)
        result->seen[w].workload = w;
    judge->literals = (struct ks_literals){0};
    if (phase != KS_JUDGE_CONFIRM)
        judge->literal_turns = 0; // this candidate's first numbers, whatever others were judged before; then the rest
    ks_literals_read(&judge->literals, judge->original_ptx);
    ks_literals_join(&judge->literals, &candidate->literals);
    // Where terms are added, numbers far beyond the others would hide them. The variance of equal values and the
    // logarithm of a sum with one great term are all rounding, and say nothing of a kernel.
    // Equal values in a row round alike, so that a sum of them errs by their number, not by its root.
    judge->literals.scattered = judge->arith.gathers && judge->arith.kind != KS_ARITH_NONE;
    judge->literals.limit = !judge->literals.scattered ? 0x1p110
                            : judge->arith.kind == KS_ARITH_OTHER ? 8 : 0x1p20;
    judge->divides_roundly = candidate->to_whole && !ks_goes_by_floats(judge->original_ptx);
    judge->odd = candidate->tf32 && ks_judge_defends(judge, KS_D_EXACT_PROBE);
    KS_TRY(ks_runner_take(judge, &runner, phase == KS_JUDGE_CONFIRM ? 1 : KS_SPARES, err));
    struct state s = {.judge = judge, .arena = arena, .candidate = candidate, .result = result,
                      .phase = phase, .look = look};
    s.check = (struct ks_check){judge, candidate, &runner, "m0", &result->tested, result->reason};
    enum ks_answer answer = ks_worker_load(&runner, candidate->cubin, candidate->names, candidate->n);
    if (answer == KS_ANSWER_OK && !ks_judge_defends(judge, KS_D_PROCESS_SPLIT))
        answer = ks_worker_functions(&runner, "m0", &candidate->original, 1);
    enum ks_status status = KS_OK;
    if (answer != KS_ANSWER_OK) {
        if (!ks_check_answer(answer, runner.text, &result->verdict, result->reason))
            status = ks_answer_status(&runner, answer, "the runner", err);
    } else {
        status = run_all(&s, err);
    }
    ks_worker_leave(&runner, &judge->leaving);
    for (int f = 0; f < KS_FAMILY_COUNT; f++)
        result->families += (s.families >> f & 1) != 0;
    return status;
}
