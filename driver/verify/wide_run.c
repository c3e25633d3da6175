// Running the original in double on one vector, and what that says of each element; contract in
// verify/wide.h.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "verify/wide.h"
#include "verify/wide_runs.h"
#include "verify/wide_struct.h"
#include "verify/wide_weigh.h"

// Runs on slightly moved inputs. Each is a throw of signs, and one in which an element happens to stand still
// says too little of it: among few elements many throws make that rare, among many the original's own
// error, which is taken in the same units, makes up for it.
#define MOVES 6
#define MOVES_BIG 2
#define MOVES_THROWN 16 // of a sum of two great products that cancel, 3 throws in 8 move neither, or both alike
#define PAIRS 3 // of moves there and back, to tell it from one
#define STRAIGHT 0x1p-4
#define STILL 0x1p-12 // of the largest change: in a throw an element may happen to stand still, but for doubles' rounding
#define STIRS 0x1p-10
#define UNIT_SHARED 4 // a double is two floats, four halves

static int64_t lanes_of(const struct ks_slot *slot)
{
    return slot->count * slot->elem.lanes;
}

static int64_t bytes_of(const struct ks_wide_runs *r, const struct ks_slot *slot)
{
    return ks_wide_takes(slot) && !r->narrow ? lanes_of(slot) * (int64_t)sizeof(double) : slot->bytes;
}

// One memory under two types would be two things in double.
static bool one_type(const struct ks_vector *vector)
{
    bool any = false;
    for (size_t i = 0; i < vector->problem.n_args; i++) {
        const struct ks_arg *arg = &vector->problem.args[i];
        if (arg->kind != KS_ARG_BUFFER)
            continue;
        const struct ks_slot *slot = &vector->layout.slots[vector->layout.slot_of[i]];
        if (arg->elem.scalar != slot->elem.scalar)
            return false;
        any = any || (slot->role != KS_ROLE_IN && ks_wide_takes(slot));
    }
    return any;
}

// Structs grow with their floats, as far as we know to what.
static bool structs_fit(const struct ks_judge *judge, const struct ks_vector *vector)
{
    unsigned char bytes[KS_WIDE_STRUCT];
    for (size_t i = 0; i < vector->problem.n_params; i++) {
        const struct ks_arg *arg = &vector->problem.args[i];
        if (arg->kind == KS_ARG_STRUCT &&
            (i >= judge->wide.n_params || ks_wide_struct(arg->block, bytes) != judge->wide.params[i].size))
            return false;
    }
    return true;
}

static json_t *hex_of(const void *data, size_t n)
{
    char text[2 * 128 + 1];
    KS_ASSERT(n <= 128);
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)data)[i]);
    return json_pack("{s:s#}", "hex", text, (int)(2 * n));
}

static json_t *scalar_of(const struct ks_arg *arg)
{
    double wide[16];
    unsigned char bytes[KS_WIDE_STRUCT];
    if (arg->kind == KS_ARG_STRUCT)
        return hex_of(bytes, ks_wide_struct(arg->block, bytes));
    if (!ks_scalar_is_float(arg->elem.scalar) || arg->elem.scalar == KS_T_F64)
        return hex_of(arg->bytes, arg->size);
    KS_ASSERT(arg->elem.lanes <= 16);
    for (int lane = 0; lane < arg->elem.lanes; lane++)
        wide[lane] = ks_scalar_value(arg->elem.scalar, arg->bytes, lane);
    return hex_of(wide, (size_t)arg->elem.lanes * sizeof *wide);
}

json_t *ks_wide_plan(const struct ks_judge *judge, const struct ks_vector *vector)
{
    const struct ks_problem *p = &vector->problem;
    json_t *args = json_array();
    for (size_t i = 0; i < p->n_params; i++)
        json_array_append_new(args, p->args[i].kind == KS_ARG_BUFFER
                                        ? json_pack("{s:I}", "buffer",
                                                    (json_int_t)vector->layout.slot_of[i])
                                        : scalar_of(&p->args[i]));
    return json_pack("[{s:s,s:s,s:[I,I,I],s:[I,I,I],s:I,s:o}]", "module", "m64", "kernel",
                     judge->wide.registered, "grid", (json_int_t)p->grid[0], (json_int_t)p->grid[1],
                     (json_int_t)p->grid[2], "block", (json_int_t)p->block[0],
                     (json_int_t)p->block[1], (json_int_t)p->block[2], "shared",
                     (json_int_t)(p->shared * UNIT_SHARED), "args", args);
}

