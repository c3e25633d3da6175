// ks skills add, disable, enable, retire, merge, stats: where skills stand, and how they have done.
#include <stdio.h>
#include <string.h>

#include "app/verb_skills.h"
#include "fmt/json.h"
#include "fmt/table.h"
#include "os/clock.h"
#include "os/file.h"

struct keeping {
    struct ks_outcomes *outcomes;
    struct ks_library library;
};

static int begin(struct ks_verb_context *context, struct keeping *k)
{
    struct ks_err err = {0};
    if (context->config.readonly) {
        ks_err_set(&err, KS_E_USER, "the configuration is read-only (KS_READONLY): nothing is changed");
        return verb_fail(context, &err);
    }
    if (ks_outcomes_open(&context->config, &k->outcomes, &err) != KS_OK ||
        ks_library_load(context->arena, &context->config, k->outcomes, true, &k->library, &err) != KS_OK) {
        ks_outcomes_close(k->outcomes);
        return verb_fail(context, &err);
    }
    return EXIT_OK;
}

static int end(struct ks_verb_context *context, struct keeping *k, enum ks_status status,
               const struct ks_skill_standing *standing, const struct ks_err *err)
{
    ks_outcomes_close(k->outcomes);
    if (status != KS_OK)
        return verb_fail(context, err);
    if (!context->json) {
        printf("%s: %s%s%s\n", standing->id, ks_standing_name(standing->standing),
               standing->reason[0] != '\0' ? ": " : "", standing->reason);
        return EXIT_OK;
    }
    json_t *report = ks_json_report("ks.skill");
    json_object_set_new(report, "skill", json_string(standing->id));
    json_object_set_new(report, "standing", json_string(ks_standing_name(standing->standing)));
    json_object_set_new(report, "reason", json_string(standing->reason));
    ks_json_print(report);
    return EXIT_OK;
}

// Which the library cannot say: it knows no engine.
static enum ks_status check_action(struct ks_verb_context *context, const char *file, struct ks_slice text,
                                   struct ks_err *err)
{
    struct ks_skill skill;
    struct ks_finding_list findings = {0};
    KS_TRY(ks_skill_parse(context->arena, file, text, &skill, err));
    verb_skill_check_action(context, &skill, &findings);
    if (findings.len > 0)
        KS_FAIL(err, KS_E_USER, "%s:%d: %s", file, findings.at[0].line, findings.at[0].text);
    return KS_OK;
}

int verb_skills_add(struct ks_verb_context *context, const char *file)
{
    struct keeping k = {0};
    struct ks_err err = {0};
    struct ks_slice text;
    struct ks_skill_standing standing;
    int exit_code = begin(context, &k);
    if (exit_code != EXIT_OK)
        return exit_code;
    enum ks_status status = ks_file_read(context->arena, file, 256u << 10, &text, &err);
    if (status == KS_E_ABSENT)
        status = ks_err_set(&err, KS_E_USER, "%s: no such file", file);
    if (status == KS_OK)
        status = check_action(context, file, text, &err);
    if (status == KS_OK)
        status = ks_library_add(context->arena, &context->config, k.outcomes, &k.library, file, text,
                                &standing, &err);
    if (status == KS_OK)
        standing.reason = "tried behind the others until `ks skills adopt` has shown that it pays";
    return end(context, &k, status, &standing, &err);
}

int verb_skills_set(struct ks_verb_context *context, const char *what, const char *id, const char *reason)
{
    struct keeping k = {0};
    struct ks_err err = {0};
    char date[32];
    int exit_code = begin(context, &k);
    if (exit_code != EXIT_OK)
        return exit_code;
    const struct ks_skill *skill = ks_skill_find(&k.library.skills, id);
    if (skill == NULL) {
        ks_outcomes_close(k.outcomes);
        return verb_skill_unknown(context, &k.library, id);
    }
    const char *own = ks_library_own_dir(context->arena, &context->config);
    bool installed = own == NULL || !ks_starts_with(skill->file, own);
    ks_utc_text(date);
    struct ks_skill_standing standing = {
        .id = id, .since = date, .reason = reason != NULL ? reason : "", .toolkit = "",
        .standing = strcmp(what, "disable") == 0  ? KS_DISABLED
                    : strcmp(what, "retire") == 0 ? KS_RETIRED
                    : installed                   ? KS_IN_USE
                                                  : KS_PROBATION};
    return end(context, &k, ks_standing_set(k.outcomes, &standing, &err), &standing, &err);
}

