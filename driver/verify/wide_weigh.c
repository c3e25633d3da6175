// What runs in double say of each element; contract in verify/wide_weigh.h.
#include "verify/wide_weigh.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"

#define U KS_WIDE_U
// An error of more units of an element's own scale is told by that element alone.
#define UNITS_MAX 4096.0
#define UNITS_SUM 256.0 // what few terms may err by
// An element that so small a move changes by this much of its size is a choice, not a sum.
#define JUMP 0x1p-8
#define TERMS 64.0 // but not if so few terms of the inputs' size could: they cancel
#define AGREE_MIN 4 // elements that one of them may be far from its value in double among
#define FAR_ONE_IN 64 // of odd numbers' results
#define SEEN_ONE_IN 8 // of those that rounded factors change
#define OWN 4.0 // times its own error an element may be off by (verify/compare.c)
#define SAMPLE 4096            // of each input, for its typical size
#define SAMPLE_BYTES (1 << 20) // inputs that are no larger: where elements are few, each of them counts

bool ks_wide_takes(const struct ks_slot *slot)
{
    return slot->elem.scalar == KS_T_F32 || slot->elem.scalar == KS_T_F16 || slot->elem.scalar == KS_T_BF16;
}

bool ks_wide_ends(const struct ks_vector *vector)
{
    return vector->family == KS_FAMILY_GREAT || vector->family == KS_FAMILY_SLIGHT;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double ks_wide_inputs(const struct ks_vector *vector)
{
    double *sizes = malloc(SAMPLE * sizeof *sizes), largest = 0;
    bool known = sizes != NULL;
    for (size_t i = 0; known && i < vector->layout.n_slots; i++) {
        const struct ks_slot *slot = &vector->layout.slots[i];
        size_t n = 0;
        if (slot->role == KS_ROLE_OUT || !ks_wide_takes(slot))
            continue;
        void *bytes = slot->bytes <= SAMPLE_BYTES ? malloc((size_t)slot->bytes + 1) : NULL;
        known = bytes != NULL && ks_vector_slot_bytes(vector, i, KS_CONTENTS_PLAIN, 0, bytes);
        for (int64_t k = 0; known && k < slot->count * slot->elem.lanes && k < SAMPLE; k++)
            sizes[n++] = fabs(ks_scalar_value(slot->elem.scalar, bytes, k));
        free(bytes);
        if (n == 0)
            continue;
        qsort(sizes, n, sizeof *sizes, by_size);
        if (isfinite(sizes[n / 2]) && sizes[n / 2] > largest)
            largest = sizes[n / 2];
    }
    free(sizes);
    return known ? largest : 0;
}

struct weighing {
    const struct ks_output *output;
    enum ks_scalar scalar;
    bool sums;          // a multiply-add kernel's
    struct ks_reference reference;
    double *scale; // in: change; out: scale, 0 where the element is not judged so
    float *own;   // out
    const unsigned char *shape; // of what moves change a lot; NULL: nobody looked
    int64_t all;  // lanes of the output
    struct { double noise; int64_t judged, far; } parts[KS_PARTS];
};

bool ks_wide_jumps(const struct ks_reference *reference, double change, double size)
{
    return !(change * U <= JUMP * (size + reference->typical)) && !(change <= TERMS * reference->inputs);
}

bool ks_wide_is_steep(const struct ks_reference *reference, double change, double size)
{
    double moved = 16 * U * change;
    return moved <= size / 2 || reference->typical <= moved;
}

// How many terms form a multiply-add kernel's element, where it is many.
static double terms_of(const struct weighing *w, int64_t lane)
{
    return w->output->terms != NULL ? (double)w->output->terms[lane] : 1;
}

// Whether moves that change an element so much choose what it is, and show nothing of how it rounds. shape: NULL: nobody looked.
static bool chooses_by(const struct ks_reference *reference, const unsigned char *shape, int64_t i, double change, double size)
{
    return ks_wide_jumps(reference, change, size) &&
           !(shape != NULL && shape[i] == KS_WIDE_SMOOTH && ks_wide_is_steep(reference, change, size));
}

// Whether an error is nothing beside an element that a choice makes: what a move changes wholly is near by its size alone, the sine of
// a great number, but not what plays with bits.
static bool chosen_near(const struct ks_reference *reference, double error, double size)
{
    return error <= UNITS_SUM * U * (size + reference->typical);
}

static void weigh_part(void *context, size_t part, int64_t first, int64_t count)
{
    struct weighing *w = context;
    for (int64_t i = first; i < first + count; i++) {
        int64_t lane = w->output->lanes != NULL ? w->output->lanes[i] : i;
        double want = ks_scalar_value(w->scalar, w->output->expected[0], lane), value = w->reference.value[i];
        double change = w->scale[i], size = fabs(value);
        bool written = w->output->mask == NULL || w->output->mask[lane];
        // Lanes that were picked for being wrong say nothing of how many are.
        bool counts = w->output->lanes == NULL || ks_sample_has(w->all, lane);
        w->scale[i] = 0;
        if (!written || !isfinite(value) ||
            (w->sums && w->scalar != KS_T_F32 && w->output->terms == NULL && ks_vector_measures(w->output, w->scalar, lane)))
            continue;
        double scale = size + change + 0x1p-126; // fp32 is absolute below its smallest normal number
        double rounding = w->scalar == KS_T_F32 ? 0 : ks_compare_rounding(w->scalar, value);
        double error = fmax(0, fabs(want - value) - rounding);
        bool chooses = chooses_by(&w->reference, w->shape, i, change, size);
        w->scale[i] = chooses || !isfinite(scale) ? size + 0x1p-126 : scale;
        // By rounding alone: the root of a variance that came out below zero; what lies about the type's end.
        if (!isfinite(want))
            continue;
        w->parts[part].judged += counts;
        bool shaken = !w->sums && w->reference.shaken != NULL &&
                      (error <= ks_reference_shaken(&w->reference, i) || ks_reference_swamped(&w->reference, i));
        bool rounds = !w->sums ? ks_reference_trusts(&w->reference, i, error)
                               : terms_of(w, lane) >= KS_LONG_SUM ||
                                     error <= fmax(UNITS_SUM, terms_of(w, lane)) * U * scale;
        bool near = chooses ? chosen_near(&w->reference, error, size) : rounds;
        w->parts[part].far += counts && !near && !shaken;
        if (shaken)
            w->own[i] = (float)error;
        if (chooses || !rounds)
            continue;
        if (!w->sums) // what a sequence of many terms errs by is no measure of another order
            w->own[i] = (float)error;
        if (error <= UNITS_MAX * U * scale)
            w->parts[part].noise = fmax(w->parts[part].noise, error / (U * scale));
    }
}

bool ks_wide_weigh_product(struct ks_vector *vector, size_t o, double *value, double *change, const double *kinds)
{
    struct ks_output *output = &vector->outputs[o];
    const struct ks_slot *slot = &vector->layout.slots[output->slot];
    int64_t n = ks_vector_looks(vector, o), judged = 0, far = 0, left = 0;
    float *own = calloc((size_t)n + 1, sizeof *own);
    KS_ASSERT(own != NULL);
    struct ks_reference reference = {.value = value, .scale = change, .own = own, .lanes = output->lanes,
                                     .n_lanes = output->n_lanes, .product = true};
    for (int64_t i = 0; i < n; i++) {
        int64_t lane = output->lanes != NULL ? output->lanes[i] : i;
        double want = ks_scalar_value(slot->elem.scalar, output->expected[0], lane);
        // Of finite factors infinity and NaN say that double's range was left.
        bool number = kinds == NULL || (isfinite(kinds[i]) && kinds[i] != 0);
        bool gone = number && !isfinite(value[i]);
        bool known = (output->mask == NULL || output->mask[lane]) && (number || !isnan(kinds[i]));
        if (!number)
            value[i] = kinds[i];
        left += !isnormal((float)want) || !isnormal((float)value[i]);
        bool moves = number && !isnan(change[i]); // no number: a move alone has left double's range
        double factors = moves ? change[i] : 0;
        double scale = fabs(value[i]) + factors / ks_compare_factor() + 0x1p-126;
        change[i] = !known ? 0 : isfinite(scale) ? scale : (double)FLT_MAX;
        if (gone)
            value[i] = (double)NAN;
        if (!known || gone || !isnormal((float)want) || !isnormal((float)value[i]))
            continue;
        judged++;
        far += fabs(want - value[i]) > ks_compare_rounding(slot->elem.scalar, value[i]) + UNITS_MAX * U * scale;
    }
    // Some have been beyond the range on the original's way, and lost all or part: of few rows most. One that plays with bits
    // is elsewhere in nearly all, and where nothing left the range.
    if (far * (left > 0 ? 16 : 2) > judged * (left > 0 ? 15 : 1)) {
        free(own);
        return false;
    }
    output->reference = reference;
    return true;
}

void ks_wide_refer_odd(struct ks_vector *vector, size_t o, double *value, const double *moved)
{
    struct ks_output *output = &vector->outputs[o];
    const enum ks_scalar scalar = vector->layout.slots[output->slot].elem.scalar;
    int64_t n = ks_vector_looks(vector, o);
    double *scale = calloc((size_t)n + 1, sizeof *scale);
    float *own = calloc((size_t)n + 1, sizeof *own);
    KS_ASSERT(scale != NULL && own != NULL);
    for (int64_t i = 0; i < n; i++) {
        int64_t lane = output->lanes != NULL ? output->lanes[i] : i;
        double want = ks_scalar_value(scalar, output->expected[0], lane);
        double size = fabs(value[i]) + fabs(moved[i] - value[i]) / KS_FILL_MOVE + 0x1p-126;
        if ((output->mask != NULL && !output->mask[lane]) || !isfinite(size) || !isfinite(want))
            continue;
        scale[i] = size;
        own[i] = (float)fmax(0, fabs(want - value[i]) - ks_compare_rounding(scalar, value[i]));
    }
    output->reference = (struct ks_reference){.value = value, .scale = scale, .own = own,
                                              .typical = ks_reference_typical(value, n), .lanes = output->lanes,
                                              .n_lanes = output->n_lanes};
}

void ks_wide_show(const struct ks_vector *vector, size_t o, const double *rounded, struct ks_wide_shown *shown)
{
    const struct ks_output *output = &vector->outputs[o];
    const struct ks_reference *r = &output->reference;
    const enum ks_scalar scalar = vector->layout.slots[output->slot].elem.scalar;
    for (int64_t i = 0; i < ks_vector_looks(vector, o); i++) {
        double usual = ks_compare_factor() * U * r->scale[i], own = (double)r->own[i];
        if (!(usual > 0))
            continue;
        double move = fabs(rounded[i] - r->value[i]), rounding = ks_compare_rounding(scalar, r->value[i]);
        shown->judged++;
        shown->far += own > usual;
        shown->changed += move > 0; // false of no number
        shown->seen += move > 2 * (rounding + fmax(usual, OWN * own));
    }
}

bool ks_wide_is_shown(const struct ks_wide_shown *s)
{
    return s->far * FAR_ONE_IN <= s->judged && s->changed > 0 && s->seen * SEEN_ONE_IN >= s->changed;
}

bool ks_wide_strays(const struct ks_vector *vector, size_t o, double inputs, const double *value, const double *change,
                    const unsigned char *shape)
{
    const struct ks_output *output = &vector->outputs[o];
    const struct ks_slot *slot = &vector->layout.slots[output->slot];
    int64_t n = ks_vector_looks(vector, o), judged = 0, far = 0;
    struct ks_reference reference = {.value = value, .scale = change, .typical = ks_reference_typical(value, n), .inputs = inputs};
    for (int64_t i = 0; i < n; i++) {
        int64_t lane = output->lanes != NULL ? output->lanes[i] : i;
        double error = fabs(ks_scalar_value(slot->elem.scalar, output->expected[0], lane) - value[i]);
        if (!isfinite(error) || (output->mask != NULL && !output->mask[lane]))
            continue;
        double rounding = slot->elem.scalar == KS_T_F32 ? 0 : ks_compare_rounding(slot->elem.scalar, value[i]), size = fabs(value[i]);
        judged++;
        error = fmax(0, error - rounding);
        far += chooses_by(&reference, shape, i, change[i], size) ? !chosen_near(&reference, error, size)
                                                                 : !ks_reference_trusts(&reference, i, error);
    }
    return far * 8 > judged;
}

bool ks_wide_weigh(struct ks_vector *vector, size_t o, bool sums, double inputs, double sum, double *value, double *change,
                   const unsigned char *shape, const float *shaken)
{
    struct ks_output *output = &vector->outputs[o];
    const struct ks_slot *slot = &vector->layout.slots[output->slot];
    int64_t n = ks_vector_looks(vector, o);
    float *own = calloc((size_t)n + 1, sizeof *own);
    struct weighing w = {.output = output, .scalar = slot->elem.scalar, .sums = sums, .scale = change, .own = own,
                         .shape = shape, .all = slot->count * slot->elem.lanes,
                         .reference = {value, change, own, 0, ks_reference_typical(value, n), 0,
                                       inputs, output->terms, output->lanes, output->n_lanes, 0, sum, false, NULL, shaken, false}};
    int64_t judged = 0, far = 0;
    KS_ASSERT(own != NULL && (output->lanes == NULL || output->terms == NULL));
    ks_parallel(n, weigh_part, &w);
    for (size_t i = 0; i < KS_PARTS; i++) {
        judged += w.parts[i].judged;
        far += w.parts[i].far;
        w.reference.noise = fmax(w.reference.noise, w.parts[i].noise);
    }
    // One by itself is chance, where others agree: a root of what rounding left below zero, which a clamp hides.
    if (far * 8 > judged && (far > 1 || judged < AGREE_MIN) && !ks_wide_ends(vector)) {
        free(own);
        return false;
    }
    output->reference = w.reference;
    return true;
}
