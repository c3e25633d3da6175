// Comparison of a candidate's output with a vector, and whether the vector could have caught a wrong
// one; declared in verify/vector.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/parallel.h"
#include "verify/vector.h"

// What the vacuity check looks at: what is rejected on a part is rejected on the whole.
#define SAMPLE_CHUNK 4096
#define FEW_LANES 4096 // of a sample: enough to reject most wrong answers
#define MOVED 0.125 // of its size
#define SAMPLE_CHUNKS (KS_SAMPLE_LANES / SAMPLE_CHUNK)

int64_t ks_sample_count(int64_t all)
{
    return all < KS_SAMPLE_LANES ? all : KS_SAMPLE_LANES;
}

int64_t ks_sample_lane(int64_t all, int64_t i)
{
    return all <= KS_SAMPLE_LANES
               ? i
               : (i / SAMPLE_CHUNK) * ((all - SAMPLE_CHUNK) / (SAMPLE_CHUNKS - 1)) +
                     i % SAMPLE_CHUNK;
}

int64_t *ks_sample_lanes(int64_t all)
{
    int64_t n = ks_sample_count(all), *lanes = malloc(((size_t)n + 1) * sizeof *lanes);
    KS_ASSERT(lanes != NULL);
    for (int64_t i = 0; i < n; i++)
        lanes[i] = ks_sample_lane(all, i);
    return lanes;
}

bool ks_sample_has(int64_t all, int64_t lane)
{
    if (all <= KS_SAMPLE_LANES)
        return true;
    int64_t step = (all - SAMPLE_CHUNK) / (SAMPLE_CHUNKS - 1), chunk = lane / step;
    if (chunk >= SAMPLE_CHUNKS)
        chunk = SAMPLE_CHUNKS - 1;
    return lane - chunk * step < SAMPLE_CHUNK;
}

// Scalars that are no whole numbers (or that we cannot read) spoil the exactness of products.
static bool whole_scalars(const struct ks_vector *vector)
{
    for (size_t i = 0; i < vector->problem.n_args; i++) {
        const struct ks_arg *arg = &vector->problem.args[i];
        int64_t integer;
        if (arg->kind == KS_ARG_STRUCT)
            return false;
        if (arg->kind != KS_ARG_SCALAR || ks_arg_is_null(arg) || ks_arg_integer(arg, &integer))
            continue;
        double value = ks_scalar_value(arg->type.elem.scalar, arg->bytes, 0);
        if (arg->type.elem.lanes != 1 || !ks_scalar_is_float(arg->type.elem.scalar) ||
            !(fabs(value) <= 4096) || value != nearbyint(value))
            return false;
    }
    return true;
}

// What is asked of the lanes of an output one by one.
struct demands {
    const unsigned char *written; // NULL: nothing more of what is not
    const float *exact;           // where partial sums of whole numbers stay below 2^24, every order of summation is
                                  // exact in fp32; NULL: they are no such numbers
    unsigned char *mask;
};

static bool demands_of(const struct ks_judge *judge, const struct ks_vector *vector, const struct ks_output *output,
                       struct demands *d)
{
    bool probe = ks_judge_defends(judge, KS_D_EXACT_PROBE) && vector->family == KS_FAMILY_EXACT &&
                 judge->arith.whole_numbers && judge->arith.u <= 0x1p-24 && vector->deterministic &&
                 whole_scalars(vector);
    *d = (struct demands){.written = ks_judge_defends(judge, KS_D_UNWRITTEN) ? output->mask : NULL,
                          .exact = probe ? output->scale : NULL};
    return d->written != NULL || d->exact != NULL;
}

static unsigned char demand(const struct demands *d, int64_t lane)
{
    return d->written != NULL && !d->written[lane]           ? KS_LANE_BITS
           : d->exact != NULL && d->exact[lane] < 0x1p24f ? KS_LANE_EXACT
                                                              : KS_LANE_CLOSE;
}

