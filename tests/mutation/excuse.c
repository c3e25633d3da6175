#include "excuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "verify/schedule.h"
#include "verify/vector.h"

#define MOST_BYTES (1 << 20)
#define MOST_PROBLEMS 160
#define LEAST_PROBLEMS 20 // fewer are no domain
#define SECONDS 60 // for one mutant: what was not run by then is no proof

// By the number of sizes: one alone runs to four warps, several through all their combinations.
static const int64_t reach[] = {0, 130, 12, 5, 3, 2};

struct side {
    const struct ks_candidate *candidate;
    struct ks_worker runner;
    void *got[64];
};

static enum ks_status start(struct ks_judge *session, struct side *side, struct ks_err *err)
{
    const struct ks_candidate *c = side->candidate;
    KS_TRY(ks_runner_take(session, &side->runner, 1, err));
    enum ks_answer answer = ks_worker_load(&side->runner, c->text.len > 0 ? c->text : c->cubin,
                                           c->names, c->n);
    return answer == KS_ANSWER_OK ? KS_OK : ks_answer_status(&side->runner, answer, "a side", err);
}

// Runs one side; its outputs in side->got (malloc'ed). False in *ran: the guard excludes it.
static enum ks_status run_side(struct ks_judge *session, struct ks_arena *arena, struct side *side,
                               const struct ks_vector *vector, enum ks_flush flush, bool *ran,
                               enum ks_answer *answer, struct ks_err *err)
{
    const struct ks_proposal *proposal = side->candidate->proposal;
    struct ks_scope scope = ks_judge_scope(session, &vector->problem, &vector->layout, proposal);
    struct ks_placement placement;
    uint64_t addresses[KS_LAUNCH_SLOTS];
    char reason[256];
    double us;
    int64_t *workspaces = KS_NEW_ARRAY(arena, int64_t, proposal->n_workspaces);
    *answer = KS_ANSWER_OK;
    *ran = ks_placement_choose(&scope, flush, &placement);
    if (!*ran)
        return KS_OK;
    ks_placement_predict(&vector->layout, placement, addresses);
    scope.addresses = addresses;
    if (!ks_launch_workspaces(&scope, &session->device, workspaces, reason))
        KS_FAIL(err, KS_E_LIMIT, "%s", reason);
    *answer = ks_vector_place(arena, vector, &side->runner, placement, workspaces,
                              proposal->n_workspaces, KS_CONTENTS_PLAIN, 0);
    if (*answer == KS_ANSWER_OK)
        *answer = ks_vector_placed(vector, &side->runner, addresses);
    scope.workspaces = workspaces;
    json_t *plan = ks_launch_plan(&scope, &session->device, "m0", side->candidate->names, reason);
    if (plan == NULL)
        KS_FAIL(err, KS_E_LIMIT, "%s", reason);
    if (*answer == KS_ANSWER_OK)
        *answer = ks_vector_run(&side->runner, plan, vector->poison[0], true, true, ks_run_limit(session), &us);
    json_decref(plan);
    for (size_t o = 0; *answer == KS_ANSWER_OK && o < vector->n_outputs; o++) {
        size_t bytes = (size_t)vector->layout.slots[vector->outputs[o].slot].bytes;
        side->got[o] = malloc(bytes + 1);
        KS_ASSERT(side->got[o] != NULL);
        *answer = ks_worker_read(&side->runner, vector->outputs[o].slot, 0, side->got[o], bytes, 30);
    }
    return KS_OK;
}

static bool same_outputs(const struct side *a, const struct side *b, const struct ks_vector *vector)
{
    bool same = true;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        const struct ks_slot *slot = &vector->layout.slots[vector->outputs[o].slot];
        size_t lanes = (size_t)slot->count * (size_t)slot->elem.lanes;
        unsigned char *exact = malloc(lanes + 1);
        KS_ASSERT(exact != NULL);
        memset(exact, KS_LANE_EXACT, lanes);
        struct ks_comparison c;
        ks_compare(&(struct ks_tolerance){.kind = KS_TOL_EXACT}, slot->elem, a->got[o], b->got[o],
                   slot->count, NULL, 0, exact, &c);
        same = same && c.bad == 0;
        free(exact);
    }
    return same;
}

static void drop(struct side *side)
{
    for (size_t o = 0; o < 64; o++) {
        free(side->got[o]);
        side->got[o] = NULL;
    }
}

// One problem, family and skew of the layout, at both fences: sets *equal to false where the sides differ.
static enum ks_status compare(struct ks_judge *session, struct ks_arena *arena, struct side sides[2],
                              const struct ks_problem *problem, enum ks_family family, int skew,
                              bool *equal, bool *ran, struct ks_err *err)
{
    struct ks_vector vector;
    enum ks_answer answers[2];
    bool runs[2];
    *equal = true;
    *ran = false;
    KS_TRY(ks_vector_make(session, arena, problem, family, 0, skew, &vector, err));
    enum ks_status status = KS_OK;
    for (int flush = 0; !vector.excluded && status == KS_OK && *equal && flush < 2; flush++) {
        for (int i = 0; status == KS_OK && i < 2; i++)
            status = run_side(session, arena, &sides[i], &vector,
                              flush == 0 ? KS_FLUSH_END : KS_FLUSH_START, &runs[i], &answers[i], err);
        if (status == KS_OK && runs[0]) {
            *equal = runs[1] && answers[0] == KS_ANSWER_OK && answers[1] == KS_ANSWER_OK &&
                     same_outputs(&sides[0], &sides[1], &vector);
            *ran = true;
        }
        drop(&sides[0]);
        drop(&sides[1]);
    }
    ks_vector_free(&vector);
    return status;
}

