#include "fmt/yaml_edit.h"

#include <string.h>

#define LARGEST ((size_t)4 << 20)

struct editor {
    struct ks_arena *arena;
    const char *name, *key;
    struct ks_slice text;
    struct ks_yaml *root;
    const struct ks_yaml *node; // under the key, or NULL
    int key_line;               // 0: no such key
    struct ks_buf out;
};

static enum ks_status unsure(const struct editor *e, struct ks_err *err)
{
    return ks_err_set(err, KS_E_UNSUPPORTED,
                      "%s: `%s:` is written in a way that ks does not edit; do it by hand", e->name,
                      e->key);
}

static enum ks_status begin(struct editor *e, struct ks_err *err)
{
    e->out = KS_BUF(LARGEST);
    KS_TRY(ks_yaml_parse(e->arena, e->name, e->text, &e->root, err));
    if (e->root->kind != KS_YAML_MAP)
        return unsure(e, err);
    e->node = ks_yaml_get(e->root, e->key);
    for (size_t i = 0; i < e->root->len; i++)
        if (strcmp(e->root->keys[i], e->key) == 0)
            e->key_line = e->root->key_lines[i];
    return KS_OK;
}

// A line with its end; an empty slice behind the last one.
static struct ks_slice line_at(struct ks_slice text, int number)
{
    const char *at = text.at, *end = text.at + text.len;
    for (int i = 1; at < end; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline == NULL ? end : newline + 1;
        if (i == number)
            return (struct ks_slice){at, (size_t)(next - at)};
        at = next;
    }
    return (struct ks_slice){end, 0};
}

static const char *newline_of(struct ks_slice line)
{
    return line.len > 1 && line.at[line.len - 2] == '\r' ? "\r\n" : "\n";
}

static void copy(struct editor *e, const char *from, const char *to)
{
    ks_buf_add(&e->out, from, (size_t)(to - from));
}

// The text up to the end of a line, which gets an end if it has none.
static void copy_through(struct editor *e, struct ks_slice line)
{
    const char *end = line.at + line.len;
    copy(e, e->text.at, end);
    if (end > e->text.at && end[-1] != '\n')
        ks_buf_putc(&e->out, '\n');
}

static void copy_rest(struct editor *e, struct ks_slice line)
{
    copy(e, line.at + line.len, e->text.at + e->text.len);
}

static bool same(const struct ks_yaml *a, const struct ks_yaml *b)
{
    if (a->kind != b->kind || a->len != b->len)
        return false;
    if (a->kind == KS_YAML_SCALAR)
        return strcmp(a->text, b->text) == 0;
    for (size_t i = 0; i < a->len; i++)
        if ((a->kind == KS_YAML_MAP && strcmp(a->keys[i], b->keys[i]) != 0) ||
            !same(&a->items[i], &b->items[i]))
            return false;
    return true;
}

// Everything under other keys is what it was, in the same order.
static bool others_same(const struct editor *e, const struct ks_yaml *now)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < e->root->len && strcmp(e->root->keys[i], e->key) == 0)
            i++;
        while (k < now->len && strcmp(now->keys[k], e->key) == 0)
            k++;
        if (i >= e->root->len || k >= now->len)
            return i >= e->root->len && k >= now->len;
        if (strcmp(e->root->keys[i], now->keys[k]) != 0 ||
            !same(&e->root->items[i], &now->items[k]))
            return false;
    }
}

// Reads the new text; *value is what stands under the key now.
static enum ks_status finish(struct editor *e, struct ks_slice *out, const struct ks_yaml **value,
                             struct ks_err *err)
{
    struct ks_yaml *now;
    enum ks_status status = ks_buf_check(&e->out, e->name, err);
    if (status == KS_OK) {
        out->len = e->out.len;
        out->at = ks_arena_strndup(e->arena, ks_buf_text(&e->out), e->out.len);
    }
    ks_buf_free(&e->out);
    KS_TRY(status);
    if (ks_yaml_parse(e->arena, e->name, *out, &now, NULL) != KS_OK || now->kind != KS_YAML_MAP ||
        !others_same(e, now))
        return unsure(e, err);
    *value = ks_yaml_get(now, e->key);
    return KS_OK;
}

