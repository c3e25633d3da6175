// Reads one function or variable into canonical text. What is kept: every token that has meaning.
// What goes: white space, comments, .loc and .file, linking directives, labels nobody jumps to.
// Names that the program chose become ordinals: "#g<n>" for symbols of the module (a hole, numbered
// per entry), "#<n>" for names of the function, in order of first use. '#' occurs in no PTX token,
// so a renamed name is never mistaken for a kept one, and the text can be turned back into a
// program that differs from the original in names only.
#include "key/ptx_text.h"

#include <stdlib.h>

struct ks_ptx_local {
    struct ks_slice name;
    int ordinal;   // -1: not referred to yet
    bool declared; // a label, parameter or variable of this function
};

size_t ks_ptx_hash(struct ks_slice name)
{
    // FNV-1a over the tail: symbols of one module share long prefixes, labels end in numbers.
    uint64_t hash = 0xcbf29ce484222325u ^ name.len;
    size_t from = name.len > 24 ? name.len - 24 : 0;
    for (size_t i = from; i < name.len; i++)
        hash = (hash ^ (unsigned char)name.at[i]) * 0x100000001b3u;
    return (size_t)(hash ^ hash >> 29);
}

static bool same(struct ks_slice a, struct ks_slice b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

int ks_ptx_symbol_find(const struct ks_ptx_text *text, struct ks_slice name)
{
    if (text->table_size == 0)
        return -1;
    size_t mask = text->table_size - 1;
    for (size_t i = ks_ptx_hash(name) & mask; text->table[i] >= 0; i = (i + 1) & mask)
        if (same(text->symbols.at[text->table[i]].name, name))
            return text->table[i];
    return -1;
}

static void grow(struct ks_ptx_text *text, size_t n)
{
    size_t cap = text->cap * 2 + n + 4096;
    char *out = realloc(text->out, cap);
    KS_ASSERT(out != NULL);
    text->out = out;
    text->cap = cap;
}

static inline void reserve(struct ks_ptx_text *text, size_t n)
{
    if (text->cap - text->len < n)
        grow(text, n);
}

void ks_ptx_text_free(struct ks_ptx_text *text)
{
    free(text->out);
    free(text->locals);
    free(text->local_table);
    free(text->local_stamp);
    text->out = NULL;
    text->locals = NULL;
    text->local_table = NULL;
    text->local_stamp = NULL;
}

enum ks_status ks_ptx_bad(const struct ks_ptx_text *text, const char *at, const char *what,
                          struct ks_err *err)
{
    size_t line = 1;
    for (const char *p = text->source.at; p < at; p++)
        line += *p == '\n';
    return ks_err_set(err, KS_E_FORMAT, "PTX line %zu: %s", line, what);
}

static void local_grow(struct ks_ptx_text *text)
{
    size_t size = text->local_size == 0 ? 256 : text->local_size * 2;
    text->cap_locals = size / 2;
    text->locals = realloc(text->locals, text->cap_locals * sizeof *text->locals);
    free(text->local_table);
    free(text->local_stamp);
    text->local_table = malloc(size * sizeof *text->local_table);
    text->local_stamp = calloc(size, sizeof *text->local_stamp);
    KS_ASSERT(text->locals != NULL && text->local_table != NULL && text->local_stamp != NULL);
    text->local_size = size;
    for (size_t i = 0; i < text->n_locals; i++) {
        size_t at = ks_ptx_hash(text->locals[i].name) & (size - 1);
        while (text->local_stamp[at] == text->generation)
            at = (at + 1) & (size - 1);
        text->local_stamp[at] = text->generation;
        text->local_table[at] = (int)i;
    }
}

static int local_find(struct ks_ptx_text *text, struct ks_slice name)
{
    if (text->n_locals >= text->cap_locals)
        local_grow(text);
    size_t mask = text->local_size - 1, at = ks_ptx_hash(name) & mask;
    for (; text->local_stamp[at] == text->generation; at = (at + 1) & mask)
        if (same(text->locals[text->local_table[at]].name, name))
            return text->local_table[at];
    text->local_stamp[at] = text->generation;
    text->local_table[at] = (int)text->n_locals;
    text->locals[text->n_locals] = (struct ks_ptx_local){.name = name, .ordinal = -1};
    return (int)text->n_locals++;
}

// Everything about the symbol being read.
struct reader {
    struct ks_ptx_text *text;
    struct ks_ptx_symbol *symbol;
    struct ks_ptx_scan scan;
    const char **blank;  // the next place to blank, or NULL
    bool after_word;     // the last thing written was a word
    bool declaring;      // names in this statement are declared by it
};

static inline void put_char(struct reader *r, char c)
{
    reserve(r->text, 1);
    r->text->out[r->text->len++] = c;
    r->after_word = false;
}

static inline void put_word(struct reader *r, const char *at, size_t n)
{
    struct ks_ptx_text *text = r->text;
    reserve(text, n + 1);
    char *out = text->out + text->len;
    if (r->after_word)
        *out++ = ' ';
    memcpy(out, at, n);
    text->len = (size_t)(out - text->out) + n;
    r->after_word = true;
}

static void put_hole(struct reader *r, int symbol)
{
    if (r->after_word)
        put_char(r, ' ');
    struct ks_ptx_hole *hole = ks_vec_push(r->text->arena, &r->text->holes);
    *hole = (struct ks_ptx_hole){.offset = r->text->len, .symbol = symbol, .label = -1};
    r->after_word = true;
}

static void put_local(struct reader *r, int index)
{
    struct ks_ptx_local *local = &r->text->locals[index];
    if (local->ordinal < 0)
        local->ordinal = r->text->next_local++;
    char name[16];
    size_t at = sizeof name;
    int value = local->ordinal;
    do {
        name[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    name[--at] = '#';
    put_word(r, name + at, sizeof name - at);
}

static void note(struct reader *r, enum ks_reason reason, const struct ks_ptx_token *word)
{
    if (reason != KS_R_APPLIED && r->symbol->reason == KS_R_APPLIED) {
        r->symbol->reason = reason;
        r->symbol->reason_text = ks_arena_strndup(r->text->arena, word->at, word->len);
    }
}

// The names that PTX itself defines; renaming them would make them look like the program's.
static bool predefined(const struct ks_ptx_token *word)
{
    return ks_ptx_is(word, "_") || ks_ptx_is(word, "WARP_SZ") || ks_ptx_is(word, "generic");
}

static void put_name(struct reader *r, struct ks_slice name)
{
    int symbol = ks_ptx_symbol_find(r->text, name);
    if (symbol >= 0) {
        put_hole(r, symbol);
        return;
    }
    int local = local_find(r->text, name);
    r->text->locals[local].declared |= r->declaring;
    put_local(r, local);
}

static void put_operand(struct reader *r, const struct ks_ptx_token *token)
{
    if (r->blank != NULL && token->at == *r->blank) {
        put_word(r, "#a", 2);
        if (*++r->blank == NULL)
            r->blank = NULL;
        return;
    }
    if (token->kind != KS_PTX_WORD) {
        for (size_t i = 0; i < token->len; i++)
            put_char(r, token->at[i]);
        return;
    }
    if (token->at[0] == '%') {
        note(r, ks_ptx_rule_register(token), token);
        put_word(r, token->at, token->len);
        return;
    }
    if (!ks_ptx_is_name(token) || predefined(token)) {
        put_word(r, token->at, token->len);
        return;
    }
    // "t.x" is an element of the vector register t.
    const char *dot = memchr(token->at, '.', token->len);
    size_t n = dot == NULL ? token->len : (size_t)(dot - token->at);
    put_name(r, (struct ks_slice){token->at, n});
    if (dot != NULL) {
        r->after_word = false;
        put_word(r, dot, token->len - n);
    }
    // ".reg .b32 t<4>" declares t0 to t3, so the name itself has meaning.
    if (!r->declaring)
        return;
    ks_ptx_skip_space(&r->scan);
    if (r->scan.at < r->scan.end && *r->scan.at == '<') {
        put_char(r, '=');
        put_word(r, token->at, token->len);
    }
}

static void put_label(struct reader *r, const struct ks_ptx_token *token)
{
    struct ks_slice name = {token->at, token->len};
    int symbol = ks_ptx_symbol_find(r->text, name);
    if (symbol >= 0) {
        put_hole(r, symbol);
        put_char(r, ':');
        put_char(r, '\n');
    } else {
        int local = local_find(r->text, name);
        r->text->locals[local].declared = true;
        put_hole(r, ~local);
    }
    r->after_word = false;
}

static bool declares(const struct ks_ptx_token *directive)
{
    static const char *const words[] = {".reg",   ".local", ".shared", ".param",
                                        ".const", ".global", ".sreg"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ks_ptx_is(directive, words[i]))
            return true;
    return false;
}

// The callee is the first word outside parentheses; only a function of the module is a known one.
static void check_call(struct reader *r, struct ks_ptx_scan scan, const struct ks_ptx_token *opcode)
{
    int depth = 0;
    for (;;) {
        struct ks_ptx_token token = ks_ptx_next(&scan);
        if (token.kind == KS_PTX_END || token.kind == KS_PTX_BAD || ks_ptx_is_char(&token, ';'))
            return;
        if (ks_ptx_is_char(&token, '('))
            depth++;
        else if (ks_ptx_is_char(&token, ')'))
            depth--;
        else if (token.kind == KS_PTX_WORD && depth == 0) {
            int callee = ks_ptx_symbol_find(r->text, (struct ks_slice){token.at, token.len});
            if (callee < 0 || r->text->symbols.at[callee].kind != KS_PTX_FUNC)
                note(r, KS_R_INDIRECT_CALL, opcode);
            return;
        }
    }
}

// Tokens up to the ';', which is written as a newline.
static enum ks_status read_operands(struct reader *r, struct ks_err *err)
{
    for (;;) {
        struct ks_ptx_token token = ks_ptx_next(&r->scan);
        if (ks_ptx_is_char(&token, ';')) {
            put_char(r, ';');
            put_char(r, '\n');
            return KS_OK;
        }
        if (token.kind == KS_PTX_END)
            return ks_ptx_bad(r->text, token.at, "a statement without ';'", err);
        if (token.kind == KS_PTX_BAD)
            return ks_ptx_bad(r->text, token.at, "not PTX", err);
        put_operand(r, &token);
    }
}

static enum ks_status read_statement(struct reader *r, struct ks_ptx_token token,
                                     struct ks_err *err)
{
    if (ks_ptx_is_char(&token, '@')) {
        // "@%p1 bra", "@!%p1 bra": the predicate, then the instruction.
        put_char(r, '@');
        token = ks_ptx_next(&r->scan);
        if (ks_ptx_is_char(&token, '!')) {
            put_char(r, '!');
            token = ks_ptx_next(&r->scan);
        }
        if (token.kind != KS_PTX_WORD)
            return ks_ptx_bad(r->text, token.at, "'@' without a predicate", err);
        put_operand(r, &token);
        token = ks_ptx_next(&r->scan);
    }
    if (token.kind != KS_PTX_WORD)
        return ks_ptx_bad(r->text, token.at, "not a PTX statement", err);
    r->declaring = token.at[0] == '.' && declares(&token);
    note(r, ks_ptx_rule_opcode(&token), &token);
    if (token.at[0] == 'c' && ks_ptx_begins(&token, "call"))
        check_call(r, r->scan, &token);
    put_word(r, token.at, token.len);
    return read_operands(r, err);
}

static enum ks_status read_body(struct reader *r, struct ks_err *err)
{
    int depth = 0;
    for (;;) {
        struct ks_ptx_token token = ks_ptx_next(&r->scan);
        if (token.kind == KS_PTX_END)
            return depth == 0 ? KS_OK : ks_ptx_bad(r->text, token.at, "a '{' is open", err);
        if (ks_ptx_is_char(&token, ';'))
            continue;
        if (ks_ptx_is_char(&token, '{') || ks_ptx_is_char(&token, '}')) {
            depth += *token.at == '{' ? 1 : -1;
            put_char(r, *token.at);
            put_char(r, '\n');
            continue;
        }
        if (token.kind == KS_PTX_WORD) {
            if (token.at[0] == '.' && (ks_ptx_is(&token, ".loc") || ks_ptx_is(&token, ".file"))) {
                ks_ptx_skip_line(&r->scan);
                continue;
            }
            ks_ptx_skip_space(&r->scan);
            if (r->scan.at < r->scan.end && *r->scan.at == ':') {
                r->scan.at++;
                put_label(r, &token);
                continue;
            }
        }
        KS_TRY(read_statement(r, token, err));
    }
}

// The declaration: "entry #g0(.param .u64 #0,...) .maxntid 128,1,1". Its names are declared here.
static enum ks_status read_head(struct reader *r, struct ks_err *err)
{
    r->scan = (struct ks_ptx_scan){r->symbol->head.at, r->symbol->head.at + r->symbol->head.len};
    r->declaring = r->symbol->kind != KS_PTX_VAR; // an initialiser declares nothing
    for (;;) {
        struct ks_ptx_token token = ks_ptx_next(&r->scan);
        if (token.kind == KS_PTX_END)
            break;
        if (token.kind == KS_PTX_BAD)
            return ks_ptx_bad(r->text, token.at, "not PTX", err);
        if (token.kind == KS_PTX_WORD && token.at[0] == '.' &&
            (ks_ptx_is(&token, ".explicitcluster") || ks_ptx_is(&token, ".reqnctapercluster") ||
             ks_ptx_is(&token, ".maxclusterrank") || ks_ptx_is(&token, ".blocksareclusters")))
            note(r, KS_R_CLUSTER, &token);
        put_operand(r, &token);
    }
    put_char(r, '\n');
    return KS_OK;
}

// Labels get their ordinals from their uses, which may come behind them. A name that nothing here
// declares is written out: it may be a word of PTX that we do not know.
static void finish_locals(struct reader *r)
{
    struct ks_ptx_text *text = r->text;
    for (size_t i = r->symbol->hole; i < text->holes.len; i++)
        if (text->holes.at[i].symbol < 0)
            text->holes.at[i].label = text->locals[~text->holes.at[i].symbol].ordinal;
    for (size_t i = 0; i < text->n_locals; i++) {
        if (text->locals[i].declared || text->locals[i].ordinal < 0)
            continue;
        put_local(r, (int)i);
        put_char(r, '=');
        put_word(r, text->locals[i].name.at, text->locals[i].name.len);
        put_char(r, '\n');
    }
}

enum ks_status ks_ptx_symbol_parse(struct ks_ptx_text *text, struct ks_ptx_symbol *symbol,
                                   struct ks_err *err)
{
    if (symbol->parsed)
        return KS_OK;
    struct reader r = {.text = text, .symbol = symbol};
    text->generation++;
    text->n_locals = 0;
    text->next_local = 0;
    symbol->begin = text->len;
    symbol->hole = text->holes.len;
    symbol->reason = ks_ptx_rule_symbol(symbol);
    if (symbol->reason != KS_R_APPLIED)
        symbol->reason_text = ks_arena_strndup(text->arena, symbol->name.at, symbol->name.len);

    if (symbol->external) {
        // Outside this module the name is all there is; but `extern __shared__` names nothing.
        put_word(&r, ".extern", 7);
        if (symbol->reason != KS_R_APPLIED || symbol->kind != KS_PTX_VAR)
            put_word(&r, symbol->name.at, symbol->name.len);
        put_char(&r, ':');
    }
    KS_TRY(read_head(&r, err));
    if (symbol->kind == KS_PTX_VAR && symbol->reason != KS_R_APPLIED) {
        // Two variables may differ in nothing but what the host may do to them.
        put_char(&r, '!');
        put_word(&r, ks_reason_name(symbol->reason), strlen(ks_reason_name(symbol->reason)));
        put_char(&r, '\n');
    }
    if (symbol->body.at != NULL) {
        put_char(&r, '{');
        put_char(&r, '\n');
        int assertfail = ks_ptx_symbol_find(text, KS_SLICE("__assertfail"));
        if (assertfail >= 0 && text->symbols.at[assertfail].body.at == NULL)
            r.blank = ks_ptx_assert_places(text->arena, symbol->body);
        r.scan = (struct ks_ptx_scan){symbol->body.at, symbol->body.at + symbol->body.len};
        KS_TRY(read_body(&r, err));
        put_char(&r, '}');
        put_char(&r, '\n');
    }
    finish_locals(&r);
    symbol->end = text->len;
    symbol->n_holes = text->holes.len - symbol->hole;
    symbol->parsed = true;
    return KS_OK;
}
