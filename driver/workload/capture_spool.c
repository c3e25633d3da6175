// Spooled launches (cupti_probe/record/capture.h) made into captures.
#include <stdlib.h>
#include <string.h>

#include "fmt/json.h"
#include "workload/capture.h"
#include "workload/capture_parts.h"

#define LONGEST_LINE (16 << 20)
#define LONGEST_TAIL 4096
#define MOST_ALIGN (2 << 20)

struct spool {
    struct ks_arena *arena;
    const char *path, *dir;
    FILE *file;
    json_t *head, *tail; // owned
    struct ks_err *err;
};

static enum ks_status damaged(const struct spool *s, const char *what)
{
    return ks_err_set(s->err, KS_E_FORMAT, "%s: %s", s->path, what);
}

static enum ks_status read_line(struct spool *s, json_t **json)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n = getline(&line, &room, s->file);
    *json = n > 0 && n < LONGEST_LINE
                ? ks_json_parse(ks_slice_trim((struct ks_slice){line, (size_t)n}), NULL) : NULL;
    free(line);
    return *json != NULL ? KS_OK : damaged(s, "a line is missing");
}

static enum ks_status keep(struct spool *s, int64_t size, struct ks_digest *hash)
{
    void *bytes = malloc((size_t)size);
    enum ks_status status = KS_OK;
    if (bytes == NULL)
        status = ks_err_set(s->err, KS_E_MEMORY, "no memory for %lld bytes", (long long)size);
    else if (fread(bytes, 1, (size_t)size, s->file) != (size_t)size)
        status = damaged(s, "contents are missing");
    else
        status = ks_capture_keep(s->dir, bytes, (size_t)size, hash, s->err);
    free(bytes);
    return status;
}

static int64_t align_of(uint64_t base)
{
    int64_t align = 1;
    while (align < MOST_ALIGN && base % (uint64_t)(2 * align) == 0)
        align *= 2;
    return align;
}

static enum ks_status read_contents(struct spool *s, struct ks_capture *c)
{
    const json_t *list = json_object_get(s->head, "allocations");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        struct ks_capture_memory *m = ks_vec_push(s->arena, &c->memory);
        m->size = ks_json_int(item, "size", -1);
        m->align = align_of(strtoull(ks_json_str(item, "base", "0x1"), NULL, 16));
        if (m->size < 1)
            return damaged(s, "an allocation has no size");
        KS_TRY(keep(s, m->size, &m->before));
        m->after = m->before;
    }
    const json_t *changed = json_object_get(s->tail, "after");
    if (json_array_size(changed) != c->memory.len)
        return damaged(s, "what changed is missing");
    for (size_t i = 0; i < c->memory.len; i++) {
        c->memory.at[i].lost = json_is_null(json_array_get(changed, i));
        if (json_is_true(json_array_get(changed, i)))
            KS_TRY(keep(s, c->memory.at[i].size, &c->memory.at[i].after));
    }
    return KS_OK;
}

static enum ks_status read_launch(struct spool *s, struct ks_capture *c)
{
    KS_TRY(read_line(s, &s->head));
    if (ks_json_int(s->head, "launch", 0) != KS_CAPTURE_FORMAT)
        return damaged(s, "no launch of this version");
    c->symbol = ks_arena_strdup(s->arena, ks_json_str(s->head, "symbol", ""));
    c->shared = ks_json_int(s->head, "shared", -1);
    c->graph = ks_json_bool(s->head, "graph", false);
    c->cooperative = ks_json_bool(s->head, "cooperative", false);
    if (c->symbol[0] == '\0' || c->shared < 0 ||
        !ks_capture_read_triple(json_object_get(s->head, "grid"), c->grid) ||
        !ks_capture_read_triple(json_object_get(s->head, "block"), c->block) ||
        !ks_capture_read_params(s->arena, json_object_get(s->head, "params"), c))
        return damaged(s, "its launch cannot be read");
    return KS_OK;
}

static enum ks_status open_spool(struct spool *s)
{
    s->file = fopen(s->path, "re");
    return s->file != NULL ? KS_OK : ks_err_errno(s->err, "%s", s->path);
}

// The last line, which follows a newline of its own behind the contents.
static enum ks_status read_tail(struct spool *s)
{
    char text[LONGEST_TAIL + 1];
    if (fseek(s->file, 0, SEEK_END) != 0)
        return damaged(s, "it cannot be read");
    long size = ftell(s->file), begin = size > LONGEST_TAIL ? size - LONGEST_TAIL : 0;
    if (size < 2 || fseek(s->file, begin, SEEK_SET) != 0)
        return damaged(s, "it cannot be read");
    size_t n = fread(text, 1, LONGEST_TAIL, s->file);
    const char *newline = n > 1 ? memrchr(text, '\n', n - 1) : NULL;
    s->tail = newline == NULL ? NULL
              : ks_json_parse((struct ks_slice){newline + 1, (size_t)(text + n - newline) - 2}, NULL);
    if (s->tail == NULL)
        return damaged(s, "what changed is missing");
    return fseek(s->file, 0, SEEK_SET) == 0 ? KS_OK : damaged(s, "it cannot be read");
}

static void close_spool(struct spool *s)
{
    json_decref(s->head);
    json_decref(s->tail);
    fclose(s->file);
}

enum ks_status ks_capture_spooled_symbol(struct ks_arena *arena, const char *path, const char **symbol,
                                         struct ks_err *err)
{
    struct spool s = {.arena = arena, .path = path, .err = err};
    struct ks_capture capture = {0};
    KS_TRY(open_spool(&s));
    enum ks_status status = read_launch(&s, &capture);
    *symbol = capture.symbol;
    close_spool(&s);
    return status;
}

enum ks_status ks_capture_spooled(struct ks_arena *arena, const char *dir, const char *path,
                                  const char *kernel, struct ks_capture *capture, struct ks_err *err)
{
    struct spool s = {.arena = arena, .path = path, .dir = dir, .err = err};
    *capture = (struct ks_capture){.kernel = kernel};
    KS_TRY(open_spool(&s));
    enum ks_status status = read_tail(&s);
    if (status == KS_OK)
        status = read_launch(&s, capture);
    if (status == KS_OK)
        status = read_contents(&s, capture);
    if (status == KS_OK &&
        !ks_capture_read_pointers(arena, json_object_get(s.head, "pointers"), capture))
        status = damaged(&s, "its pointers cannot be read");
    close_spool(&s);
    // Where memory lay in that process says nothing: the same launch is the same capture in every run.
    if (status == KS_OK)
        ks_vec_each(const struct ks_capture_pointer, p, &capture->pointers)
            memset(capture->params.at[p->param].bytes + p->at, 0, 8);
    if (status == KS_OK)
        status = ks_capture_write(arena, dir, capture, err);
    return status;
}
