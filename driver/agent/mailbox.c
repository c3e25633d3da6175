// A folder between machines: questions/ID.json and ID.md for people, answers/ID.json, ID.md or ID.txt, done/ID.
// Everything is published by rename, so that half a file is never read.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/wire_form.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"

#define LOOK_SECONDS 0.5 // between looks at the folder

struct letter {
    struct letter *next;
    char id[KS_ASK_ID];
    struct ks_spend *spend;
    struct ks_hold hold;
    bool held;           // written now; those of earlier runs were paid for by them
    char refused[128];   // not written: what the budget says
};
struct mailbox {
    char *dir;
    struct letter *first;
};

static char *path_of(struct ks_arena *arena, const struct mailbox *box, const char *kind, const char *id,
                     const char *suffix)
{
    return ks_arena_printf(arena, "%s/%s/%s%s", box->dir, kind, id, suffix);
}

// The question as JSON for programs, and as text for people.
static enum ks_status write_letter(struct mailbox *box, struct ks_arena *arena, const struct ks_ask *ask,
                                   struct ks_err *err)
{
    size_t len;
    char *json = ks_question_text(ask, &len);
    if (json == NULL)
        KS_FAIL(err, KS_E_INTERNAL, "the question %s is not UTF-8", ask->id);
    const char *page = ks_arena_printf(arena, "%s\n%s", ask->system, ask->user);
    enum ks_status status = ks_file_write(path_of(arena, box, "questions", ask->id, ".md"), page,
                                          strlen(page), true, 0, err);
    if (status == KS_OK)
        status = ks_file_write(path_of(arena, box, "questions", ask->id, ".json"), json, len, true, 0, err);
    free(json);
    return status;
}

static enum ks_status submit(void *self, const struct ks_ask *ask, struct ks_err *err)
{
    struct mailbox *box = self;
    struct ks_arena arena = {0};
    struct letter *letter = calloc(1, sizeof *letter);
    KS_ASSERT(letter != NULL);
    snprintf(letter->id, sizeof letter->id, "%s", ask->id);
    letter->spend = ask->spend;
    enum ks_status status = KS_OK;
    if (!ks_file_exists(path_of(&arena, box, "questions", ask->id, ".json"))) {
        letter->held = ks_spend_hold(ask->spend, ask->price, strlen(ask->system) + strlen(ask->user),
                                     ask->max_tokens, &letter->hold, letter->refused);
        if (letter->held)
            status = write_letter(box, &arena, ask, err);
    }
    ks_arena_free(&arena);
    if (status != KS_OK) {
        free(letter);
        return status;
    }
    letter->next = box->first;
    box->first = letter;
    return KS_OK;
}

// The answer to a letter, if there is one.
static bool look(struct mailbox *box, struct letter *letter, struct ks_answer *answer)
{
    static const char *const suffixes[] = {".json", ".md", ".txt"};
    struct ks_arena arena = {0};
    struct ks_slice text;
    bool found = false;
    if (letter->refused[0] != '\0') {
        ks_answer_fail(answer, letter->id, KS_ANSWER_NONE, "%s", letter->refused);
        return true;
    }
    for (int i = 0; i < 3 && !found; i++) {
        struct ks_err err = {0};
        const char *path = path_of(&arena, box, "answers", letter->id, suffixes[i]);
        enum ks_status status = ks_file_read(&arena, path, KS_REPLY_MOST, &text, &err);
        found = status != KS_E_ABSENT;
        if (status == KS_E_LIMIT || (status == KS_OK && i > 0 && text.len > KS_ANSWER_MOST)) {
            ks_answer_fail(answer, letter->id, KS_ANSWER_TOO_LONG, "%s", ks_path_base(path));
        } else if (status == KS_OK && i == 0) {
            ks_reply_read(letter->id, text, answer);
        } else if (status == KS_OK) {
            char *copy = malloc(text.len + 1);
            KS_ASSERT(copy != NULL);
            memcpy(copy, text.at, text.len);
            copy[text.len] = '\0';
            ks_answer_text(answer, letter->id, copy, text.len);
        } else if (found) {
            ks_answer_fail(answer, letter->id, KS_ANSWER_NONE, "%s", err.text);
        }
    }
    ks_arena_free(&arena);
    if (found && letter->held)
        ks_spend_settle(letter->spend, &letter->hold, answer->tokens_in, answer->tokens_out);
    return found;
}

static bool look_all(struct mailbox *box, struct ks_answer *answer)
{
    for (struct letter **at = &box->first; *at != NULL; at = &(*at)->next) {
        struct letter *letter = *at;
        if (!look(box, letter, answer))
            continue;
        *at = letter->next;
        free(letter);
        return true;
    }
    return false;
}

static bool poll_for(void *self, double seconds, struct ks_answer *answer)
{
    struct mailbox *box = self;
    double until = ks_now() + seconds;
    while (!look_all(box, answer)) {
        double left = until - ks_now();
        if (left <= 0 || box->first == NULL || ks_stop_requested())
            return false;
        ks_sleep(left < LOOK_SECONDS ? left : LOOK_SECONDS);
    }
    return true;
}

static void done(void *self, const char *id)
{
    struct ks_arena arena = {0};
    ks_file_write(path_of(&arena, self, "done", id, ""), "", 0, false, 0, NULL); // at worst it is judged again
    ks_arena_free(&arena);
}

static bool fresh(void *self, const char *prefix)
{
    const struct mailbox *box = self;
    struct ks_arena arena = {0};
    struct ks_strv names = {0};
    bool found = false;
    ks_dir_list(&arena, ks_path_join(&arena, box->dir, "answers"), &names, NULL);
    for (size_t i = 0; i < names.len && !found; i++) {
        const char *id = ks_arena_strndup(&arena, names.at[i], strcspn(names.at[i], "."));
        found = strncmp(id, prefix, 12) == 0 && id[0] != '\0' &&
                !ks_file_exists(path_of(&arena, box, "done", id, ""));
    }
    ks_arena_free(&arena);
    return found;
}

static void close_all(void *self)
{
    struct mailbox *box = self;
    while (box->first != NULL) {
        struct letter *next = box->first->next;
        free(box->first);
        box->first = next;
    }
    free(box->dir);
    free(box);
}

enum ks_status ks_mailbox_open(const char *dir, struct ks_backend *backend, struct ks_err *err)
{
    static const char *const kinds[] = {"questions", "answers", "done"};
    struct ks_arena arena = {0};
    if (dir[0] == '\0')
        KS_FAIL(err, KS_E_USER, "agent: mailbox: names no folder");
    char *absolute = ks_path_absolute(&arena, dir);
    enum ks_status status = KS_OK;
    for (int i = 0; i < 3 && status == KS_OK; i++)
        status = ks_dir_make(ks_path_join(&arena, absolute, kinds[i]), err);
    if (status == KS_OK) {
        struct mailbox *box = calloc(1, sizeof *box);
        KS_ASSERT(box != NULL && (box->dir = strdup(absolute)) != NULL);
        *backend = (struct ks_backend){.model = "mailbox", .self = box, .patient = true, .submit = submit,
                                       .poll = poll_for, .done = done, .fresh = fresh, .close = close_all};
    }
    ks_arena_free(&arena);
    return status;
}
