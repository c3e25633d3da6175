// ks skills: the optimisations that the expert engine knows, as the files under skills/ say them.
#include <stdio.h>
#include <string.h>

#include "app/verb.h"
#include "fmt/json.h"
#include "fmt/table.h"
#include "memory/skill.h"

// "transform vectorize", "template gemm" or "advice".
static const char *action_of(struct ks_arena *arena, const struct ks_skill *skill)
{
    if (skill->transform != NULL)
        return ks_arena_printf(arena, "transform %s", skill->transform);
    if (skill->template_ != NULL)
        return ks_arena_printf(arena, "template %s", skill->template_);
    return "advice";
}

static json_t *conditions_json(const struct ks_condition *conditions, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(conditions[i].text));
    return list;
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static json_t *skill_json(struct ks_arena *arena, const struct ks_skill *skill)
{
    json_t *row = json_object();
    json_object_set_new(row, "id", json_string(skill->id));
    json_object_set_new(row, "title", text_or_null(skill->title));
    json_object_set_new(row, "direction", text_or_null(skill->direction));
    json_object_set_new(row, "risk", text_or_null(skill->risk));
    json_object_set_new(row, "precision", text_or_null(skill->precision));
    json_object_set_new(row, "when", conditions_json(skill->when, skill->n_when));
    json_object_set_new(row, "requires", conditions_json(skill->requires_, skill->n_requires));
    json_object_set_new(row, "forbids", conditions_json(skill->forbids, skill->n_forbids));
    json_object_set_new(row, "action", json_string(action_of(arena, skill)));
    json_object_set_new(row, "how", text_or_null(skill->how));
    json_object_set_new(row, "file", text_or_null(skill->file));
    return row;
}

static void print_conditions(const char *label, const struct ks_condition *conditions, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("  %-10s %s\n", i == 0 ? label : "", conditions[i].text);
}

static void print_skill(struct ks_arena *arena, const struct ks_skill *skill)
{
    printf("%s: %s\n  direction  %s\n  risk       %s\n  precision  %s\n  action     %s\n", skill->id,
           skill->title, skill->direction, skill->risk, skill->precision,
           action_of(arena, skill));
    for (size_t i = 0; i < skill->n_params; i++) {
        printf("             %s:", skill->param_names[i]);
        for (const char **value = skill->param_values[i]; *value != NULL; value++)
            printf(" %s", *value);
        printf("\n");
    }
    print_conditions("when", skill->when, skill->n_when);
    print_conditions("requires", skill->requires_, skill->n_requires);
    print_conditions("forbids", skill->forbids, skill->n_forbids);
    if (skill->how != NULL)
        printf("\n%s%s", skill->how, ks_ends_with(skill->how, "\n") ? "" : "\n");
    printf("\n%s\n", skill->file);
}

static void print_list(struct ks_arena *arena, const struct ks_skill_list *skills)
{
    static const char *const header[] = {"skill", "direction", "risk", "action", "title"};
    struct ks_table table;
    ks_table_begin(&table, arena, header, sizeof header / sizeof *header);
    ks_vec_each(struct ks_skill, skill, skills) {
        ks_table_cell(&table, "%s", skill->id);
        ks_table_cell(&table, "%s", skill->direction);
        ks_table_cell(&table, "%s", skill->risk);
        ks_table_cell(&table, "%s", action_of(arena, skill));
        ks_table_cell(&table, "%s", skill->title);
    }
    ks_table_print(&table, stdout);
}

static void report(struct ks_verb_context *context, const struct ks_skill *first, size_t n)
{
    json_t *out = ks_json_report("ks.skills"), *rows = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(rows, skill_json(context->arena, &first[i]));
    json_object_set_new(out, "skills", rows);
    ks_json_print(out);
}

static int show(struct ks_verb_context *context, const struct ks_skill_list *skills,
                const char *id)
{
    const char **ids = KS_NEW_ARRAY(context->arena, const char *, skills->len + 1);
    size_t n = 0;
    ks_vec_each(struct ks_skill, skill, skills) {
        ids[n++] = skill->id;
        if (strcmp(skill->id, id) != 0)
            continue;
        if (context->json)
            report(context, skill, 1);
        else
            print_skill(context->arena, skill);
        return EXIT_OK;
    }
    const char *near = ks_nearest_word(id, ids);
    return verb_usage(context, "no skill `%s`%s%s%s", id, near != NULL ? "; do you mean `" : "",
                      near != NULL ? near : "", near != NULL ? "`?" : "; `ks skills list` has them");
}

int verb_skills(struct ks_verb_context *context)
{
    static const struct verb_syntax syntax = {.expects = "give list, show ID or lint [FOLDER]",
                                              .least = 1, .most = 2};
    struct verb_words words;
    struct ks_skill_list skills = {0};
    struct ks_err err = {0};
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    const char *what = words.targets.at[0];
    const char *argument = words.targets.len > 1 ? words.targets.at[1] : NULL;
    bool lint = strcmp(what, "lint") == 0, is_show = strcmp(what, "show") == 0;
    if ((!lint && !is_show && strcmp(what, "list") != 0) || is_show != (argument != NULL && !lint))
        return verb_usage(context, "%s", syntax.expects);
    const char *dir = lint && argument != NULL
                          ? argument
                          : ks_path_join(context->arena, context->config.share_dir, "skills/expert");
    enum ks_status status = ks_skills_load(context->arena, dir, !lint, &skills, &err);
    if (status == KS_E_ABSENT && lint && argument != NULL)
        status = ks_err_set(&err, KS_E_USER, "%s: no such folder", dir);
    if (status != KS_OK)
        return verb_fail(context, &err);
    if (is_show)
        return show(context, &skills, argument);
    if (context->json)
        report(context, skills.at, skills.len);
    else if (lint)
        printf("%zu skills in %s, nothing wrong\n", skills.len, dir);
    else
        print_list(context->arena, &skills);
    return EXIT_OK;
}
