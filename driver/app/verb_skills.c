// ks skills: the optimisations that the expert engine knows, as the files under skills/ say them.
#include <stdio.h>
#include <string.h>

#include "app/verb_skills.h"
#include "fmt/json.h"
#include "fmt/table.h"
#include "memory/fact.h"

// "transform vectorize", "template gemm" or "advice".
static const char *action_of(struct ks_arena *arena, const struct ks_skill *skill)
{
    if (skill->transform != NULL)
        return ks_arena_printf(arena, "transform %s", skill->transform);
    if (skill->template_ != NULL)
        return ks_arena_printf(arena, "template %s", skill->template_);
    return "advice";
}

static const char *weighed(struct ks_arena *arena, const struct ks_condition *condition)
{
    return condition->weight == 1 ? condition->text
                                  : ks_arena_printf(arena, "%s weight %g", condition->text,
                                                    condition->weight);
}

static json_t *conditions_json(struct ks_arena *arena, const struct ks_conditions *conditions)
{
    json_t *list = json_array();
    for (size_t i = 0; i < conditions->len; i++)
        json_array_append_new(list, json_string(weighed(arena, &conditions->at[i])));
    return list;
}

static json_t *texts_json(const struct ks_strv *texts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < texts->len; i++)
        json_array_append_new(list, json_string(texts->at[i]));
    return list;
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static json_t *expect_json(const struct ks_skill *skill)
{
    if (skill->expect_metric[0] == '\0')
        return json_null();
    return json_pack("{s:s,s:s,s:f}", "metric", skill->expect_metric, "sign",
                     skill->expect_sign < 0 ? "-" : "+", "at_least", skill->expect_at_least);
}

static json_t *skill_json(struct ks_arena *arena, const struct ks_skill *skill)
{
    json_t *row = json_object();
    json_object_set_new(row, "id", json_string(skill->id));
    json_object_set_new(row, "title", text_or_null(skill->title));
    json_object_set_new(row, "direction", text_or_null(skill->direction));
    json_object_set_new(row, "risk", text_or_null(skill->risk));
    json_object_set_new(row, "precision", text_or_null(skill->precision));
    json_object_set_new(row, "when", conditions_json(arena, &skill->when));
    json_object_set_new(row, "requires", conditions_json(arena, &skill->requires_));
    json_object_set_new(row, "forbids", conditions_json(arena, &skill->forbids));
    json_object_set_new(row, "expect", expect_json(skill));
    json_object_set_new(row, "after", texts_json(&skill->after));
    json_object_set_new(row, "sources", texts_json(&skill->sources));
    json_object_set_new(row, "action", json_string(action_of(arena, skill)));
    json_object_set_new(row, "how", text_or_null(skill->how));
    json_object_set_new(row, "file", text_or_null(skill->file));
    return row;
}

static void print_conditions(struct ks_arena *arena, const char *label,
                             const struct ks_conditions *conditions)
{
    for (size_t i = 0; i < conditions->len; i++)
        printf("  %-10s %s\n", i == 0 ? label : "", weighed(arena, &conditions->at[i]));
}

static void print_texts(const char *label, const struct ks_strv *texts)
{
    for (size_t i = 0; i < texts->len; i++)
        printf("  %-10s %s\n", i == 0 ? label : "", texts->at[i]);
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
    print_conditions(arena, "when", &skill->when);
    print_conditions(arena, "requires", &skill->requires_);
    print_conditions(arena, "forbids", &skill->forbids);
    if (skill->expect_metric[0] != '\0')
        printf("  %-10s %s %s by %g or more\n", "expect", skill->expect_metric,
               skill->expect_sign < 0 ? "falls" : "rises", skill->expect_at_least);
    print_texts("after", &skill->after);
    print_texts("sources", &skill->sources);
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

int verb_skill_unknown(struct ks_verb_context *context, const struct ks_skill_list *skills, const char *id)
{
    struct ks_strv ids = {0};
    ks_vec_each(struct ks_skill, skill, skills) ks_strv_add(context->arena, &ids, skill->id);
    const char *near = ids.len > 0 ? ks_nearest_word(id, ids.at) : NULL;
    return verb_usage(context, "no skill `%s`%s%s%s", id, near != NULL ? "; do you mean `" : "",
                      near != NULL ? near : "", near != NULL ? "`?" : "; `ks skills list` has them");
}

static int show(struct ks_verb_context *context, const struct ks_skill_list *skills, const char *id)
{
    const struct ks_skill *skill = ks_skill_find(skills, id);
    if (skill == NULL)
        return verb_skill_unknown(context, skills, id);
    if (context->json)
        report(context, skill, 1);
    else
        print_skill(context->arena, skill);
    return EXIT_OK;
}

static void print_facts(struct ks_verb_context *context)
{
    static const char *const header[] = {"fact", "kind", "from", "meaning"};
    static const char *const kinds[] = {"property", "count", "amount"};
    struct ks_table table;
    json_t *rows = json_array();
    ks_table_begin(&table, context->arena, header, sizeof header / sizeof *header);
    for (const struct ks_fact_name *f = ks_fact_names(); f->name != NULL; f++) {
        const char *from = f->metric ? "profile" : ks_starts_with(f->name, "bottleneck(") ? "class" : "text";
        ks_table_cell(&table, "%s", f->name);
        ks_table_cell(&table, "%s", kinds[f->kind]);
        ks_table_cell(&table, "%s", from);
        ks_table_cell(&table, "%s", f->meaning);
        json_array_append_new(rows, json_pack("{s:s,s:s,s:s,s:s}", "fact", f->name, "kind", kinds[f->kind],
                                              "from", from, "meaning", f->meaning));
    }
    if (context->json) {
        json_t *out = ks_json_report("ks.facts");
        json_object_set_new(out, "facts", rows);
        ks_json_print(out);
        return;
    }
    json_decref(rows);
    ks_table_print(&table, stdout);
}

static enum ks_status load(struct ks_verb_context *context, struct ks_skill_list *skills, struct ks_err *err)
{
    return ks_skills_load(context->arena,
                          ks_path_join(context->arena, context->config.share_dir, "skills/expert"), true,
                          skills, err);
}

int verb_skills(struct ks_verb_context *context)
{
    static const struct verb_syntax syntax = {.expects = "give list, show ID, facts or lint [FOLDER]",
                                              .least = 1, .most = 2};
    struct verb_words words;
    struct ks_skill_list skills = {0};
    struct ks_err err = {0};
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    const char *what = words.targets.at[0];
    const char *argument = words.targets.len > 1 ? words.targets.at[1] : NULL;
    bool is_show = strcmp(what, "show") == 0;
    if (strcmp(what, "lint") == 0)
        return verb_skills_lint(context, argument);
    bool known = is_show || strcmp(what, "list") == 0 || strcmp(what, "facts") == 0;
    if (!known || is_show != (argument != NULL))
        return verb_usage(context, "%s", syntax.expects);
    if (strcmp(what, "facts") == 0) {
        print_facts(context);
        return EXIT_OK;
    }
    if (load(context, &skills, &err) != KS_OK)
        return verb_fail(context, &err);
    if (is_show)
        return show(context, &skills, argument);
    if (context->json)
        report(context, skills.at, skills.len);
    else
        print_list(context->arena, &skills);
    return EXIT_OK;
}
