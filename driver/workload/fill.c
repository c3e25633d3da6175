#include "workload/fill.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/parallel.h"
#include "workload/number.h"

const char *ks_family_name(enum ks_family family)
{
    static const char *const names[KS_FAMILY_COUNT] = {"declared", "positive", "wide", "position",
                                                       "impulse",  "exact",    "special",  "literals", "tiny",
                                                       "powers",   "extreme",  "great",    "slight",   "odd"};
    return family >= 0 && family < KS_FAMILY_COUNT ? names[family] : "?";
}

bool ks_family_applies(enum ks_family family, const struct ks_elem elem)
{
    return family == KS_FAMILY_DECLARED || family == KS_FAMILY_LITERALS || ks_scalar_is_float(elem.scalar);
}

// ---- storing one scalar

// Stores and returns the value as the type holds it. Finite values beyond the type's range become
// its largest one: infinities come from the family of special values only.
static double store_float(void *out, enum ks_scalar scalar, double value)
{
    if (isfinite(value) && fabs(value) > largest(scalar))
        value = copysign(largest(scalar), value);
    if (scalar == KS_T_F64) {
        memcpy(out, &value, sizeof value);
        return value;
    }
    float single = (float)value;
    if (scalar == KS_T_F32) {
        memcpy(out, &single, sizeof single);
        return single;
    }
    uint16_t bits = scalar == KS_T_F16 ? ks_f32_to_f16(single) : ks_f32_to_bf16(single);
    memcpy(out, &bits, sizeof bits);
    return scalar == KS_T_F16 ? ks_f16_to_f32(bits) : ks_bf16_to_f32(bits);
}

static void store_int(void *out, enum ks_scalar scalar, int64_t value)
{
    uint64_t bits = (uint64_t)value; // little endian, as CUDA's hosts all are
    if (scalar == KS_T_BOOL)
        bits = value != 0;
    memcpy(out, &bits, ks_scalar_size(scalar));
}

// Integers when the parameters are, so that long ramps stay exact beyond 2^53.
static int64_t ramp(const struct ks_init *init, uint64_t i)
{
    if (init->a == (double)to_int(init->a) && init->b == (double)to_int(init->b))
        return (int64_t)((uint64_t)to_int(init->a) + (uint64_t)to_int(init->b) * i);
    return to_int(init->a + init->b * (double)i);
}

static int64_t declared_int(enum ks_scalar scalar, const struct ks_init *init,
                            struct source *source, uint64_t i)
{
    uint64_t seed = source->seed;
    static const struct ks_init digits = {.kind = KS_INIT_RANDINT, .a = 0, .b = 99};
    switch (init->kind) {
    case KS_INIT_UNIFORM:
        return to_int(floor(init->a + (init->b - init->a) * number_unit(seed, i)));
    case KS_INIT_NORMAL:
        return to_int(init->a + init->b * normal(source, i));
    case KS_INIT_RANDINT:
        return randint(init, seed, i);
    case KS_INIT_IOTA:
        return ramp(init, i);
    case KS_INIT_PERMUTATION:
        return (int64_t)number_permuted(seed, i, source->n);
    case KS_INIT_CONSTANT:
    case KS_INIT_FILE:
    case KS_INIT_CAPTURE:
        return to_int(init->a);
    case KS_INIT_DEFAULT:
        break;
    }
    if (scalar == KS_T_BOOL)
        return (int64_t)(ks_hash_counter(seed, i) >> 63);
    return randint(&digits, seed, i);
}

// ---- families

int ks_fill_palette(uint64_t seed)
{
    return number_palette(seed);
}

double ks_fill_tiny(enum ks_scalar scalar, uint64_t chance)
{
    return number_tiny(scalar, chance);
}

double ks_fill_extreme(enum ks_scalar scalar, uint64_t chance)
{
    return number_extreme(scalar, chance);
}

double ks_fill_moved(double value, uint64_t pattern, uint64_t index)
{
    return number_moved(value, pattern, index);
}

void ks_fill_signs(void *data, enum ks_scalar scalar, uint64_t pattern, int64_t first, int64_t count)
{
    size_t size = ks_scalar_size(scalar);
    unsigned char *top = (unsigned char *)data + size - 1; // sign bit, little endian
    for (int64_t i = first; i < first + count; i++, top += size)
        *top = (unsigned char)((*top & 0x7f) | (number_negative(pattern, (uint64_t)i) ? 0x80 : 0));
}

