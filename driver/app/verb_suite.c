// ks verify --suite DIR: judges every fixture, in the test build also with its defence off, and tells
// which got the verdict they must get.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/verb_suite.h"
#include "base/rng.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/term.h"

enum ending { NOT_JUDGEABLE, MATCHED, DIFFERED };

struct job {
    const struct suite_fixture *fixture;
    const struct suite_case *asked;
    const char *tu_key, *judge_key; // jobs of equal keys share a compile, and a session
    enum ending ending;
    struct ks_verdict verdict;
    const char *text;               // why it is not judgeable
    bool refused;                   // before anything of the proposal was looked at
    bool silent;                    // nothing was run, and the gates found nothing
    double seconds;
};

struct running {
    struct verifying *v;
    struct verifying gates;         // the same for what this device would need hours for: gates alone
    struct job *jobs; size_t n_jobs;
    const char *dir;
    // What the last job left open.
    const char *tu_key, *judge_key;
    struct verb_tu tu;
    bool tu_open;
    char *copy_dir; // of the TU with another workload, or NULL
    enum ks_status tu_status;
    struct ks_err tu_err;
    struct ks_judge *judge;
    const struct ks_tu_kernel *kernel;
};

static bool emulated(const struct verifying *v)
{
    return strcmp(v->device.kind, "emu") == 0;
}

static const struct verifying *view_of(const struct running *r, const struct job *job)
{
    return emulated(r->v) && job->asked->emu == NULL ? &r->gates : r->v;
}

static struct job job_of(const struct verifying *v, const struct suite_fixture *f,
                         const struct suite_case *asked)
{
    struct ks_arena *arena = v->context->arena;
    struct ks_buf tu = KS_BUF(1 << 16), judge = KS_BUF(1 << 16);
    const char *real = ks_path_real(arena, asked->file);
    ks_buf_printf(&tu, "%s\n%s\n", real != NULL ? real : asked->file,
                  emulated(v) && asked->emu != NULL ? asked->emu : "");
    for (size_t i = 0; asked->words != NULL && asked->words[i] != NULL; i++)
        ks_buf_printf(&tu, "%s\n", asked->words[i]);
    ks_buf_printf(&judge, "%s%s\n%d", ks_buf_text(&tu), f->kernel != NULL ? f->kernel : "",
                  asked->timed);
    for (int d = 0; d < KS_DEFENCE_COUNT; d++)
        ks_buf_putc(&judge, asked->off.off[d] ? '1' : '0');
    struct job job = {.fixture = f, .asked = asked,
                      .tu_key = ks_arena_strdup(arena, ks_buf_text(&tu)),
                      .judge_key = ks_arena_strdup(arena, ks_buf_text(&judge))};
    ks_buf_free(&tu);
    ks_buf_free(&judge);
    return job;
}

static void close_judge(struct running *r)
{
    ks_judge_close(r->judge);
    r->judge = NULL;
    r->judge_key = NULL;
}

static void close_tu(struct running *r)
{
    close_judge(r);
    if (r->tu_open)
        verb_tu_close(&r->tu);
    if (r->copy_dir != NULL)
        ks_tree_remove(r->copy_dir, NULL);
    r->copy_dir = NULL;
    r->tu_open = false;
    r->tu_key = NULL;
}

// What compiles of a fixture's text may read: the suite, and the copy with another workload.
static const char *const *readable(const struct running *r)
{
    struct ks_strv folders = {0};
    ks_strv_add(r->v->context->arena, &folders, r->dir);
    if (r->copy_dir != NULL)
        ks_strv_add(r->v->context->arena, &folders, r->copy_dir);
    return folders.at;
}

static void open_tu(struct running *r, const struct job *job)
{
    struct verifying *v = r->v;
    struct ks_arena *arena = v->context->arena;
    const struct suite_case *asked = job->asked;
    struct ks_strv words = {0};
    const char *file = asked->file;
    for (const char *const *w = verify_words(v); *w != NULL; w++)
        ks_strv_add(arena, &words, *w);
    for (size_t i = 0; asked->words != NULL && asked->words[i] != NULL; i++)
        ks_strv_add(arena, &words, asked->words[i]);
    ks_strv_add(arena, &words, NULL);
    r->tu_status = KS_OK;
    r->tu_err = (struct ks_err){0};
    if (emulated(v) && asked->emu != NULL && strcmp(asked->emu, SUITE_DECLARED) != 0)
        r->tu_status = suite_with_workload(arena, asked->file, asked->emu, &file, &r->copy_dir, &r->tu_err);
    if (r->tu_status == KS_OK) {
        bool device = v->absent != NULL || emulated(v);
        r->tu_status = v->sandbox
            ? verb_tu_open_within(v->context, file, words.at, device, readable(r), &r->tu, &r->tu_err)
            : (device ? verb_tu_open_device : verb_tu_open)(v->context, file, words.at, &r->tu, &r->tu_err);
        r->tu_open = true;
    }
    r->tu_key = job->tu_key;
}

