#include "verify/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "device/emu/emu_finding.h"

#define CROWD_LEAST_US 30.0 // for which others hold multiprocessors beside a run
#define CROWD_MOST_US 2000.0

static void tell(char reason[512], const char *what, const char *text)
{
    size_t n = strlen(what);
    memcpy(reason, what, n);
    ks_text_fit(reason + n, 512 - n, text);
}

bool ks_check_answer(enum ks_answer answer, const char *text, enum ks_correctness *verdict,
                     char reason[512])
{
    switch (answer) {
    case KS_ANSWER_LAUNCH:
        *verdict = KS_C_LAUNCH;
        tell(reason, "the launch was refused: ", text);
        return true;
    case KS_ANSWER_LIMIT:
        *verdict = KS_C_LAUNCH;
        tell(reason, "not enough room on the device: ", text);
        return true;
    case KS_ANSWER_FAULT:
        // The emulated device names what it found; a GPU only that it stopped.
        *verdict = ks_finding_stops(text) ? KS_C_HANG : KS_C_UNSAFE;
        tell(reason, ks_finding_leads(text) ? "" : "memory fault: ", text);
        return true;
    case KS_ANSWER_UNSAFE:
        *verdict = KS_C_UNSAFE;
        tell(reason, "wrote where it must not: ", text);
        return true;
    case KS_ANSWER_UNSUPPORTED:
        *verdict = KS_C_UNSUPPORTED;
        tell(reason, "this device cannot judge it: ", text);
        return true;
    case KS_ANSWER_HANG:
        *verdict = KS_C_HANG;
        snprintf(reason, 512, "did not finish in time (50 times the original's, at least 2 s)");
        return true;
    case KS_ANSWER_DIED:
        *verdict = KS_C_UNSAFE;
        snprintf(reason, 512, "the process that ran it died");
        return true;
    case KS_ANSWER_LIED:
        *verdict = KS_C_UNSAFE;
        snprintf(reason, 512, "the process that ran it broke the worker protocol");
        return true;
    default:
        return false;
    }
}

// The state of one check on its way through.
struct attempt {
    struct ks_check *check;
    struct ks_vector *vector;
    json_t *plan;
    json_t *naive;       // the original's, where the processes are not split: a weakness for tests
    struct ks_run_limit limit;
    uint64_t prints[64]; // of the first run
    int64_t steps;       // that it took on an emulated device
    bool bitwise;        // equal to the original's, bit by bit
    bool varies;         // the two poisons led to different bits
};

static enum ks_answer run_once(struct attempt *a, uint32_t poison, bool scrub)
{
    double us;
    const struct ks_judge *judge = a->check->judge;
    a->check->tested->runs++;
    if (a->naive != NULL) {
        enum ks_answer first = ks_vector_run(a->check->runner, a->naive, poison, true, false,
                                             a->limit, &us);
        if (first != KS_ANSWER_OK)
            return first;
    }
    enum ks_answer answer = ks_vector_run(a->check->runner, a->plan, poison,
                                          ks_judge_defends(judge, KS_D_POISON),
                                          scrub && ks_judge_defends(judge, KS_D_SCRUB),
                                          a->limit, &us);
    // Weakened on purpose: a canary or an input that changed is overlooked.
    if (answer == KS_ANSWER_UNSAFE && !ks_judge_defends(judge, KS_D_UNSAFE))
        return KS_ANSWER_OK;
    return answer;
}

static enum ks_answer take_prints(struct attempt *a, uint64_t *prints)
{
    for (size_t o = 0; o < a->vector->n_outputs; o++) {
        enum ks_answer answer = ks_worker_fingerprint(a->check->runner, a->vector->outputs[o].slot, 0, &prints[o],
                                                      ks_vector_seconds(a->vector));
        if (answer != KS_ANSWER_OK)
            return answer;
    }
    return KS_ANSWER_OK;
}

