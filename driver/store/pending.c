// <cache_dir>/pending: JSON lines, the last one of a key counts, {"done": key} ends it.
// <cache_dir>/outcomes: "reason <tab> key <tab> kernel <tab> file" lines.
//
// One write(2) with O_APPEND a line: parallel compiles do not mix. A line cut by a full disk or a kill
// is skipped, and a writer that finds the file without a last newline begins on a line of its own.
#include "store/pending.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "fmt/json.h"
#include "os/file.h"
#include "os/lock.h"

#define LARGEST_LOG ((size_t)256 << 20)
// Above this the pending file is rewritten with what still counts.
#define COMPACT_AT ((size_t)1 << 20)

static const char *log_path(struct ks_arena *arena, const struct ks_config *config,
                            const char *name)
{
    return ks_path_join(arena, config->cache_dir, name);
}

static enum ks_status check_writable(const struct ks_config *config, struct ks_err *err)
{
    if (config->cache_dir == NULL)
        KS_FAIL(err, KS_E_IO, "no cache directory; set KS_CACHE_DIR");
    if (config->readonly)
        KS_FAIL(err, KS_E_IO, "%s: not written, the configuration is read-only (KS_READONLY)",
                config->cache_dir);
    return ks_dir_make(config->cache_dir, err);
}

static bool ends_open(int fd)
{
    char last;
    off_t size = lseek(fd, 0, SEEK_END);
    return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

// `line` ends with a newline and has a spare byte in front for another one.
static enum ks_status append(const char *path, const struct ks_buf *line, struct ks_err *err)
{
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return ks_err_errno(err, "%s", path);
    size_t skip = ends_open(fd) ? 0 : 1;
    ssize_t n;
    do
        n = write(fd, line->data + skip, line->len - skip);
    while (n < 0 && errno == EINTR);
    enum ks_status status = KS_OK;
    if (n < 0)
        status = ks_err_errno(err, "%s", path);
    else if ((size_t)n != line->len - skip)
        status = ks_err_set(err, KS_E_IO, "%s: no room for a line", path);
    close(fd);
    return status;
}

static void item_line(const struct ks_pending *item, struct ks_arena *arena, struct ks_buf *line)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&item->key, hex);
    json_t *argv = json_array(), *object = json_object();
    for (size_t i = 0; item->argv != NULL && item->argv[i] != NULL; i++)
        json_array_append_new(argv, json_string(item->argv[i]));
    json_object_set_new(object, "key", json_string(hex));
    json_object_set_new(object, "kernel", json_string(item->kernel));
    json_object_set_new(object, "file", json_string(item->file));
    json_object_set_new(object, "cwd", json_string(item->cwd));
    json_object_set_new(object, "arch", json_integer(item->arch));
    json_object_set_new(object, "argv", argv);
    ks_buf_putc(line, '\n');
    ks_buf_puts(line, ks_json_text(arena, object));
    ks_buf_putc(line, '\n');
    json_decref(object);
}

// Paths may hold bytes that are no UTF-8, which JSON cannot carry.
static bool representable(const struct ks_pending *item)
{
    json_t *text;
    const char *const fixed[] = {item->kernel, item->file, item->cwd};
    for (size_t i = 0; i < 3; i++) {
        if (fixed[i] == NULL || (text = json_string(fixed[i])) == NULL)
            return false;
        json_decref(text);
    }
    for (size_t i = 0; item->argv != NULL && item->argv[i] != NULL; i++) {
        if ((text = json_string(item->argv[i])) == NULL)
            return false;
        json_decref(text);
    }
    return true;
}

