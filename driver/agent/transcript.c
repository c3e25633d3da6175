#include "agent/transcript.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/answer_bytes.h"
#include "base/log.h"
#include "base/vec.h"
#include "fmt/hash.h"
#include "fmt/json.h"

#define LINE_MOST (8 * KS_ANSWER_MOST)

struct line { // of the file; what is long stays there
    char id[KS_ASK_ID], prompt[KS_HASH_TEXT];
    off_t at;
    size_t len;
};
struct open_ask { // under way
    struct open_ask *next;
    char id[KS_ASK_ID], prompt[KS_HASH_TEXT];
    json_t *question;
    size_t stored; // in the file: line + 1
};
struct transcript {
    int fd;
    const char *path;
    struct ks_arena arena;
    KS_VEC(struct line) lines;
    struct ks_redaction redaction;
    struct ks_backend inner; // replay: none
    bool replay, failed;
    struct open_ask *first;
    char model[128];
};

// What an ask says, apart from its id.
static void prompt_hash(const struct ks_ask *ask, char hex[KS_HASH_TEXT])
{
    struct ks_hash hash;
    struct ks_digest digest;
    ks_hash_begin(&hash, "ask");
    ks_hash_text(&hash, "system", ask->system);
    ks_hash_text(&hash, "user", ask->user);
    ks_hash_int(&hash, "tokens", ask->max_tokens);
    ks_hash_end(&hash, &digest);
    ks_digest_hex(&digest, hex);
}

static enum ks_status note_line(struct transcript *t, struct ks_slice text, off_t at, struct ks_err *err)
{
    struct ks_err local = {0};
    json_t *object = ks_json_parse(text, &local);
    const char *id = ks_json_str(object, "id", "");
    size_t number = t->lines.len + 1;
    if (object == NULL || id[0] == '\0' || strlen(id) >= KS_ASK_ID) {
        json_decref(object);
        return ks_err_set(err, KS_E_USER, "%s:%zu: no question and answer: %s", t->path, number,
                          object == NULL ? local.text : "it has no id");
    }
    struct line *line = ks_vec_push(&t->arena, &t->lines);
    snprintf(line->id, sizeof line->id, "%s", id);
    snprintf(line->prompt, sizeof line->prompt, "%s", ks_json_str(object, "prompt", ""));
    snprintf(t->model, sizeof t->model, "%s", ks_json_str(object, "model", "replay"));
    line->at = at;
    line->len = text.len;
    json_decref(object);
    return KS_OK;
}

// Notes where each line lies. A last one without its end is of a run that was killed: it is cut off.
static enum ks_status scan(struct transcript *t, struct ks_err *err)
{
    struct ks_buf pending = KS_BUF(LINE_MOST + (1 << 16));
    char chunk[1 << 16];
    off_t begin = 0;
    ssize_t n;
    enum ks_status status = KS_OK;
    while (status == KS_OK && (n = read(t->fd, chunk, sizeof chunk)) > 0) {
        ks_buf_add(&pending, chunk, (size_t)n);
        char *end;
        while (status == KS_OK && pending.len > 0 &&
               (end = memchr(pending.data, '\n', pending.len)) != NULL) {
            size_t len = (size_t)(end - pending.data);
            status = note_line(t, (struct ks_slice){pending.data, len}, begin, err);
            begin += (off_t)len + 1;
            memmove(pending.data, end + 1, pending.len - len);
            pending.len -= len + 1;
        }
        if (status == KS_OK)
            status = ks_buf_check(&pending, "a line of the transcript", err);
    }
    if (status == KS_OK && pending.len > 0 && !t->replay && ftruncate(t->fd, begin) != 0)
        status = ks_err_errno(err, "%s", t->path);
    ks_buf_free(&pending);
    return status;
}

static const struct line *find(const struct transcript *t, const char *id, const char *prompt)
{
    const struct line *found = NULL;
    ks_vec_each(const struct line, line, &t->lines)
        if (strcmp(line->id, id) == 0 && (prompt == NULL || strcmp(line->prompt, prompt) == 0))
            found = line;
    return found;
}

static json_t *redacted(const struct transcript *t, const char *text, size_t len)
{
    struct ks_buf out = KS_BUF(LINE_MOST);
    ks_redact(&t->redaction, (struct ks_slice){text, len}, &out);
    json_t *value = json_stringn(ks_buf_text(&out), out.len);
    ks_buf_free(&out);
    return value;
}

