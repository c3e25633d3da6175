// Runs of the original with random rounding; contract in verify/rounding.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "os/file.h"
#include "verify/rounding.h"

#define TEXT_MAX (256u << 20)
#define IMAGE_MAX (256u << 20)
#define MODULE "m0r"
// 64 Ki registers of a multiprocessor for the 1024 threads that a block may have.
#define REGISTERS 64

static enum ks_status make(struct ks_judge *judge, struct ks_rounding *r, struct ks_slice original, const char *entry,
                           const char *module, struct ks_buf *text, struct ks_err *err)
{
    const char *const names[] = {entry, NULL};
    struct ks_slice *image = &r->image;
    if (original.len == 0)
        KS_FAIL(err, KS_E_ABSENT, "the original's PTX is not known");
    ks_rounding_text(original, text);
    KS_TRY(ks_buf_check(text, "the original with random rounding", err));
    if (strcmp(judge->device.kind, "emu") == 0) {
        char *copy = ks_arena_strndup(judge->arena, text->data, text->len);
        *image = (struct ks_slice){copy, text->len};
        return KS_OK;
    }
    const char *dir = ks_path_join(judge->arena, judge->options.work_dir, KS_TU_OWN);
    const char *path = ks_arena_printf(judge->arena, "%s/%s.ptx", dir, module), *cubin;
    KS_TRY(ks_dir_make(dir, err));
    KS_TRY(ks_file_write(path, text->data, text->len, false, 0600, err));
    KS_TRY(ks_tu_assemble(judge->arena, judge->tu, path, judge->kernel->arch, names, REGISTERS, &cubin, err));
    return ks_file_read(judge->arena, cubin, IMAGE_MAX, image, err);
}

enum ks_status ks_rounding_ready(struct ks_judge *judge, struct ks_rounding *r, struct ks_slice text, const char *entry,
                                 const char *module, struct ks_err *err)
{
    KS_TRY(ks_oracle_ready(judge, err));
    if (!r->tried) {
        struct ks_buf made = KS_BUF(TEXT_MAX);
        struct ks_err local = {0};
        r->tried = true;
        if (make(judge, r, text, entry, module, &made, &local) != KS_OK)
            r->absent = ks_arena_strdup(judge->arena, local.text);
        ks_buf_free(&made);
    }
    if (r->absent == NULL && !r->loaded) {
        KS_TRY(ks_oracle_load(judge, module, r->image, entry, &r->absent, err));
        r->loaded = r->absent == NULL;
    }
    return KS_OK;
}

struct erring {
    enum ks_scalar scalar;
    const void *bytes;
    const struct ks_reference *reference;
    float *own;
    struct ks_nearby *nearby; // NULL: nobody asks
};

static void err_part(void *context, size_t part, int64_t first, int64_t count)
{
    const struct erring *e = context;
    (void)part;
    for (int64_t i = first; i < first + count; i++) {
        double had = ks_scalar_value(e->scalar, e->bytes, i), error = fabs(had - e->reference->value[i]);
        if (e->nearby != NULL && !isfinite(had) && e->reference->scale[i] > 0 && isfinite(e->reference->value[i]) &&
            ks_reference_swamped(e->reference, i))
            e->nearby[i].is |= ks_nearby_is(had);
        if (e->reference->scale[i] > 0 && ks_reference_rounds(e->reference, i, error) && error > (double)e->own[i])
            e->own[i] = (float)error;
    }
}

static enum ks_answer read_errors(struct ks_judge *judge, struct ks_vector *vector)
{
    enum ks_answer answer = KS_ANSWER_OK;
    for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        const struct ks_slot *slot = &vector->layout.slots[output->slot];
        if (output->reference.value == NULL)
            continue;
        size_t size = ks_scalar_size(slot->elem.scalar);
        int64_t n = ks_vector_looks(vector, o);
        if (output->reference.shaken != NULL && output->reference.nearby == NULL)
            output->reference.nearby = ks_nearby_new(n);
        void *bytes = malloc((size_t)n * size + 1);
        KS_ASSERT(bytes != NULL);
        answer = ks_vector_look(vector, o, &judge->oracle, size, bytes);
        if (answer == KS_ANSWER_OK)
            ks_parallel(n, err_part,
                        &(struct erring){slot->elem.scalar, bytes, &output->reference,
                                         (float *)(uintptr_t)output->reference.own,
                                         (struct ks_nearby *)(uintptr_t)output->reference.nearby});
        free(bytes);
    }
    return answer;
}

