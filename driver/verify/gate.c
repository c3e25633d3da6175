#include "verify/gate.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "verify/words.h"

// Constructs that a candidate may contain only if the original does.
enum feature {
    F_GLOBAL, F_CONST, F_TIME, F_PLACE, F_HEAP, F_PRINT, F_INDIRECT, F_SLEEP, F_TRAP, F_EVICT,
    F_PREFETCH, F_DISCARD, F_SYSTEM, F_DEPENDENT, F_MULTICAST, F_UNFENCED,
    // Precision: allowed where the user relaxed it.
    F_F16, F_BF16, F_TF32, F_F8, F_DIV, F_SQRT, F_TRIG, F_LOG, F_TANH, F_FTZ,
    F_COUNT
};
static const char *const feature_text[F_COUNT] = {
    [F_GLOBAL] = "a writable device variable (state that outlives a launch)",
    [F_CONST] = "more than 4096 bytes of constant tables",
    [F_TIME] = "a clock register",
    [F_PLACE] = "a register that tells where the block runs (smid, warpid)",
    [F_HEAP] = "the device heap (malloc, free)",
    [F_PRINT] = "printf",
    [F_INDIRECT] = "an indirect call",
    [F_SLEEP] = "nanosleep",
    [F_TRAP] = "trap or brkpt",
    [F_EVICT] = "a cache eviction policy that keeps lines (evict_last, persisting)",
    [F_PREFETCH] = "a prefetch instruction",
    [F_DISCARD] = "discard, which leaves memory undefined",
    [F_UNFENCED] = "an atomic counter whose value it uses, and no fence (__threadfence) beside it",
    [F_SYSTEM] = "system-scope memory traffic",
    [F_DEPENDENT] = "programmatic dependent launch (griddepcontrol)",
    [F_MULTICAST] = "multi-device memory instructions (multimem)",
    [F_F16] = "half-precision arithmetic or conversion that the original does not do",
    [F_BF16] = "bfloat16 arithmetic or conversion that the original does not do",
    [F_TF32] = "TF32, which the original does not use, where no exact sums of products tell it from fp32",
    [F_F8] = "8-bit floating point, which the original does not use",
    [F_DIV] = "approximate division that the original does not use",
    [F_SQRT] = "an approximate square root of 20 bits that the original does not use",
    [F_TRIG] = "approximate sine or cosine that the original does not use",
    [F_LOG] = "approximate logarithm that the original does not use",
    [F_TANH] = "approximate tanh that the original does not use",
    [F_FTZ] = "flushing of denormals (.ftz) that the original does not do",
};

// Which approximate instructions are a downgrade whatever the results look like: those whose error no multiple of
// an ulp bounds somewhere, so that vectors might miss the place (PTX ISA 9.0, 9.7.3: div.approx is zero for
// divisors above 2^126; sin, cos and lg2 near zero results have absolute bounds; tanh 2^-11; the ftz.f64 forms of
// rcp and rsqrt keep 20 bits). The others (rsqrt 2^-22.9, sqrt 2^-23, rcp 1 ulp, ex2 and div.full 2 ulp, of any
// argument) fit what the tolerances admit of one operation: whether their sum does is for the comparison.
static void see_approximate(struct ks_slice w, struct ks_slice base, bool *seen)
{
    bool gross = ks_word_part(w, "ftz") && ks_word_part(w, "f64");
    if (ks_slice_eq(base, "div") || (ks_slice_eq(base, "rcp") && gross))
        seen[F_DIV] = true;
    if (ks_slice_eq(base, "rsqrt") && gross)
        seen[F_SQRT] = true;
    if (ks_slice_eq(base, "sin") || ks_slice_eq(base, "cos"))
        seen[F_TRIG] = true;
    if (ks_slice_eq(base, "lg2"))
        seen[F_LOG] = true;
    if (ks_slice_eq(base, "tanh"))
        seen[F_TANH] = true;
}

