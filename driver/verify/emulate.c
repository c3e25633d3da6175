#include "verify/emulate.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "os/clock.h"
#include "verify/check.h"
#include "verify/schedule.h"
#include "verify/scout.h"
#include "verify/wide.h"

#define SHAPES 48
#define STEPS (INT64_C(1) << 25) // of a judgement, some thirty millions a second: no task is begun after that

// Small problems of a workload that the guard admits: the largest that fits, for all is in play there, then
// the others from the smallest.
size_t ks_small_problems(struct ks_judge *judge, struct ks_arena *arena, size_t w,
                         const struct ks_proposal *proposal, struct ks_problem *chosen)
{
    const struct ks_tu_mark *mark = judge->kernel->mark;
    int64_t constants[16];
    size_t n_constants = ks_harvest_constants(proposal, constants, 16), n = 0, n_fit = 0, largest = 0;
    struct ks_shape *shapes = NULL;
    size_t n_shapes = ks_problem_shapes(arena, mark->mark, w, constants, n_constants,
                                        judge->shape_seed + w, SHAPES, &shapes);
    struct ks_problem *fit = KS_NEW_ARRAY(arena, struct ks_problem, n_shapes + 1);
    for (size_t i = 0; i < n_shapes; i++) {
        struct ks_problem *p = &fit[n_fit];
        if (ks_problem_make(arena, mark->mark, w, judge->kernel->signature, mark->decl,
                            shapes[i].overrides, shapes[i].n, p, NULL) != KS_OK ||
            !ks_scout_fits(p) || !ks_guard_admits(judge, arena, proposal, p))
            continue;
        if (ks_problem_bytes(p) > ks_problem_bytes(&fit[largest]))
            largest = n_fit;
        n_fit++;
    }
    if (n_fit > 0)
        chosen[n++] = fit[largest];
    for (size_t i = 0; i < n_fit && n < KS_SMALL_PROBLEMS; i++)
        if (i != largest)
            chosen[n++] = fit[i];
    return n;
}

// One vector against the candidate. `excluded`: the original does not serve it there.
static enum ks_status look(struct ks_judge *second, struct ks_arena *arena,
                           const struct ks_candidate *c, struct ks_worker *runner,
                           const struct ks_problem *problem, enum ks_flush flush, int skew,
                           struct ks_emulation *e, char why[KS_ANSWER_TEXT], struct ks_err *err)
{
    struct ks_tested tested = {0};
    struct ks_check check = {second, c, runner, "m0", &tested, e->reason};
    struct ks_vector vector;
    bool covered, proved;
    KS_TRY(ks_vector_make(second, arena, problem, KS_FAMILY_DECLARED, 0, skew, &vector, err));
    enum ks_status status = KS_OK;
    if (vector.excluded)
        snprintf(why, KS_ANSWER_TEXT, "%s", vector.why);
    else
        status = ks_check_vector(&check, arena, &vector, flush, 0, &e->verdict, &covered, &proved, err);
    e->runs += tested.runs;
    ks_vector_free(&vector);
    return status;
}

static enum ks_status look_at_all(struct ks_second_look *l, struct ks_arena *arena, const struct ks_candidate *c,
                                  struct ks_worker *runner, struct ks_err *err)
{
    struct ks_judge *judge = l->judge;
    struct ks_emulation *e = &l->found;
    const int64_t *original = &judge->second->oracle.steps; // which was started for this look
    char why[KS_ANSWER_TEXT] = "no size of the workload is small enough";
    for (size_t w = 0; w < judge->n_problems; w++) {
        struct ks_problem problems[KS_SMALL_PROBLEMS];
        size_t n = ks_small_problems(judge, arena, w, c->proposal, problems);
        for (size_t i = 0; i < n && e->verdict == KS_C_CORRECT; i++) {
            if (l->dropped || (e->runs > 0 && *original + runner->steps > STEPS))
                break;
            KS_TRY(look(judge->second, arena, c, runner, &problems[i],
                        i % 2 == 0 ? KS_FLUSH_END : KS_FLUSH_START, i % 3 == 2 ? KS_SKEW_ALL : KS_SKEW_NONE, e, why, err));
        }
    }
    if (e->runs == 0 && e->verdict == KS_C_CORRECT)
        snprintf(l->note, sizeof l->note, KS_UNLOOKED "%.180s", why);
    return KS_OK;
}

