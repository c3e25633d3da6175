#include "verify/brink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify/vary.h"

#define MOST_ELEMENTS 4096 // of which each is halved on, all at once
#define MOST_BYTES (1 << 20)
#define MOST_TOGETHER 64   // elements that one of the other array's is made of
#define MOST_ROUNDS 8      // so many of those, in turn
#define FAR 40             // powers of two: some begin between a number and one so much larger

// Whole numbers, one for each of `lanes` elements, or for as many side by side; or several for each.
static bool is_counted(const struct ks_arg *arg, int64_t lanes)
{
    const int64_t own = arg->count * arg->elem.lanes, more = own > lanes ? own : lanes, less = own > lanes ? lanes : own;
    return arg->kind == KS_ARG_BUFFER && arg->role != KS_ROLE_IN && !ks_scalar_is_float(arg->elem.scalar) &&
           arg->elem.scalar != KS_T_NONE && less > 0 && more % less == 0 && more / less <= MOST_TOGETHER;
}

bool ks_brink_has(const struct ks_judge *judge, const struct ks_problem *problem, size_t arg)
{
    const struct ks_arg *x = &problem->args[arg];
    const bool turns = ks_arg_is_float_input(x) || (ks_arg_has_range(x) && ks_scalar_size(x->elem.scalar) > 1); // all bytes come anyway
    const bool is = turns && x->role == KS_ROLE_IN && x->alias_of < 0;
    const int64_t lanes = is ? x->count * x->elem.lanes : 0;
    const bool exact = judge->arith.kind == KS_ARITH_NONE || !judge->arith.joins;
    bool counted = false;
    for (size_t i = 0; i < problem->n_args; i++)
        counted = counted || is_counted(&problem->args[i], lanes);
    return counted && exact && lanes <= MOST_ELEMENTS && ks_problem_bytes(problem) <= MOST_BYTES;
}

struct brinks {
    struct ks_judge *judge;
    struct ks_vector *vector;
    enum ks_scalar scalar;
    size_t size;        // of an element, in bytes
    bool open;          // integers of which nothing is declared
    int64_t n, together; // of so many side by side, of which one answer is made, one at a time is halved on
    int64_t round;      // which one
    uint64_t *one, *other; // numbers by their order, whose answers differ once both are known
    uint64_t *answer;   // to `one`
    uint64_t *got;      // to what was run last
};

// What is added to or taken from bits, that numbers lie in the order of their values.
static uint64_t flipped(const struct brinks *b, bool negative)
{
    const uint64_t sign = UINT64_C(1) << (8 * b->size - 1), all = sign - 1 + sign;
    if (ks_scalar_is_float(b->scalar))
        return negative ? all : sign;
    return ks_scalar_is_signed(b->scalar) ? sign : 0;
}

static uint64_t ordered(const struct brinks *b, const unsigned char *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, b->size);
    return bits ^ flipped(b, bits >> (8 * b->size - 1) != 0);
}

static void put(const struct brinks *b, unsigned char *at, uint64_t order)
{
    const uint64_t bits = order ^ flipped(b, order >> (8 * b->size - 1) == 0);
    memcpy(at, &bits, b->size);
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
        const int64_t lanes = slot->count * slot->elem.lanes, most = lanes > b->n ? lanes : b->n;
        for (int64_t i = 0; ok && i < most; i++) {
            uint64_t value = 0, *got = &b->got[i / (most / b->n)];
            memcpy(&value, bytes + (size_t)(i / (most / lanes)) * size, size);
            *got = ks_hash_counter(*got, value);
        }
        free(bytes);
    }
    return ok;
}

// An integer of any length: most of those drawn evenly lie where a result is at its limit.
static void put_length(const struct brinks *b, unsigned char *at, uint64_t chance)
{
    const uint64_t value = (chance >> 8 | UINT64_C(1) << 56) >> (56 - (chance >> 1) % (8 * b->size));
    const uint64_t either = chance & 1 ? -value : value;
    memcpy(at, &either, b->size); // little endian
}

