#include "workload/fill.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/num.h"
#include "base/rng.h"
#include "workload/values.h"

#define PRODUCT_BITS 300 // of the 1024 that double has
#define POSITION_MODULUS 4093 // prime: no stride of a tile or row lands on the same value
#define SPECIAL_ONE_IN 64
#define DENSE_ONE_IN 4
#define STRETCH_ONE_IN 2
#define LEAST_STRETCH 8
#define TINY_ONE_IN 8

const char *ks_family_name(enum ks_family family)
{
    static const char *const names[KS_FAMILY_COUNT] = {"declared", "positive", "wide", "position",
                                                       "impulse",  "exact",    "special",  "literals", "tiny",
                                                       "powers",   "extreme",  "great",    "slight"};
    return family >= 0 && family < KS_FAMILY_COUNT ? names[family] : "?";
}

bool ks_family_applies(enum ks_family family, const struct ks_elem elem)
{
    return family == KS_FAMILY_DECLARED || family == KS_FAMILY_LITERALS || ks_scalar_is_float(elem.scalar);
}

// ---- storing one scalar

static double largest(enum ks_scalar scalar)
{
    switch (scalar) {
    case KS_T_F16:
        return 65504.0;
    case KS_T_BF16:
        return 0x1.FEp127;
    case KS_T_F32:
        return 0x1.fffffep127;
    default:
        return 0x1.fffffffffffffp1023;
    }
}

// Smallest positive denormal of the type.
static double smallest(enum ks_scalar scalar)
{
    switch (scalar) {
    case KS_T_F16:
        return 0x1p-24;
    case KS_T_BF16:
        return 0x1p-133;
    case KS_T_F32:
        return 0x1p-149;
    default:
        return 0x1p-1074;
    }
}

static double smallest_normal(enum ks_scalar scalar)
{
    return scalar == KS_T_F16 ? 0x1p-14 : scalar == KS_T_F64 ? 0x1p-1022 : 0x1p-126;
}

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

