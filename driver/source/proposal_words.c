// The gate, lexical half: what a proposal's text may consist of. Everything is refused by default
// that could mean one thing to this lexer and another to a compiler: splices, trigraphs, digraphs,
// universal names, raw strings, bytes outside ASCII (but in comments), directives.
#include <string.h>

#include "source/proposal_gate.h"

enum { DEEPEST = 64, MOST_TEMPLATES = 64 };

struct rule {
    const char *word;
    const char *why;
};

// Words refused wherever they stand, with what to do instead.
static const struct rule words[] = {
    {"asm", "inline assembly is refused; use intrinsics"},
    {"__asm", "inline assembly is refused; use intrinsics"},
    {"__asm__", "inline assembly is refused; use intrinsics"},
    {"__host__", "a proposal holds device code only"},
    {"friend", "friend declarations are refused"},
    {"export", "modules are refused"},
    {"import", "modules are refused"},
    {"module", "modules are refused"},
    {"namespace", "namespaces are refused; write qualified names"},
    {"thread_local", "host storage is refused"},
    {"__thread", "host storage is refused"},
    {"__managed__", "managed memory is refused"},
    {"__attribute__", "attributes are refused; use __launch_bounds__, alignas, __align__"},
    {"__attribute", "attributes are refused; use __launch_bounds__, alignas, __align__"},
    {"__declspec", "attributes are refused; use __launch_bounds__, alignas, __align__"},
    {"__extension__", "compiler extensions are refused"},
    {"__cluster_dims__", "thread block clusters are refused"},
    {"__location__", "macros of the toolkit's headers are refused"},
    {"__annotate__", "macros of the toolkit's headers are refused"},
    {"__pragma", "pragmas are refused except _Pragma(\"unroll\")"},
    {"defined", "preprocessor words are refused"},
    {"new", "device memory allocation is refused"},
    {"delete", "device memory allocation is refused"},
    {"malloc", "device memory allocation is refused"},
    {"free", "device memory allocation is refused"},
    {"printf", "device output is refused"},
    {"try", "exceptions are refused"},
    {"catch", "exceptions are refused"},
    {"throw", "exceptions are refused"},
    {"typeid", "run-time type information is refused"},
    {"dynamic_cast", "run-time type information is refused"},
    {"virtual", "virtual functions are refused"},
};

static const char *const builtins[] = {"__builtin_assume", "__builtin_assume_aligned",
                                       "__builtin_expect", "__builtin_unreachable",
                                       "__nv_atomic_load_n", "__nv_atomic_store_n",
                                       "__NV_ATOMIC_RELAXED", "__NV_THREAD_SCOPE_DEVICE"};

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

static const char *why_not(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i].word) == 0)
            return words[i].why;
    if (strcmp(word, "_Pragma") == 0 || strcmp(word, "__CUDA_ARCH__") == 0)
        return NULL; // the first is looked at with its argument
    if (ks_starts_with(word, "ks_") || ks_starts_with(word, "__ks"))
        return "names that begin with ks_ are reserved";
    if (ks_starts_with(word, "__cuda") ||
        (ks_starts_with(word, "cuda") && word[4] >= 'A' && word[4] <= 'Z'))
        return "the CUDA runtime is not for device code of a proposal";
    if (is_one_of(word, builtins, sizeof builtins / sizeof *builtins))
        return NULL;
    if (ks_starts_with(word, "__builtin"))
        return "this compiler builtin is refused";
    if (ks_starts_with(word, "__nv") && !ks_starts_with(word, "__nv_bfloat16"))
        return "internal names of the toolkit are refused";
    if (ks_starts_with(word, "__tile"))
        return "tile kernels are refused";
    if (word[0] == '_' && (word[1] == '_' ? word[2] >= 'A' && word[2] <= 'Z'
                                          : word[1] >= 'A' && word[1] <= 'Z'))
        return "names reserved to the compiler are refused";
    return NULL;
}

// --- bytes ---

