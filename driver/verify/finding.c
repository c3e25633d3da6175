#include "verify/finding.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "os/file.h"
#include "verify/scout.h"

#define TEXT_MAX (64u << 20)
#define SHAPES 24
#define ROOM (1 << 20)
#define BUILD_SECONDS 120.0
#define BUILD_MEMORY (INT64_C(8) << 30)
#define RUN_STEPS (INT64_C(1) << 28) // some ten seconds; what takes longer is no finding

// PTX of the user's unit with line numbers, and the kernel's name there.
static enum ks_status build(struct ks_judge *judge, struct ks_slice *ptx, const char **name, struct ks_err *err)
{
    struct ks_arena *arena = judge->arena;
    const struct ks_tu *tu = judge->tu;
    const struct ks_shadow_request request = {.tu_token = tu->path, .text = tu->files.at[0].text,
                                              .marks = &tu->tu_marks};
    const char *dir = ks_path_join(arena, judge->options.work_dir, KS_TU_OWN "/finding");
    const char *keep = ks_path_join(arena, dir, "kept");
    struct ks_tu_compile compile = {.quiet = true, .limit_seconds = BUILD_SECONDS,
                                    .limit_memory = BUILD_MEMORY, .lines = true};
    struct ks_buf text = KS_BUF(TEXT_MAX);
    enum ks_status status = ks_shadow_text(arena, &request, &text, err);
    if (status == KS_OK)
        status = ks_dir_make(keep, err);
    if (status == KS_OK)
        status = ks_tu_compile_text(arena, tu, (struct ks_slice){text.data, text.len},
                                    ks_path_join(arena, dir, ks_path_base(tu->path)), keep,
                                    ks_path_join(arena, dir, "finding.o"), &compile, err);
    ks_buf_free(&text);
    KS_TRY(status);
    if (compile.exit_code != 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "the unit does not compile");
    *name = judge->kernel->signature->registered;
    return ks_judge_text(arena, &compile, judge->kernel->arch, name, ptx, err);
}

// "n=46,m=3": the sizes of a problem.
static const char *sizes_of(const struct ks_judge *judge, struct ks_arena *arena,
                            const struct ks_problem *problem)
{
    struct ks_value *sizes;
    struct ks_buf text = KS_BUF(256);
    size_t n = ks_problem_sizes(arena, judge->kernel->mark->mark, problem->workload, &sizes);
    for (size_t i = 0; i < n; i++) {
        int64_t value = sizes[i].value;
        ks_problem_value(problem, sizes[i].name, &value);
        ks_buf_printf(&text, "%s%s=%" PRId64, i > 0 ? "," : "", sizes[i].name, value);
    }
    const char *out = ks_arena_strdup(arena, ks_buf_text(&text));
    ks_buf_free(&text);
    return out;
}

// Runs the original on one problem; true with what was found.
static bool fails_on(struct ks_judge *second, struct ks_arena *arena, const struct ks_problem *problem,
                     char text[KS_ANSWER_TEXT])
{
    struct ks_vector vector;
    struct ks_err err = {0};
    if (ks_vector_make(second, arena, problem, KS_FAMILY_DECLARED, 0, KS_SKEW_NONE, &vector, &err) != KS_OK)
        return false;
    bool found = ks_starts_with(vector.why, "fault: ") &&
                 (second->options.run_steps == 0 || second->endless || !ks_starts_with(vector.why, "fault: endless"));
    if (found)
        ks_text_fit(text, KS_ANSWER_TEXT, ks_arena_printf(arena, "%s: %s", sizes_of(second, arena, problem),
                                                          vector.why + strlen("fault: ")));
    ks_vector_free(&vector);
    return found;
}

