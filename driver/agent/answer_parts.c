// A source in parts, so that an answer need not repeat all of it. A part ends where a blank line would
// stand: behind each definition, and behind every eight lines of a body where brackets allow it.
#include <stdio.h>
#include <string.h>

#include "agent/reading.h"

#define SOURCE_MOST ((size_t)1 << 20)
#define PART_LINES 8

// End of the part that begins at `at`.
static const char *part_end(const char *at)
{
    int lines = 0;
    while (*at != '\0') {
        size_t n = strcspn(at, "\n");
        bool closes = n > 0 && at[0] == '}';
        at += n + (at[n] == '\n');
        if (closes || ++lines >= PART_LINES)
            break;
    }
    return at;
}

const char *ks_parts_print(struct ks_arena *arena, const char *source)
{
    struct ks_buf out = KS_BUF(SOURCE_MOST);
    int number = 1;
    for (const char *at = source; *at != '\0';) {
        const char *end = part_end(at);
        ks_buf_printf(&out, "//@ part %d\n%.*s", number++, (int)(end - at), at);
        at = end;
    }
    const char *text = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

// The text that the edits give a part; NULL: none does.
static const char *edited(const struct ks_yaml *edits, int number)
{
    for (size_t i = 0; i < edits->len; i++) {
        int64_t part;
        if (ks_parse_i64(ks_yaml_text(&edits->items[i], "part", ""), &part) && part == number)
            return ks_yaml_text(&edits->items[i], "text", "");
    }
    return NULL;
}

static bool edits_fit(const struct ks_yaml *edits, int parts, char why[400])
{
    if (edits->kind != KS_YAML_LIST || edits->len == 0) {
        snprintf(why, 400, "`edits` is a list of {part, text}");
        return false;
    }
    for (size_t i = 0; i < edits->len; i++) {
        const struct ks_yaml *edit = &edits->items[i];
        int64_t part = 0;
        bool known = edit->kind == KS_YAML_MAP && edit->len == 2 && ks_yaml_get(edit, "text") != NULL &&
                     ks_parse_i64(ks_yaml_text(edit, "part", ""), &part);
        if (!known || part < 1 || part > parts) {
            snprintf(why, 400, "edit %zu: give `part`, 1 to %d, and its new `text`", i + 1, parts);
            return false;
        }
        for (size_t k = 0; k < i; k++)
            if (strcmp(ks_yaml_text(&edits->items[k], "part", ""), ks_yaml_text(edit, "part", "")) == 0) {
                snprintf(why, 400, "part %lld is edited twice", (long long)part);
                return false;
            }
    }
    return true;
}

bool ks_parts_edit(struct ks_arena *arena, const char *source, const struct ks_yaml *edits,
                   const char **out, char why[400])
{
    int parts = 0;
    for (const char *at = source; *at != '\0'; at = part_end(at))
        parts++;
    if (!edits_fit(edits, parts, why))
        return false;
    struct ks_buf text = KS_BUF(SOURCE_MOST);
    int number = 1;
    for (const char *at = source; *at != '\0'; number++) {
        const char *end = part_end(at), *with = edited(edits, number);
        if (with == NULL)
            ks_buf_add(&text, at, (size_t)(end - at));
        else
            ks_buf_printf(&text, "%s%s", with,
                          with[0] == '\0' || with[strlen(with) - 1] == '\n' ? "" : "\n");
        at = end;
    }
    *out = ks_arena_strdup(arena, ks_buf_text(&text));
    bool fits = !text.failed;
    ks_buf_free(&text);
    if (!fits)
        snprintf(why, 400, "the edited source is too long");
    return fits;
}