static bool is_trigraph(const char *at, const char *end)
{
    return end - at >= 3 && at[0] == '?' && at[1] == '?' && at[2] != '\0' &&
           strchr("=/'()!<>-", at[2]) != NULL;
}

// Backslash, white space, end of line: gcc splices there too.
static bool is_splice(const char *at, const char *end)
{
    if (*at != '\\')
        return false;
    for (at++; at < end && (*at == ' ' || *at == '\t'); at++) {
    }
    return at == end || *at == '\n';
}

static int line_of(const struct ks_gate *gate, const char *at)
{
    int line = 1;
    for (const char *c = gate->source.at; c < at; c++)
        line += *c == '\n';
    return line;
}

static enum ks_status check_bytes(const struct ks_gate *gate)
{
    const char *end = gate->source.at + gate->source.len;
    for (const char *c = gate->source.at; c < end; c++) {
        const char *why = NULL;
        unsigned char byte = (unsigned char)*c;
        if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f)
            why = "a control character";
        else if (is_trigraph(c, end))
            why = "a trigraph";
        else if (is_splice(c, end))
            why = "a line splice";
        if (why != NULL)
            KS_FAIL(gate->err, KS_E_USER, "source:%d: %s is refused", line_of(gate, c), why);
    }
    return KS_OK;
}

// --- tokens ---

// Comments may hold UTF-8 but nothing that reorders what a reviewer sees (U+061C, U+200E/F,
// U+202A..E, U+2066..9), and nothing malformed.
static bool is_readable(const struct ks_token *comment)
{
    const unsigned char *c = (const unsigned char *)comment->at, *end = c + comment->len;
    while (c < end) {
        if (*c < 0x80) {
            c++;
            continue;
        }
        int more = *c >= 0xf0 ? 3 : *c >= 0xe0 ? 2 : 1;
        if (*c < 0xc2 || *c > 0xf4 || end - c <= more)
            return false;
        unsigned point = *c & (0x3fU >> more);
        for (int i = 1; i <= more; i++) {
            if ((c[i] & 0xc0) != 0x80)
                return false;
            point = point << 6 | (c[i] & 0x3fU);
        }
        if (point == 0x61c || point == 0x200e || point == 0x200f ||
            (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069))
            return false;
        c += more + 1;
    }
    return true;
}

static enum ks_status check_ascii(const struct ks_gate *gate, const struct ks_token *token)
{
    for (size_t i = 0; i < token->len; i++)
        if ((unsigned char)token->at[i] >= 0x80)
            KS_GATE_FAIL(gate, token, "bytes outside ASCII are refused except in comments");
    return KS_OK;
}

// `_Pragma("unroll")`, with a count or not: the one pragma that is of use and changes no meaning.
static bool is_unroll(const struct ks_token *t)
{
    if (!ks_token_is(&t[1], "(") || t[2].kind != KS_TOK_STRING || !ks_token_is(&t[3], ")"))
        return false;
    const char *at = t[2].at, *end = t[2].at + t[2].len;
    if (t[2].len < 8 || memcmp(at, "\"unroll", 7) != 0)
        return false;
    for (at += 7; at < end - 1 && *at == ' '; at++) {
    }
    for (; at < end - 1 && *at >= '0' && *at <= '9'; at++) {
    }
    return at == end - 1 && *at == '"';
}

static bool is_static_assert_text(const struct ks_gate *gate, size_t i)
{
    if (i + 1 >= gate->len || !ks_token_is(&gate->at[i + 1], ")"))
        return false;
    int open = gate->match[i + 1];
    return open > 0 && ks_token_is(&gate->at[open - 1], "static_assert");
}

