// The original's floating arithmetic, read from its canonical PTX; see gate.h.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "verify/gate.h"
#include "verify/words.h"

static double type_u(struct ks_slice w)
{
    if (ks_word_part(w, "bf16") || ks_word_part(w, "bf16x2"))
        return 0x1p-8;
    if (ks_word_part(w, "f16") || ks_word_part(w, "f16x2"))
        return 0x1p-11;
    if (ks_word_part(w, "f32") || ks_word_part(w, "f32x2"))
        return 0x1p-24;
    return ks_word_part(w, "f64") ? 0x1p-53 : 0;
}

// 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX.
static bool literal(struct ks_slice w, double *value)
{
    char hex[17];
    bool narrow = w.len == 10 && w.at[0] == '0' && tolower((unsigned char)w.at[1]) == 'f';
    bool wide = w.len == 18 && w.at[0] == '0' && tolower((unsigned char)w.at[1]) == 'd';
    if (!narrow && !wide)
        return false;
    memcpy(hex, w.at + 2, w.len - 2);
    hex[w.len - 2] = '\0';
    char *end;
    uint64_t bits = strtoull(hex, &end, 16);
    if (*end != '\0')
        return false;
    if (narrow) {
        uint32_t low = (uint32_t)bits;
        float f;
        memcpy(&f, &low, sizeof f);
        *value = (double)f;
    } else {
        memcpy(value, &bits, sizeof *value);
    }
    return true;
}