static bool is_nothing(const struct ks_yaml *node)
{
    return node == NULL || (node->kind == KS_YAML_SCALAR && node->plain && node->text[0] == '\0') ||
           (node->kind == KS_YAML_LIST && node->len == 0);
}

static bool has_item(const struct ks_yaml *list, size_t i, const char *item)
{
    return list->items[i].kind == KS_YAML_SCALAR && strcmp(list->items[i].text, item) == 0;
}

// Bytes in front of "- " in a line of a block list; false where the line is none.
static bool is_item_line(struct ks_slice line, size_t *indent)
{
    size_t n = 0;
    while (n < line.len && line.at[n] == ' ')
        n++;
    *indent = n;
    return n + 1 < line.len && line.at[n] == '-' && line.at[n + 1] == ' ';
}

// "key:" with nothing or [] behind it, and the first item below.
static void add_first(struct editor *e, struct ks_slice line, const char *item)
{
    const char *empty = memmem(line.at, line.len, "[]", 2);
    if (empty == NULL) {
        copy_through(e, line);
    } else {
        copy(e, e->text.at, empty);
        while (e->out.len > 0 && e->out.data[e->out.len - 1] == ' ')
            e->out.data[--e->out.len] = '\0';
        copy(e, empty + 2, line.at + line.len);
        if (line.at[line.len - 1] != '\n')
            ks_buf_putc(&e->out, '\n');
    }
    ks_buf_printf(&e->out, "  - %s%s", item, newline_of(line));
    copy_rest(e, line);
}

enum ks_status ks_yaml_list_add(struct ks_arena *arena, const char *name, struct ks_slice text,
                                const char *key, const char *item, struct ks_slice *out,
                                struct ks_err *err)
{
    struct editor e = {.arena = arena, .name = name, .key = key, .text = text};
    KS_TRY(begin(&e, err));
    size_t before = is_nothing(e.node) ? 0 : e.node->len, indent;
    if (e.key_line == 0) {
        copy_through(&e, text);
        ks_buf_printf(&e.out, "%s:\n  - %s\n", key, item);
    } else if (is_nothing(e.node)) {
        add_first(&e, line_at(text, e.key_line), item);
    } else if (e.node->kind != KS_YAML_LIST) {
        return unsure(&e, err);
    } else {
        const struct ks_yaml *last = &e.node->items[e.node->len - 1];
        struct ks_slice line = line_at(text, last->line);
        if (!is_item_line(line, &indent))
            return unsure(&e, err);
        copy_through(&e, line);
        ks_buf_printf(&e.out, "%.*s- %s%s", (int)indent, line.at, item, newline_of(line));
        copy_rest(&e, line);
    }
    const struct ks_yaml *now;
    KS_TRY(finish(&e, out, &now, err));
    bool good = now != NULL && now->kind == KS_YAML_LIST && now->len == before + 1 &&
                has_item(now, before, item);
    for (size_t i = 0; good && i < before; i++)
        good = same(&e.node->items[i], &now->items[i]);
    return good ? KS_OK : unsure(&e, err);
}

static enum ks_status remove_one(struct ks_arena *arena, const char *name, struct ks_slice text,
                                 const char *key, const char *item, struct ks_slice *out,
                                 struct ks_err *err)
{
    struct editor e = {.arena = arena, .name = name, .key = key, .text = text};
    KS_TRY(begin(&e, err));
    size_t at = 0, n = e.node != NULL && e.node->kind == KS_YAML_LIST ? e.node->len : 0, indent;
    while (at < n && !has_item(e.node, at, item))
        at++;
    if (at == n)
        KS_FAIL(err, KS_E_ABSENT, "%s: `%s:` does not list %s", name, key, item);
    struct ks_slice line = line_at(text, e.node->items[at].line);
    if (!is_item_line(line, &indent))
        return unsure(&e, err);
    copy(&e, text.at, line.at);
    copy_rest(&e, line);
    const struct ks_yaml *now;
    KS_TRY(finish(&e, out, &now, err));
    bool good = n == 1 ? is_nothing(now) : now != NULL && now->kind == KS_YAML_LIST && now->len == n - 1;
    for (size_t i = 0; good && i + 1 < n; i++)
        good = same(&e.node->items[i + (i >= at)], &now->items[i]);
    return good ? KS_OK : unsure(&e, err);
}

