// Where the shared arrays of functions are declared, which is no difference between programs; see ptx.h.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "key/ptx.h"

#define LARGEST_TEXT (256u << 20)
#define ARRAYS 256

static const char comment[] = "// demoted variable\n";

struct ks_slice ks_ptx_promoted(struct ks_arena *arena, struct ks_slice text)
{
    const char *at = text.at, *end = text.at + text.len;
    const char *next = memmem(at, text.len, comment, strlen(comment));
    if (next == NULL)
        return text;
    char *out = ks_arena_alloc(arena, text.len + 1), *to = out;
    struct ks_buf last = KS_BUF(LARGEST_TEXT);
    for (; next != NULL; next = memmem(at, (size_t)(end - at), comment, strlen(comment))) {
        next += strlen(comment);
        to = mempcpy(to, at, (size_t)(next - at));
        const char *newline = memchr(next, '\n', (size_t)(end - next));
        at = newline == NULL ? end : newline + 1;
        ks_buf_add(&last, next, (size_t)(at - next));
    }
    to = mempcpy(to, at, (size_t)(end - at));
    to = mempcpy(to, last.data, last.len); // as long together as the text
    ks_buf_free(&last);
    return (struct ks_slice){out, (size_t)(to - out)};
}

static struct ks_slice line_at(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return (struct ks_slice){at, newline == NULL ? (size_t)(end - at) : (size_t)(newline + 1 - at)};
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

// Where the name stands in the text; NULL: nowhere.
static const char *find_name(struct ks_slice text, struct ks_slice name)
{
    const char *end = text.at + text.len;
    for (const char *at = text.at; (at = memmem(at, (size_t)(end - at), name.at, name.len)) != NULL; at++)
        if ((at == text.at || !in_name(at[-1])) && (at + name.len == end || !in_name(at[name.len])))
            return at;
    return NULL;
}

// ".shared .align 4 .b8 NAME[128];" as a line; empty: it declares no shared array.
static struct ks_slice declared(struct ks_slice line)
{
    struct ks_slice text = ks_slice_trim(line);
    const char *bracket = memchr(text.at, '[', text.len), *begin = bracket;
    if (text.len < 8 || memcmp(text.at, ".shared ", 8) != 0 || bracket == NULL)
        return (struct ks_slice){text.at, 0};
    while (begin > text.at && in_name(begin[-1]))
        begin--;
    return (struct ks_slice){begin, (size_t)(bracket - begin)};
}

// The body of a function whose declaration begins at `at`, braces included; empty: it has none.
static struct ks_slice body_at(const char *at, const char *end)
{
    const char *open = NULL;
    int depth = 0;
    for (; at < end; at++) {
        if (*at == ';' && depth == 0)
            break;
        if (*at == '{' && depth++ == 0)
            open = at;
        if (*at == '}' && --depth == 0)
            return (struct ks_slice){open, (size_t)(at + 1 - open)};
    }
    return (struct ks_slice){end, 0};
}

struct array {
    struct ks_slice name, line;
    bool inside;
    const char *order; // nvcc tells of all arrays in one order, also of those that it declares elsewhere
};

static int in_order(const void *a, const void *b)
{
    const struct array *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

struct demoting {
    struct ks_slice text, body;
    struct array arrays[ARRAYS];
    size_t n, n_moved;
};

static void add_array(struct demoting *d, struct ks_slice name, struct ks_slice line, bool inside)
{
    if (d->n == ARRAYS)
        return;
    d->arrays[d->n++] = (struct array){name, line, inside, find_name(d->text, name)};
    d->n_moved += !inside;
}

// Arrays that the body declares, and those beside the functions that it uses; whatever another function than an
// entry uses stays where it is.
static void find_arrays(struct demoting *d)
{
    const char *end = d->text.at + d->text.len;
    int depth = 0;
    for (const char *at = d->text.at; at < end;) {
        struct ks_slice line = line_at(at, end), name = declared(line);
        bool inside = at > d->body.at && at < d->body.at + d->body.len;
        bool used = depth == 0 && name.len > 0 && find_name(d->body, name) != NULL;
        for (const char *f = d->text.at; used && (f = memmem(f, (size_t)(end - f), ".func", 5)) != NULL; f++)
            used = find_name(body_at(f, end), name) == NULL;
        if (used || (inside && name.len > 0))
            add_array(d, name, line, inside);
        for (size_t i = 0; i < line.len; i++)
            depth += (line.at[i] == '{') - (line.at[i] == '}');
        at += line.len;
    }
    qsort(d->arrays, d->n, sizeof *d->arrays, in_order);
}

struct ks_slice ks_ptx_demoted(struct ks_arena *arena, struct ks_slice text, const char *entry)
{
    struct demoting *d = KS_NEW(arena, struct demoting);
    const char *end = text.at + text.len, *head = ks_arena_printf(arena, ".entry %s(", entry);
    const char *found = memmem(text.at, text.len, head, strlen(head));
    d->text = text;
    d->body = found == NULL ? (struct ks_slice){end, 0} : body_at(found, end);
    if (d->body.len > 0)
        find_arrays(d);
    if (d->n_moved == 0)
        return text;
    // Behind the body's registers.
    const char *place = d->body.at + line_at(d->body.at, end).len;
    for (struct ks_slice line = line_at(place, end), word = ks_slice_trim(line);
         word.len > 4 && (memcmp(word.at, ".reg", 4) == 0 || memcmp(word.at, ".local", 6) == 0);
         line = line_at(place, end), word = ks_slice_trim(line))
        place += line.len;
    struct ks_buf out = KS_BUF(LARGEST_TEXT);
    for (const char *at = text.at; at < end;) {
        struct ks_slice line = line_at(at, end);
        if (at == place)
            for (size_t i = 0; i < d->n; i++) {
                ks_buf_printf(&out, "\t%s\t", comment);
                ks_buf_slice(&out, ks_slice_trim(d->arrays[i].line));
                ks_buf_puts(&out, "\n");
            }
        bool moved = false;
        for (size_t i = 0; i < d->n; i++)
            moved = moved || d->arrays[i].line.at == at;
        if (!moved)
            ks_buf_slice(&out, line);
        at += line.len;
    }
    char *copy = ks_arena_strndup(arena, out.data, out.len);
    struct ks_slice result = {copy, out.len};
    ks_buf_free(&out);
    return result;
}
