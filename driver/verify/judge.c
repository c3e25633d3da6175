#include "verify/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "device/emu/emu_finding.h"
#include "os/clock.h"
#include "os/file.h"
#include "verify/correct.h"
#include "verify/emulate.h"
#include "verify/finding.h"
#include "verify/modelled.h"
#include "verify/recall.h"
#include "verify/sanitize.h"
#include "verify/scout.h"
#include "verify/timing.h"
#include "verify/wide.h"

#define RUN_TIMEOUT 60.0
#define CUBIN_MAX (256u << 20)

bool ks_judge_defends(const struct ks_judge *judge, enum ks_defence which)
{
    return ks_defence_on(judge->options.off, which);
}

void ks_judge_class(struct ks_judge *judge, size_t workload, const double *rival)
{
    KS_ASSERT(workload == KS_ALL_CLASSES || workload < judge->n_problems);
    judge->class_of = workload == KS_ALL_CLASSES ? 0 : workload + 1;
    judge->rival = rival;
}

bool ks_judge_counts(const struct ks_judge *judge, size_t workload)
{
    return judge->class_of == 0 || judge->class_of == workload + 1;
}

double ks_judge_weight(const struct ks_judge *judge, size_t workload)
{
    return judge->problems[workload].weight > 0 ? judge->problems[workload].weight : 1;
}

void ks_judge_reseed(struct ks_judge *judge)
{
    uint64_t seed = judge->options.seed != 0 ? judge->options.seed : ks_seed_to_tell();
    if (!ks_judge_defends(judge, KS_D_SEEDS))
        seed = 1; // weakened on purpose
    judge->seed = seed;
    ks_rng_seed(&judge->rng, seed);
}

struct ks_tolerance ks_judge_tolerance(const struct ks_judge *judge)
{
    struct ks_tolerance tolerance = judge->kernel->mark->mark->tolerance;
    if (tolerance.kind == KS_TOL_DERIVED && !ks_judge_defends(judge, KS_D_TOLERANCE))
        tolerance = (struct ks_tolerance){.kind = KS_TOL_REL, .rel = 1e-2, .abs = 1e-2}; // weakened on purpose
    if (tolerance.kind == KS_TOL_DERIVED && judge->arith.kind == KS_ARITH_NONE)
        tolerance = (struct ks_tolerance){.kind = KS_TOL_EXACT};
    return tolerance;
}

// Where tol(sum=F) finds no terms to measure by, results are judged as without it.
static void note_sum(struct ks_judge *judge)
{
    const struct ks_arith *a = &judge->arith;
    const char *why = a->kind == KS_ARITH_NONE      ? "the kernel rounds nothing"
                      : a->kind == KS_ARITH_MULADD  ? NULL
                      : !a->joins                   ? "no terms meet in its results"
                      : a->u > 0x1p-24              ? "it computes in 16 bits"
                                                    : NULL;
    if (judge->kernel->mark->mark->tolerance.sum > 0 && why != NULL)
        ks_judge_note(judge, "tol(sum) admits nothing more: %s", why);
}

struct ks_scope ks_judge_scope(const struct ks_judge *judge, const struct ks_problem *problem,
                               const struct ks_layout *layout, const struct ks_proposal *proposal)
{
    const struct ks_tu_mark *mark = judge->kernel->mark;
    return (struct ks_scope){.problem = problem, .signature = judge->kernel->signature,
                             .decl = mark->decl, .proposal = proposal, .layout = layout,
                             .mark = mark->mark};
}

enum ks_status ks_judge_share(const struct ks_judge *judge, struct ks_lock *lock, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    lock->fd = -1;
    if (strcmp(judge->device.kind, "emu") == 0)
        return KS_OK;
    enum ks_status status =
        ks_device_share(&scratch, judge->tu->config->runtime_dir, judge->device.uuid, -1, lock, err);
    ks_arena_free(&scratch);
    return status;
}

void ks_judge_note(struct ks_judge *judge, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (size_t i = 0; i < judge->n_notes; i++)
        if (strcmp(judge->notes[i], text) == 0)
            return;
    if (judge->n_notes == 64) // enough for any reader
        return;
    if (judge->notes == NULL)
        judge->notes = KS_NEW_ARRAY(judge->arena, const char *, 64);
    judge->notes[judge->n_notes++] = ks_arena_strdup(judge->arena, text);
}

