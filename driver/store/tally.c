// <cache_dir>/tally/log: a line a kernel, tab-separated: stamp, reason, arch, line, key, build,
// object, file, kernel, text. Lines of one compile share the stamp. <cache_dir>/tally/totals:
// counts, then lines of the same form for the latest compile of each object.
//
// Above FOLD_AT one writer, who gets the lock without waiting, renames log to log.1; what was log.1
// until then, and rested for a generation, goes into totals first. totals holds the digest of what
// was folded last: killed before log.1 is replaced, nothing counts twice.
#include "store/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/lock.h"
#include "store/append.h"

#define FOLD_AT ((off_t)1 << 20)
#define LARGEST ((size_t)64 << 20) // where the file system refuses locks, a log stops here
#define MOST_KERNELS 20000         // kept with their state; counts are kept for all
#define MOST_TEXT 300
#define WAIT_SECONDS 2
#define HEAD "ks-tally 1"

struct object { // one object file, as its latest compile left it
    const char *build, *name, *stamp;
    KS_VEC(struct ks_tally_kernel) kernels;
    size_t turn; // of the latest compile: the larger, the later
};

struct book {
    struct ks_arena *arena;
    long counts[KS_R_COUNT];
    const char *since;
    struct ks_digest folded; // zero: nothing yet
    KS_VEC(struct object) objects;
    size_t *slots, n_slots; // index + 1 into objects, by build and name
    struct object *last;
    size_t turn;
};

static const char *path_of(struct ks_arena *arena, const struct ks_config *config, const char *name)
{
    return ks_path_join(arena, ks_path_join(arena, config->cache_dir, "tally"), name);
}

// --- writing lines ---

static void put_text(struct ks_buf *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ks_buf_putc(out, text[i] == '\t' || text[i] == '\n' ? ' ' : text[i]);
}

static void put_field(struct ks_buf *out, const char *text)
{
    if (text != NULL)
        put_text(out, text, strlen(text));
    ks_buf_putc(out, '\t');
}

static void put_line(struct ks_buf *out, const char *stamp, const char *build, const char *object,
                     const struct ks_tally_kernel *kernel)
{
    put_field(out, stamp);
    put_field(out, ks_reason_name(kernel->reason));
    ks_buf_printf(out, "%d\t%d\t", kernel->arch, kernel->line);
    put_field(out, kernel->key);
    put_field(out, build);
    put_field(out, object);
    put_field(out, kernel->file);
    put_field(out, kernel->kernel);
    const char *text = kernel->text == NULL ? "" : kernel->text;
    size_t n = strcspn(text, "\n");
    put_text(out, text, n < MOST_TEXT ? n : MOST_TEXT);
    ks_buf_putc(out, '\n');
}

// --- reading them ---

static size_t slot_of(const struct book *book, const char *build, const char *name)
{
    size_t hash = 5381;
    for (const char *at = build; *at != '\0'; at++)
        hash = hash * 33 + (unsigned char)*at;
    for (const char *at = name; *at != '\0'; at++)
        hash = hash * 33 + (unsigned char)*at;
    for (size_t i = hash % book->n_slots;; i = (i + 1) % book->n_slots) {
        if (book->slots[i] == 0)
            return i;
        const struct object *o = &book->objects.at[book->slots[i] - 1];
        if (strcmp(o->name, name) == 0 && strcmp(o->build, build) == 0)
            return i;
    }
}

static void grow_slots(struct book *book)
{
    if (book->n_slots > 2 * book->objects.len)
        return;
    book->n_slots = 4 * book->objects.len + 64;
    book->slots = KS_NEW_ARRAY(book->arena, size_t, book->n_slots);
    for (size_t i = 0; i < book->objects.len; i++) {
        const struct object *o = &book->objects.at[i];
        book->slots[slot_of(book, o->build, o->name)] = i + 1;
    }
}

