#include "profile/profile.h"

#include <string.h>

#include "os/file.h"
#include "os/lock.h"
#include "profile/facts.h"
#include "profile/parts.h"
#include "verify/client.h"
#include "verify/vector.h"

#define CUBIN_MAX (256u << 20)
#define ASK_SECONDS 60.0
#define COUNT_SECONDS 120.0
#define LOCK_SECONDS 300.0
#define SHORT_US 50.0 // the judge times in batches what takes less
#define FILL_BYTES (4 << 20) // larger buffers are counted as they come, of zeros

// One worker that is asked, of this kernel's problem.
struct asking {
    struct ks_arena *arena;
    const struct ks_profile_ask *ask;
    struct ks_profile *profile;
    struct ks_worker worker;
    struct ks_device_info device;
    bool emulated;
    bool fault;
    struct ks_slice image;
    json_t *metrics; // ours; NULL: none
};

static enum ks_status answered(struct asking *a, enum ks_answer answer, const char *what,
                               struct ks_err *err)
{
    if (answer == KS_ANSWER_OK)
        return KS_OK;
    if (answer == KS_ANSWER_INTERRUPTED)
        return ks_err_set(err, KS_E_INTERRUPTED, "interrupted");
    bool runs = strcmp(what, "profile") == 0;
    a->fault = runs && (answer == KS_ANSWER_FAULT || answer == KS_ANSWER_LAUNCH ||
                        answer == KS_ANSWER_UNSAFE || answer == KS_ANSWER_HANG);
    if (a->fault)
        return ks_err_set(err, KS_E_DEVICE,
                          "the kernel itself is at fault (%s): %s; `ks run` says where",
                          ks_answer_name(answer), a->worker.text);
    return ks_err_set(
        err, answer == KS_ANSWER_FAULT || answer == KS_ANSWER_TOOL ? KS_E_DEVICE : KS_E_CHILD,
        "%s: %s: %s", what, ks_answer_name(answer), a->worker.text);
}

// ---- what the answers hold

static void static_facts(struct asking *a)
{
    const json_t *facts = json_object_get(a->worker.reply, "facts");
    struct ks_resources *r = &a->profile->resources;
    static const char *const names[] = {"registers", "static_shared", "local", "max_threads"};
    int *const known[] = {&r->registers, &r->static_shared, &r->frame, NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!json_is_number(json_object_get(facts, names[i])))
            continue;
        double value = json_number_value(json_object_get(facts, names[i]));
        ks_fact_set(a->arena, &a->profile->facts, names[i], value);
        if (known[i] != NULL)
            *known[i] = (int)value;
    }
}

static void ceilings(struct ks_profile *profile, const struct ks_problem *problem)
{
    double bytes = (double)ks_problem_traffic(problem);
    if (profile->time_us <= 0)
        return;
    profile->achieved_gbs = bytes / profile->time_us / 1000;
    double fma = 0, share = 0;
    ks_fact_get(&profile->facts, "pipe_fma_pct", &fma);
    if (profile->copy_gbs > 0)
        share = 100 * profile->achieved_gbs / profile->copy_gbs;
    // The floor is compulsory traffic; a kernel that moves more is not nearer to it for that. A
    // full arithmetic pipe is a ceiling of its own.
    if (fma > share)
        share = fma;
    profile->roofline_pct = share > 100 ? 100 : share;
}

static struct ks_profile_refusal refusal_of(struct ks_arena *arena, const json_t *refused)
{
    return (struct ks_profile_refusal){ks_arena_strdup(arena, ks_json_str(refused, "code", "")),
                                       ks_arena_strdup(arena, ks_json_str(refused, "text", ""))};
}

// The two stalls that most warps of a line are in.
static const char *stalls_text(struct ks_arena *arena, const json_t *stalls, double samples)
{
    const char *name, *first = "", *second = "";
    double most = 0, next = 0;
    json_t *value;
    json_object_foreach((json_t *)stalls, name, value)
    {
        double n = json_number_value(value);
        if (n > most) {
            second = first, next = most;
            first = name, most = n;
        } else if (n > next) {
            second = name, next = n;
        }
    }
    if (most <= 0)
        return "";
    if (next < 0.1 * samples)
        return ks_arena_printf(arena, "%s %.0f %%", first, 100 * most / samples);
    return ks_arena_printf(arena, "%s %.0f %%, %s %.0f %%", first, 100 * most / samples, second,
                           100 * next / samples);
}

