#include "verify/vector.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "verify/parallel.h"

#define SIGN_PATTERNS 4
#define SIGN_PATTERNS_BIG 1
#define BIG_BYTES (32 << 20)

static const char *const init_names[] = {
    [KS_INIT_DEFAULT] = "default",   [KS_INIT_UNIFORM] = "uniform",
    [KS_INIT_NORMAL] = "normal",     [KS_INIT_RANDINT] = "randint",
    [KS_INIT_IOTA] = "iota",         [KS_INIT_PERMUTATION] = "permutation",
    [KS_INIT_CONSTANT] = "constant", [KS_INIT_FILE] = "file",
};

static void put_scalar(struct ks_arg *arg, int lane, double value)
{
    enum ks_scalar scalar = arg->type.elem.scalar;
    unsigned char *at = arg->bytes + (size_t)lane * ks_scalar_size(scalar);
    float f = (float)value;
    uint16_t h = scalar == KS_T_F16 ? ks_f32_to_f16(f) : ks_f32_to_bf16(f);
    switch (scalar) {
    case KS_T_F32: memcpy(at, &f, sizeof f); break;
    case KS_T_F64: memcpy(at, &value, sizeof value); break;
    case KS_T_F16:
    case KS_T_BF16: memcpy(at, &h, sizeof h); break;
    default: break;
    }
}

// Free float scalars: any finite value may come, so several do.
static void vary_scalars(struct ks_rng *rng, struct ks_problem *problem, enum ks_family family,
                         int variation)
{
    static const double values[] = {0, 1, -1, 0, 1e4};
    static const double whole[] = {1, -1, 3};
    if (variation == 0 && family != KS_FAMILY_EXACT)
        return;
    for (size_t i = 0; i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        if (arg->kind != KS_ARG_SCALAR || !arg->float_scalar)
            continue;
        for (int lane = 0; lane < arg->type.elem.lanes; lane++) {
            double value = family == KS_FAMILY_EXACT ? whole[ks_rng_below(rng, 3)]
                                                     : values[(variation - 1) % 5];
            if (family != KS_FAMILY_EXACT && (variation - 1) % 5 == 3)
                value = ks_rng_unit(rng) + ks_rng_unit(rng) + ks_rng_unit(rng) - 1.5;
            put_scalar(arg, lane, value);
        }
    }
}

// One value of the declared range in every element. Permutations, ramps and files stay what they are:
// their kind is a promise.
static void equal_integers(struct ks_rng *rng, struct ks_problem *problem)
{
    for (size_t i = 0; i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        double low = arg->init.a, high = arg->init.b;
        if (!ks_arg_has_range(arg))
            continue;
        if (arg->init.kind == KS_INIT_DEFAULT)
            low = 0, high = 99;
        else if (arg->init.kind == KS_INIT_UNIFORM)
            high = high - 1 > low ? high - 1 : low;
        double value = floor(low + (high - low) * ks_rng_unit(rng));
        arg->init = (struct ks_init){.kind = KS_INIT_RANDINT, .a = value, .b = value};
    }
}

bool ks_arg_has_range(const struct ks_arg *arg)
{
    return arg->kind == KS_ARG_BUFFER && arg->role != KS_ROLE_OUT &&
           !ks_scalar_is_float(arg->elem.scalar) && arg->elem.scalar != KS_T_BOOL &&
           (arg->init.kind == KS_INIT_DEFAULT || arg->init.kind == KS_INIT_RANDINT ||
            arg->init.kind == KS_INIT_UNIFORM);
}

// |x| (with signs where `pattern` is not 0) of every float in a buffer.
struct signs {
    unsigned char *data;
    size_t size;
    uint64_t pattern;
};

static void make_part_absolute(void *context, size_t part, int64_t first, int64_t count)
{
    const struct signs *s = context;
    unsigned char *top = s->data + (size_t)first * s->size + s->size - 1; // sign bit, little endian
    (void)part;
    for (int64_t i = first; i < first + count; i++, top += s->size) {
        *top &= 0x7f;
        if (s->pattern != 0 && (ks_hash_counter(s->pattern, (uint64_t)i) & 1))
            *top |= 0x80;
    }
}

