// Reads a PTX module: finds its symbols, then writes for each entry the text of everything it
// reaches, breadth first, with symbols numbered in the order in which they are met.
#include "key/ptx.h"

#include <stdlib.h>

#include "key/ptx_text.h"
#include "source/signature.h"

static bool is_linking(const struct ks_ptx_token *token)
{
    static const char *const words[] = {".visible", ".weak", ".extern", ".common", ".internal"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ks_ptx_is(token, words[i]))
            return true;
    return false;
}

static bool is_space(const struct ks_ptx_token *token)
{
    static const char *const words[] = {".global", ".const", ".shared", ".tex", ".local"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ks_ptx_is(token, words[i]))
            return true;
    return false;
}

static void table_grow(struct ks_ptx_text *text)
{
    text->table_size = text->table_size == 0 ? 256 : text->table_size * 2;
    text->table = KS_NEW_ARRAY(text->arena, int, text->table_size);
    for (size_t i = 0; i < text->table_size; i++)
        text->table[i] = -1;
    for (size_t i = 0; i < text->symbols.len; i++) {
        size_t at = ks_ptx_hash(text->symbols.at[i].name) & (text->table_size - 1);
        while (text->table[at] >= 0)
            at = (at + 1) & (text->table_size - 1);
        text->table[at] = (int)i;
    }
}

// The symbol of that name, made if it is new.
static struct ks_ptx_symbol *symbol_of(struct ks_ptx_text *text, struct ks_slice name)
{
    int known = ks_ptx_symbol_find(text, name);
    if (known >= 0)
        return &text->symbols.at[known];
    struct ks_ptx_symbol *symbol = ks_vec_push(text->arena, &text->symbols);
    symbol->name = name;
    symbol->external = true;
    if (text->symbols.len * 2 > text->table_size)
        table_grow(text);
    size_t at = ks_ptx_hash(name) & (text->table_size - 1);
    while (text->table[at] >= 0)
        at = (at + 1) & (text->table_size - 1);
    text->table[at] = (int)(text->symbols.len - 1);
    return symbol;
}

// ".global .align 4 .b8 name[16] = {...};" behind its linking directives.
static enum ks_status read_variable(struct ks_ptx_text *text, struct ks_ptx_scan *scan,
                                    const char *begin, bool external, struct ks_err *err)
{
    struct ks_slice name = {0};
    bool in_value = false;
    int depth = 0;
    for (;;) {
        struct ks_ptx_token token = ks_ptx_next(scan);
        if (token.kind == KS_PTX_END || token.kind == KS_PTX_BAD)
            return ks_ptx_bad(text, token.at, "a variable without ';'", err);
        if (ks_ptx_is_char(&token, ';')) {
            if (name.at == NULL)
                return ks_ptx_bad(text, token.at, "a variable without a name", err);
            struct ks_ptx_symbol *symbol = symbol_of(text, name);
            symbol->kind = KS_PTX_VAR;
            symbol->external = external;
            symbol->head = (struct ks_slice){begin, (size_t)(token.at - begin)};
            return KS_OK;
        }
        if (ks_ptx_is_char(&token, '=')) {
            // Nothing in an initialiser declares; a byte loop passes over big tables.
            in_value = true;
            const char *semicolon = memchr(scan->at, ';', (size_t)(scan->end - scan->at));
            if (semicolon != NULL)
                scan->at = semicolon;
        } else if (ks_ptx_is_char(&token, '(')) {
            depth++;
        } else if (ks_ptx_is_char(&token, ')')) {
            depth--;
        } else if (depth == 0 && ks_ptx_is_name(&token) && name.at == NULL) {
            name = (struct ks_slice){token.at, token.len};
        } else if (depth == 0 && !in_value && ks_ptx_is_char(&token, ',')) {
            return ks_ptx_bad(text, token.at, "several variables in one declaration", err);
        }
    }
}