static enum ks_status check_word(const struct ks_gate *gate, size_t i)
{
    const struct ks_token *t = &gate->at[i];
    if (memchr(t->at, '$', t->len) != NULL || memchr(t->at, '\\', t->len) != NULL)
        KS_GATE_FAIL(gate, t, "only letters, digits and _ may stand in a name");
    const char *word = ks_arena_strndup(gate->arena, t->at, t->len);
    const char *why = why_not(word);
    if (why != NULL && !(strcmp(word, "asm") == 0 && ks_gate_assembly(gate, i)))
        KS_GATE_FAIL(gate, t, "'%s': %s", word, why);
    if (strcmp(word, "_Pragma") == 0 && !is_unroll(t))
        KS_GATE_FAIL(gate, t, "only _Pragma(\"unroll\") and _Pragma(\"unroll N\") are possible");
    if (strcmp(word, "goto") == 0 && ks_token_is(&t[1], "*"))
        KS_GATE_FAIL(gate, t, "computed goto is refused");
    if (strcmp(word, "using") == 0 && ks_token_is(&t[1], "namespace"))
        KS_GATE_FAIL(gate, t, "'using namespace' is refused; write qualified names");
    if (strcmp(word, "extern") == 0 && !ks_token_is(&t[1], "__shared__"))
        KS_GATE_FAIL(gate, t, "'extern' stands only in 'extern __shared__'");
    return KS_OK;
}

static enum ks_status check_literal(const struct ks_gate *gate, size_t i)
{
    const struct ks_token *t = &gate->at[i];
    const char *quote = memchr(t->at, '\'', t->len), *text = memchr(t->at, '"', t->len);
    if (t->at[t->len - 1] != (text != NULL && (quote == NULL || text < quote) ? '"' : '\'') ||
        t->len < 2 || memchr(t->at, '\n', t->len) != NULL)
        KS_GATE_FAIL(gate, t, "this literal is not closed");
    if (*t->at == '\'')
        return KS_OK;
    if (*t->at != '"')
        KS_GATE_FAIL(gate, t, "literals with a prefix are refused");
    bool pragma = i >= 2 && ks_token_is(&t[-2], "_Pragma");
    if (!pragma && !is_static_assert_text(gate, i) && !ks_gate_in_assembly(gate, i))
        KS_GATE_FAIL(gate, t, "string literals stand only in static_assert");
    return KS_OK;
}

// Numbers as C++11 and C++17 both read them: no digit separators, no user-defined suffix, a sign
// only in an exponent of digits (0x1p+asm is one token in C++17 and three in C++11).
static enum ks_status check_number(const struct ks_gate *gate, const struct ks_token *t)
{
    bool hex = t->len > 1 && (t->at[1] == 'x' || t->at[1] == 'X');
    for (size_t i = 0; i < t->len; i++) {
        char c = t->at[i], before = i > 0 ? t->at[i - 1] : '\0';
        bool digit = c >= '0' && c <= '9';
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool exponent = hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
        bool sign = (c == '+' || c == '-') && exponent && i + 1 < t->len && t->at[i + 1] >= '0' &&
                    t->at[i + 1] <= '9';
        if (!digit && !letter && c != '.' && !sign)
            KS_GATE_FAIL(gate, t, "this number is refused: digits, a point, an exponent and one of "
                                  "the standard suffixes are possible");
    }
    return KS_OK;
}

static enum ks_status check_punctuator(const struct ks_gate *gate, const struct ks_token *t)
{
    static const char *const digraphs[] = {"<%", "%>", "<:", ":>", "%:", "%:%:", "#", "##"};
    for (size_t i = 0; i < sizeof digraphs / sizeof *digraphs; i++)
        if (ks_token_is(t, digraphs[i]))
            KS_GATE_FAIL(gate, t, "'%s' is refused: no directives, no digraphs", digraphs[i]);
    // The lexer may cut a digraph in two.
    if ((*t->at == '<' || *t->at == '%' || *t->at == ':') && t->at + t->len == t[1].at &&
        t[1].kind == KS_TOK_PUNCT) {
        char pair[3] = {t->at[t->len - 1], *t[1].at, '\0'};
        if (strcmp(pair, "<%") == 0 || strcmp(pair, "%>") == 0 || strcmp(pair, "<:") == 0 ||
            strcmp(pair, ":>") == 0 || strcmp(pair, "%:") == 0)
            KS_GATE_FAIL(gate, t, "'%s' is refused: no directives, no digraphs", pair);
    }
    if (ks_token_is(t, "<<<"))
        KS_GATE_FAIL(gate, t, "launches from device code are refused");
    if (ks_token_is(t, "[") && ks_token_is(&t[1], "["))
        KS_GATE_FAIL(gate, t, "'[[' is refused: attributes could change the ABI");
    for (size_t i = 0; i < t->len; i++)
        if (strchr("\\@`$#", t->at[i]) != NULL)
            KS_GATE_FAIL(gate, t, "'%c' is refused", t->at[i]);
    return KS_OK;
}