// How the numbers of a slot are moved and stored.
static struct ks_filling filling_of(const struct ks_wide_runs *r, const struct ks_slot *slot, uint64_t nudge)
{
    bool takes = ks_wide_takes(slot);
    return (struct ks_filling){.elem = slot->elem, .wide = takes && !r->narrow, .nudge = nudge, .single = takes && r->single};
}

// Bytes of a slot that the worker cannot fill by itself.
static void *file_bytes(const struct ks_wide_runs *r, size_t i, uint64_t nudge)
{
    const struct ks_slot *slot = &r->vector->layout.slots[i];
    const struct ks_filling filling = filling_of(r, slot, nudge);
    unsigned char *narrow = calloc((size_t)slot->bytes + 1, 1);
    unsigned char *wide = filling.wide ? malloc((size_t)bytes_of(r, slot) + 1) : narrow;
    KS_ASSERT(narrow != NULL && wide != NULL);
    bool ok = ks_vector_slot_bytes(r->vector, i, KS_CONTENTS_PLAIN, 0, narrow);
    if (ok && (filling.wide || filling.single))
        ks_fill_keep(wide, narrow, &filling, 0, lanes_of(slot));
    if (wide != narrow)
        free(narrow);
    if (!ok)
        free(wide);
    return ok ? wide : NULL;
}

static enum ks_answer place(struct ks_wide_runs *r, uint64_t nudge)
{
    static const char *const roles[] = {
        [KS_ROLE_IN] = "in", [KS_ROLE_INOUT] = "inout", [KS_ROLE_OUT] = "out"};
    const struct ks_vector *vector = r->vector;
    const struct ks_layout *layout = &vector->layout;
    struct ks_slice *payloads = KS_NEW_ARRAY(r->arena, struct ks_slice, layout->n_slots);
    size_t n_payloads = 0;
    bool ok = true;
    json_t *list = json_array();
    for (size_t i = 0; ok && i < layout->n_slots; i++) {
        const struct ks_slot *slot = &layout->slots[i];
        uint64_t throw = nudge % KS_FILL_PATTERNS; // of signs: each array its own
        uint64_t pattern = throw <= KS_FILL_ALIKE || (nudge & KS_FILL_UNITS) ? nudge : nudge - throw + (throw + i) % KS_FILL_PATTERNS;
        json_t *item = json_pack("{s:I,s:i,s:s,s:i}", "bytes", (json_int_t)bytes_of(r, slot), "align", 256,
                                 "role", roles[slot->role], "alias", -1), *fill;
        json_array_append_new(list, item);
        if (slot->role == KS_ROLE_OUT)
            continue;
        if (ks_vector_is_here(vector, i)) {
            void *bytes = file_bytes(r, i, pattern);
            ok = bytes != NULL;
            payloads[n_payloads++] = (struct ks_slice){bytes, (size_t)bytes_of(r, slot)};
            fill = json_pack("{s:s}", "init", "bytes");
        } else {
            fill = ks_vector_slot_fill(r->arena, vector, i, false);
            const struct ks_filling filling = filling_of(r, slot, pattern);
            if (filling.wide)
                json_object_set_new(fill, "wide", json_true());
            if (filling.single)
                json_object_set_new(fill, "single", json_true());
            if (filling.wide || filling.single)
                json_object_set_new(fill, "nudge", json_integer((json_int_t)filling.nudge));
        }
        json_object_set_new(item, "fill", fill);
    }
    enum ks_answer answer = KS_ANSWER_TOOL;
    json_t *request = json_pack("{s:s,s:o}", "flush", "end", "list", list);
    if (ok)
        answer = ks_worker_send(&r->judge->oracle, "buffers", request, payloads, n_payloads);
    else
        json_decref(request);
    for (size_t i = 0; i < n_payloads; i++)
        free((void *)(uintptr_t)payloads[i].at);
    return answer;
}