static void take_lines(struct asking *a)
{
    const json_t *lines = json_object_get(a->worker.reply, "lines");
    double all = ks_json_num(a->worker.reply, "samples", 0);
    a->profile->lines_refused =
        refusal_of(a->arena, json_object_get(a->worker.reply, "lines_refused"));
    for (size_t i = 0; all > 0 && i < json_array_size(lines); i++) {
        const json_t *row = json_array_get(lines, i);
        const char *file = ks_json_str(row, "file", NULL);
        double samples = ks_json_num(row, "samples", 0);
        struct ks_hot_line *line = ks_vec_push(a->arena, &a->profile->lines);
        *line = (struct ks_hot_line){
            .file = file == NULL ? NULL : ks_arena_strdup(a->arena, file),
            .line = (int)ks_json_int(row, "line", 0),
            .pct = 100 * samples / all,
            .why = stalls_text(a->arena, json_object_get(row, "stalls"), samples)};
    }
}

// ---- asking

static struct ks_scope scope_of(const struct asking *a, const struct ks_vector *vector,
                                const uint64_t *addresses)
{
    const struct ks_tu_kernel *kernel = a->ask->kernel;
    return (struct ks_scope){.problem = a->ask->problem,
                             .signature = kernel->signature,
                             .decl = kernel->mark->decl,
                             .layout = &vector->layout,
                             .addresses = addresses};
}

static enum ks_status place(struct asking *a, struct ks_vector *vector, json_t **plan,
                            struct ks_err *err)
{
    const struct ks_profile_variant *variant = a->ask->variant;
    int64_t *workspaces = NULL;
    size_t n_workspaces = variant != NULL ? variant->proposal->n_workspaces : 0;
    char reason[256] = "its guard excludes the workload";
    *vector = (struct ks_vector){.problem = *a->ask->problem,
                                 .layout = ks_layout_of(a->arena, a->ask->problem),
                                 .family = KS_FAMILY_DECLARED,
                                 .seed = ks_seed_from_os()};
    for (size_t i = 0; a->emulated && i < vector->layout.n_slots; i++)
        if (vector->layout.slots[i].bytes > FILL_BYTES)
            vector->layout.slots[i].role = KS_ROLE_OUT;
    uint64_t *addresses = KS_NEW_ARRAY(a->arena, uint64_t, vector->layout.n_slots + 1);
    struct ks_scope scope = scope_of(a, vector, addresses);
    const struct ks_placement start = {.flush = KS_FLUSH_START};
    if (variant != NULL) {
        scope.proposal = variant->proposal;
        workspaces = KS_NEW_ARRAY(a->arena, int64_t, n_workspaces + 1);
        ks_placement_predict(&vector->layout, start, addresses);
        if (!ks_scope_admits(&scope) ||
            !ks_launch_workspaces(&scope, &a->device, workspaces, reason))
            return ks_err_set(err, KS_E_UNSUPPORTED, "the variant is not profiled: %s", reason);
        scope.workspaces = workspaces;
    }
    KS_TRY(answered(a,
                    ks_vector_place(a->arena, vector, &a->worker, start, workspaces, n_workspaces,
                                    KS_CONTENTS_PLAIN, 0),
                    "buffers", err));
    KS_TRY(answered(a, ks_vector_placed(vector, &a->worker, addresses), "buffers", err));
    *plan = variant != NULL
                ? ks_launch_plan(&scope, &a->device, "m0", variant->names, reason)
                : ks_launch_original(&scope, "m0");
    return *plan != NULL
               ? KS_OK
               : ks_err_set(err, KS_E_UNSUPPORTED, "the variant is not profiled: %s", reason);
}