static int64_t to_int(double value)
{
    if (value != value)
        return 0;
    if (value >= 0x1p63)
        return INT64_MAX;
    if (value <= -0x1p63)
        return INT64_MIN;
    return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

// ---- declared initialisers

static int64_t randint(const struct ks_init *init, uint64_t seed, uint64_t i)
{
    int64_t lo = to_int(init->a), hi = to_int(init->b);
    if (hi < lo)
        hi = lo;
    uint64_t h = ks_hash_counter(seed, i), width = (uint64_t)hi - (uint64_t)lo;
    if (width == UINT64_MAX)
        return (int64_t)h;
    uint64_t step = (uint64_t)((unsigned __int128)h * (width + 1) >> 64);
    return (int64_t)((uint64_t)lo + step);
}

// Integers when the parameters are, so that long ramps stay exact beyond 2^53.
static int64_t ramp(const struct ks_init *init, uint64_t i)
{
    if (init->a == (double)to_int(init->a) && init->b == (double)to_int(init->b))
        return (int64_t)((uint64_t)to_int(init->a) + (uint64_t)to_int(init->b) * i);
    return to_int(init->a + init->b * (double)i);
}

// Numbers of one buffer. Normal ones come in pairs, so the last pair is kept.
struct source {
    uint64_t seed, n; // n: scalars in the whole buffer
    uint64_t pair;    // of `normals`; UINT64_MAX: none
    double normals[2];
    bool normal;  // specials without denormals
    bool factors; // wide numbers whose product is a double
};

static double normal(struct source *source, uint64_t i)
{
    if (source->pair != i / 2)
        ks_value_normal_pair(source->seed, i / 2, source->normals);
    source->pair = i / 2;
    return source->normals[i & 1];
}

static void declared_float(void *out, enum ks_scalar scalar, const struct ks_init *init,
                           struct source *source, uint64_t i)
{
    uint64_t seed = source->seed;
    double value = 0;
    switch (init->kind) {
    case KS_INIT_UNIFORM:
        value = init->a + (init->b - init->a) * ks_value_unit(seed, i);
        // Rounding to the type may reach the excluded end.
        if (store_float(out, scalar, value) >= init->b && init->b > init->a)
            store_float(out, scalar, init->a);
        return;
    case KS_INIT_DEFAULT:
        value = normal(source, i);
        break;
    case KS_INIT_NORMAL:
        value = init->a + init->b * normal(source, i);
        break;
    case KS_INIT_RANDINT:
        value = (double)randint(init, seed, i);
        break;
    case KS_INIT_IOTA:
        value = init->a + init->b * (double)i;
        break;
    case KS_INIT_PERMUTATION:
        value = (double)ks_value_permuted(seed, i, source->n);
        break;
    case KS_INIT_CONSTANT:
    case KS_INIT_FILE:
    case KS_INIT_CAPTURE:
        value = init->a;
        break;
    }
    store_float(out, scalar, value);
}

static int64_t declared_int(enum ks_scalar scalar, const struct ks_init *init,
                            struct source *source, uint64_t i)
{
    uint64_t seed = source->seed;
    static const struct ks_init digits = {.kind = KS_INIT_RANDINT, .a = 0, .b = 99};
    switch (init->kind) {
    case KS_INIT_UNIFORM:
        return to_int(floor(init->a + (init->b - init->a) * ks_value_unit(seed, i)));
    case KS_INIT_NORMAL:
        return to_int(init->a + init->b * normal(source, i));
    case KS_INIT_RANDINT:
        return randint(init, seed, i);
    case KS_INIT_IOTA:
        return ramp(init, i);
    case KS_INIT_PERMUTATION:
        return (int64_t)ks_value_permuted(seed, i, source->n);
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

// A NaN hides all else from what adds or compares many numbers, so buffers take turns: any specials, without NaN
// those of one infinity or the other, one special alone among ordinary numbers (as often at an end as elsewhere), or so
// many that the first of some row is one, and both ends are. Zeros stand beside another input's specials. In stretches
// of one special, half of some two to 16 that the buffer has, whole rows and windows have no number: infinities, the
// negative one as a rule, or none at all.
enum palette {
    ANY, DENSE, PLUS, LONE = KS_FILL_LONE, MINUS, ZEROS = KS_FILL_ZEROS, STRETCHES = KS_FILL_STRETCHES,
    BLANKS = KS_FILL_BLANKS
};

static uint64_t turn_of(uint64_t seed)
{
    return ks_hash_counter(seed ^ UINT64_C(0x5bec1a15), UINT64_MAX);
}

int ks_fill_palette(uint64_t seed)
{
    return (int)(turn_of(seed) % KS_FILL_PALETTES);
}

// Of either sign: who looks at that bit alone takes one of them for a number. And all ones, as arithmetic on a GPU
// makes them: who rounds the bits like a number's gets zero from that.
static double no_number(uint64_t chance)
{
    uint64_t bits = chance & 1 ? UINT64_C(0x7fffffffffffffff) : UINT64_C(0x7ff8000000000000);
    double value;
    memcpy(&value, &bits, sizeof value);
    return chance & 2 ? -value : value;
}

static double special(enum ks_scalar scalar, struct source *source, uint64_t i)
{
    uint64_t seed = source->seed ^ UINT64_C(0x5bec1a15), turn = turn_of(source->seed);
    enum palette palette = (enum palette)(turn % KS_FILL_PALETTES);
    uint64_t part = source->n / (UINT64_C(2) << turn / 1024 % 4), length = part > LEAST_STRETCH ? part : LEAST_STRETCH;
    bool alike = palette == STRETCHES || palette == BLANKS;
    uint64_t h = ks_hash_counter(seed, alike ? i / length : i), kind = h / SPECIAL_ONE_IN % 7;
    double least = source->normal ? smallest_normal(scalar) : smallest(scalar);
    uint64_t end = turn / 16 % 4, lone = end == 0 ? 0 : end == 1 ? source->n - 1 : turn / 64 % source->n;
    if (palette == ZEROS)
        return h & 1 ? h >> 40 & 1 ? -0.0 : 0.0 : normal(source, i);
    bool first_or_last = i == 0 || i + 1 == source->n;
    uint64_t one_in = alike ? STRETCH_ONE_IN : palette == DENSE ? DENSE_ONE_IN : SPECIAL_ONE_IN;
    if (palette == LONE ? i != lone : h % one_in != 0 && !(palette == DENSE && first_or_last))
        return normal(source, i);
    if (palette == LONE || palette == DENSE)
        kind = palette == LONE ? turn / KS_FILL_PALETTES % 3 : kind % 3;
    else if (alike) // what masks leave out is least
        kind = palette == BLANKS ? 0 : kind < 5 ? 2 : 1;
    else if (palette != ANY && kind < 3)
        kind = palette == PLUS ? 1 : 2;
    switch (kind) {
    case 0:
        return no_number(h >> 40);
    case 1:
        return (double)INFINITY;
    case 2:
        return -(double)INFINITY;
    case 3:
        return 0.0;
    case 4:
        return -0.0;
    case 5:
        return least * 3;
    default:
        return -least * 3;
    }
}

// In units of the smallest: so many that the quotient of 1 is beyond the largest, and seldom few.
double ks_fill_tiny(enum ks_scalar scalar, uint64_t chance)
{
    int bits = scalar == KS_T_F16 ? 7 : scalar == KS_T_BF16 ? 4 : scalar == KS_T_F32 ? 20 : 49;
    double value = smallest(scalar) * (double)(1 + (chance >> 1 & ((UINT64_C(1) << bits) - 1)));
    return chance & 1 ? -value : value;
}

static double tiny(enum ks_scalar scalar, struct source *source, uint64_t i)
{
    uint64_t h = ks_hash_counter(source->seed ^ UINT64_C(0x71a7), i);
    if (h % TINY_ONE_IN == 0)
        return ks_fill_tiny(scalar, h / TINY_ONE_IN);
    return normal(source, i) * (scalar == KS_T_F16 ? 0x1p-4 : 0x1p-20);
}

double ks_fill_extreme(enum ks_scalar scalar, uint64_t chance)
{
    int low = ilogb(smallest(scalar)), high = ilogb(largest(scalar)) + 1;
    double exponent = low + (high - low) * ((double)(chance >> 12) * 0x1p-52), whole = floor(exponent);
    double size = fmin(ldexp(ks_value_exp2(exponent - whole), (int)whole), largest(scalar));
    return chance & 1 ? -size : size;
}

// A power of two so great that no sum of normal numbers times it overflows in fp32, and each square does. None is for
// fp16, and what a sum of doubles is measured by has fp32's range.
static double great(enum ks_scalar scalar)
{
    return scalar == KS_T_F32 || scalar == KS_T_BF16 ? 0x1p100 : 1;
}

// Of either sign, and every other run of 64, 256 or 1024 of one: what begins at -1e20 is seen by rows that lie below.
static double great_value(enum ks_scalar scalar, struct source *source, uint64_t i)
{
    double value = normal(source, i) * great(scalar);
    uint64_t run = i >> (6 + 2 * (turn_of(source->seed) % 3));
    return (run & 1) == 0 ? value : (run & 2) == 0 ? -fabs(value) : fabs(value);
}

static double family_value(enum ks_family family, enum ks_scalar scalar, struct source *source,
                           uint64_t i)
{
    uint64_t seed = source->seed;
    uint64_t h = ks_hash_counter(seed, i);
    switch (family) {
    case KS_FAMILY_POSITIVE:
        return ks_value_unit(seed, i);
    case KS_FAMILY_WIDE: {
        // binary16 ends at 2^16 and loses bits below 2^-14. Some buffers reach both; of most the products fit, for where
        // nearly all sums are infinite little else is seen.
        double span = scalar != KS_T_F16 ? 20 : turn_of(seed) % 4 == 0 ? 12 : 8;
        if (source->factors) // of all together the exponent deviates by span * sqrt(n / 3)
            span = fmin(span, PRODUCT_BITS / sqrt((double)source->n / 3));
        double power = ks_value_exp2(-span + 2 * span * ks_value_unit(seed, i));
        return ks_hash_counter(~seed, i) >> 63 ? -power : power;
    }
    case KS_FAMILY_POSITION:
        return (double)(i % POSITION_MODULUS);
    case KS_FAMILY_IMPULSE:
        // Zeros of either sign: who orders the bits takes one for the larger.
        return i == ks_hash_counter(seed, 0) % source->n ? 1.0 : h >> 63 ? -0.0 : 0.0;
    case KS_FAMILY_EXACT: // +-1, 3, 5, 7: sums of 2^18 products of two stay below 2^24
        return (h >> 63 ? -1.0 : 1.0) * (double)(1 + 2 * (h >> 61 & 3));
    case KS_FAMILY_POWERS:
        return (h >> 63 ? -1.0 : 1.0) * (double)(1 << (h >> 61 & 3));
    case KS_FAMILY_TINY:
        return tiny(scalar, source, i);
    case KS_FAMILY_EXTREME:
        return ks_fill_extreme(scalar, h);
    case KS_FAMILY_GREAT:
        return great_value(scalar, source, i);
    case KS_FAMILY_SLIGHT:
        return normal(source, i) / great(scalar);
    default:
        return special(scalar, source, i);
    }
}

void ks_fill(void *out, struct ks_elem elem, const struct ks_init *init, enum ks_family family,
             uint64_t seed, int64_t total, int64_t first, int64_t count)
{
    unsigned char *at = out;
    uint64_t lanes = (uint64_t)elem.lanes;
    struct source source = {.seed = seed, .n = (uint64_t)total * lanes, .pair = UINT64_MAX,
                            .normal = init->normal, .factors = init->factors};
    uint64_t i = (uint64_t)first * lanes, end = i + (uint64_t)count * lanes;
    size_t size = ks_scalar_size(elem.scalar);
    // Lanes follow each other without gaps in every type of struct ks_elem.
    if (!ks_scalar_is_float(elem.scalar)) {
        for (; i < end; i++, at += size)
            store_int(at, elem.scalar, declared_int(elem.scalar, init, &source, i));
    } else if (family == KS_FAMILY_DECLARED || family == KS_FAMILY_LITERALS) {
        for (; i < end; i++, at += size)
            declared_float(at, elem.scalar, init, &source, i);
    } else {
        for (; i < end; i++, at += size) {
            double value = family_value(family, elem.scalar, &source, i);
            if (store_float(at, elem.scalar, value) >= 1.0 && family == KS_FAMILY_POSITIVE)
                store_float(at, elem.scalar, 0.0); // rounded up to the excluded end
        }
    }
}

// ---- the whole buffer on all cores

#define MAX_THREADS 64
#define MIN_PER_THREAD 65536 // elements; below, starting a thread costs more than it saves

struct part {
    unsigned char *out;
    struct ks_elem elem;
    const struct ks_init *init;
    enum ks_family family;
    uint64_t seed;
    int64_t total, first, count;
};

static void *fill_part(void *context)
{
    struct part *p = context;
    ks_fill(p->out, p->elem, p->init, p->family, p->seed, p->total, p->first, p->count);
    return NULL;
}

static int64_t usable_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int n = CPU_COUNT(&set);
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : n;
}

enum ks_status ks_fill_range(void *out, struct ks_elem elem, const struct ks_init *init, enum ks_family family,
                             uint64_t seed, int64_t total, int64_t first, int64_t count, struct ks_err *err)
{
    if (elem.scalar == KS_T_NONE || elem.size == 0)
        KS_FAIL(err, KS_E_USER, "elements of an unknown type cannot be filled; name the type in "
                                "the array clause");
    if (ks_init_is_read(init))
        KS_FAIL(err, KS_E_INTERNAL, "\"%s\" is read by ks_fill_read", init->path);
    struct part parts[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    int64_t wanted = count / MIN_PER_THREAD + 1, n = usable_cores(), started = 0;
    if (n > wanted)
        n = wanted;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = count / n * i + (i < count % n ? i : count % n);
        parts[i] = (struct part){(unsigned char *)out + (size_t)at * elem.size, elem, init,
                                 family, seed, total, first + at, count / n + (i < count % n)};
        // The last part, and any for which there is no thread, is done here.
        if (i == n - 1 || pthread_create(&threads[started], NULL, fill_part, &parts[i]) != 0)
            fill_part(&parts[i]);
        else
            started++;
    }
    for (int64_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return KS_OK;
}

enum ks_status ks_fill_all(void *out, struct ks_elem elem, const struct ks_init *init, enum ks_family family,
                           uint64_t seed, int64_t total, struct ks_err *err)
{
    return ks_fill_range(out, elem, init, family, seed, total, 0, total, err);
}

static double factor(uint64_t pattern, uint64_t index)
{
    if (pattern & KS_FILL_BACK)
        return 1 - (factor(pattern & ~KS_FILL_BACK, index) - 1) / 2;
    int exponent = (int)(pattern / KS_FILL_PATTERNS);
    double move = exponent == 0 ? KS_FILL_MOVE : ldexp(1, -exponent);
    pattern %= KS_FILL_PATTERNS;
    if (pattern == 0)
        return 1;
    if (pattern == KS_FILL_ALIKE)
        return 1 + move;
    uint64_t bits = ks_hash_counter(pattern, index);
    double size = move * (0.5 + (double)(bits >> 11) * 0x1p-53);
    return bits & 1 ? 1 + size : 1 - size;
}

double ks_fill_moved(double value, uint64_t pattern, uint64_t index)
{
    if (pattern != KS_FILL_UNITS)
        return value * factor(pattern, index);
    return isfinite(value) && value != 0 ? copysign(1, value) : value;
}
