#include "agent/wire_form.h"

#include <stdlib.h>
#include <string.h>

#include "agent/answer_bytes.h"
#include "fmt/json.h"

char *ks_question_text(const struct ks_ask *ask, size_t *len)
{
    json_t *object = json_pack("{s:s,s:s,s:s,s:s,s:s,s:i,s:f}", "id", ask->id, "role", ask->role, "kernel",
                               ask->kernel, "system", ask->system, "user", ask->user, "max_tokens",
                               ask->max_tokens, "temperature", ask->temperature);
    char *text = object != NULL ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    json_decref(object);
    if (len != NULL)
        *len = text != NULL ? strlen(text) : 0;
    return text;
}

enum ks_status ks_question_read(struct ks_arena *arena, struct ks_slice line, struct ks_ask *ask,
                                struct ks_err *err)
{
    json_t *object = ks_json_parse(line, err);
    if (object == NULL)
        return KS_E_FORMAT;
    const char *id = ks_json_str(object, "id", "");
    int64_t max_tokens = ks_json_int(object, "max_tokens", 4096);
    double temperature = ks_json_num(object, "temperature", 0);
    bool named = id[0] != '\0' && strlen(id) < KS_ASK_ID;
    bool sane = max_tokens >= 1 && max_tokens <= 1000000 && temperature >= 0 && temperature <= 2; // budgets go by it
    *ask = (struct ks_ask){.id = ks_arena_strdup(arena, id),
                           .role = ks_arena_strdup(arena, ks_json_str(object, "role", "")),
                           .kernel = ks_arena_strdup(arena, ks_json_str(object, "kernel", "")),
                           .system = ks_arena_strdup(arena, ks_json_str(object, "system", "")),
                           .user = ks_arena_strdup(arena, ks_json_str(object, "user", "")),
                           .max_tokens = (int)max_tokens,
                           .temperature = temperature};
    json_decref(object);
    return named && sane && ask->user[0] != '\0' ? KS_OK : ks_err_set(err, KS_E_FORMAT, "no question");
}

static json_t *usage_of(const struct ks_answer *answer)
{
    json_t *usage = json_object();
    if (answer->tokens_in >= 0)
        json_object_set_new(usage, "input_tokens", json_integer(answer->tokens_in));
    if (answer->tokens_out >= 0)
        json_object_set_new(usage, "output_tokens", json_integer(answer->tokens_out));
    return usage;
}

char *ks_reply_text(const struct ks_answer *answer)
{
    json_t *object = json_pack("{s:s}", "id", answer->id);
    if (answer->end == KS_ANSWERED && ks_is_utf8((struct ks_slice){answer->text, answer->len}))
        json_object_set_new(object, "text", json_stringn(answer->text, answer->len));
    else if (answer->end == KS_ANSWERED)
        json_object_set_new(object, "problem", json_string("the answer was no UTF-8"));
    else
        json_object_set_new(object, "problem", json_string(answer->why));
    if (answer->end == KS_ANSWER_CUT)
        json_object_set_new(object, "cut", json_true());
    json_object_set_new(object, "usage", usage_of(answer));
    char *text = json_dumps(object, JSON_COMPACT);
    KS_ASSERT(text != NULL);
    json_decref(object);
    return text;
}

static void read_usage(const json_t *object, struct ks_answer *answer)
{
    const json_t *usage = json_object_get(object, "usage");
    answer->tokens_in = ks_json_int(usage, "input_tokens", -1);
    answer->tokens_out = ks_json_int(usage, "output_tokens", -1);
}

void ks_reply_read(const char *of, struct ks_slice reply, struct ks_answer *answer)
{
    struct ks_err err = {0};
    json_t *object = ks_json_parse(reply, &err);
    const char *id = ks_json_str(object, "id", "");
    const json_t *text = json_object_get(object, "text");
    if (object == NULL) {
        ks_answer_fail(answer, of, KS_ANSWER_GARBAGE, "%s", err.text);
    } else if (strcmp(id, of) != 0) {
        ks_answer_fail(answer, of, KS_ANSWER_OTHER, "the answer is to `%.60s`", id);
    } else if (ks_json_bool(object, "cut", false)) {
        ks_answer_fail(answer, of, KS_ANSWER_CUT, "it came to its limit of tokens");
    } else if (!json_is_string(text)) {
        ks_answer_fail(answer, of, KS_ANSWER_GARBAGE, "%.200s",
                       ks_json_str(object, "problem", "the reply has no `text`"));
    } else if (json_string_length(text) > KS_ANSWER_MOST) {
        ks_answer_fail(answer, of, KS_ANSWER_TOO_LONG, "%zu bytes", json_string_length(text));
    } else {
        char *copy = malloc(json_string_length(text) + 1);
        KS_ASSERT(copy != NULL);
        memcpy(copy, json_string_value(text), json_string_length(text) + 1);
        ks_answer_text(answer, of, copy, json_string_length(text));
    }
    read_usage(object, answer);
    json_decref(object);
}