// ".entry name(...)" or ".func (.param ...) name(...)", attributes, and a body or ';'.
static enum ks_status read_function(struct ks_ptx_text *text, struct ks_ptx_scan *scan,
                                    const char *begin, enum ks_ptx_symbol_kind kind,
                                    struct ks_err *err)
{
    struct ks_slice name = {0};
    int depth = 0;
    for (;;) {
        struct ks_ptx_token token = ks_ptx_next(scan);
        if (token.kind == KS_PTX_END || token.kind == KS_PTX_BAD)
            return ks_ptx_bad(text, token.at, "a function without an end", err);
        if (ks_ptx_is_char(&token, '(')) {
            depth++;
        } else if (ks_ptx_is_char(&token, ')')) {
            depth--;
        } else if (depth == 0 && ks_ptx_is_name(&token) && name.at == NULL) {
            name = (struct ks_slice){token.at, token.len};
        } else if (ks_ptx_is_char(&token, ';') || ks_ptx_is_char(&token, '{')) {
            if (name.at == NULL)
                return ks_ptx_bad(text, token.at, "a function without a name", err);
            struct ks_slice body = {0};
            if (*token.at == '{') {
                const char *from = scan->at;
                if (!ks_ptx_skip_block(scan))
                    return ks_ptx_bad(text, token.at, "a function without an end", err);
                body = (struct ks_slice){from, (size_t)(scan->at - 1 - from)};
            }
            struct ks_ptx_symbol *symbol = symbol_of(text, name);
            if (symbol->body.at != NULL)
                return body.at == NULL ? KS_OK
                                       : ks_ptx_bad(text, begin, "a function defined twice", err);
            symbol->kind = kind;
            symbol->head = (struct ks_slice){begin, (size_t)(token.at - begin)};
            symbol->body = body;
            symbol->external = body.at == NULL;
            return KS_OK;
        }
    }
}

struct header {
    KS_VEC(struct ks_slice) lines; // .version, .target, .address_size and module-wide pragmas
};

static enum ks_status read_line(struct ks_ptx_text *text, struct ks_ptx_scan *scan,
                                struct ks_ptx_token token, struct header *header,
                                struct ks_ptx_module *module, struct ks_err *err)
{
    const char *begin = token.at;
    struct ks_ptx_scan value = *scan;
    ks_ptx_skip_line(scan);
    value.end = scan->at;
    if (ks_ptx_is(&token, ".target")) {
        struct ks_ptx_token target = ks_ptx_next(&value);
        if (!ks_ptx_begins(&target, "sm_"))
            return ks_ptx_bad(text, begin, "a .target that is no sm_NN", err);
        module->target = ks_arena_strndup(text->arena, target.at, target.len);
        module->arch = (int)strtol(module->target + 3, NULL, 10);
    }
    // Its tokens are written by entry_text, so comments behind it do not matter.
    *ks_vec_push(text->arena, &header->lines) =
        (struct ks_slice){begin, (size_t)(scan->at - begin)};
    return KS_OK;
}

static enum ks_status read_symbols(struct ks_ptx_text *text, struct header *header,
                                   struct ks_ptx_module *module, struct ks_err *err)
{
    struct ks_ptx_scan scan = {text->source.at, text->source.at + text->source.len};
    for (;;) {
        struct ks_ptx_token token = ks_ptx_next(&scan);
        if (token.kind == KS_PTX_END)
            return KS_OK;
        if (ks_ptx_is_char(&token, '@')) { // "@@DWARF ..." of old compilers
            ks_ptx_skip_line(&scan);
            continue;
        }
        if (token.kind != KS_PTX_WORD)
            return ks_ptx_bad(text, token.at, "not PTX", err);
        if (ks_ptx_is(&token, ".file") || ks_ptx_is(&token, ".loc")) {
            ks_ptx_skip_line(&scan);
            continue;
        }
        if (ks_ptx_is(&token, ".section")) {
            while (token.kind == KS_PTX_WORD || token.kind == KS_PTX_STRING)
                token = ks_ptx_next(&scan);
            if (!ks_ptx_is_char(&token, '{') || !ks_ptx_skip_block(&scan))
                return ks_ptx_bad(text, token.at, "a .section without an end", err);
            continue;
        }
        if (ks_ptx_is(&token, ".version") || ks_ptx_is(&token, ".target") ||
            ks_ptx_is(&token, ".address_size") || ks_ptx_is(&token, ".pragma")) {
            KS_TRY(read_line(text, &scan, token, header, module, err));
            continue;
        }
        bool external = false;
        while (token.kind == KS_PTX_WORD && is_linking(&token)) {
            external |= ks_ptx_is(&token, ".extern");
            token = ks_ptx_next(&scan);
        }
        if (ks_ptx_is(&token, ".entry"))
            KS_TRY(read_function(text, &scan, token.at, KS_PTX_ENTRY, err));
        else if (ks_ptx_is(&token, ".func"))
            KS_TRY(read_function(text, &scan, token.at, KS_PTX_FUNC, err));
        else if (is_space(&token))
            KS_TRY(read_variable(text, &scan, token.at, external, err));
        else
            return ks_ptx_bad(text, token.at, "a directive that ks does not know", err);
    }
}

