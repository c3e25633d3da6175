// Descriptions of captures, written and read.
#include "workload/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/file.h"
#include "workload/capture_parts.h"

#define LARGEST (16 << 20) // of a description, bytes

static json_t *hash_json(const struct ks_digest *hash)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(hash, hex);
    return json_string(hex);
}

static json_t *triple_json(const int64_t n[3])
{
    return json_pack("[I,I,I]", (json_int_t)n[0], (json_int_t)n[1], (json_int_t)n[2]);
}

static json_t *describe(struct ks_arena *arena, const struct ks_capture *c)
{
    json_t *params = json_array(), *pointers = json_array(), *memory = json_array();
    ks_vec_each(const struct ks_capture_param, p, &c->params) {
        char *hex = ks_arena_alloc(arena, 2 * p->size + 1);
        for (size_t i = 0; i < p->size; i++)
            snprintf(hex + 2 * i, 3, "%02x", p->bytes[i]);
        json_array_append_new(params, json_pack("{s:I,s:s}", "offset", (json_int_t)p->offset, "hex", hex));
    }
    ks_vec_each(const struct ks_capture_pointer, p, &c->pointers)
        json_array_append_new(pointers, json_pack("{s:I,s:I,s:I,s:I}", "param", (json_int_t)p->param, "at",
                                                  (json_int_t)p->at, "allocation",
                                                  (json_int_t)p->allocation, "offset",
                                                  (json_int_t)p->offset));
    ks_vec_each(const struct ks_capture_memory, m, &c->memory) {
        json_t *one = json_pack("{s:I,s:I,s:o}", "size", (json_int_t)m->size, "align", (json_int_t)m->align,
                                "before", hash_json(&m->before));
        if (!m->lost)
            json_object_set_new(one, "after", hash_json(&m->after));
        json_array_append_new(memory, one);
    }
    json_t *out = json_pack("{s:i,s:s,s:s,s:o,s:o,s:I,s:o,s:o,s:o}", "capture", KS_CAPTURE_FORMAT, "kernel",
                     c->kernel, "symbol", c->symbol, "grid", triple_json(c->grid), "block",
                     triple_json(c->block), "shared", (json_int_t)c->shared, "params", params, "pointers",
                     pointers, "allocations", memory);
    if (c->graph)
        json_object_set_new(out, "graph", json_true());
    if (c->cooperative)
        json_object_set_new(out, "cooperative", json_true());
    return out;
}

// Letters and digits of the kernel's own name, without namespaces and template arguments.
static const char *short_name(struct ks_arena *arena, const char *kernel)
{
    size_t n = strcspn(kernel, "<("), begin = n;
    while (begin > 0 && kernel[begin - 1] != ':')
        begin--;
    char *name = ks_arena_strndup(arena, kernel + begin, n - begin);
    for (char *at = name; *at != '\0'; at++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *at) == NULL)
            *at = '_';
    return *name != '\0' ? name : "kernel";
}

static void digits_of(const char *text, size_t n, char out[KS_CAPTURE_ID_DIGITS + 1])
{
    char hex[KS_HASH_TEXT];
    struct ks_digest hash = ks_digest_of("capture-launch", text, n);
    ks_digest_hex(&hash, hex);
    memcpy(out, hex, KS_CAPTURE_ID_DIGITS);
    out[KS_CAPTURE_ID_DIGITS] = '\0';
}

enum ks_status ks_capture_write(struct ks_arena *arena, const char *dir, struct ks_capture *capture,
                                struct ks_err *err)
{
    char digits[KS_CAPTURE_ID_DIGITS + 1];
    json_t *json = describe(arena, capture);
    const char *text = ks_arena_printf(arena, "%s\n", ks_json_text(arena, json));
    json_decref(json);
    digits_of(text, strlen(text), digits);
    capture->id = ks_arena_printf(arena, "%s-%s", short_name(arena, capture->kernel), digits);
    KS_TRY(ks_dir_make(dir, err));
    const char *path = ks_path_join(arena, dir, ks_arena_printf(arena, "%s.json", capture->id));
    return ks_file_update(path, text, strlen(text), err);
}

// ---- reading

bool ks_capture_read_triple(const json_t *list, int64_t out[3])
{
    for (size_t i = 0; i < 3; i++) {
        out[i] = json_integer_value(json_array_get(list, i));
        if (out[i] < 1)
            return false;
    }
    return true;
}

static bool read_hash(const json_t *json, const char *key, struct ks_digest *hash)
{
    return ks_digest_parse(ks_json_str(json, key, ""), hash);
}