static void demand_part(void *context, size_t part, int64_t first, int64_t count)
{
    const struct demands *d = context;
    (void)part;
    for (int64_t i = first; i < first + count; i++)
        d->mask[i] = demand(d, i);
}

static unsigned char *comparison_mask(const struct ks_judge *judge, const struct ks_vector *vector,
                                      const struct ks_output *output, int64_t lanes)
{
    struct demands d;
    if (!demands_of(judge, vector, output, &d))
        return NULL;
    d.mask = malloc((size_t)lanes + 1);
    KS_ASSERT(d.mask != NULL);
    ks_parallel(lanes, demand_part, &d);
    return d.mask;
}

// The sums of absolute terms, with what tensor cores cut.
struct cutting {
    enum ks_scalar scalar;
    const void *want;
    const struct ks_output *output;
    float *scale;
};

static void cut_part(void *context, size_t part, int64_t first, int64_t count)
{
    const struct cutting *c = context;
    (void)part;
    for (int64_t i = first; i < first + count; i++) {
        double value = ks_scalar_value(c->scalar, c->want, i);
        c->scale[i] = c->output->scale[i] + (isfinite(value) ? ks_compare_cut(c->output->terms[i], value) : 0);
    }
}

void ks_vector_compare(const struct ks_judge *judge, const struct ks_vector *vector, size_t output,
                       const void *got, int poison, struct ks_lanes *bad,
                       struct ks_comparison *comparison)
{
    const struct ks_output *out = &vector->outputs[output];
    const struct ks_slot *slot = &vector->layout.slots[out->slot];
    struct ks_tolerance tolerance = ks_judge_tolerance(judge);
    const void *expected = poison == 1 && out->expected[1] != NULL ? out->expected[1] : out->expected[0];
    int64_t lanes = slot->count * slot->elem.lanes;
    unsigned char *mask = comparison_mask(judge, vector, out, lanes);
    const void *want = expected;
    void *copy = NULL;
    if (out->mask != NULL && !ks_judge_defends(judge, KS_D_UNWRITTEN)) {
        // Weakened on purpose: unwritten elements are whatever the candidate has there.
        size_t size = ks_scalar_size(slot->elem.scalar);
        want = copy = malloc((size_t)slot->bytes + 1);
        KS_ASSERT(copy != NULL);
        memcpy(copy, expected, (size_t)slot->bytes);
        for (int64_t i = 0; i < lanes; i++)
            if (!out->mask[i])
                memcpy((char *)copy + (size_t)i * size, (const char *)got + (size_t)i * size, size);
    }
    float *cut = judge->cuts && out->scale != NULL && out->terms != NULL ? malloc((size_t)lanes * sizeof *cut) : NULL;
    if (cut != NULL)
        ks_parallel(lanes, cut_part, &(struct cutting){slot->elem.scalar, want, out, cut});
    ks_compare_to(&tolerance, slot->elem, want, got, slot->count, cut != NULL ? cut : out->scale, out->sums, out->noise, mask,
                  out->reference.value != NULL ? &out->reference : NULL, bad, comparison);
    free(cut);
    free(mask);
    free(copy);
}

enum probe {
    PROBE_ZERO, PROBE_ONE, PROBE_MEAN, PROBE_PLACE, PROBE_MOVED, PROBE_NARROW, PROBE_HALF, PROBE_SINGLE, PROBE_POISON,
    PROBE_INPUT, PROBES
};
static const char *const probe_text[PROBES] = {
    "all zeros", "all ones", "the mean everywhere", "each element a place further on", "one element moved", "bfloat16 precision", "half precision",
    "single precision", "unwritten memory", "a copied input",
};