// Size in bytes of ".u64", ".b8", ".v4 .f32" and so on; 0 for what is no type.
static size_t type_size(const struct ks_ptx_token *token)
{
    if (token->len < 3 || token->at[0] != '.' || strchr("busf", token->at[1]) == NULL)
        return 0;
    size_t bits = 0;
    for (size_t i = 2; i < token->len; i++) {
        if (token->at[i] < '0' || token->at[i] > '9' || bits > 1000)
            return 0;
        bits = bits * 10 + (size_t)(token->at[i] - '0');
    }
    return bits / 8;
}

static size_t number(const struct ks_ptx_token *token)
{
    size_t value = 0;
    for (size_t i = 0; i < token->len && token->at[i] >= '0' && token->at[i] <= '9'; i++)
        if (__builtin_mul_overflow(value, (size_t)10, &value) ||
            __builtin_add_overflow(value, (size_t)(token->at[i] - '0'), &value))
            return 0;
    return value;
}

// ".param .align 8 .b8 name[32]" and ".param .u64 .ptr .global .align 4 name", where the .align behind
// .ptr is the pointee's.
static void read_params(struct ks_ptx_text *text, const struct ks_ptx_symbol *symbol,
                        struct ks_ptx_entry *entry)
{
    KS_VEC(struct ks_ptx_param) params = {0};
    struct ks_ptx_param *param = NULL;
    struct ks_ptx_scan scan = {symbol->head.at, symbol->head.at + symbol->head.len};
    bool pointer = false;
    int depth = 0;
    for (;;) {
        struct ks_ptx_token token = ks_ptx_next(&scan);
        if (token.kind == KS_PTX_END)
            break;
        depth += ks_ptx_is_char(&token, '(');
        depth -= ks_ptx_is_char(&token, ')');
        if (depth == 0)
            continue;
        if (ks_ptx_is(&token, ".param")) {
            param = ks_vec_push(text->arena, &params);
            param->scalar = true;
            pointer = false;
        } else if (param == NULL) {
            continue;
        } else if (ks_ptx_is(&token, ".ptr")) {
            pointer = true;
        } else if (ks_ptx_is(&token, ".align")) {
            token = ks_ptx_next(&scan);
            if (!pointer)
                param->align = number(&token);
        } else if (ks_ptx_is_char(&token, '[')) {
            token = ks_ptx_next(&scan);
            param->size *= number(&token);
            param->scalar = false;
        } else if (token.kind == KS_PTX_WORD && type_size(&token) > 0) {
            param->size = type_size(&token);
            param->real = token.at[1] == 'f';
            if (param->align == 0)
                param->align = param->size;
        }
    }
    entry->params = params.at;
    entry->n_params = params.len;
}

static void out_number(struct ks_buf *out, const char *prefix, int value, const char *suffix)
{
    char digits[16];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    ks_buf_puts(out, prefix);
    ks_buf_add(out, digits + at, sizeof digits - at);
    ks_buf_puts(out, suffix);
}