bool ks_capture_read_params(struct ks_arena *arena, const json_t *list, struct ks_capture *c)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *hex = ks_json_str(item, "hex", "x");
        size_t n = strlen(hex);
        int64_t offset = ks_json_int(item, "offset", -1);
        if (n % 2 != 0 || strspn(hex, "0123456789abcdef") != n || n > 8192 || offset < 0)
            return false;
        struct ks_capture_param *p = ks_vec_push(arena, &c->params);
        *p = (struct ks_capture_param){(size_t)offset, n / 2, ks_arena_alloc(arena, n / 2 + 1)};
        for (size_t k = 0; k < n / 2; k++) {
            char pair[3] = {hex[2 * k], hex[2 * k + 1], '\0'};
            p->bytes[k] = (unsigned char)strtoul(pair, NULL, 16);
        }
    }
    return true;
}

bool ks_capture_read_pointers(struct ks_arena *arena, const json_t *list, struct ks_capture *c)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        int64_t param = ks_json_int(item, "param", -1), at = ks_json_int(item, "at", -1);
        int64_t memory = ks_json_int(item, "allocation", -1), offset = ks_json_int(item, "offset", -1);
        if (param < 0 || (size_t)param >= c->params.len || at < 0 ||
            (size_t)at + 8 > c->params.at[param].size || memory < 0 || (size_t)memory >= c->memory.len ||
            offset < 0 || offset >= c->memory.at[memory].size)
            return false;
        *ks_vec_push(arena, &c->pointers) = (struct ks_capture_pointer){(size_t)param, (size_t)at,
                                                                       (size_t)memory, (size_t)offset};
    }
    return true;
}

static bool read_memory(struct ks_arena *arena, const json_t *list, struct ks_capture *c)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        struct ks_capture_memory *m = ks_vec_push(arena, &c->memory);
        m->size = ks_json_int(item, "size", -1);
        m->align = ks_json_int(item, "align", -1);
        m->lost = json_object_get(item, "after") == NULL;
        if (m->size < 1 || m->align < 1 || !read_hash(item, "before", &m->before) ||
            !(m->lost || read_hash(item, "after", &m->after)))
            return false;
    }
    return true;
}

static bool read_description(struct ks_arena *arena, const json_t *json, struct ks_capture *c)
{
    c->kernel = ks_arena_strdup(arena, ks_json_str(json, "kernel", ""));
    c->symbol = ks_arena_strdup(arena, ks_json_str(json, "symbol", ""));
    c->shared = ks_json_int(json, "shared", -1);
    c->graph = ks_json_bool(json, "graph", false);
    c->cooperative = ks_json_bool(json, "cooperative", false);
    return c->kernel[0] != '\0' && c->symbol[0] != '\0' && c->shared >= 0 &&
           ks_capture_read_triple(json_object_get(json, "grid"), c->grid) &&
           ks_capture_read_triple(json_object_get(json, "block"), c->block) &&
           ks_capture_read_params(arena, json_object_get(json, "params"), c) &&
           read_memory(arena, json_object_get(json, "allocations"), c) &&
           ks_capture_read_pointers(arena, json_object_get(json, "pointers"), c);
}

enum ks_status ks_capture_read(struct ks_arena *arena, const char *dir, const char *id,
                               struct ks_capture *capture, struct ks_err *err)
{
    struct ks_slice text;
    char digits[KS_CAPTURE_ID_DIGITS + 1];
    const char *path = ks_path_join(arena, dir, ks_arena_printf(arena, "%s.json", id));
    *capture = (struct ks_capture){.id = ks_arena_strdup(arena, id)};
    KS_TRY(ks_file_read(arena, path, LARGEST, &text, err));
    digits_of(text.at, text.len, digits);
    if (strlen(id) <= KS_CAPTURE_ID_DIGITS || strcmp(id + strlen(id) - KS_CAPTURE_ID_DIGITS, digits) != 0)
        KS_FAIL(err, KS_E_FORMAT, "%s was altered: its contents have the hash %s", path, digits);
    json_t *json = ks_json_parse(ks_slice_trim(text), NULL);
    int64_t format = ks_json_int(json, "capture", 0);
    bool whole = json != NULL && format == KS_CAPTURE_FORMAT && read_description(arena, json, capture);
    json_decref(json);
    if (format > KS_CAPTURE_FORMAT)
        KS_FAIL(err, KS_E_FORMAT, "%s: format %lld, which a newer ks wrote", path, (long long)format);
    if (!whole)
        KS_FAIL(err, KS_E_FORMAT, "%s describes no launch", path);
    return KS_OK;
}
