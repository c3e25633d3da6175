#include "verify/literals.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/rng.h"
#include "verify/compare.h"
#include "verify/words.h"

#define SIZED 16              // of the first literals, that all values are made as large as
#define WHOLE_BITS (1 << 23) // integers from here on may be the bits of a float
#define RUN 64               // values that a pattern is planted in
#define RUN_SALT UINT64_C(0x11e7a15)
#define STRETCH 512          // values that are one number but for a few: flags of whole rows
#define FEW 128
#define LATTICE_LITERALS 6 // the first ones: those are compared with
#define STRETCH_SALT UINT64_C(0x57e7c4)

static void add_value(struct ks_literals *l, double value)
{
    value = fabs(value);
    if (!isfinite(value) || value == 0)
        return;
    for (size_t i = 0; i < l->n_values; i++)
        if (l->values[i] == value)
            return;
    if (l->n_values < KS_LITERALS)
        l->values[l->n_values++] = value;
}

static void add_whole(struct ks_literals *l, int64_t value)
{
    for (size_t i = 0; i < l->n_wholes; i++)
        if (l->wholes[i] == value)
            return;
    if (value > 1 && l->n_wholes < KS_LITERALS)
        l->wholes[l->n_wholes++] = value;
}

static double bits_of_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double bits_of_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// An integer, or the bits of a float.
static void add_bits(struct ks_literals *l, uint64_t whole)
{
    if (whole < WHOLE_BITS)
        add_value(l, (double)whole);
    else
        add_value(l, whole <= UINT32_MAX ? bits_of_float((uint32_t)whole) : bits_of_double(whole));
    add_whole(l, (int64_t)whole);
}

// A word of digits: 1777, 0f3EC00000, 0d3FD8000000000000.
static void add_number(struct ks_literals *l, struct ks_slice word)
{
    char text[24], *end;
    if (word.len >= sizeof text)
        return;
    memcpy(text, word.at, word.len);
    text[word.len] = '\0';
    char kind = word.len > 2 && text[0] == '0' ? (char)tolower((unsigned char)text[1]) : 0;
    if (kind == 'f' || kind == 'd') {
        uint64_t bits = strtoull(text + 2, &end, 16);
        if (*end == '\0')
            add_value(l, kind == 'f' ? bits_of_float((uint32_t)bits) : bits_of_double(bits));
        return;
    }
    uint64_t whole = strtoull(text, &end, 0);
    if (*end != '\0' || whole > INT64_MAX)
        return;
    add_bits(l, whole);
}

static bool compares(struct ks_slice opcode)
{
    struct ks_slice base = ks_word_base(opcode);
    return ks_slice_eq(base, "setp") || ks_slice_eq(base, "set") || ks_slice_eq(base, "min") ||
           ks_slice_eq(base, "max") || ks_slice_eq(base, "slct");
}

static void read_some(struct ks_literals *l, struct ks_slice ptx, bool compared)
{
    struct ks_words words = ks_words_of(ptx);
    bool wanted = false;
    while (ks_words_next(&words)) {
        struct ks_slice w = words.word;
        if (islower((unsigned char)w.at[0]))
            wanted = compares(w) == compared;
        else if (wanted && isdigit((unsigned char)w.at[0]) && words.before == ',')
            add_number(l, w);
        else if (wanted && isdigit((unsigned char)w.at[0]) && words.before == '-')
            add_number(l, w);
    }
}

// ".const .align 4 .b8 #1[8]={72,225,58,63,0,0,0,63}": words of four bytes, or of eight.
static void read_table(struct ks_literals *l, struct ks_slice text, size_t size)
{
    const char *at = text.at, *end = text.at + text.len;
    uint64_t whole = 0;
    for (size_t n = 0; at < end; at++) {
        if (!isdigit((unsigned char)*at))
            continue;
        unsigned byte = 0;
        for (; at < end && isdigit((unsigned char)*at); at++)
            byte = (byte * 10 + (unsigned)(*at - '0')) & 0xff;
        whole |= (uint64_t)byte << 8 * (n++ % size);
        if (n % size == 0) {
            add_bits(l, whole);
            whole = 0;
        }
    }
    if (whole != 0) // the last bytes are left out where they are zero
        add_bits(l, whole);
}

