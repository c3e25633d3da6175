#include "verify/sanitize.h"

#include <stdio.h>
#include <string.h>

#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"
#include "verify/check.h"
#include "verify/emulate.h"

#define LOG_MAX (1u << 20)
#define PROBLEMS 2        // of a workload
#define SECONDS 6.0       // of one tool: no run is begun after that
#define PATIENCE 20.0     // times the deadline of a plain run
#define START_SECONDS 15.0
#define END_SECONDS 10.0  // for its last words

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
    worker->grace = END_SECONDS; // after a fault too it has something to say
    return KS_OK;
}

// All kernels of a proposal share a namespace, which its id is part of.
static const char *part_of(struct ks_judge *judge, const struct ks_candidate *c)
{
    return judge->kernel->mark->decl != NULL && strstr(c->names[0], "ks_") != NULL
               ? ks_shadow_namespace(judge->arena, c->id, judge->kernel->mark->decl)
               : c->names[0];
}

void ks_sanitize_begin(struct ks_judge *judge, struct ks_arena *arena, struct ks_sanitizing *s)
{
    struct ks_err err = {0};
    *s = (struct ks_sanitizing){.verdict = KS_C_CORRECT};
    if (strcmp(judge->device.kind, "emu") == 0 || judge->no_sanitizer[0] != '\0')
        return; // the emulated device has looked at more; or it was told before
    if (judge->options.launcher != NULL)
        snprintf(judge->no_sanitizer, sizeof judge->no_sanitizer, "the device is reached through a launcher");
    else if (find_program(judge, arena) == NULL)
        snprintf(judge->no_sanitizer, sizeof judge->no_sanitizer, "compute-sanitizer is not installed");
    else if (ks_dir_temp(arena, "ks-sanitizer", &s->dir, &err) != KS_OK)
        snprintf(judge->no_sanitizer, sizeof judge->no_sanitizer, "no folder for their logs");
    for (int t = 0; t < KS_TOOL_COUNT && judge->no_sanitizer[0] == '\0'; t++) {
        s->tools[t].log = ks_path_join(arena, s->dir, ks_tool_name((enum ks_tool)t));
        if (start(judge, arena, (enum ks_tool)t, s->tools[t].log, &s->tools[t].worker, &err) != KS_OK) {
            snprintf(judge->no_sanitizer, sizeof judge->no_sanitizer, "compute-sanitizer does not start");
            return;
        }
        s->tools[t].begun = true;
        ks_worker_send(&s->tools[t].worker, "hello", json_object(), NULL, 0);
    }
}

// The small problems of all workloads that the original serves, with what it makes of them.
struct vectors {
    struct ks_vector at[PROBLEMS * 8];
    size_t n;
};

static enum ks_status make_vectors(struct ks_judge *judge, struct ks_arena *arena,
                                   const struct ks_candidate *c, struct vectors *v, struct ks_err *err)
{
    for (size_t w = 0; w < judge->n_problems && w < 8; w++) {
        struct ks_problem problems[KS_SMALL_PROBLEMS];
        size_t n = ks_small_problems(judge, arena, w, c->proposal, problems);
        for (size_t i = 0; i < n && i < PROBLEMS; i++) {
            struct ks_problem *problem = ks_arena_memdup(arena, &problems[i], sizeof *problem);
            KS_TRY(ks_vector_make(judge, arena, problem, KS_FAMILY_DECLARED, 0, KS_SKEW_NONE, &v->at[v->n], err));
            v->n += !v->at[v->n].excluded;
        }
    }
    return KS_OK;
}

// Runs the candidate on each vector. KS_E_DEVICE: the tool failed.
static enum ks_status run_all(struct ks_judge *judge, struct ks_arena *arena,
                              const struct ks_candidate *c, struct ks_worker *worker,
                              struct vectors *v, enum ks_correctness *verdict, char reason[512],
                              struct ks_err *err)
{
    struct ks_tested tested = {0};
    struct ks_check check = {judge, c, worker, &tested, reason};
    double begin = ks_now();
    // Its hello is waited for less long than that of a GPU that may be cold: a tool that a machine does not
    // support, or that hands no requests on, is to cost little, and once.
    enum ks_answer answer = ks_worker_wait(worker, START_SECONDS);
    if (answer != KS_ANSWER_OK) {
        enum ks_status status = ks_answer_status(worker, answer, "its worker", err);
        if (status != KS_E_INTERRUPTED)
            snprintf(judge->no_sanitizer, sizeof judge->no_sanitizer, "compute-sanitizer does not run here: %.120s",
                     worker->text);
        return status;
    }
    if (worker->confined && !ks_json_bool(worker->reply, "sandbox", false))
        KS_FAIL(err, KS_E_DEVICE, "its worker is not confined");
    answer = ks_worker_load(worker, c->cubin, c->names, c->n);
    if (answer != KS_ANSWER_OK)
        return ks_answer_status(worker, answer, "its worker", err);
    for (size_t i = 0; i < v->n && *verdict == KS_C_CORRECT; i++) {
        bool covered, proved;
        if (i > 0 && ks_now() - begin > SECONDS)
            break;
        KS_TRY(ks_check_vector(&check, arena, &v->at[i], i % 2 == 0 ? KS_FLUSH_END : KS_FLUSH_START, 0,
                               verdict, &covered, &proved, err));
    }
    return KS_OK;
}