bool ks_finding_place(struct ks_judge *judge, size_t w, char text[KS_ANSWER_TEXT])
{
    struct ks_err err = {0};
    struct ks_slice ptx;
    struct ks_arena scratch = {0};
    struct ks_signature signature = *judge->kernel->signature;
    struct ks_tu_kernel kernel = *judge->kernel;
    if (!judge->compiles || build(judge, &ptx, &signature.registered, &err) != KS_OK)
        return false;
    kernel.signature = &signature;
    bool emulated = strcmp(judge->device.kind, "emu") == 0;
    struct ks_judge second = {.arena = &scratch, .tu = judge->tu, .kernel = &kernel,
                              .options = judge->options, .original_image = ptx,
                              .original_ptx = judge->original_ptx, .arith = judge->arith, .endless = judge->endless};
    second.options.device = "emu";
    second.options.worker = emulated ? judge->options.worker : judge->options.emulator;
    second.options.launcher = emulated ? judge->options.launcher : NULL;
    second.options.run_steps = emulated ? judge->options.run_steps : RUN_STEPS;
    ks_judge_reseed(&second);
    const struct ks_tu_mark *mark = judge->kernel->mark;
    bool found = false;
    if (emulated || ks_scout_fits(&judge->problems[w]))
        found = fails_on(&second, &scratch, &judge->problems[w], text);
    struct ks_shape *shapes = NULL;
    size_t n = emulated ? 0 : ks_problem_shapes(&scratch, mark->mark, w, NULL, 0, 1, SHAPES, &shapes);
    for (size_t i = n; !found && i-- > 0;) { // the largest first: it is most like the declared one
        struct ks_problem problem;
        if (shapes[i].n > 0 &&
            ks_problem_make(&scratch, mark->mark, w, judge->kernel->signature, mark->decl,
                            shapes[i].overrides, shapes[i].n, &problem, NULL) == KS_OK &&
            ks_scout_fits(&problem))
            found = fails_on(&second, &scratch, &problem, text);
    }
    ks_worker_stop(&second.oracle);
    ks_spares_stop(&second);
    ks_arena_free(&scratch);
    return found;
}

// Whether the original faults with room behind one slot (or none: n_slots).
static bool faults(struct ks_judge *judge, const struct ks_vector *vector, size_t slot, bool *known)
{
    struct ks_arena scratch = {0};
    struct ks_err err = {0};
    struct ks_vector roomy = *vector;
    uint64_t addresses[KS_LAUNCH_SLOTS];
    double us;
    roomy.layout.slots = ks_arena_memdup(&scratch, vector->layout.slots,
                                         vector->layout.n_slots * sizeof *roomy.layout.slots);
    roomy.layout.slots[slot].bytes += ROOM;
    enum ks_answer answer = KS_ANSWER_TOOL;
    ks_worker_stop(&judge->oracle); // what has faulted answers nothing more
    if (ks_oracle_ready(judge, &err) == KS_OK)
        answer = ks_vector_place(&scratch, &roomy, &judge->oracle, roomy.placement, NULL, 0,
                                 KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(&roomy, &judge->oracle, addresses);
    if (answer == KS_ANSWER_OK) {
        struct ks_scope scope = ks_judge_scope(judge, &roomy.problem, &roomy.layout, NULL);
        json_t *plan = ks_launch_original(&scope, "m0");
        answer = ks_vector_run(&judge->oracle, plan, roomy.poison[0], true, true, ks_run_limit(judge), &us);
        json_decref(plan);
    }
    *known = answer == KS_ANSWER_OK || answer == KS_ANSWER_FAULT || answer == KS_ANSWER_UNSAFE;
    if (answer != KS_ANSWER_OK)
        ks_worker_stop(&judge->oracle);
    ks_arena_free(&scratch);
    return answer != KS_ANSWER_OK;
}

bool ks_finding_buffer(struct ks_judge *judge, const struct ks_vector *vector, char text[128])
{
    for (size_t i = 0; i < vector->layout.n_slots; i++) {
        bool known;
        bool still = faults(judge, vector, i, &known);
        if (!known)
            return false;
        if (!still) {
            snprintf(text, 128, "beyond the end of `%.60s`",
                     vector->problem.args[vector->layout.slots[i].arg].name);
            return true;
        }
    }
    return false;
}
