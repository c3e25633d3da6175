// <cache_dir>/pending: JSON lines; the last one of a key, file and folder counts, {"done": key}
// ends a key, {"gone": key, "file": ..., "cwd": ...} one of its compiles.
#include "store/pending.h"

#include <string.h>

#include "fmt/json.h"
#include "os/file.h"
#include "os/lock.h"
#include "store/append.h"

#define LARGEST_LOG ((size_t)256 << 20)
// Above this the pending file is rewritten with what still counts.
#define COMPACT_AT ((size_t)1 << 20)
// One compile is enough to tune a key; the others are for when it is gone. A kernel of a header may
// be met by thousands.
#define MOST_OF_A_KEY 4

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

static void item_line(const struct ks_pending *item, struct ks_arena *arena, struct ks_buf *line)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&item->key, hex);
    json_t *argv = json_array(), *object = json_object();
    for (size_t i = 0; item->argv != NULL && item->argv[i] != NULL; i++)
        json_array_append_new(argv, json_string(item->argv[i]));
    json_object_set_new(object, "key", json_string(hex));
    json_object_set_new(object, "kernel", json_string(item->kernel));
    if (item->symbol != NULL && item->symbol[0] != '\0')
        json_object_set_new(object, "symbol", json_string(item->symbol));
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
    item->symbol = ks_arena_strdup(arena, ks_json_str(object, "symbol", ""));
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

static void drop_at(struct list *list, size_t i)
{
    size_t rest = list->items.len - i - 1;
    memmove(&list->items.at[i], &list->items.at[i + 1], rest * sizeof *list->items.at);
    list->items.len--;
}

static bool same_place(const struct ks_pending *a, const struct ks_pending *b)
{
    return ks_digest_eq(&a->key, &b->key) && strcmp(a->file, b->file) == 0 &&
           strcmp(a->cwd, b->cwd) == 0;
}

// Of one key: all of it, or one file's compile in one folder.
static void drop(struct list *list, const struct ks_pending *item)
{
    for (size_t i = list->items.len; i-- > 0;)
        if (item->file == NULL ? ks_digest_eq(&list->items.at[i].key, &item->key)
                               : same_place(&list->items.at[i], item))
            drop_at(list, i);
}

static void read_line(struct ks_arena *arena, struct ks_slice line, struct list *list)
{
    json_t *object = ks_json_parse(line, NULL);
    if (object == NULL)
        return;
    struct ks_pending item = {0};
    const char *done = ks_json_str(object, "done", NULL), *gone = ks_json_str(object, "gone", NULL);
    if (done != NULL) {
        if (ks_digest_parse(done, &item.key))
            drop(list, &item);
    } else if (gone != NULL) {
        item.file = ks_json_str(object, "file", "");
        item.cwd = ks_json_str(object, "cwd", "");
        if (ks_digest_parse(gone, &item.key))
            drop(list, &item);
    } else if (ks_digest_parse(ks_json_str(object, "key", ""), &item.key) &&
               read_item(arena, object, &item)) {
        drop(list, &item);
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

// Nothing to add: this compile is there as it is, or others of its key are enough.
static bool known(const struct list *list, const struct ks_pending *item)
{
    static const char *const none[] = {NULL};
    struct ks_pending given = *item;
    size_t others = 0;
    if (given.argv == NULL)
        given.argv = (const char **)none;
    ks_vec_each (struct ks_pending, old, &list->items) {
        if (same_place(old, &given))
            return same_item(old, &given);
        others += ks_digest_eq(&old->key, &item->key);
    }
    return others >= MOST_OF_A_KEY;
}

static const char *last_of(struct ks_slice text, const char *word)
{
    const char *found = NULL, *end = text.at + text.len;
    for (const char *at = text.at;
         at < end && (at = memmem(at, (size_t)(end - at), word, strlen(word))); at++)
        found = at;
    return found;
}

// The common case, without reading the log as JSON: this very line, and its key not ended behind
// it.
static bool stands_there(struct ks_arena *arena, const char *path, const struct ks_pending *item,
                         const struct ks_buf *line)
{
    struct ks_slice text;
    char hex[KS_HASH_TEXT];
    if (ks_file_read(arena, path, LARGEST_LOG, &text, NULL) != KS_OK)
        return false;
    const char *at = last_of(text, ks_buf_text(line) + 1);
    ks_digest_hex(&item->key, hex);
    const char *done = last_of(text, ks_arena_printf(arena, "{\"done\":\"%s\"", hex));
    const char *gone = last_of(text, ks_arena_printf(arena, "\"gone\":\"%s\"", hex));
    return at != NULL && (done == NULL || done < at) && (gone == NULL || gone < at);
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
    item_line(item, &arena, &line);
    enum ks_status status = ks_buf_check(&line, "a pending kernel", err);
    if (status != KS_OK || stands_there(&arena, path, item, &line))
        goto done;
    KS_TRY_GOTO(read_log(&arena, path, &list, &size, err), done);
    if (known(&list, item))
        goto done;
    if (size > COMPACT_AT)
        compact(&arena, path, &list);
    status = ks_append(path, &line, err);
done:
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

static void append_line(const struct ks_config *config, json_t *object)
{
    struct ks_arena arena = {0};
    struct ks_buf line = KS_BUF((size_t)1 << 20);
    const char *path = log_path(&arena, config, "pending");
    ks_buf_printf(&line, "\n%s\n", ks_json_text(&arena, object));
    if (ks_file_exists(path) && !line.failed)
        (void)ks_append(path, &line, NULL);
    ks_buf_free(&line);
    ks_arena_free(&arena);
    json_decref(object);
}

void ks_pending_remove(const struct ks_config *config, const struct ks_digest *key)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(key, hex);
    if (check_writable(config, NULL) == KS_OK)
        append_line(config, json_pack("{s:s}", "done", hex));
}

void ks_pending_gone(const struct ks_config *config, const struct ks_pending *item)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&item->key, hex);
    if (check_writable(config, NULL) == KS_OK && representable(item))
        append_line(config,
                    json_pack("{s:s,s:s,s:s}", "gone", hex, "file", item->file, "cwd", item->cwd));
}

size_t ks_pending_keys(const struct ks_pending *items, size_t n)
{
    size_t keys = 0;
    for (size_t i = 0; i < n; i++)
        keys += ks_pending_first(items, i);
    return keys;
}

bool ks_pending_first(const struct ks_pending *items, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (ks_digest_eq(&items[k].key, &items[i].key))
            return false;
    return true;
}
