// Worker processes of a session: the oracle, the spare runner, and what their ends mean; declared in
// verify/session.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "os/file.h"
#include "verify/session.h"
#include "verify/vector.h"

#define LOAD_SECONDS 60
#define EMU_SECONDS 3600 // longer than it takes to find a launch endless
#define ROOM (INT64_C(8) << 30)

static const char *worker_path(const struct ks_judge *judge, struct ks_arena *arena)
{
    if (judge->options.worker != NULL)
        return judge->options.worker;
    return ks_path_join(arena, ks_program_dir(arena), "ks-worker");
}

enum ks_status ks_answer_status(const struct ks_worker *worker, enum ks_answer answer,
                                const char *who, struct ks_err *err)
{
    if (answer == KS_ANSWER_INTERRUPTED)
        KS_FAIL(err, KS_E_INTERRUPTED, "interrupted");
    enum ks_status status = answer == KS_ANSWER_TOOL ? KS_E_DEVICE : KS_E_CHILD;
    KS_FAIL(err, status, "%s failed (%s): %.300s", who, ks_answer_name(answer),
            worker->text[0] != '\0' ? worker->text : "no further word; run `ks doctor`");
}

enum ks_answer ks_worker_functions(struct ks_worker *worker, const char *module, const char *const *names, size_t n)
{
    enum ks_answer answer = KS_ANSWER_OK;
    for (size_t i = 0; answer == KS_ANSWER_OK && i < n; i++)
        answer = ks_worker_ask(worker, "function", json_pack("{s:s,s:s}", "module", module, "name", names[i]),
                               LOAD_SECONDS);
    return answer;
}

static enum ks_answer load(struct ks_worker *worker, const char *module, struct ks_slice cubin,
                           const char *const *names, size_t n)
{
    enum ks_answer answer = ks_worker_send(worker, "module", json_pack("{s:s}", "name", module), &cubin, 1);
    if (answer == KS_ANSWER_OK)
        answer = ks_worker_wait(worker, LOAD_SECONDS);
    return answer == KS_ANSWER_OK ? ks_worker_functions(worker, module, names, n) : answer;
}

enum ks_answer ks_worker_load(struct ks_worker *worker, struct ks_slice cubin,
                              const char *const *names, size_t n)
{
    return load(worker, "m0", cubin, names, n);
}

enum ks_answer ks_worker_shelve(struct ks_worker *worker, struct ks_arena *arena, struct ks_shelf *shelf,
                                struct ks_slice cubin, const char *const *names, size_t n)
{
    size_t at = 0;
    while (at < shelf->cubins.len && shelf->cubins.at[at] != cubin.at)
        at++;
    snprintf(shelf->module, sizeof shelf->module, "m%zu", at);
    if (at < shelf->cubins.len)
        return ks_worker_functions(worker, shelf->module, names, n);
    *ks_vec_push(arena, &shelf->cubins) = cubin.at;
    return load(worker, shelf->module, cubin, names, n);
}

static enum ks_status start(struct ks_judge *judge, struct ks_worker *worker, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    enum ks_status status =
        ks_worker_start(worker, judge->options.launcher, worker_path(judge, &scratch),
                        judge->options.device != NULL ? judge->options.device : "cuda",
                        judge->options.sandbox, err);
    ks_arena_free(&scratch);
    worker->child.dropped = judge->dropped;
    return status;
}

enum ks_status ks_runner_spare(struct ks_judge *judge, size_t n, struct ks_err *err)
{
    size_t left = 0, most = judge->roomy ? KS_SPARES : 1;
    for (size_t i = 0; i < judge->n_spares; i++)
        if (ks_worker_alive(&judge->spares[i]))
            judge->spares[left++] = judge->spares[i];
        else
            ks_worker_stop(&judge->spares[i]);
    judge->n_spares = left;
    while (judge->n_spares < n && judge->n_spares < most) {
        struct ks_worker *spare = &judge->spares[judge->n_spares];
        KS_TRY(start(judge, spare, err));
        judge->n_spares++;
        // Its context opens while the supervisor does something else.
        ks_worker_send(spare, "hello", json_object(), NULL, 0);
    }
    return KS_OK;
}

enum ks_status ks_workers_stay(struct ks_judge *judge, bool ahead, struct ks_err *err)
{
    judge->leaving.later = judge->roomy;
    return ahead && judge->roomy ? ks_runner_spare(judge, KS_SPARES, err) : KS_OK;
}

void ks_workers_part(struct ks_judge *judge)
{
    judge->leaving.later = false;
    ks_leaving_begin(&judge->leaving);
}

void ks_spares_stop(struct ks_judge *judge)
{
    for (size_t i = 0; i < judge->n_spares; i++)
        ks_worker_stop(&judge->spares[i]);
    judge->n_spares = 0;
}

// A worker that has said hello and done nothing else.
static enum ks_status take_fresh(struct ks_judge *judge, struct ks_worker *worker, const char *who,
                                 struct ks_device_info *info, struct ks_err *err)
{
    enum ks_answer answer = KS_ANSWER_DIED;
    for (int attempt = 0; attempt < 2 && answer != KS_ANSWER_OK; attempt++) {
        KS_TRY(ks_runner_spare(judge, 1, err));
        *worker = judge->spares[0];
        judge->n_spares--;
        memmove(judge->spares, judge->spares + 1, judge->n_spares * sizeof judge->spares[0]);
        answer = ks_worker_hello(worker, info);
        if (answer != KS_ANSWER_OK && attempt == 1) {
            enum ks_status status = ks_answer_status(worker, answer, who, err);
            ks_worker_stop(worker);
            return status;
        }
        if (answer != KS_ANSWER_OK)
            ks_worker_stop(worker);
    }
    return KS_OK;
}

