// The block of an answer that is meant to be read, and the one slip in it that is put right.
#include <string.h>

#include "agent/reading.h"

struct ks_slice ks_answer_block(struct ks_slice text)
{
    struct ks_slice found = {NULL, 0};
    const char *open = NULL;
    bool fenced = false;
    for (const char *at = text.at, *end = text.at + text.len; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline != NULL ? newline + 1 : end;
        if (end - at >= 3 && memcmp(at, "```", 3) == 0) {
            fenced = true;
            if (open != NULL)
                found = (struct ks_slice){open, (size_t)(at - open)};
            open = open != NULL ? NULL : next;
        }
        at = next;
    }
    return fenced ? found : text;
}

struct row {
    const char *at;
    size_t len, indent;
    bool blank;
};

static struct row row_at(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    struct row row = {.at = at, .len = (size_t)((newline != NULL ? newline : end) - at)};
    while (row.indent < row.len && at[row.indent] == ' ')
        row.indent++;
    row.blank = row.indent == row.len || (row.indent + 1 == row.len && at[row.indent] == '\r');
    return row;
}

// Column of the key that a line begins with, behind the dashes of lists; -1 unless a literal block follows.
static int literal_key(const struct row *row)
{
    size_t key = row->indent, len = row->len;
    while (len > 0 && strchr(" \t\r", row->at[len - 1]) != NULL)
        len--;
    if (row->blank || len < 3 || row->at[len - 1] != '|' || row->at[len - 2] != ' ' || row->at[len - 3] != ':')
        return -1;
    while (key + 1 < len && row->at[key] == '-' && row->at[key + 1] == ' ')
        for (key++; key < len && row->at[key] == ' '; key++)
            ;
    return (int)key;
}

// How much deeper than its key the text of a literal block begins that starts deeper than it goes on; 0: as
// YAML has it.
static size_t missing_indent(const char *at, const char *end, size_t key)
{
    size_t first = 0, least = SIZE_MAX;
    while (at < end) {
        struct row row = row_at(at, end);
        if (!row.blank && row.indent <= key)
            break;
        if (!row.blank && least == SIZE_MAX)
            first = row.indent;
        if (!row.blank && row.indent < least)
            least = row.indent;
        at += row.len + 1;
    }
    return least != SIZE_MAX && first > least && least - key <= 9 ? least - key : 0;
}

struct ks_slice ks_answer_indented(struct ks_arena *arena, struct ks_slice block)
{
    struct ks_buf out = KS_BUF(2 * KS_ANSWER_MOST);
    const char *end = block.at + block.len;
    for (const char *at = block.at; at < end;) {
        struct row row = row_at(at, end);
        const char *next = at + row.len + 1 < end ? at + row.len + 1 : end;
        int key = literal_key(&row);
        size_t indent = key >= 0 ? missing_indent(next, end, (size_t)key) : 0;
        ks_buf_add(&out, at, row.len);
        while (indent > 0 && out.len > 0 && out.data[out.len - 1] != '|')
            out.data[--out.len] = '\0';
        if (indent > 0)
            ks_buf_printf(&out, "%zu", indent);
        ks_buf_putc(&out, '\n');
        at = next;
    }
    struct ks_slice text = {ks_arena_strndup(arena, ks_buf_text(&out), out.len), out.len};
    ks_buf_free(&out);
    return text;
}
