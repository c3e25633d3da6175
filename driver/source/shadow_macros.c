// Hiding of macros.
#include "source/shadow_macros.h"

#include <string.h>

#include "source/lex.h"

// Macros that device code means when it writes the word.
static const char *const kept[] = {
    "__global__", "__device__", "__shared__", "__constant__", "__launch_bounds__", "__maxnreg__",
    "__forceinline__", "__noinline__", "__inline__", "__restrict__", "__align__",
    "__grid_constant__", "__CUDA_ARCH__", "NULL",
    "CHAR_BIT", "SCHAR_MIN", "SCHAR_MAX", "UCHAR_MAX", "CHAR_MIN", "CHAR_MAX", "SHRT_MIN",
    "SHRT_MAX", "USHRT_MAX", "INT_MIN", "INT_MAX", "UINT_MAX", "LONG_MIN", "LONG_MAX", "ULONG_MAX",
    "LLONG_MIN", "LLONG_MAX", "ULLONG_MAX", "SIZE_MAX", "INT8_MIN", "INT8_MAX", "UINT8_MAX",
    "INT16_MIN", "INT16_MAX", "UINT16_MAX", "INT32_MIN", "INT32_MAX", "UINT32_MAX", "INT64_MIN",
    "INT64_MAX", "UINT64_MAX",
    "FLT_MIN", "FLT_MAX", "FLT_EPSILON", "DBL_MIN", "DBL_MAX", "DBL_EPSILON", "INFINITY", "NAN",
    "HUGE_VAL", "HUGE_VALF", "M_PI", "M_PI_2", "M_PI_4", "M_E", "M_LN2", "M_LN10", "M_LOG2E",
    "M_LOG10E", "M_SQRT2", "M_SQRT1_2", "M_1_PI", "M_2_PI", "M_2_SQRTPI",
};

// Words that no macro can be named: #undef of them is an error.
static const char *const operators[] = {"and", "and_eq", "bitand", "bitor", "compl", "not",
                                        "not_eq", "or", "or_eq", "xor", "xor_eq", "defined",
                                        "_Pragma", "__VA_ARGS__", "__VA_OPT__"};

static bool is_in(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

bool ks_macro_is_kept(const char *word)
{
    return is_in(word, kept, sizeof kept / sizeof *kept);
}

static bool is_hidden(const char *word, enum ks_macro_policy policy)
{
    if (is_in(word, operators, sizeof operators / sizeof *operators))
        return false;
    if (policy == KS_MACROS_DEVICE)
        return !ks_macro_is_kept(word);
    return !ks_starts_with(word, "ks_") && !ks_starts_with(word, "__") &&
           !ks_starts_with(word, "cuda") && !ks_starts_with(word, "CUDA");
}

// The words met so far by their places in `list`, plus one; open addressing, at most half full. The
// runtime's text alone has a thousand words, and each compile goes over it.
struct met {
    uint32_t *slots;
    size_t n;
    const struct ks_strv *list;
};

static uint32_t *slot_of(const struct met *met, const char *word)
{
    uint32_t hash = 2166136261u; // FNV-1a
    for (const char *p = word; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619u;
    for (size_t i = hash & (met->n - 1);; i = (i + 1) & (met->n - 1))
        if (met->slots[i] == 0 || strcmp(met->list->at[met->slots[i] - 1], word) == 0)
            return &met->slots[i];
}

static void grow(struct ks_arena *arena, struct met *met)
{
    met->n = met->n ? met->n * 2 : 512;
    met->slots = KS_NEW_ARRAY(arena, uint32_t, met->n);
    for (size_t i = 0; i < met->list->len; i++)
        *slot_of(met, met->list->at[i]) = (uint32_t)i + 1;
}

struct ks_strv ks_macro_words(struct ks_arena *arena, struct ks_slice text,
                              enum ks_macro_policy policy)
{
    struct ks_strv met = {0}, words = {0};
    struct met table = {.list = &met};
    struct ks_lexer lexer;
    ks_lex_begin(&lexer, text, false);
    for (struct ks_token t = ks_lex_next(&lexer); t.kind != KS_TOK_END; t = ks_lex_next(&lexer)) {
        if (t.kind != KS_TOK_IDENT)
            continue;
        const char *word = ks_arena_strndup(arena, t.at, t.len);
        if (met.len * 2 >= table.n)
            grow(arena, &table);
        uint32_t *slot = slot_of(&table, word);
        if (*slot != 0)
            continue;
        ks_strv_add(arena, &met, word);
        *slot = (uint32_t)met.len;
        if (is_hidden(word, policy))
            ks_strv_add(arena, &words, word);
    }
    return words;
}

void ks_macros_hide(struct ks_buf *out, const struct ks_strv *words)
{
    for (size_t i = 0; i < words->len; i++)
        ks_buf_printf(out, "#pragma push_macro(\"%s\")\n#undef %s\n", words->at[i], words->at[i]);
}

void ks_macros_restore(struct ks_buf *out, const struct ks_strv *words)
{
    for (size_t i = 0; i < words->len; i++)
        ks_buf_printf(out, "#pragma pop_macro(\"%s\")\n", words->at[i]);
}
