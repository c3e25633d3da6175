#include "source/type.h"

#include <string.h>

#include "source/lex.h"

static const struct {
    const char *name, *c_name;
    size_t size;
    bool is_float, is_signed;
} scalars[] = {
    [KS_T_NONE] = {"?", "void", 0, false, false},
    [KS_T_BOOL] = {"bool", "bool", 1, false, false},
    [KS_T_I8] = {"i8", "signed char", 1, false, true},
    [KS_T_U8] = {"u8", "unsigned char", 1, false, false},
    [KS_T_I16] = {"i16", "short", 2, false, true},
    [KS_T_U16] = {"u16", "unsigned short", 2, false, false},
    [KS_T_I32] = {"i32", "int", 4, false, true},
    [KS_T_U32] = {"u32", "unsigned int", 4, false, false},
    [KS_T_I64] = {"i64", "long long", 8, false, true},
    [KS_T_U64] = {"u64", "unsigned long long", 8, false, false},
    [KS_T_F16] = {"f16", "__half", 2, true, true},
    [KS_T_BF16] = {"bf16", "__nv_bfloat16", 2, true, true},
    [KS_T_F32] = {"f32", "float", 4, true, true},
    [KS_T_F64] = {"f64", "double", 8, true, true},
};

size_t ks_scalar_size(enum ks_scalar scalar)
{
    return scalars[scalar].size;
}

bool ks_scalar_is_float(enum ks_scalar scalar)
{
    return scalars[scalar].is_float;
}

bool ks_scalar_is_signed(enum ks_scalar scalar)
{
    return scalars[scalar].is_signed;
}

const char *ks_scalar_name(enum ks_scalar scalar)
{
    return scalars[scalar].name;
}

const char *ks_scalar_c_name(enum ks_scalar scalar)
{
    return scalars[scalar].c_name;
}

// CUDA's vector types: two and four lanes are aligned to their size, at most 16 bytes; three lanes
// and one to the scalar (vector_types.h).
static struct ks_elem elem_of(enum ks_scalar scalar, int lanes)
{
    size_t size = ks_scalar_size(scalar) * (size_t)lanes;
    size_t align = lanes == 2 || lanes == 4 ? size : ks_scalar_size(scalar);
    return (struct ks_elem){scalar, lanes, size, align > 16 ? 16 : align};
}

// Typedefs and classes by name. 64-bit Linux throughout, which is all that CUDA 13 supports.
static const struct {
    const char *name;
    enum ks_scalar scalar;
    int lanes;
} named[] = {
    {"int8_t", KS_T_I8, 1},
    {"uint8_t", KS_T_U8, 1},
    {"int16_t", KS_T_I16, 1},
    {"uint16_t", KS_T_U16, 1},
    {"int32_t", KS_T_I32, 1},
    {"uint32_t", KS_T_U32, 1},
    {"int64_t", KS_T_I64, 1},
    {"uint64_t", KS_T_U64, 1},
    {"size_t", KS_T_U64, 1},
    {"ssize_t", KS_T_I64, 1},
    {"ptrdiff_t", KS_T_I64, 1},
    {"intptr_t", KS_T_I64, 1},
    {"uintptr_t", KS_T_U64, 1},
    {"uchar", KS_T_U8, 1},
    {"ushort", KS_T_U16, 1},
    {"uint", KS_T_U32, 1},
    {"ulong", KS_T_U64, 1},
    {"half", KS_T_F16, 1},
    {"__half", KS_T_F16, 1},
    {"half2", KS_T_F16, 2},
    {"__half2", KS_T_F16, 2},
    {"nv_half", KS_T_F16, 1},
    {"nv_half2", KS_T_F16, 2},
    {"nv_bfloat16", KS_T_BF16, 1},
    {"__nv_bfloat16", KS_T_BF16, 1},
    {"nv_bfloat162", KS_T_BF16, 2},
    {"__nv_bfloat162", KS_T_BF16, 2},
    {"cuComplex", KS_T_F32, 2},
    {"cuFloatComplex", KS_T_F32, 2},
    {"cuDoubleComplex", KS_T_F64, 2},
    {"dim3", KS_T_U32, 3},
    {"wchar_t", KS_T_I32, 1},
    {"char8_t", KS_T_U8, 1},
    {"char16_t", KS_T_U16, 1},
    {"char32_t", KS_T_U32, 1},
};

