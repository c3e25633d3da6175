// Statements of PTX: opcode, guard and operands (PTX ISA 4.2, 4.5.1).

#include "device/emu/emu_scan.h"

#include <stdio.h>
#include <stdlib.h>

void ks_emu_reader_init(struct ks_emu_reader *r, const char *at, const char *end, uint32_t line)
{
    *r = (struct ks_emu_reader){.scan = {at, end}, .counted = at, .line = line};
    ks_emu_next(r);
}

void ks_emu_next(struct ks_emu_reader *r)
{
    r->token = ks_ptx_next(&r->scan);
    for (const char *p = r->counted;; p++) {
        p = memchr(p, '\n', (size_t)(r->token.at - p));
        if (p == NULL)
            break;
        r->line++;
    }
    r->counted = r->token.at;
}

bool ks_emu_is(const struct ks_emu_reader *r, const char *text)
{
    return (r->token.kind == KS_PTX_WORD || r->token.kind == KS_PTX_PUNCT) &&
           ks_ptx_is(&r->token, text);
}

bool ks_emu_take(struct ks_emu_reader *r, const char *text)
{
    if (!ks_emu_is(r, text))
        return false;
    ks_emu_next(r);
    return true;
}

enum ks_status ks_emu_bad(const struct ks_emu_reader *r, const char *what, struct ks_err *err)
{
    if (r->token.kind == KS_PTX_END)
        KS_FAIL(err, KS_E_FORMAT, "PTX line %u: %s, but the text ends", r->line, what);
    int n = r->token.len > 40 ? 40 : (int)r->token.len;
    KS_FAIL(err, KS_E_FORMAT, "PTX line %u: %s, not '%.*s'", r->line, what, n, r->token.at);
}

enum ks_status ks_emu_want(struct ks_emu_reader *r, const char *text, struct ks_err *err)
{
    char what[32];
    if (ks_emu_take(r, text))
        return KS_OK;
    snprintf(what, sizeof what, "'%s' is expected", text);
    return ks_emu_bad(r, what, err);
}

struct ks_slice ks_emu_word(const struct ks_emu_reader *r)
{
    return (struct ks_slice){r->token.at, r->token.len};
}

bool ks_emu_number(struct ks_slice word, uint64_t *bits, int *bytes)
{
    char text[32];
    char *end;
    *bytes = 0;
    if (word.len == 0 || word.len >= sizeof text || word.at[0] < '0' || word.at[0] > '9')
        return false;
    memcpy(text, word.at, word.len);
    text[word.len] = '\0';
    bool single = word.len == 10 && text[0] == '0' && (text[1] == 'f' || text[1] == 'F');
    bool twice = word.len == 18 && text[0] == '0' && (text[1] == 'd' || text[1] == 'D');
    if (single || twice) {
        *bytes = single ? 4 : 8;
        *bits = strtoull(text + 2, &end, 16);
        return *end == '\0';
    }
    if (text[word.len - 1] == 'U')
        text[word.len - 1] = '\0';
    if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
        *bits = strtoull(text + 2, &end, 2);
    else
        *bits = strtoull(text, &end, 0);
    return *end == '\0' && end != text;
}

bool ks_emu_mod(const struct ks_emu_stmt *stmt, const char *name)
{
    for (unsigned i = 0; i < stmt->n_mods; i++)
        if (ks_slice_eq(stmt->mods[i], name))
            return true;
    return false;
}

static enum ks_status want_word(struct ks_emu_reader *r, struct ks_slice *word, struct ks_err *err)
{
    if (r->token.kind != KS_PTX_WORD)
        return ks_emu_bad(r, "an operand is expected", err);
    *word = ks_emu_word(r);
    ks_emu_next(r);
    return KS_OK;
}

// The '+ n', '+ -n' or '- n' behind a symbol or base register.
static enum ks_status read_offset(struct ks_emu_reader *r, int64_t *offset, struct ks_err *err)
{
    bool minus = ks_emu_is(r, "-");
    struct ks_slice word;
    uint64_t bits;
    int bytes;
    if (!ks_emu_take(r, "+") && !ks_emu_take(r, "-"))
        return KS_OK;
    if (ks_emu_take(r, "-"))
        minus = !minus;
    KS_TRY(want_word(r, &word, err));
    if (!ks_emu_number(word, &bits, &bytes) || bytes != 0)
        return ks_emu_bad(r, "an offset is expected", err);
    *offset = (int64_t)(minus ? 0 - bits : bits);
    return KS_OK;
}