bool ks_judge_times(const struct ks_judge *judge)
{
    return !judge->options.untimed && strcmp(judge->device.kind, "emu") != 0;
}

static bool names(const char *place, const char *kind)
{
    const char *at = strstr(place, kind);
    return at != NULL && (at[strlen(kind)] == ':' || ks_starts_with(at + strlen(kind), KS_FINDING_SCHEDULE));
}

static const char *next_step(const char *why, const char *place)
{
    if (strstr(why, "input buffer") != NULL)
        return "the kernel writes it: give it by `inout`";
    if (names(place, ks_finding_name(KS_F_UNINITIALISED)))
        return strstr(place, "of buffer") != NULL ? "give what the kernel reads before it writes it by `inout` or `in`"
                                                  : "write shared and local memory before it is read";
    if (names(place, ks_finding_name(KS_F_NONCOHERENT)))
        return "read what the kernel also writes without `__ldg` and `const __restrict__`";
    if (names(place, ks_finding_name(KS_F_ENDLESS)))
        return "if it does end, that is the emulated device's limit: give smaller sizes";
    if (names(place, ks_finding_name(KS_F_RACE)))
        return "put a barrier between the two (`__syncwarp()` within a warp), or a fence and an atomic";
    return "check the sizes and the launch in the mark";
}

// One message with whatever can be said of the place: the line, and on hardware the buffer.
static enum ks_status report_finding(struct ks_judge *judge, size_t w, const struct ks_vector *vector,
                                     const char *why, struct ks_err *err)
{
    char place[KS_ANSWER_TEXT] = "", buffer[128] = "";
    bool emulated = strcmp(judge->device.kind, "emu") == 0;
    const char *where = judge->problems[w].where;
    if (ks_starts_with(why, "an assumption"))
        return ks_err_set(err, KS_E_DEVICE, "%s: %s on this workload; mend the mark", where, why);
    bool found = ks_finding_place(judge, w, place);
    char *others = strstr(place, "; and "); // findings, of which the first is told
    if (others != NULL)
        *others = '\0';
    size_t slot;
    if (sscanf(why, "unsafe: input buffer %zu", &slot) == 1 && slot < vector->layout.n_slots)
        snprintf(buffer, sizeof buffer, "`%.60s`", vector->problem.args[vector->layout.slots[slot].arg].name);
    else if (!emulated && vector->excluded && ks_starts_with(why, "fault"))
        ks_finding_buffer(judge, vector, buffer);
    // The place comes before what may be left off, and the next step is told in full.
    const char *next = next_step(why, place);
    char told[KS_ERR_TEXT];
    ks_text_fit(told, sizeof told - strlen(next) - strlen("; "),
                ks_arena_printf(judge->arena, "%s: the original fails on this workload: %s%s%s%s%s", where,
                                emulated && found ? place : why, buffer[0] != '\0' ? ", " : "", buffer,
                                found && !emulated ? "; emulated: " : "", found && !emulated ? place : ""));
    return ks_err_set(err, KS_E_DEVICE, "%s; %s", told, next);
}

// The original on a declared workload, under both fences.
static enum ks_status run_baseline(struct ks_judge *judge, struct ks_arena *scratch, size_t w,
                                   struct ks_vector *vector, json_t **plan, enum ks_answer *answer,
                                   struct ks_err *err)
{
    struct ks_lock lock;
    KS_TRY(ks_oracle_ready(judge, err));
    KS_TRY(ks_judge_share(judge, &lock, err));
    enum ks_status status = ks_vector_make(judge, scratch, &judge->problems[w], KS_FAMILY_DECLARED, 0,
                                           KS_SKEW_NONE, vector, err);
    *answer = KS_ANSWER_OK;
    if (status == KS_OK && !vector->excluded) {
        struct ks_scope scope = ks_judge_scope(judge, &vector->problem, &vector->layout, NULL);
        uint64_t addresses[64];
        double us;
        *plan = ks_launch_original(&scope, "m0");
        judge->oracle_holds = 0; // other buffers from here on
        if (!vector->deterministic && !judge->arith.float_atomics) // else no wonder, and counted by who compares
            ks_judge_note(judge, "the original is nondeterministic on %s", vector->problem.name);
        *answer = ks_vector_place(scratch, vector, &judge->oracle,
                                  (struct ks_placement){.flush = KS_FLUSH_START}, NULL, 0,
                                  KS_CONTENTS_PLAIN, 0);
        if (*answer == KS_ANSWER_OK)
            *answer = ks_vector_placed(vector, &judge->oracle, addresses);
        if (*answer == KS_ANSWER_OK)
            *answer = ks_vector_run(&judge->oracle, *plan, vector->poison[0], true, true, ks_run_limit(judge),
                                    &us);
    }
    ks_lock_release(&lock);
    return status;
}

