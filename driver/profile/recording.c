#include "profile/recording.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "fmt/json.h"
#include "source/signature.h"

#define MOST_IDS (1 << 24) // numbers of one session's kernels, classes and devices

// What one process's numbers mean; a session under the same id begins anew.
struct writer {
    int64_t pid;
    size_t session;
    KS_VEC(size_t) kernels, classes, devices; // by number: index + 1, or 0 where it was never told
    KS_VEC(int64_t) streams;
};

struct reader {
    struct ks_arena *arena;
    struct ks_recording *out;
    KS_VEC(struct writer) writers;
    size_t *places, n_places; // classes by their hash, open addressing: index + 1
    bool begun; // some session was
    struct ks_err *err;
};

typedef KS_VEC(size_t) indices;

static bool map_put(struct ks_arena *arena, void *map, int64_t number, size_t index)
{
    indices *to = map;
    if (number < 0 || number >= MOST_IDS)
        return false;
    while (to->len <= (size_t)number)
        *ks_vec_push(arena, to) = 0;
    to->at[number] = index + 1;
    return true;
}

static bool map_get(const void *map, int64_t number, size_t *index)
{
    const indices *from = map;
    if (number < 0 || (size_t)number >= from->len || from->at[number] == 0)
        return false;
    *index = from->at[number] - 1;
    return true;
}

static struct writer *writer_of(struct reader *r, const json_t *line)
{
    int64_t pid = ks_json_int(line, "p", -1);
    ks_vec_each(struct writer, w, &r->writers)
        if (w->pid == pid)
            return w;
    return NULL;
}

// "void ns::scale<float>(float*, int)" is ns::scale<float>; operators and casts among template arguments keep
// their parentheses, which stand inside < >.
static const char *without_parameters(struct ks_arena *arena, const char *text)
{
    int depth = 0;
    const char *begin = text, *end = text + strlen(text);
    for (const char *at = text; *at != '\0'; at++) {
        bool unnamed = ks_starts_with(at, "(anonymous namespace)");
        if (unnamed)
            at += strlen("(anonymous namespace)") - 1;
        else if (*at == '<' || *at == '[')
            depth++;
        else if (*at == '>' || *at == ']')
            depth--;
        else if (*at == ' ' && depth == 0)
            begin = at + 1; // a template's return type stands in front
        else if (*at == '(' && depth == 0) {
            end = at;
            break;
        } else if (*at == '(') {
            depth++;
        } else if (*at == ')') {
            depth--;
        }
    }
    return end > begin ? ks_arena_strndup(arena, begin, (size_t)(end - begin)) : text;
}

const char *ks_recorded_name(struct ks_arena *arena, const char *symbol)
{
    return without_parameters(arena, ks_demangle(arena, symbol));
}

// Variants live in a namespace ks_<16 digits> or ks_<16 digits>_<8 digits> (source/shadow.h), in front of which
// the mangled name has its length.
static const char *variant_of(struct ks_arena *arena, const char *symbol)
{
    for (const char *at = strstr(symbol, "ks_"); at != NULL; at = strstr(at + 1, "ks_"))
        if (at - symbol >= 2 && (memcmp(at - 2, "19", 2) == 0 || memcmp(at - 2, "28", 2) == 0) &&
            strspn(at + 3, "0123456789abcdef") >= KS_RECORDED_VARIANT)
            return ks_arena_strndup(arena, at + 3, KS_RECORDED_VARIANT);
    return NULL;
}

static bool read_session(struct reader *r, const json_t *line)
{
    int64_t pid = ks_json_int(line, "p", -1);
    struct writer *w = writer_of(r, line);
    if (w == NULL)
        w = ks_vec_push(r->arena, &r->writers);
    *w = (struct writer){.pid = pid, .session = r->out->sessions.len};
    *ks_vec_push(r->arena, &r->out->sessions) = (struct ks_recorded_session){
        .pid = pid, .program = ks_arena_strdup(r->arena, ks_json_str(line, "program", "?")),
        .cupti = ks_json_int(line, "cupti", 0), .first_ns = INFINITY, .last_ns = -INFINITY};
    r->begun = true;
    return true;
}

static bool read_device(struct reader *r, struct writer *w, const json_t *line)
{
    struct ks_recorded_device d = {
        .name = ks_arena_strdup(r->arena, ks_json_str(line, "name", "?")),
        .arch = (int)ks_json_int(line, "arch", 0), .sms = (int)ks_json_int(line, "sms", 0),
        .threads = (int)ks_json_int(line, "threads", 0),
        .blocks = (int)ks_json_int(line, "blocks", 0),
        .registers = (int)ks_json_int(line, "registers", 0),
        .shared = (int)ks_json_int(line, "shared", 0),
        .memory_gbs = ks_json_num(line, "memory", 0)};
    *ks_vec_push(r->arena, &r->out->devices) = d;
    return map_put(r->arena, &w->devices, ks_json_int(line, "device", -1), r->out->devices.len - 1);
}

