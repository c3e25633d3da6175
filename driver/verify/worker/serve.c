// Lines and payloads in, answers out; which failure is of which class.

#include "verify/worker/serve.h"

#include <stdlib.h>
#include <string.h>

#include "verify/protocol.h"
#include "verify/worker/serving.h"

struct line {
    struct ks_buf text;
    bool too_long;
};

// False at end of input. An overlong line is read to its end and dropped.
static bool read_line(FILE *in, struct line *line)
{
    ks_buf_clear(&line->text);
    line->text.failed = line->too_long = false;
    size_t n = 0;
    for (int c; (c = getc_unlocked(in)) != EOF; n++) {
        if (c == '\n')
            return true;
        if (n < KS_PROTOCOL_LINE)
            ks_buf_putc(&line->text, (char)c);
        else
            line->too_long = true;
    }
    return false; // a last line without its newline was cut off: nobody waits for its answer
}

// Reads n bytes, or drops them when there is no memory. False at end of input.
static bool read_payload(FILE *in, int64_t n, char **data)
{
    *data = n <= KS_PROTOCOL_PAYLOAD ? malloc((size_t)n + 1) : NULL;
    if (*data != NULL)
        return fread(*data, 1, (size_t)n, in) == (size_t)n;
    char drop[65536];
    while (n > 0) {
        size_t want = n < (int64_t)sizeof drop ? (size_t)n : sizeof drop;
        if (fread(drop, 1, want, in) != want)
            return false;
        n -= (int64_t)want;
    }
    return true;
}

static const char *class_of(const struct ks_serving *s, enum ks_status status)
{
    if (s->class != NULL && status != KS_E_DEVICE)
        return s->class;
    switch (status) {
    case KS_E_DEVICE:
        return "fault";
    case KS_E_LIMIT:
    case KS_E_MEMORY:
        return "limit";
    case KS_E_USER:
    case KS_E_FORMAT:
        return "usage";
    case KS_E_ABSENT:
        return "absent";
    case KS_E_UNSUPPORTED:
        return "unsupported";
    default:
        return "io";
    }
}

static const struct {
    const char *name;
    ks_serve_verb *verb;
} verbs[] = {
    {"hello", ks_serve_hello},     {"module", ks_serve_module},
    {"function", ks_serve_function}, {"buffers", ks_serve_buffers},
    {"run", ks_serve_run},         {"fingerprint", ks_serve_fingerprint},
    {"sets", ks_serve_sets},       {"time", ks_serve_time},
    {"ceilings", ks_serve_ceilings}, {"count", ks_serve_count},
};

struct exchange { // one request and its answer
    json_t *request, *answer;
    struct ks_slice payload;
    void *data; size_t n; // payload of the answer
};

static enum ks_status perform(struct ks_serving *s, ks_serve_open *open,
                              const struct ks_serve_extra *extra, struct exchange *x,
                              struct ks_err *err)
{
    const char *name;
    KS_TRY(ks_want_text(x->request, "do", &name, err));
    if (!s->open)
        KS_TRY(open(&s->device, err));
    s->open = true;
    bool gather = strcmp(name, "gather") == 0;
    if (gather || strcmp(name, "read") == 0) {
        KS_TRY(gather ? ks_serve_gather(s, x->request, x->payload, &x->data, &x->n, err)
                      : ks_serve_read(s, x->request, &x->data, &x->n, err));
        if (x->data != NULL)
            json_object_set_new(x->answer, "payload", json_integer((json_int_t)x->n));
        return KS_OK;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(name, verbs[i].name) == 0)
            return verbs[i].verb(s, x->request, x->payload, x->answer, err);
    if (extra != NULL && strcmp(name, extra->name) == 0)
        return extra->verb(s, x->request, x->payload, x->answer, err);
    KS_FAIL(err, KS_E_USER, "unknown request '%s'", name);
}

