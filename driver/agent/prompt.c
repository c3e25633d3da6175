#include "agent/prompt.h"

#include <stdio.h>
#include <string.h>

#include "engine/template.h"
#include "os/file.h"

#define FILE_MOST ((size_t)1 << 18)

#define FAIL_AT(node, ...)                                                                        \
    return ks_err_set(err, KS_E_USER, "%s:%d: %s", prompt->file, (node)->line,                     \
                      ks_arena_printf(arena, __VA_ARGS__))

// A map of names and meanings; a meaning that begins with "required" says so of an answer's field.
static enum ks_status read_fields(struct ks_arena *arena, const struct ks_prompt *prompt,
                                  const struct ks_yaml *map, struct ks_prompt_field **fields, size_t *n,
                                  struct ks_err *err)
{
    *n = 0;
    *fields = NULL;
    if (map == NULL)
        return KS_OK;
    if (map->kind != KS_YAML_MAP)
        FAIL_AT(map, "fields are `name: meaning`");
    *fields = KS_NEW_ARRAY(arena, struct ks_prompt_field, map->len);
    for (size_t i = 0; i < map->len; i++) {
        if (map->items[i].kind != KS_YAML_SCALAR)
            FAIL_AT(&map->items[i], "the meaning of `%s` is one text", map->keys[i]);
        const char *meaning = map->items[i].text;
        (*fields)[(*n)++] = (struct ks_prompt_field){map->keys[i], meaning,
                                                     ks_starts_with(meaning, "required")};
    }
    return KS_OK;
}

static enum ks_status read_sections(struct ks_arena *arena, struct ks_prompt *prompt, const struct ks_yaml *map,
                                    struct ks_err *err)
{
    if (map == NULL)
        return KS_OK;
    if (map->kind != KS_YAML_MAP)
        FAIL_AT(map, "sections are `name: text`");
    prompt->sections = KS_NEW_ARRAY(arena, struct ks_prompt_section, map->len);
    for (size_t i = 0; i < map->len; i++) {
        if (map->items[i].kind != KS_YAML_SCALAR)
            FAIL_AT(&map->items[i], "the section `%s` is one text", map->keys[i]);
        const char *text = map->items[i].text;
        prompt->sections[prompt->n_sections++] = (struct ks_prompt_section){map->keys[i], text, text};
    }
    return KS_OK;
}

static enum ks_status read_number(struct ks_arena *arena, const struct ks_prompt *prompt,
                                  const struct ks_yaml *root, const char *key, double least, double most,
                                  double *value, struct ks_err *err)
{
    const char *text = ks_yaml_text(root, key, NULL);
    if (text == NULL || !ks_parse_f64(text, value) || *value < least || *value > most)
        FAIL_AT(root, "`%s` is a number from %g to %g", key, least, most);
    return KS_OK;
}

enum ks_status ks_prompt_load(struct ks_arena *arena, const char *dir, const char *role,
                              struct ks_prompt *prompt, struct ks_err *err)
{
    static const char *const known[] = {"role", "version", "temperature", "max_tokens", "reads",
                                        "answers", "sections", "system", "user", NULL};
    struct ks_slice text;
    struct ks_yaml *root;
    double version, max_tokens;
    *prompt = (struct ks_prompt){
        .file = ks_path_join(arena, dir, ks_arena_printf(arena, "%s.yaml", role)), .role = role};
    KS_TRY(ks_file_read(arena, prompt->file, FILE_MOST, &text, err));
    KS_TRY(ks_yaml_parse(arena, prompt->file, text, &root, err));
    KS_TRY(ks_yaml_known(prompt->file, root, known, err));
    if (strcmp(ks_yaml_text(root, "role", ""), role) != 0)
        FAIL_AT(root, "`role` is not %s, as the file's name says", role);
    KS_TRY(read_number(arena, prompt, root, "version", 1, 1e6, &version, err));
    KS_TRY(read_number(arena, prompt, root, "max_tokens", 1, 1e6, &max_tokens, err));
    KS_TRY(read_number(arena, prompt, root, "temperature", 0, 2, &prompt->temperature, err));
    prompt->version = (int)version;
    prompt->max_tokens = (int)max_tokens;
    KS_TRY(read_fields(arena, prompt, ks_yaml_get(root, "reads"), &prompt->reads, &prompt->n_reads, err));
    KS_TRY(read_fields(arena, prompt, ks_yaml_get(root, "answers"), &prompt->answers, &prompt->n_answers,
                       err));
    KS_TRY(read_sections(arena, prompt, ks_yaml_get(root, "sections"), err));
    prompt->system = ks_yaml_text(root, "system", NULL);
    prompt->user = ks_yaml_text(root, "user", NULL);
    if (prompt->system == NULL || prompt->user == NULL || prompt->n_answers == 0)
        FAIL_AT(root, "a prompt has `system`, `user` and `answers`");
    return KS_OK;
}

enum ks_status ks_prompt_fill(struct ks_arena *arena, const struct ks_prompt *prompt,
                              const char *const *names, const char *const *values, size_t n,
                              struct ks_ask *ask, struct ks_err *err)
{
    size_t all = prompt->n_reads + prompt->n_sections;
    const char **read = KS_NEW_ARRAY(arena, const char *, all + 1);
    const char **put = KS_NEW_ARRAY(arena, const char *, all + 1);
    for (size_t i = 0; i < prompt->n_reads; i++) {
        size_t at = 0;
        while (at < n && strcmp(names[at], prompt->reads[i].name) != 0)
            at++;
        if (at == n)
            KS_FAIL(err, KS_E_USER, "%s: nothing is put in for `%s`", prompt->file, prompt->reads[i].name);
        read[i] = names[at];
        put[i] = values[at];
    }
    for (size_t i = 0; i < prompt->n_sections; i++) {
        read[prompt->n_reads + i] = prompt->sections[i].name;
        put[prompt->n_reads + i] = prompt->sections[i].text;
    }
    char *system, *user;
    KS_TRY(ks_template_expand(arena, prompt->file, prompt->system, read, put, all, &system, err));
    KS_TRY(ks_template_expand(arena, prompt->file, prompt->user, read, put, all, &user, err));
    ask->role = prompt->role;
    ask->system = system;
    ask->user = user;
    ask->max_tokens = prompt->max_tokens;
    ask->temperature = prompt->temperature;
    return KS_OK;
}

bool ks_prompt_fits(const struct ks_prompt *prompt, const struct ks_yaml *answer, char why[256])
{
    for (size_t i = 0; i < prompt->n_answers; i++)
        if (prompt->answers[i].required && ks_yaml_get(answer, prompt->answers[i].name) == NULL) {
            snprintf(why, 256, "the field `%.60s` is missing", prompt->answers[i].name);
            return false;
        }
    for (size_t k = 0; k < answer->len; k++) {
        size_t i = 0;
        while (i < prompt->n_answers && strcmp(prompt->answers[i].name, answer->keys[k]) != 0)
            i++;
        if (i == prompt->n_answers) {
            snprintf(why, 256, "there is no field `%.60s`", answer->keys[k]);
            return false;
        }
    }
    return true;
}
