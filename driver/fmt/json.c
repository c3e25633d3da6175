#include "fmt/json.h"

#include <stdlib.h>
#include <string.h>

json_t *ks_json_report(const char *schema)
{
    json_t *report = json_object();
    KS_ASSERT(report != NULL);
    KS_ASSERT(json_object_set_new(report, "schema", json_string(schema)) == 0);
    return report;
}

void ks_json_print(json_t *value)
{
    // 12 digits: enough for every figure we report, and 0.1 stays 0.1.
    json_dumpf(value, stdout, JSON_INDENT(2) | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
    fputc('\n', stdout);
    json_decref(value);
}

json_t *ks_json_parse(struct ks_slice line, struct ks_err *err)
{
    json_error_t error;
    json_t *value =
        json_loadb(line.at != NULL ? line.at : "", line.len, JSON_REJECT_DUPLICATES, &error);
    if (value == NULL)
        ks_err_set(err, KS_E_FORMAT, "not JSON: %s at column %d of '%.*s%s'", error.text,
                   error.column, (int)(line.len < 80 ? line.len : 80),
                   line.at != NULL ? line.at : "", line.len > 80 ? "..." : "");
    return value;
}

char *ks_json_text(struct ks_arena *arena, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    KS_ASSERT(text != NULL);
    char *copy = ks_arena_strdup(arena, text);
    free(text);
    return copy;
}

const char *ks_json_str(const json_t *object, const char *key, const char *fallback)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : fallback;
}

int64_t ks_json_int(const json_t *object, const char *key, int64_t fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : fallback;
}

double ks_json_num(const json_t *object, const char *key, double fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : fallback;
}

bool ks_json_bool(const json_t *object, const char *key, bool fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_boolean(value) ? json_is_true(value) : fallback;
}