// Where a vector stands, in words that reveal neither sizes nor values.
static void describe(const struct ks_vector *vector, char text[96])
{
    static const char *const kinds[KS_FAMILY_COUNT] = {
        [KS_FAMILY_DECLARED] = "declared inputs",    [KS_FAMILY_POSITIVE] = "positive inputs",
        [KS_FAMILY_WIDE] = "inputs of wide range",   [KS_FAMILY_POSITION] = "index-coded inputs",
        [KS_FAMILY_IMPULSE] = "a single impulse",    [KS_FAMILY_EXACT] = "inputs exact in fp32",
        [KS_FAMILY_SPECIAL] = "NaN, infinity and denormals among the inputs",
        [KS_FAMILY_LITERALS] = "equal, sorted and compared-with values among the inputs",
        [KS_FAMILY_TINY] = "tiny numbers among the inputs", [KS_FAMILY_POWERS] = "powers of two",
        [KS_FAMILY_EXTREME] = "numbers of every size among the inputs",
        [KS_FAMILY_GREAT] = "great numbers as inputs", [KS_FAMILY_SLIGHT] = "slight numbers as inputs",
        [KS_FAMILY_ODD] = "sums that are exact in fp32, of factors that TF32 rounds",
    };
    snprintf(text, 96, "%s, %s", vector->problem.derived ? "a derived size" : "a declared size",
             vector->brink != 0 ? "inputs at which the answer turns" : kinds[vector->family]);
}

// What describe() keeps from a proposer, for who reads the log.
static void log_difference(const struct ks_vector *vector, const struct ks_output *output, const void *got,
                           int poison, const struct ks_comparison *c)
{
    const struct ks_slot *slot = &vector->layout.slots[output->slot];
    const struct ks_reference *reference = &output->reference;
    char known[160] = "";
    int64_t i = c->first_bad, at = reference->value != NULL ? ks_reference_at(reference, i) : -1;
    if (at >= 0)
        snprintf(known, sizeof known, "; in double %.17g, scale %g, noise %g, own error %g, shaken %g", reference->value[at],
                 reference->scale[at], reference->noise, (double)reference->own[at],
                 reference->shaken != NULL ? (double)reference->shaken[at] : 0);
    ks_debug("%s, family %s: `%s` has %lld wrong of %lld, first at %lld: %.9g for %.9g%s", vector->problem.name,
             ks_family_name(vector->family), vector->problem.args[slot->arg].name, (long long)c->bad,
             (long long)c->compared, (long long)i, ks_scalar_value(slot->elem.scalar, got, i),
             ks_scalar_value(slot->elem.scalar, output->expected[poison != 0 && output->expected[1] != NULL], i),
             known);
}

// Reads what the candidate wrote and compares it; `poison` is 0 or 1.
static enum ks_status compare_outputs(struct attempt *a, struct ks_arena *arena, int poison,
                                      bool *same, enum ks_answer *answer, struct ks_err *err)
{
    struct ks_check *check = a->check;
    struct ks_vector *vector = a->vector;
    *same = true;
    *answer = KS_ANSWER_OK;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        const struct ks_slot *slot = &vector->layout.slots[vector->outputs[o].slot];
        if (vector->outputs[o].luck)
            continue;
        void *got = malloc((size_t)slot->bytes + 1);
        KS_ASSERT(got != NULL);
        *answer = ks_worker_read(check->runner, vector->outputs[o].slot, 0, got, (size_t)slot->bytes,
                                 30 + (double)slot->bytes / 5e7);
        struct ks_comparison c;
        enum ks_status status = KS_OK;
        if (*answer == KS_ANSWER_OK)
            status = ks_vector_settle(check->judge, arena, vector, o, got, poison, &c, err);
        if (*answer == KS_ANSWER_OK && status == KS_OK) {
            check->tested->max_ulp = fmax(check->tested->max_ulp, c.max_ulp);
            check->tested->max_rel = fmax(check->tested->max_rel, c.max_rel);
            KS_ASSERT(c.compared == slot->count * slot->elem.lanes);
            if (c.bad > 0 && *same) {
                char where[96];
                describe(vector, where);
                log_difference(vector, &vector->outputs[o], got, poison, &c);
                *same = false;
                snprintf(check->reason, 512, "output `%s` differs: %s (%s)",
                         vector->problem.args[slot->arg].name, c.pattern, where);
            }
        }
        free(got);
        KS_TRY(status);
        if (*answer != KS_ANSWER_OK)
            return KS_OK;
    }
    return KS_OK;
}