// A sample of one output: element-aligned chunks side by side.
struct sample {
    struct ks_elem elem;   // one lane
    size_t size;
    int64_t lanes;
    void *want, *fake;
    void *before;          // what is wanted of the lane before each, its own where that is not here or not written
    bool neighbours;       // some have another one's there
    float *scale, *sums;
    struct ks_reference reference; // value NULL: none
    unsigned char *mask;
    int64_t *index;        // lane of each sampled one
    unsigned char *written;
};

// What is wanted of a lane of the even sample.
static const char *wanted(const struct ks_output *output, int64_t all, int64_t sampled, size_t size)
{
    return output->expected[0] != NULL ? (const char *)output->expected[0] + (size_t)ks_sample_lane(all, sampled) * size
                                       : (const char *)output->sample + (size_t)sampled * size;
}

static void take_before(struct sample *s, const struct ks_output *output, int64_t all, int64_t i, int64_t sampled)
{
    bool here = sampled > 0 && ks_sample_lane(all, sampled - 1) == s->index[i] - 1 && s->written[i] &&
                (output->mask == NULL || output->mask[s->index[i] - 1]);
    memcpy((char *)s->before + (size_t)i * s->size, wanted(output, all, here ? sampled - 1 : sampled, s->size), s->size);
    s->neighbours = s->neighbours || here;
}

// Of the even sample every so many lanes, at most `most`.
static struct sample take_sample(const struct ks_judge *judge, const struct ks_vector *vector,
                                 const struct ks_output *output, int64_t most)
{
    const struct ks_slot *slot = &vector->layout.slots[output->slot];
    int64_t all = slot->count * slot->elem.lanes;
    struct sample s = {.elem = slot->elem, .size = ks_scalar_size(slot->elem.scalar)};
    s.elem.lanes = 1;
    int64_t sampled = ks_sample_count(all), step = 1 + (sampled - 1) / most;
    s.lanes = (sampled + step - 1) / step;
    size_t n = (size_t)s.lanes;
    s.want = malloc(n * s.size + 1);
    s.fake = malloc(n * s.size + 1);
    s.before = malloc(n * s.size + 1);
    s.index = malloc((n + 1) * sizeof *s.index);
    s.written = malloc(n + 1);
    s.scale = output->scale != NULL ? malloc((n + 1) * sizeof(float)) : NULL;
    s.sums = output->sums != NULL ? malloc((n + 1) * sizeof(float)) : NULL;
    double *value = output->reference.value != NULL ? malloc((n + 1) * sizeof(double)) : NULL;
    double *condition = value != NULL ? malloc((n + 1) * sizeof *condition) : NULL;
    float *own = value != NULL ? malloc((n + 1) * sizeof(float)) : NULL;
    float *terms = value != NULL && output->reference.terms != NULL ? malloc((n + 1) * sizeof(float)) : NULL;
    float *shaken = value != NULL && output->reference.shaken != NULL ? malloc((n + 1) * sizeof(float)) : NULL;
    struct ks_nearby *nearby = value != NULL && output->reference.nearby != NULL ? malloc((n + 1) * sizeof *nearby) : NULL;
    s.reference = output->reference; // of other lanes
    s.reference.value = value;
    s.reference.scale = condition;
    s.reference.own = own;
    s.reference.terms = terms;
    s.reference.lanes = NULL;
    s.reference.n_lanes = 0;
    s.reference.others = 0;
    s.reference.nearby = nearby;
    s.reference.shaken = shaken;
    struct demands demands;
    s.mask = demands_of(judge, vector, output, &demands) ? malloc(n + 1) : NULL;
    KS_ASSERT(s.want != NULL && s.fake != NULL && s.before != NULL && s.index != NULL && s.written != NULL);
    for (int64_t i = 0; i < s.lanes; i++) {
        int64_t at = ks_sample_lane(all, i * step);
        s.index[i] = at;
        s.written[i] = output->mask == NULL || output->mask[at];
        memcpy((char *)s.want + (size_t)i * s.size, wanted(output, all, i * step, s.size), s.size);
        take_before(&s, output, all, i, i * step);
        if (s.scale != NULL)
            s.scale[i] = output->scale[at];
        if (s.sums != NULL)
            s.sums[i] = output->sums[at];
        if (value != NULL) {
            int64_t known = ks_reference_at(&output->reference, at);
            KS_ASSERT(known >= 0); // a sample is always evaluated
            value[i] = output->reference.value[known];
            condition[i] = output->reference.scale[known];
            own[i] = output->reference.own[known];
            if (nearby != NULL)
                nearby[i] = output->reference.nearby[known];
            if (shaken != NULL)
                shaken[i] = output->reference.shaken[known];
        }
        if (terms != NULL)
            terms[i] = output->reference.terms[at];
        if (s.mask != NULL)
            s.mask[i] = demand(&demands, at);
    }
    return s;
}

