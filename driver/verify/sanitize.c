#include "verify/sanitize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/file.h"
#include "os/proc.h"
#include "verify/check.h"
#include "verify/emulate.h"

#define LOG_MAX (1u << 20)
#define PROBLEMS 2        // of a workload

const char *ks_tool_name(enum ks_tool tool)
{
    static const char *const names[] = {"memcheck", "racecheck"};
    return names[tool];
}

const char *ks_sanitizer_find(struct ks_arena *arena, const struct ks_toolkit *toolkit)
{
    if (toolkit != NULL && toolkit->bin_dir != NULL) {
        const char *const beside[] = {
            ks_path_join(arena, toolkit->bin_dir, "compute-sanitizer"),
            ks_path_join(arena, toolkit->bin_dir, "../compute-sanitizer/compute-sanitizer")};
        for (size_t i = 0; i < 2; i++)
            if (ks_file_exists(beside[i]))
                return beside[i];
    }
    return ks_proc_which(arena, "compute-sanitizer", NULL);
}

static const char *find_program(const struct ks_judge *judge, struct ks_arena *arena)
{
    const char *given = judge->options.sanitizer;
    if (given != NULL)
        return given[0] != '\0' ? given : NULL;
    return ks_sanitizer_find(arena, judge->tu->toolkit);
}

