// One proposal against another, or the original: correctness of each, then paired times; declared in
// verify/judge.h.
#include <stdio.h>
#include <string.h>

#include "verify/correct.h"
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

static enum ks_status compare(struct ks_judge *judge, struct ks_arena *scratch,
                              struct ks_proposal *const *proposals, struct ks_verdict *verdict,
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
    if (first == 0 && !together(made[0], made[1]))
        KS_FAIL(err, KS_E_UNSUPPORTED, "the two do not compile in one unit, so that they cannot be timed in one "
                                       "process; bench each against the original");
    struct ks_timed timed;
    enum ks_correctness correctness = KS_C_CORRECT;
    KS_TRY(ks_timing_compare(judge, scratch, made[0], made[1], &timed, &correctness, err));
    verdict->correctness = correctness;
    verdict->speed = timed.speed;
    verdict->geomean = timed.geomean;
    verdict->evidence.timings = timed.timings;
    verdict->evidence.n_timings = timed.n_timings;
    snprintf(verdict->reason, sizeof verdict->reason, "%s", timed.reason);
    return KS_OK;
}

enum ks_status ks_judge_compare(struct ks_judge *judge, struct ks_proposal *a, struct ks_proposal *b,
                                struct ks_verdict *verdict, int *at_fault, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    struct ks_proposal *const proposals[] = {a, b};
    *verdict = (struct ks_verdict){.correctness = KS_C_VOID, .speed = KS_S_NOT_MEASURED};
    *at_fault = 1;
    enum ks_status status = compare(judge, &scratch, proposals, verdict, at_fault, err);
    ks_arena_free(&scratch);
    return status;
}