// A symbol's text with its holes filled; symbols met for the first time join the queue.
static void fill(struct ks_ptx_text *text, const struct ks_ptx_symbol *symbol, unsigned generation,
                 int *queue, int *n_queue, struct ks_buf *out)
{
    size_t at = symbol->begin;
    for (size_t i = 0; i < symbol->n_holes; i++) {
        const struct ks_ptx_hole *hole = &text->holes.at[symbol->hole + i];
        ks_buf_add(out, text->out + at, hole->offset - at);
        at = hole->offset;
        if (hole->symbol < 0) {
            if (hole->label >= 0)
                out_number(out, "#", hole->label, ":\n");
            continue;
        }
        struct ks_ptx_symbol *used = &text->symbols.at[hole->symbol];
        if (used->seen != generation) {
            used->seen = generation;
            used->ordinal = *n_queue;
            queue[(*n_queue)++] = hole->symbol;
        }
        out_number(out, "#g", used->ordinal, "");
    }
    ks_buf_add(out, text->out + at, symbol->end - at);
}

static void put_header(const struct header *header, struct ks_buf *out)
{
    ks_vec_each (struct ks_slice, line, &header->lines) {
        struct ks_ptx_scan scan = {line->at, line->at + line->len};
        for (struct ks_ptx_token t = ks_ptx_next(&scan); t.kind != KS_PTX_END;
             t = ks_ptx_next(&scan)) {
            ks_buf_add(out, t.at, t.len);
            ks_buf_putc(out, ' ');
            if (t.kind == KS_PTX_BAD)
                break;
        }
        ks_buf_putc(out, '\n');
    }
}

static enum ks_status entry_text(struct ks_ptx_text *text, const struct header *header, int index,
                                 unsigned generation, int *queue, struct ks_buf *out,
                                 struct ks_ptx_entry *entry, struct ks_err *err)
{
    entry->ineligible = KS_R_APPLIED;
    entry->ineligible_text = "";
    ks_buf_clear(out);
    put_header(header, out);
    int n_queue = 1;
    queue[0] = index;
    text->symbols.at[index].seen = generation;
    text->symbols.at[index].ordinal = 0;
    for (int i = 0; i < n_queue; i++) {
        struct ks_ptx_symbol *symbol = &text->symbols.at[queue[i]];
        KS_TRY(ks_ptx_symbol_parse(text, symbol, err));
        if (entry->ineligible == KS_R_APPLIED && symbol->reason != KS_R_APPLIED) {
            entry->ineligible = symbol->reason;
            entry->ineligible_text = symbol->reason_text;
        }
        fill(text, symbol, generation, queue, &n_queue, out);
    }
    KS_TRY(ks_buf_check(out, "the canonical PTX", err));
    entry->canonical = (struct ks_slice){ks_arena_strndup(text->arena, out->data, out->len),
                                         out->len};
    entry->digest = ks_digest_of("ptx", entry->canonical.at, entry->canonical.len);
    return KS_OK;
}

static enum ks_status read_entries(struct ks_ptx_text *text, const struct header *header,
                                   struct ks_ptx_module *module, struct ks_buf *out,
                                   struct ks_err *err)
{
    KS_VEC(struct ks_ptx_entry) entries = {0};
    int *queue = KS_NEW_ARRAY(text->arena, int, text->symbols.len);
    for (size_t i = 0; i < text->symbols.len; i++) {
        struct ks_ptx_symbol *symbol = &text->symbols.at[i];
        if (symbol->kind != KS_PTX_ENTRY || symbol->body.at == NULL)
            continue;
        struct ks_ptx_entry *entry = ks_vec_push(text->arena, &entries);
        entry->name = ks_arena_strndup(text->arena, symbol->name.at, symbol->name.len);
        KS_TRY(entry_text(text, header, (int)i, (unsigned)entries.len, queue, out, entry, err));
        read_params(text, &text->symbols.at[i], entry);
    }
    module->entries = entries.at;
    module->n_entries = entries.len;
    return KS_OK;
}

// Far above any real module: nvcc's own limit on a kernel is 512 Ki instructions or so.
#define LARGEST_CANONICAL ((size_t)1 << 30)