enum ks_status ks_runner_take_last(struct ks_judge *judge, struct ks_worker *runner, struct ks_err *err)
{
    struct ks_device_info info;
    KS_TRY(take_fresh(judge, runner, "a runner", &info, err));
    for (size_t i = 0; i < judge->n_spares; i++)
        if (judge->spares[i].waiting)
            ks_worker_hello(&judge->spares[i], &info); // one that fails is seen when it is wanted
    return KS_OK;
}

enum ks_status ks_runner_take(struct ks_judge *judge, struct ks_worker *runner, size_t behind,
                              struct ks_err *err)
{
    struct ks_device_info info;
    KS_TRY(take_fresh(judge, runner, "a runner", &info, err));
    return ks_runner_spare(judge, behind, err);
}

// For contexts that only wait, and for buffers of workers that are to leave later. A launcher may have to
// queue for each.
static bool has_room(const struct ks_judge *judge)
{
    int64_t most = 0, room = judge->device.memory_free;
    for (size_t w = 0; w < judge->n_problems; w++)
        if (ks_problem_bytes(&judge->problems[w]) > most)
            most = ks_problem_bytes(&judge->problems[w]);
    return ks_judge_times(judge) && judge->options.launcher == NULL && room >= ROOM && most <= room / 16;
}

enum ks_status ks_oracle_ready(struct ks_judge *judge, struct ks_err *err)
{
    if (ks_worker_alive(&judge->oracle))
        return KS_OK;
    ks_worker_stop(&judge->oracle);
    judge->oracle_holds = 0;
    judge->wide.loaded = judge->rounding.loaded = judge->wide_rounding.loaded = false;
    KS_TRY(take_fresh(judge, &judge->oracle, "the oracle", &judge->device, err));
    judge->roomy = has_room(judge);
    enum ks_answer answer = ks_worker_load(&judge->oracle, judge->original_image,
                                           &judge->kernel->signature->registered, 1);
    if (answer != KS_ANSWER_OK) {
        enum ks_status status = ks_answer_status(&judge->oracle, answer, "the oracle", err);
        ks_worker_stop(&judge->oracle);
        return status;
    }
    return KS_OK;
}

enum ks_status ks_oracle_load(struct ks_judge *judge, const char *module, struct ks_slice image,
                              const char *function, const char **absent, struct ks_err *err)
{
    struct ks_worker *oracle = &judge->oracle;
    enum ks_answer answer = ks_worker_send(oracle, "module", json_pack("{s:s}", "name", module), &image, 1);
    if (answer == KS_ANSWER_OK)
        answer = ks_worker_wait(oracle, LOAD_SECONDS);
    if (answer == KS_ANSWER_OK)
        answer = ks_worker_ask(oracle, "function", json_pack("{s:s,s:s}", "module", module, "name", function),
                               LOAD_SECONDS);
    if (answer == KS_ANSWER_TOOL || answer == KS_ANSWER_INTERRUPTED)
        return ks_answer_status(oracle, answer, "the oracle", err);
    if (answer != KS_ANSWER_OK)
        *absent = ks_arena_printf(judge->arena, "%.200s", oracle->text);
    return KS_OK;
}

struct ks_run_limit ks_run_limit(const struct ks_judge *judge)
{
    if (strcmp(judge->device.kind, "emu") == 0)
        return (struct ks_run_limit){.seconds = EMU_SECONDS, .steps = judge->options.run_steps};
    return (struct ks_run_limit){.seconds = judge->options.run_timeout, .steps = -1};
}

struct ks_run_limit ks_run_limit_measuring(const struct ks_judge *judge)
{
    struct ks_run_limit limit = ks_run_limit(judge);
    limit.trusts = true;
    return limit;
}

struct ks_run_limit ks_run_limit_of(const struct ks_judge *judge, const struct ks_vector *vector)
{
    struct ks_run_limit limit = ks_run_limit(judge);
    if (!ks_judge_defends(judge, KS_D_WATCHDOG))
        return limit;
    if (limit.steps >= 0) {
        int64_t steps = vector->original_steps > KS_RUN_STEPS / KS_BASELINES ? KS_BASELINES * vector->original_steps
                                                                             : KS_RUN_STEPS;
        bool cut = limit.steps != 0 && limit.steps < steps;
        steps = cut ? limit.steps : steps;
        return (struct ks_run_limit){limit.seconds, steps, cut ? steps : KS_RUN_PATIENCE * steps, cut, false, false, 0};
    }
    // The worker also restores, poisons and fingerprints every buffer around the run.
    double seconds = fmax(KS_RUN_SECONDS, KS_BASELINES * vector->original_us * 1e-6) +
                     (double)ks_problem_bytes(&vector->problem) / 1e9;
    return (struct ks_run_limit){.seconds = fmin(seconds, limit.seconds), .steps = -1};
}

struct ks_run_limit ks_run_limit_serial(const struct ks_judge *judge, int64_t steps)
{
    return (struct ks_run_limit){.seconds = ks_run_limit(judge).seconds, .steps = 4 * steps + (1 << 20), .serial = true};
}
