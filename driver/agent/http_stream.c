// Server-sent events of both protocols, and answers of servers that do not stream.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/http.h"
#include "fmt/json.h"

#define LINE_MOST ((size_t)2 << 20)
#define BYTES_MOST ((size_t)64 << 20) // of one answer: each word comes in an envelope of a few hundred bytes

void ks_stream_begin(struct ks_stream *s, bool anthropic)
{
    *s = (struct ks_stream){.anthropic = anthropic, .tokens_in = -1, .tokens_out = -1};
    s->line = KS_BUF(LINE_MOST);
    s->text = KS_BUF(KS_ANSWER_MOST);
}

void ks_stream_free(struct ks_stream *s)
{
    ks_buf_free(&s->line);
    ks_buf_free(&s->text);
}

static void add_text(struct ks_stream *s, const json_t *text)
{
    if (json_is_string(text))
        ks_buf_add(&s->text, json_string_value(text), json_string_length(text));
    s->too_long |= s->text.failed;
}

static void set_usage(struct ks_stream *s, const json_t *usage)
{
    s->tokens_in = ks_json_int(usage, s->anthropic ? "input_tokens" : "prompt_tokens", s->tokens_in);
    s->tokens_out = ks_json_int(usage, s->anthropic ? "output_tokens" : "completion_tokens", s->tokens_out);
}

static void set_reason(struct ks_stream *s, const char *reason)
{
    s->cut |= strcmp(reason, "length") == 0 || strcmp(reason, "max_tokens") == 0;
    if (reason[0] != '\0' && !s->anthropic)
        s->ended = true; // some servers send no [DONE]
}

static void set_error(struct ks_stream *s, const json_t *object)
{
    const json_t *error = json_object_get(object, "error");
    const struct ks_redaction none = {0};
    struct ks_buf said = KS_BUF(2 * LINE_MOST);
    s->refused = true;
    ks_redact(s->redaction != NULL ? s->redaction : &none,
              ks_slice_of(ks_json_str(error, "message", "the server reports an error")), &said);
    snprintf(s->why, sizeof s->why, "%s", ks_buf_text(&said));
    ks_buf_free(&said);
}

static void take_openai(struct ks_stream *s, const json_t *object)
{
    const json_t *choice = json_array_get(json_object_get(object, "choices"), 0);
    const json_t *delta = json_object_get(choice, s->whole ? "message" : "delta");
    add_text(s, json_object_get(delta, "content"));
    set_usage(s, json_object_get(object, "usage"));
    set_reason(s, ks_json_str(choice, "finish_reason", ""));
}

static void take_anthropic(struct ks_stream *s, const json_t *object)
{
    const char *type = ks_json_str(object, "type", "");
    if (strcmp(type, "message_start") == 0)
        set_usage(s, json_object_get(json_object_get(object, "message"), "usage"));
    else if (strcmp(type, "content_block_delta") == 0)
        add_text(s, json_object_get(json_object_get(object, "delta"), "text"));
    else if (strcmp(type, "message_delta") == 0) {
        set_usage(s, json_object_get(object, "usage"));
        set_reason(s, ks_json_str(json_object_get(object, "delta"), "stop_reason", ""));
    } else if (strcmp(type, "message_stop") == 0) {
        s->ended = true;
    } else if (strcmp(type, "message") == 0) { // not streamed
        const json_t *content = json_object_get(object, "content");
        for (size_t i = 0; i < json_array_size(content); i++)
            add_text(s, json_object_get(json_array_get(content, i), "text"));
        set_usage(s, json_object_get(object, "usage"));
        set_reason(s, ks_json_str(object, "stop_reason", ""));
        s->ended = true;
    }
}

static void take_object(struct ks_stream *s, struct ks_slice text)
{
    json_t *object = ks_json_parse(text, NULL);
    if (object == NULL)
        s->garbage = true;
    else if (json_object_get(object, "error") != NULL && !json_is_null(json_object_get(object, "error")))
        set_error(s, object);
    else if (s->anthropic)
        take_anthropic(s, object);
    else
        take_openai(s, object);
    json_decref(object);
}

static void take_line(struct ks_stream *s, struct ks_slice line)
{
    if (line.len > 0 && line.at[line.len - 1] == '\r')
        line.len--;
    if (line.len < 5 || memcmp(line.at, "data:", 5) != 0)
        return; // event names, comments, blank lines
    line.at += 5;
    line.len -= 5;
    line = ks_slice_trim(line);
    if (ks_slice_eq(line, "[DONE]"))
        s->ended = true;
    else if (line.len > 0)
        take_object(s, line);
}

bool ks_stream_take(struct ks_stream *s, const char *bytes, size_t n)
{
    if (s->bytes == 0 && n > 0)
        s->whole = bytes[0] == '{';
    s->bytes += n;
    for (const char *at = bytes, *end = bytes + n; at < end && !s->whole;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        ks_buf_add(&s->line, at, (size_t)((newline != NULL ? newline : end) - at));
        if (newline == NULL)
            break;
        take_line(s, (struct ks_slice){ks_buf_text(&s->line), s->line.len});
        ks_buf_clear(&s->line);
        at = newline + 1;
    }
    if (s->whole)
        ks_buf_add(&s->line, bytes, n);
    s->too_long |= s->line.failed || s->bytes > BYTES_MOST;
    return !s->too_long && !s->garbage && !s->refused;
}

void ks_stream_end(struct ks_stream *s)
{
    if (s->whole && s->line.len > 0) {
        take_object(s, (struct ks_slice){s->line.data, s->line.len});
        ks_buf_clear(&s->line);
    }
}

static json_t *message(const char *role, const char *text)
{
    return json_pack("{s:s,s:s}", "role", role, "content", text);
}

char *ks_http_body(const struct ks_ask *ask, const char *model, bool anthropic)
{
    json_t *object = json_pack("{s:s,s:i,s:f,s:b}", "model", model, "max_tokens", ask->max_tokens, "temperature",
                               ask->temperature, "stream", 1);
    json_t *system = message("system", ask->system), *user = message("user", ask->user);
    json_t *messages = json_array();
    char *text = NULL;
    if (object != NULL && system != NULL && user != NULL) {
        if (anthropic)
            json_object_set(object, "system", json_object_get(system, "content"));
        else
            json_array_append(messages, system);
        json_array_append(messages, user);
        json_object_set(object, "messages", messages);
        if (!anthropic)
            json_object_set_new(object, "stream_options", json_pack("{s:b}", "include_usage", 1));
        text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6));
    }
    json_decref(messages);
    json_decref(system);
    json_decref(user);
    json_decref(object);
    return text;
}