static void read_tables(struct ks_literals *l, struct ks_slice ptx)
{
    const char *at = ptx.at, *end = ptx.at + ptx.len;
    while ((at = memmem(at, (size_t)(end - at), ".const", 6)) != NULL) {
        const char *stop = at;
        while (stop < end && *stop != ';' && *stop != '\n') // the last line of canonical PTX ends with neither
            stop++;
        struct ks_slice line = {at, (size_t)(stop - at)};
        const char *open = memchr(line.at, '{', line.len), *equals = memchr(line.at, '=', line.len);
        struct ks_words value = ks_words_of((struct ks_slice){equals, equals == NULL ? 0 : (size_t)(stop - equals)});
        bool bytes = memmem(line.at, line.len, ".b8", 3) != NULL;
        while (!bytes && equals != NULL && ks_words_next(&value)) // ".f32 #5 = 0f3DFCD68E;"
            if (isdigit((unsigned char)value.word.at[0]))
                add_number(l, value.word);
        bool wide = memmem(line.at, line.len, ".align 8", 8) != NULL || memmem(line.at, line.len, ".align 16", 9) != NULL;
        bool words = bytes && (wide || memmem(line.at, line.len, ".align 4", 8) != NULL);
        if (open != NULL && words)
            read_table(l, (struct ks_slice){open, (size_t)(stop - open)}, 4);
        if (open != NULL && words && wide) // of doubles, or of vectors of floats
            read_table(l, (struct ks_slice){open, (size_t)(stop - open)}, 8);
        at = stop;
    }
}

void ks_literals_read(struct ks_literals *literals, struct ks_slice ptx)
{
    read_some(literals, ptx, true);
    read_some(literals, ptx, false);
    read_tables(literals, ptx);
}

void ks_literals_join(struct ks_literals *literals, const struct ks_literals *other)
{
    struct ks_literals own = *literals;
    literals->n_values = literals->n_wholes = 0;
    for (size_t i = 0; i < KS_LITERALS; i++) {
        if (i < own.n_values)
            add_value(literals, own.values[i]);
        if (i < other->n_values)
            add_value(literals, other->values[i]);
        if (i < own.n_wholes)
            add_whole(literals, own.wholes[i]);
        if (i < other->n_wholes)
            add_whole(literals, other->wholes[i]);
    }
}

double ks_literals_near(const struct ks_literals *literals, uint64_t which)
{
    if (literals->n_values == 0)
        return 0;
    size_t index = which % literals->n_values;
    if (which >> 40 & 1) // the first ones are compared with
        index /= 2;
    double value = literals->values[index];
    which /= literals->n_values;
    switch (which % 8) {
    case 4:
        value = (double)nextafterf((float)value, INFINITY);
        break;
    case 5:
        value = (double)nextafterf((float)value, 0);
        break;
    case 6:
        value *= 2;
        break;
    default:
        break;
    }
    if (literals->limit > 0 && value > literals->limit)
        value = 1;
    return which / 8 % 4 == 3 ? -value : value;
}

double ks_literals_turn(const struct ks_literals *literals, uint64_t turn)
{
    static const uint64_t kinds[] = {0, 6, 4, 5}; // as above
    uint64_t n = literals->n_values;
    if (n == 0)
        return 0;
    return ks_literals_near(literals, turn % n + n * (kinds[turn / n % 4] + (turn / n / 4 % 2 ? 24 : 0)));
}

// ---- planting