static enum ks_status choose_kernel(struct running *r, const struct job *job, struct ks_err *err)
{
    r->kernel = NULL;
    for (size_t i = 0; i < r->tu.tu.n_kernels && r->kernel == NULL; i++)
        if (verb_kernel_is(r->v->context->arena, &r->tu.tu.kernels[i], job->fixture->kernel))
            r->kernel = &r->tu.tu.kernels[i];
    if (r->kernel == NULL)
        return verb_no_kernel(&r->tu, job->fixture->kernel, err);
    if (r->kernel->reason != KS_R_APPLIED)
        KS_FAIL(err, KS_E_USER, "%s: %s", verb_kernel_name(r->kernel),
                ks_reason_text(r->kernel->reason));
    return KS_OK;
}

static void refuse(struct job *job, enum ks_correctness correctness, const char *reason)
{
    job->verdict = (struct ks_verdict){.correctness = correctness, .speed = KS_S_NOT_MEASURED};
    snprintf(job->verdict.reason, sizeof job->verdict.reason, "%.500s", reason);
    job->refused = true;
}

// The loader of proposals is the first of the gates.
static void refuse_text(struct job *job, const char *reason)
{
    refuse(job, KS_C_STATIC, reason);
    job->verdict.checks.result[KS_CHECK_TEXT] = KS_CHECK_FAILED;
}

// Brings compile and session to what the job needs. false: the job has its verdict already.
static enum ks_status open_for(struct running *r, struct job *job, bool *ready, struct ks_err *err)
{
    const char *finding;
    *ready = false;
    if (r->tu_key == NULL || strcmp(r->tu_key, job->tu_key) != 0) {
        close_tu(r);
        open_tu(r, job);
    }
    if (r->tu_status == KS_E_USER) { // no baseline can be made with these words
        refuse(job, KS_C_VOID, r->tu_err.text);
        return KS_OK;
    }
    if (r->tu_status != KS_OK)
        return ks_err_set(err, r->tu_status, "%s", r->tu_err.text);
    if (r->judge_key == NULL || strcmp(r->judge_key, job->judge_key) != 0) {
        close_judge(r);
        KS_TRY(choose_kernel(r, job, err));
        struct ks_verify_defences *off =
            ks_arena_memdup(r->v->context->arena, &job->asked->off, sizeof *off);
        const struct verify_rules rules = {.untimed = !job->asked->timed, .sandbox = r->v->sandbox, .off = off};
        KS_TRY(verify_open(view_of(r, job), &r->tu, r->kernel, &rules, &r->judge, &finding, err));
        if (r->judge == NULL) {
            refuse(job, KS_C_BASELINE_FAULT, finding);
            return KS_OK;
        }
        r->judge_key = job->judge_key;
    }
    *ready = true;
    return KS_OK;
}

static const char *outcome(const struct job *job)
{
    const struct ks_verdict *v = &job->verdict;
    return v->correctness == KS_C_CORRECT && job->asked->timed ? ks_speed_name(v->speed)
                                                              : ks_correctness_name(v->correctness);
}

static bool among(const char *word, const struct ks_strv *words)
{
    for (size_t i = 0; i < words->len; i++)
        if (strcmp(words->at[i], word) == 0)
            return true;
    return false;
}

// Whether gates would have said all that is expected.
static bool gates_alone(const struct ks_strv *expect)
{
    size_t n = 0;
    for (size_t i = 0; i < expect->len; i++)
        n += strcmp(expect->at[i], "STATIC") == 0 || strcmp(expect->at[i], "COMPILE") == 0;
    return n > 0 && n == expect->len;
}

// Where nothing was run and no gate objects: of a fixture that a gate must reject that is wrong, and without
// that gate it is what was to be shown.
static enum ending ending_of_silence(const struct verifying *v, struct job *job)
{
    bool weakened = job->asked == &job->fixture->weakened;
    if (suite_by_gate(job->fixture) && weakened && !gates_alone(&job->asked->expect))
        return MATCHED;
    job->text = "no gate rejects it";
    if (suite_by_gate(job->fixture))
        return DIFFERED;
    job->text = v->absent != NULL ? "no device, and the gates find nothing"
                                  : "too much for this device, and the gates find nothing";
    return NOT_JUDGEABLE;
}