static void see_word(struct ks_slice w, bool *seen)
{
    if (w.at[0] == '%') {
        if (ks_word_begins(w, "%globaltimer") || ks_word_begins(w, "%clock"))
            seen[F_TIME] = true;
        if (ks_word_begins(w, "%smid") || ks_word_begins(w, "%nsmid") ||
            ks_word_begins(w, "%warpid") || ks_word_begins(w, "%nwarpid"))
            seen[F_PLACE] = true;
        return;
    }
    if (ks_slice_eq(w, "malloc") || ks_slice_eq(w, "free"))
        seen[F_HEAP] = true;
    if (ks_slice_eq(w, "vprintf"))
        seen[F_PRINT] = true;
    if (ks_slice_eq(w, "__assertfail"))
        seen[F_TRAP] = true;
    if (ks_slice_eq(w, ".callprototype") || ks_slice_eq(w, ".calltargets"))
        seen[F_INDIRECT] = true;
    if (!islower((unsigned char)w.at[0]))
        return;
    struct ks_slice base = ks_word_base(w);
    if (ks_slice_eq(base, "nanosleep"))
        seen[F_SLEEP] = true;
    if (ks_slice_eq(base, "trap") || ks_slice_eq(base, "brkpt"))
        seen[F_TRAP] = true;
    if (ks_slice_eq(base, "griddepcontrol"))
        seen[F_DEPENDENT] = true;
    if (ks_slice_eq(base, "multimem"))
        seen[F_MULTICAST] = true;
    if (ks_word_has(w, "evict_last") || ks_slice_eq(base, "createpolicy") ||
        ks_slice_eq(base, "applypriority"))
        seen[F_EVICT] = true;
    if (ks_slice_eq(base, "prefetch") || ks_slice_eq(base, "prefetchu") ||
        ks_word_part(w, "prefetch"))
        seen[F_PREFETCH] = true;
    if (ks_slice_eq(base, "discard"))
        seen[F_DISCARD] = true;
    if (ks_word_part(w, "sys"))
        seen[F_SYSTEM] = true;
    if (ks_word_part(w, "f16") || ks_word_part(w, "f16x2"))
        seen[F_F16] = true;
    if (ks_word_part(w, "bf16") || ks_word_part(w, "bf16x2"))
        seen[F_BF16] = true;
    if (ks_word_part(w, "tf32"))
        seen[F_TF32] = true;
    if (ks_word_has(w, ".e4m3") || ks_word_has(w, ".e5m2") || ks_word_has(w, ".e2m"))
        seen[F_F8] = true;
    // The precise expf has ex2.approx.ftz, of scaled arguments: no flushing beside an original's __expf.
    if (ks_word_part(w, "ftz") && !ks_slice_eq(base, "ex2"))
        seen[F_FTZ] = true;
    if (ks_word_part(w, "approx"))
        see_approximate(w, base, seen);
}