static void put_float(unsigned char *at, enum ks_scalar scalar, double value)
{
    float single = (float)value;
    uint16_t half;
    switch (scalar) {
    case KS_T_F64:
        memcpy(at, &value, sizeof value);
        return;
    case KS_T_F32:
        if (isfinite(single))
            memcpy(at, &single, sizeof single);
        return;
    case KS_T_F16:
        half = ks_f32_to_f16(fabsf(single) > 65504.F ? 65504.F : single);
        memcpy(at, &half, sizeof half);
        return;
    case KS_T_BF16:
        half = ks_f32_to_bf16(single);
        memcpy(at, &half, sizeof half);
        return;
    default:
        return;
    }
}

struct range {
    int64_t low, high; // both included
};

static int64_t to_whole(double value)
{
    return value >= 0x1p63 ? INT64_MAX : value <= -0x1p63 ? INT64_MIN : (int64_t)value;
}

// The range that an initialiser promises of integers; false where it promises more than a range.
static bool range_of(const struct ks_init *init, struct range *range)
{
    bool default_ = init->kind == KS_INIT_DEFAULT;
    *range = (struct range){default_ ? 0 : to_whole(ceil(init->a)),
                            default_ ? 99 : to_whole(floor(init->kind == KS_INIT_UNIFORM ? init->b - 1 : init->b))};
    return range->low <= range->high &&
           (default_ || init->kind == KS_INIT_UNIFORM || init->kind == KS_INIT_RANDINT);
}

static void put_whole(const struct ks_literals *l, unsigned char *at, enum ks_scalar scalar, struct range range,
                      uint64_t which)
{
    if (l->n_wholes == 0)
        return;
    int64_t value = l->wholes[which % l->n_wholes] + (int64_t)(which / KS_LITERALS % 3) - 1;
    if (which / 128 % 4 == 3)
        value = -value;
    if (value >= range.low && value <= range.high)
        memcpy(at, &value, ks_scalar_size(scalar)); // little endian
}

// Element `i` of a run whose values go up or down by one, or by a few, as sorted indices do; at an end of the range
// they go on at the other.
static int64_t in_step(struct range range, uint64_t run, uint64_t i)
{
    uint64_t n = (uint64_t)range.high - (uint64_t)range.low + 1; // 0: 2^64
    uint64_t gone = i * (run >> 8 & 1 ? 1 + (run >> 9) % 8 : 1), from = run >> 12;
    if (n != 0) {
        gone %= n;
        from %= n;
    }
    if (run >> 4 & 1)
        gone = n - gone;
    uint64_t offset = n == 0 || from < n - gone ? from + gone : from - (n - gone);
    return (int64_t)((uint64_t)range.low + offset);
}

// One of the range's ends, or beside it.
static int64_t end_of(struct range range, uint64_t which)
{
    int64_t beside = range.low < range.high && which % 4 == 3;
    return which >> 2 & 1 ? range.high - beside : range.low + beside;
}

size_t ks_literals_kinds(const struct ks_literals *l)
{
    return !l->scattered ? 0 : l->n_values < SIZED ? l->n_values : SIZED;
}

int ks_literals_kind(const struct ks_literals *l, uint64_t seed)
{
    size_t n = ks_literals_kinds(l);
    uint64_t h = ks_hash_counter(seed ^ UINT64_C(0x512e), UINT64_MAX), which = n > 0 ? h % (2 * n) : 0;
    if (n > 0 && which < n)
        return (int)which;
    return h >> 62 == 0 ? KS_LITERALS_STEPS : KS_LITERALS_MIXED;
}

// What all values are multiplied by, so that they lie about a number which the kernels compare with, on both sides of
// it: where terms are added, a few such among larger ones would show nothing of a threshold. 0: they are not.
static double size_of(const struct ks_literals *l, enum ks_scalar scalar, uint64_t seed)
{
    int kind = ks_literals_kind(l, seed);
    double size = kind >= 0 ? l->values[kind] : 0;
    bool moderate = size >= (scalar == KS_T_F16 ? 0x1p-8 : 0x1p-40) && size <= (l->limit > 0 ? l->limit : 0x1p40);
    return moderate ? size : 0;
}