// What a reading is about; its tables take several times the text's memory.
static void keep(struct ks_arena *arena, struct ks_ptx_module *module)
{
    module->target = ks_arena_strdup(arena, module->target);
    module->entries =
        ks_arena_memdup(arena, module->entries, module->n_entries * sizeof *module->entries);
    for (size_t i = 0; i < module->n_entries; i++) {
        struct ks_ptx_entry *e = &module->entries[i];
        e->name = ks_arena_strdup(arena, e->name);
        e->params = ks_arena_memdup(arena, e->params, e->n_params * sizeof *e->params);
        e->canonical.at = ks_arena_strndup(arena, e->canonical.at, e->canonical.len);
        if (e->ineligible_text != NULL)
            e->ineligible_text = ks_arena_strdup(arena, e->ineligible_text);
    }
}

enum ks_status ks_ptx_read(struct ks_arena *arena, struct ks_slice source,
                           struct ks_ptx_module *module, struct ks_err *err)
{
    *module = (struct ks_ptx_module){0};
    struct ks_arena scratch = {0};
    struct ks_ptx_text text = {.arena = &scratch, .source = source};
    struct ks_buf out = KS_BUF(LARGEST_CANONICAL);
    struct header header = {0};
    enum ks_status status = KS_OK;
    KS_TRY_GOTO(read_symbols(&text, &header, module, err), done);
    if (module->target == NULL) {
        status = ks_err_set(err, KS_E_FORMAT, "PTX without a .target line");
        goto done;
    }
    KS_TRY_GOTO(read_entries(&text, &header, module, &out, err), done);
    keep(arena, module);
done:
    ks_arena_free(&scratch);
    if (status != KS_OK)
        *module = (struct ks_ptx_module){0};
    ks_buf_free(&out);
    ks_ptx_text_free(&text);
    return status;
}

const struct ks_ptx_entry *ks_ptx_find(const struct ks_ptx_module *module, const char *name)
{
    for (size_t i = 0; i < module->n_entries; i++)
        if (strcmp(module->entries[i].name, name) == 0)
            return &module->entries[i];
    return NULL;
}

const struct ks_ptx_entry *ks_ptx_find_same(const struct ks_ptx_module *module, const char *name)
{
    const struct ks_ptx_entry *found = ks_ptx_find(module, name);
    for (size_t i = 0; found == NULL && i < module->n_entries; i++)
        if (ks_registered_same(module->entries[i].name, name))
            found = &module->entries[i];
    return found;
}

struct ks_slice ks_ptx_function_at(struct ks_slice text, int64_t line)
{
    const char *end = text.at, *last = text.at + text.len;
    for (; line > 0 && end < last; line--) {
        const char *newline = memchr(end, '\n', (size_t)(last - end));
        end = newline == NULL ? last : newline + 1;
    }
    struct ks_slice name = {0};
    if (line > 0)
        return name; // the text is shorter
    // Whatever a program puts in between, functions begin at the beginning of a line.
    for (const char *at = text.at; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        struct ks_ptx_scan scan = {at, newline == NULL ? end : newline};
        struct ks_ptx_token token = ks_ptx_next(&scan);
        while (is_linking(&token))
            token = ks_ptx_next(&scan);
        bool function = ks_ptx_is(&token, ".entry") || ks_ptx_is(&token, ".func");
        token = ks_ptx_next(&scan);
        if (function && ks_ptx_is_char(&token, '(')) { // what it returns
            while (token.kind != KS_PTX_END && token.kind != KS_PTX_BAD &&
                   !ks_ptx_is_char(&token, ')'))
                token = ks_ptx_next(&scan);
            token = ks_ptx_next(&scan);
        }
        if (function && token.kind == KS_PTX_WORD)
            name = (struct ks_slice){token.at, token.len};
        at = scan.end + 1;
    }
    return name;
}

const struct ks_ptx_module *ks_ptx_of_arch(const struct ks_ptx_module *modules, size_t n, int arch)
{
    const struct ks_ptx_module *found = NULL;
    for (size_t i = 0; i < n; i++)
        if (modules[i].arch == arch &&
            (found == NULL || strlen(modules[i].target) > strlen(found->target)))
            found = &modules[i];
    return found;
}