static void free_sample(struct sample *s)
{
    free(s->want);
    free(s->fake);
    free(s->before);
    free(s->scale);
    free(s->sums);
    free((void *)(uintptr_t)s->reference.value);
    free((void *)(uintptr_t)s->reference.scale);
    free((void *)(uintptr_t)s->reference.own);
    free((void *)(uintptr_t)s->reference.terms);
    free((void *)(uintptr_t)s->reference.nearby);
    free((void *)(uintptr_t)s->reference.shaken);
    free(s->mask);
    free(s->index);
    free(s->written);
}

// One element by eight of the tolerances that a mark gives, or, where it is derived and differs from element to element, by
// an eighth of its size or what eight tolerances of a sum without signs are: the largest, which cancels least. Of
// integers one by its last bit.
static bool move_one(const struct ks_judge *judge, struct sample *s)
{
    const struct ks_tolerance tolerance = ks_judge_tolerance(judge);
    double largest = 0;
    int64_t at = -1;
    bool is_float = ks_scalar_is_float(s->elem.scalar);
    for (int64_t i = 0; i < s->lanes; i++) {
        double size = is_float ? fabs(ks_scalar_value(s->elem.scalar, s->want, i)) : 1;
        if (s->written[i] && isfinite(size) && size > largest)
            largest = size, at = i;
    }
    memcpy(s->fake, s->want, (size_t)s->lanes * s->size);
    if (at < 0 || tolerance.sum > 0)
        return false;
    char *to = (char *)s->fake + (size_t)at * s->size;
    if (!is_float) {
        *to ^= 1;
        return true;
    }
    double move = fmax(MOVED, 8 * ks_compare_factor() * judge->arith.u) * largest;
    if (tolerance.kind == KS_TOL_REL)
        move = 8 * (tolerance.rel * largest + tolerance.abs);
    if (tolerance.kind == KS_TOL_ULP)
        move = 8 * 2 * (double)tolerance.ulp * ks_compare_rounding(s->elem.scalar, largest);
    double value = ks_scalar_value(s->elem.scalar, s->want, at);
    ks_scalar_put(s->elem.scalar, to, value - copysign(move, value));
    return true;
}