static void make_absolute(void *data, struct ks_elem elem, int64_t count, uint64_t pattern)
{
    struct signs signs = {data, ks_scalar_size(elem.scalar), pattern};
    ks_parallel(count * elem.lanes, make_part_absolute, &signs);
}

static uint64_t slot_seed(const struct ks_vector *vector, size_t slot)
{
    return ks_hash_counter(vector->seed, slot) & INT64_MAX; // JSON integers are signed
}

// The bytes of a slot made here rather than by the worker.
static bool slot_bytes(const struct ks_vector *vector, size_t index, enum ks_contents contents,
                       uint64_t pattern, void *out)
{
    const struct ks_slot *slot = &vector->layout.slots[index];
    const struct ks_arg *arg = &vector->problem.args[slot->arg];
    struct ks_init init = arg->init;
    bool from_file = init.kind == KS_INIT_FILE;
    if (from_file && vector->family == KS_FAMILY_DECLARED && !vector->problem.derived) {
        if (ks_fill_file(out, vector->problem.where, init.path, slot->elem, slot->filled, NULL) != KS_OK)
            return false;
    } else {
        if (from_file)
            init = (struct ks_init){.kind = KS_INIT_DEFAULT};
        if (ks_fill_all(out, slot->elem, &init, vector->family, slot_seed(vector, index),
                        slot->filled, NULL) != KS_OK)
            return false;
    }
    if (contents == KS_CONTENTS_ABSOLUTE || contents == KS_CONTENTS_SIGNED)
        make_absolute(out, slot->elem, slot->filled, pattern == 0 ? 0 : pattern + index);
    return true;
}

enum ks_answer ks_vector_place(struct ks_arena *arena, const struct ks_vector *vector,
                               struct ks_worker *worker, struct ks_placement placement,
                               const int64_t *workspaces, size_t n_workspaces,
                               enum ks_contents contents, uint64_t pattern)
{
    static const char *const roles[] = {
        [KS_ROLE_IN] = "in", [KS_ROLE_INOUT] = "inout", [KS_ROLE_OUT] = "out"};
    const struct ks_layout *layout = &vector->layout;
    struct ks_slice *payloads = KS_NEW_ARRAY(arena, struct ks_slice, layout->n_slots);
    size_t n_payloads = 0;
    bool ok = true;
    json_t *list = json_array();
    for (size_t i = 0; ok && i < layout->n_slots; i++) {
        const struct ks_slot *slot = &layout->slots[i];
        const struct ks_arg *arg = &vector->problem.args[slot->arg];
        size_t align = ks_placement_align(&placement, layout, i);
        if (placement.flush == KS_FLUSH_START)
            align = 256;
        json_t *item = json_pack("{s:I,s:I,s:s,s:i}", "bytes", (json_int_t)slot->bytes, "align",
                                 (json_int_t)align, "role", roles[slot->role], "alias", -1);
        json_array_append_new(list, item);
        if (slot->role == KS_ROLE_OUT)
            continue;
        bool is_float = ks_scalar_is_float(slot->elem.scalar);
        bool ones = contents == KS_CONTENTS_ONES && is_float;
        bool here = arg->init.kind == KS_INIT_FILE ||
                    (is_float && (contents == KS_CONTENTS_ABSOLUTE || contents == KS_CONTENTS_SIGNED));
        if (here && !ones) {
            void *bytes = calloc((size_t)slot->bytes + 1, 1);
            ok = bytes != NULL && slot_bytes(vector, i, contents, pattern, bytes);
            payloads[n_payloads++] = (struct ks_slice){bytes, (size_t)slot->bytes};
            json_object_set_new(item, "fill", json_pack("{s:s}", "init", "bytes"));
        } else {
            json_object_set_new(
                item, "fill",
                json_pack("{s:s,s:s,s:f,s:f,s:s,s:I,s:I}", "elem", ks_elem_text(arena, slot->elem),
                          "init", init_names[ones ? KS_INIT_CONSTANT : arg->init.kind], "a",
                          ones ? 1.0 : arg->init.a, "b", ones ? 1.0 : arg->init.b, "family",
                          ks_family_name(ones ? KS_FAMILY_DECLARED : vector->family), "seed",
                          (json_int_t)slot_seed(vector, i), "total", (json_int_t)slot->filled));
        }
    }
    for (size_t i = 0; i < n_workspaces; i++)
        json_array_append_new(list, json_pack("{s:I,s:i,s:s,s:i}", "bytes",
                                              (json_int_t)workspaces[i], "align", 256, "role",
                                              "work", "alias", -1));
    enum ks_answer answer = KS_ANSWER_TOOL;
    json_t *request = json_pack("{s:s,s:o}", "flush",
                                placement.flush == KS_FLUSH_START ? "start" : "end", "list", list);
    if (ok) {
        answer = ks_worker_send(worker, "buffers", request, payloads, n_payloads);
    } else {
        snprintf(worker->text, sizeof worker->text, "cannot fill the inputs of %s",
                 vector->problem.where);
        json_decref(request);
    }
    for (size_t i = 0; i < n_payloads; i++)
        free((void *)(uintptr_t)payloads[i].at);
    return answer;
}