enum ks_status ks_yaml_list_remove(struct ks_arena *arena, const char *name, struct ks_slice text,
                                   const char *key, const char *item, struct ks_slice *out,
                                   struct ks_err *err)
{
    KS_TRY(remove_one(arena, name, text, key, item, out, err));
    for (;;) {
        enum ks_status status = remove_one(arena, name, *out, key, item, out, NULL);
        if (status != KS_OK)
            return status == KS_E_ABSENT ? KS_OK : ks_err_set(err, status, "%s: remove the other "
                                                              "%s by hand", name, item);
    }
}

// Where a scalar is written in the line of its key; false when it is not all there.
static bool find_value(struct ks_slice line, const struct ks_yaml *node, struct ks_slice *value)
{
    const char *end = line.at + line.len, *at = memchr(line.at, ':', line.len);
    if (at == NULL || node->kind != KS_YAML_SCALAR)
        return false;
    for (at++; at < end && *at == ' '; at++)
        ;
    const char *close = NULL;
    if (at < end && (*at == '"' || *at == '\'')) {
        close = memchr(at + 1, *at, (size_t)(end - at - 1));
        close = close == NULL ? NULL : close + 1;
    } else if (node->plain) {
        size_t n = strlen(node->text);
        close = (size_t)(end - at) >= n && memcmp(at, node->text, n) == 0 ? at + n : NULL;
    }
    if (close == NULL)
        return false;
    *value = (struct ks_slice){at, (size_t)(close - at)};
    return true;
}

// `value` as YAML writes it behind "key: ".
static void put_value(struct editor *e, const char *value)
{
    struct ks_buf line = KS_BUF(LARGEST);
    struct ks_yaml_writer w = {.out = &line};
    ks_yaml_put(&w, e->key, value);
    size_t head = strlen(e->key) + 2;
    const char *text = ks_buf_text(&line);
    if (line.len > head)
        ks_buf_add(&e->out, text + head, strcspn(text + head, "\n"));
    ks_buf_free(&line);
}

enum ks_status ks_yaml_set(struct ks_arena *arena, const char *name, struct ks_slice text,
                           const char *key, const char *value, struct ks_slice *out,
                           struct ks_err *err)
{
    struct editor e = {.arena = arena, .name = name, .key = key, .text = text};
    KS_TRY(begin(&e, err));
    struct ks_slice line = line_at(text, e.key_line), old = {0};
    if (e.key_line == 0 && value == NULL)
        KS_FAIL(err, KS_E_ABSENT, "%s: `%s` is not set", name, key);
    if (e.key_line == 0) {
        copy_through(&e, text);
        ks_buf_printf(&e.out, "%s: ", key);
        put_value(&e, value);
        ks_buf_putc(&e.out, '\n');
    } else if (!find_value(line, e.node, &old)) {
        return unsure(&e, err);
    } else if (value == NULL) {
        copy(&e, text.at, line.at);
        copy_rest(&e, line);
    } else {
        copy(&e, text.at, old.at);
        put_value(&e, value);
        copy(&e, old.at + old.len, text.at + text.len);
    }
    const struct ks_yaml *now;
    KS_TRY(finish(&e, out, &now, err));
    bool good = value == NULL ? now == NULL
                              : now != NULL && now->kind == KS_YAML_SCALAR &&
                                    strcmp(now->text, value) == 0;
    return good ? KS_OK : unsure(&e, err);
}