static enum ks_status match_brackets(struct ks_gate *gate)
{
    int *match = KS_NEW_ARRAY(gate->arena, int, gate->len + 1);
    int *open = KS_NEW_ARRAY(gate->arena, int, gate->len + 1);
    size_t depth = 0;
    for (size_t i = 0; i < gate->len; i++) {
        const struct ks_token *t = &gate->at[i];
        if (depth > DEEPEST)
            KS_GATE_FAIL(gate, t, "brackets are nested deeper than %d levels", DEEPEST);
        match[i] = -1;
        if (t->kind != KS_TOK_PUNCT || t->len != 1)
            continue;
        if (strchr("([{", *t->at) != NULL)
            open[depth++] = (int)i;
        const char *closing = strchr(")]}", *t->at);
        if (closing == NULL)
            continue;
        if (depth == 0 || *gate->at[open[depth - 1]].at != "([{"[closing - ")]}"])
            KS_GATE_FAIL(gate, t, "'%c' closes nothing: the source must be balanced", *t->at);
        depth--;
        match[i] = open[depth];
        match[open[depth]] = (int)i;
    }
    if (depth > 0)
        KS_GATE_FAIL(gate, &gate->at[open[depth - 1]], "'%c' is never closed",
                     *gate->at[open[depth - 1]].at);
    gate->match = match;
    return KS_OK;
}

enum ks_status ks_gate_words(struct ks_gate *gate)
{
    KS_TRY(check_bytes(gate));
    struct ks_token *all, *kept;
    size_t n = ks_lex_all(gate->arena, gate->source, true, &all);
    kept = KS_NEW_ARRAY(gate->arena, struct ks_token, n + 4); // room for looking ahead
    gate->len = 0;
    for (size_t i = 0; i < n && all[i].kind != KS_TOK_END; i++) {
        const struct ks_token *t = &all[i];
        bool block = t->len >= 2 && t->at[1] == '*';
        if (t->kind != KS_TOK_COMMENT)
            kept[gate->len++] = *t;
        else if (!is_readable(t))
            KS_GATE_FAIL(gate, t, "this comment holds malformed or direction-changing characters");
        else if (block && (t->len < 4 || memcmp(t->at + t->len - 2, "*/", 2) != 0))
            KS_GATE_FAIL(gate, t, "this comment is never closed");
    }
    gate->at = kept;
    KS_TRY(match_brackets(gate));
    size_t templates = 0;
    for (size_t i = 0; i < gate->len; i++)
        if (ks_token_is(&gate->at[i], "template") && ++templates > MOST_TEMPLATES)
            KS_GATE_FAIL(gate, &gate->at[i], "more than %d templates", MOST_TEMPLATES);
    for (size_t i = 0; i < gate->len; i++) {
        const struct ks_token *t = &gate->at[i];
        KS_TRY(check_ascii(gate, t));
        if (t->kind == KS_TOK_DIRECTIVE)
            KS_GATE_FAIL(gate, t, "preprocessor directives are refused (write _Pragma(\"unroll\") "
                                  "for #pragma unroll)");
        if (t->kind == KS_TOK_IDENT)
            KS_TRY(check_word(gate, i));
        else if (t->kind == KS_TOK_STRING)
            KS_TRY(check_literal(gate, i));
        else if (t->kind == KS_TOK_NUMBER)
            KS_TRY(check_number(gate, t));
        else if (t->kind == KS_TOK_PUNCT)
            KS_TRY(check_punctuator(gate, t));
    }
    return KS_OK;
}
