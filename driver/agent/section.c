#include "agent/section.h"

#include <stdio.h>
#include <string.h>

#include "agent/answer_bytes.h"
#include "agent/redact.h"
#include "agent/screen.h"
#include "base/log.h"
#include "fmt/hash.h"
#include "os/file.h"

#define FILE_MOST ((size_t)1 << 16)
#define LATEST 12 // that are told in words

struct ks_prompt_section *ks_section_find(const struct ks_prompt *prompt, const char *name)
{
    for (size_t i = 0; i < prompt->n_sections; i++)
        if (strcmp(prompt->sections[i].name, name) == 0)
            return &prompt->sections[i];
    return NULL;
}

static const char *path_of(struct ks_arena *arena, const char *state_dir, const char *role,
                           const char *section)
{
    return ks_arena_printf(arena, "%s/prompts/%s.%s.yaml", state_dir, role, section);
}

static void hash_of(const char *text, char hex[KS_HASH_TEXT])
{
    struct ks_digest digest = ks_digest_of("section", text, strlen(text));
    ks_digest_hex(&digest, hex);
}

enum ks_status ks_sections_own(struct ks_arena *arena, const char *state_dir,
                               struct ks_prompt *prompt, struct ks_err *err)
{
    static const char *const known[] = {"role",  "section", "base",     "text",
                                        "model", "since",   "evidence", NULL};
    for (size_t i = 0; state_dir != NULL && i < prompt->n_sections; i++) {
        struct ks_prompt_section *s = &prompt->sections[i];
        const char *path = path_of(arena, state_dir, prompt->role, s->name);
        struct ks_slice text;
        struct ks_yaml *root;
        char hex[KS_HASH_TEXT];
        enum ks_status status = ks_file_read(arena, path, FILE_MOST, &text, err);
        if (status == KS_E_ABSENT)
            continue;
        KS_TRY(status);
        KS_TRY(ks_yaml_parse(arena, path, text, &root, err));
        KS_TRY(ks_yaml_known(path, root, known, err));
        const char *own = ks_yaml_text(root, "text", NULL);
        if (own == NULL)
            KS_FAIL(err, KS_E_USER, "%s:%d: there is no `text`", path, root->line);
        hash_of(s->installed, hex);
        if (strcmp(ks_yaml_text(root, "base", ""), hex) == 0)
            s->text = own;
        else
            ks_info("%s: shown against another text than is installed now: left out", path);
    }
    return KS_OK;
}

enum ks_status ks_section_write(struct ks_arena *arena, const char *state_dir,
                                const struct ks_section_text *t, const char *base,
                                struct ks_err *err)
{
    struct ks_buf out = KS_BUF(FILE_MOST);
    struct ks_yaml_writer w = {.out = &out};
    char hex[KS_HASH_TEXT];
    const char *path = path_of(arena, state_dir, t->role, t->section);
    hash_of(base, hex);
    const char *const fields[][2] = {
        {"role", t->role},        {"section", t->section}, {"base", hex},
        {"text", t->text},        {"model", t->model},     {"since", t->since},
        {"evidence", t->evidence}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i][1] != NULL)
            ks_yaml_put(&w, fields[i][0], fields[i][1]);
    enum ks_status status = ks_dir_make(ks_path_dir(arena, path), err);
    if (status == KS_OK)
        status = ks_file_write(path, ks_buf_text(&out), out.len, true, 0600, err);
    ks_buf_free(&out);
    return status;
}

struct tally {
    int all, right, faster;
    struct ks_strv latest;
};

static void count(struct ks_arena *arena, const struct ks_attempt *a, const char *role,
                  struct tally *tally)
{
    const char *dash = ks_starts_with(a->params, "question ") ? strchr(a->params, '-') : NULL;
    size_t n = strlen(role);
    if (dash == NULL || strncmp(dash + 1, role, n) != 0 || dash[1 + n] != '-')
        return;
    bool right = strcmp(a->correctness, "CORRECT") == 0;
    const struct ks_redaction none = {0};
    struct ks_buf reason = KS_BUF(4096);
    ks_redact_message(&none, ks_slice_of(a->reason), &reason);
    tally->all++;
    tally->right += right;
    tally->faster += right && a->ratio > 1;
    const char *word =
        right && a->ratio > 0
            ? ks_arena_printf(arena, "right, %.2f times as fast", a->ratio)
            : ks_arena_printf(arena, "%s: %.200s", a->correctness, ks_buf_text(&reason));
    ks_strv_add(arena, &tally->latest, word);
    ks_buf_free(&reason);
}

const char *ks_section_record(struct ks_arena *arena, struct ks_outcomes *outcomes,
                              const char *role)
{
    struct ks_strv keys = {0};
    struct tally tally = {0};
    if (outcomes == NULL || ks_outcomes_keys(arena, outcomes, &keys, NULL) != KS_OK)
        return "nothing is known";
    for (size_t k = 0; k < keys.len; k++) {
        struct ks_attempt *attempts;
        size_t n;
        if (ks_outcomes_for_key(arena, outcomes, keys.at[k], &attempts, &n, NULL) != KS_OK)
            continue;
        for (size_t i = 0; i < n; i++)
            count(arena, &attempts[i], role, &tally);
    }
    struct ks_buf out = KS_BUF(1 << 16);
    ks_buf_printf(&out, "%d proposals, %d right, %d faster than the original\n", tally.all,
                  tally.right, tally.faster);
    for (size_t i = tally.latest.len > LATEST ? tally.latest.len - LATEST : 0; i < tally.latest.len;
         i++)
        ks_buf_printf(&out, "- %s\n", tally.latest.at[i]);
    const char *text = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

const char *ks_section_fault(struct ks_arena *arena, const char *text, const char *instead_of)
{
    struct ks_slice trimmed = ks_slice_trim(ks_slice_of(text));
    if (trimmed.len == 0)
        return "it is empty";
    if (strlen(text) > KS_SECTION_MOST)
        return ks_arena_printf(arena, "it is longer than %d bytes", KS_SECTION_MOST);
    if (strchr(text, '@') != NULL || strstr(text, "```") != NULL)
        return "it would change what is put in around it";
    if (strcmp(ks_arena_strndup(arena, trimmed.at, trimmed.len),
               ks_arena_strndup(arena, ks_slice_trim(ks_slice_of(instead_of)).at,
                                ks_slice_trim(ks_slice_of(instead_of)).len)) == 0)
        return "it says what was said before";
    return ks_screen_advice(arena, text);
}

void ks_section_judge(struct ks_arena *arena, const struct ks_trial *trials, size_t n, bool *keep,
                      const char **reason)
{
    size_t different = 0;
    int with = 0, without = 0, right_with = 0, right_without = 0;
    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= strcmp(trials[k].key, trials[i].key) == 0;
        different += !seen;
        with += trials[i].with_ratio > 1;
        without += trials[i].without_ratio > 1;
        right_with += trials[i].with_correct;
        right_without += trials[i].without_correct;
    }
    *keep =
        different >= KS_TRIAL_KERNELS && with > 0 && with >= without && right_with >= right_without;
    *reason = different < KS_TRIAL_KERNELS
                  ? ks_arena_printf(arena, "shown on %zu kernels, and %d different ones are needed",
                                    different, KS_TRIAL_KERNELS)
                  : ks_arena_printf(arena,
                                    "%d of %zu kernels won with it, %d without; %d proposals right "
                                    "with it, %d without",
                                    with, n, without, right_with, right_without);
}