// What the original itself makes of an output, as doubles.
static enum ks_answer look_narrow(const struct ks_wide_runs *r, size_t output, double *into)
{
    const struct ks_slot *slot = &r->vector->layout.slots[r->vector->outputs[output].slot];
    size_t size = ks_scalar_size(slot->elem.scalar);
    int64_t n = ks_vector_looks(r->vector, output);
    void *bytes = malloc((size_t)n * size + 1);
    KS_ASSERT(bytes != NULL);
    enum ks_answer answer = ks_vector_look(r->vector, output, &r->judge->oracle, size, bytes);
    for (int64_t i = 0; answer == KS_ANSWER_OK && i < n; i++)
        into[i] = ks_scalar_value(slot->elem.scalar, bytes, i);
    free(bytes);
    return answer;
}

enum ks_answer ks_wide_run(struct ks_wide_runs *r, uint64_t nudge, double **into, bool *same)
{
    uint64_t addresses[KS_LAUNCH_SLOTS];
    enum ks_answer answer = place(r, nudge);
    if (answer == KS_ANSWER_OK)
        answer = ks_vector_placed(r->vector, &r->judge->oracle, addresses);
    return answer == KS_ANSWER_OK ? ks_wide_again(r, nudge, into, same) : answer;
}

enum ks_answer ks_wide_again(struct ks_wide_runs *r, uint64_t nudge, double **into, bool *same)
{
    struct ks_vector *vector = r->vector;
    struct ks_worker *oracle = &r->judge->oracle;
    double us;
    enum ks_answer answer = ks_vector_run(oracle, r->plan, vector->poison[0], true, true, ks_run_limit_measuring(r->judge), &us);
    for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++) {
        const struct ks_slot *slot = &vector->layout.slots[vector->outputs[o].slot];
        bool whole = !ks_scalar_is_float(slot->elem.scalar);
        if (!ks_wide_takes(slot) && !(whole && nudge == 0 && !ks_wide_ends(vector)))
            continue;
        if (!whole) {
            answer = r->narrow ? look_narrow(r, o, into[o]) : ks_vector_look(vector, o, oracle, sizeof *into[o], into[o]);
            continue;
        }
        char *bytes = malloc((size_t)slot->bytes + 1);
        KS_ASSERT(bytes != NULL);
        answer = ks_worker_read(oracle, vector->outputs[o].slot, 0, bytes, (size_t)slot->bytes,
                                2 * ks_vector_seconds(vector));
        *same = *same && (answer != KS_ANSWER_OK ||
                          memcmp(bytes, vector->outputs[o].expected[0], (size_t)slot->bytes) == 0);
        free(bytes);
    }
    return answer;
}

void ks_wide_join_part(void *context, size_t part, int64_t first, int64_t count)
{
    const struct ks_wide_joining *j = context;
    (void)part;
    for (int64_t i = first; i < first + count; i++) {
        double change = fabs(j->moved[i] - j->value[i]) / j->move;
        if (!(change <= j->change[i]))
            j->change[i] = change;
    }
}

struct bending {
    const double *value, *there, *back;
    const double *change;
    unsigned char *shape; // KS_WIDE_UNMOVED at first
};

// A choice changes by all of it or by nothing, on one side or on both; what is smooth by half as much the other way.
static void bend_part(void *context, size_t part, int64_t first, int64_t count)
{
    const struct bending *b = context;
    (void)part;
    for (int64_t i = first; i < first + count; i++) {
        double there = b->there[i] - b->value[i], back = b->back[i] - b->value[i];
        double most = b->change[i] * KS_FILL_MOVE;
        if (!(fabs(back + there / 2) <= STRAIGHT * (fabs(there) + STILL * most)))
            b->shape[i] = KS_WIDE_BENDS;
        else if (b->shape[i] == KS_WIDE_UNMOVED && fabs(there) >= STIRS * most)
            b->shape[i] = KS_WIDE_SMOOTH;
    }
}

