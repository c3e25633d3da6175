// Which keys are trusted, for what, and where that is said.
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cfg/owner.h"
#include "cfg/trust.h"
#include "fmt/yaml_edit.h"
#include "os/file.h"

#define MAX_KEY_FILE ((size_t)1 << 20)
#define TRUSTED_KEYS "trusted.keys"

typedef KS_VEC(struct ks_trusted) trusted_list;

// The next line of a key file, trimmed, and the key in it. False at the end.
static bool next_key(struct ks_slice *text, struct ks_slice *line, struct ks_pubkey *key,
                     enum ks_status *status, struct ks_err *err)
{
    if (text->len == 0)
        return false;
    const char *stop = memchr(text->at, '\n', text->len);
    size_t n = stop == NULL ? text->len : (size_t)(stop - text->at) + 1;
    struct ks_arena arena = {0};
    *line = (struct ks_slice){text->at, n};
    struct ks_slice word = ks_slice_trim(*line);
    const char *said = ks_arena_strndup(&arena, word.at, word.len);
    *status = KS_E_ABSENT; // minisign's comment lines, and ours
    if (word.len > 0 && said[0] != '#' && !ks_starts_with(said, "untrusted comment:"))
        *status = ks_pubkey_parse(said, key, err);
    ks_arena_free(&arena);
    *text = (struct ks_slice){text->at + n, text->len - n};
    return true;
}

// Keys of a file, one a line, minisign's comment lines and '#' skipped. What cannot be believed or
// read is left out with a warning: fewer keys never make a build wrong.
static void add_file(struct ks_arena *arena, const char *dir, const char *name,
                     enum ks_trust_place place, trusted_list *list)
{
    if (dir == NULL)
        return;
    const char *path = ks_path_join(arena, dir, name);
    struct stat st;
    struct ks_slice text, line;
    struct ks_pubkey key;
    enum ks_status status;
    struct ks_err err;
    if (stat(path, &st) != 0)
        return;
    const char *problem = ks_owner_problem(&st, geteuid());
    if (problem != NULL) {
        ks_warn("%s %s: its keys are not trusted", path, problem);
        return;
    }
    if (ks_file_read(arena, path, MAX_KEY_FILE, &text, &err) != KS_OK) {
        ks_log(err.status == KS_E_IO ? KS_LOG_DEBUG : KS_LOG_WARN, "%s", err.text);
        return;
    }
    for (int number = 1; next_key(&text, &line, &key, &status, &err); number++) {
        if (status == KS_OK)
            *ks_vec_push(arena, list) = (struct ks_trusted){key, place, path};
        else if (status != KS_E_ABSENT)
            ks_warn("%s:%d: %s", path, number, err.text);
    }
}

static void collect(struct ks_arena *arena, const struct ks_config *config,
                    const struct ks_project *project, bool of_user, trusted_list *list)
{
    for (size_t i = 0; project != NULL && i < project->n_trust; i++)
        *ks_vec_push(arena, list) =
            (struct ks_trusted){project->trust[i], KS_TRUST_PROJECT, project->file};
    add_file(arena, config->config_dir, KS_PUBLIC_KEY_FILE, KS_TRUST_OWN, list);
    if (!of_user)
        return;
    add_file(arena, config->config_dir, TRUSTED_KEYS, KS_TRUST_USER, list);
    add_file(arena, config->system_dir, TRUSTED_KEYS, KS_TRUST_SYSTEM, list);
}

static void keys_of(struct ks_arena *arena, const trusted_list *list, struct ks_pubkey **keys,
                    size_t *n)
{
    *keys = KS_NEW_ARRAY(arena, struct ks_pubkey, list->len);
    *n = list->len;
    for (size_t i = 0; i < list->len; i++)
        (*keys)[i] = list->at[i].key;
}

void ks_trust_project(struct ks_arena *arena, const struct ks_config *config,
                      const struct ks_project *project, struct ks_pubkey **keys, size_t *n)
{
    trusted_list list = {0};
    collect(arena, config, project, false, &list);
    keys_of(arena, &list, keys, n);
}

void ks_trust_user(struct ks_arena *arena, const struct ks_config *config, struct ks_pubkey **keys,
                   size_t *n)
{
    trusted_list list = {0};
    collect(arena, config, NULL, true, &list);
    keys_of(arena, &list, keys, n);
}

size_t ks_trust_all(struct ks_arena *arena, const struct ks_config *config,
                    const struct ks_project *project, struct ks_trusted **out)
{
    trusted_list list = {0};
    collect(arena, config, project, true, &list);
    *out = list.at;
    return list.len;
}

const char *ks_trust_place_name(enum ks_trust_place place)
{
    static const char *const names[] = {"own", "project", "user", "system"};
    return names[place];
}

enum ks_status ks_trust_read(const char *said, struct ks_pubkey *key, struct ks_err *err)
{
    struct ks_arena arena = {0};
    struct ks_slice text, line;
    enum ks_status status = ks_pubkey_parse(said, key, err), parsed = KS_E_ABSENT;
    if (status == KS_OK || !ks_file_exists(said))
        return status;
    status = ks_file_read(&arena, said, MAX_KEY_FILE, &text, err);
    while (status == KS_OK && parsed != KS_OK && next_key(&text, &line, key, &parsed, NULL))
        ;
    if (status == KS_OK && parsed != KS_OK)
        status = ks_err_set(err, KS_E_USER, "%s holds no public key; give minisign's key.pub", said);
    ks_arena_free(&arena);
    return status;
}