static const struct {
    const char *stem;
    enum ks_scalar scalar;
} vectors[] = {
    {"char", KS_T_I8},      {"uchar", KS_T_U8},      {"short", KS_T_I16}, {"ushort", KS_T_U16},
    {"int", KS_T_I32},      {"uint", KS_T_U32},      {"long", KS_T_I64},  {"ulong", KS_T_U64},
    {"longlong", KS_T_I64}, {"ulonglong", KS_T_U64}, {"float", KS_T_F32}, {"double", KS_T_F64},
};

static struct ks_elem elem_named(const char *name)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(name, named[i].name) == 0)
            return elem_of(named[i].scalar, named[i].lanes);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        size_t n = strlen(vectors[i].stem);
        const char *tail = name + n;
        if (strncmp(name, vectors[i].stem, n) != 0 || *tail < '1' || *tail > '4')
            continue;
        struct ks_elem elem = elem_of(vectors[i].scalar, *tail - '0');
        if (tail[1] == '\0')
            return elem;
        if (strcmp(tail, "4_16a") == 0)
            return elem;
        if (strcmp(tail, "4_32a") == 0) { // CUDA 13: 32-byte aligned four-lane 64-bit types
            elem.align = 32;
            return elem;
        }
    }
    return (struct ks_elem){KS_T_NONE, 1, 0, 0};
}

// Counts of the words that make up a builtin type, in any order.
struct words {
    int n_signed, n_unsigned, n_short, n_long, n_char, n_int, n_bool, n_float, n_double, n_int128;
};

static bool count_word(struct words *w, const struct ks_token *token)
{
    const struct {
        const char *text;
        int *count;
    } table[] = {
        {"signed", &w->n_signed},   {"unsigned", &w->n_unsigned}, {"short", &w->n_short},
        {"long", &w->n_long},       {"char", &w->n_char},         {"int", &w->n_int},
        {"bool", &w->n_bool},       {"float", &w->n_float},       {"double", &w->n_double},
        {"__int128", &w->n_int128}, {"__signed__", &w->n_signed}, {"_Bool", &w->n_bool},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (ks_token_is(token, table[i].text)) {
            ++*table[i].count;
            return true;
        }
    return false;
}

// Plain `char` is signed on x86-64; on aarch64 it is unsigned, as is the element's range there.
static enum ks_scalar builtin_scalar(const struct words *w)
{
    bool u = w->n_unsigned > 0;
    if (w->n_int128)
        return KS_T_NONE;
    if (w->n_bool)
        return KS_T_BOOL;
    if (w->n_float)
        return KS_T_F32;
    if (w->n_double)
        return w->n_long ? KS_T_NONE : KS_T_F64;
    if (w->n_char) {
#ifdef __CHAR_UNSIGNED__
        return w->n_signed ? KS_T_I8 : KS_T_U8;
#else
        return u ? KS_T_U8 : KS_T_I8;
#endif
    }
    if (w->n_short)
        return u ? KS_T_U16 : KS_T_I16;
    if (w->n_long)
        return u ? KS_T_U64 : KS_T_I64;
    return u ? KS_T_U32 : KS_T_I32;
}

static bool is_word(const struct ks_token *t)
{
    return t->kind == KS_TOK_IDENT || t->kind == KS_TOK_NUMBER;
}

// One space between words, none elsewhere except before '(' after a word: "float (*)[4]".
static const char *normal_text(struct ks_arena *arena, const struct ks_token *tokens, size_t n)
{
    struct ks_buf buf = KS_BUF(1 << 16);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && is_word(&tokens[i]) && is_word(&tokens[i - 1]))
            ks_buf_putc(&buf, ' ');
        else if (i > 0 && is_word(&tokens[i]) && ks_token_is(&tokens[i - 1], "*"))
            ks_buf_putc(&buf, ' ');
        else if (i > 0 && tokens[i].kind == KS_TOK_IDENT && ks_token_is(&tokens[i - 1], ">"))
            ks_buf_putc(&buf, ' ');
        else if (i > 0 && ks_token_is(&tokens[i], "(") && is_word(&tokens[i - 1]))
            ks_buf_putc(&buf, ' ');
        ks_buf_puts(&buf, ks_token_text(arena, &tokens[i]));
    }
    const char *text = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

static bool is_one_of(const struct ks_token *token, const char *const *words)
{
    for (; *words; words++)
        if (ks_token_is(token, *words))
            return true;
    return false;
}