// Whether the tool finds something in the original as well.
static bool original_too(struct ks_judge *judge, struct ks_arena *arena, enum ks_tool tool,
                         const struct ks_candidate *c, struct ks_sanitizing *s, struct ks_vector *vector)
{
    struct ks_worker worker = {0};
    struct ks_device_info info;
    struct ks_err err = {0};
    struct ks_slice text;
    const char *name = judge->kernel->signature->registered;
    const char *log = ks_path_join(arena, s->dir, "original");
    char finding[200] = "";
    uint64_t addresses[KS_LAUNCH_SLOTS];
    double us;
    if (start(judge, arena, tool, log, &worker, &err) != KS_OK)
        return false;
    struct ks_scope scope = ks_judge_scope(judge, &vector->problem, &vector->layout, NULL);
    json_t *plan = ks_launch_original(&scope, "m0");
    enum ks_answer answer = ks_worker_hello(&worker, &info);
    if (answer == KS_ANSWER_OK)
        answer = ks_worker_load(&worker, c->cubin, &name, 1);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_place(arena, vector, &worker, vector->placement, NULL, 0, KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(vector, &worker, addresses);
    if (answer == KS_ANSWER_OK)
        ks_vector_run(&worker, plan, vector->poison[0], true, false, PATIENCE * 2, &us);
    json_decref(plan);
    ks_worker_end(&worker, END_SECONDS);
    if (ks_file_read(arena, log, LOG_MAX, &text, &err) == KS_OK)
        ks_sanitize_read(text, judge->kernel->mark->decl->name, finding);
    return finding[0] != '\0';
}

static enum ks_status one_tool(struct ks_judge *judge, struct ks_arena *arena, enum ks_tool tool,
                               const struct ks_candidate *c, struct vectors *v,
                               struct ks_sanitizing *s, struct ks_err *err)
{
    const char *name = ks_tool_name(tool);
    enum ks_correctness verdict = KS_C_CORRECT;
    char reason[512] = "", finding[200] = "";
    struct ks_slice text = {"", 0};
    struct ks_err local = {0};
    double start_time = ks_now();
    judge->patience = PATIENCE;
    enum ks_status status =
        run_all(judge, arena, c, &s->tools[tool].worker, v, &verdict, reason, &local);
    judge->patience = 0;
    ks_worker_end(&s->tools[tool].worker, END_SECONDS);
    s->tools[tool].seconds = ks_now() - start_time;
    if (status == KS_E_INTERRUPTED)
        return ks_err_set(err, status, "%s", local.text);
    bool ended = ks_file_read(arena, s->tools[tool].log, LOG_MAX, &text, NULL) == KS_OK &&
                 ks_sanitize_read(text, part_of(judge, c), finding);
    bool found = finding[0] != '\0';
    if (found && v->n > 0 && original_too(judge, arena, tool, c, s, &v->at[0])) {
        ks_judge_note(judge, "%s reports the original too, so nothing follows: %.180s", name, finding);
    } else if (found) {
        s->verdict = KS_C_UNSAFE;
        snprintf(s->reason, sizeof s->reason, "%s: %s", name, finding);
        s->tools[tool].result = KS_CHECK_FAILED;
    } else if (status != KS_OK || verdict == KS_C_HANG || !ended) {
        const char *why = status != KS_OK          ? local.text
                          : verdict == KS_C_HANG ? "too slow on this kernel"
                                                 : "the tool ended early";
        ks_judge_note(judge, "%s was not made: %.180s", name, why);
    } else if (verdict != KS_C_CORRECT) {
        s->verdict = verdict;
        snprintf(s->reason, sizeof s->reason, "under %s: %.400s", name, reason);
        s->tools[tool].result = KS_CHECK_FAILED;
    } else {
        s->tools[tool].result = KS_CHECK_PASSED;
    }
    return KS_OK;
}

enum ks_status ks_sanitize_run(struct ks_judge *judge, struct ks_arena *arena,
                               const struct ks_candidate *candidate, struct ks_sanitizing *s,
                               struct ks_err *err)
{
    struct vectors *v = KS_NEW(arena, struct vectors);
    if (judge->no_sanitizer[0] != '\0')
        ks_judge_note(judge, "memcheck and racecheck were not made: %s", judge->no_sanitizer);
    if (!s->tools[0].begun || judge->no_sanitizer[0] != '\0')
        return KS_OK;
    enum ks_status status = make_vectors(judge, arena, candidate, v, err);
    if (status == KS_OK && v->n == 0)
        ks_judge_note(judge, "memcheck and racecheck were not made: no size is small enough");
    for (int t = 0; status == KS_OK && v->n > 0 && t < KS_TOOL_COUNT && s->verdict == KS_C_CORRECT &&
                    judge->no_sanitizer[0] == '\0'; t++)
        status = one_tool(judge, arena, (enum ks_tool)t, candidate, v, s, err);
    for (size_t i = 0; i < v->n; i++)
        ks_vector_free(&v->at[i]);
    return status;
}

void ks_sanitize_end(struct ks_sanitizing *s)
{
    for (int t = 0; t < KS_TOOL_COUNT; t++)
        if (s->tools[t].begun)
            ks_worker_end(&s->tools[t].worker, 0);
    if (s->dir != NULL)
        ks_tree_remove(s->dir, NULL);
    s->dir = NULL;
}