// Lanes that small moves change a lot: whether they are choices. NULL where there are none.
static enum ks_answer find_shapes(struct ks_wide_runs *r, double inputs, double *const *value, double **there, double *const *change,
                                  unsigned char **shape, bool *same)
{
    struct ks_vector *vector = r->vector;
    double *back[KS_LAUNCH_SLOTS] = {NULL};
    enum ks_answer answer = KS_ANSWER_OK;
    bool any = false;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        int64_t n = value[o] != NULL ? ks_vector_looks(vector, o) : 0;
        struct ks_reference reference = {.typical = ks_reference_typical(value[o], n), .inputs = inputs};
        bool some = false;
        for (int64_t i = 0; !some && i < n; i++)
            some = ks_wide_jumps(&reference, change[o][i], fabs(value[o][i])) &&
                   ks_wide_is_steep(&reference, change[o][i], fabs(value[o][i]));
        any = any || some;
    }
    for (size_t o = 0; any && o < vector->n_outputs; o++) {
        if (value[o] == NULL)
            continue;
        size_t n = (size_t)ks_vector_looks(vector, o);
        back[o] = malloc((n + 1) * sizeof *back[o]);
        shape[o] = malloc(n + 1);
        KS_ASSERT(back[o] != NULL && shape[o] != NULL);
        memset(shape[o], KS_WIDE_UNMOVED, n);
    }
    for (int pair = 0; any && answer == KS_ANSWER_OK && *same && pair < PAIRS; pair++) {
        // All alike first: of hundreds of elements some stand still in two throws.
        uint64_t pattern = pair == 0 ? KS_FILL_ALIKE : ks_rng_next(&r->judge->rng) % KS_FILL_PATTERNS | 2;
        answer = ks_wide_run(r, pattern, there, same);
        if (answer == KS_ANSWER_OK)
            answer = ks_wide_run(r, pattern | KS_FILL_BACK, back, same);
        for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++)
            if (value[o] != NULL)
                ks_parallel(ks_vector_looks(vector, o), bend_part,
                            &(struct bending){value[o], there[o], back[o], change[o], shape[o]});
    }
    for (size_t o = 0; o < vector->n_outputs; o++)
        free(back[o]);
    return answer;
}

// Whether values of both signs are among an output's: sums of squares, of exponentials and the like have one alone.
static bool of_either_sign(const struct ks_reference *reference, int64_t n)
{
    bool above = false, below = false;
    for (int64_t i = 0; i < n && !(above && below); i++) {
        above |= reference->value[i] > 0;
        below |= reference->value[i] < 0;
    }
    return above && below;
}

static enum ks_answer evaluate(struct ks_wide_runs *r, bool *same)
{
    struct ks_vector *vector = r->vector;
    double *value[KS_LAUNCH_SLOTS] = {NULL}, *moved[KS_LAUNCH_SLOTS] = {NULL};
    double *change[KS_LAUNCH_SLOTS] = {NULL};
    float *shaken[KS_LAUNCH_SLOTS] = {NULL};
    unsigned char *shape[KS_LAUNCH_SLOTS] = {NULL};
    // Sums of products have terms, unless a limit cuts the sum of these as well.
    const double sum = r->judge->arith.kind == KS_ARITH_MULADD && !r->judge->arith.clips ? 0 : ks_judge_tolerance(r->judge).sum;
    int moves = vector->thrown ? MOVES_THROWN : ks_problem_bytes(&vector->problem) > KS_FEW_MOVES_BYTES ? MOVES_BIG : MOVES;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        const struct ks_slot *slot = &vector->layout.slots[vector->outputs[o].slot];
        if (!ks_wide_takes(slot))
            continue;
        size_t n = (size_t)ks_vector_looks(vector, o);
        value[o] = malloc((n + 1) * sizeof *value[o]);
        moved[o] = malloc((n + 1) * sizeof *moved[o]);
        change[o] = calloc(n + 1, sizeof *change[o]);
        KS_ASSERT(value[o] != NULL && moved[o] != NULL && change[o] != NULL);
    }
    *same = true;
    enum ks_answer answer = ks_wide_run(r, 0, value, same);
    for (int m = 0; answer == KS_ANSWER_OK && *same && m < moves; m++) {
        // All alike first: a sum of terms of one sign errs by more than throws of signs move it.
        answer = ks_wide_run(r, m == 0 ? KS_FILL_ALIKE : ks_rng_next(&r->judge->rng) % KS_FILL_PATTERNS | 2, moved, same);
        for (size_t o = 0; answer == KS_ANSWER_OK && o < vector->n_outputs; o++)
            if (value[o] != NULL)
                ks_parallel(ks_vector_looks(vector, o), ks_wide_join_part,
                            &(struct ks_wide_joining){value[o], moved[o], KS_FILL_MOVE, change[o]});
    }
    double inputs = ks_wide_inputs(vector);
    if (answer == KS_ANSWER_OK && *same && sum > 0)
        answer = ks_wide_reach(r, sum, inputs, value, moved, change, same);
    if (answer == KS_ANSWER_OK && *same)
        answer = find_shapes(r, inputs, value, moved, change, shape, same);
    bool kinds = r->judge->arith.products && vector->family == KS_FAMILY_SPECIAL;
    if (answer == KS_ANSWER_OK && *same && kinds)
        answer = ks_wide_run(r, KS_FILL_UNITS, moved, same);
    bool strays = false;
    for (size_t o = 0; answer == KS_ANSWER_OK && *same && r->judge->arith.kind == KS_ARITH_OTHER && o < vector->n_outputs; o++)
        strays = strays || (value[o] != NULL && ks_wide_strays(vector, o, inputs, value[o], change[o], shape[o]));
    if (strays) {
        vector->shaken = true;
        answer = ks_wide_shake(r, value, shaken);
    }
    // Each output for itself: another one may play with bits.
    bool agrees = *same;
    for (size_t o = 0; answer == KS_ANSWER_OK && agrees && o < vector->n_outputs; o++)
        if (value[o] != NULL &&
            (r->judge->arith.products
                 ? ks_wide_weigh_product(vector, o, value[o], change[o], kinds ? moved[o] : NULL)
                 : ks_wide_weigh(vector, o, r->judge->arith.kind == KS_ARITH_MULADD, inputs, sum, value[o], change[o], shape[o], shaken[o]))) {
            value[o] = change[o] = NULL, shaken[o] = NULL; // the output's now
            vector->outputs[o].reference.either = r->judge->arith.joins && of_either_sign(&vector->outputs[o].reference, ks_vector_looks(vector, o));
        } else if (value[o] != NULL)
            *same = false;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        free(value[o]);
        free(moved[o]);
        free(change[o]);
        free(shape[o]);
        free(shaken[o]);
    }
    return answer;
}

