// Element by element, with no constant absolute tolerance and no wildcard: a NaN in the expected
// output must meet a NaN, and only a NaN.
#include "verify/compare.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/parallel.h"
#include "base/stats.h"

// Bound on the accumulation error of any summation order, in units of u * S: research
// verification.md 3.2, where honest orders stay below 1 for signed data and TF32 starts above 100.
#define ACCUMULATION 16.0
// An original's own noise counts twice, but never beyond four times the bound.
#define NOISE_CAP (4 * ACCUMULATION)
#define OWN_ERRORS 4 // times the largest of a few
#define TRUST 0x1p-12 // of a value's size: what is farther off is no rounding
#define TRUST_DOUBLE 0x1p-30
#define TRUST_INPUTS 0x1p-18 // of the inputs' size: 64 roundings of numbers as large
#define DIP 0.25        // of the way between two values
#define SHAKEN 16.0 // times what rounding did in the original's order: ten, of 32 lanes in place of 256
#define SHAKEN_MOST 0.25 // of a value: where it is more, the original's own errors tell
#define DOUBLE_UNITS 1024.0  // 2^-43: 2000 equal terms, and no number format is so precise but fp64
#define OWN_ERRORS_DOUBLE 8  // of at most TRUST_DOUBLE: 2^-27, below what computing in fp32 errs by
#define ELEMENTWISE_ULP 4.0 // expf and friends of CUDA's library stay within it
#define ELEMENTWISE_ULP_16 1.0

struct rule {
    enum ks_tol_kind kind;
    enum ks_scalar scalar;
    double ulp, rel, abs, sum;
    double u_acc;  // unit roundoff of the accumulated type
    double factor; // of u_acc * scale
    bool integral; // bits alone count
};

static double unit_roundoff(enum ks_scalar scalar)
{
    switch (scalar) {
    case KS_T_F64: return 0x1p-53;
    case KS_T_F16: return 0x1p-11;
    case KS_T_BF16: return 0x1p-8;
    default: return 0x1p-24;
    }
}

static bool is_narrow(enum ks_scalar scalar)
{
    return scalar == KS_T_F16 || scalar == KS_T_BF16;
}

static struct rule make_rule(const struct ks_tolerance *tolerance, enum ks_scalar scalar,
                             double noise)
{
    double twice = 2 * fmin(noise, NOISE_CAP);
    struct rule rule = {
        .kind = tolerance->kind,
        .scalar = scalar,
        .ulp = tolerance->kind == KS_TOL_ULP ? (double)tolerance->ulp
                                             : fmax(is_narrow(scalar) ? ELEMENTWISE_ULP_16 : ELEMENTWISE_ULP, twice),
        .rel = tolerance->rel,
        .abs = tolerance->abs,
        .sum = tolerance->sum,
        .u_acc = scalar == KS_T_F64 ? 0x1p-53 : 0x1p-24,
        .factor = fmax(ACCUMULATION, twice),
        .integral = !ks_scalar_is_float(scalar),
    };
    if (rule.integral)
        rule.kind = KS_TOL_EXACT;
    return rule;
}

// In line: a look at an output is mostly this.
static inline double value_at(enum ks_scalar scalar, const void *at)
{
    uint16_t half;
    float f;
    double d;
    switch (scalar) {
    case KS_T_F16: memcpy(&half, at, 2); return (double)ks_f16_to_f32(half);
    case KS_T_BF16: memcpy(&half, at, 2); return (double)ks_bf16_to_f32(half);
    case KS_T_F32: memcpy(&f, at, 4); return (double)f;
    case KS_T_F64: memcpy(&d, at, 8); return d;
    default: return 0;
    }
}

void ks_scalar_put(enum ks_scalar scalar, void *at, double value)
{
    float f = (float)value;
    uint16_t h;
    switch (scalar) {
    case KS_T_F16: h = ks_f32_to_f16(f); memcpy(at, &h, 2); break;
    case KS_T_BF16: h = ks_f32_to_bf16(f); memcpy(at, &h, 2); break;
    case KS_T_F32: memcpy(at, &f, 4); break;
    case KS_T_F64: memcpy(at, &value, 8); break;
    default: { // integers of up to 2^53
        int64_t whole = (int64_t)value;
        memcpy(at, &whole, ks_scalar_size(scalar));
    }
    }
}