bool ks_filling_is_plain(const struct ks_filling *f)
{
    enum ks_scalar scalar = f->elem.scalar;
    return (scalar == KS_T_F32 || scalar == KS_T_F16 || scalar == KS_T_BF16) && f->family != KS_FAMILY_SPECIAL && f->family != KS_FAMILY_LITERALS &&
           !ks_init_is_read(&f->init) && isfinite(f->init.a) && isfinite(f->init.b - f->init.a);
}

void ks_fill(void *out, struct ks_elem elem, const struct ks_init *init, enum ks_family family,
             uint64_t seed, int64_t total, int64_t first, int64_t count)
{
    unsigned char *at = out;
    uint64_t lanes = (uint64_t)elem.lanes;
    struct source source = number_source(init, seed, (uint64_t)total * lanes);
    uint64_t i = (uint64_t)first * lanes, end = i + (uint64_t)count * lanes;
    size_t size = ks_scalar_size(elem.scalar);
    // Lanes follow each other without gaps in every type of struct ks_elem.
    if (!ks_scalar_is_float(elem.scalar)) {
        for (; i < end; i++, at += size)
            store_int(at, elem.scalar, declared_int(elem.scalar, init, &source, i));
        return;
    }
    const struct number_range range = number_range(family, init);
    for (; i < end; i++, at += size)
        if (store_float(at, elem.scalar, number_of(family, elem.scalar, init, &source, i)) >= range.end && range.open)
            store_float(at, elem.scalar, range.begin);
}

// ---- the whole buffer on all cores

struct range {
    unsigned char *out; // where element `first` goes
    struct ks_elem elem;
    const struct ks_init *init;
    enum ks_family family;
    uint64_t seed;
    int64_t total, first;
};

static void fill_part(void *context, size_t part, int64_t first, int64_t count)
{
    const struct range *r = context;
    (void)part;
    ks_fill(r->out + (size_t)first * r->elem.size, r->elem, r->init, r->family, r->seed, r->total, r->first + first, count);
}

enum ks_status ks_fill_range(void *out, struct ks_elem elem, const struct ks_init *init, enum ks_family family,
                             uint64_t seed, int64_t total, int64_t first, int64_t count, struct ks_err *err)
{
    if (elem.scalar == KS_T_NONE || elem.size == 0)
        KS_FAIL(err, KS_E_USER, "elements of an unknown type cannot be filled; name the type in "
                                "the array clause");
    if (ks_init_is_read(init))
        KS_FAIL(err, KS_E_INTERNAL, "\"%s\" is read by ks_fill_read", init->path);
    ks_parallel(count, fill_part, &(struct range){out, elem, init, family, seed, total, first});
    return KS_OK;
}

enum ks_status ks_fill_all(void *out, struct ks_elem elem, const struct ks_init *init, enum ks_family family,
                           uint64_t seed, int64_t total, struct ks_err *err)
{
    return ks_fill_range(out, elem, init, family, seed, total, 0, total, err);
}

struct keeping {
    unsigned char *out;
    const unsigned char *from;
    const struct ks_filling *filling;
    int64_t first; // number of the buffer that both begin with
};

static void keep_part(void *context, size_t part, int64_t first, int64_t count)
{
    const struct keeping *k = context;
    const enum ks_scalar scalar = k->filling->elem.scalar;
    const uint16_t *half = (const void *)k->from;
    const float *single = (const void *)k->from;
    double *wide = (void *)k->out;
    float *narrow = (void *)k->out;
    (void)part;
    for (int64_t i = first; i < first + count; i++) {
        double value = scalar == KS_T_F32   ? (double)single[i]
                       : scalar == KS_T_F16 ? (double)ks_f16_to_f32(half[i])
                                            : (double)ks_bf16_to_f32(half[i]);
        value = number_kept(k->filling, value, (uint64_t)(k->first + i));
        if (k->filling->wide)
            wide[i] = value;
        else
            narrow[i] = (float)value;
    }
}

void ks_fill_keep(void *out, const void *from, const struct ks_filling *filling, int64_t first, int64_t count)
{
    const enum ks_scalar scalar = filling->elem.scalar;
    if (filling->wide || (filling->single && scalar == KS_T_F32))
        ks_parallel(count, keep_part, &(struct keeping){out, from, filling, first});
    else if (out != from)
        memcpy(out, from, (size_t)count * ks_scalar_size(scalar));
}