static enum ks_answer run_all(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, int runs)
{
    struct ks_scope scope = ks_judge_scope(judge, &vector->problem, &vector->layout, NULL);
    json_t *plan = ks_launch_original(&scope, MODULE);
    uint64_t addresses[KS_LAUNCH_SLOTS];
    double us;
    enum ks_answer answer =
        ks_vector_place(arena, vector, &judge->oracle, vector->placement, NULL, 0, KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(vector, &judge->oracle, addresses);
    for (int i = 0; answer == KS_ANSWER_OK && i < runs; i++) {
        answer = ks_vector_run(&judge->oracle, plan, vector->poison[0], true, true, ks_run_limit_measuring(judge), &us);
        if (answer == KS_ANSWER_OK)
            answer = read_errors(judge, vector);
    }
    json_decref(plan);
    return answer;
}

enum ks_status ks_rounding_errors(struct ks_judge *judge, struct ks_arena *arena,
                                  struct ks_vector *vector, int runs, struct ks_err *err)
{
    struct ks_rounding *r = &judge->rounding;
    KS_TRY(ks_rounding_ready(judge, r, judge->original_text, judge->kernel->signature->registered, MODULE, err));
    if (r->absent == NULL) {
        judge->oracle_holds = 0;
        enum ks_answer answer = run_all(judge, arena, vector, runs);
        if (answer == KS_ANSWER_TOOL || answer == KS_ANSWER_INTERRUPTED)
            return ks_answer_status(&judge->oracle, answer, "the oracle", err);
        if (answer != KS_ANSWER_OK) { // never again in this session
            r->absent = ks_arena_printf(judge->arena, "%s: %.150s", ks_answer_name(answer), judge->oracle.text);
            if (answer != KS_ANSWER_LAUNCH && answer != KS_ANSWER_LIMIT)
                ks_worker_stop(&judge->oracle);
        }
    }
    if (r->absent != NULL)
        ks_judge_note(judge, "not run with random rounding: %.150s", r->absent);
    return KS_OK;
}

// Elements too large for their errors to be floats are left out, as are those that are not finite.
static void refer_to_itself(struct ks_output *output, int64_t n)
{
    const double *expected = output->expected[0];
    double *value = malloc(((size_t)n + 1) * sizeof *value);
    double *scale = calloc((size_t)n + 1, sizeof *scale);
    float *own = calloc((size_t)n + 1, sizeof *own);
    KS_ASSERT(value != NULL && scale != NULL && own != NULL);
    for (int64_t i = 0; i < n; i++) {
        int64_t lane = output->lanes != NULL ? output->lanes[i] : i;
        value[i] = expected[lane];
        if ((output->mask == NULL || output->mask[lane]) && fabs(value[i]) < 1e37)
            scale[i] = fabs(value[i]) + 0x1p-126;
    }
    output->reference = (struct ks_reference){.value = value, .scale = scale, .own = own, .typical = ks_reference_typical(value, n),
                                              .lanes = output->lanes, .n_lanes = output->n_lanes};
}

// An original that rounds to fp32 on its way shows so in most elements. Else fp64 is the measure, and what errs by
// more than that explains is a choice. (Library functions of double begin with fp32, so that its mere presence in
// the text says nothing.)
static void find_unit(struct ks_output *output, int64_t n, int64_t all)
{
    struct ks_reference *r = &output->reference;
    float *own = (float *)(uintptr_t)r->own;
    int64_t judged = 0, far = 0;
    r->unit = 0x1p-53;
    for (int64_t i = 0; i < n; i++) {
        if (!(r->scale[i] > 0) || (output->lanes != NULL && !ks_sample_has(all, output->lanes[i])))
            continue;
        judged++;
        far += !ks_reference_rounds(r, i, (double)own[i]);
    }
    if (far * 8 > judged) {
        r->unit = 0x1p-24;
        return;
    }
    for (int64_t i = 0; i < n; i++)
        if (!ks_reference_rounds(r, i, (double)own[i]))
            own[i] = 0;
}

enum ks_status ks_rounding_doubles(struct ks_judge *judge, struct ks_arena *arena,
                                   struct ks_vector *vector, struct ks_err *err)
{
    bool any = false;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        const struct ks_slot *slot = &vector->layout.slots[vector->outputs[o].slot];
        if (slot->elem.scalar != KS_T_F64)
            continue;
        refer_to_itself(&vector->outputs[o], ks_vector_looks(vector, o));
        any = true;
    }
    if (!any)
        return KS_OK;
    vector->rounded = true;
    if (ks_judge_tolerance(judge).sum > 0)
        ks_judge_note(judge, "tol(sum) admits nothing more in results of double");
    KS_TRY(ks_rounding_errors(judge, arena, vector, KS_ROUNDINGS, err));
    for (size_t o = 0; o < vector->n_outputs; o++) {
        const struct ks_slot *slot = &vector->layout.slots[vector->outputs[o].slot];
        if (slot->elem.scalar == KS_T_F64)
            find_unit(&vector->outputs[o], ks_vector_looks(vector, o), slot->count * slot->elem.lanes);
    }
    return KS_OK;
}
