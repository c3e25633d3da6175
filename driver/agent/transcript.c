#include "agent/transcript.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/transcript_lines.h"
#include "base/log.h"

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
    struct ks_lines lines;
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

static const struct ks_line *find(const struct transcript *t, const char *id, const char *prompt)
{
    const struct ks_line *found = NULL;
    ks_vec_each(const struct ks_line, line, &t->lines)
        if (strcmp(line->id, id) == 0 && (prompt == NULL || strcmp(line->prompt, prompt) == 0))
            found = line;
    return found;
}

static enum ks_status submit(void *self, const struct ks_ask *ask, struct ks_err *err)
{
    struct transcript *t = self;
    struct open_ask *open = calloc(1, sizeof *open);
    KS_ASSERT(open != NULL);
    snprintf(open->id, sizeof open->id, "%s", ask->id);
    prompt_hash(ask, open->prompt);
    const struct ks_line *line = find(t, ask->id, t->replay ? NULL : open->prompt);
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
                                   ask->role, "kernel", ask->kernel, "model", ask->model != NULL ? ask->model : t->model);
        json_object_set_new(open->question, "system", ks_line_text(&t->redaction, ask->system, strlen(ask->system)));
        json_object_set_new(open->question, "user", ks_line_text(&t->redaction, ask->user, strlen(ask->user)));
    }
    struct open_ask **last = &t->first;
    while (*last != NULL)
        last = &(*last)->next;
    *last = open;
    return KS_OK;
}

static void keep(struct transcript *t, struct open_ask *open, const struct ks_answer *answer)
{
    if (t->failed || ks_line_append(t->fd, open->question, answer, &t->redaction))
        return;
    ks_warn("%s: %s; answers from here on are not recorded", t->path, strerror(errno));
    t->failed = true;
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
            ks_line_answer(t->fd, &t->lines.at[open->stored - 1], answer);
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
    if (!replay)
        fchmod(fd, 0600); // one that was there already, too; what is another's is left as it is
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
    enum ks_status status = ks_lines_scan(&t->arena, fd, t->path, !replay, &t->lines, t->model, err);
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