// A weakened judgement is right if it says what the fixture lists, or if that lists nothing, something else
// than with all defences on. What could not be judged then shows nothing.
static enum ending ending_of(const struct verifying *v, struct job *job)
{
    bool weakened = job->asked == &job->fixture->weakened;
    const struct ks_verdict *verdict = &job->verdict;
    const struct ks_strv *expect = &job->asked->expect;
    const char *said = outcome(job);
    if (job->silent)
        return ending_of_silence(v, job);
    if (verdict->correctness == KS_C_UNSUPPORTED && !among("UNSUPPORTED", expect)) {
        job->text = "this device cannot judge it";
        return NOT_JUDGEABLE;
    }
    if (weakened && strcmp(said, "VOID") == 0 && !among("VOID", expect)) {
        job->text = "no verdict without its defence";
        return NOT_JUDGEABLE;
    }
    job->text = suite_blame(v->context->arena, job->fixture, job->asked, verdict);
    if (job->text != NULL)
        return DIFFERED;
    if (weakened && expect->len == 0)
        return among(said, &job->fixture->main.expect) ? DIFFERED : MATCHED;
    bool no_clock = verdict->correctness == KS_C_CORRECT && job->asked->timed &&
                    verdict->speed == KS_S_NOT_MEASURED && emulated(v);
    if (no_clock && !among("CORRECT", expect) && !among("NOT_MEASURED", expect)) {
        job->text = "this device measures no time";
        return NOT_JUDGEABLE;
    }
    bool matched = among(said, expect) ||
                   (verdict->correctness == KS_C_CORRECT && among("CORRECT", expect));
    return matched ? MATCHED : DIFFERED;
}

static void conclude(const struct verifying *v, struct job *job)
{
    job->ending = ending_of(v, job);
    if (job->ending != DIFFERED || job->asked->weak == NULL)
        return;
    job->ending = NOT_JUDGEABLE;
    job->text = ks_arena_printf(v->context->arena, "known weak: %s", job->asked->weak);
}

static enum ks_status proposal_of(const struct running *r, const struct job *job,
                                  struct ks_proposal **proposal, struct ks_err *err)
{
    struct ks_arena *arena = r->v->context->arena;
    const char *path = ks_path_join(arena, job->fixture->dir, "proposal.yaml");
    *proposal = KS_NEW(arena, struct ks_proposal);
    if (!ks_file_exists(path))
        KS_FAIL(err, KS_E_ABSENT, "%s: no such file", path);
    KS_TRY(verify_read_proposal(arena, path, *proposal, err));
    verify_name_params(arena, r->kernel, *proposal); // as it will be judged, or it would be compiled again then
    (*proposal)->foreign = r->v->sandbox;
    return KS_OK;
}

// Where nothing runs on a GPU, compiling is most of the time that a suite takes: all of a session at once.
static enum ks_status compile_session(struct running *r, const struct job *first, struct ks_err *err)
{
    struct ks_arena *arena = r->v->context->arena;
    struct ks_proposal **all = KS_NEW_ARRAY(arena, struct ks_proposal *, r->n_jobs);
    size_t n = 0;
    for (size_t i = 0; i < r->n_jobs; i++) // one that cannot be read is told of in its turn
        if (strcmp(r->jobs[i].judge_key, first->judge_key) == 0 && proposal_of(r, &r->jobs[i], &all[n], NULL) == KS_OK)
            n++;
    return ks_judge_prepare(r->judge, all, n, err);
}

static enum ks_status judge_job(struct running *r, struct job *job, struct ks_err *err)
{
    const char *session = r->judge_key;
    bool ready;
    KS_TRY(open_for(r, job, &ready, err));
    ks_progress(job->fixture->id, "ks: judging %s", job->fixture->id);
    const struct verifying *v = view_of(r, job);
    if (ready && r->judge_key != session && (v->absent != NULL || emulated(v)))
        KS_TRY(compile_session(r, job, err));
    if (ready) {
        struct ks_proposal *proposal;
        enum ks_status status = proposal_of(r, job, &proposal, err);
        if (status == KS_E_USER)
            refuse_text(job, err->text);
        else if (status == KS_OK)
            status = verify_judge(v, r->judge, r->kernel, proposal, &job->verdict, err);
        if (status != KS_E_USER)
            KS_TRY(status);
    }
    job->silent = !job->refused && verify_undecided(v, &job->verdict);
    conclude(r->v, job);
    return KS_OK;
}