// Its time, where that ran.
static enum ks_status time_baseline(struct ks_judge *judge, struct ks_arena *scratch, size_t w, json_t *plan,
                                    struct ks_err *err)
{
    struct ks_lock lock;
    int batch;
    KS_TRY(ks_device_lock(scratch, judge->tu->config->runtime_dir, judge->device.uuid, -1, &lock, err));
    enum ks_answer answer = ks_worker_ask(&judge->oracle, "sets", json_pack("{s:i}", "count", 2), 60);
    enum ks_status status = answer == KS_ANSWER_OK
                                ? ks_timing_baseline(&judge->oracle, plan, &judge->baseline_us[w], &batch, err)
                                : ks_answer_status(&judge->oracle, answer, "the oracle", err);
    ks_lock_release(&lock);
    return status;
}

static enum ks_status measure_baseline(struct ks_judge *judge, size_t w, bool *fault,
                                       struct ks_err *err)
{
    struct ks_arena scratch = {0};
    struct ks_vector vector;
    enum ks_answer answer;
    json_t *plan = NULL;
    char place[KS_ANSWER_TEXT];
    enum ks_status status = run_baseline(judge, &scratch, w, &vector, &plan, &answer, err);
    if (status != KS_OK)
        goto done;
    bool own_fault = answer == KS_ANSWER_FAULT || answer == KS_ANSWER_UNSAFE ||
                     answer == KS_ANSWER_LAUNCH || answer == KS_ANSWER_HANG;
    if (vector.excluded &&
        (ks_starts_with(vector.why, "unsupported") || ks_starts_with(vector.why, "limit"))) {
        status = ks_err_set(err, KS_E_DEVICE, "%s: this device cannot run the original: %s",
                            judge->problems[w].where, vector.why);
    } else if (vector.excluded || own_fault) {
        *fault = true;
        char why[KS_ANSWER_TEXT];
        snprintf(why, sizeof why, "%s", vector.excluded ? vector.why : judge->oracle.text);
        status = report_finding(judge, w, &vector, why, err);
    } else if (answer == KS_ANSWER_OK && !ks_vector_repeats(judge, &vector) &&
               !judge->arith.float_atomics && ks_finding_place(judge, w, place)) {
        *fault = true;
        status = ks_err_set(err, KS_E_DEVICE, "%s: the original's results differ from run to run: %s",
                            judge->problems[w].where, place);
    } else if (answer != KS_ANSWER_OK) {
        status = ks_answer_status(&judge->oracle, answer, "the oracle", err);
    } else if (ks_judge_times(judge)) {
        status = time_baseline(judge, &scratch, w, plan, err);
    }
    json_decref(plan);
    ks_vector_free(&vector);
done:
    ks_arena_free(&scratch);
    return status;
}

// On an emulated device the original may fail on what stands for the declared sizes alone.
static enum ks_status measure_smaller(struct ks_judge *j, const struct ks_tu_kernel *kernel, size_t w,
                                      bool *fault, struct ks_err *err)
{
    const struct ks_mark *declared = kernel->mark->mark;
    struct ks_err first = {0}, last = {0};
    struct ks_value *sizes;
    size_t n = ks_problem_sizes(j->arena, declared, w, &sizes);
    bool made = false;
    enum ks_status status = measure_baseline(j, w, fault, &first);
    last = first;
    for (size_t attempt = 0; *fault && attempt <= n; attempt++) {
        KS_TRY(ks_modelled_larger(j, declared, w, attempt, &made, err));
        if (!made)
            continue;
        *fault = false;
        last = (struct ks_err){0};
        status = measure_baseline(j, w, fault, &last);
    }
    bool smaller = strcmp(j->problems[w].name, j->declared[w].name) != 0;
    if (status == KS_OK && smaller)
        ks_judge_note(j, "emulated with %s in place of the declared sizes", j->problems[w].name);
    if (*fault && smaller)
        return ks_err_set(err, status, "%.400s. These sizes stand for the declared ones, of which this "
                          "device takes too long; if the kernel serves none as small, declare the "
                          "least that it does", first.text);
    return status == KS_OK ? status : ks_err_set(err, status, "%s", last.text);
}