static enum ks_status try_sizes(struct ks_judge *session, struct ks_arena *arena, struct side sides[2],
                                size_t w, const struct ks_value *sizes, size_t n, double until,
                                struct excuse *x, struct ks_err *err)
{
    static const enum ks_family families[] = {KS_FAMILY_DECLARED, KS_FAMILY_WIDE, KS_FAMILY_POSITION,
                                              KS_FAMILY_SPECIAL};
    const struct ks_tu_mark *mark = session->kernel->mark;
    struct ks_problem problem;
    if (ks_problem_make(arena, mark->mark, w, session->kernel->signature, mark->decl, sizes, n,
                        &problem, NULL) != KS_OK ||
        ks_problem_bytes(&problem) > MOST_BYTES)
        return KS_OK;
    bool any = false;
    size_t n_slots = ks_layout_of(arena, &problem).n_slots;
    // Every family with all buffers alike, then the declared one with each buffer alone.
    for (size_t f = 0; f < 4 + n_slots && x->equal; f++) {
        bool equal, ran;
        if (ks_now() > until) {
            x->equal = false;
            snprintf(x->text, sizeof x->text, "not all small sizes were run in %d s", SECONDS);
            return KS_OK;
        }
        KS_TRY(compare(session, arena, sides, &problem, f < 4 ? families[f] : KS_FAMILY_DECLARED,
                       f < 4 ? KS_SKEW_NONE : KS_SKEW_ONE + (int)f - 4, &equal, &ran, err));
        any = any || ran;
        if (!equal) {
            x->equal = false;
            snprintf(x->text, sizeof x->text, "differs from its origin on %.200s", problem.name);
        }
    }
    x->problems += any;
    return KS_OK;
}

static enum ks_status try_workload(struct ks_judge *session, struct ks_arena *arena,
                                   struct side sides[2], size_t w, double until, struct excuse *x,
                                   struct ks_err *err)
{
    struct ks_value *sizes;
    size_t n = ks_problem_sizes(arena, session->kernel->mark->mark, w, &sizes);
    if (n == 0 || n >= sizeof reach / sizeof *reach) {
        x->equal = false;
        snprintf(x->text, sizeof x->text, "%zu sizes: no small domain of them", n);
        return KS_OK;
    }
    int64_t all = 1, modulus = ks_judge_modulus(session, sides[1].candidate->proposal);
    for (size_t i = 0; i < n; i++)
        all *= reach[n];
    for (int64_t at = 0; at < all && x->equal; at++) {
        int64_t rest = at;
        for (size_t i = 0; i < n; i++) {
            sizes[i].value = (1 + rest % reach[n]) * modulus; // what the guard asks for
            rest /= reach[n];
        }
        KS_TRY(try_sizes(session, arena, sides, w, sizes, n, until, x, err));
    }
    // And what the numbers of the source make interesting.
    int64_t constants[16];
    struct ks_shape *shapes = NULL;
    size_t n_shapes = ks_problem_shapes(
        arena, session->kernel->mark->mark, w, constants,
        ks_harvest_constants(sides[1].candidate->proposal, constants, 16), 1, MOST_PROBLEMS, &shapes);
    for (size_t s = 0; s < n_shapes && x->equal; s++)
        if (shapes[s].n > 0)
            KS_TRY(try_sizes(session, arena, sides, w, shapes[s].overrides, shapes[s].n, until, x, err));
    return KS_OK;
}

enum ks_status excuse_mutant(struct ks_judge *session, struct ks_arena *arena,
                             const struct ks_candidate *origin, const struct ks_candidate *mutant,
                             struct excuse *x, struct ks_err *err)
{
    struct side sides[2] = {{.candidate = origin}, {.candidate = mutant}};
    double until = ks_now() + SECONDS;
    *x = (struct excuse){.equal = true};
    enum ks_status status = start(session, &sides[0], err);
    if (status == KS_OK)
        status = start(session, &sides[1], err);
    const struct ks_mark *mark = session->kernel->mark->mark;
    for (size_t w = 0; status == KS_OK && w < mark->n_workloads && x->equal; w++)
        status = try_workload(session, arena, sides, w, until, x, err);
    ks_worker_stop(&sides[0].runner);
    ks_worker_stop(&sides[1].runner);
    if (x->equal && x->problems < LEAST_PROBLEMS) {
        x->equal = false;
        snprintf(x->text, sizeof x->text, "only %d small sizes could be run", x->problems);
    }
    if (x->equal)
        snprintf(x->text, sizeof x->text, "equal on all %d small problems", x->problems);
    return status;
}