static enum ks_status understand(struct exchange *x, const struct line *line, struct ks_err *err)
{
    if (line->too_long || line->text.failed)
        KS_FAIL(err, KS_E_USER, "a line is longer than %d bytes", KS_PROTOCOL_LINE);
    x->request = ks_json_parse((struct ks_slice){line->text.data, line->text.len}, err);
    if (x->request == NULL)
        return KS_E_USER;
    if (!json_is_object(x->request))
        KS_FAIL(err, KS_E_USER, "a request is a JSON object");
    return KS_OK;
}

// Reads the payload whatever else is wrong with the request, to keep in step. False: end of input.
static bool take_payload(FILE *in, struct exchange *x, char **data, enum ks_status *status,
                         struct ks_err *err)
{
    const json_t *size = json_object_get(x->request, "payload");
    *data = NULL;
    if (size == NULL)
        return true;
    int64_t n = json_is_integer(size) ? json_integer_value(size) : -1;
    if (n < 0) {
        *status = ks_err_set(err, KS_E_USER, "\"payload\" is no number of bytes");
        return true;
    }
    if (!read_payload(in, n, data))
        return false;
    if (*data == NULL)
        *status = ks_err_set(err, KS_E_LIMIT, "a payload of %lld bytes is too large",
                             (long long)n);
    x->payload = (struct ks_slice){*data, (size_t)n};
    return true;
}

static bool write_answer(FILE *out, struct ks_serving *s, const struct exchange *x,
                         enum ks_status status, const struct ks_err *err)
{
    json_t *answer = x->answer, *id = json_object_get(x->request, "id");
    if (status != KS_OK) {
        json_object_clear(answer);
        json_object_set_new(answer, "class", json_string(class_of(s, status)));
        json_t *text = json_string(err->text);
        if (text == NULL) // not UTF-8: a piece of the request
            text = json_string("the request is not UTF-8");
        json_object_set_new(answer, "text", text);
    }
    json_object_set_new(answer, "ok", json_boolean(status == KS_OK));
    json_object_set(answer, "id", id != NULL && json_is_integer(id) ? id : json_null());
    // 17 digits bring a double back exactly.
    if (json_dumpf(answer, out, JSON_COMPACT | JSON_REAL_PRECISION(17)) != 0 ||
        putc('\n', out) == EOF)
        return false;
    if (status == KS_OK && x->n > 0 && fwrite(x->data, 1, x->n, out) != x->n)
        return false;
    return fflush(out) == 0;
}

// One request. False when it was the last.
static bool serve_one(struct ks_serving *s, FILE *in, FILE *out, const struct line *line,
                      ks_serve_open *open, const struct ks_serve_extra *extra, bool *written)
{
    struct exchange x = {.answer = json_object()};
    struct ks_err err = {0};
    char *data = NULL;
    s->class = NULL;
    enum ks_status status = understand(&x, line, &err);
    bool more = take_payload(in, &x, &data, &status, &err);
    if (more) {
        if (s->spoilt[0] != '\0')
            status = ks_err_set(&err, KS_E_DEVICE, "%s", s->spoilt);
        if (status == KS_OK)
            status = perform(s, open, extra, &x, &err);
        if (status == KS_E_DEVICE && s->open && s->spoilt[0] == '\0')
            memcpy(s->spoilt, err.text, sizeof s->spoilt);
        *written = write_answer(out, s, &x, status, &err);
    }
    json_decref(x.request);
    json_decref(x.answer);
    free(x.data);
    free(data);
    ks_arena_free(&s->request);
    return more && *written;
}

bool ks_serve(FILE *in, FILE *out, ks_serve_open *open, const struct ks_serve_extra *extra)
{
    struct ks_serving s = {0};
    struct line line = {.text = KS_BUF(KS_PROTOCOL_LINE + 1)};
    bool written = true;
    ks_rng_seed(&s.rng, ks_seed_from_os());
    while (read_line(in, &line) && serve_one(&s, in, out, &line, open, extra, &written))
        continue;
    if (s.open)
        s.device.close(s.device.self);
    ks_shared_free(&s.shared);
    ks_buf_free(&line.text);
    ks_arena_free(&s.arena);
    ks_arena_free(&s.request);
    ks_arena_free(&s.layout);
    return written;
}
