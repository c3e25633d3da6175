#include "agent/transcript_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/answer_bytes.h"

static enum ks_status note_line(struct ks_arena *arena, const char *path, struct ks_slice text,
                                off_t at, struct ks_lines *lines, char model[128],
                                struct ks_err *err)
{
    struct ks_err local = {0};
    json_t *object = ks_json_parse(text, &local);
    const char *id = ks_json_str(object, "id", "");
    size_t number = lines->len + 1;
    if (object == NULL || id[0] == '\0' || strlen(id) >= KS_ASK_ID) {
        json_decref(object);
        return ks_err_set(err, KS_E_USER, "%s:%zu: no question and answer: %s", path, number,
                          object == NULL ? local.text : "it has no id");
    }
    struct ks_line *line = ks_vec_push(arena, lines);
    snprintf(line->id, sizeof line->id, "%s", id);
    snprintf(line->prompt, sizeof line->prompt, "%s", ks_json_str(object, "prompt", ""));
    snprintf(model, 128, "%s", ks_json_str(object, "model", "replay"));
    line->at = at;
    line->len = text.len;
    json_decref(object);
    return KS_OK;
}

enum ks_status ks_lines_scan(struct ks_arena *arena, int fd, const char *path, bool cut,
                             struct ks_lines *lines, char model[128], struct ks_err *err)
{
    struct ks_buf pending = KS_BUF(KS_LINE_MOST + (1 << 16));
    char chunk[1 << 16];
    off_t begin = 0;
    ssize_t n;
    enum ks_status status = KS_OK;
    while (status == KS_OK && (n = read(fd, chunk, sizeof chunk)) > 0) {
        ks_buf_add(&pending, chunk, (size_t)n);
        char *end;
        while (status == KS_OK && pending.len > 0 &&
               (end = memchr(pending.data, '\n', pending.len)) != NULL) {
            size_t len = (size_t)(end - pending.data);
            status = note_line(arena, path, (struct ks_slice){pending.data, len}, begin, lines,
                               model, err);
            begin += (off_t)len + 1;
            memmove(pending.data, end + 1, pending.len - len);
            pending.len -= len + 1;
        }
        if (status == KS_OK)
            status = ks_buf_check(&pending, "a line of the transcript", err);
    }
    if (status == KS_OK && pending.len > 0 && cut && ftruncate(fd, begin) != 0)
        status = ks_err_errno(err, "%s", path);
    ks_buf_free(&pending);
    return status;
}

json_t *ks_line_text(const struct ks_redaction *redaction, const char *text, size_t len)
{
    struct ks_buf out = KS_BUF(KS_LINE_MOST);
    ks_redact(redaction, (struct ks_slice){text, len}, &out);
    json_t *value = json_stringn(ks_buf_text(&out), out.len);
    ks_buf_free(&out);
    return value;
}

static const char *const ends[] = {"answered", "too-long", "cut", "other", "garbage", "none"};

static void take_text(struct ks_answer *answer, const char *id, const char *text, size_t len)
{
    char *copy = malloc(len + 1);
    KS_ASSERT(copy != NULL);
    memcpy(copy, text, len);
    copy[len] = '\0';
    ks_answer_text(answer, id, copy, len);
}

static void take_hex(struct ks_answer *answer, const char *id, const char *hex)
{
    char *bytes = malloc(KS_ANSWER_MOST + 1);
    KS_ASSERT(bytes != NULL);
    size_t len = ks_unhex(hex, bytes, KS_ANSWER_MOST);
    bytes[len] = '\0';
    ks_answer_text(answer, id, bytes, len);
}

void ks_line_answer(int fd, const struct ks_line *line, struct ks_answer *answer)
{
    char *text = malloc(line->len + 1);
    KS_ASSERT(text != NULL);
    ssize_t n = pread(fd, text, line->len, line->at);
    json_t *object = ks_json_parse((struct ks_slice){text, n < 0 ? 0 : (size_t)n}, NULL);
    free(text);
    const char *end = ks_json_str(object, "end", "");
    int which = KS_ANSWERED;
    while (which < KS_ANSWER_NONE && strcmp(end, ends[which]) != 0)
        which++;
    const json_t *value = json_object_get(object, "text");
    if (which == KS_ANSWERED && json_is_string(value))
        take_text(answer, line->id, json_string_value(value), json_string_length(value));
    else if (which == KS_ANSWERED)
        take_hex(answer, line->id, ks_json_str(object, "hex", ""));
    else
        ks_answer_fail(answer, line->id, (enum ks_answer_end)which, "%s",
                       ks_json_str(object, "why", ""));
    answer->tokens_in = ks_json_int(object, "tokens_in", -1);
    answer->tokens_out = ks_json_int(object, "tokens_out", -1);
    snprintf(answer->model, sizeof answer->model, "%s", ks_json_str(object, "model", ""));
    json_decref(object);
}

static void set_hex(json_t *o, const struct ks_answer *answer, const struct ks_redaction *redaction)
{
    struct ks_buf out = KS_BUF(KS_LINE_MOST);
    ks_redact(redaction, (struct ks_slice){answer->text, answer->len}, &out);
    char *hex = malloc(2 * out.len + 1);
    KS_ASSERT(hex != NULL);
    ks_hex(ks_buf_text(&out), out.len, hex);
    json_object_set_new(o, "hex", json_string(hex));
    free(hex);
    ks_buf_free(&out);
}

static void set_answer(json_t *o, const struct ks_answer *answer,
                       const struct ks_redaction *redaction)
{
    json_object_set_new(o, "end", json_string(ends[answer->end]));
    if (answer->end != KS_ANSWERED) {
        json_object_set_new(o, "why", ks_line_text(redaction, answer->why, strlen(answer->why)));
    } else if (ks_is_utf8((struct ks_slice){answer->text, answer->len})) {
        json_object_set_new(o, "text", ks_line_text(redaction, answer->text, answer->len));
    } else {
        set_hex(o, answer, redaction);
    }
    json_object_set_new(o, "tokens_in", json_integer(answer->tokens_in));
    json_object_set_new(o, "tokens_out", json_integer(answer->tokens_out));
    json_object_set_new(o, "calls", json_integer(answer->calls));
    json_object_set_new(o, "seconds", json_real(answer->seconds));
}

bool ks_line_append(int fd, json_t *question, const struct ks_answer *answer,
                    const struct ks_redaction *redaction)
{
    set_answer(question, answer, redaction);
    char *text = json_dumps(question, JSON_COMPACT | JSON_REAL_PRECISION(4));
    KS_ASSERT(text != NULL);
    size_t len = strlen(text);
    text[len] = '\n'; // in place of the terminator
    errno = 0;
    bool written = write(fd, text, len + 1) == (ssize_t)(len + 1);
    free(text);
    return written;
}
