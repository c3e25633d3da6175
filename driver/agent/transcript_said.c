// A transcript read as conversations.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/transcript.h"
#include "agent/transcript_lines.h"

struct ks_said {
    int fd;
    struct ks_lines lines;
};

enum ks_status ks_said_open(struct ks_arena *arena, const char *path, struct ks_said **out,
                            struct ks_err *err)
{
    struct ks_said *said = KS_NEW(arena, struct ks_said);
    char model[128] = "";
    said->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (said->fd < 0)
        return ks_err_errno(err, "%s", path);
    enum ks_status status = ks_lines_scan(arena, said->fd, path, false, &said->lines, model, err);
    if (status != KS_OK)
        ks_said_close(said);
    else
        *out = said;
    return status;
}

void ks_said_close(struct ks_said *said)
{
    if (said != NULL)
        close(said->fd);
}

static void add(json_t *messages, const char *role, const json_t *content)
{
    json_array_append_new(
        messages, json_pack("{s:s,s:s}", "role", role, "content", json_string_value(content)));
}

json_t *ks_said_messages(const struct ks_said *said, const char *id)
{
    json_t *messages = json_array();
    const struct ks_line *line = NULL;
    for (size_t i = 0; i < said->lines.len; i++)
        if (strcmp(said->lines.at[i].id, id) == 0)
            line = &said->lines.at[i];
    char *text = line != NULL ? malloc(line->len + 1) : NULL;
    if (text == NULL)
        return messages;
    ssize_t n = pread(said->fd, text, line->len, line->at);
    json_t *object = ks_json_parse((struct ks_slice){text, n < 0 ? 0 : (size_t)n}, NULL);
    const json_t *answer = json_object_get(object, "text"), *user = json_object_get(object, "user");
    if (json_is_string(answer) && json_is_string(user)) {
        add(messages, "system", json_object_get(object, "system"));
        add(messages, "user", user);
        add(messages, "assistant", answer);
    }
    json_decref(object);
    free(text);
    return messages;
}