// A session without anything running yet: declared problems and seeds.
static enum ks_status prepare(struct ks_arena *arena, const struct ks_tu *tu,
                              const struct ks_tu_kernel *kernel, struct ks_slice cubin,
                              struct ks_slice image, struct ks_slice canonical,
                              const struct ks_judge_options *options, ks_build_fn *build,
                              struct ks_judge *j, struct ks_err *err)
{
    const struct ks_mark *mark = kernel->mark->mark;
    *j = (struct ks_judge){.arena = arena, .tu = tu, .kernel = kernel,
                           .options = *options, .build = build, .compiles = build == ks_judge_build,
                           .original_cubin = cubin, .original_image = image, .original_ptx = canonical, .arith = ks_arith_of(canonical)};
    if (j->options.run_timeout <= 0)
        j->options.run_timeout = RUN_TIMEOUT;
    ks_judge_reseed(j);
    j->shape_seed = ks_rng_next(&j->rng);
    j->n_problems = mark->n_workloads;
    j->problems = KS_NEW_ARRAY(arena, struct ks_problem, mark->n_workloads);
    j->baseline_us = KS_NEW_ARRAY(arena, double, mark->n_workloads);
    j->insts = KS_NEW_ARRAY(arena, double, mark->n_workloads);
    if (mark->n_workloads == 0)
        KS_FAIL(err, KS_E_USER, "%s:%d: the kernel has no workload to judge it on; add a `ks workload` "
                                "line", mark->file, mark->line);
    for (size_t w = 0; w < mark->n_workloads; w++)
        KS_TRY(ks_problem_make(arena, mark, w, kernel->signature, kernel->mark->decl, NULL, 0,
                               &j->problems[w], err));
    j->declared = j->problems;
    note_sum(j);
    return KS_OK;
}

bool ks_judge_emulates(const struct ks_judge *judge)
{
    return judge->options.device != NULL && ks_device_emulated(judge->options.device);
}

// On an emulated device: sizes that it can run, the shared memory of what the code is for, and a GPU to model times
// for.
static enum ks_status emulate(struct ks_judge *j, const struct ks_tu_kernel *kernel, struct ks_err *err)
{
    struct ks_err local = {0};
    j->device.smem_optin = ks_device_of_arch(kernel->arch).smem_optin;
    if (j->options.devices_dir != NULL && !j->options.untimed &&
        ks_gpu_find(j->arena, j->options.devices_dir, kernel->arch, &j->gpu, &local) != KS_OK) {
        j->gpu = (struct ks_gpu){0};
        ks_judge_note(j, "no times are modelled: %.200s", local.text);
    }
    enum ks_status status = ks_modelled_sizes(j, &j->kernel, err);
    const struct ks_mark *mark = j->kernel->mark->mark;
    j->problems = KS_NEW_ARRAY(j->arena, struct ks_problem, j->n_problems);
    for (size_t w = 0; status == KS_OK && w < j->n_problems; w++)
        status = ks_problem_make(j->arena, mark, w, kernel->signature, kernel->mark->decl, NULL, 0,
                                 &j->problems[w], err);
    return status == KS_OK && j->gpu.name != NULL ? ks_modelled_baseline(j, err) : status;
}