static double transfer_seconds(const struct ks_vector *vector)
{
    return 30 + (double)ks_problem_bytes(&vector->problem) / 5e7;
}

enum ks_answer ks_vector_placed(const struct ks_vector *vector, struct ks_worker *worker,
                                uint64_t *addresses)
{
    enum ks_answer answer = ks_worker_wait(worker, transfer_seconds(vector));
    if (answer != KS_ANSWER_OK)
        return answer;
    const json_t *list = json_object_get(worker->reply, "addresses");
    for (size_t i = 0; i < vector->layout.n_slots; i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_integer(item)) {
            snprintf(worker->text, sizeof worker->text, "the worker gave no addresses");
            return KS_ANSWER_LIED;
        }
        addresses[i] = (uint64_t)json_integer_value(item);
    }
    return KS_ANSWER_OK;
}

enum ks_answer ks_vector_run(struct ks_worker *worker, json_t *plan, uint32_t poison, bool poisoned,
                             bool scrub, double deadline, double *microseconds)
{
    json_t *request = json_pack("{s:O,s:b}", "plan", plan, "scrub", scrub);
    json_object_set_new(request, "poison", poisoned ? json_integer(poison) : json_null());
    enum ks_answer answer = ks_worker_ask(worker, "run", request, deadline);
    if (answer == KS_ANSWER_OK)
        *microseconds = ks_json_num(worker->reply, "microseconds", -1);
    return answer;
}

static enum ks_answer prints(const struct ks_vector *vector, struct ks_worker *worker, int which)
{
    for (size_t o = 0; o < vector->n_outputs; o++) {
        enum ks_answer answer =
            ks_worker_fingerprint(worker, vector->outputs[o].slot, 0,
                                  &vector->outputs[o].print[which], transfer_seconds(vector));
        if (answer != KS_ANSWER_OK)
            return answer;
    }
    return KS_ANSWER_OK;
}

static enum ks_answer read_outputs(const struct ks_vector *vector, struct ks_worker *worker,
                                   int which)
{
    for (size_t o = 0; o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        size_t bytes = (size_t)vector->layout.slots[output->slot].bytes;
        free(output->expected[which]);
        output->expected[which] = malloc(bytes + 1);
        KS_ASSERT(output->expected[which] != NULL);
        enum ks_answer answer = ks_worker_read(worker, output->slot, 0, output->expected[which],
                                               bytes, transfer_seconds(vector));
        if (answer != KS_ANSWER_OK)
            return answer;
    }
    return KS_ANSWER_OK;
}