// The object of a line, emptied where the line begins a compile of its own.
static struct object *object_of(struct book *book, const char *build, const char *name,
                                const char *stamp)
{
    struct object *o = book->last;
    if (o == NULL || strcmp(o->name, name) != 0 || strcmp(o->build, build) != 0) {
        grow_slots(book);
        size_t slot = slot_of(book, build, name);
        if (book->slots[slot] == 0) {
            *ks_vec_push(book->arena, &book->objects) =
                (struct object){.build = build, .name = name, .stamp = ""};
            book->slots[slot] = book->objects.len;
        }
        o = &book->objects.at[book->slots[slot] - 1];
    }
    if (strcmp(o->stamp, stamp) != 0) {
        o->stamp = stamp;
        o->kernels.len = 0;
        o->turn = ++book->turn;
    }
    book->last = o;
    return o;
}

static const char *next_field(char **at)
{
    char *field = *at, *tab = strchr(field, '\t');
    if (tab != NULL)
        *tab = '\0';
    *at = tab != NULL ? tab + 1 : field + strlen(field);
    return field;
}

// `counted`: the line stands in totals, and its reason among the counts there.
static void read_line(struct book *book, char *line, bool counted)
{
    int64_t arch, row;
    const char *stamp = next_field(&line);
    struct ks_tally_kernel kernel = {.reason = ks_reason_parse(next_field(&line))};
    if (kernel.reason == KS_R_COUNT || !ks_parse_i64(next_field(&line), &arch) ||
        !ks_parse_i64(next_field(&line), &row))
        return;
    kernel.arch = (int)arch;
    kernel.line = (int)row;
    snprintf(kernel.key, sizeof kernel.key, "%s", next_field(&line));
    const char *build = next_field(&line);
    kernel.object = next_field(&line);
    kernel.file = next_field(&line);
    kernel.kernel = next_field(&line);
    kernel.text = next_field(&line);
    if (kernel.kernel[0] == '\0')
        return; // cut
    if (!counted)
        book->counts[kernel.reason]++;
    if (!counted && book->since[0] == '\0')
        book->since = ks_arena_strndup(book->arena, stamp, strcspn(stamp, "."));
    struct object *o = object_of(book, build, kernel.object, stamp);
    kernel.when = stamp;
    *ks_vec_push(book->arena, &o->kernels) = kernel;
}

static void read_lines(struct book *book, char *at, bool counted)
{
    for (char *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0'; // what has no newline was cut
        read_line(book, at, counted);
    }
}

static void read_count(struct book *book, char *line)
{
    int64_t n;
    enum ks_reason reason = ks_reason_parse(next_field(&line));
    if (reason != KS_R_COUNT && ks_parse_i64(next_field(&line), &n) && n > 0)
        book->counts[reason] = n;
}

// HEAD, digest of what was folded last, since; counts; an empty line; lines.
static void read_totals(struct book *book, char *at)
{
    bool head = true;
    for (char *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0';
        char *rest = at;
        if (head && strcmp(next_field(&rest), HEAD) != 0)
            return;
        if (head) {
            (void)ks_digest_parse(next_field(&rest), &book->folded);
            book->since = next_field(&rest);
        } else if (*at == '\0') {
            read_lines(book, end + 1, true);
            return;
        } else {
            read_count(book, at);
        }
        head = false;
    }
}

// A file's text, writable; "" where there is none.
static enum ks_status read_file(struct book *book, const char *path, char **text,
                                struct ks_digest *digest, struct ks_err *err)
{
    struct ks_slice slice;
    *text = "";
    enum ks_status status = ks_file_read(book->arena, path, 2 * LARGEST, &slice, err);
    if (status != KS_OK)
        return status == KS_E_ABSENT ? KS_OK : status;
    if (digest != NULL)
        *digest = ks_digest_of("tally", slice.at, slice.len);
    *text = ks_arena_strndup(book->arena, slice.at, slice.len);
    return KS_OK;
}

// totals and log.1; `book->folded` is then the digest of the latter.
static enum ks_status read_folded(struct book *book, const struct ks_config *config,
                                  struct ks_err *err)
{
    char *totals, *old;
    struct ks_digest digest = {{0}};
    book->since = "";
    KS_TRY(read_file(book, path_of(book->arena, config, "totals"), &totals, NULL, err));
    KS_TRY(read_file(book, path_of(book->arena, config, "log.1"), &old, &digest, err));
    read_totals(book, totals);
    if (*old != '\0' && !ks_digest_eq(&digest, &book->folded)) {
        read_lines(book, old, false);
        book->folded = digest;
    }
    return KS_OK;
}