// Zero, a power of two or a number beside one, of either sign: there integers change their length. An end of the range
// where such a one lies outside.
static int64_t power_of(struct range range, uint64_t which)
{
    uint64_t most = range.high > 0 ? (uint64_t)range.high : 0, least = range.low < 0 ? -(uint64_t)range.low : 0, bits = 0;
    for (most |= least; bits < 62 && most >> bits != 0;)
        bits++;
    int64_t value = (INT64_C(1) << which % (bits + 1)) + (int64_t)(which / 64 % 3) - 1;
    if (which >> 40 & 1)
        value = -value;
    return value >= range.low && value <= range.high ? value : end_of(range, which >> 41);
}

// Halfway between two floats that follow each other, or two doubles, or beside such a number: there a conversion rounds
// to either side. A power of two where the range has none.
static int64_t halfway_of(struct range range, uint64_t which)
{
    uint64_t most = range.high > 0 ? (uint64_t)range.high : 0, least = range.low < 0 ? -(uint64_t)range.low : 0;
    int bits = 0, digits = which >> 44 & 1 ? 53 : 24;
    for (most |= least; bits < 62 && most >> bits != 0;)
        bits++;
    if (bits <= digits + 1)
        digits = 24;
    if (bits <= digits + 1)
        return power_of(range, which);
    int64_t head = INT64_C(1) << digits | (int64_t)(which >> 8 & ((UINT64_C(1) << (digits < 32 ? digits : 32)) - 1)) | 1;
    int64_t value = (head << which % (uint64_t)(bits - digits)) + (int64_t)(which / 64 % 3) - 1;
    if (which >> 40 & 1 && range.low < 0)
        value = -value;
    return value >= range.low && value <= range.high ? value : end_of(range, which >> 41);
}

static void plant_wholes(const struct ks_literals *literals, struct ks_elem elem, const struct ks_init *init,
                         uint64_t seed, uint64_t count, unsigned char *at)
{
    enum { PATTERNS = 8 };
    size_t size = ks_scalar_size(elem.scalar);
    struct range range = {0, 1};
    if (elem.scalar != KS_T_BOOL && !range_of(init, &range))
        return;
    for (uint64_t i = 0; i < count; i++, at += size) {
        uint64_t run = ks_hash_counter(seed ^ RUN_SALT, i / RUN), own = ks_hash_counter(seed, i);
        uint64_t stretch = ks_hash_counter(seed ^ STRETCH_SALT, i / STRETCH), pattern = run % PATTERNS;
        bool alike = stretch % (range.high - 1 <= range.low ? 2 : PATTERNS) == 0;
        int64_t value = alike ? end_of(range, stretch >> 8 ^ (own % FEW == 0 ? 4 : 0))
                        : pattern < PATTERNS - 1 ? in_step(range, run, i % RUN)
                        : own >> 63 ? power_of(range, own) : own >> 62 ? halfway_of(range, own) : end_of(range, own);
        if (pattern >= PATTERNS / 2 || alike)
            memcpy(at, &value, size); // little endian
        else if (pattern > 0 && !literals->scattered)
            put_whole(literals, at, elem.scalar, range, (run >> 8) + (pattern == 1 ? i % 2 : 0));
        else if (own % 4 == 0)
            put_whole(literals, at, elem.scalar, range, own / 4);
    }
}

void ks_literals_runs(const struct ks_literals *literals, struct ks_elem elem, const struct ks_init *init, int64_t length,
                      uint64_t seed, int64_t count, void *data)
{
    enum { ANY, ANOTHER, END, LITERAL, MIXED, PATTERNS };
    const size_t size = ks_scalar_size(elem.scalar);
    unsigned char *at = data;
    struct range range = {0, 1};
    if (elem.scalar != KS_T_BOOL && !range_of(init, &range))
        return;
    for (int64_t i = 0; i < count * elem.lanes; i++, at += size) {
        const uint64_t run = ks_hash_counter(seed ^ RUN_SALT, (uint64_t)(i / length)), pattern = run % PATTERNS;
        const int64_t value = pattern == END ? end_of(range, run >> 8) : in_step(range, run, 0);
        if (pattern != MIXED) // where there are others than those that are drawn
            memcpy(at, &value, size); // little endian
        if (pattern == LITERAL)
            put_whole(literals, at, elem.scalar, range, run >> 8);
    }
}