// Where a plan has no launch: which sizes it was is not told, only how they compare with the declared ones.
static enum ks_correctness refuse_plan(struct ks_check *check, const struct ks_problem *problem, const char *why)
{
    const struct ks_problem *declared = &check->judge->declared[problem->workload];
    bool more = false;
    for (size_t i = 0; i < declared->n_values; i++) {
        int64_t value;
        if (ks_problem_value(problem, declared->values[i].name, &value))
            more = more || value > declared->values[i].value;
    }
    if (!problem->derived)
        snprintf(check->reason, 512, "%s", why);
    else
        snprintf(check->reason, 512,
                 "%s, at a size %s the declared ones; a guard (`when:`) can leave such sizes to the original", why,
                 more ? "other than" : "below");
    return KS_C_LAUNCH;
}

// First run and the run under the second poison.
static enum ks_status two_runs(struct attempt *a, struct ks_arena *arena, bool *same,
                               enum ks_answer *answer, struct ks_err *err)
{
    struct ks_vector *vector = a->vector;
    uint64_t again[64];
    *same = true;
    const int64_t before = a->check->runner->steps;
    *answer = run_once(a, vector->poison[0], true);
    a->steps = a->check->runner->steps - before;
    if (*answer == KS_ANSWER_OK)
        *answer = take_prints(a, a->prints);
    if (*answer != KS_ANSWER_OK)
        return KS_OK;
    a->bitwise = true;
    for (size_t o = 0; o < vector->n_outputs; o++)
        a->bitwise = a->bitwise && a->prints[o] == vector->outputs[o].print[0];
    if (!a->bitwise)
        KS_TRY(compare_outputs(a, arena, 0, same, answer, err));
    if (*answer != KS_ANSWER_OK || !*same)
        return KS_OK;
    *answer = run_once(a, vector->poison[1], false);
    if (*answer == KS_ANSWER_OK)
        *answer = take_prints(a, again);
    if (*answer != KS_ANSWER_OK)
        return KS_OK;
    bool equal = true;
    for (size_t o = 0; o < vector->n_outputs; o++)
        equal = equal && again[o] == (vector->all_written ? a->prints[o] : vector->outputs[o].print[1]);
    if (equal)
        return KS_OK;
    a->varies = vector->all_written; // else the poison itself is part of the output
    return compare_outputs(a, arena, 1, same, answer, err);
}

// For how long others hold multiprocessors beside a run: a while longer than the original takes, within bounds.
static int64_t crowd_of(const struct ks_vector *vector)
{
    return (int64_t)fmin(fmax(CROWD_LEAST_US, 4 * vector->original_us), CROWD_MOST_US);
}

// Repeats must give the same bits where the original does. Fresh poison each time when every element is
// written; scrubbing on and off, so that leftovers in shared memory and registers cannot help; and every other one beside blocks
// that leave it but a part of the chip.
static enum ks_answer repeat(struct attempt *a, int repeats, bool *same)
{
    struct ks_vector *vector = a->vector;
    struct ks_judge *judge = a->check->judge;
    uint64_t again[64];
    *same = true;
    for (int i = 0; i < repeats && *same; i++) {
        uint32_t poison = vector->all_written ? (uint32_t)ks_rng_next(&judge->rng) | 0x01010101u
                                              : vector->poison[0];
        a->limit.crowd = i % 2 == 1 ? crowd_of(vector) : 0;
        enum ks_answer answer = run_once(a, poison, i % 2 == 0);
        a->limit.crowd = 0;
        if (answer == KS_ANSWER_OK)
            answer = take_prints(a, again);
        if (answer != KS_ANSWER_OK)
            return answer;
        for (size_t o = 0; o < vector->n_outputs; o++)
            *same = *same && again[o] == a->prints[o];
    }
    return KS_ANSWER_OK;
}