// Lanes that the original leaves as they were: they hold the poison of each run. Both poison words
// repeat one byte, so the pattern needs no knowledge of phase.
static void find_unwritten(struct ks_vector *vector, struct ks_output *output)
{
    const struct ks_slot *slot = &vector->layout.slots[output->slot];
    size_t size = ks_scalar_size(slot->elem.scalar);
    size_t lanes = (size_t)slot->count * (size_t)slot->elem.lanes;
    const unsigned char *a = output->expected[0], *b = output->expected[1];
    if (slot->role != KS_ROLE_OUT)
        return; // contents are restored, not poisoned
    output->mask = malloc(lanes + 1);
    KS_ASSERT(output->mask != NULL);
    for (size_t i = 0; i < lanes; i++) {
        bool poison = true;
        for (size_t k = 0; k < size; k++)
            poison = poison && a[i * size + k] == (vector->poison[0] & 255) &&
                     b[i * size + k] == (vector->poison[1] & 255);
        output->mask[i] = !poison;
    }
}

static bool same_prints(const struct ks_vector *vector, const uint64_t *first)
{
    for (size_t o = 0; o < vector->n_outputs; o++)
        if (vector->outputs[o].print[0] != first[o])
            return false;
    return true;
}

// The runs of the original; the answer is the original's own.
static enum ks_answer original_runs(struct ks_judge *judge, struct ks_vector *vector, json_t *plan)
{
    struct ks_worker *oracle = &judge->oracle;
    double deadline = judge->options.run_timeout, us = 0;
    enum ks_answer answer;
    for (int which = 0; which < 2; which++) {
        answer = ks_vector_run(oracle, plan, vector->poison[which], true, which == 0, deadline, &us);
        if (answer == KS_ANSWER_OK)
            answer = prints(vector, oracle, which);
        if (answer != KS_ANSWER_OK)
            return answer;
        vector->original_us = us;
    }
    vector->deterministic = vector->all_written = true;
    uint64_t first[64];
    bool differ = false;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        first[o] = vector->outputs[o].print[0];
        differ = differ || first[o] != vector->outputs[o].print[1];
    }
    if (!differ)
        return KS_ANSWER_OK;
    answer = read_outputs(vector, oracle, 1);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_run(oracle, plan, vector->poison[0], true, true, deadline, &us);
    if (answer == KS_ANSWER_OK)
        answer = prints(vector, oracle, 0);
    if (answer == KS_ANSWER_OK)
        answer = read_outputs(vector, oracle, 0);
    if (answer != KS_ANSWER_OK)
        return answer;
    vector->read = true;
    vector->deterministic = same_prints(vector, first);
    for (size_t o = 0; o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        const struct ks_slot *slot = &vector->layout.slots[output->slot];
        find_unwritten(vector, output);
        size_t lanes = (size_t)slot->count * (size_t)slot->elem.lanes, unwritten = 0;
        size_t size = ks_scalar_size(slot->elem.scalar);
        const char *a = output->expected[0], *b = output->expected[1];
        for (size_t i = 0; i < lanes; i++) {
            bool written = output->mask == NULL || output->mask[i];
            unwritten += !written;
            // A written element that depends on the poison is read before it is written.
            if (written && vector->deterministic && memcmp(a + i * size, b + i * size, size) != 0)
                vector->deterministic = false;
        }
        if (unwritten == 0) {
            free(output->mask);
            output->mask = NULL;
        } else {
            vector->all_written = false;
        }
    }
    for (size_t o = 0; !vector->deterministic && o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        const struct ks_slot *slot = &vector->layout.slots[output->slot];
        output->noise = ks_compare_noise(slot->elem, output->expected[0], output->expected[1],
                                         slot->count, NULL, output->mask);
    }
    return KS_ANSWER_OK;
}

