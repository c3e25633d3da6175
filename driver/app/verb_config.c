// ks config: the settings in effect and where they come from; and the user's own file.
#include <stdio.h>
#include <string.h>

#include "app/verb.h"
#include "cfg/settings.h"
#include "fmt/json.h"
#include "fmt/table.h"
#include "fmt/yaml_edit.h"
#include "os/file.h"

#define LARGEST ((size_t)1 << 20)

static void print(struct ks_arena *arena, const struct ks_setting_row *list, size_t n)
{
    static const char *const header[] = {"setting", "value", "from", "variable"};
    struct ks_table table;
    ks_table_begin(&table, arena, header, 4);
    for (size_t i = 0; i < n; i++) {
        ks_table_cell(&table, "%s", list[i].name);
        ks_table_cell(&table, "%s", list[i].value[0] != '\0' ? list[i].value : "-");
        ks_table_cell(&table, "%s", list[i].where);
        ks_table_cell(&table, "%s", list[i].variable);
    }
    ks_table_print(&table, stdout);
}

static void print_json(const struct ks_setting_row *list, size_t n)
{
    json_t *report = ks_json_report("ks.config"), *rows = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(rows, json_pack("{s:s,s:s,s:s,s:s}", "name", list[i].name, "value",
                                              list[i].value, "from", list[i].where, "variable",
                                              list[i].variable));
    json_object_set_new(report, "settings", rows);
    ks_json_print(report);
}

static int show(struct ks_verb_context *context, const char *name)
{
    struct ks_project project = {0};
    struct ks_err err = {0};
    struct ks_setting_row *list;
    if (ks_project_find(context->arena, &context->config, ".", &project, &err) != KS_OK)
        return verb_fail(context, &err);
    size_t n = ks_settings_list(context->arena, &context->config, &project, &list), at = 0;
    while (name != NULL && at < n && strcmp(list[at].name, name) != 0)
        at++;
    if (name != NULL && at == n)
        return verb_usage(context, "no setting `%s`", name);
    if (name != NULL) {
        list += at;
        n = 1;
    }
    if (context->json)
        print_json(list, n);
    else if (name != NULL)
        printf("%s\n", list->value);
    else
        print(context->arena, list, n);
    return EXIT_OK;
}

// One line of config.yaml; whatever else stands there stays as it is.
static enum ks_status change(struct ks_verb_context *context, const char *name, const char *value,
                             const char **path, struct ks_err *err)
{
    struct ks_arena *arena = context->arena;
    const struct ks_config *config = &context->config;
    struct ks_slice text = {"", 0}, out;
    KS_TRY(ks_config_try(arena, name, value, err));
    if (config->readonly)
        KS_FAIL(err, KS_E_USER, "the configuration is read-only (KS_READONLY): nothing is set");
    if (config->config_dir == NULL)
        KS_FAIL(err, KS_E_IO, "no folder for settings: the home directory cannot be used; set "
                "KS_CONFIG_DIR");
    *path = ks_path_join(arena, config->config_dir, "config.yaml");
    enum ks_status status = ks_file_read(arena, *path, LARGEST, &text, err);
    if (status == KS_E_ABSENT)
        status = ks_dir_make(config->config_dir, err);
    KS_TRY(status);
    status = ks_yaml_set(arena, *path, text, name, value, &out, err);
    if (status == KS_E_ABSENT || status == KS_E_UNSUPPORTED)
        return ks_err_set(err, KS_E_USER, "%s", ks_arena_strdup(arena, err->text));
    KS_TRY(status);
    struct stat st;
    mode_t mode = stat(*path, &st) == 0 ? st.st_mode & 0777 : 0;
    return ks_file_write(*path, out.at, out.len, true, mode, err);
}

// What is stronger than the file is told: the change would seem to do nothing.
static const char *stronger(struct ks_verb_context *context, const char *name, const char *path)
{
    struct ks_project project = {0};
    struct ks_setting_row *list;
    (void)ks_project_find(context->arena, &context->config, ".", &project, NULL);
    size_t n = ks_settings_list(context->arena, &context->config, &project, &list);
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0 && strcmp(list[i].where, "default") != 0 &&
            !ks_starts_with(list[i].where, path) &&
            !ks_starts_with(list[i].where, context->config.system_dir))
            return list[i].where;
    return NULL;
}

int verb_config(struct ks_verb_context *context)
{
    static const struct verb_syntax syntax = {
        .expects = "give list, get NAME, set NAME VALUE or unset NAME", .most = 3};
    struct verb_words words;
    struct ks_err err = {0};
    const char *path = NULL;
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    size_t n = words.targets.len;
    const char *const *word = words.targets.at;
    if (n == 0 || (n == 1 && strcmp(word[0], "list") == 0))
        return show(context, NULL);
    if (n == 2 && strcmp(word[0], "get") == 0)
        return show(context, word[1]);
    bool set = n == 3 && strcmp(word[0], "set") == 0;
    if (!set && !(n == 2 && strcmp(word[0], "unset") == 0))
        return verb_usage(context, "%s", syntax.expects);
    if (change(context, word[1], set ? word[2] : NULL, &path, &err) != KS_OK)
        return verb_fail(context, &err);
    const char *over = stronger(context, word[1], path);
    if (over != NULL)
        fprintf(stderr, "ks config: %s is stronger and stays in effect\n", over);
    if (!context->json) {
        printf("%s: %s is %s%s\n", path, word[1], set ? "" : "not set any more", set ? word[2] : "");
        return EXIT_OK;
    }
    json_t *report = ks_json_report("ks.config.change");
    json_object_set_new(report, "file", json_string(path));
    json_object_set_new(report, "name", json_string(word[1]));
    json_object_set_new(report, "value", set ? json_string(word[2]) : json_null());
    json_object_set_new(report, "stronger", over != NULL ? json_string(over) : json_null());
    ks_json_print(report);
    return EXIT_OK;
}