static int later_first(const void *a, const void *b)
{
    const struct object *const *x = a, *const *y = b;
    return (*x)->turn < (*y)->turn ? 1 : (*x)->turn > (*y)->turn ? -1 : 0;
}

// A build by its folder lives as long as the folder.
static bool is_gone(const char *build)
{
    return build[0] == '/' && !ks_is_dir(build);
}

static struct object **sorted(struct book *book)
{
    struct object **list = KS_NEW_ARRAY(book->arena, struct object *, book->objects.len + 1);
    for (size_t i = 0; i < book->objects.len; i++)
        list[i] = &book->objects.at[i];
    qsort(list, book->objects.len, sizeof *list, later_first);
    return list;
}

// --- folding ---

static void write_totals(struct book *book, struct ks_buf *out)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&book->folded, hex);
    ks_buf_printf(out, HEAD "\t%s\t%s\n", hex, book->since);
    for (int i = 0; i < KS_R_COUNT; i++)
        if (book->counts[i] > 0)
            ks_buf_printf(out, "%s\t%ld\n", ks_reason_name((enum ks_reason)i), book->counts[i]);
    ks_buf_putc(out, '\n');
    struct object **list = sorted(book);
    size_t n = 0, kept = 0;
    while (kept < book->objects.len && n + list[kept]->kernels.len <= MOST_KERNELS)
        n += list[kept++]->kernels.len;
    for (size_t i = kept; i-- > 0;) // the earliest first, as in a log
        if (!is_gone(list[i]->build))
            ks_vec_each (struct ks_tally_kernel, kernel, &list[i]->kernels)
                put_line(out, list[i]->stamp, list[i]->build, list[i]->name, kernel);
}

static bool write_folded(struct book *book, const struct ks_config *config, struct ks_buf *text)
{
    if (read_folded(book, config, NULL) != KS_OK)
        return false;
    write_totals(book, text);
    return !text->failed && ks_file_write(path_of(book->arena, config, "totals"), text->data,
                                          text->len, false, 0, NULL) == KS_OK;
}

static void fold(const struct ks_config *config)
{
    struct ks_arena arena = {0};
    struct book book = {.arena = &arena};
    struct ks_lock lock;
    struct ks_buf text = KS_BUF(LARGEST);
    struct stat st;
    const char *log = path_of(&arena, config, "log"), *old = path_of(&arena, config, "log.1");
    if (ks_lock_take(path_of(&arena, config, "lock"), 0, &lock, NULL) != KS_OK) {
        ks_arena_free(&arena);
        return;
    }
    bool done = stat(log, &st) != 0 || st.st_size < FOLD_AT; // by another, in between
    int held = -1;
    if (!done && ks_file_exists(old)) {
        held = ks_append_finish(old);
        done = held < 0 || !write_folded(&book, config, &text);
    }
    if (!done)
        (void)rename(log, old);
    if (held >= 0)
        close(held);
    ks_lock_release(&lock);
    ks_buf_free(&text);
    ks_arena_free(&arena);
}

// --- the three calls ---

static enum ks_status writable(struct ks_arena *arena, const struct ks_config *config,
                               struct ks_err *err)
{
    if (config->cache_dir == NULL)
        KS_FAIL(err, KS_E_IO, "no cache directory; set KS_CACHE_DIR");
    if (config->readonly)
        KS_FAIL(err, KS_E_IO, "%s: not written, the configuration is read-only (KS_READONLY)",
                config->cache_dir);
    return ks_dir_make(ks_path_join(arena, config->cache_dir, "tally"), err);
}

