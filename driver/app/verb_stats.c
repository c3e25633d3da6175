// ks stats: outcomes of builds by reason, and the record of each skill.
#include <stdio.h>
#include <string.h>

#include "app/verb.h"
#include "fmt/json.h"
#include "fmt/table.h"
#include "memory/outcomes.h"
#include "os/file.h"
#include "store/pending.h"

static void print_skills(struct ks_arena *arena, const struct ks_skill_stat *stats, size_t n)
{
    static const char *const header[] = {"skill", ">attempts", ">correct", ">faster", ">geomean"};
    struct ks_table table;
    ks_table_begin(&table, arena, header, 5);
    for (size_t i = 0; i < n; i++) {
        ks_table_cell(&table, "%s", stats[i].skill);
        ks_table_cell(&table, "%d", stats[i].attempts);
        ks_table_cell(&table, "%d", stats[i].correct);
        ks_table_cell(&table, "%d", stats[i].faster);
        if (stats[i].faster > 0)
            ks_table_cell(&table, "%.2fx", stats[i].geomean);
        else
            ks_table_cell(&table, "-");
    }
    ks_table_print(&table, stdout);
}

struct stats {
    long counts[KS_R_COUNT];
    size_t n_pending;
    struct ks_skill_stat *skills;
    size_t n_skills;
};

// Looking never makes a memory where there is none.
static enum ks_status load_skills(struct ks_verb_context *context, struct stats *stats,
                                  struct ks_err *err)
{
    const struct ks_config *config = &context->config;
    struct ks_outcomes *outcomes = NULL;
    if (config->state_dir == NULL ||
        !ks_file_exists(ks_path_join(context->arena, config->state_dir, "memory.db")))
        return KS_OK;
    KS_TRY(ks_outcomes_open(config, &outcomes, err));
    enum ks_status status =
        ks_outcomes_stats(context->arena, outcomes, &stats->skills, &stats->n_skills, err);
    ks_outcomes_close(outcomes);
    return status;
}

static enum ks_status load(struct ks_verb_context *context, struct stats *stats, struct ks_err *err)
{
    struct ks_pending *items;
    if (context->config.cache_dir != NULL) {
        enum ks_status status = ks_outcome_counts(&context->config, stats->counts, err);
        if (status != KS_OK && status != KS_E_ABSENT)
            return status;
        KS_TRY(ks_pending_list(context->arena, &context->config, &items, &stats->n_pending, err));
    }
    return load_skills(context, stats, err);
}

static void print_json(const struct stats *stats)
{
    json_t *report = ks_json_report("ks.stats"), *reasons = json_object(), *rows = json_array();
    for (int i = 0; i < KS_R_COUNT; i++)
        json_object_set_new(reasons, ks_reason_name((enum ks_reason)i),
                            json_integer(stats->counts[i]));
    for (size_t i = 0; i < stats->n_skills; i++) {
        const struct ks_skill_stat *s = &stats->skills[i];
        json_array_append_new(rows, json_pack("{s:s,s:i,s:i,s:i,s:f}", "skill", s->skill,
                                              "attempts", s->attempts, "correct", s->correct,
                                              "faster", s->faster, "geomean", s->geomean));
    }
    json_object_set_new(report, "reasons", reasons);
    json_object_set_new(report, "pending", json_integer((json_int_t)stats->n_pending));
    json_object_set_new(report, "skills", rows);
    ks_json_print(report);
}

static void print(struct ks_arena *arena, const struct stats *stats)
{
    long total = 0;
    for (int i = 0; i < KS_R_COUNT; i++)
        total += stats->counts[i];
    printf("marked kernels met in builds: %ld\n", total);
    for (int i = 0; i < KS_R_COUNT; i++)
        if (stats->counts[i] > 0)
            printf("  %-24s %8ld  %s\n", ks_reason_name((enum ks_reason)i), stats->counts[i],
                   ks_reason_text((enum ks_reason)i));
    printf("pending now: %zu%s\n", stats->n_pending,
           stats->n_pending > 0 ? "; `ks warm` tunes them" : "");
    if (stats->n_skills > 0)
        print_skills(arena, stats->skills, stats->n_skills);
    else
        printf("no skill was tried yet\n");
}

int verb_stats(struct ks_verb_context *context)
{
    static const struct verb_syntax syntax = {.expects = "takes no arguments"};
    struct verb_words words;
    struct stats stats = {0};
    struct ks_err err = {0};
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (load(context, &stats, &err) != KS_OK)
        return verb_fail(context, &err);
    if (context->json)
        print_json(&stats);
    else
        print(context->arena, &stats);
    return EXIT_OK;
}