double ks_scalar_value(enum ks_scalar scalar, const void *data, int64_t index)
{
    return value_at(scalar, (const unsigned char *)data + (size_t)index * ks_scalar_size(scalar));
}

// Position on the line of representable values: neighbours differ by one, both zeros are 0.
static inline int64_t line_position(enum ks_scalar scalar, const void *at)
{
    uint16_t h;
    uint32_t w;
    uint64_t q;
    switch (scalar) {
    case KS_T_F16:
    case KS_T_BF16: memcpy(&h, at, 2); return h & 0x8000 ? -(int64_t)(h & 0x7fff) : (int64_t)h;
    case KS_T_F32: memcpy(&w, at, 4); return w >> 31 ? -(int64_t)(w & 0x7fffffff) : (int64_t)w;
    default:
        memcpy(&q, at, 8);
        return q >> 63 ? -(int64_t)(q & INT64_MAX) : (int64_t)q;
    }
}

static inline double ulp_distance(enum ks_scalar scalar, const void *a, const void *b)
{
    if (scalar != KS_T_F64)
        return fabs((double)(line_position(scalar, a) - line_position(scalar, b)));
    // In 128 bits: doubles do not hold the positions of doubles.
    return fabs((double)((__int128)line_position(scalar, a) - line_position(scalar, b)));
}

static inline bool same_bits(const unsigned char *a, const unsigned char *b, size_t size)
{
    uint16_t h[2];
    uint32_t w[2];
    uint64_t q[2];
    switch (size) {
    case 2: memcpy(&h[0], a, 2), memcpy(&h[1], b, 2); return h[0] == h[1];
    case 4: memcpy(&w[0], a, 4), memcpy(&w[1], b, 4); return w[0] == w[1];
    case 8: memcpy(&q[0], a, 8), memcpy(&q[1], b, 8); return q[0] == q[1];
    default: return memcmp(a, b, size) == 0;
    }
}

double ks_compare_rounding(enum ks_scalar scalar, double value)
{
    return fabs(value) * unit_roundoff(scalar) + (scalar == KS_T_F16 ? 0x1p-25 : 0);
}

double ks_compare_end(enum ks_scalar scalar)
{
    switch (scalar) {
    case KS_T_F16: return 65520;
    case KS_T_BF16: return 0x1.ffp127;
    case KS_T_F32: return 0x1.ffffffp127;
    default: return INFINITY;
    }
}

static double unit_of(const struct ks_reference *reference)
{
    return reference->unit > 0 ? reference->unit : 0x1p-24;
}

double ks_reference_typical(const double *value, int64_t n)
{
    double sum = 0;
    int64_t finite = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(value[i]) && fabs(value[i]) < 1e150)
            sum += value[i] * value[i], finite++;
    return finite > 0 ? sqrt(sum / (double)finite) : 0;
}

double ks_reference_shaken(const struct ks_reference *reference, int64_t i)
{
    return reference->shaken != NULL ? SHAKEN * (double)reference->shaken[i] : 0;
}

bool ks_reference_swamped(const struct ks_reference *reference, int64_t i)
{
    return reference->shaken != NULL && 2 * ks_reference_shaken(reference, i) >= fabs(reference->value[i]);
}

// Own errors are floats, and an infinite one would admit anything.
static bool is_no_rounding(double error)
{
    return !(error <= (double)FLT_MAX);
}

bool ks_reference_rounds(const struct ks_reference *reference, int64_t i, double error)
{
    return !is_no_rounding(error) && (ks_reference_trusts(reference, i, error) || error <= ks_reference_shaken(reference, i) ||
                                      ks_reference_swamped(reference, i));
}

bool ks_reference_trusts(const struct ks_reference *reference, int64_t i, double error)
{
    double trust = unit_of(reference) < 0x1p-24 ? TRUST_DOUBLE : TRUST;
    return !is_no_rounding(error) && (error <= trust * (reference->scale[i] + reference->typical) ||
                                      error <= TRUST_INPUTS * reference->inputs);
}

double ks_compare_factor(void)
{
    return ACCUMULATION;
}

float ks_compare_cut(float terms, double value)
{
    float k = isfinite(terms) ? fminf(terms, KS_CUT_MOST) : 0;
    return (float)(KS_CUT / ACCUMULATION * (double)k * fabs(value));
}