int verb_skills_merge(struct ks_verb_context *context, const char *id, const char *into)
{
    struct keeping k = {0};
    struct ks_err err = {0};
    int exit_code = begin(context, &k);
    if (exit_code != EXIT_OK)
        return exit_code;
    const char *const both[] = {id, into};
    for (size_t i = 0; i < 2; i++)
        if (ks_skill_find(&k.library.skills, both[i]) == NULL) {
            ks_outcomes_close(k.outcomes);
            return verb_skill_unknown(context, &k.library, both[i]);
        }
    if (strcmp(id, into) == 0) {
        ks_outcomes_close(k.outcomes);
        return verb_usage(context, "`%s` into itself: name another skill", id);
    }
    struct ks_skill_standing standing = {.id = id, .standing = KS_RETIRED,
                                         .reason = ks_arena_printf(context->arena, "merged into %s", into)};
    return end(context, &k, ks_skills_merge(k.outcomes, id, into, &err), &standing, &err);
}

// ---- stats

static const struct ks_skill_stat *stat_of(const struct ks_skill_stat *stats, size_t n, const char *id)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(stats[i].skill, id) == 0)
            return &stats[i];
    return NULL;
}

static void print_stats(struct ks_verb_context *context, const struct ks_library *library,
                        const struct ks_skill_stat *stats, size_t n)
{
    static const char *const header[] = {"skill", "standing", ">attempts", ">correct", ">faster", ">geomean",
                                         ">mean", ">as predicted", "last"};
    struct ks_table table;
    json_t *rows = json_array();
    ks_table_begin(&table, context->arena, header, sizeof header / sizeof *header);
    for (size_t i = 0; i < library->skills.len; i++) {
        const struct ks_skill_standing *standing = &library->standings.at[i];
        const struct ks_skill_stat *s = stat_of(stats, n, standing->id);
        const struct ks_skill_stat none = {.skill = standing->id, .last = ""};
        if (s == NULL && standing->standing == KS_IN_USE)
            continue;
        s = s != NULL ? s : &none;
        ks_table_cell(&table, "%s", s->skill);
        ks_table_cell(&table, "%s", ks_standing_name(standing->standing));
        ks_table_cell(&table, "%d", s->attempts);
        ks_table_cell(&table, "%d", s->correct);
        ks_table_cell(&table, "%d", s->faster);
        ks_table_cell(&table, "%s", s->faster > 0 ? ks_arena_printf(context->arena, "%.2fx", s->geomean) : "");
        ks_table_cell(&table, "%s", s->mean > 0 ? ks_arena_printf(context->arena, "%.2fx", s->mean) : "");
        ks_table_cell(&table, "%d of %d", s->agreed, s->agreed + s->denied);
        ks_table_cell(&table, "%s", s->last);
        json_array_append_new(
            rows, json_pack("{s:s,s:s,s:s,s:i,s:i,s:i,s:f,s:f,s:i,s:i,s:s}", "skill", s->skill, "standing",
                            ks_standing_name(standing->standing), "reason", standing->reason, "attempts",
                            s->attempts, "correct", s->correct, "faster", s->faster, "geomean", s->geomean,
                            "mean", s->mean, "agreed", s->agreed, "denied", s->denied, "last", s->last));
    }
    if (context->json) {
        json_t *report = ks_json_report("ks.skill-stats");
        json_object_set_new(report, "skills", rows);
        ks_json_print(report);
        return;
    }
    size_t n_rows = json_array_size(rows);
    json_decref(rows);
    if (n_rows > 0)
        ks_table_print(&table, stdout);
    else
        printf("no skill was tried on this machine\n");
}

int verb_skills_stats(struct ks_verb_context *context)
{
    struct ks_library library;
    struct ks_outcomes *outcomes = NULL;
    struct ks_skill_stat *stats = NULL;
    struct ks_err err = {0};
    size_t n = 0;
    const struct ks_config *config = &context->config;
    enum ks_status status = ks_outcomes_look(config, &outcomes, &err);
    if (status == KS_OK && outcomes != NULL)
        status = ks_outcomes_stats(context->arena, outcomes, &stats, &n, &err);
    if (status == KS_OK)
        status = ks_library_load(context->arena, config, outcomes, true, &library, &err);
    ks_outcomes_close(outcomes);
    if (status != KS_OK)
        return verb_fail(context, &err);
    print_stats(context, &library, stats, n);
    return EXIT_OK;
}