enum ks_status ks_vector_make(struct ks_judge *judge, struct ks_arena *arena,
                              const struct ks_problem *problem, enum ks_family family,
                              int variation, bool skewed, struct ks_vector *vector,
                              struct ks_err *err)
{
    *vector = (struct ks_vector){.problem = *problem, .family = family};
    vector->problem.args =
        ks_arena_memdup(arena, problem->args, problem->n_args * sizeof *problem->args);
    vary_scalars(&judge->rng, &vector->problem, family, variation % KS_EQUAL_INTEGERS);
    if (variation >= KS_EQUAL_INTEGERS)
        equal_integers(&judge->rng, &vector->problem);
    vector->layout = ks_layout_of(arena, &vector->problem);
    if (skewed)
        ks_layout_skew(&vector->layout);
    vector->seed = ks_rng_next(&judge->rng);
    vector->number = ++judge->vectors;
    // Two different bytes, neither 0 nor 0xff.
    uint32_t a = 1 + (uint32_t)ks_rng_below(&judge->rng, 254), b = 1 + (a + 100) % 254;
    vector->poison[0] = a * 0x01010101u;
    vector->poison[1] = b * 0x01010101u;
    vector->outputs = KS_NEW_ARRAY(arena, struct ks_output, vector->layout.n_slots);
    for (size_t i = 0; i < vector->layout.n_slots; i++)
        if (vector->layout.slots[i].role != KS_ROLE_IN)
            vector->outputs[vector->n_outputs++].slot = i;
    KS_ASSERT(vector->layout.n_slots <= 64);