static bool read_kernel(struct reader *r, struct writer *w, const json_t *line)
{
    const char *symbol = ks_json_str(line, "name", NULL);
    size_t at = 0;
    if (symbol == NULL)
        return false;
    while (at < r->out->kernels.len && strcmp(r->out->kernels.at[at].symbol, symbol) != 0)
        at++;
    if (at == r->out->kernels.len) {
        symbol = ks_arena_strdup(r->arena, symbol);
        *ks_vec_push(r->arena, &r->out->kernels) = (struct ks_recorded_kernel){
            .symbol = symbol, .variant = variant_of(r->arena, symbol),
            .name = ks_recorded_name(r->arena, symbol)};
    }
    return map_put(r->arena, &w->kernels, ks_json_int(line, "kernel", -1), at);
}

static bool read_triple(const json_t *line, const char *key, int64_t out[3])
{
    const json_t *list = json_object_get(line, key);
    for (size_t i = 0; i < 3; i++) {
        if (!json_is_integer(json_array_get(list, i)))
            return false;
        out[i] = json_integer_value(json_array_get(list, i));
        if (out[i] < 0 || out[i] > INT32_MAX)
            return false;
    }
    return true;
}

static bool same_class(const struct ks_recorded_class *a, const struct ks_recorded_class *b)
{
    return a->kernel == b->kernel && a->device == b->device && a->graph == b->graph &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 &&
           memcmp(a->cluster, b->cluster, sizeof a->cluster) == 0 &&
           a->static_shared == b->static_shared && a->dynamic_shared == b->dynamic_shared &&
           a->local == b->local && a->registers == b->registers;
}

static size_t place_of(const struct reader *r, const struct ks_recorded_class *c)
{
    uint64_t hash = ks_hash_counter((uint64_t)c->grid[0], (uint64_t)c->kernel) ^
                    ks_hash_counter((uint64_t)c->grid[1], (uint64_t)c->dynamic_shared) ^
                    ks_hash_counter((uint64_t)c->grid[2], (uint64_t)c->block[0]);
    size_t at = hash % r->n_places;
    while (r->places[at] != 0 && !same_class(&r->out->classes.at[r->places[at] - 1], c))
        at = (at + 1) % r->n_places;
    return at;
}

// Its index among all classes: a class that another process named too is the same.
static size_t class_index(struct reader *r, const struct ks_recorded_class *c)
{
    if (2 * r->out->classes.len >= r->n_places) {
        r->n_places = r->n_places > 0 ? 4 * r->n_places : 1024;
        r->places = KS_NEW_ARRAY(r->arena, size_t, r->n_places);
        for (size_t i = 0; i < r->out->classes.len; i++)
            r->places[place_of(r, &r->out->classes.at[i])] = i + 1;
    }
    size_t at = place_of(r, c);
    if (r->places[at] == 0) {
        *ks_vec_push(r->arena, &r->out->classes) = *c;
        r->places[at] = r->out->classes.len;
        *ks_vec_push(r->arena, &r->out->kernels.at[c->kernel].classes) = r->out->classes.len - 1;
    }
    return r->places[at] - 1;
}

static bool read_class(struct reader *r, struct writer *w, const json_t *line)
{
    struct ks_recorded_class c = {.static_shared = ks_json_int(line, "static", 0),
                                  .dynamic_shared = ks_json_int(line, "dynamic", 0),
                                  .local = ks_json_int(line, "local", 0),
                                  .registers = (int)ks_json_int(line, "registers", 0),
                                  .graph = ks_json_bool(line, "graph", false), .device = SIZE_MAX,
                                  .limit = ""};
    if (!map_get(&w->kernels, ks_json_int(line, "kernel", -1), &c.kernel) ||
        !read_triple(line, "grid", c.grid) || !read_triple(line, "block", c.block) ||
        !read_triple(line, "cluster", c.cluster))
        return false;
    map_get(&w->devices, ks_json_int(line, "device", -1), &c.device);
    return map_put(r->arena, &w->classes, ks_json_int(line, "class", -1), class_index(r, &c));
}

static void note_stream(struct reader *r, struct writer *w, int64_t stream)
{
    for (size_t i = w->streams.len; i-- > 0;)
        if (w->streams.at[i] == stream)
            return;
    *ks_vec_push(r->arena, &w->streams) = stream;
    r->out->streams++;
}