static bool read_item(struct ks_arena *arena, const json_t *object, struct ks_pending *item)
{
    const json_t *argv = json_object_get(object, "argv");
    item->kernel = ks_arena_strdup(arena, ks_json_str(object, "kernel", ""));
    item->file = ks_arena_strdup(arena, ks_json_str(object, "file", ""));
    item->cwd = ks_arena_strdup(arena, ks_json_str(object, "cwd", ""));
    item->arch = (int)ks_json_int(object, "arch", 0);
    if (!json_is_array(argv) || item->file[0] == '\0')
        return false;
    size_t n = json_array_size(argv);
    item->argv = KS_NEW_ARRAY(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        const char *word = json_string_value(json_array_get(argv, i));
        if (word == NULL)
            return false;
        item->argv[i] = ks_arena_strdup(arena, word);
    }
    return true;
}

struct list {
    KS_VEC(struct ks_pending) items;
};

static void drop(struct list *list, const struct ks_digest *key)
{
    for (size_t i = 0; i < list->items.len; i++) {
        if (!ks_digest_eq(&list->items.at[i].key, key))
            continue;
        size_t rest = list->items.len - i - 1;
        memmove(&list->items.at[i], &list->items.at[i + 1], rest * sizeof *list->items.at);
        list->items.len--;
        return;
    }
}

static void read_line(struct ks_arena *arena, struct ks_slice line, struct list *list)
{
    json_t *object = ks_json_parse(line, NULL);
    if (object == NULL)
        return;
    struct ks_pending item = {0};
    const char *done = ks_json_str(object, "done", NULL);
    if (done != NULL) {
        if (ks_digest_parse(done, &item.key))
            drop(list, &item.key);
    } else if (ks_digest_parse(ks_json_str(object, "key", ""), &item.key) &&
               read_item(arena, object, &item)) {
        drop(list, &item.key);
        *ks_vec_push(arena, &list->items) = item;
    }
    json_decref(object);
}

static enum ks_status read_log(struct ks_arena *arena, const char *path, struct list *list,
                               size_t *size, struct ks_err *err)
{
    struct ks_slice text;
    *size = 0;
    enum ks_status status = ks_file_read(arena, path, LARGEST_LOG, &text, err);
    if (status == KS_E_ABSENT)
        return KS_OK;
    KS_TRY(status);
    *size = text.len;
    const char *at = text.at, *end = text.at + text.len;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((newline == NULL ? end : newline) - at);
        if (n > 0)
            read_line(arena, (struct ks_slice){at, n}, list);
        at += n + 1;
    }
    return KS_OK;
}

// A line that another process appends between reading and renaming is lost; its kernel is met again
// by the next build.
static void compact(struct ks_arena *arena, const char *path, const struct list *list)
{
    struct ks_buf text = KS_BUF(LARGEST_LOG);
    struct ks_lock lock;
    if (ks_lock_take(ks_arena_printf(arena, "%s.lock", path), 0, &lock, NULL) != KS_OK)
        return;
    ks_vec_each (struct ks_pending, item, &list->items)
        item_line(item, arena, &text);
    if (!text.failed)
        (void)ks_file_write(path, ks_buf_text(&text), text.len, false, 0, NULL);
    ks_buf_free(&text);
    ks_lock_release(&lock);
}

static bool same_item(const struct ks_pending *a, const struct ks_pending *b)
{
    size_t i = 0;
    for (; a->argv[i] != NULL && b->argv[i] != NULL; i++)
        if (strcmp(a->argv[i], b->argv[i]) != 0)
            return false;
    return a->argv[i] == b->argv[i] && a->arch == b->arch && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->file, b->file) == 0 && strcmp(a->cwd, b->cwd) == 0;
}

static bool known(const struct list *list, const struct ks_pending *item)
{
    static const char *const none[] = {NULL};
    struct ks_pending given = *item;
    if (given.argv == NULL)
        given.argv = (const char **)none;
    ks_vec_each (struct ks_pending, old, &list->items)
        if (ks_digest_eq(&old->key, &item->key))
            return same_item(old, &given);
    return false;
}