void ks_tally_add(const struct ks_config *config, const char *build, const char *object,
                  const struct ks_tally_kernel *kernels, size_t n)
{
    struct ks_arena arena = {0};
    struct ks_buf entry = KS_BUF((size_t)1 << 20);
    struct stat st = {0};
    struct timespec now;
    char utc[32];
    if (n > 0 && writable(&arena, config, NULL) == KS_OK) {
        const char *log = path_of(&arena, config, "log");
        ks_utc_text(utc);
        clock_gettime(CLOCK_REALTIME, &now);
        const char *stamp =
            ks_arena_printf(&arena, "%s.%09ld.%ld", utc, now.tv_nsec, (long)getpid());
        ks_buf_putc(&entry, '\n');
        for (size_t i = 0; i < n; i++)
            put_line(&entry, stamp, build, object, &kernels[i]);
        bool room = stat(log, &st) != 0 || (size_t)st.st_size < LARGEST;
        if (!entry.failed && room && ks_append(log, &entry, NULL) == KS_OK && st.st_size >= FOLD_AT)
            fold(config);
    }
    ks_buf_free(&entry);
    ks_arena_free(&arena);
}

static struct ks_tally_build *build_of(struct ks_tally *tally, const char *name)
{
    for (size_t i = 0; i < tally->n_builds; i++)
        if (strcmp(tally->builds[i].name, name) == 0)
            return &tally->builds[i];
    return NULL;
}

static void fill(struct book *book, struct ks_tally *tally)
{
    struct ks_arena *arena = book->arena;
    struct object **list = sorted(book);
    memcpy(tally->counts, book->counts, sizeof tally->counts);
    tally->since = book->since;
    tally->builds = KS_NEW_ARRAY(arena, struct ks_tally_build, book->objects.len + 1);
    for (size_t i = 0; i < book->objects.len; i++) {
        struct ks_tally_build *build = build_of(tally, list[i]->build);
        if (build == NULL && is_gone(list[i]->build))
            continue;
        if (build == NULL) {
            build = &tally->builds[tally->n_builds++];
            build->name = list[i]->build;
            build->when = ks_arena_strndup(arena, list[i]->stamp, strcspn(list[i]->stamp, "."));
        }
        build->n += list[i]->kernels.len;
    }
    for (size_t b = 0; b < tally->n_builds; b++) {
        struct ks_tally_build *build = &tally->builds[b];
        build->kernels = KS_NEW_ARRAY(arena, struct ks_tally_kernel, build->n + 1);
        build->n = 0;
    }
    for (size_t i = 0; i < book->objects.len; i++) {
        struct ks_tally_build *build = build_of(tally, list[i]->build);
        if (build == NULL)
            continue;
        ks_vec_each (struct ks_tally_kernel, kernel, &list[i]->kernels) {
            kernel->when = ks_arena_strndup(arena, kernel->when, strcspn(kernel->when, "."));
            build->kernels[build->n++] = *kernel;
        }
    }
}

enum ks_status ks_tally_read(struct ks_arena *arena, const struct ks_config *config,
                             struct ks_tally *tally, struct ks_err *err)
{
    struct book book = {.arena = arena};
    struct ks_lock lock = {.fd = -1};
    char *log;
    *tally = (struct ks_tally){.since = ""};
    if (config->cache_dir == NULL || !ks_is_dir(path_of(arena, config, "")))
        return KS_OK;
    if (!config
             ->readonly) // one that reads only may see a log twice or not at all while it is folded
        (void)ks_lock_take(path_of(arena, config, "lock"), WAIT_SECONDS, &lock, NULL);
    enum ks_status status = read_folded(&book, config, err);
    if (status == KS_OK)
        status = read_file(&book, path_of(arena, config, "log"), &log, NULL, err);
    ks_lock_release(&lock);
    KS_TRY(status);
    read_lines(&book, log, false);
    fill(&book, tally);
    return KS_OK;
}

enum ks_status ks_tally_zero(const struct ks_config *config, struct ks_err *err)
{
    struct ks_arena arena = {0};
    struct ks_lock lock;
    enum ks_status status = writable(&arena, config, err);
    if (status == KS_OK)
        status = ks_lock_take(path_of(&arena, config, "lock"), WAIT_SECONDS, &lock, err);
    if (status == KS_OK) {
        static const char *const names[] = {"totals", "log.1", "log"};
        for (size_t i = 0; i < 3; i++)
            (void)unlink(path_of(&arena, config, names[i]));
        ks_lock_release(&lock);
    }
    ks_arena_free(&arena);
    return status;
}