// A fault of the tool or the device costs one fixture, not the folder: the next begins in a new session.
static enum ks_status run_job(struct running *r, struct job *job, struct ks_err *err)
{
    double start = ks_now();
    struct ks_err local = {0};
    enum ks_status status = judge_job(r, job, &local);
    job->seconds = ks_now() - start;
    if (status == KS_OK)
        return KS_OK;
    if (status == KS_E_INTERRUPTED)
        return ks_err_set(err, status, "%s", local.text);
    close_judge(r);
    refuse(job, KS_C_VOID, local.text);
    job->ending = DIFFERED;
    job->text = ks_arena_printf(r->v->context->arena, "failed: %s", local.text);
    return KS_OK;
}

static int by_key(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    int order = strcmp(x->judge_key, y->judge_key);
    return order != 0 ? order : strcmp(x->fixture->id, y->fixture->id);
}

static int by_id(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    int order = strcmp(x->fixture->id, y->fixture->id);
    return order != 0 ? order
                      : (x->asked == &x->fixture->weakened) - (y->asked == &y->fixture->weakened);
}

static json_t *expect_json(const struct suite_case *asked)
{
    json_t *words = json_array();
    for (size_t i = 0; i < asked->expect.len; i++)
        json_array_append_new(words, json_string(asked->expect.at[i]));
    return words;
}

static const char *ending_name(enum ending ending)
{
    static const char *const names[] = {"not-judgeable", "passed", "failed"};
    return names[ending];
}

static json_t *job_json(const struct job *job)
{
    const struct ks_verdict *verdict = &job->verdict;
    bool silent = job->silent;
    return json_pack("{s:o,s:s,s:o,s:s,s:s,s:s,s:f,s:o}", "expect", expect_json(job->asked), "result",
                     ending_name(job->ending), "correctness",
                     silent ? json_null()
                            : json_string(ks_correctness_name(verdict->correctness)),
                     "speed", ks_speed_name(verdict->speed), "reason", verdict->reason, "text",
                     job->text != NULL ? job->text : "", "seconds", job->seconds, "checks",
                     verify_checks_json(verdict));
}

struct tally {
    int judged, failed, not_judgeable, rejects, accepts, weakened, weakened_failed, weakened_not_judgeable;
};

static void print_job(const struct verifying *v, const struct job *job)
{
    static const char *const marks[] = {"  --", "  ok", "FAIL"};
    const struct ks_verdict *verdict = &job->verdict;
    bool weakened = job->asked == &job->fixture->weakened;
    bool silent = job->silent;
    printf("%s %-34s %-12s %-13s %5.1f s  %s\n", marks[job->ending],
           weakened ? ks_arena_printf(v->context->arena, "  without its defence") : job->fixture->id,
           silent ? "nothing" : outcome(job),
           weakened || job->fixture->defence == NULL ? "" : job->fixture->defence, job->seconds,
           job->text != NULL ? job->text : verdict->reason);
}

static void report_job(struct verifying *v, const struct job *job, struct tally *tally)
{
    bool weakened = job->asked == &job->fixture->weakened;
    if (!v->context->json)
        print_job(v, job);
    if (weakened) {
        tally->weakened += job->ending != NOT_JUDGEABLE;
        tally->weakened_not_judgeable += job->ending == NOT_JUDGEABLE;
        tally->weakened_failed += job->ending == DIFFERED;
        json_t *row = json_array_get(v->rows, json_array_size(v->rows) - 1);
        json_object_set_new(row, "weakened", job_json(job));
        return;
    }
    tally->judged += job->ending != NOT_JUDGEABLE;
    tally->not_judgeable += job->ending == NOT_JUDGEABLE;
    tally->failed += job->ending == DIFFERED;
    tally->rejects += job->ending != NOT_JUDGEABLE && job->fixture->defence != NULL;
    tally->accepts += job->ending != NOT_JUDGEABLE && job->fixture->defence == NULL;
    json_t *row = job_json(job);
    json_object_set_new(row, "id", json_string(job->fixture->id));
    json_object_set_new(row, "title", json_string(job->fixture->title));
    json_object_set_new(row, "defence", job->fixture->defence != NULL
                                            ? json_string(job->fixture->defence) : json_null());
    json_object_set_new(row, "weakened", json_null());
    json_array_append_new(v->rows, row);
}

// Whether as many were judged as this kind of device must be able to judge.
static bool enough(const struct verifying *v, const struct suite *suite, const struct tally *tally)
{
    for (size_t i = 0; i < suite->n_least; i++)
        if (strcmp(suite->least[i].device, v->device.kind) == 0)
            return tally->rejects >= suite->least[i].reject &&
                   tally->accepts >= suite->least[i].accept;
    return true;
}