static void refuse_nondet(struct ks_check *check, enum ks_correctness *verdict)
{
    *verdict = KS_C_NONDET;
    check->tested->deterministic = false;
    snprintf(check->reason, 512, "repeated runs with the same inputs give different bits; the original's do not");
}

// On an emulated device: blocks one at a time, in order. A GPU promises no block that it runs before another one has ended; how many
// it runs side by side is its own affair, and that of what else runs on it. What replaces an original that waits itself may wait.
static enum ks_status run_serially(struct attempt *a, enum ks_answer *answer, enum ks_correctness *verdict, struct ks_err *err)
{
    struct ks_check *check = a->check;
    const struct ks_run_limit usual = a->limit;
    KS_TRY(ks_vector_serial(check->judge, a->vector, err));
    if (check->judge->serial == KS_SERIAL_WAITS)
        return KS_OK;
    a->limit = ks_run_limit_serial(check->judge, a->steps);
    *answer = run_once(a, a->vector->poison[0], true);
    a->limit = usual;
    uint64_t again[64];
    if (*answer == KS_ANSWER_OK && ks_vector_repeats(check->judge, a->vector)) {
        *answer = take_prints(a, again);
        if (*answer == KS_ANSWER_OK && memcmp(again, a->prints, a->vector->n_outputs * sizeof *again) != 0)
            refuse_nondet(check, verdict);
        return KS_OK;
    }
    if (*answer != KS_ANSWER_FAULT || !ks_finding_stops(check->runner->text))
        return KS_OK;
    *answer = KS_ANSWER_OK;
    *verdict = KS_C_HANG;
    snprintf(check->reason, 512, "its blocks wait for others that begin behind them, which a GPU need not run beside them: one at a time "
                                 "(emulated device) they do not end; let a block wait only for earlier ones, by a ticket that atomicAdd gives");
    return KS_OK;
}

// A run that was ended for its length did not hang where the original's limit, too, is less than that, and a reader
// wants to know whose limit it was.
static void explain_end(const struct attempt *a, enum ks_correctness *verdict)
{
    char *reason = a->check->reason;
    size_t n = strlen(reason);
    if (a->limit.cut) {
        *verdict = KS_C_UNSUPPORTED;
        snprintf(reason, 512, "the emulated device has no room here for what a candidate may take: %.300s",
                 a->check->runner->text);
        return;
    }
    snprintf(reason + n, 512 - n, "; the emulated device ends a candidate at %d times what the original took, %lld at least",
             KS_BASELINES, (long long)KS_RUN_STEPS);
}