static int64_t type_size(struct ks_slice word)
{
    static const struct { const char *name; int64_t size; } types[] = {
        {".b8", 1}, {".u8", 1}, {".s8", 1}, {".b16", 2}, {".u16", 2}, {".s16", 2}, {".f16", 2},
        {".b32", 4}, {".u32", 4}, {".s32", 4}, {".f32", 4}, {".b64", 8}, {".u64", 8}, {".s64", 8},
        {".f64", 8}, {".b128", 16},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (ks_slice_eq(word, types[i].name))
            return types[i].size;
    return 0;
}

// Bytes of the declaration that starts after `words->word` (".const"); stops at ';', '=' or ')'.
static int64_t declared_bytes(struct ks_words words)
{
    int64_t size = 0, count = 1;
    while (ks_words_next(&words)) {
        if (words.before == ';' || words.before == '=' || words.before == '{')
            break;
        if (type_size(words.word) > 0)
            size = type_size(words.word);
        int64_t n = 0;
        char digits[24];
        if (words.before == '[' && words.word.len < sizeof digits) {
            memcpy(digits, words.word.at, words.word.len);
            digits[words.word.len] = '\0';
            if (!ks_parse_i64(digits, &n) || n < 0 || n > INT32_MAX)
                return INT64_MAX;
            count = n;
        }
    }
    return size * count;
}

static bool in_register(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '%';
}

// Whether `name` is a word of the text apart from its own place.
static bool used_elsewhere(struct ks_slice text, struct ks_slice name)
{
    const char *end = text.at + text.len;
    for (const char *at = text.at;
         (at = memmem(at, (size_t)(end - at), name.at, name.len)) != NULL; at++) {
        bool whole = (at == text.at || !in_register(at[-1])) &&
                     (at + name.len == end || !in_register(at[name.len]));
        if (whole && at != name.at)
            return true;
    }
    return false;
}

// atom.global.add.u32 and its like: integers counted in memory that other blocks see. Compare-and-swap
// loops order nothing but their own word.
static bool is_counter(struct ks_slice w)
{
    if (!ks_slice_eq(ks_word_base(w), "atom") || ks_word_part(w, "shared") ||
        ks_word_has(w, ".shared::") || ks_word_part(w, "f32") || ks_word_part(w, "f64"))
        return false;
    return ks_word_part(w, "add") || ks_word_part(w, "inc") || ks_word_part(w, "dec") ||
           ks_word_part(w, "exch");
}

static bool is_fence(struct ks_slice w)
{
    struct ks_slice base = ks_word_base(w);
    return ks_slice_eq(base, "membar") || ks_slice_eq(base, "fence") || ks_word_part(w, "acq_rel") ||
           ks_word_part(w, "release") || ks_word_part(w, "sc");
}

// Blocks that hand data to each other by a counter need a fence; racecheck looks at shared memory alone,
// and luck hides the rest (research verification.md, R18).
static void see_counters(struct ks_slice text, bool *seen)
{
    struct ks_words words = ks_words_of(text);
    bool counts = false, fenced = false;
    while (ks_words_next(&words)) {
        fenced = fenced || is_fence(words.word);
        if (!is_counter(words.word))
            continue;
        struct ks_words behind = words;
        if (ks_words_next(&behind) && behind.word.at[0] == '%' && behind.before != '[')
            counts = counts || used_elsewhere(text, behind.word);
    }
    seen[F_UNFENCED] = counts && !fenced;
}

static void see(struct ks_slice text, bool *seen)
{
    struct ks_words words = ks_words_of(text);
    struct ks_slice previous = {0};
    int64_t constants = 0;
    see_counters(text, seen);
    while (ks_words_next(&words)) {
        struct ks_slice w = words.word;
        see_word(w, seen);
        // ".param .u64 .ptr .global .align 4" is an attribute, not a declaration.
        bool attribute = ks_slice_eq(previous, ".ptr") && words.before == ' ';
        if (ks_slice_eq(w, ".global") && !attribute)
            seen[F_GLOBAL] = true;
        if (ks_slice_eq(w, ".const") && !attribute) {
            int64_t bytes = declared_bytes(words);
            constants = bytes > KS_GATE_CONSTANTS ? bytes : constants + bytes;
        }
        previous = w;
    }
    if (constants > KS_GATE_CONSTANTS)
        seen[F_CONST] = true;
}

bool ks_gate_adds_tf32(struct ks_slice original, struct ks_slice candidate)
{
    bool before[F_COUNT] = {false}, now[F_COUNT] = {false};
    see(original, before);
    see(candidate, now);
    return now[F_TF32] && !before[F_TF32];
}

bool ks_gate_stops(struct ks_slice ptx)
{
    bool seen[F_COUNT] = {false};
    see(ptx, seen);
    return seen[F_TRAP];
}

bool ks_gate_ptx(const struct ks_gate *gate, struct ks_slice original, struct ks_slice candidate,
                 char reason[256])
{
    bool before[F_COUNT] = {false}, now[F_COUNT] = {false};
    see(original, before);
    see(candidate, now);
    for (int f = 0; f < F_COUNT; f++) {
        if (!now[f] || before[f] || (f >= F_F16 && gate->relaxed) || (f == F_TF32 && gate->probed))
            continue;
        snprintf(reason, 256, "the candidate contains %s", feature_text[f]);
        return false;
    }
    return true;
}