static enum ks_status edit_project(struct ks_arena *arena, const struct ks_project *project,
                                   const struct ks_pubkey *key, bool add, const char **file,
                                   struct ks_err *err)
{
    struct ks_slice text = {"", 0}, out;
    char line[KS_PUBKEY_TEXT];
    ks_pubkey_text(key, line);
    *file = ks_path_join(arena, project->root, "ks.yaml");
    if (project->file != NULL)
        KS_TRY(ks_file_read(arena, *file, MAX_KEY_FILE, &text, err));
    KS_TRY(add ? ks_yaml_list_add(arena, *file, text, "trust", line, &out, err)
               : ks_yaml_list_remove(arena, *file, text, "trust", line, &out, err));
    struct stat st;
    mode_t mode = stat(*file, &st) == 0 ? st.st_mode & 0777 : 0;
    return ks_file_write(*file, out.at, out.len, true, mode, err);
}

static enum ks_status edit_user(struct ks_arena *arena, const struct ks_config *config,
                                const struct ks_pubkey *key, bool add, const char **file,
                                struct ks_err *err)
{
    struct ks_slice text = {"", 0}, line;
    struct ks_buf out = KS_BUF(MAX_KEY_FILE);
    struct ks_pubkey one;
    bool found = false;
    char said[KS_PUBKEY_TEXT];
    if (config->config_dir == NULL)
        KS_FAIL(err, KS_E_IO, "no folder for trusted keys: the home directory cannot be used; set "
                "KS_CONFIG_DIR");
    *file = ks_path_join(arena, config->config_dir, TRUSTED_KEYS);
    enum ks_status status = ks_file_read(arena, *file, MAX_KEY_FILE, &text, err), parsed;
    if (status == KS_E_ABSENT)
        status = ks_dir_make(config->config_dir, err);
    KS_TRY(status);
    while (next_key(&text, &line, &one, &parsed, NULL)) {
        bool same = parsed == KS_OK && memcmp(&one, key, sizeof one) == 0;
        found |= same;
        if (!same || add)
            ks_buf_slice(&out, line);
    }
    if (add && out.len > 0 && out.data[out.len - 1] != '\n')
        ks_buf_putc(&out, '\n');
    ks_pubkey_text(key, said);
    if (add)
        ks_buf_printf(&out, "%s\n", said);
    status = ks_buf_check(&out, *file, err);
    if (status == KS_OK && !add && !found)
        status = ks_err_set(err, KS_E_ABSENT, "%s does not list %s", *file, said);
    if (status == KS_OK)
        status = ks_file_write(*file, ks_buf_text(&out), out.len, true, 0, err);
    ks_buf_free(&out);
    return status;
}

static enum ks_status edit(struct ks_arena *arena, const struct ks_config *config,
                           const struct ks_project *project, enum ks_trust_place place,
                           const struct ks_pubkey *key, bool add, const char **file,
                           struct ks_err *err)
{
    struct ks_trusted *list;
    size_t n = ks_trust_all(arena, config, project, &list);
    for (size_t i = 0; i < n; i++)
        if (add && list[i].place == place && memcmp(&list[i].key, key, sizeof *key) == 0) {
            *file = list[i].file;
            return KS_OK;
        }
    if (config->readonly)
        KS_FAIL(err, KS_E_USER, "the configuration is read-only (KS_READONLY): no key is %s",
                add ? "added" : "removed");
    if (place == KS_TRUST_USER)
        return edit_user(arena, config, key, add, file, err);
    KS_ASSERT(place == KS_TRUST_PROJECT && project->root != NULL);
    return edit_project(arena, project, key, add, file, err);
}

enum ks_status ks_trust_add(struct ks_arena *arena, const struct ks_config *config,
                            const struct ks_project *project, enum ks_trust_place place,
                            const struct ks_pubkey *key, const char **file, struct ks_err *err)
{
    return edit(arena, config, project, place, key, true, file, err);
}

enum ks_status ks_trust_remove(struct ks_arena *arena, const struct ks_config *config,
                               const struct ks_project *project, enum ks_trust_place place,
                               const struct ks_pubkey *key, const char **file, struct ks_err *err)
{
    return edit(arena, config, project, place, key, false, file, err);
}

void ks_trust_files(struct ks_arena *arena, const struct ks_config *config,
                    const struct ks_project *project, struct ks_strv *files)
{
    const char *const places[][2] = {{config->config_dir, KS_PUBLIC_KEY_FILE},
                                     {config->config_dir, TRUSTED_KEYS},
                                     {config->system_dir, TRUSTED_KEYS}};
    if (project != NULL && project->file != NULL)
        ks_strv_add(arena, files, project->file);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (places[i][0] == NULL)
            continue;
        const char *path = ks_path_join(arena, places[i][0], places[i][1]);
        if (ks_file_exists(path))
            ks_strv_add(arena, files, path);
    }
}