// The wrong answer of one probe; false where it does not apply.
static bool fake_answer(const struct ks_judge *judge, const struct ks_vector *vector, enum probe probe, struct sample *s,
                        size_t input)
{
    if (probe == PROBE_PLACE) {
        memcpy(s->fake, s->before, (size_t)s->lanes * s->size);
        return s->neighbours;
    }
    if (probe == PROBE_MOVED)
        return move_one(judge, s);
    bool is_float = ks_scalar_is_float(s->elem.scalar);
    double mean = 0;
    int64_t finite = 0;
    if (probe == PROBE_MEAN) {
        for (int64_t i = 0; is_float && i < s->lanes; i++) {
            double v = ks_scalar_value(s->elem.scalar, s->want, i);
            if (isfinite(v))
                mean += v, finite++;
        }
        if (finite < 2)
            return false;
        mean /= (double)finite;
    }
    if ((probe == PROBE_NARROW || probe == PROBE_HALF) && s->elem.scalar != KS_T_F32 && s->elem.scalar != KS_T_F64)
        return false;
    if (probe == PROBE_SINGLE && s->elem.scalar != KS_T_F64)
        return false;
    for (int64_t i = 0; i < s->lanes; i++) {
        char *at = (char *)s->fake + (size_t)i * s->size;
        const char *want = (const char *)s->want + (size_t)i * s->size;
        switch (probe) {
        case PROBE_ZERO: ks_scalar_put(s->elem.scalar, at, 0); break;
        case PROBE_ONE: ks_scalar_put(s->elem.scalar, at, 1); break;
        case PROBE_MEAN: ks_scalar_put(s->elem.scalar, at, mean); break;
        case PROBE_NARROW: {
            double v = ks_scalar_value(s->elem.scalar, want, 0);
            ks_scalar_put(s->elem.scalar, at, (double)ks_bf16_to_f32(ks_f32_to_bf16((float)v)));
            break;
        }
        case PROBE_HALF: { // 11 bits, as TF32 has; exponents beyond fp16's stay
            float v = (float)ks_scalar_value(s->elem.scalar, want, 0), scaled = v * 4097.f;
            ks_scalar_put(s->elem.scalar, at, (double)(isfinite(scaled) ? scaled - (scaled - v) : v));
            break;
        }
        case PROBE_SINGLE:
            ks_scalar_put(s->elem.scalar, at, (double)(float)ks_scalar_value(s->elem.scalar, want, 0));
            break;
        case PROBE_POISON:
            memset(at, (int)(vector->poison[0] & 255), s->size);
            break;
        case PROBE_INPUT: {
            const struct ks_slot *slot = &vector->layout.slots[input];
            const struct ks_arg *arg = &vector->problem.args[slot->arg];
            int64_t lane = s->index[i], lanes = slot->filled * slot->elem.lanes;
            unsigned char element[64];
            if (lane >= lanes || slot->elem.size > sizeof element) {
                memcpy(at, want, s->size);
                break;
            }
            if (i == 0 || lane % slot->elem.lanes == 0 || s->index[i - 1] != lane - 1)
                ks_fill(element, slot->elem, &arg->init, vector->family,
                        ks_hash_counter(vector->seed, input) & INT64_MAX, slot->filled,
                        lane / slot->elem.lanes, 1);
            memcpy(at, element + (size_t)(lane % slot->elem.lanes) * s->size, s->size);
            break;
        }
        case PROBE_PLACE:
        case PROBE_MOVED:
        case PROBES: return false;
        }
        if (!s->written[i]) // a wrong answer is not wrong by what nobody writes
            memcpy(at, want, s->size);
    }
    return true;
}

static bool rejects(const struct ks_judge *judge, const struct ks_output *output,
                    const struct sample *s, bool bitwise)
{
    struct ks_tolerance tolerance =
        bitwise ? (struct ks_tolerance){.kind = KS_TOL_EXACT} : ks_judge_tolerance(judge);
    struct ks_comparison c;
    ks_compare_to(&tolerance, s->elem, s->want, s->fake, s->lanes, s->scale, s->sums, output->noise, s->mask,
                  s->reference.value != NULL ? &s->reference : NULL, NULL, &c);
    return c.bad > 0;
}

// Rounding to few bits shows only in ordinary values, under a tolerance of ours.
static bool shows_precision(const struct ks_judge *judge, const struct ks_vector *vector,
                            enum probe probe)
{
    bool in_double = false, of_double = judge->arith.kind == KS_ARITH_MULADD && judge->arith.u == 0x1p-53;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        const struct ks_reference *r = &vector->outputs[o].reference;
        in_double = in_double || r->value != NULL;
        of_double = of_double || (r->value != NULL && r->unit == 0x1p-53);
    }
    const struct ks_tolerance *tolerance = &judge->kernel->mark->mark->tolerance;
    if (tolerance->kind != KS_TOL_DERIVED || tolerance->sum > 0 ||
        vector->family == KS_FAMILY_POSITION || vector->family == KS_FAMILY_IMPULSE ||
        vector->family == KS_FAMILY_EXACT || vector->family == KS_FAMILY_SPECIAL ||
        vector->family >= KS_FAMILY_LITERALS)
        return false;
    if (probe == PROBE_SINGLE)
        return of_double;
    return in_double || (probe == PROBE_NARROW && judge->arith.kind == KS_ARITH_MULADD);
}