// A small multiple of a number that is divided by, or a small number divided by it, or what is next to that: there a
// quotient that is cut to a whole one goes to either side. Odd halves of it too, where one that is rounded does; now and
// then of 1.
static double multiple(const struct ks_literals *l, const struct ks_scalars *scalars, enum ks_scalar type, uint64_t which)
{
    uint64_t h = ks_hash_counter(which, l->n_values);
    bool free = scalars != NULL && scalars->n > 0 && (l->n_values == 0 || h >> 63);
    bool plain = l->n_values == 0 || (h >> 48 & 7) == 0;
    double number = free ? fabs(scalars->at[h % scalars->n]) : plain ? 1 : l->values[h % l->n_values];
    uint64_t halves = 1 + (h >> 16 & (h >> 25 & 1 ? 127 : 15));
    double times = (double)halves / 2, value = h >> 24 & 1 ? times * number : times / number;
    if (number == 0 || !isfinite(value))
        return 0;
    double beside = h >> 32 & 1 ? 0 : h >> 33 & 1 ? 1.1 : -1.1;
    value += beside * ks_compare_rounding(type, value);
    if (l->limit > 0 && value > l->limit)
        value = 1;
    return (h >> 40 & 3) == 3 ? -value : value;
}

// Steps of half a number up to a literal times that number, which itself comes here and there. What scales rows by
// their largest, to that literal, and rounds them meets what lies halfway. A number of few bits keeps the steps exact, and one
// whose reciprocal as a float errs much shows who multiplies by that.
struct steps {
    double number, most; // most: literal; 0: there is none
};

static bool is_whole(const struct ks_literals *l, double value)
{
    for (size_t i = 0; i < l->n_wholes; i++)
        if ((double)l->wholes[i] == value)
            return true;
    return false;
}

static struct steps steps_of(const struct ks_literals *l, enum ks_scalar type, uint64_t seed)
{
    struct steps steps = {0};
    if (ks_literals_kind(l, seed) != KS_LITERALS_STEPS)
        return steps;
    uint64_t h = ks_hash_counter(seed ^ UINT64_C(0x57e9), UINT64_MAX);
    for (size_t i = 0; i < 2 * l->n_values && steps.most == 0; i++) { // integers, as indices have, if there are no others
        double value = l->values[(h + i) % l->n_values];
        if (value >= 2 && value <= 0x1p12 && (i >= l->n_values || !is_whole(l, value)))
            steps.most = value;
    }
    double end = type == KS_T_F16 ? 0x1p15 : 0x1p40;
    steps.number = 1 + (double)(h >> 40 & (ks_scalar_size(type) < 4 ? 15 : 255));
    while (h >> 48 & 3 && fabs(steps.number * (double)(float)(1 / steps.number) - 1) < 0x1p-25)
        steps.number++;
    while (steps.number * steps.most > (l->limit > 0 && l->limit < end ? l->limit : end))
        steps.number /= 2;
    return steps;
}

static double step_of(const struct steps *steps, uint64_t which)
{
    uint64_t n = (uint64_t)(2 * steps->most);
    double halves = which % RUN == 0 ? 2 * steps->most : (double)(1 + (which >> 8) % n);
    return (which >> 63 ? -0.5 : 0.5) * halves * steps->number;
}