// A conversion that has an integer on one side.
static bool is_of_integer(struct ks_slice w)
{
    static const char *const types[] = {"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (ks_word_part(w, types[i]))
            return true;
    return false;
}

// The loop by which sinf, cosf and tanf bring a great argument below a turn: a product of whole words into a thread's own memory,
// in which nothing meets but one number and a table.
static bool is_reduction(struct ks_slice body)
{
    static const char *const others[] = {"bar", "barrier", "shfl", "atom", "red", "call", NULL};
    struct ks_words words = ks_words_of(body);
    bool multiplies = false, kept = false;
    while (ks_words_next(&words)) {
        const struct ks_slice w = words.word, base = ks_word_base(w);
        if (type_u(w) != 0 || ks_word_one_of(base, others) || (ks_slice_eq(base, "st") && !ks_word_part(w, "local")))
            return false;
        multiplies = multiplies || (ks_slice_eq(base, "mad") && ks_word_part(w, "wide") && ks_word_part(w, "u32"));
        kept = kept || ks_slice_eq(base, "st");
    }
    return multiplies && kept;
}

// A branch back to a label that stands before it.
static bool loops(struct ks_slice text)
{
    struct ks_slice seen[256];
    size_t n = 0;
    const char *end = text.at + text.len;
    for (const char *line = text.at, *eol; line < end; line = eol + 1) {
        eol = memchr(line, '\n', (size_t)(end - line));
        if (eol == NULL)
            eol = end;
        struct ks_slice s = ks_slice_trim((struct ks_slice){line, (size_t)(eol - line)});
        if (s.len > 1 && s.at[s.len - 1] == ':') {
            if (n == sizeof seen / sizeof *seen)
                return true; // so many labels
            seen[n++] = (struct ks_slice){s.at, s.len - 1};
        } else if (memmem(s.at, s.len, "bra", 3) != NULL && s.at[s.len - 1] == ';') {
            const char *space = memrchr(s.at, ' ', s.len);
            size_t at = space == NULL ? 0 : (size_t)(space + 1 - s.at);
            for (size_t i = 0; i < n; i++)
                if (s.len - 1 - at == seen[i].len && memcmp(s.at + at, seen[i].at, seen[i].len) == 0 &&
                    !is_reduction((struct ks_slice){seen[i].at, (size_t)(s.at - seen[i].at)}))
                    return true;
        }
    }
    return false;
}

bool ks_goes_by_floats(struct ks_slice text)
{
    static const char *const wholes[] = {"s32", "u32", "s64", "u64", NULL};
    struct ks_words words = ks_words_of(text);
    bool there = false, back = false;
    while (ks_words_next(&words)) {
        struct ks_slice w = words.word;
        bool is_float = ks_word_part(w, "f32") || ks_word_part(w, "f64"), whole = false;
        if (!ks_slice_eq(ks_word_base(w), "cvt") || !is_float)
            continue;
        for (size_t i = 0; wholes[i] != NULL; i++)
            whole = whole || ks_word_part(w, wholes[i]);
        bool to_whole = ks_word_has(w, ".rzi") || ks_word_has(w, ".rni") || ks_word_has(w, ".rmi") || ks_word_has(w, ".rpi");
        there = there || (whole && !to_whole);
        back = back || (whole && to_whole);
    }
    return there && back;
}

struct ks_adds ks_adds_of(struct ks_slice text)
{
    struct ks_adds adds = {false, false};
    struct ks_words words = ks_words_of(text);
    while (ks_words_next(&words)) {
        struct ks_slice w = words.word, base = ks_word_base(w);
        if (!ks_word_one_of(base, (const char *const[]){"add", "sub", "fma", "mad", "mma", "wmma", "wgmma", NULL}) &&
            !(ks_word_part(w, "add") && ks_word_one_of(base, (const char *const[]){"atom", "red", NULL})))
            continue;
        adds.single = adds.single || ks_word_part(w, "f32") || ks_word_part(w, "f32x2");
        adds.twice = adds.twice || ks_word_part(w, "f64");
    }
    return adds;
}

bool ks_adds_fall_short(struct ks_adds original, struct ks_adds candidate)
{
    return original.twice && candidate.single && (!original.single || !candidate.twice);
}

bool ks_sums_on_tensor_cores(struct ks_slice text)
{
    struct ks_words words = ks_words_of(text);
    while (ks_words_next(&words))
        if (ks_word_one_of(ks_word_base(words.word), (const char *const[]){"mma", "wmma", "wgmma", NULL}) &&
            ks_word_part(words.word, "f32"))
            return true;
    return false;
}

struct ks_arith ks_arith_of(struct ks_slice original)
{
    static const char *const sums[] = {"add", "sub", "mul", "fma", "mad", "mma", "wmma", NULL};
    static const char *const exact[] = {"min", "max", "abs", "neg", "mov", "ld", "ldu", "st",
                                        "shfl", "atom", "red", NULL};
    static const char *const choices[] = {"setp", "set", "selp", "slct", "testp", "copysign", NULL};
    static const char *const only_moves[] = {"abs", "neg", "mov", "ld", "ldu", "st", "shfl", "cvt", "selp", NULL};
    static const char *const meet[] = {"bar", "barrier", "shfl", "redux", "mma", "wmma", NULL};
    struct ks_arith arith = {.whole_numbers = true, .gathers = loops(original)};
    struct ks_words words = ks_words_of(original);
    double value, coarsest = 0;
    bool chooses = false, multiplies = false, else_done = false, calls = false;
    while (ks_words_next(&words)) {
        struct ks_slice w = words.word;
        if (literal(w, &value)) {
            if (signbit(value) && value != 0)
                arith.subtracts = true;
            if (!(fabs(value) <= 4096) || value != nearbyint(value))
                arith.whole_numbers = false;
        }
        if (!islower((unsigned char)w.at[0]))
            continue;
        struct ks_slice base = ks_word_base(w);
        if (ks_word_one_of(base, meet))
            arith.gathers = true;
        calls = calls || ks_slice_eq(base, "call");
        double u = type_u(w);
        if (u == 0)
            continue;
        bool adds = ks_word_one_of(base, sums) ||
                    (ks_word_part(w, "add") && ks_word_one_of(base, (const char *const[]){"atom", "red", NULL}));
        multiplies = multiplies || ks_slice_eq(base, "mul");
        else_done = else_done || !(ks_slice_eq(base, "mul") || ks_word_one_of(base, only_moves));
        arith.clips |= ks_word_one_of(base, (const char *const[]){"min", "max", NULL}) || ks_word_has(w, ".sat");
        if (adds) {
            if (ks_word_one_of(base, (const char *const[]){"atom", "red", NULL}))
                arith.float_atomics = arith.gathers = true;
            if (arith.kind == KS_ARITH_NONE)
                arith.kind = KS_ARITH_MULADD;
            arith.roundings++;
            if (u > arith.u)
                arith.u = u;
            if (ks_slice_eq(base, "sub"))
                arith.subtracts = true;
        } else if (ks_slice_eq(base, "neg")) {
            arith.subtracts = true;
        } else if (ks_slice_eq(base, "cvt")) {
            // Rounding to whole numbers, and from floating to integer, is a choice by value.
            bool to_whole = ks_word_has(w, ".rzi") || ks_word_has(w, ".rni") ||
                            ks_word_has(w, ".rmi") || ks_word_has(w, ".rpi");
            arith.of_integers |= !to_whole && is_of_integer(w);
            chooses = chooses || to_whole;
            else_done = else_done || to_whole;
        } else if (ks_word_one_of(base, choices)) {
            chooses = true;
            coarsest = u > coarsest ? u : coarsest;
        } else if (!ks_word_one_of(base, exact)) {
            arith.divides |= ks_word_one_of(base, (const char *const[]){"div", "rcp", NULL});
            arith.kind = KS_ARITH_OTHER; // div, ex2, ...: and whatever is not known
            if (u > arith.u)
                arith.u = u;
        }
    }
    // To choose among numbers rounds nothing: alone it is exact, beside sums no sum of terms any more.
    if (chooses && arith.kind != KS_ARITH_NONE) {
        arith.kind = KS_ARITH_OTHER;
        arith.u = coarsest > arith.u ? coarsest : arith.u;
    }
    arith.products = arith.gathers && multiplies && !else_done && arith.u >= 0x1p-24; // double has no wider type
    arith.joins = arith.gathers || ks_arith_joins(original);
    if (arith.gathers || calls)
        arith.roundings = 0;
    return arith;
}

bool ks_arith_shows_tf32(const struct ks_arith *a)
{
    return a->kind == KS_ARITH_MULADD ||
           (a->kind == KS_ARITH_OTHER && a->joins && !a->products && a->u == 0x1p-24);
}