// What the emulated device says of a candidate counts where it is a fault that it can prove.
static void weigh(struct ks_second_look *l)
{
    const struct ks_judge *judge = l->judge;
    struct ks_emulation *e = &l->found;
    if (e->verdict == KS_C_CORRECT || e->verdict == KS_C_UNSAFE || e->verdict == KS_C_NONDET || e->verdict == KS_C_HANG)
        return;
    // Its approximate functions err within their bounds, but not as this GPU's do.
    bool approximate = memmem(judge->original_ptx.at, judge->original_ptx.len, ".approx", 7) != NULL;
    // Nor is a tolerance measured there where the unit in double, or random rounding, is to be had, but did not
    // run in time.
    const struct ks_wide *wide = &judge->second->wide;
    const struct ks_rounding *rounding = &judge->second->rounding;
    bool unmeasured = judge->second->unsettled ||
                      (wide->absent != NULL && wide->image.len > 0) ||
                      (rounding->absent != NULL && rounding->image.len > 0);
    if (e->verdict == KS_C_WRONG && !approximate && !unmeasured)
        return;
    snprintf(l->note, sizeof l->note, "not settled on the emulated device: %.180s", e->reason);
    e->verdict = KS_C_CORRECT;
    e->reason[0] = '\0';
}

// All of it. Of the judge's session only what nobody changes meanwhile is read; its second one is this look's.
static void *look_through(void *context)
{
    struct ks_second_look *l = context;
    struct ks_judge *second = l->judge->second;
    struct ks_arena scratch = {0};
    struct ks_worker runner = {0};
    struct ks_err err = {0};
    double begin = ks_now();
    second->dropped = &l->dropped;
    second->unsettled = false;
    enum ks_status status = ks_oracle_ready(second, &err);
    if (status == KS_OK)
        status = ks_runner_take_last(second, &runner, &err);
    if (status == KS_OK) {
        struct ks_candidate text = *l->candidate;
        text.cubin = text.text;
        enum ks_answer answer = ks_worker_load(&runner, text.cubin, text.names, text.n);
        if (answer == KS_ANSWER_OK)
            status = look_at_all(l, &scratch, &text, &runner, &err);
        else if (ks_check_answer(answer, runner.text, &l->found.verdict, l->found.reason))
            l->found.verdict = KS_C_UNSUPPORTED; // code that runs on a GPU
        else
            status = ks_answer_status(&runner, answer, "the emulated device", &err);
    }
    ks_worker_stop(&runner);
    ks_worker_stop(&second->oracle); // like the runner it looks at this look's `dropped`
    ks_spares_stop(second);
    if (status == KS_OK)
        weigh(l);
    l->status = status;
    l->err = err;
    l->found.seconds = ks_now() - begin;
    ks_arena_free(&scratch);
    return NULL;
}

// Whether there is anything to look at; with the second session open.
static bool prepare(struct ks_second_look *l, struct ks_judge *judge, const struct ks_candidate *candidate)
{
    l->judge = judge;
    l->candidate = candidate;
    l->found = (struct ks_emulation){.verdict = KS_C_CORRECT};
    l->status = KS_OK;
    l->note[0] = '\0';
    l->dropped = l->beside = false;
    if (strcmp(judge->device.kind, "emu") == 0 || judge->original_text.len == 0 ||
        candidate->text.len == 0 || !ks_judge_defends(judge, KS_D_EMULATION))
        return false;
    if (judge->second == NULL)
        judge->second = ks_scout_session(judge);
    struct ks_wide *wide = &judge->second->wide;
    if (!wide->tried) { // in double as far as it is known
        ks_wide_await(judge);
        *wide = judge->wide;
        wide->image = wide->text;
        wide->loaded = false;
        wide->ahead = NULL;
    }
    return true;
}

static bool several_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

void ks_second_look_begin(struct ks_second_look *l, struct ks_judge *judge, const struct ks_candidate *candidate)
{
    if (!several_cores() || !prepare(l, judge, candidate))
        return;
    bool compiles = judge->arith.kind == KS_ARITH_OTHER && judge->arith.joins && !judge->second->wide.tried;
    l->beside = !compiles && pthread_create(&l->thread, NULL, look_through, l) == 0;
}

enum ks_status ks_second_look_end(struct ks_second_look *l, struct ks_judge *judge, const struct ks_candidate *candidate,
                           struct ks_emulation *found, struct ks_err *err)
{
    if (l->beside)
        pthread_join(l->thread, NULL);
    else if (prepare(l, judge, candidate))
        look_through(l);
    l->beside = false;
    if (l->status == KS_E_INTERRUPTED)
        return ks_err_set(err, l->status, "%s", l->err.text);
    if (l->status != KS_OK) { // a second look that fails is none
        snprintf(l->note, sizeof l->note, KS_UNLOOKED "%.180s", l->err.text);
        l->found = (struct ks_emulation){.verdict = KS_C_CORRECT};
    }
    if (l->note[0] != '\0')
        ks_judge_note(judge, "%s", l->note);
    *found = l->found;
    return KS_OK;
}

void ks_second_look_drop(struct ks_second_look *l)
{
    l->dropped = true;
    if (l->beside)
        pthread_join(l->thread, NULL);
    l->beside = false;
}

void ks_emulate_close(struct ks_judge *judge)
{
    if (judge->second != NULL)
        ks_arena_free(judge->second->arena);
    judge->second = NULL;
}
