#include "verify/modelled.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/emu/emu_finding.h"
#include "key/elf.h"
#include "verify/vector.h"

#define RUN_INSTS 2e6          // thread instructions of one run, some 20 ms
#define RUN_BYTES (2 << 20)    // and its buffers: nothing is counted above
#define MOST_INSTS 1e7         // where the original fails on sizes that make it fewer
#define MOST_BYTES (64 << 20)
#define LEAST_SIZE 32          // smaller ones are radii, blocks, and the like
#define FILL_BYTES (4 << 20)   // larger buffers are counted as they come, of zeros
#define COUNT_SECONDS 3600 // the device ends it long before, by instructions
#define SLACK 2                // steps that instructions of threads are surely more than, where some have no lane on
#define ENDLESS (INT64_C(1) << 27) // steps after which a count ends
#define LONGEST (1 << 25)      // steps of a run of sizes that cannot be made smaller, some seconds: a judgement has hundreds
#define STARTS (INT64_C(1) << 20)  // whatever a launch takes
#define LEAP 32.0                  // what twice a size may multiply work by
#define GAIN 1.05              // modelled ratios err by more than measured ones
#define LOSS 0.98

// ---- counting

struct counted {
    struct ks_counts steps[KS_LAUNCH_STEPS];
    size_t n;
    bool faulty; // it accessed what it may not, and what it read was as declared
    bool endless; // it did not end in what it was given, and the same
};