enum ks_status ks_judge_open_with(struct ks_arena *arena, const struct ks_tu *tu,
                                  const struct ks_tu_kernel *kernel, struct ks_slice cubin,
                                  struct ks_slice image, struct ks_slice canonical,
                                  const struct ks_judge_options *options,
                                  ks_build_fn *build, struct ks_judge **judge, bool *baseline_fault,
                                  struct ks_err *err)
{
    struct ks_judge *j = KS_NEW(arena, struct ks_judge);
    *judge = NULL;
    *baseline_fault = false;
    KS_TRY(prepare(arena, tu, kernel, cubin, image, canonical, options, build, j, err));
    enum ks_status status = ks_judge_emulates(j) ? emulate(j, kernel, err) : KS_OK;
    for (size_t w = 0; status == KS_OK && w < j->n_problems; w++)
        status = measure_smaller(j, kernel, w, baseline_fault, err);
    if (status == KS_OK && j->endless) { // it does end: counts are of a few blocks, which may wait for others
        j->endless = false;
        j->options.run_steps = options->run_steps;
        status = ks_modelled_ended(j, err);
    }
    // PTX of any architecture is emulated.
    if (status == KS_OK && !ks_judge_emulates(j) && j->device.arch != kernel->arch)
        status = ks_err_set(err, KS_E_DEVICE, "the device is sm_%d, the kernel was built for sm_%d; add "
                            "its architecture to the build", j->device.arch, kernel->arch);
    if (status != KS_OK) {
        ks_judge_close(j);
        return status;
    }
    j->n_session_notes = j->n_notes;
    *judge = j;
    return KS_OK;
}

// Code of the plain build: as compiled, and as a device loads it.
static enum ks_status read_plain(struct ks_arena *arena, const struct ks_tu *tu,
                                 const struct ks_tu_kernel *kernel,
                                 const struct ks_tu_compile *plain,
                                 const struct ks_judge_options *options, struct ks_slice *cubin,
                                 struct ks_slice *image, struct ks_err *err)
{
    const char *path = ks_tu_cubin(arena, plain, kernel->arch);
    if (path == NULL || kernel->ptx == NULL)
        KS_FAIL(err, KS_E_ABSENT, "the build made no code for sm_%d", kernel->arch);
    const char *const names[] = {kernel->signature->registered, NULL};
    KS_TRY(ks_file_read(arena, path, CUBIN_MAX, cubin, err));
    return ks_judge_image(arena, tu, plain, kernel->arch, names, options, image, err);
}

enum ks_status ks_judge_open_gates(struct ks_arena *arena, const struct ks_tu *tu,
                                   const struct ks_tu_kernel *kernel,
                                   const struct ks_tu_compile *plain,
                                   const struct ks_judge_options *options,
                                   struct ks_judge **judge, struct ks_err *err)
{
    struct ks_slice cubin, image;
    struct ks_judge *j = KS_NEW(arena, struct ks_judge);
    *judge = NULL;
    KS_TRY(read_plain(arena, tu, kernel, plain, options, &cubin, &image, err));
    KS_TRY(prepare(arena, tu, kernel, cubin, image, kernel->ptx->canonical, options, ks_judge_build,
                   j, err));
    j->device = ks_device_of_arch(kernel->arch);
    *judge = j;
    return KS_OK;
}

enum ks_status ks_judge_open(struct ks_arena *arena, const struct ks_tu *tu,
                             const struct ks_tu_kernel *kernel,
                             const struct ks_tu_compile *plain,
                             const struct ks_judge_options *options, struct ks_judge **judge,
                             bool *baseline_fault, struct ks_err *err)
{
    struct ks_slice cubin, image, text;
    const char *name = kernel->signature->registered;
    *baseline_fault = false;
    KS_TRY(read_plain(arena, tu, kernel, plain, options, &cubin, &image, err));
    KS_TRY(ks_judge_text(arena, plain, kernel->arch, &name, &text, err));
    KS_TRY(ks_judge_open_with(arena, tu, kernel, cubin, image, kernel->ptx->canonical, options,
                              ks_judge_build, judge, baseline_fault, err));
    (*judge)->original_text = text;
    return KS_OK;
}

void ks_judge_close(struct ks_judge *judge)
{
    if (judge == NULL)
        return;
    ks_worker_leave(&judge->oracle, &judge->leaving);
    for (size_t i = 0; i < judge->n_spares; i++)
        ks_worker_leave(&judge->spares[i], &judge->leaving);
    ks_sanitize_leave(judge);
    ks_leaving_wait(&judge->leaving);
    ks_emulate_close(judge);
    ks_scout_close(judge);
    ks_wide_free(judge);
    ks_recall_free(judge);
}

const struct ks_device_info *ks_judge_device(const struct ks_judge *judge)
{
    return &judge->device;
}

size_t ks_judge_baseline(const struct ks_judge *judge, const struct ks_problem **problems,
                         const double **microseconds)
{
    *problems = judge->declared;
    *microseconds = judge->baseline_us;
    return judge->n_problems;
}