// Where what begins at `i` ends that says nothing of the type itself: template arguments, a lambda's name, the function
// that a local type is of. Stars in there are not its own. `i` where nothing such begins, or it does not end.
static size_t inner_end(const struct ks_token *tokens, size_t n, size_t i)
{
    static const char *const pairs[][2] = {{"<", ">"}, {"{", "}"}, {"(", ")"}};
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        int depth = 0;
        for (size_t k = i; ks_token_is(&tokens[i], pairs[p][0]) && k < n; k++) {
            depth += ks_token_is(&tokens[k], pairs[p][0]) - ks_token_is(&tokens[k], pairs[p][1]);
            depth -= p == 0 && ks_token_is(&tokens[k], ">>") ? 2 : 0;
            if (depth <= 0)
                return p == 2 && (k + 1 == n || !ks_token_is(&tokens[k + 1], "::")) ? i : k;
        }
    }
    return i;
}

struct ks_type ks_type_parse(struct ks_arena *arena, struct ks_slice text)
{
    static const char *const restrict_words[] = {"__restrict", "__restrict__", "restrict", NULL};
    static const char *const skipped[] = {
        "volatile", "struct",  "class",    "union", "enum",
        "typename", "mutable", "register", "::",    "__grid_constant__",
        NULL};
    struct ks_token *tokens;
    size_t n = ks_lex_all(arena, text, false, &tokens) - 1;
    struct ks_type type = {.text = normal_text(arena, tokens, n)};
    struct words words = {0};
    const char *name = NULL;
    int stars = 0;
    bool builtin = false, odd = false, is_const = false;
    for (size_t i = 0; i < n; i++) {
        const struct ks_token *t = &tokens[i];
        const size_t end = inner_end(tokens, n, i);
        if (end > i) {
            odd = true;
            i = end;
        } else if (ks_token_is(t, "*")) {
            stars++;
            type.restrict_ = false;
            if (stars == 1) {
                type.pointee_const = is_const;
                is_const = false;
            }
        } else if (ks_token_is(t, "const") || ks_token_is(t, "__const")) {
            is_const = true;
        } else if (is_one_of(t, restrict_words)) {
            type.restrict_ = true;
        } else if (is_one_of(t, skipped)) {
            continue;
        } else if (count_word(&words, t)) {
            builtin = true;
        } else if (t->kind == KS_TOK_IDENT && !name && stars == 0) {
            bool scope = i + 1 < n && ks_token_is(&tokens[i + 1], "::");
            if (scope && (ks_token_is(t, "std") || ks_token_is(t, "cuda")))
                continue;
            name = ks_token_text(arena, t);
        } else {
            odd = true; // template arguments, arrays, functions, references, other namespaces
        }
    }
    type.pointer = stars > 0;
    type.restrict_ = type.restrict_ && stars > 0;
    type.elem = (struct ks_elem){KS_T_NONE, 1, 0, 0};
    if (odd && stars == 0)
        return type;
    if (stars > 1) { // the pointee is a pointer itself
        type.pointee_const = false;
        type.elem = (struct ks_elem){KS_T_NONE, 1, sizeof(void *), sizeof(void *)};
    } else if (odd) {
        return type;
    } else if (builtin && !name) {
        enum ks_scalar scalar = builtin_scalar(&words);
        if (scalar != KS_T_NONE)
            type.elem = elem_of(scalar, 1);
        else if (words.n_int128 || words.n_double)
            type.elem = (struct ks_elem){KS_T_NONE, 1, 16, 16};
    } else if (name && !builtin) {
        type.elem = elem_named(name);
    }
    return type;
}

bool ks_type_is_enum(struct ks_arena *arena, const struct ks_type *type)
{
    return !type->pointer && type->elem.scalar != KS_T_NONE && type->text != NULL &&
           ks_type_parse(arena, ks_slice_of(type->text)).elem.scalar == KS_T_NONE;
}

const char *ks_elem_text(struct ks_arena *arena, struct ks_elem elem)
{
    if (elem.scalar == KS_T_NONE || elem.lanes <= 1)
        return ks_scalar_name(elem.scalar);
    return ks_arena_printf(arena, "%sx%d", ks_scalar_name(elem.scalar), elem.lanes);
}

bool ks_elem_parse(const char *text, struct ks_elem *elem)
{
    for (int s = KS_T_BOOL; s <= KS_T_F64; s++) {
        const char *name = ks_scalar_name((enum ks_scalar)s);
        size_t n = strlen(name);
        if (strncmp(text, name, n) != 0)
            continue;
        int lanes = text[n] == '\0' ? 1 : 0;
        if (text[n] == 'x' && text[n + 1] >= '2' && text[n + 1] <= '4' && text[n + 2] == '\0')
            lanes = text[n + 1] - '0';
        if (lanes == 0)
            continue;
        *elem = elem_of((enum ks_scalar)s, lanes);
        return true;
    }
    return false;
}
