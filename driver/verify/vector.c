#include "verify/vary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/emu/emu_finding.h"
#include "verify/brink.h"
#include "verify/scout.h"

static enum ks_answer prints(const struct ks_vector *vector, struct ks_worker *worker, int which)
{
    for (size_t o = 0; o < vector->n_outputs; o++) {
        enum ks_answer answer =
            ks_worker_fingerprint(worker, vector->outputs[o].slot, 0,
                                  &vector->outputs[o].print[which], ks_vector_seconds(vector));
        if (answer != KS_ANSWER_OK)
            return answer;
    }
    return KS_ANSWER_OK;
}

static enum ks_answer read_samples(const struct ks_vector *vector, struct ks_worker *worker)
{
    enum ks_answer answer = KS_ANSWER_OK;
    for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        const struct ks_slot *slot = &vector->layout.slots[output->slot];
        size_t size = ks_scalar_size(slot->elem.scalar);
        int64_t all = slot->count * slot->elem.lanes, n = ks_sample_count(all), *lanes = ks_sample_lanes(all);
        output->sample = malloc((size_t)n * size + 1);
        KS_ASSERT(output->sample != NULL);
        answer = ks_worker_gather(worker, output->slot, size, lanes, n, output->sample, ks_vector_seconds(vector));
        free(lanes);
    }
    return answer;
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
                                               bytes, ks_vector_seconds(vector));
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
    const struct ks_run_limit limit = ks_run_limit(judge);
    double us = 0;
    enum ks_answer answer;
    for (int which = 0; which < 2; which++) {
        int64_t before = oracle->steps;
        answer = ks_vector_run(oracle, plan, vector->poison[which], true, which == 0, limit, &us);
        if (answer == KS_ANSWER_OK)
            answer = prints(vector, oracle, which);
        if (answer != KS_ANSWER_OK)
            return answer;
        vector->original_us = us;
        vector->original_steps = oracle->steps - before;
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
        answer = ks_vector_run(oracle, plan, vector->poison[0], true, true, limit, &us);
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

// One alone may lie at any of the element's places within 16 bytes.
static int64_t spare_elements(struct ks_judge *judge, const struct ks_layout *layout, int skew)
{
    if (skew < KS_SKEW_ONE || skew >= KS_SKEW_ONE + (int)layout->n_slots)
        return 1;
    size_t size = layout->slots[skew - KS_SKEW_ONE].elem.size;
    return 1 + (size < 8 ? (int64_t)ks_rng_below(&judge->rng, 16 / size - 1) : 0);
}

// A byte each, repeated, in either order. As floats one is tiny and the other huge, of any sign: who adds to what nobody
// wrote, or scales it, gets the sum from one and the poison from the other. (Two tiny ones would both vanish in a sum,
// and in two huge ones the sum would, so that nothing seems to have been written.)
static void draw_poison(struct ks_judge *judge, struct ks_vector *vector)
{
    uint32_t tiny = 0x01 + (uint32_t)ks_rng_below(&judge->rng, 0x30);
    uint32_t huge = 0x50 + (uint32_t)ks_rng_below(&judge->rng, 0x2f);
    uint64_t signs = ks_rng_below(&judge->rng, 4), first = ks_rng_below(&judge->rng, 2);
    vector->poison[first] = (tiny | (signs & 1 ? 0x80 : 0)) * 0x01010101u;
    vector->poison[1 - first] = (huge | (signs & 2 ? 0x80 : 0)) * 0x01010101u;
}

enum ks_status ks_vector_make(struct ks_judge *judge, struct ks_arena *arena,
                              const struct ks_problem *problem, enum ks_family family,
                              int variation, int skew, struct ks_vector *vector,
                              struct ks_err *err)
{
    *vector = (struct ks_vector){.problem = *problem, .family = family};
    vector->problem.args =
        ks_arena_memdup(arena, problem->args, problem->n_args * sizeof *problem->args);
    ks_vary_problem(judge, &vector->problem, family, variation);
    if (family == KS_FAMILY_LITERALS) {
        vector->literals = &judge->literals;
        vector->lattice = variation % KS_INTEGERS >= KS_LATTICE ? (unsigned)(variation % KS_INTEGERS - KS_LATTICE) + 1 : 0;
    }
    vector->layout = ks_layout_of(arena, &vector->problem);
    ks_layout_skew(&vector->layout, skew, spare_elements(judge, &vector->layout, skew));
    ks_vary_seed(judge, vector, variation);
    vector->number = ++judge->vectors;
    draw_poison(judge, vector);
    vector->outputs = KS_NEW_ARRAY(arena, struct ks_output, vector->layout.n_slots);
    for (size_t i = 0; i < vector->layout.n_slots; i++)
        if (vector->layout.slots[i].role != KS_ROLE_IN)
            vector->outputs[vector->n_outputs++].slot = i;
    KS_ASSERT(vector->layout.n_slots <= 64);

    char found[KS_ANSWER_TEXT];
    struct ks_scope scope = ks_judge_scope(judge, &vector->problem, &vector->layout, NULL);
    if (!ks_placement_choose(&scope, KS_FLUSH_END, &vector->placement)) {
        vector->excluded = true;
        snprintf(vector->why, sizeof vector->why, "an assumption of the mark does not hold");
        return KS_OK;
    }
    vector->placement.chance = ks_rng_next(&judge->rng);
    if (ks_scout_fails(judge, arena, vector, found)) {
        vector->excluded = true;
        ks_text_fit(vector->why, sizeof vector->why, ks_arena_printf(arena, "fault: %s", found));
        return KS_OK;
    }
    KS_TRY(ks_oracle_ready(judge, err));
    if (vector->brink != 0) {
        ks_brink_find(judge, arena, vector);
        KS_TRY(ks_oracle_ready(judge, err));
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
        judge->faults += answer == KS_ANSWER_FAULT;
        vector->why[0] = '\0';
        if (answer != KS_ANSWER_UNSUPPORTED || !ks_finding_is(judge->oracle.text, KS_F_UNSUPPORTED)) // which begins so
            snprintf(vector->why, sizeof vector->why, "%s: ", ks_answer_name(answer));
        ks_text_fit(strchr(vector->why, '\0'), sizeof vector->why - strlen(vector->why), judge->oracle.text);
        vector->hung = answer == KS_ANSWER_HANG || ks_finding_stops(judge->oracle.text);
        if (answer == KS_ANSWER_HANG)
            ks_worker_stop(&judge->oracle);
        return KS_OK;
    default:
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    }
}

void ks_vector_unrefer(struct ks_vector *vector)
{
    for (size_t o = 0; o < vector->n_outputs; o++) {
        struct ks_reference *reference = &vector->outputs[o].reference;
        free((void *)(uintptr_t)reference->value);
        free((void *)(uintptr_t)reference->scale);
        free((void *)(uintptr_t)reference->own);
        free((void *)(uintptr_t)reference->nearby);
        free((void *)(uintptr_t)reference->shaken);
        *reference = (struct ks_reference){0};
    }
    vector->scaled = vector->rounded = vector->sure = vector->nearby = vector->undecided = false;
    vector->bent = vector->leapt = vector->shaken = vector->stirred = false;
}

void ks_vector_forget(struct ks_vector *vector)
{
    ks_vector_unrefer(vector);
    for (size_t o = 0; o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        free(output->expected[0]);
        free(output->expected[1]);
        free(output->mask);
        free(output->scale);
        free(output->sums);
        free(output->terms);
        free(output->lanes);
        free(output->sample);
        output->sample = NULL;
        output->lanes = NULL;
        output->n_lanes = 0;
        output->expected[0] = output->expected[1] = NULL;
        output->mask = NULL;
        output->scale = output->sums = output->terms = NULL;
    }
    vector->read = vector->referred = vector->whole = vector->thrown = false;
}

bool ks_vector_repeats(const struct ks_judge *judge, const struct ks_vector *vector)
{
    return vector->deterministic && !judge->arith.float_atomics;
}

void ks_vector_free(struct ks_vector *vector)
{
    ks_vector_forget(vector);
    vector->n_outputs = 0;
}

enum ks_answer ks_vector_run_original(struct ks_judge *judge, struct ks_vector *vector, struct ks_run_limit limit)
{
    struct ks_arena scratch = {0};
    struct ks_scope scope = ks_judge_scope(judge, &vector->problem, &vector->layout, NULL);
    json_t *plan = ks_launch_original(&scope, "m0");
    uint64_t addresses[KS_LAUNCH_SLOTS];
    double us;
    enum ks_answer answer = ks_vector_place(&scratch, vector, &judge->oracle, vector->placement, NULL, 0,
                                            KS_CONTENTS_PLAIN, 0);
    judge->oracle_holds = 0;
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(vector, &judge->oracle, addresses);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_run(&judge->oracle, plan, vector->poison[0], true, true, limit, &us);
    json_decref(plan);
    ks_arena_free(&scratch);
    return answer;
}

enum ks_status ks_vector_serial(struct ks_judge *judge, struct ks_vector *vector, struct ks_err *err)
{
    const struct ks_problem *p = &vector->problem;
    if (judge->serial != KS_SERIAL_UNKNOWN || p->grid[0] * p->grid[1] * p->grid[2] == 1)
        return KS_OK;
    KS_TRY(ks_oracle_ready(judge, err));
    enum ks_answer answer = ks_vector_run_original(judge, vector, ks_run_limit_serial(judge, vector->original_steps));
    judge->serial = answer == KS_ANSWER_OK ? KS_SERIAL_ENDS : KS_SERIAL_WAITS;
    if (answer == KS_ANSWER_OK)
        return KS_OK;
    if (answer != KS_ANSWER_FAULT)
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    ks_worker_stop(&judge->oracle);
    ks_judge_note(judge, "the original's blocks wait for others that begin behind them: a candidate's may, too");
    return KS_OK;
}

// The vector once more in the oracle, which has done something else since.
static enum ks_status revive(struct ks_judge *judge, struct ks_vector *vector, struct ks_err *err)
{
    KS_ASSERT(vector->deterministic && vector->all_written);
    KS_TRY(ks_oracle_ready(judge, err));
    uint64_t print;
    enum ks_answer answer = ks_vector_run_original(judge, vector, ks_run_limit(judge));
    bool same = true;
    for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++) {
        answer = ks_worker_fingerprint(&judge->oracle, vector->outputs[o].slot, 0, &print,
                                       ks_vector_seconds(vector));
        same = same && print == vector->outputs[o].print[0];
    }
    if (answer != KS_ANSWER_OK)
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    if (!same)
        KS_FAIL(err, KS_E_DEVICE, "the original gave another result for the same inputs than before; "
                                  "run `ks doctor`");
    judge->oracle_holds = vector->number;
    return KS_OK;
}

static enum ks_status bring(struct ks_judge *judge, struct ks_vector *vector, bool whole, struct ks_err *err)
{
    if (judge->oracle_holds != vector->number)
        KS_TRY(revive(judge, vector, err));
    enum ks_answer answer = whole ? read_outputs(vector, &judge->oracle, 0) : read_samples(vector, &judge->oracle);
    return answer == KS_ANSWER_OK ? KS_OK : ks_answer_status(&judge->oracle, answer, "the oracle", err);
}

enum ks_status ks_vector_read(struct ks_judge *judge, struct ks_vector *vector, struct ks_err *err)
{
    if (vector->read)
        return KS_OK;
    KS_TRY(bring(judge, vector, true, err));
    vector->read = true;
    return KS_OK;
}

enum ks_status ks_vector_sample(struct ks_judge *judge, struct ks_vector *vector, struct ks_err *err)
{
    bool large = false;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        const struct ks_slot *slot = &vector->layout.slots[vector->outputs[o].slot];
        large = large || slot->count * slot->elem.lanes > KS_SAMPLE_LANES;
        if (vector->outputs[o].sample != NULL)
            return KS_OK;
    }
    return vector->read || !large ? ks_vector_read(judge, vector, err) : bring(judge, vector, false, err);
}
