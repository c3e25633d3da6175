// The candidate under one tool: everything that can be done beside the judge's own work, of whose session only
// what nobody changes is read. What came out is compared afterwards.
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "verify/launch.h"
#include "verify/sanitize.h"

#define SECONDS 6.0 // no run is begun after that
#define START_SECONDS 15.0

static enum ks_answer read_output(struct ks_tool_look *t, const struct ks_vector *vector, size_t output, void **got)
{
    size_t bytes = (size_t)vector->layout.slots[vector->outputs[output].slot].bytes;
    void *data = malloc(bytes + 1);
    KS_ASSERT(data != NULL);
    enum ks_answer answer = ks_worker_read(&t->worker, vector->outputs[output].slot, 0, data, bytes,
                                           ks_vector_seconds(vector));
    if (answer == KS_ANSWER_OK)
        *got = data;
    else
        free(data);
    return answer;
}

// Under one poison. No scrubbing: its own hazards in shared memory are on purpose.
static enum ks_answer run(struct ks_tool_look *t, const struct ks_vector *vector, json_t *plan, int poison, void **got)
{
    double us;
    struct ks_run_limit limit = ks_run_limit_of(t->all->judge, vector);
    limit.seconds *= KS_SANITIZE_PATIENCE;
    enum ks_answer answer =
        ks_vector_run(&t->worker, plan, vector->poison[poison], true, false, limit, &us);
    for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++)
        answer = read_output(t, vector, o, &got[o]);
    return answer;
}

// A launch that the guard sends to the original, or whose plan is refused, was judged elsewhere.
static enum ks_answer run_vector(struct ks_tool_look *t, const struct ks_vector *vector, enum ks_flush flush,
                                 void **got[2])
{
    const struct ks_judge *judge = t->all->judge;
    const struct ks_candidate *c = t->all->candidate;
    struct ks_scope scope = ks_judge_scope(judge, &vector->problem, &vector->layout, c->proposal);
    struct ks_placement placement;
    uint64_t addresses[KS_LAUNCH_SLOTS];
    char reason[256];
    size_t n = c->proposal->n_workspaces;
    int64_t *workspaces = KS_NEW_ARRAY(&t->arena, int64_t, n);
    if (!ks_placement_choose(&scope, flush, &placement))
        return KS_ANSWER_OK;
    placement.frozen = true;
    ks_placement_predict(&vector->layout, placement, addresses);
    scope.addresses = addresses;
    if (!ks_launch_workspaces(&scope, &judge->device, workspaces, reason))
        return KS_ANSWER_OK;
    enum ks_answer answer =
        ks_vector_place(&t->arena, vector, &t->worker, placement, workspaces, n, KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(vector, &t->worker, addresses);
    if (answer != KS_ANSWER_OK)
        return answer;
    scope.workspaces = workspaces;
    json_t *plan = ks_scope_admits(&scope) ? ks_launch_plan(&scope, &judge->device, "m0", c->names, reason) : NULL;
    for (int poison = 0; plan != NULL && answer == KS_ANSWER_OK && poison < 2; poison++) {
        got[poison] = KS_NEW_ARRAY(&t->arena, void *, vector->n_outputs + 1);
        answer = run(t, vector, plan, poison, got[poison]);
    }
    json_decref(plan);
    return answer;
}

void ks_sanitize_greet(struct ks_tool_look *t)
{
    if (!t->greeted)
        t->answer = ks_worker_wait(&t->worker, START_SECONDS);
    t->greeted = true;
}

static void run_all(struct ks_tool_look *t)
{
    const struct ks_candidate *c = t->all->candidate;
    double begin = ks_now();
    ks_sanitize_greet(t);
    if (t->answer != KS_ANSWER_OK)
        return;
    t->answered = !t->worker.confined || ks_json_bool(t->worker.reply, "sandbox", false);
    if (t->answered)
        t->answer = ks_worker_load(&t->worker, c->cubin, c->names, c->n);
    for (size_t i = 0; t->answered && t->answer == KS_ANSWER_OK && i < t->all->n_vectors; i++)
        if (i == 0 || ks_now() - begin < SECONDS) {
            struct ks_lock lock;
            t->answer = KS_ANSWER_INTERRUPTED;
            if (ks_judge_share(t->all->judge, &lock, NULL) == KS_OK)
                t->answer = run_vector(t, &t->all->vectors[i], i % 2 == 0 ? KS_FLUSH_END : KS_FLUSH_START, t->got[i]);
            ks_lock_release(&lock);
        }
}

void *ks_sanitize_runs(void *tool_look)
{
    struct ks_tool_look *t = tool_look;
    double begin = ks_now();
    run_all(t);
    ks_worker_end(&t->worker, t->all->dropped ? 0 : KS_SANITIZE_END);
    t->seconds = ks_now() - begin;
    return NULL;
}
