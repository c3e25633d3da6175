#include "engine/edit.h"

#include <string.h>

#include "base/vec.h"

void ks_edit_add(struct ks_arena *arena, struct ks_edit_list *edits, size_t begin, size_t end,
                 const char *text)
{
    *ks_vec_push(arena, edits) = (struct ks_edit){begin, end, text};
}

// By place; of those that start together insertions first, then the wider.
static int compare(const struct ks_edit *x, const struct ks_edit *y)
{
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if ((x->begin == x->end) != (y->begin == y->end))
        return x->begin == x->end ? -1 : 1;
    return x->end > y->end ? -1 : x->end < y->end;
}

char *ks_edit_apply(struct ks_arena *arena, const struct ks_edit_list *edits, struct ks_slice text,
                    size_t begin, size_t end)
{
    struct ks_edit *sorted =
        ks_arena_memdup(arena, edits->at ? edits->at : (void *)"", edits->len * sizeof *edits->at);
    for (size_t i = 1; i < edits->len; i++) { // few, and those of one place keep their order
        struct ks_edit e = sorted[i];
        size_t k = i;
        for (; k > 0 && compare(&sorted[k - 1], &e) > 0; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = e;
    }
    struct ks_buf buf = KS_BUF(1 << 20);
    size_t pos = begin;
    for (size_t i = 0; i < edits->len; i++) {
        const struct ks_edit *e = &sorted[i];
        if (e->begin < pos || e->end > end)
            continue;
        ks_buf_add(&buf, text.at + pos, e->begin - pos);
        ks_buf_puts(&buf, e->text);
        pos = e->end;
    }
    ks_buf_add(&buf, text.at + pos, end - pos);
    char *out = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return out;
}

static size_t leading(const char *line, size_t n)
{
    size_t i = 0, column = 0;
    for (; i < n && (line[i] == ' ' || line[i] == '\t'); i++)
        column += line[i] == '\t' ? 8 - column % 8 : 1;
    return i == n ? SIZE_MAX : column;
}

char *ks_text_indent(struct ks_arena *arena, const char *text, int spaces)
{
    size_t common = SIZE_MAX;
    bool first = true;
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        size_t lead = leading(at, n);
        // The first line often starts behind a brace, so it says nothing about the others.
        if (!first && lead < common)
            common = lead;
        first = false;
        at += n + (at[n] != '\0');
    }
    struct ks_buf buf = KS_BUF(1 << 20);
    size_t blank = 0;
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n"), lead = leading(at, n);
        const char *next = at + n + (at[n] != '\0');
        while (n > 0 && (at[n - 1] == ' ' || at[n - 1] == '\t' || at[n - 1] == '\r'))
            n--;
        if (lead == SIZE_MAX || n == 0) {
            blank += buf.len > 0;
        } else {
            if (blank > 0)
                ks_buf_putc(&buf, '\n');
            blank = 0;
            const char *start = at + strspn(at, " \t");
            size_t extra = common != SIZE_MAX && lead > common ? lead - common : 0;
            ks_buf_printf(&buf, "%*s", spaces + (int)extra, "");
            ks_buf_add(&buf, start, (size_t)(at + n - start));
            ks_buf_putc(&buf, '\n');
        }
        at = next;
    }
    char *out = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return out;
}