static enum ks_status ask_gpu(struct asking *a, json_t *request, const struct ks_moved *moved, struct ks_err *err)
{
    struct ks_profile *p = a->profile;
    const json_t *reply;
    struct ks_gpu gpu = {.threads_sm = a->device.max_threads_sm,
                         .blocks_sm = a->device.blocks_sm,
                         .regs_sm = a->device.regs_sm,
                         .shared_sm = a->device.smem_sm};
    KS_TRY(answered(a, ks_worker_ask(&a->worker, "profile", request, ASK_SECONDS), "profile", err));
    reply = a->worker.reply;
    p->method = ks_arena_strdup(a->arena, ks_json_str(reply, "method", "timing"));
    p->refused = refusal_of(a->arena, json_object_get(reply, "refused"));
    p->chip = ks_arena_strdup(a->arena, ks_json_str(reply, "chip", ""));
    p->gpu = ks_arena_strdup(a->arena, a->device.name);
    p->passes = (int)ks_json_int(reply, "passes", 0);
    p->time_us = ks_json_num(reply, "time_us", 0);
    ks_profile_facts(a->arena, json_object_get(reply, "metrics"), &p->facts);
    ks_fact_set(a->arena, &p->facts, "time_us", p->time_us);
    ceilings(p, a->ask->problem);
    ks_fact_set(a->arena, &p->facts, "roofline_pct", p->roofline_pct);
    ks_resources_place(&gpu, a->ask->problem, &p->resources);
    ks_profile_classify(a->arena, p);
    a->metrics = json_incref(json_object_get(reply, "metrics"));
    const bool all = ks_profile_moved(&p->facts, a->metrics, moved);
    p->moves_arrays = all && moved->written > 0;
    if (!all)
        p->floor = (struct ks_profile_floor){0};
    return KS_OK;
}

// Of a plan's launches the one with the most instructions.
static bool heaviest(const json_t *steps, struct ks_counts *counts)
{
    double most = -1;
    for (size_t i = 0; i < json_array_size(steps); i++) {
        struct ks_counts one;
        double insts = 0;
        if (!ks_counts_read(json_array_get(steps, i), &one))
            continue;
        for (int c = 0; c < KS_CLASSES; c++)
            insts += one.warp_insts[c];
        if (insts > most) {
            most = insts;
            *counts = one;
        }
    }
    return most >= 0;
}

static enum ks_status ask_emulator(struct asking *a, json_t *request, struct ks_err *err)
{
    struct ks_gpu gpu = {0};
    struct ks_counts counts;
    const char *dir = ks_path_join(a->arena, a->ask->config->share_dir, "devices");
    json_object_set_new(request, "lines", json_true());
    KS_TRY(answered(a, ks_worker_ask(&a->worker, "count", request, COUNT_SECONDS), "profile", err));
    if (!heaviest(json_object_get(a->worker.reply, "steps"), &counts))
        return ks_err_set(err, KS_E_CHILD, "the emulated device counted nothing");
    if (ks_gpu_find(a->arena, dir, a->ask->kernel->arch, &gpu, NULL) != KS_OK)
        gpu = (struct ks_gpu){0};
    ks_resources_place(&gpu, a->ask->problem, &a->profile->resources);
    ks_profile_counted(a->arena, &gpu, &counts, json_object_get(a->worker.reply, "lines"),
                       (double)ks_problem_traffic(a->ask->problem), a->profile);
    return KS_OK;
}

// An original whose arrays do not take longer by themselves than any launch that counts.
static bool may_be_short(const struct asking *a)
{
    double bytes = (double)ks_problem_traffic(a->ask->problem);
    return a->ask->variant == NULL && bytes < SHORT_US * 1e3 * a->profile->copy_gbs;
}

static enum ks_status ask_all(struct asking *a, struct ks_err *err)
{
    const struct ks_profile_variant *variant = a->ask->variant;
    const char *const *names = variant != NULL ? variant->names : &a->ask->kernel->signature->registered;
    size_t n = variant != NULL ? variant->proposal->kernels.len : 1;
    struct ks_vector vector;
    json_t *plan = NULL;
    KS_TRY(answered(a, ks_worker_load(&a->worker, a->image, names, n), "module", err));
    if (!a->emulated) {
        if (n == 1)
            static_facts(a);
        KS_TRY(answered(a, ks_worker_ask(&a->worker, "ceilings", json_object(), ASK_SECONDS),
                        "ceilings", err));
        a->profile->copy_gbs = ks_json_num(a->worker.reply, "copy_gbs", 0);
        a->profile->fma_gflops = ks_json_num(a->worker.reply, "fma_gflops", 0);
    }
    KS_TRY(place(a, &vector, &plan, err));
    struct ks_moved moved;
    ks_profile_arrays(&vector.layout, &moved);
    json_t *request = json_pack("{s:o}", "plan", plan);
    if (a->emulated)
        return ask_emulator(a, request, err);
    enum ks_answer ran = ks_worker_ask(&a->worker, "run", json_copy(request), ASK_SECONDS);
    if (ran != KS_ANSWER_OK) {
        json_decref(request);
        return answered(a, ran, "profile", err);
    }
    if (may_be_short(a)) // before any counter is on
        ks_profile_least(&a->worker, &a->device, &vector, &moved, plan, &a->profile->floor);
    return ask_gpu(a, request, &moved, err);
}