static enum ks_status submit(void *self, const struct ks_ask *ask, struct ks_err *err)
{
    struct transcript *t = self;
    struct open_ask *open = calloc(1, sizeof *open);
    KS_ASSERT(open != NULL);
    snprintf(open->id, sizeof open->id, "%s", ask->id);
    prompt_hash(ask, open->prompt);
    const struct line *line = find(t, ask->id, t->replay ? NULL : open->prompt);
    open->stored = line != NULL ? (size_t)(line - t->lines.at) + 1 : 0;
    if (t->replay && line != NULL && strcmp(line->prompt, open->prompt) != 0)
        ks_warn("%s was asked in other words than now; the recorded answer is taken", ask->id);
    if (!t->replay && line == NULL) {
        enum ks_status status = t->inner.submit(t->inner.self, ask, err);
        if (status != KS_OK) {
            free(open);
            return status;
        }
        open->question = json_pack("{s:s,s:s,s:s,s:s,s:s}", "id", ask->id, "prompt", open->prompt, "role",
                                   ask->role, "kernel", ask->kernel, "model", t->model);
        json_object_set_new(open->question, "system", redacted(t, ask->system, strlen(ask->system)));
        json_object_set_new(open->question, "user", redacted(t, ask->user, strlen(ask->user)));
    }
    struct open_ask **last = &t->first;
    while (*last != NULL)
        last = &(*last)->next;
    *last = open;
    return KS_OK;
}

static const char *const ends[] = {"answered", "too-long", "cut", "other", "garbage", "none"};

// The answer that a line of the file holds.
static void recall(struct transcript *t, const struct line *line, struct ks_answer *answer)
{
    char *text = malloc(line->len + 1);
    KS_ASSERT(text != NULL);
    ssize_t n = pread(t->fd, text, line->len, line->at);
    json_t *object = ks_json_parse((struct ks_slice){text, n < 0 ? 0 : (size_t)n}, NULL);
    free(text);
    const char *end = ks_json_str(object, "end", "");
    int which = KS_ANSWERED;
    while (which < KS_ANSWER_NONE && strcmp(end, ends[which]) != 0)
        which++;
    const json_t *value = json_object_get(object, "text");
    if (which == KS_ANSWERED && json_is_string(value)) {
        char *copy = malloc(json_string_length(value) + 1);
        KS_ASSERT(copy != NULL);
        memcpy(copy, json_string_value(value), json_string_length(value) + 1);
        ks_answer_text(answer, line->id, copy, json_string_length(value));
    } else if (which == KS_ANSWERED) {
        char *bytes = malloc(KS_ANSWER_MOST + 1);
        KS_ASSERT(bytes != NULL);
        size_t len = ks_unhex(ks_json_str(object, "hex", ""), bytes, KS_ANSWER_MOST);
        bytes[len] = '\0';
        ks_answer_text(answer, line->id, bytes, len);
    } else {
        ks_answer_fail(answer, line->id, (enum ks_answer_end)which, "%s", ks_json_str(object, "why", ""));
    }
    answer->tokens_in = ks_json_int(object, "tokens_in", -1);
    answer->tokens_out = ks_json_int(object, "tokens_out", -1);
    json_decref(object);
}

// Appends question and answer as one line, with one write(2).
static void keep(struct transcript *t, struct open_ask *open, const struct ks_answer *answer)
{
    json_t *o = open->question;
    json_object_set_new(o, "end", json_string(ends[answer->end]));
    if (answer->end != KS_ANSWERED) {
        json_object_set_new(o, "why", redacted(t, answer->why, strlen(answer->why)));
    } else if (ks_is_utf8((struct ks_slice){answer->text, answer->len})) {
        json_object_set_new(o, "text", redacted(t, answer->text, answer->len));
    } else {
        char *hex = malloc(2 * answer->len + 1);
        KS_ASSERT(hex != NULL);
        ks_hex(answer->text, answer->len, hex);
        json_object_set_new(o, "hex", json_string(hex));
        free(hex);
    }
    json_object_set_new(o, "tokens_in", json_integer(answer->tokens_in));
    json_object_set_new(o, "tokens_out", json_integer(answer->tokens_out));
    json_object_set_new(o, "calls", json_integer(answer->calls));
    json_object_set_new(o, "seconds", json_real(answer->seconds));
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(4));
    KS_ASSERT(text != NULL);
    size_t len = strlen(text);
    text[len] = '\n';
    if (!t->failed && write(t->fd, text, len + 1) != (ssize_t)(len + 1)) {
        ks_warn("%s: %s; answers from here on are not recorded", t->path, strerror(errno));
        t->failed = true;
    }
    free(text);
}