enum ks_status ks_wide_vector(struct ks_judge *judge, struct ks_arena *arena,
                              struct ks_vector *vector, struct ks_err *err)
{
    bool ready, same;
    int64_t most = judge->device.smem_optin > 0 ? judge->device.smem_optin : 48 << 10;
    // What is computed in 16 bits has errors that no order of the same work explains.
    if (!one_type(vector) || vector->problem.shared * UNIT_SHARED > most || judge->arith.u > KS_WIDE_U)
        return KS_OK;
    KS_TRY(ks_wide_ready(judge, &ready, err));
    if (ready && !structs_fit(judge, vector))
        ks_judge_note(judge, "not evaluated in double: how a struct lies there is not known");
    if (!ready || !structs_fit(judge, vector))
        return KS_OK;
    judge->oracle_holds = 0;
    struct ks_wide_runs r = {.judge = judge, .arena = arena, .vector = vector, .plan = ks_wide_plan(judge, vector)};
    enum ks_answer answer = vector->family == KS_FAMILY_ODD ? ks_wide_odd(&r, &same) : evaluate(&r, &same);
    json_decref(r.plan);
    switch (answer) {
    case KS_ANSWER_OK:
        vector->differs = !same;
        if (!same)
            ks_judge_note(judge, "%s, family %s: differs in double from the original", vector->problem.name,
                          ks_family_name(vector->family));
        return KS_OK;
    case KS_ANSWER_TOOL:
    case KS_ANSWER_INTERRUPTED:
        return ks_answer_status(&judge->oracle, answer, "the oracle", err);
    case KS_ANSWER_LAUNCH:
    case KS_ANSWER_LIMIT:
        ks_judge_note(judge, "%s: not evaluated in double: %.100s", vector->problem.name,
                      judge->oracle.text);
        return KS_OK;
    default: // it faults or hangs: never again in this session
        judge->wide.absent = ks_arena_printf(judge->arena, "%s: %.150s", ks_answer_name(answer),
                                             judge->oracle.text);
        ks_judge_note(judge, "not evaluated in double: %.150s", judge->wide.absent);
        ks_worker_stop(&judge->oracle);
        return KS_OK;
    }
}