// Counts a plan (proposal NULL: the original) on a problem. *known is false where the device cannot tell, or would have to
// count more than `most` instructions of threads (0: as many as it can).
static enum ks_status count(struct ks_judge *judge, struct ks_arena *arena, struct ks_worker *worker,
                            const struct ks_problem *problem, const struct ks_candidate *c, double most,
                            struct counted *out, bool *known, struct ks_err *err)
{
    struct ks_vector vector = {.problem = *problem, .layout = ks_layout_of(arena, problem),
                               .family = KS_FAMILY_DECLARED, .seed = 1};
    struct ks_proposal *proposal = c == NULL ? NULL : c->proposal;
    uint64_t addresses[KS_LAUNCH_SLOTS];
    char reason[256];
    struct ks_scope scope = ks_judge_scope(judge, &vector.problem, &vector.layout, proposal);
    *known = out->faulty = out->endless = false;
    out->n = 0;
    bool filled = true;
    for (size_t i = 0; i < vector.layout.n_slots; i++) {
        struct ks_slot *slot = &vector.layout.slots[i];
        if (slot->bytes <= FILL_BYTES)
            continue;
        filled = filled && slot->role == KS_ROLE_OUT;
        slot->role = KS_ROLE_OUT;
    }
    scope.addresses = addresses;
    ks_placement_predict(&vector.layout, KS_AS_ALLOCATED, addresses);
    size_t n_workspaces = proposal == NULL ? 0 : proposal->n_workspaces;
    int64_t *workspaces = KS_NEW_ARRAY(arena, int64_t, n_workspaces);
    if (!ks_scope_admits(&scope) ||
        (proposal != NULL && !ks_launch_workspaces(&scope, &judge->device, workspaces, reason)))
        return KS_OK;
    enum ks_answer answer = ks_vector_place(arena, &vector, worker, KS_AS_ALLOCATED, workspaces,
                                            n_workspaces, KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(&vector, worker, addresses);
    if (answer == KS_ANSWER_LIMIT)
        return KS_OK;
    if (answer != KS_ANSWER_OK)
        return ks_answer_status(worker, answer, "a counting worker", err);
    scope.workspaces = workspaces;
    json_t *plan = proposal == NULL
                       ? ks_launch_original(&scope, "m0")
                       : ks_launch_plan(&scope, &judge->device, "m0", c->names, reason);
    if (plan == NULL)
        return KS_OK;
    json_t *request = json_pack("{s:O}", "plan", plan);
    if (most > 0)
        json_object_set_new(request, "steps", json_integer((json_int_t)(SLACK * most)));
    answer = ks_worker_ask(worker, "count", request, COUNT_SECONDS);
    out->faulty = filled && answer == KS_ANSWER_LIMIT && ks_finding_faults(worker->text);
    out->endless = filled && answer == KS_ANSWER_LIMIT && ks_starts_with(worker->text, KS_NOT_COUNTED) &&
                   ks_finding_is(worker->text + strlen(KS_NOT_COUNTED), KS_F_ENDLESS);
    const json_t *steps = answer == KS_ANSWER_OK ? json_object_get(worker->reply, "steps") : NULL;
    if (answer == KS_ANSWER_INTERRUPTED)
        return ks_err_set(err, KS_E_INTERRUPTED, "interrupted");
    *known = json_is_array(steps) && json_array_size(steps) <= KS_LAUNCH_STEPS;
    for (size_t i = 0; *known && i < json_array_size(steps); i++) {
        struct ks_counts *counts = &out->steps[out->n++];
        const char *name = ks_json_str(json_array_get(plan, i), "kernel", "");
        if (!ks_counts_read(json_array_get(steps, i), counts)) // a memset
            continue;
        counts->registers = proposal == NULL ? ks_cubin_registers(judge->original_cubin, name) : 0;
        for (size_t k = 0; proposal != NULL && k < c->n; k++)
            if (strcmp(c->names[k], name) == 0)
                counts->registers = c->registers[k];
    }
    json_decref(plan);
    return KS_OK;
}

static double insts_of(const struct counted *all)
{
    double sum = 0;
    for (size_t i = 0; i < all->n; i++)
        for (int c = 0; c < KS_CLASSES; c++)
            sum += all->steps[i].thread_insts[c];
    return sum;
}

static double time_of(const struct ks_judge *judge, const struct counted *all, double traffic,
                      const char **limit)
{
    double us = 0, longest = 0;
    *limit = "memory";
    for (size_t i = 0; i < all->n; i++) {
        if (all->steps[i].threads == 0) { // a memset of a workspace
            us += judge->gpu.launch_us;
            continue;
        }
        struct ks_model m = ks_model_launch(&judge->gpu, &all->steps[i], traffic);
        us += m.us;
        if (m.us > longest) {
            longest = m.us;
            *limit = m.limit;
        }
    }
    return us;
}

// ---- sizes

// Halves the largest size but the one that is kept; false when all are small.
static bool halve(struct ks_value *sizes, size_t n, size_t kept)
{
    size_t largest = n;
    for (size_t i = 0; i < n; i++)
        if (i != kept && (largest == n || sizes[i].value > sizes[largest].value))
            largest = i;
    if (largest == n || sizes[largest].value < 2 * LEAST_SIZE)
        return false;
    sizes[largest].value /= 2;
    return true;
}

// What does not end is the finding, not what stands for it. `most`: instructions that would be enough, as those of smaller
// sizes say; a run of it may take so many.
static void keep_endless(struct ks_judge *judge, size_t w, double most)
{
    int64_t steps = STARTS + (int64_t)most;
    judge->insts[w] = 0;
    if (!judge->endless || judge->options.run_steps < steps)
        judge->options.run_steps = steps;
    judge->endless = true;
}

// The original on a workload as `mark` has it, its instructions into judge->insts; 0 where they cannot be told, or its data
// are large.
static enum ks_status count_sized(struct ks_judge *judge, size_t w, const struct ks_mark *mark, double most,
                                  struct counted *counted, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    struct ks_problem problem;
    bool known = false;
    *counted = (struct counted){.n = 0};
    enum ks_status status = ks_problem_make(&scratch, mark, w, judge->kernel->signature, judge->kernel->mark->decl,
                                            NULL, 0, &problem, err);
    if (status == KS_OK && ks_problem_bytes(&problem) <= RUN_BYTES)
        status = count(judge, &scratch, &judge->oracle, &problem, NULL, most, counted, &known, err);
    ks_arena_free(&scratch);
    judge->insts[w] = known ? insts_of(counted) : 0;
    return status;
}

// Whether neither of two sizes that were given up ends.
static enum ks_status confirm_endless(struct ks_judge *judge, size_t w, const struct ks_mark *last,
                                      const struct ks_mark *largest, bool *endless, struct ks_err *err)
{
    struct counted counted;
    KS_TRY(count_sized(judge, w, last, 0, &counted, err));
    if (counted.endless && largest != last)
        KS_TRY(count_sized(judge, w, largest, 0, &counted, err));
    *endless = counted.endless;
    return KS_OK;
}

// Files were made for the declared sizes: who takes their integers for indices finds nothing there at smaller ones.
static bool reads_integers(const struct ks_problem *problem)
{
    for (size_t i = 0; i < problem->n_args; i++)
        if (ks_init_is_read(&problem->args[i].init) && !ks_scalar_is_float(problem->args[i].elem.scalar))
            return true;
    return false;
}

// Sizes that take more than RUN_INSTS are given up there, so that an original which never ends costs little for each of
// them; what was given up is counted to its end next to a size that does end.
static enum ks_status shrink(struct ks_judge *judge, size_t w, size_t kept, struct ks_mark **mark,
                             struct ks_err *err)
{
    struct ks_arena *arena = judge->arena;
    const struct ks_mark *given_up = NULL; // the largest that was, while none ended
    struct ks_value *sizes;
    size_t n = ks_problem_sizes(arena, *mark, w, &sizes);
    bool endless = false; // the last is given up
    for (bool changed = false;; changed = true) {
        struct ks_mark *made = changed ? ks_mark_resized(arena, *mark, w, sizes, n) : *mark;
        struct ks_problem problem;
        struct counted counted;
        // A size that no problem can be made of: what was there before stays.
        if (ks_problem_make(arena, made, w, judge->kernel->signature, judge->kernel->mark->decl, NULL, 0, &problem,
                            NULL) != KS_OK)
            return KS_OK;
        KS_TRY(count_sized(judge, w, made, RUN_INSTS, &counted, err));
        const double insts = judge->insts[w];
        // Work grows with sizes: where half a size takes so little, the whole one would end if it did.
        if (endless && given_up != NULL && insts > 0 && insts * LEAP < ENDLESS) {
            KS_TRY(confirm_endless(judge, w, *mark, given_up, &endless, err));
            judge->insts[w] = insts;
            if (endless) {
                keep_endless(judge, w, insts * LEAP);
                return KS_OK;
            }
        }
        endless = counted.endless;
        if (insts > 0)
            given_up = NULL;
        else if (endless && given_up == NULL)
            given_up = made;
        *mark = made;
        // What fails as declared is not made smaller until it does not.
        if ((insts > 0 && insts <= RUN_INSTS) || (!changed && (counted.faulty || reads_integers(&problem))))
            return KS_OK;
        if (halve(sizes, n, kept))
            continue;
        if (endless && kept == SIZE_MAX) // whether it ends, a run will tell; else the caller counts it
            keep_endless(judge, w, LONGEST);
        return KS_OK;
    }
}

enum ks_status ks_modelled_ended(struct ks_judge *judge, struct ks_err *err)
{
    KS_TRY(ks_oracle_ready(judge, err));
    judge->oracle_holds = 0;
    for (size_t w = 0; w < judge->n_problems; w++) {
        struct counted counted;
        if (judge->insts[w] == 0)
            KS_TRY(count_sized(judge, w, judge->kernel->mark->mark, 0, &counted, err));
    }
    return judge->gpu.name != NULL ? ks_modelled_baseline(judge, err) : KS_OK;
}

enum ks_status ks_modelled_sizes(struct ks_judge *judge, const struct ks_tu_kernel **kernel,
                                 struct ks_err *err)
{
    struct ks_arena *arena = judge->arena;
    const struct ks_mark *declared = judge->kernel->mark->mark;
    struct ks_mark *mark = ks_arena_memdup(arena, declared, sizeof *declared);
    KS_TRY(ks_oracle_ready(judge, err));
    judge->oracle_holds = 0;
    for (size_t w = 0; w < mark->n_workloads; w++)
        KS_TRY(shrink(judge, w, SIZE_MAX, &mark, err));
    struct ks_tu_mark *bound = ks_arena_memdup(arena, judge->kernel->mark, sizeof *bound);
    struct ks_tu_kernel *copy = ks_arena_memdup(arena, judge->kernel, sizeof *copy);
    bound->mark = mark;
    copy->mark = bound;
    *kernel = copy;
    return KS_OK;
}

// Whether the original runs and a run is not too much to ask.
static enum ks_status bearable(struct ks_judge *judge, size_t w, const struct ks_problem *problem, bool *yes,
                               struct ks_err *err)
{
    struct ks_arena scratch = {0};
    struct counted counted = {.n = 0};
    bool known = false;
    enum ks_status status = KS_OK;
    if (ks_problem_bytes(problem) <= MOST_BYTES)
        status = count(judge, &scratch, &judge->oracle, problem, NULL, MOST_INSTS, &counted, &known, err);
    ks_arena_free(&scratch);
    judge->insts[w] = known ? insts_of(&counted) : 0;
    *yes = known && judge->insts[w] <= MOST_INSTS;
    return status;
}

enum ks_status ks_modelled_larger(struct ks_judge *judge, const struct ks_mark *declared, size_t w,
                                  size_t attempt, bool *made, struct ks_err *err)
{
    struct ks_arena *arena = judge->arena;
    struct ks_tu_mark *bound = ks_arena_memdup(arena, judge->kernel->mark, sizeof *bound);
    struct ks_tu_kernel *copy = ks_arena_memdup(arena, judge->kernel, sizeof *copy);
    struct ks_value *sizes, *now;
    size_t n = ks_problem_sizes(arena, declared, w, &sizes);
    *made = false;
    (void)ks_problem_sizes(arena, bound->mark, w, &now);
    if (attempt > n || (attempt == 1 && n == 1) || strcmp(judge->problems[w].name, judge->declared[w].name) == 0 ||
        (attempt < n && now[attempt].value == sizes[attempt].value))
        return KS_OK;
    KS_TRY(ks_oracle_ready(judge, err));
    judge->oracle_holds = 0;
    struct ks_problem problem;
    struct ks_mark *mark = ks_mark_resized(arena, bound->mark, w, sizes, n);
    if (attempt < n)
        KS_TRY(shrink(judge, w, attempt, &mark, err));
    KS_TRY(ks_problem_make(arena, mark, w, copy->signature, bound->decl, NULL, 0, &problem, err));
    KS_TRY(bearable(judge, w, &problem, made, err));
    if (!*made)
        return KS_OK;
    bound->mark = mark;
    copy->mark = bound;
    judge->kernel = copy;
    judge->problems[w] = problem;
    return KS_OK;
}

// ---- times

static enum ks_status time_one(struct ks_judge *judge, struct ks_worker *worker, size_t w,
                               const struct ks_candidate *c, double *us, const char **limit,
                               struct counted *counted, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    const struct ks_problem *problem = &judge->declared[w];
    bool known;
    enum ks_status status = count(judge, &scratch, worker, problem, c, 0, counted, &known, err);
    *us = status == KS_OK && known
              ? time_of(judge, counted, (double)ks_problem_traffic(problem), limit) : 0;
    ks_arena_free(&scratch);
    return status;
}

enum ks_status ks_modelled_baseline(struct ks_judge *judge, struct ks_err *err)
{
    const char *limit;
    struct counted counted;
    for (size_t w = 0; !judge->endless && w < judge->n_problems; w++) {
        KS_TRY(ks_oracle_ready(judge, err));
        judge->oracle_holds = 0;
        KS_TRY(time_one(judge, &judge->oracle, w, NULL, &judge->baseline_us[w], &limit, &counted, err));
        // No work that grows with the square of the data takes so much more than what stands for it did.
        double larger = (double)ks_problem_bytes(&judge->declared[w]) / (double)ks_problem_bytes(&judge->problems[w]);
        double most = judge->insts[w] * larger * larger;
        bool endless = counted.endless && most > 0 && most < ENDLESS;
        if (endless)
            keep_endless(judge, w, most);
        if (counted.faulty || endless)
            judge->problems[w] = judge->declared[w];
    }
    return KS_OK;
}

// One candidate on the workloads that count, which belong to us[] and limits[]. 0: not to be told.
static enum ks_status times_of(struct ks_judge *judge, const struct ks_candidate *c, double *us,
                               const char **limits, struct ks_err *err)
{
    struct ks_worker worker;
    enum ks_status status = KS_OK;
    KS_TRY(ks_runner_take(judge, &worker, KS_SPARES, err));
    bool loaded = ks_worker_load(&worker, c->cubin, c->names, c->n) == KS_ANSWER_OK;
    struct counted counted;
    for (size_t w = 0; status == KS_OK && w < judge->n_problems; w++) {
        us[w] = 0;
        limits[w] = "";
        if (loaded && ks_judge_counts(judge, w) && judge->baseline_us[w] > 0)
            status = time_one(judge, &worker, w, c, &us[w], &limits[w], &counted, err);
    }
    ks_worker_stop(&worker);
    return status;
}

enum ks_status ks_modelled_run(struct ks_judge *judge, struct ks_arena *arena,
                               const struct ks_candidate *candidate, struct ks_timed *timed,
                               struct ks_err *err)
{
    double least = INFINITY, log_sum = 0, weights = 0;
    double *us = KS_NEW_ARRAY(arena, double, judge->n_problems);
    const char **limits = KS_NEW_ARRAY(arena, const char *, judge->n_problems);
    *timed = (struct ks_timed){.speed = KS_S_NOT_MEASURED};
    if (judge->gpu.name == NULL)
        return KS_OK;
    timed->timings = KS_NEW_ARRAY(judge->arena, struct ks_timing, judge->n_problems);
    KS_TRY(times_of(judge, candidate, us, limits, err));
    for (size_t w = 0; w < judge->n_problems; w++) {
        if (!ks_judge_counts(judge, w))
            continue;
        if (us[w] == 0) {
            snprintf(timed->reason, sizeof timed->reason, "no time can be modelled");
            return KS_OK;
        }
        double r = judge->baseline_us[w] / us[w], weight = ks_judge_weight(judge, w);
        log_sum += weight * log(r);
        weights += weight;
        least = fmin(least, r);
        timed->timings[timed->n_timings++] = (struct ks_timing){
            .workload = judge->declared[w].name, .original_us = judge->baseline_us[w],
            .variant_us = us[w], .ratio = r, .lower = r, .upper = r,
            .method = ks_arena_printf(judge->arena, "modelled for %s: %s", judge->gpu.name, limits[w])};
    }
    timed->geomean = exp(log_sum / weights);
    timed->lower = least;
    timed->speed = timed->geomean >= GAIN && least >= LOSS ? KS_S_MODELLED : KS_S_NOT_FASTER;
    snprintf(timed->reason, sizeof timed->reason, "modelled for %s: %.2f times as fast",
             judge->gpu.name, timed->geomean);
    return KS_OK;
}

enum ks_status ks_modelled_screen(struct ks_judge *judge, struct ks_arena *arena,
                                  const struct ks_candidate *const *candidates, size_t n,
                                  double *ratios, struct ks_err *err)
{
    double *us = KS_NEW_ARRAY(arena, double, judge->n_problems);
    const char **limits = KS_NEW_ARRAY(arena, const char *, judge->n_problems);
    for (size_t i = 0; i < n; i++) {
        KS_TRY(times_of(judge, candidates[i], us, limits, err));
        for (size_t w = 0; w < judge->n_problems; w++)
            ratios[i * judge->n_problems + w] = us[w] > 0 ? judge->baseline_us[w] / us[w] : 0;
    }
    return KS_OK;
}