enum ks_status ks_check_vector(struct ks_check *check, struct ks_arena *arena,
                               struct ks_vector *vector, enum ks_flush flush, int repeats,
                               enum ks_correctness *verdict, bool *covered, bool *proved,
                               struct ks_err *err)
{
    struct ks_judge *judge = check->judge;
    const struct ks_candidate *candidate = check->candidate;
    struct ks_scope scope =
        ks_judge_scope(judge, &vector->problem, &vector->layout, candidate->proposal);
    struct ks_placement placement;
    char reason[256];
    *verdict = KS_C_CORRECT;
    *proved = false;
    judge->cuts = candidate->cuts || ks_sums_on_tensor_cores(judge->original_ptx);
    *covered = ks_placement_choose(&scope, flush, &placement);
    if (!ks_judge_defends(judge, KS_D_PLACEMENT)) // weakened on purpose: as cudaMalloc would align
        placement = KS_AS_ALLOCATED;
    if (!*covered)
        return KS_OK;
    placement.frozen = ks_judge_defends(judge, KS_D_UNSAFE);
    placement.shuffled = ks_judge_defends(judge, KS_D_PLACEMENT);
    placement.chance = ks_rng_next(&judge->rng);
    size_t n_work = candidate->proposal->n_workspaces;
    int64_t *workspaces = KS_NEW_ARRAY(arena, int64_t, n_work);
    uint64_t addresses[64];
    ks_placement_predict(&vector->layout, placement, addresses);
    scope.addresses = addresses;
    if (!ks_launch_workspaces(&scope, &judge->device, workspaces, reason)) {
        *verdict = refuse_plan(check, &vector->problem, reason);
        return KS_OK;
    }
    enum ks_answer answer = ks_vector_place(arena, vector, check->runner, placement, workspaces,
                                            n_work, KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(vector, check->runner, addresses);
    if (answer == KS_ANSWER_TOOL || answer == KS_ANSWER_INTERRUPTED)
        return ks_answer_status(check->runner, answer, "the runner", err);
    scope.workspaces = workspaces;
    if (answer == KS_ANSWER_OK && !ks_scope_admits(&scope)) {
        *covered = false; // this launch would go to the original
        // Arrays that do not overlap at these addresses may not at others either: a guard that says they do
        // would hide this launch from the judge and admit it elsewhere.
        scope.proposal = NULL;
        if (ks_scope_admits(&scope)) {
            *verdict = KS_C_LAUNCH;
            snprintf(check->reason, 512, "the guard takes arrays that are apart for overlapping ones");
        }
        return KS_OK;
    }
    struct attempt a = {.check = check, .vector = vector};
    const bool serial = repeats > 0 || judge->dropped != NULL; // the sizes that are looked at in depth, and a second look's few
    bool same = true;
    enum ks_status status = KS_OK;
    if (answer == KS_ANSWER_OK) {
        a.plan = ks_launch_plan(&scope, &judge->device, check->module, candidate->names, reason);
        if (a.plan == NULL) {
            *verdict = refuse_plan(check, &vector->problem, reason);
            return KS_OK;
        }
        scope.original = candidate->original;
        if (!ks_judge_defends(judge, KS_D_PROCESS_SPLIT))
            a.naive = ks_launch_original(&scope, check->module);
        a.limit = ks_run_limit_of(judge, vector);
        status = two_runs(&a, arena, &same, &answer, err);
    }
    if (status == KS_OK && answer == KS_ANSWER_OK && !same)
        *verdict = KS_C_WRONG;
    if (status == KS_OK && answer == KS_ANSWER_OK && same && (repeats > 0 || a.varies) && ks_vector_repeats(judge, vector) &&
        ks_judge_defends(judge, KS_D_REPETITION)) {
        if (!a.varies)
            answer = repeat(&a, repeats, &same);
        if (answer == KS_ANSWER_OK && (a.varies || !same))
            refuse_nondet(check, verdict);
    }
    if (status == KS_OK && answer == KS_ANSWER_OK && *verdict == KS_C_CORRECT && serial && strcmp(judge->device.kind, "emu") == 0 &&
        ks_judge_defends(judge, KS_D_REPETITION))
        status = run_serially(&a, &answer, verdict, err);
    json_decref(a.plan);
    json_decref(a.naive);
    KS_TRY(status);
    if (answer != KS_ANSWER_OK) {
        if (!ks_check_answer(answer, check->runner->text, verdict, check->reason))
            return ks_answer_status(check->runner, answer, "the runner", err);
        if (answer == KS_ANSWER_FAULT && ks_finding_is(check->runner->text, KS_F_ENDLESS))
            explain_end(&a, verdict);
        return KS_OK;
    }
    if (*verdict != KS_C_CORRECT)
        return KS_OK;
    check->tested->vectors++;
    if (!ks_judge_defends(judge, KS_D_VACUITY)) {
        *proved = true;
        return KS_OK;
    }
    return ks_vector_proof(judge, vector, a.bitwise, proved, err);
}