    KS_TRY(ks_oracle_ready(judge, err));
    struct ks_scope scope = ks_judge_scope(judge, &vector->problem, &vector->layout, NULL);
    if (!ks_placement_choose(&scope, KS_FLUSH_END, &vector->placement)) {
        vector->excluded = true;
        snprintf(vector->why, sizeof vector->why, "an assumption of the mark does not hold");
        return KS_OK;
    }
    uint64_t addresses[64];
    enum ks_answer answer = ks_vector_place(arena, vector, &judge->oracle, vector->placement, NULL, 0,
                                            KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(vector, &judge->oracle, addresses);
    if (answer == KS_ANSWER_OK) {
        json_t *plan = ks_launch_original(&scope, "m0");
        answer = original_runs(judge, vector, plan);
        json_decref(plan);
    }
    judge->oracle_holds = answer == KS_ANSWER_OK ? vector->number : 0;
    switch (answer) {
    case KS_ANSWER_OK:
        return KS_OK;
    case KS_ANSWER_LAUNCH:
    case KS_ANSWER_LIMIT:
    case KS_ANSWER_FAULT:
    case KS_ANSWER_UNSAFE:
    case KS_ANSWER_UNSUPPORTED:
    case KS_ANSWER_HANG:
        vector->excluded = true;
        snprintf(vector->why, sizeof vector->why, "%s: %.200s", ks_answer_name(answer),
                 judge->oracle.text);
        if (answer == KS_ANSWER_HANG)
            ks_worker_stop(&judge->oracle);
        return KS_OK;
    default:
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    }
}

void ks_vector_forget(struct ks_vector *vector)
{
    for (size_t o = 0; o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        free(output->expected[0]);
        free(output->expected[1]);
        free(output->mask);
        free(output->scale);
        output->expected[0] = output->expected[1] = NULL;
        output->mask = NULL;
        output->scale = NULL;
    }
    vector->read = vector->scaled = false;
}

void ks_vector_free(struct ks_vector *vector)
{
    ks_vector_forget(vector);
    vector->n_outputs = 0;
}

// The vector once more in the oracle, which has done something else since.
static enum ks_status revive(struct ks_judge *judge, struct ks_vector *vector, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    KS_ASSERT(vector->deterministic && vector->all_written);
    KS_TRY(ks_oracle_ready(judge, err));
    struct ks_scope scope = ks_judge_scope(judge, &vector->problem, &vector->layout, NULL);
    json_t *plan = ks_launch_original(&scope, "m0");
    uint64_t addresses[KS_LAUNCH_SLOTS], print;
    double us;
    enum ks_answer answer = ks_vector_place(&scratch, vector, &judge->oracle, vector->placement, NULL, 0,
                                            KS_CONTENTS_PLAIN, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(vector, &judge->oracle, addresses);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_run(&judge->oracle, plan, vector->poison[0], true, true,
                               judge->options.run_timeout, &us);
    bool same = true;
    for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++) {
        answer = ks_worker_fingerprint(&judge->oracle, vector->outputs[o].slot, 0, &print,
                                       transfer_seconds(vector));
        same = same && print == vector->outputs[o].print[0];
    }
    json_decref(plan);
    ks_arena_free(&scratch);
    if (answer != KS_ANSWER_OK)
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    if (!same)
        KS_FAIL(err, KS_E_DEVICE, "the original gave another result for the same inputs than before; "
                                  "run `ks doctor`");
    judge->oracle_holds = vector->number;
    return KS_OK;
}

enum ks_status ks_vector_read(struct ks_judge *judge, struct ks_vector *vector, struct ks_err *err)
{
    if (vector->read)
        return KS_OK;
    if (judge->oracle_holds != vector->number)
        KS_TRY(revive(judge, vector, err));
    enum ks_answer answer = read_outputs(vector, &judge->oracle, 0);
    if (answer != KS_ANSWER_OK)
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    vector->read = true;
    return KS_OK;
}

struct largest {
    enum ks_scalar scalar;
    const void *bytes;
    float *into;
};

static void keep_largest(void *context, size_t part, int64_t first, int64_t count)
{
    const struct largest *l = context;
    (void)part;
    for (int64_t i = first; i < first + count; i++) {
        float value = (float)fabs(ks_scalar_value(l->scalar, l->bytes, i));
        if (value > l->into[i] || isnan(value))
            l->into[i] = value;
    }
}

// One run of the original on other contents; |outputs| join `into` by maximum.
static enum ks_answer run_for_scale(struct ks_judge *judge, struct ks_arena *arena,
                                    struct ks_vector *vector, json_t *plan,
                                    enum ks_contents contents, uint64_t pattern, float **into)
{
    uint64_t addresses[64];
    double us;
    struct ks_worker *oracle = &judge->oracle;
    enum ks_answer answer = ks_vector_place(arena, vector, oracle, vector->placement, NULL, 0,
                                            contents, pattern);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(vector, oracle, addresses);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_run(oracle, plan, 0, true, false, judge->options.run_timeout, &us);
    for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++) {
        const struct ks_slot *slot = &vector->layout.slots[vector->outputs[o].slot];
        if (!ks_scalar_is_float(slot->elem.scalar))
            continue;
        void *bytes = malloc((size_t)slot->bytes + 1);
        KS_ASSERT(bytes != NULL);
        answer = ks_worker_read(oracle, vector->outputs[o].slot, 0, bytes, (size_t)slot->bytes,
                                transfer_seconds(vector));
        struct largest largest = {slot->elem.scalar, bytes, into[o]};
        if (answer == KS_ANSWER_OK)
            ks_parallel(slot->count * slot->elem.lanes, keep_largest, &largest);
        free(bytes);
    }
    return answer;
}

static void abs_scalars(struct ks_problem *problem, bool ones)
{
    for (size_t i = 0; i < problem->n_args; i++) {
        struct ks_arg *arg = &problem->args[i];
        for (int lane = 0; arg->kind == KS_ARG_SCALAR && arg->float_scalar &&
                           lane < arg->type.elem.lanes; lane++)
            put_scalar(arg, lane, ones ? 1 : fabs(ks_scalar_value(arg->type.elem.scalar, arg->bytes, lane)));
    }
}