enum ks_status ks_pending_add(const struct ks_config *config, const struct ks_pending *item,
                              struct ks_err *err)
{
    KS_TRY(check_writable(config, err));
    if (!representable(item))
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s: not remembered as pending, a name is not UTF-8",
                item->file == NULL ? "?" : item->file);
    struct ks_arena arena = {0};
    struct list list = {0};
    struct ks_buf line = KS_BUF((size_t)4 << 20);
    const char *path = log_path(&arena, config, "pending");
    size_t size;
    enum ks_status status = read_log(&arena, path, &list, &size, err);
    if (status == KS_OK && !known(&list, item)) {
        if (size > COMPACT_AT)
            compact(&arena, path, &list);
        item_line(item, &arena, &line);
        status = ks_buf_check(&line, "a pending kernel", err);
        if (status == KS_OK)
            status = append(path, &line, err);
    }
    ks_buf_free(&line);
    ks_arena_free(&arena);
    return status;
}

enum ks_status ks_pending_list(struct ks_arena *arena, const struct ks_config *config,
                               struct ks_pending **items, size_t *n, struct ks_err *err)
{
    struct list list = {0};
    size_t size;
    *items = NULL;
    *n = 0;
    if (config->cache_dir == NULL)
        return KS_OK;
    KS_TRY(read_log(arena, log_path(arena, config, "pending"), &list, &size, err));
    *items = list.items.at;
    *n = list.items.len;
    return KS_OK;
}

void ks_pending_remove(const struct ks_config *config, const struct ks_digest *key)
{
    if (check_writable(config, NULL) != KS_OK)
        return;
    struct ks_arena arena = {0};
    struct ks_buf line = KS_BUF(256);
    char hex[KS_HASH_TEXT];
    const char *path = log_path(&arena, config, "pending");
    ks_digest_hex(key, hex);
    ks_buf_printf(&line, "\n{\"done\":\"%s\"}\n", hex);
    if (ks_file_exists(path))
        (void)append(path, &line, NULL);
    ks_buf_free(&line);
    ks_arena_free(&arena);
}

static void put_field(struct ks_buf *line, const char *text, char end)
{
    for (; text != NULL && *text != '\0'; text++)
        ks_buf_putc(line, *text == '\t' || *text == '\n' ? ' ' : *text);
    ks_buf_putc(line, end);
}

void ks_outcome_log(const struct ks_config *config, enum ks_reason reason,
                    const struct ks_digest *key, const char *kernel, const char *file)
{
    if (check_writable(config, NULL) != KS_OK)
        return;
    struct ks_arena arena = {0};
    struct ks_buf line = KS_BUF((size_t)64 << 10);
    char hex[KS_HASH_TEXT] = "-";
    if (key != NULL)
        ks_digest_hex(key, hex);
    ks_buf_putc(&line, '\n');
    put_field(&line, ks_reason_name(reason), '\t');
    put_field(&line, hex, '\t');
    put_field(&line, kernel, '\t');
    put_field(&line, file, '\n');
    if (!line.failed)
        (void)append(log_path(&arena, config, "outcomes"), &line, NULL);
    ks_buf_free(&line);
    ks_arena_free(&arena);
}

enum ks_status ks_outcome_counts(const struct ks_config *config, long counts[KS_R_COUNT],
                                 struct ks_err *err)
{
    memset(counts, 0, KS_R_COUNT * sizeof *counts);
    if (config->cache_dir == NULL)
        return KS_OK;
    struct ks_arena arena = {0};
    struct ks_slice text = {0};
    enum ks_status status =
        ks_file_read(&arena, log_path(&arena, config, "outcomes"), LARGEST_LOG, &text, err);
    const char *at = text.at, *end = at == NULL ? NULL : at + text.len;
    while (status == KS_OK && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        if (newline == NULL)
            break; // cut: not counted
        if (tab != NULL && tab < newline) {
            enum ks_reason reason =
                ks_reason_parse(ks_arena_strndup(&arena, at, (size_t)(tab - at)));
            if (reason != KS_R_COUNT)
                counts[reason]++;
        }
        at = newline + 1;
    }
    ks_arena_free(&arena);
    return status == KS_E_ABSENT ? KS_OK : status;
}