void ks_literals_plant(const struct ks_literals *literals, const struct ks_scalars *scalars, struct ks_elem elem,
                       const struct ks_init *init, uint64_t seed, int64_t count, void *data)
{
    enum { SCATTERED, EQUAL, RISING, ALTERNATING, MULTIPLES, PATTERNS };
    size_t size = ks_scalar_size(elem.scalar);
    uint64_t n = (uint64_t)count * (uint64_t)elem.lanes;
    unsigned char *at = data;
    if (!ks_scalar_is_float(elem.scalar)) {
        plant_wholes(literals, elem, init, seed, n, at);
        return;
    }
    double sized = size_of(literals, elem.scalar, seed), first = 0;
    for (uint64_t i = 0; sized > 0 && i < n; i++)
        put_float(at + i * size, elem.scalar, sized * ks_scalar_value(elem.scalar, at, (int64_t)i));
    struct steps steps = steps_of(literals, elem.scalar, seed);
    for (uint64_t i = 0; steps.most > 0 && i < n; i++)
        put_float(at + i * size, elem.scalar, step_of(&steps, ks_hash_counter(seed, i)));
    if (sized > 0 || steps.most > 0)
        return;
    for (uint64_t i = 0; i < n; i++, at += size) {
        uint64_t run = ks_hash_counter(seed ^ RUN_SALT, i / RUN), own = ks_hash_counter(seed, i);
        uint64_t pattern = literals->scattered ? SCATTERED : run % PATTERNS;
        if (pattern == SCATTERED && own % 4 != 0)
            continue;
        uint64_t which = pattern == SCATTERED ? own / 4 : (run >> 8) + (pattern == ALTERNATING ? i % 2 : 0);
        bool times = pattern == MULTIPLES || (literals->scattered && own >> 63);
        double value = times ? multiple(literals, scalars, elem.scalar, own) : ks_literals_near(literals, which);
        if (value == 0)
            value = which % 2 == 0 ? 1 : -0.5;
        if (pattern == RISING && run >> 63) { // lower precision takes them for equal
            first = i % RUN == 0 ? ks_scalar_value(elem.scalar, at, 0) : first;
            value = first + (double)(i % RUN) * 2 * ks_compare_rounding(elem.scalar, first);
        } else if (pattern == RISING) {
            value *= 1 + (double)(i % RUN) / RUN;
        }
        put_float(at, elem.scalar, value);
    }
}

static double base_of(const struct ks_literals *l, const struct ks_scalars *scalars, unsigned which, enum ks_scalar scalar)
{
    size_t literals = l->n_values < LATTICE_LITERALS ? l->n_values : LATTICE_LITERALS, i = which / 2;
    if (i >= literals + scalars->n)
        return 0;
    double number = i < literals ? l->values[i] : fabs(scalars->at[i - literals]);
    double root = scalar == KS_T_F64 ? sqrt(number) : (double)(float)sqrt(number);
    bool exact = scalar == KS_T_F64 ? root * root == number : (float)(root * root) == (float)number;
    bool moderate = number >= 0x1p-40 && number <= (l->limit > 0 ? l->limit : 0x1p40);
    return !moderate || (which % 2 == 1 && !exact) ? 0 : which % 2 == 1 ? root : number;
}

double ks_literals_base(const struct ks_literals *literals, const struct ks_scalars *scalars, unsigned which,
                        enum ks_scalar scalar)
{
    double base = base_of(literals, scalars, which, scalar);
    for (unsigned i = 0; base != 0 && i < which; i++)
        if (base_of(literals, scalars, i, scalar) == base)
            return 0;
    return base;
}

void ks_literals_lattice(double base, struct ks_elem elem, uint64_t seed, int64_t count, void *data)
{
    const double numbers[] = {0, 0, 0, 0, base, -base, 1, -1};
    size_t size = ks_scalar_size(elem.scalar);
    unsigned char *at = data;
    for (uint64_t i = 0; i < (uint64_t)count * (uint64_t)elem.lanes; i++)
        put_float(at + i * size, elem.scalar, numbers[ks_hash_counter(seed, i) >> 61]);
}