double ks_compare_sequence(float terms)
{
    double k = isfinite(terms) && terms > 1 ? (double)terms : 1;
    return KS_SEQUENCE * sqrt(fmin(k, 0x1p24));
}

// The first of the reference's lanes from `low` on that is not below `lane`.
static int64_t lane_from(const struct ks_reference *reference, int64_t low, int64_t lane)
{
    int64_t high = reference->n_lanes;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (reference->lanes[middle] < lane)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t ks_reference_at(const struct ks_reference *reference, int64_t lane)
{
    if (reference->lanes == NULL)
        return lane;
    int64_t i = lane_from(reference, 0, lane);
    return i < reference->n_lanes && reference->lanes[i] == lane ? i : -1;
}

// The same for lanes that rise from call to call; *next is where to look, 0 at first.
static int64_t reference_next(const struct ks_reference *reference, int64_t lane, int64_t *next)
{
    if (reference->lanes == NULL)
        return lane;
    if (*next == 0)
        *next = lane_from(reference, 0, lane);
    while (*next < reference->n_lanes && reference->lanes[*next] < lane)
        ++*next;
    return *next < reference->n_lanes && reference->lanes[*next] == lane ? *next : -1;
}

// How far from the value in double rounding may bring the i-th of the reference's lanes before it is stored; negative:
// it is not judged so. For doubles that value is the original's own result, whose error nobody knows: a sum of a thousand
// equal terms may round each of them alike. Both bounds are wider there, and far from fp32's.
static double error_of(const struct ks_reference *reference, int64_t i)
{
    if (!(reference->scale[i] > 0))
        return -1;
    double u = unit_of(reference);
    bool of_double = u < 0x1p-24;
    double factor = of_double ? DOUBLE_UNITS : fmax(ACCUMULATION, 2 * fmin(reference->noise, NOISE_CAP));
    double error = fmax(factor * u * reference->scale[i],
                        (of_double ? OWN_ERRORS_DOUBLE : OWN_ERRORS) * (double)reference->own[i]);
    if (reference->terms != NULL)
        error = fmax(error, ks_compare_sequence(reference->terms[i]) * u * fabs(reference->value[i]));
    error = fmax(error, fmin(ks_reference_shaken(reference, i), SHAKEN_MOST * fabs(reference->value[i])));
    double nearby = reference->nearby != NULL ? (double)reference->nearby[i].error : 0;
    return error + reference->sum * reference->scale[i] + nearby;
}

// The same of what is stored.
static double allowed(const struct ks_reference *reference, enum ks_scalar scalar, int64_t i)
{
    double error = error_of(reference, i);
    return error < 0 ? error : ks_compare_rounding(scalar, reference->value[i]) + error;
}

// Between its value and what it comes to on inputs as far away as the mark lets terms err. Between two places a function may dip
// below both: swish to -0.28, and halved and clamped to 1 by 0.14 of the way. So a part of the way beyond is right, too.
static bool is_between(const struct ks_reference *reference, enum ks_scalar scalar, int64_t i, double have)
{
    const double error = reference->between ? allowed(reference, scalar, i) : -1, value = reference->value[i];
    const double low = fmin(value, (double)reference->nearby[i].low), high = fmax(value, (double)reference->nearby[i].high);
    const double beyond = error + DIP * (high - low);
    return error >= 0 && have >= low - beyond && have <= high + beyond;
}

// By the reference's i-th lane; -1: by what it allows others.
static bool reference_ok(const struct ks_reference *reference, enum ks_scalar scalar, int64_t i, double want,
                         double have)
{
    if (reference == NULL)
        return false;
    return i < 0 ? fabs(have - want) <= reference->others // false where either is no number
                 : fabs(have - reference->value[i]) <= allowed(reference, scalar, i) || is_between(reference, scalar, i, have);
}

// One of two is infinite. The value in double says whether rounding may have brought them to either side of where the
// type ends; beyond that infinity is no number's neighbour.
static bool either_side(const struct ks_reference *reference, enum ks_scalar scalar, int64_t i, double want, double have)
{
    if (reference == NULL || i < 0 || isinf(want) == isinf(have))
        return false;
    double value = reference->value[i], end = copysign(ks_compare_end(scalar), isinf(want) ? want : have);
    return fabs(value - end) <= error_of(reference, i) &&
           (isinf(have) || fabs(have - value) <= allowed(reference, scalar, i));
}

// The original is infinite and the other one no number: another order of terms of either sign may pass the type's end on both sides.
// The value in double lies beyond it, farther than rounding brings anything.
static bool lost_beyond(const struct ks_reference *reference, enum ks_scalar scalar, int64_t i, double want, double have)
{
    if (reference == NULL || i < 0 || !reference->either || !isinf(want) || !isnan(have) || error_of(reference, i) < 0)
        return false;
    const double value = reference->value[i]; // which infinity the original has is luck as well
    return isfinite(value) && fabs(value) - error_of(reference, i) > ks_compare_end(scalar);
}

unsigned char ks_nearby_is(double value)
{
    return isnan(value) ? KS_NEARBY_NAN : isfinite(value) ? KS_NEARBY_NUMBER : value > 0 ? KS_NEARBY_ABOVE : KS_NEARBY_BELOW;
}

struct ks_nearby *ks_nearby_new(int64_t n)
{
    struct ks_nearby *nearby = malloc(((size_t)n + 1) * sizeof *nearby);
    KS_ASSERT(nearby != NULL);
    for (int64_t i = 0; i < n; i++)
        nearby[i] = (struct ks_nearby){.low = NAN, .high = NAN};
    return nearby;
}

// One of two is no number, and the original is as the other one nearby.
static bool is_nearby(const struct ks_reference *reference, enum ks_scalar scalar, int64_t i, double want, double have)
{
    if (reference == NULL || reference->nearby == NULL || i < 0)
        return false;
    if (reference->between && !isfinite(have) && (reference->nearby[i].comes & ks_nearby_is(have)))
        return true;
    if (!(reference->nearby[i].is & ks_nearby_is(have)))
        return false;
    return !isfinite(have) || (!isfinite(want) && fabs(have - reference->value[i]) <= allowed(reference, scalar, i));
}

// By the value of a product: infinite beyond the type's end, and no number but 0 where double has none.
static bool product_ok(const struct ks_reference *reference, enum ks_scalar scalar, int64_t i, double have)
{
    double value = reference->value[i], error = error_of(reference, i);
    if (error < 0)
        return false;
    if (isnan(value))
        return have == 0 || !isfinite(have);
    if (isinf(have))
        return signbit(have) == signbit(value) && fabs(value) + error >= ks_compare_end(scalar);
    return isfinite(value) && fabs(have - value) <= allowed(reference, scalar, i); // false of a NaN
}

double ks_reference_usual(const struct ks_reference *reference, enum ks_scalar scalar, const int64_t *lanes, int64_t n)
{
    double *errors = malloc(((size_t)n + 1) * sizeof *errors), usual = 0;
    int64_t judged = 0;
    KS_ASSERT(errors != NULL);
    for (int64_t k = 0; k < n; k++) {
        int64_t i = ks_reference_at(reference, lanes[k]);
        double error = i >= 0 ? allowed(reference, scalar, i) : -1;
        if (error >= 0)
            errors[judged++] = error;
    }
    if (judged > 0)
        usual = ks_kth_smallest(errors, (size_t)judged, (size_t)judged / 8 + 1);
    free(errors);
    return usual;
}

static bool element_ok(const struct rule *rule, const unsigned char *e, const unsigned char *g,
                       const float *scale, const float *sum, const struct ks_reference *reference, int64_t known,
                       struct ks_comparison *out)
{
    if (rule->integral)
        return false; // bits differ
    double want = value_at(rule->scalar, e), have = value_at(rule->scalar, g);
    bool product = rule->kind == KS_TOL_DERIVED && reference != NULL && reference->product;
    bool by_value = product && known >= 0 && product_ok(reference, rule->scalar, known, have);
    if (product)
        reference = NULL; // it has said all it has to
    if (rule->kind == KS_TOL_DERIVED && is_nearby(reference, rule->scalar, known, want, have))
        return true;
    if (isnan(have) || isnan(want))
        return by_value || (isnan(want) && isnan(have)) ||
               (rule->kind == KS_TOL_DERIVED &&
                (isnan(want) ? reference_ok(reference, rule->scalar, known, want, have)
                             : lost_beyond(reference, rule->scalar, known, want, have)));
    if (isinf(want) || isinf(have))
        return by_value || want == have || (rule->kind == KS_TOL_DERIVED &&
                                either_side(reference, rule->scalar, known, want, have));
    double diff = fabs(have - want), ulps = ulp_distance(rule->scalar, e, g);
    if (ulps > out->max_ulp)
        out->max_ulp = ulps;
    if (want != 0 && diff / fabs(want) > out->max_rel)
        out->max_rel = diff / fabs(want);
    switch (rule->kind) {
    case KS_TOL_EXACT: return want == have; // zeros of either sign
    case KS_TOL_ULP: return ulps <= rule->ulp;
    case KS_TOL_REL: return diff <= rule->rel * fabs(want) + rule->abs;
    case KS_TOL_DERIVED:
        if (by_value)
            return true;
        if (scale == NULL)
            return ulps <= rule->ulp || reference_ok(reference, rule->scalar, known, want, have);
        double s = isfinite(*scale) ? (double)*scale : fabs(want);
        // Sums in fp32 that differ by next to nothing may be rounded to neighbours of 16 bits, on both sides.
        double rounding = ks_compare_rounding(rule->scalar, want) * (is_narrow(rule->scalar) ? 2 : 1);
        double terms = sum == NULL ? 0 : isfinite(*sum) ? (double)*sum : fabs(want);
        return diff <= rounding + rule->factor * rule->u_acc * s + rule->sum * terms ||
               reference_ok(reference, rule->scalar, known, want, have);
    }
    return false;
}

double ks_compare_noise(struct ks_elem elem, const void *a, const void *b, int64_t count,
                        const float *scale, const unsigned char *mask)
{
    size_t size = ks_scalar_size(elem.scalar);
    double noise = 0, u = elem.scalar == KS_T_F64 ? 0x1p-53 : 0x1p-24;
    for (int64_t i = 0; ks_scalar_is_float(elem.scalar) && i < count * elem.lanes; i++) {
        double x = ks_scalar_value(elem.scalar, a, i), y = ks_scalar_value(elem.scalar, b, i);
        if (!isfinite(x) || !isfinite(y) || x == y || (mask != NULL && !mask[i]))
            continue;
        if (scale == NULL)
            noise = fmax(noise, ulp_distance(elem.scalar, (const char *)a + (size_t)i * size,
                                             (const char *)b + (size_t)i * size));
        else if (scale[i] > 0 && isfinite(scale[i]))
            noise = fmax(noise, fabs(x - y) / (u * (double)scale[i]));
    }
    return noise;
}

// Where the bad elements lie, in words that help a repair and reveal no data.
static const char *pattern_of(const struct ks_comparison *c, int64_t total, int64_t step,
                              bool regular)
{
    if (c->bad == 0)
        return "";
    if (c->bad == total)
        return total == 1 ? "the only element" : "all elements";
    bool run = c->last_bad - c->first_bad + 1 == c->bad;
    if (run && c->last_bad == total - 1)
        return c->bad == 1 ? "the last element" : c->bad <= 3 ? "the last 2 or 3 elements"
               : c->bad < 32 ? "the last elements, fewer than 32" : "a long tail";
    if (run && c->first_bad == 0)
        return c->bad == 1 ? "the first element" : "a run at the start";
    if (c->bad == 1)
        return "one element";
    if (run)
        return "one run in the middle";
    if (regular)
        switch (step) {
        case 2: return "every 2nd element";
        case 4: return "every 4th element";
        case 8: return "every 8th element";
        case 16: return "every 16th element";
        case 32: return "every 32nd element";
        default: return "elements at one constant distance";
        }
    return "scattered elements";
}

// What one part of the elements showed.
struct part {
    struct ks_comparison c;
    int64_t step;
    bool regular;
    int64_t *bad, n_bad, room; // malloc'ed
};

struct comparing {
    struct rule rule, exact;
    size_t size;
    const unsigned char *expected, *got, *mask;
    const float *scale, *sums;
    const struct ks_reference *reference;
    int64_t every; // bad lane is kept; 0: none
    struct part parts[KS_PARTS];
};

static void keep_bad(struct part *p, int64_t lane)
{
    if (p->n_bad == p->room) {
        p->room = 2 * p->room + 64;
        p->bad = realloc(p->bad, (size_t)p->room * sizeof *p->bad);
        KS_ASSERT(p->bad != NULL);
    }
    p->bad[p->n_bad++] = lane;
}

static void note_bad(struct part *p, int64_t first, int64_t last, int64_t n, int64_t step, bool regular)
{
    if (p->c.first_bad < 0) {
        p->c.first_bad = first;
        p->regular = true;
    } else {
        int64_t gap = first - p->c.last_bad;
        p->regular = p->regular && (p->step == 0 || gap == p->step);
        p->step = gap;
    }
    if (n > 1) {
        p->regular = p->regular && regular && (p->step == 0 || step == p->step);
        p->step = step;
    }
    p->c.bad += n;
    p->c.last_bad = last;
}

static void compare_part(void *context, size_t part, int64_t first, int64_t count)
{
    struct comparing *all = context;
    struct part p = {.c = {.compared = count, .first_bad = -1, .last_bad = -1}, .regular = true};
    const unsigned char *e = all->expected + (size_t)first * all->size;
    const unsigned char *g = all->got + (size_t)first * all->size;
    int64_t next = 0;
    for (int64_t i = first; i < first + count; i++, e += all->size, g += all->size) {
        if (same_bits(e, g, all->size))
            continue;
        int64_t known = all->reference != NULL ? reference_next(all->reference, i, &next) : -1;
        unsigned char demand = all->mask == NULL ? KS_LANE_CLOSE : all->mask[i];
        if (demand != KS_LANE_BITS &&
            element_ok(demand == KS_LANE_EXACT ? &all->exact : &all->rule, e, g,
                       all->scale == NULL ? NULL : &all->scale[i], all->sums == NULL ? NULL : &all->sums[i],
                       all->reference, known, &p.c))
            continue;
        if (all->every > 0 && p.c.bad % all->every == 0)
            keep_bad(&p, i);
        p.c.sure += all->reference == NULL || known >= 0;
        note_bad(&p, i, i, 1, 0, true);
    }
    all->parts[part] = p;
}

void ks_compare(const struct ks_tolerance *tolerance, struct ks_elem elem, const void *expected,
                const void *got, int64_t count, const float *scale, double noise,
                const unsigned char *mask, struct ks_comparison *out)
{
    ks_compare_to(tolerance, elem, expected, got, count, scale, NULL, noise, mask, NULL, NULL, out);
}

static void join_bad(const struct comparing *all, struct ks_lanes *bad)
{
    bad->n = 0;
    for (size_t i = 0; i < KS_PARTS; i++)
        bad->n += all->parts[i].n_bad;
    bad->at = malloc(((size_t)bad->n + 1) * sizeof *bad->at);
    KS_ASSERT(bad->at != NULL);
    int64_t *to = bad->at;
    for (size_t i = 0; i < KS_PARTS; i++) {
        const struct part *p = &all->parts[i];
        if (p->n_bad > 0)
            memcpy(to, p->bad, (size_t)p->n_bad * sizeof *to);
        to += p->n_bad;
        free(p->bad);
    }
}

void ks_compare_to(const struct ks_tolerance *tolerance, struct ks_elem elem, const void *expected,
                   const void *got, int64_t count, const float *scale, const float *sums, double noise,
                   const unsigned char *mask, const struct ks_reference *reference,
                   struct ks_lanes *bad, struct ks_comparison *out)
{
    int64_t total = count * elem.lanes;
    struct comparing all = {.rule = make_rule(tolerance, elem.scalar, noise),
                            .size = ks_scalar_size(elem.scalar), .expected = expected, .got = got,
                            .mask = mask, .scale = scale, .sums = sums, .reference = reference,
                            .every = bad != NULL ? bad->every : 0};
    all.exact = all.rule;
    all.exact.kind = KS_TOL_EXACT;
    ks_parallel(total, compare_part, &all);
    struct part sum = {.c = {.first_bad = -1, .last_bad = -1}, .regular = true};
    for (size_t i = 0; i < KS_PARTS; i++) {
        const struct part *p = &all.parts[i];
        sum.c.compared += p->c.compared;
        sum.c.sure += p->c.sure;
        sum.c.max_ulp = fmax(sum.c.max_ulp, p->c.max_ulp);
        sum.c.max_rel = fmax(sum.c.max_rel, p->c.max_rel);
        if (p->c.bad > 0)
            note_bad(&sum, p->c.first_bad, p->c.last_bad, p->c.bad, p->step, p->regular);
    }
    KS_ASSERT(sum.c.compared == total); // "none bad" means nothing unless all were looked at
    if (bad != NULL)
        join_bad(&all, bad);
    *out = sum.c;
    out->pattern = pattern_of(out, total, sum.step, sum.regular);
}