// Without an optional input (a bias, a mask) what is left may rightly be a copy.
static bool lacks_an_input(const struct ks_vector *vector)
{
    for (size_t i = 0; i < vector->problem.n_args; i++)
        if (ks_arg_is_null(&vector->problem.args[i]))
            return true;
    return false;
}

bool ks_vector_proves(const struct ks_judge *judge, const struct ks_vector *vector, bool bitwise,
                      const char **passed)
{
    *passed = "";
    bool lanes = false;
    for (size_t o = 0; o < vector->n_outputs; o++)
        lanes = lanes || (vector->layout.slots[vector->outputs[o].slot].bytes > 0 && !vector->outputs[o].luck);
    if (!lanes) {
        *passed = "no output";
        return false;
    }
    for (enum probe probe = 0; probe < PROBES; probe++) {
        // A copy may rightly return its input.
        if (probe == PROBE_INPUT && judge->arith.kind == KS_ARITH_NONE)
            continue;
        bool rounds = probe == PROBE_NARROW || probe == PROBE_HALF || probe == PROBE_SINGLE;
        if (rounds && !shows_precision(judge, vector, probe))
            continue;
        size_t inputs = probe == PROBE_INPUT ? vector->layout.n_slots : 1;
        for (size_t input = 0; input < inputs; input++) {
            bool applied = false, rejected = false;
            for (size_t o = 0; !rejected && o < vector->n_outputs; o++) {
                const struct ks_output *output = &vector->outputs[o];
                if (output->luck)
                    continue;
                if (probe == PROBE_INPUT) {
                    const struct ks_slot *from = &vector->layout.slots[input];
                    const struct ks_slot *to = &vector->layout.slots[output->slot];
                    if (from->role == KS_ROLE_OUT || from->elem.scalar != to->elem.scalar ||
                        ks_init_is_read(&vector->problem.args[from->arg].init) ||
                        vector->literals != NULL || vector->alone != 0 || vector->flooded != 0)
                        continue;
                }
                // What few lanes reject, all do.
                for (int64_t most = FEW_LANES; !rejected && most <= KS_SAMPLE_LANES; most *= KS_SAMPLE_LANES / FEW_LANES) {
                    struct sample s = take_sample(judge, vector, output, most);
                    if (s.lanes > 0 && fake_answer(judge, vector, probe, &s, input) &&
                        !((probe == PROBE_SINGLE || (probe == PROBE_INPUT && lacks_an_input(vector))) &&
                          memcmp(s.fake, s.want, (size_t)s.lanes * s.size) == 0)) {
                        applied = true;
                        rejected = rejects(judge, output, &s, bitwise);
                    }
                    free_sample(&s);
                }
            }
            if (applied && !rejected) {
                *passed = probe_text[probe];
                return false;
            }
        }
    }
    return true;
}

enum ks_status ks_vector_proof(struct ks_judge *judge, struct ks_vector *vector, bool bitwise,
                               bool *proved, struct ks_err *err)
{
    if (vector->proves[bitwise] == 0) {
        const char *passed;
        KS_TRY(ks_vector_sample(judge, vector, err));
        vector->proves[bitwise] = ks_vector_proves(judge, vector, bitwise, &passed) ? 1 : -1;
    }
    *proved = vector->proves[bitwise] > 0;
    return KS_OK;
}