// Another element, or a far larger or smaller number of either sign; of integers with a declared range another element.
static void put_away(const struct brinks *b, unsigned char *at, const unsigned char *drawn, int64_t i)
{
    const uint64_t chance = ks_hash_counter(b->vector->seed, (uint64_t)i);
    const int64_t another = (int64_t)(chance >> 8) % b->n;
    const int power = chance & 1 ? 0 : (int)(chance >> 3 & 31) * FAR / 31 - FAR / 2;
    const double value = ks_scalar_value(b->scalar, drawn, another);
    if (ks_scalar_is_float(b->scalar))
        ks_scalar_put(b->scalar, at, ldexp(chance & 2 ? -value : value, power));
    else if (b->open)
        put_length(b, at, chance);
    else
        memcpy(at, drawn + (size_t)another * b->size, b->size);
}

static bool is_halved(const struct brinks *b, int64_t i)
{
    const uint64_t group = (uint64_t)(i / b->together), chance = ks_hash_counter(b->vector->seed, (uint64_t)b->n + group);
    return (uint64_t)(i % b->together) == (chance + (uint64_t)b->round) % (uint64_t)b->together;
}

// Whether any element has two numbers between which its answer turns; those that have none keep what is there.
static bool begin(struct brinks *b)
{
    unsigned char *near = b->vector->brinks, *far = malloc((size_t)b->n * b->size);
    KS_ASSERT(far != NULL);
    for (int64_t i = 0; i < b->n; i++)
        put_away(b, far + (size_t)i * b->size, near, i);
    for (int64_t i = 0; b->open && b->round == 0 && i < b->n; i++)
        put_length(b, near + (size_t)i * b->size, ks_hash_counter(~b->vector->seed, (uint64_t)i));
    for (int64_t i = 0; i < b->n; i++)
        if (!is_halved(b, i))
            memcpy(far + (size_t)i * b->size, near + (size_t)i * b->size, b->size);
    bool ok = run(b), any = false;
    memcpy(b->answer, b->got, (size_t)b->n * sizeof *b->got);
    for (int64_t i = 0; i < b->n; i++) {
        b->one[i] = ordered(b, near + (size_t)i * b->size);
        b->other[i] = ordered(b, far + (size_t)i * b->size);
    }
    memcpy(near, far, (size_t)b->n * b->size);
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
        put(b, (unsigned char *)b->vector->brinks + (size_t)i * b->size, middle(b->one[i], b->other[i]));
    if (!run(b))
        return false;
    for (int64_t i = 0; i < b->n; i++)
        *(b->got[i] == b->answer[i] ? &b->one[i] : &b->other[i]) = middle(b->one[i], b->other[i]);
    return true;
}

// The most of which one whole number is made.
static int64_t together(const struct ks_problem *problem, int64_t n)
{
    int64_t most = 1;
    for (size_t i = 0; i < problem->n_args; i++) {
        const int64_t lanes = is_counted(&problem->args[i], n) ? problem->args[i].count * problem->args[i].elem.lanes : n;
        most = n / lanes > most ? n / lanes : most;
    }
    return most;
}

void ks_brink_find(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector)
{
    const struct ks_slot *slot = &vector->layout.slots[vector->brink - 1];
    const int64_t n = slot->count * slot->elem.lanes;
    struct brinks b = {.judge = judge, .vector = vector, .scalar = slot->elem.scalar, .size = ks_scalar_size(slot->elem.scalar),
                       .open = ks_arg_is_open(&vector->problem.args[slot->arg]), .n = n,
                       .together = together(&vector->problem, n), .one = KS_NEW_ARRAY(arena, uint64_t, (size_t)n), .other = KS_NEW_ARRAY(arena, uint64_t, (size_t)n),
                       .answer = KS_NEW_ARRAY(arena, uint64_t, (size_t)n), .got = KS_NEW_ARRAY(arena, uint64_t, (size_t)n)};
    unsigned char *values = KS_NEW_ARRAY(arena, unsigned char, (size_t)slot->bytes + 1);
    bool ok = ks_vector_slot_bytes(vector, vector->brink - 1, KS_CONTENTS_PLAIN, 0, values);
    vector->brinks = ks_arena_memdup(arena, values, (size_t)slot->bytes + 1);
    for (b.round = 0; ok && b.round < b.together && b.round < MOST_ROUNDS; b.round++) {
        ok = begin(&b);
        for (size_t bit = 0; ok && bit < 8 * b.size; bit++)
            ok = halve(&b);
        for (int64_t i = 0; ok && i < n; i++)
            put(&b, values + (size_t)i * b.size, (i / b.together + b.round) % 2 == 0 ? b.one[i] : b.other[i]);
        memcpy(vector->brinks, values, (size_t)slot->bytes);
    }
}