static enum ks_status start(struct asking *a, struct ks_err *err)
{
    const struct ks_worker_place where = ks_worker_place_of(a->ask->config->device);
    const char *path =
        ks_path_join(a->arena, ks_program_dir(a->arena), a->emulated ? "ks-worker" : "ks-probe");
    if (where.launcher == NULL && !ks_file_exists(path))
        return ks_err_set(err, KS_E_ABSENT, "%s is missing: build and install with a toolkit that has CUPTI",
                          path);
    KS_TRY(ks_worker_start(&a->worker, where.launcher, path, where.device, false, err));
    return answered(a, ks_worker_hello(&a->worker, &a->device), "hello", err);
}

static enum ks_status ask_lines(struct asking *a, struct ks_err *err)
{
    const char *name = a->ask->kernel->signature->registered;
    struct ks_vector vector;
    json_t *plan = NULL;
    KS_TRY(start(a, err));
    KS_TRY(answered(a, ks_worker_load(&a->worker, a->image, &name, 1), "module", err));
    KS_TRY(place(a, &vector, &plan, err));
    json_t *request = json_pack("{s:o,s:b}", "plan", plan, "lines", 1);
    enum ks_answer answer = ks_worker_send(&a->worker, "profile", request, &a->image, 1);
    if (answer == KS_ANSWER_OK)
        answer = ks_worker_wait(&a->worker, ASK_SECONDS);
    return answered(a, answer, "lines", err);
}

// By a process that has read no counters: behind them the sampler sees nothing. A help, never a condition.
static void add_lines(struct asking *a)
{
    struct ks_err err = {0};
    ks_worker_stop(&a->worker);
    if (ask_lines(a, &err) == KS_OK)
        take_lines(a);
    else
        a->profile->lines_refused =
            (struct ks_profile_refusal){"lines-failed", ks_arena_strdup(a->arena, err.text)};
}

// ---- where

static enum ks_status read_image(struct asking *a, struct ks_err *err)
{
    const struct ks_profile_ask *ask = a->ask;
    const char *names[] = {ask->kernel->signature->registered, NULL};
    const char *path;
    if (ask->variant != NULL) {
        a->image = ask->variant->image;
        return KS_OK;
    }
    if (a->emulated)
        return ks_judge_text(a->arena, ask->plain, ask->kernel->arch, &names[0], &a->image, err);
    KS_TRY(ks_tu_image(a->arena, ask->tu, ask->plain, ask->kernel->arch, names, &path, err));
    return ks_file_read(a->arena, path, CUBIN_MAX, &a->image, err);
}

enum ks_status ks_profile_run(struct ks_arena *arena, const struct ks_profile_ask *ask,
                              struct ks_profile *profile, bool *fault, struct ks_err *err)
{
    const struct ks_profile_refusal none = {"", ""};
    struct asking a = {.arena = arena, .ask = ask, .profile = profile};
    struct ks_lock lock = {.fd = -1};
    enum ks_status status;
    *profile = (struct ks_profile){.method = "", .refused = none, .lines_refused = none, .chip = "",
                                   .gpu = "", .bottleneck = "unknown", .evidence = ""};
    *fault = false;
    a.emulated = ks_device_emulated(ks_worker_place_of(ask->config->device).device);
    ks_resources_read(ask->variant != NULL ? (struct ks_slice){0} : ask->plain->err,
                      ask->kernel->signature->registered, ask->kernel->arch, &profile->resources);
    KS_TRY(read_image(&a, err));
    KS_TRY_GOTO(start(&a, err), done);
    if (!a.emulated)
        KS_TRY_GOTO(ks_device_lock(arena, ask->config->runtime_dir, a.device.uuid, LOCK_SECONDS,
                                   &lock, err), done);
    KS_TRY_GOTO(ask_all(&a, err), done);
    if (ask->lines && !a.emulated)
        add_lines(&a);
    profile->json = ks_profile_json(profile, a.metrics);
done:
    *fault = a.fault;
    ks_lock_release(&lock);
    ks_worker_stop(&a.worker);
    json_decref(a.metrics);
    return status;
}