enum ks_status ks_vector_scale(struct ks_judge *judge, struct ks_arena *arena,
                               struct ks_vector *vector, struct ks_err *err)
{
    if (vector->scaled || judge->arith.kind != KS_ARITH_MULADD ||
        judge->kernel->mark->mark->tolerance.kind != KS_TOL_DERIVED)
        return KS_OK;
    vector->scaled = true;
    KS_TRY(ks_oracle_ready(judge, err));
    judge->oracle_holds = 0;
    struct ks_vector other = *vector; // same layout and seed, other scalars
    float *terms[64] = {NULL};
    for (size_t o = 0; o < vector->n_outputs; o++) {
        const struct ks_slot *slot = &vector->layout.slots[vector->outputs[o].slot];
        size_t lanes = (size_t)slot->count * (size_t)slot->elem.lanes;
        if (!ks_scalar_is_float(slot->elem.scalar))
            continue;
        vector->outputs[o].scale = calloc(lanes + 1, sizeof(float));
        terms[o] = calloc(lanes + 1, sizeof(float));
        KS_ASSERT(vector->outputs[o].scale != NULL && terms[o] != NULL);
    }
    float *scales[64];
    for (size_t o = 0; o < vector->n_outputs; o++)
        scales[o] = vector->outputs[o].scale;
    bool big = ks_problem_bytes(&vector->problem) > BIG_BYTES;
    int patterns = !judge->arith.subtracts ? 0 : big ? SIGN_PATTERNS_BIG : SIGN_PATTERNS;
    enum ks_answer answer = KS_ANSWER_OK;
    for (int pass = -2; answer == KS_ANSWER_OK && pass < patterns; pass++) {
        other.problem.args = ks_arena_memdup(arena, vector->problem.args,
                                             vector->problem.n_args * sizeof *other.problem.args);
        abs_scalars(&other.problem, pass == -2);
        struct ks_scope scope = ks_judge_scope(judge, &other.problem, &other.layout, NULL);
        json_t *plan = ks_launch_original(&scope, "m0");
        answer = pass == -2 ? run_for_scale(judge, arena, &other, plan, KS_CONTENTS_ONES, 0, terms)
                 : pass == -1
                     ? run_for_scale(judge, arena, &other, plan, KS_CONTENTS_ABSOLUTE, 0, scales)
                     : run_for_scale(judge, arena, &other, plan, KS_CONTENTS_SIGNED,
                                     ks_rng_next(&judge->rng) | 1, scales);
        json_decref(plan);
    }
    // A long one-directional sum done in sequence errs by about 0.5 sqrt(K) u |sum| at worst over
    // 200 sums (research verification.md 3.2: 8.6 at K = 256, 35 at 4096); 1.5 covers millions.
    double unit = judge->arith.u;
    for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        const struct ks_slot *slot = &vector->layout.slots[output->slot];
        if (output->scale == NULL)
            continue;
        double own = slot->elem.scalar == KS_T_F64 ? 0x1p-53 : 0x1p-24;
        double coarser = unit > own ? unit / own : 1;
        for (int64_t i = 0; i < slot->count * slot->elem.lanes; i++) {
            double k = isfinite(terms[o][i]) && terms[o][i] > 1 ? (double)terms[o][i] : 1;
            double want = fabs(ks_scalar_value(slot->elem.scalar, output->expected[0], i));
            if (k > 0x1p24)
                k = 0x1p24;
            if (isfinite(output->scale[i]) && isfinite(want))
                output->scale[i] = (float)(coarser * ((double)output->scale[i] +
                                                      1.5 / 16 * sqrt(k) * want));
        }
        if (!vector->deterministic && output->expected[1] != NULL)
            output->noise = ks_compare_noise(slot->elem, output->expected[0], output->expected[1],
                                             slot->count, output->scale, output->mask);
    }
    for (size_t o = 0; o < vector->n_outputs; o++)
        free(terms[o]);
    if (answer == KS_ANSWER_OK)
        return KS_OK;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        free(vector->outputs[o].scale);
        vector->outputs[o].scale = NULL;
    }
    if (answer == KS_ANSWER_INTERRUPTED || answer == KS_ANSWER_TOOL)
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    return KS_OK; // the original does not serve |inputs|: element-wise tolerance instead
}