static void forget(struct transcript *t, struct open_ask *open)
{
    struct open_ask **at = &t->first;
    while (*at != open)
        at = &(*at)->next;
    *at = open->next;
    json_decref(open->question);
    free(open);
}

static bool poll_for(void *self, double seconds, struct ks_answer *answer)
{
    struct transcript *t = self;
    for (struct open_ask *open = t->first; open != NULL; open = open->next) {
        if (open->stored > 0)
            recall(t, &t->lines.at[open->stored - 1], answer);
        else if (t->replay)
            ks_answer_fail(answer, open->id, KS_ANSWER_NONE, "%s does not hold %s", t->path, open->id);
        else
            continue;
        forget(t, open);
        return true;
    }
    if (t->replay || !t->inner.poll(t->inner.self, seconds, answer))
        return false;
    for (struct open_ask *open = t->first; open != NULL; open = open->next)
        if (strcmp(open->id, answer->id) == 0) {
            if (answer->end != KS_ANSWER_NONE) // which a later run may get after all
                keep(t, open, answer);
            forget(t, open);
            break;
        }
    return true;
}

static void done(void *self, const char *id)
{
    struct transcript *t = self;
    t->inner.done(t->inner.self, id);
}

static bool fresh(void *self, const char *prefix)
{
    struct transcript *t = self;
    return t->inner.fresh(t->inner.self, prefix);
}

static void close_all(void *self)
{
    struct transcript *t = self;
    while (t->first != NULL)
        forget(t, t->first);
    if (t->inner.close != NULL)
        t->inner.close(t->inner.self);
    if (t->fd >= 0)
        close(t->fd);
    ks_arena_free(&t->arena);
    free(t);
}

static enum ks_status open_file(const char *path, bool replay, const struct ks_redaction *redaction,
                                struct ks_backend *backend, struct transcript **out, struct ks_err *err)
{
    int flags = replay ? O_RDONLY : O_RDWR | O_CREAT | O_APPEND;
    int fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd < 0)
        return ks_err_errno(err, "%s", path);
    struct transcript *t = calloc(1, sizeof *t);
    KS_ASSERT(t != NULL);
    t->fd = fd;
    t->replay = replay;
    t->path = ks_arena_strdup(&t->arena, path);
    snprintf(t->model, sizeof t->model, "replay");
    if (redaction != NULL) {
        for (size_t i = 0; i < redaction->secrets.len; i++)
            ks_strv_add(&t->arena, &t->redaction.secrets,
                        ks_arena_strdup(&t->arena, redaction->secrets.at[i]));
        t->redaction.home = redaction->home != NULL ? ks_arena_strdup(&t->arena, redaction->home) : NULL;
    }
    enum ks_status status = scan(t, err);
    if (status != KS_OK) {
        close_all(t);
        return status;
    }
    *backend = (struct ks_backend){.model = t->model, .self = t, .submit = submit, .poll = poll_for,
                                   .close = close_all};
    *out = t;
    return KS_OK;
}

enum ks_status ks_replay_open(const char *path, struct ks_backend *backend, struct ks_err *err)
{
    struct transcript *t;
    return open_file(path, true, NULL, backend, &t, err);
}

enum ks_status ks_record_open(const char *path, const struct ks_redaction *redaction,
                              struct ks_backend *inner, struct ks_backend *backend, struct ks_err *err)
{
    struct transcript *t;
    enum ks_status status = open_file(path, false, redaction, backend, &t, err);
    if (status != KS_OK)
        return status;
    t->inner = *inner;
    snprintf(t->model, sizeof t->model, "%s", inner->model);
    backend->patient = inner->patient;
    backend->done = inner->done != NULL ? done : NULL;
    backend->fresh = inner->fresh != NULL ? fresh : NULL;
    return KS_OK;
}
