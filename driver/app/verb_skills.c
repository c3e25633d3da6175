// ks skills: the optimisations that the expert engine knows, as the files under skills/ say them.
#include <stdio.h>
#include <string.h>

#include "app/verb_skills.h"
#include "base/log.h"
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

static json_t *skill_json(struct ks_arena *arena, const struct ks_skill *skill,
                          const struct ks_skill_standing *standing)
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
    json_object_set_new(row, "standing", json_string(ks_standing_name(standing->standing)));
    json_object_set_new(row, "reason", json_string(standing->reason));
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

static void print_skill(struct ks_arena *arena, const struct ks_skill *skill,
                        const struct ks_skill_standing *standing)
{
    printf("%s: %s\n  direction  %s\n  standing   %s%s%s\n  risk       %s\n  precision  %s\n  action     %s\n",
           skill->id, skill->title, skill->direction, ks_standing_name(standing->standing),
           standing->reason[0] != '\0' ? ": " : "", standing->reason, skill->risk, skill->precision,
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

static void print_list(struct ks_arena *arena, const struct ks_library *library)
{
    static const char *const header[] = {"skill", "direction", "standing", "risk", "action", "title"};
    struct ks_table table;
    ks_table_begin(&table, arena, header, sizeof header / sizeof *header);
    for (size_t i = 0; i < library->skills.len; i++) {
        const struct ks_skill *skill = &library->skills.at[i];
        ks_table_cell(&table, "%s", skill->id);
        ks_table_cell(&table, "%s", skill->direction);
        ks_table_cell(&table, "%s", ks_standing_name(library->standings.at[i].standing));
        ks_table_cell(&table, "%s", skill->risk);
        ks_table_cell(&table, "%s", action_of(arena, skill));
        ks_table_cell(&table, "%s", skill->title);
    }
    ks_table_print(&table, stdout);
}

// All, or the one of this id.
static void report(struct ks_verb_context *context, const struct ks_library *library, const char *id)
{
    json_t *out = ks_json_report("ks.skills"), *rows = json_array();
    for (size_t i = 0; i < library->skills.len; i++)
        if (id == NULL || strcmp(library->skills.at[i].id, id) == 0)
            json_array_append_new(rows, skill_json(context->arena, &library->skills.at[i],
                                                   &library->standings.at[i]));
    json_object_set_new(out, "skills", rows);
    ks_json_print(out);
}

int verb_skill_unknown(struct ks_verb_context *context, const struct ks_library *library, const char *id)
{
    struct ks_strv ids = {0};
    ks_vec_each(struct ks_skill, skill, &library->skills) ks_strv_add(context->arena, &ids, skill->id);
    const char *near = ids.len > 0 ? ks_nearest_word(id, ids.at) : NULL;
    return verb_usage(context, "no skill `%s`%s%s%s", id, near != NULL ? "; do you mean `" : "",
                      near != NULL ? near : "", near != NULL ? "`?" : "; `ks skills list` has them");
}

static int show(struct ks_verb_context *context, const struct ks_library *library, const char *id)
{
    const struct ks_skill *skill = ks_skill_find(&library->skills, id);
    if (skill == NULL)
        return verb_skill_unknown(context, library, id);
    if (context->json)
        report(context, library, id);
    else
        print_skill(context->arena, skill, ks_library_standing(library, id));
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

static int list_or_show(struct ks_verb_context *context, const char *id)
{
    struct ks_library library;
    struct ks_outcomes *outcomes;
    struct ks_err err = {0};
    if (ks_outcomes_look(&context->config, &outcomes, &err) != KS_OK)
        ks_warn("%s; where skills stand is not known", err.text);
    enum ks_status status = ks_library_load(context->arena, &context->config, outcomes, true, &library, &err);
    ks_outcomes_close(outcomes);
    if (status != KS_OK)
        return verb_fail(context, &err);
    if (id != NULL)
        return show(context, &library, id);
    if (context->json)
        report(context, &library, NULL);
    else
        print_list(context->arena, &library);
    return EXIT_OK;
}

// The rest of the words as one text, or NULL.
static const char *joined(struct ks_arena *arena, const struct ks_strv *words, size_t from)
{
    const char *text = NULL;
    for (size_t i = from; i < words->len; i++)
        text = text == NULL ? words->at[i] : ks_arena_printf(arena, "%s %s", text, words->at[i]);
    return text;
}

int verb_skills(struct ks_verb_context *context)
{
    static const struct {
        const char *name;
        size_t least, most; // words behind it
    } parts[] = {{"list", 0, 0}, {"show", 1, 1}, {"facts", 0, 0}, {"stats", 0, 0}, {"lint", 0, 1},
                 {"add", 1, 1}, {"disable", 1, 99}, {"enable", 1, 1}, {"retire", 1, 99}, {"merge", 2, 2},
                 {"export", 1, 1}, {"import", 1, 1}, {"adopt", 1, 99}, {"distill", 1, 1}};
    const char *budget = NULL, *device = NULL, *cover = NULL;
    const struct verb_option options[] = {{.name = "--budget=", .value = &budget},
                                          {.name = "--device=", .value = &device},
                                          {.name = "--cover", .value = &cover}};
    const struct verb_syntax syntax = {
        .expects = "give list, show ID, facts, stats, lint [FOLDER] [--cover], add FILE, disable or retire ID [REASON], "
                   "enable ID, merge ID INTO, export FILE, import FILE, distill FILE.cu:KERNEL or adopt ID FILE.cu:KERNEL ...",
        .options = options, .n_options = 3, .least = 1, .most = 100, .nvcc = true};
    struct verb_words words;
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    const char *what = words.targets.at[0], *first = words.targets.at[1]; // NULL behind the last
    size_t n = words.targets.len - 1, part = 0, n_parts = sizeof parts / sizeof *parts;
    while (part < n_parts && strcmp(parts[part].name, what) != 0)
        part++;
    if (part == n_parts || n < parts[part].least || n > parts[part].most)
        return verb_usage(context, "%s", syntax.expects);
    if (cover != NULL && strcmp(what, "lint") != 0)
        return verb_usage(context, "--cover is an option of lint");
    if (strcmp(what, "adopt") == 0)
        return verb_skills_adopt(context, &words, budget, device);
    if (strcmp(what, "distill") == 0 && budget == NULL && device == NULL)
        return verb_skills_distill(context, &words);
    if (budget != NULL || device != NULL || words.nvcc != NULL)
        return verb_usage(context, "%s takes no options", what);
    if (strcmp(what, "lint") == 0)
        return verb_skills_lint(context, first, cover != NULL);
    if (strcmp(what, "stats") == 0)
        return verb_skills_stats(context);
    if (strcmp(what, "add") == 0)
        return verb_skills_add(context, first);
    if (strcmp(what, "merge") == 0)
        return verb_skills_merge(context, first, words.targets.at[2]);
    if (strcmp(what, "export") == 0 || strcmp(what, "import") == 0)
        return verb_skills_carry(context, what, first);
    if (strcmp(what, "list") == 0 || strcmp(what, "show") == 0)
        return list_or_show(context, first);
    if (strcmp(what, "facts") != 0)
        return verb_skills_set(context, what, first, joined(context->arena, &words.targets, 2));
    print_facts(context);
    return EXIT_OK;
}