static void count_launch(struct ks_recording *out, struct ks_recorded_class *c, double ns)
{
    struct ks_recorded_kernel *kernel = &out->kernels.at[c->kernel];
    out->launches++;
    kernel->launches++;
    c->launches++;
    if (ns < 0) {
        c->unfinished++;
        out->unfinished++;
        return;
    }
    if (c->launches == c->unfinished + 1 || ns < c->min_ns)
        c->min_ns = ns;
    if (ns > c->max_ns)
        c->max_ns = ns;
    c->total_ns += ns;
    kernel->total_ns += ns;
    out->total_ns += ns;
}

static bool read_launches(struct reader *r, struct writer *w, const json_t *line)
{
    const json_t *list = json_object_get(line, "launches");
    size_t n = json_array_size(list);
    double start = ks_json_num(line, "at", NAN);
    struct ks_recorded_session *session = &r->out->sessions.at[w->session];
    if (n % 4 != 0 || !isfinite(start))
        return false;
    for (size_t i = 0; i < n; i += 4) {
        int64_t number[4];
        size_t at;
        for (size_t k = 0; k < 4; k++)
            number[k] = json_integer_value(json_array_get(list, i + k));
        if (!map_get(&w->classes, number[0], &at))
            return false;
        start += (double)number[2];
        note_stream(r, w, number[1]);
        count_launch(r->out, &r->out->classes.at[at], (double)number[3]);
        session->launches++;
        if (number[3] < 0)
            continue;
        session->first_ns = fmin(session->first_ns, start);
        session->last_ns = fmax(session->last_ns, start + (double)number[3]);
    }
    return true;
}

// One line; false: it cannot be understood.
static bool read_line(struct reader *r, const json_t *line)
{
    if (json_object_get(line, "ks") != NULL)
        return read_session(r, line);
    struct writer *w = writer_of(r, line);
    if (w == NULL)
        return false;
    struct ks_recorded_session *session = &r->out->sessions.at[w->session];
    const char *text = ks_arena_strdup(r->arena, ks_json_str(line, "text", ""));
    if (json_object_get(line, "launches") != NULL)
        return read_launches(r, w, line);
    if (json_object_get(line, "class") != NULL)
        return read_class(r, w, line);
    if (json_object_get(line, "kernel") != NULL)
        return read_kernel(r, w, line);
    if (json_object_get(line, "device") != NULL)
        return read_device(r, w, line);
    if (json_object_get(line, "end") != NULL) {
        session->ended = true;
    } else if (json_object_get(line, "dropped") != NULL) {
        session->dropped += ks_json_int(line, "dropped", 0);
        r->out->dropped += ks_json_int(line, "dropped", 0);
    } else if (json_object_get(line, "refused") != NULL) {
        session->refused = ks_arena_strdup(r->arena, ks_json_str(line, "refused", "?"));
        session->text = text;
    } else if (json_object_get(line, "note") != NULL) {
        *ks_vec_push(r->arena, &r->out->notes) = (struct ks_recorded_note){
            ks_arena_strdup(r->arena, ks_json_str(line, "note", "?")), text};
    } // other lines are of a later program that can still be read by this one
    return true;
}

static enum ks_status read_text(struct reader *r, const char *path, struct ks_slice text)
{
    if (text.len == 0)
        return KS_OK;
    json_t *line = ks_json_parse(text, NULL);
    enum ks_status status = KS_OK;
    int64_t format = ks_json_int(line, "format", KS_RECORDING_FORMAT);
    if (line != NULL && json_object_get(line, "ks") != NULL && format > KS_RECORDING_FORMAT)
        status = ks_err_set(r->err, KS_E_FORMAT, "%s: format %lld, which a newer ks wrote", path,
                            (long long)format);
    else if (line == NULL || !read_line(r, line))
        r->out->torn++;
    json_decref(line);
    return status;
}

enum ks_status ks_recording_read(struct ks_arena *arena, const char *path, struct ks_recording *out,
                                 struct ks_err *err)
{
    *out = (struct ks_recording){0};
    struct reader r = {.arena = arena, .out = out, .err = err};
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    enum ks_status status = KS_OK;
    if (file == NULL)
        return ks_err_errno(err, "%s", path);
    for (ssize_t n; status == KS_OK && (n = getline(&line, &room, file)) >= 0;)
        status = read_text(&r, path, ks_slice_trim((struct ks_slice){line, (size_t)n}));
    if (status == KS_OK && ferror(file))
        status = ks_err_errno(err, "%s", path);
    free(line);
    fclose(file);
    KS_TRY(status);
    if (!r.begun)
        KS_FAIL(err, KS_E_FORMAT, "%s is no recording of `ks record`", path);
    ks_recording_conclude(out);
    return KS_OK;
}