static int report(struct running *r, const struct suite *suite, const char *dir)
{
    struct verifying *v = r->v;
    struct tally t = {0};
    v->rows = json_array();
    qsort(r->jobs, r->n_jobs, sizeof *r->jobs, by_id);
    for (size_t i = 0; i < r->n_jobs; i++)
        report_job(v, &r->jobs[i], &t);
    bool all = enough(v, suite, &t);
    int exit_code = t.failed + t.weakened_failed == 0 && all ? EXIT_OK : EXIT_NEGATIVE;
    if (v->context->json) {
        json_t *report = ks_json_report("ks.verify.suite");
        json_object_set_new(report, "dir", json_string(dir));
        json_object_set_new(report, "device", verify_device_json(v));
        json_object_set_new(report, "sandbox", json_string(verify_sandbox_name(v)));
        json_object_set_new(report, "draw", json_integer((json_int_t)v->draw));
        json_object_set_new(report, "fixtures", v->rows);
        json_object_set_new(report, "judged", json_integer(t.judged));
        json_object_set_new(report, "failed", json_integer(t.failed));
        json_object_set_new(report, "not_judgeable", json_integer(t.not_judgeable));
        json_object_set_new(report, "rejects", json_integer(t.rejects));
        json_object_set_new(report, "accepts", json_integer(t.accepts));
        json_object_set_new(report, "weakened", json_integer(t.weakened));
        json_object_set_new(report, "weakened_failed", json_integer(t.weakened_failed));
        json_object_set_new(report, "weakened_not_judgeable", json_integer(t.weakened_not_judgeable));
        json_object_set_new(report, "enough", json_boolean(all));
        json_object_set_new(report, "exit", json_integer(exit_code));
        ks_json_print(report);
        return exit_code;
    }
    json_decref(v->rows);
    printf("%d judged (%d to reject, %d to accept), %d of them wrongly; %d not judgeable on %s; %d "
           "without their defence, %d of them wrongly, %d not judgeable%s\n", t.judged, t.rejects, t.accepts, t.failed,
           t.not_judgeable, v->device.name[0] != '\0' ? v->device.name : "no device", t.weakened,
           t.weakened_failed, t.weakened_not_judgeable, all ? "" : "; too few judged");
    if (t.failed + t.weakened_failed > 0)
        printf("the same sizes, values and addresses again: the same words and --draw %lld\n", (long long)v->draw);
    return exit_code;
}

// Whether leaving the defence out can show anything here: without a device, only of a gate.
static bool worth_weakening(const struct verifying *v, const struct suite_fixture *f)
{
    return f->has_weakened && ks_defence_switchable() && (v->absent == NULL || suite_by_gate(f));
}

int verify_suite(struct verifying *v, const char *dir, const char *only)
{
    struct ks_arena *arena = v->context->arena;
    struct suite suite;
    struct ks_err err = {0};
    if (suite_read(arena, dir, only, v->sandbox, emulated(v), &suite, &err) != KS_OK)
        return verb_fail(v->context, &err);
    if (v->refused != NULL) {
        ks_err_set(&err, KS_E_UNSUPPORTED, "%s", verify_refusal(v));
        return verb_fail(v->context, &err);
    }
    if (v->draw == 0) // of all sessions, so that it can be named
        v->draw = ks_seed_to_tell();
    struct running r = {.v = v, .gates = *v, .dir = dir, .jobs = KS_NEW_ARRAY(arena, struct job, 2 * suite.n)};
    for (size_t i = 0; i < suite.n; i++) {
        r.jobs[r.n_jobs++] = job_of(v, &suite.at[i], &suite.at[i].main);
        if (worth_weakening(v, &suite.at[i]))
            r.jobs[r.n_jobs++] = job_of(v, &suite.at[i], &suite.at[i].weakened);
    }
    qsort(r.jobs, r.n_jobs, sizeof *r.jobs, by_key);
    r.gates.absent = "no workload for an emulated device";
    enum ks_status status = KS_OK;
    for (size_t i = 0; status == KS_OK && i < r.n_jobs; i++)
        status = ks_stop_requested() ? ks_err_set(&err, KS_E_INTERRUPTED, "interrupted")
                                     : run_job(&r, &r.jobs[i], &err);
    close_tu(&r);
    ks_progress_done();
    return status == KS_OK ? report(&r, &suite, dir) : verb_fail(v->context, &err);
}