static enum ks_status read_items(struct ks_emu_reader *r, struct ks_emu_stmt *stmt,
                                 struct ks_emu_operand *op, const char *close, struct ks_err *err)
{
    op->items = &stmt->items[stmt->n_items];
    while (!ks_emu_is(r, close)) {
        if (stmt->n_items == KS_EMU_ITEMS)
            return ks_emu_bad(r, "a shorter list is expected", err);
        struct ks_emu_item *item = &stmt->items[stmt->n_items++];
        op->n_items++;
        item->minus = ks_emu_take(r, "-");
        KS_TRY(want_word(r, &item->word, err));
        if (!ks_emu_take(r, ",") && !ks_emu_is(r, close))
            return ks_emu_bad(r, "',' is expected", err);
    }
    ks_emu_next(r);
    return KS_OK;
}

static enum ks_status read_operand(struct ks_emu_reader *r, struct ks_emu_stmt *stmt,
                                   struct ks_emu_operand *op, struct ks_err *err)
{
    *op = (struct ks_emu_operand){0};
    if (ks_emu_take(r, "[")) {
        op->kind = KS_EMU_O_ADDRESS;
        if (ks_emu_take(r, "-")) // an absolute address, nonsense but well formed
            op->minus = true;
        KS_TRY(want_word(r, &op->word, err));
        KS_TRY(read_offset(r, &op->offset, err));
        uint64_t bits;
        int bytes;
        if (ks_emu_number(op->word, &bits, &bytes)) {
            op->offset += (int64_t)(op->minus ? 0 - bits : bits);
            op->word = (struct ks_slice){0};
        }
        if (ks_emu_is(r, ",")) { // coordinates of a texture or tensor map: nothing reads them
            op->n_items = KS_EMU_VECTOR;
            while (!ks_emu_is(r, "]") && !ks_emu_is(r, ";") && r->token.kind != KS_PTX_END)
                ks_emu_next(r);
        }
        return ks_emu_want(r, "]", err);
    }
    if (ks_emu_take(r, "{")) {
        op->kind = KS_EMU_O_VECTOR;
        return read_items(r, stmt, op, "}", err);
    }
    if (ks_emu_take(r, "(")) {
        op->kind = KS_EMU_O_LIST;
        return read_items(r, stmt, op, ")", err);
    }
    op->negated = ks_emu_take(r, "!");
    op->minus = ks_emu_take(r, "-");
    KS_TRY(want_word(r, &op->word, err));
    if (ks_emu_take(r, "|"))
        return want_word(r, &op->pair, err);
    return read_offset(r, &op->offset, err);
}

static void split_opcode(struct ks_emu_stmt *stmt)
{
    const char *p = stmt->opcode.at, *end = p + stmt->opcode.len;
    const char *dot = memchr(p, '.', (size_t)(end - p));
    stmt->base = (struct ks_slice){p, (size_t)((dot == NULL ? end : dot) - p)};
    while (dot != NULL && stmt->n_mods < KS_EMU_MODS) {
        p = dot + 1;
        dot = memchr(p, '.', (size_t)(end - p));
        stmt->mods[stmt->n_mods++] =
            (struct ks_slice){p, (size_t)((dot == NULL ? end : dot) - p)};
    }
}

enum ks_status ks_emu_read_stmt(struct ks_emu_reader *r, struct ks_emu_stmt *stmt,
                                struct ks_err *err)
{
    *stmt = (struct ks_emu_stmt){.line = r->line};
    if (ks_emu_take(r, "@")) {
        stmt->guard_negated = ks_emu_take(r, "!");
        KS_TRY(want_word(r, &stmt->guard, err));
    }
    stmt->line = r->line;
    if (r->token.kind != KS_PTX_WORD || *r->token.at == '.' || *r->token.at == '%')
        return ks_emu_bad(r, "an instruction is expected", err);
    stmt->opcode = ks_emu_word(r);
    ks_emu_next(r);
    split_opcode(stmt);
    while (!ks_emu_is(r, ";")) {
        if (stmt->n_ops == KS_EMU_OPERANDS)
            return ks_emu_bad(r, "fewer operands are expected", err);
        KS_TRY(read_operand(r, stmt, &stmt->ops[stmt->n_ops++], err));
        if (!ks_emu_take(r, ",") && !ks_emu_is(r, ";")) {
            // `call (ret), f, (args)` and friends have commas everywhere; nothing else follows.
            return ks_emu_bad(r, "',' or ';' is expected", err);
        }
    }
    ks_emu_next(r);
    return KS_OK;
}
