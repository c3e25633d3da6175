#include "verify/brink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ELEMENTS 4096 // of which each is halved on, all at once
#define MOST_BYTES (1 << 20)
#define FAR 40             // powers of two: some begin between a number and one so much larger

static bool is_counted(const struct ks_arg *arg, int64_t lanes)
{
    return arg->kind == KS_ARG_BUFFER && arg->role != KS_ROLE_IN && !ks_scalar_is_float(arg->elem.scalar) &&
           arg->elem.scalar != KS_T_NONE && arg->count * arg->elem.lanes == lanes;
}

bool ks_brink_has(const struct ks_judge *judge, const struct ks_problem *problem, size_t arg)
{
    const struct ks_arg *x = &problem->args[arg];
    const bool is = x->kind == KS_ARG_BUFFER && x->role == KS_ROLE_IN && ks_scalar_is_float(x->elem.scalar) && x->alias_of < 0;
    const int64_t lanes = is ? x->count * x->elem.lanes : 0;
    bool counted = false;
    for (size_t i = 0; i < problem->n_args; i++)
        counted = counted || is_counted(&problem->args[i], lanes);
    return counted && lanes <= MOST_ELEMENTS && ks_problem_bytes(problem) <= MOST_BYTES && !judge->arith.joins;
}

struct brinks {
    struct ks_judge *judge;
    struct ks_vector *vector;
    size_t size;        // of an element, in bytes
    int64_t n;
    uint64_t *one, *other; // numbers by their order, whose answers differ once both are known
    uint64_t *answer;   // to `one`
    uint64_t *got;      // to what was run last
};

// Floats in the order of their values.
static uint64_t ordered(const unsigned char *at, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, at, size);
    const uint64_t sign = UINT64_C(1) << (8 * size - 1), all = sign - 1 + sign;
    return bits & sign ? ~bits & all : bits | sign;
}

static void put(unsigned char *at, size_t size, uint64_t order)
{
    const uint64_t sign = UINT64_C(1) << (8 * size - 1), all = sign - 1 + sign;
    const uint64_t bits = order & sign ? order ^ sign : ~order & all;
    memcpy(at, &bits, size);
}

static uint64_t middle(uint64_t a, uint64_t b)
{
    return a < b ? a + (b - a) / 2 : b + (a - b) / 2;
}

// Of each element what the original makes of it, all outputs of whole numbers together.
static bool run(struct brinks *b)
{
    struct ks_vector *v = b->vector;
    bool ok = ks_vector_run_original(b->judge, v, ks_run_limit(b->judge)) == KS_ANSWER_OK;
    if (!ok)
        ks_worker_stop(&b->judge->oracle);
    memset(b->got, 0, (size_t)b->n * sizeof *b->got);
    for (size_t o = 0; ok && o < v->n_outputs; o++) {
        const struct ks_slot *slot = &v->layout.slots[v->outputs[o].slot];
        if (!is_counted(&v->problem.args[slot->arg], b->n))
            continue;
        unsigned char *bytes = malloc((size_t)slot->bytes + 1);
        KS_ASSERT(bytes != NULL);
        const size_t size = ks_scalar_size(slot->elem.scalar);
        ok = ks_worker_read(&b->judge->oracle, v->outputs[o].slot, 0, bytes, (size_t)slot->bytes,
                            ks_vector_seconds(v)) == KS_ANSWER_OK;
        for (int64_t i = 0; ok && i < b->n; i++) {
            uint64_t value = 0;
            memcpy(&value, bytes + (size_t)i * size, size);
            b->got[i] = ks_hash_counter(b->got[i], value);
        }
        free(bytes);
    }
    return ok;
}

// Another element, or a far larger or smaller number of either sign.
static double away(const struct brinks *b, enum ks_scalar scalar, const unsigned char *drawn, int64_t i)
{
    const uint64_t chance = ks_hash_counter(b->vector->seed, (uint64_t)i);
    const double value = ks_scalar_value(scalar, drawn, (int64_t)(chance >> 8) % b->n);
    const int power = chance & 1 ? 0 : (int)(chance >> 3 & 31) * FAR / 31 - FAR / 2;
    return ldexp(chance & 2 ? -value : value, power);
}

// Whether any element has two numbers between which its answer turns; those that have none keep what was drawn.
static bool begin(struct brinks *b, unsigned char *drawn)
{
    const enum ks_scalar scalar = b->vector->layout.slots[b->vector->brink - 1].elem.scalar;
    unsigned char *far = malloc((size_t)b->n * b->size);
    KS_ASSERT(far != NULL);
    for (int64_t i = 0; i < b->n; i++)
        ks_scalar_put(scalar, far + (size_t)i * b->size, away(b, scalar, drawn, i));
    bool ok = run(b), any = false;
    memcpy(b->answer, b->got, (size_t)b->n * sizeof *b->got);
    for (int64_t i = 0; i < b->n; i++) {
        b->one[i] = ordered(drawn + (size_t)i * b->size, b->size);
        b->other[i] = ordered(far + (size_t)i * b->size, b->size);
    }
    memcpy(b->vector->brinks, far, (size_t)b->n * b->size);
    ok = ok && run(b);
    for (int64_t i = 0; ok && i < b->n; i++) {
        any = any || b->got[i] != b->answer[i];
        b->other[i] = b->got[i] != b->answer[i] ? b->other[i] : b->one[i];
    }
    free(far);
    return ok && any;
}

static bool halve(struct brinks *b)
{
    for (int64_t i = 0; i < b->n; i++)
        put((unsigned char *)b->vector->brinks + (size_t)i * b->size, b->size, middle(b->one[i], b->other[i]));
    if (!run(b))
        return false;
    for (int64_t i = 0; i < b->n; i++)
        *(b->got[i] == b->answer[i] ? &b->one[i] : &b->other[i]) = middle(b->one[i], b->other[i]);
    return true;
}

void ks_brink_find(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector)
{
    const struct ks_slot *slot = &vector->layout.slots[vector->brink - 1];
    const int64_t n = slot->count * slot->elem.lanes;
    struct brinks b = {.judge = judge, .vector = vector, .size = ks_scalar_size(slot->elem.scalar), .n = n,
                       .one = KS_NEW_ARRAY(arena, uint64_t, (size_t)n), .other = KS_NEW_ARRAY(arena, uint64_t, (size_t)n),
                       .answer = KS_NEW_ARRAY(arena, uint64_t, (size_t)n), .got = KS_NEW_ARRAY(arena, uint64_t, (size_t)n)};
    unsigned char *drawn = KS_NEW_ARRAY(arena, unsigned char, (size_t)slot->bytes + 1);
    bool ok = ks_vector_slot_bytes(vector, vector->brink - 1, KS_CONTENTS_PLAIN, 0, drawn);
    vector->brinks = ks_arena_memdup(arena, drawn, (size_t)slot->bytes + 1);
    ok = ok && begin(&b, drawn);
    for (size_t bit = 0; ok && bit < 8 * b.size; bit++)
        ok = halve(&b);
    memcpy(vector->brinks, drawn, (size_t)slot->bytes);
    for (int64_t i = 0; ok && i < n; i++)
        put((unsigned char *)vector->brinks + (size_t)i * b.size, b.size, i % 2 == 0 ? b.one[i] : b.other[i]);
}