// A worker under a tool.
static enum ks_status start(struct ks_judge *judge, struct ks_arena *arena, enum ks_tool tool,
                            const char *log, struct ks_worker *worker,
                            struct ks_err *err)
{
    struct ks_strv words = {0};
    const char *const fixed[] = {find_program(judge, arena), "--tool", ks_tool_name(tool), "--log-file", log,
                                 "--print-limit", "200", "--report-api-errors", "no"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        ks_strv_add(arena, &words, fixed[i]);
    const char *path = judge->options.worker != NULL
                           ? judge->options.worker
                           : ks_path_join(arena, ks_program_dir(arena), "ks-worker");
    KS_TRY(ks_worker_start_under(worker, words.at, path, judge->options.device, judge->options.sandbox,
                                 err));
    worker->grace = KS_SANITIZE_END; // after a fault too it has something to say
    return KS_OK;
}

// All kernels of a proposal share a namespace, which its id is part of.
static const char *part_of(struct ks_judge *judge, const struct ks_candidate *c)
{
    return judge->kernel->mark->decl != NULL && strstr(c->names[0], "ks_") != NULL
               ? ks_shadow_namespace(judge->arena, c->id, judge->kernel->mark->decl)
               : c->names[0];
}

// The small problems of all workloads that the original serves, with what it makes of them.
static enum ks_status make_vectors(struct ks_judge *judge, struct ks_arena *arena, struct ks_sanitizing *s,
                                   struct ks_err *err)
{
    for (size_t w = 0; w < judge->n_problems; w++) {
        struct ks_problem problems[KS_SMALL_PROBLEMS];
        size_t n = ks_small_problems(judge, arena, w, s->candidate->proposal, problems);
        for (size_t i = 0; i < n && i < PROBLEMS && s->n_vectors < KS_SANITIZE_VECTORS; i++) {
            struct ks_problem *problem = ks_arena_memdup(arena, &problems[i], sizeof *problem);
            struct ks_vector *vector = &s->vectors[s->n_vectors];
            KS_TRY(ks_vector_make(judge, arena, problem, KS_FAMILY_DECLARED, 0, KS_SKEW_NONE, vector, err));
            if (vector->excluded)
                continue;
            s->n_vectors++;
            KS_TRY(ks_vector_read(judge, vector, err)); // while the oracle has it
        }
    }
    return KS_OK;
}

// Both tools with their workers, or judge->no_sanitizer says why not.
static struct ks_sanitizing *start_tools(struct ks_judge *judge)
{
    struct ks_arena *arena = judge->arena;
    struct ks_err local = {0};
    struct ks_sanitizing *s = KS_NEW(arena, struct ks_sanitizing);
    *s = (struct ks_sanitizing){.judge = judge, .verdict = KS_C_CORRECT};
    if (strcmp(judge->device.kind, "emu") == 0 || judge->no_sanitizer[0] != '\0')
        return s; // the emulated device has looked at more; or it was told before
    if (judge->options.launcher != NULL)
        snprintf(judge->no_sanitizer, sizeof judge->no_sanitizer, "the device is reached through a launcher");
    else if (find_program(judge, arena) == NULL)
        snprintf(judge->no_sanitizer, sizeof judge->no_sanitizer, "compute-sanitizer is not installed");
    else if (ks_dir_temp(arena, "ks-sanitizer", &s->dir, &local) != KS_OK)
        snprintf(judge->no_sanitizer, sizeof judge->no_sanitizer, "no folder for their logs");
    for (int i = 0; i < KS_TOOL_COUNT && judge->no_sanitizer[0] == '\0'; i++) {
        struct ks_tool_look *t = &s->tools[i];
        t->all = s;
        t->tool = (enum ks_tool)i;
        t->log = ks_path_join(arena, s->dir, ks_tool_name(t->tool));
        if (start(judge, arena, t->tool, t->log, &t->worker, &local) != KS_OK) {
            snprintf(judge->no_sanitizer, sizeof judge->no_sanitizer, "compute-sanitizer does not start");
            break;
        }
        t->worker.child.dropped = &s->dropped;
        t->begun = true;
        ks_worker_send(&t->worker, "hello", json_object(), NULL, 0);
    }
    return s;
}

void ks_sanitize_park(struct ks_judge *judge)
{
    if (judge->roomy && judge->parked == NULL)
        judge->parked = start_tools(judge);
}

void ks_sanitize_settle(struct ks_judge *judge)
{
    for (int i = 0; judge->parked != NULL && i < KS_TOOL_COUNT; i++)
        if (judge->parked->tools[i].begun)
            ks_sanitize_greet(&judge->parked->tools[i]);
}

void ks_sanitize_leave(struct ks_judge *judge)
{
    if (judge->parked == NULL)
        return;
    for (int i = 0; i < KS_TOOL_COUNT; i++)
        ks_worker_leave(&judge->parked->tools[i].worker, &judge->leaving);
    ks_sanitize_end(judge->parked);
    judge->parked = NULL;
}

enum ks_status ks_sanitize_begin(struct ks_judge *judge, struct ks_arena *arena,
                                 const struct ks_candidate *candidate, struct ks_sanitizing **out,
                                 struct ks_err *err)
{
    struct ks_sanitizing *s = *out = judge->parked != NULL ? judge->parked : start_tools(judge);
    judge->parked = NULL;
    s->candidate = candidate;
    if (!s->tools[0].begun || judge->no_sanitizer[0] != '\0')
        return KS_OK;
    struct ks_lock lock;
    KS_TRY(ks_judge_share(judge, &lock, err));
    enum ks_status status = make_vectors(judge, arena, s, err); // while the tools start
    ks_lock_release(&lock);
    KS_TRY(status);
    for (int i = 0; i < KS_TOOL_COUNT && s->n_vectors > 0; i++) {
        struct ks_tool_look *t = &s->tools[i];
        t->beside = pthread_create(&t->thread, NULL, ks_sanitize_runs, t) == 0;
        if (!t->beside)
            ks_sanitize_runs(t);
    }
    return KS_OK;
}

// An output under a tool against what the original makes without.
static enum ks_status compare(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *v, size_t output,
                              const void *got, int poison, enum ks_correctness *verdict, char reason[512],
                              struct ks_err *err)
{
    const struct ks_output *o = &v->outputs[output];
    const struct ks_slot *slot = &v->layout.slots[o->slot];
    struct ks_comparison c;
    if (memcmp(got, o->expected[poison == 1 && o->expected[1] != NULL], (size_t)slot->bytes) == 0)
        return KS_OK;
    KS_TRY(ks_vector_settle(judge, arena, v, output, got, poison, &c, err));
    if (c.bad == 0)
        return KS_OK;
    *verdict = KS_C_WRONG;
    snprintf(reason, 512, "output `%s` differs: %s", v->problem.args[slot->arg].name, c.pattern);
    return KS_OK;
}

static enum ks_status compare_all(struct ks_judge *judge, struct ks_arena *arena, struct ks_sanitizing *s,
                                  struct ks_tool_look *t, enum ks_correctness *verdict, char reason[512],
                                  struct ks_err *err)
{
    for (size_t i = 0; i < s->n_vectors; i++)
        for (size_t o = 0; o < s->vectors[i].n_outputs; o++) {
            struct ks_vector *v = &s->vectors[i];
            const void *got[2] = {NULL, NULL};
            for (int poison = 0; poison < 2 && *verdict == KS_C_CORRECT; poison++) {
                got[poison] = t->got[i][poison] != NULL ? t->got[i][poison][o] : NULL;
                if (got[poison] != NULL)
                    KS_TRY(compare(judge, arena, v, o, got[poison], poison, verdict, reason, err));
            }
            size_t bytes = (size_t)v->layout.slots[v->outputs[o].slot].bytes;
            if (*verdict == KS_C_CORRECT && got[1] != NULL && v->all_written && ks_vector_repeats(judge, v) &&
                memcmp(got[0], got[1], bytes) != 0) {
                *verdict = KS_C_NONDET;
                snprintf(reason, 512, "repeated runs with the same inputs give different bits; the original's do not");
            }
        }
    return KS_OK;
}

// What the runs' end says: KS_OK with a verdict, or a failure of the tool.
static enum ks_status settle(struct ks_judge *judge, struct ks_arena *arena, struct ks_sanitizing *s,
                             struct ks_tool_look *t, enum ks_correctness *verdict, char reason[512],
                             struct ks_err *err)
{
    *verdict = KS_C_CORRECT;
    if (!t->answered && t->answer != KS_ANSWER_OK) {
        enum ks_status status = ks_answer_status(&t->worker, t->answer, "its worker", err);
        if (status != KS_E_INTERRUPTED)
            snprintf(judge->no_sanitizer, sizeof judge->no_sanitizer, "compute-sanitizer does not run here: %.120s",
                     t->worker.text);
        return status;
    }
    if (!t->answered)
        KS_FAIL(err, KS_E_DEVICE, "its worker is not confined");
    KS_TRY(compare_all(judge, arena, s, t, verdict, reason, err));
    if (*verdict != KS_C_CORRECT || t->answer == KS_ANSWER_OK)
        return KS_OK;
    return ks_check_answer(t->answer, t->worker.text, verdict, reason)
               ? KS_OK : ks_answer_status(&t->worker, t->answer, "its worker", err);
}

// Whether the tool finds something in the original as well.
static bool original_too(struct ks_judge *judge, struct ks_arena *arena, enum ks_tool tool,
                         const struct ks_candidate *c, struct ks_sanitizing *s, struct ks_vector *vector)
{
    struct ks_worker worker = {0};
    struct ks_device_info info;
    struct ks_err err = {0};
    struct ks_slice text;
    const char *log = ks_path_join(arena, s->dir, "original");
    char finding[200] = "";
    uint64_t addresses[KS_LAUNCH_SLOTS];
    double us;
    if (start(judge, arena, tool, log, &worker, &err) != KS_OK)
        return false;
    struct ks_scope scope = ks_judge_scope(judge, &vector->problem, &vector->layout, NULL);
    scope.original = c->original;
    json_t *plan = ks_launch_original(&scope, "m0");
    enum ks_answer answer = ks_worker_hello(&worker, &info);
    if (answer == KS_ANSWER_OK)
        answer = ks_worker_load(&worker, c->cubin, &c->original, 1);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_place(arena, vector, &worker, vector->placement, NULL, 0, KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(vector, &worker, addresses);
    if (answer == KS_ANSWER_OK)
        ks_vector_run(&worker, plan, vector->poison[0], true, false,
                      (struct ks_run_limit){.seconds = KS_SANITIZE_PATIENCE * 2, .steps = -1}, &us);
    json_decref(plan);
    ks_worker_end(&worker, KS_SANITIZE_END);
    if (ks_file_read(arena, log, LOG_MAX, &text, &err) == KS_OK)
        ks_sanitize_read(text, judge->kernel->mark->decl->name, finding);
    return finding[0] != '\0';
}

static enum ks_status finish_tool(struct ks_judge *judge, struct ks_arena *arena, struct ks_sanitizing *s,
                                  struct ks_tool_look *t, struct ks_err *err)
{
    const char *name = ks_tool_name(t->tool);
    enum ks_correctness verdict;
    char reason[512] = "", finding[200] = "";
    struct ks_slice text = {"", 0};
    struct ks_err local = {0};
    enum ks_status status = settle(judge, arena, s, t, &verdict, reason, &local);
    if (status == KS_E_INTERRUPTED)
        return ks_err_set(err, status, "%s", local.text);
    bool ended = ks_file_read(arena, t->log, LOG_MAX, &text, NULL) == KS_OK &&
                 ks_sanitize_read(text, part_of(judge, s->candidate), finding);
    bool found = finding[0] != '\0';
    if (found && original_too(judge, arena, t->tool, s->candidate, s, &s->vectors[0])) {
        t->why = "it reports the original too";
        ks_judge_note(judge, "%s reports the original too, so nothing follows: %.180s", name, finding);
    } else if (found) {
        s->verdict = KS_C_UNSAFE;
        snprintf(s->reason, sizeof s->reason, "%s: %s", name, finding);
        t->result = KS_CHECK_FAILED;
    } else if (status != KS_OK || verdict == KS_C_HANG || !ended) {
        const char *why = status != KS_OK          ? local.text
                          : verdict == KS_C_HANG ? "too slow on this kernel"
                                                 : "the tool ended early";
        t->why = ks_arena_strdup(judge->arena, why);
        ks_judge_note(judge, "%s was not made: %.180s", name, why);
    } else if (verdict != KS_C_CORRECT) {
        s->verdict = verdict;
        snprintf(s->reason, sizeof s->reason, "under %s: %.400s", name, reason);
        t->result = KS_CHECK_FAILED;
    } else {
        t->result = KS_CHECK_PASSED;
    }
    return KS_OK;
}

static void join(struct ks_tool_look *t)
{
    if (t->beside)
        pthread_join(t->thread, NULL);
    t->beside = false;
}

static void neither_made(struct ks_sanitizing *s, const char *why)
{
    for (int i = 0; i < KS_TOOL_COUNT; i++)
        s->tools[i].why = why;
}

enum ks_status ks_sanitize_finish(struct ks_judge *judge, struct ks_arena *arena, struct ks_sanitizing *s,
                                  struct ks_err *err)
{
    if (judge->no_sanitizer[0] != '\0') {
        ks_judge_note(judge, "memcheck and racecheck were not made: %s", judge->no_sanitizer);
        neither_made(s, ks_arena_strdup(judge->arena, judge->no_sanitizer));
    }
    if (!s->tools[0].begun || judge->no_sanitizer[0] != '\0')
        return KS_OK;
    if (s->n_vectors == 0) {
        ks_judge_note(judge, "memcheck and racecheck were not made: no size is small enough");
        neither_made(s, "no size is small enough");
    }
    enum ks_status status = KS_OK;
    for (int i = 0; i < KS_TOOL_COUNT; i++)
        join(&s->tools[i]);
    for (int i = 0; status == KS_OK && s->n_vectors > 0 && i < KS_TOOL_COUNT && s->verdict == KS_C_CORRECT &&
                    judge->no_sanitizer[0] == '\0'; i++)
        status = finish_tool(judge, arena, s, &s->tools[i], err);
    return status;
}

void ks_sanitize_end(struct ks_sanitizing *s)
{
    s->dropped = true;
    for (int i = 0; i < KS_TOOL_COUNT; i++) {
        struct ks_tool_look *t = &s->tools[i];
        join(t);
        if (t->begun)
            ks_worker_end(&t->worker, 0);
        for (size_t v = 0; v < s->n_vectors; v++)
            for (int poison = 0; poison < 2; poison++)
                for (size_t o = 0; t->got[v][poison] != NULL && o < s->vectors[v].n_outputs; o++)
                    free(t->got[v][poison][o]);
        ks_arena_free(&t->arena);
    }
    for (size_t v = 0; v < s->n_vectors; v++)
        ks_vector_free(&s->vectors[v]);
    s->n_vectors = 0;
    if (s->dir != NULL)
        ks_tree_remove(s->dir, NULL);
    s->dir = NULL;
}
