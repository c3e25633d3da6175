// Whether several values that the kernel is given meet in a sum, in machine text without loops; see gate.h.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "verify/gate.h"
#include "verify/words.h"

#define TERMS 3 // of two, one order alone exists;
#define FUSED 2 // but a product and a term may be rounded once or twice
#define PLACES 64

// From which loads a register's value comes, one bit a load: the later ones of very many share one. What is made of several
// and rounded to a whole number is one value again: nothing that is added behind that goes before it.
struct origin {
    struct ks_slice name;
    uint64_t loads, wholes;
};

struct origins {
    struct origin *at;
    size_t cap; // a power of two, more than there are words
    int n_loads, n_wholes;
    uint64_t made[PLACES]; // from which loads each whole number comes
};

static bool same(struct ks_slice a, struct ks_slice b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static struct origin *origin_of(struct origins *o, struct ks_slice name)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < name.len; i++)
        hash = (hash ^ (unsigned char)name.at[i]) * UINT64_C(1099511628211);
    size_t i = (size_t)(hash ^ hash >> 32) & (o->cap - 1);
    while (o->at[i].name.at != NULL && !same(o->at[i].name, name))
        i = (i + 1) & (o->cap - 1);
    o->at[i].name = name;
    return &o->at[i];
}

static bool is_sum(struct ks_slice op)
{
    static const char *const sums[] = {"add", "sub", "fma", "mad", NULL};
    static const char *const types[] = {"f32", "f64", "f16", "bf16", "f16x2", "bf16x2", "f32x2"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (ks_word_part(op, types[i]))
            return ks_word_one_of(ks_word_base(op), sums);
    return false;
}

static bool is_load(struct ks_slice op)
{
    return ks_word_begins(op, "ld") && !ks_word_part(op, "local") && !ks_word_part(op, "const");
}

static bool is_rounding(struct ks_slice op)
{
    return ks_word_begins(op, "cvt.") && (ks_word_part(op, "rni") || ks_word_part(op, "rzi") || ks_word_part(op, "rmi") || ks_word_part(op, "rpi"));
}

// How many values meet: a whole number beside all that it is made of is none.
static int meeting(const struct origins *o, uint64_t loads, uint64_t wholes)
{
    int n = __builtin_popcountll(loads);
    for (int i = 0; i < o->n_wholes; i++)
        n += (wholes >> i & 1) != 0 && (o->made[i] & ~loads) != 0;
    return n;
}

static void round_to_whole(struct origins *o, uint64_t *loads, uint64_t *wholes)
{
    if (meeting(o, *loads, *wholes) < 2 || o->n_wholes == PLACES)
        return;
    uint64_t made = *loads;
    for (int i = 0; i < o->n_wholes; i++)
        made |= *wholes >> i & 1 ? o->made[i] : 0;
    o->made[o->n_wholes] = made;
    *loads = 0;
    *wholes = UINT64_C(1) << o->n_wholes++;
}

// What a thread keeps in memory of its own, arrays that are indexed as a rule, counts as one value.
static struct origin *own_memory(struct origins *o)
{
    return origin_of(o, ks_slice_of("local"));
}

// One instruction without its guard: "fma.rn.f32 %f3,%f1,%f2,%f3". Whether it is such a sum.
static bool follow(struct origins *o, struct ks_slice text)
{
    struct ks_words words = ks_words_of(text);
    if (!ks_words_next(&words) || !islower((unsigned char)words.word.at[0]))
        return false;
    struct ks_slice op = words.word;
    const char *rest = op.at + op.len, *end = text.at + text.len;
    while (rest < end && isspace((unsigned char)*rest))
        rest++;
    bool braced = rest < end && *rest == '{', load = is_load(op);
    const char *results = memchr(rest, braced ? '}' : ',', (size_t)(end - rest));
    const bool own = ks_word_part(op, "local");
    if (own && ks_word_begins(op, "st.")) {
        struct ks_words stored = ks_words_of((struct ks_slice){rest, (size_t)(end - rest)});
        while (ks_words_next(&stored))
            if (stored.word.at[0] == '%') {
                own_memory(o)->loads |= origin_of(o, stored.word)->loads;
                own_memory(o)->wholes |= origin_of(o, stored.word)->wholes;
            }
    }
    if (results == NULL || ks_word_begins(op, "st.") || ks_word_begins(op, "red."))
        return false;
    uint64_t loads = own ? own_memory(o)->loads : 0, wholes = own ? own_memory(o)->wholes : 0;
    struct ks_words sources = ks_words_of((struct ks_slice){results, (size_t)(end - results)});
    while (!load && ks_words_next(&sources))
        if (sources.word.at[0] == '%') {
            loads |= origin_of(o, sources.word)->loads;
            wholes |= origin_of(o, sources.word)->wholes;
        }
    if (is_rounding(op))
        round_to_whole(o, &loads, &wholes);
    struct ks_words into = ks_words_of((struct ks_slice){rest, (size_t)(results - rest)});
    while (ks_words_next(&into)) {
        if (into.word.at[0] != '%')
            continue;
        if (load) {
            loads = UINT64_C(1) << (o->n_loads < PLACES ? o->n_loads : PLACES - 1);
            o->n_loads++;
        }
        origin_of(o, into.word)->loads |= loads;
        origin_of(o, into.word)->wholes |= wholes;
    }
    bool fused = ks_word_one_of(ks_word_base(op), (const char *const[]){"fma", "mad", NULL});
    return is_sum(op) && meeting(o, loads, wholes) >= (fused ? FUSED : TERMS);
}

bool ks_arith_joins(struct ks_slice original)
{
    struct origins o = {.cap = 64};
    while (o.cap < original.len)
        o.cap *= 2;
    o.at = calloc(o.cap, sizeof *o.at);
    KS_ASSERT(o.at != NULL);
    bool joins = false;
    const char *end = original.at + original.len;
    for (const char *at = original.at, *stop; !joins && at < end; at = stop + 1) {
        for (stop = at; stop < end && *stop != ';' && *stop != '\n'; stop++) {}
        struct ks_slice line = ks_slice_trim((struct ks_slice){at, (size_t)(stop - at)});
        if (line.len > 0 && line.at[0] == '@') {
            const char *space = memchr(line.at, ' ', line.len);
            line = space == NULL ? (struct ks_slice){line.at, 0}
                                 : (struct ks_slice){space + 1, line.len - (size_t)(space + 1 - line.at)};
        }
        joins = line.len > 0 && follow(&o, line);
    }
    free(o.at);
    return joins;
}
