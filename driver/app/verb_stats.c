// ks stats: outcomes of builds by reason, and the record of each skill.
#include <stdio.h>
#include <string.h>

#include "app/verb.h"
#include "fmt/json.h"
#include "fmt/table.h"
#include "memory/outcomes.h"
#include "os/file.h"
#include "store/pending.h"
#include "store/tally.h"

struct stats {
    struct ks_tally tally;
    const struct ks_tally_build *build; // the one asked for, or NULL
    size_t n_pending;
    struct ks_skill_stat *skills;
    size_t n_skills;
};

static enum ks_status load_skills(struct ks_verb_context *context, struct stats *stats,
                                  struct ks_err *err)
{
    const struct ks_config *config = &context->config;
    struct ks_outcomes *outcomes = NULL;
    KS_TRY(ks_outcomes_look(config, &outcomes, err));
    if (outcomes == NULL)
        return KS_OK;
    enum ks_status status =
        ks_outcomes_stats(context->arena, outcomes, &stats->skills, &stats->n_skills, err);
    ks_outcomes_close(outcomes);
    return status;
}

static enum ks_status load(struct ks_verb_context *context, struct stats *stats, struct ks_err *err)
{
    struct ks_pending *items;
    size_t n;
    KS_TRY(ks_tally_read(context->arena, &context->config, &stats->tally, err));
    if (context->config.cache_dir != NULL) {
        KS_TRY(ks_pending_list(context->arena, &context->config, &items, &n, err));
        stats->n_pending = ks_pending_keys(items, n);
    }
    return load_skills(context, stats, err);
}

// By its name as `ks stats` prints it, or by any way to write its folder.
static enum ks_status find_build(struct ks_arena *arena, const char *name, struct stats *stats,
                                 struct ks_err *err)
{
    const char *real = ks_path_real(arena, name);
    for (size_t i = 0; i < stats->tally.n_builds; i++) {
        const struct ks_tally_build *build = &stats->tally.builds[i];
        if (strcmp(build->name, name) == 0 || (real != NULL && strcmp(build->name, real) == 0)) {
            stats->build = build;
            return KS_OK;
        }
    }
    KS_FAIL(err, KS_E_USER,
            "%s: no build there met a marked kernel; `ks stats` lists those that did", name);
}

static void count(const struct ks_tally_build *build, long counts[KS_R_COUNT])
{
    memset(counts, 0, KS_R_COUNT * sizeof *counts);
    for (size_t i = 0; i < build->n; i++)
        counts[build->kernels[i].reason]++;
}

// Kernels that have a variant on modelled evidence (KS_ACCEPT=modelled).
static long modelled(const struct ks_tally_build *build)
{
    long n = 0;
    for (size_t i = 0; i < build->n; i++)
        n += build->kernels[i].reason == KS_R_APPLIED &&
             ks_ends_with(build->kernels[i].text, KS_STORE_MODELLED);
    return n;
}

// Paths may hold bytes that are no UTF-8, which JSON cannot carry.
static json_t *text_json(struct ks_arena *arena, const char *text)
{
    json_t *value = json_string(text);
    if (value != NULL)
        return value;
    char *ascii = ks_arena_strdup(arena, text);
    for (char *at = ascii; *at != '\0'; at++)
        *at = (unsigned char)*at >= 0x80 ? '?' : *at;
    return json_string(ascii);
}

static json_t *counts_json(const long counts[KS_R_COUNT])
{
    json_t *reasons = json_object();
    for (int i = 0; i < KS_R_COUNT; i++)
        json_object_set_new(reasons, ks_reason_name((enum ks_reason)i), json_integer(counts[i]));
    return reasons;
}

static json_t *build_json(struct ks_arena *arena, const struct ks_tally_build *build)
{
    long counts[KS_R_COUNT];
    count(build, counts);
    return json_pack("{s:o,s:s,s:I,s:I,s:o}", "build", text_json(arena, build->name), "when",
                     build->when, "kernels", (json_int_t)build->n, "modelled",
                     (json_int_t)modelled(build), "reasons", counts_json(counts));
}

static json_t *kernel_json(struct ks_arena *arena, const struct ks_tally_kernel *k)
{
    json_t *row = json_object();
    json_object_set_new(row, "kernel", text_json(arena, k->kernel));
    json_object_set_new(row, "file", text_json(arena, k->file));
    json_object_set_new(row, "line", json_integer(k->line));
    json_object_set_new(row, "arch", k->arch > 0 ? json_sprintf("sm_%d", k->arch) : json_null());
    json_object_set_new(row, "key", k->key[0] != '\0' ? json_string(k->key) : json_null());
    json_object_set_new(row, "reason", json_string(ks_reason_name(k->reason)));
    json_object_set_new(row, "text", text_json(arena, k->text));
    json_object_set_new(row, "object", text_json(arena, k->object));
    json_object_set_new(row, "when", json_string(k->when));
    return row;
}

static void print_json(struct ks_arena *arena, const struct stats *stats)
{
    json_t *report = ks_json_report("ks.stats"), *rows = json_array(), *builds = json_array(),
           *kernels = json_array();
    const struct ks_tally *tally = &stats->tally;
    for (size_t i = 0; i < stats->n_skills; i++) {
        const struct ks_skill_stat *s = &stats->skills[i];
        json_array_append_new(rows, json_pack("{s:s,s:i,s:i,s:i,s:f}", "skill", s->skill,
                                              "attempts", s->attempts, "correct", s->correct,
                                              "faster", s->faster, "geomean", s->geomean));
    }
    for (size_t i = 0; i < tally->n_builds; i++)
        if (stats->build == NULL || stats->build == &tally->builds[i])
            json_array_append_new(builds, build_json(arena, &tally->builds[i]));
    for (size_t i = 0; stats->build != NULL && i < stats->build->n; i++)
        json_array_append_new(kernels, kernel_json(arena, &stats->build->kernels[i]));
    json_object_set_new(report, "since",
                        tally->since[0] != '\0' ? json_string(tally->since) : json_null());
    json_object_set_new(report, "reasons", counts_json(tally->counts));
    json_object_set_new(report, "builds", builds);
    json_object_set_new(report, "kernels", kernels);
    json_object_set_new(report, "pending", json_integer((json_int_t)stats->n_pending));
    json_object_set_new(report, "skills", rows);
    ks_json_print(report);
}

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

static void print_counts(const long counts[KS_R_COUNT])
{
    for (int i = 0; i < KS_R_COUNT; i++)
        if (counts[i] > 0)
            printf("  %-24s %8ld  %s\n", ks_reason_name((enum ks_reason)i), counts[i],
                   ks_reason_text((enum ks_reason)i));
}

static void print_builds(const struct ks_tally *tally)
{
    if (tally->n_builds > 0)
        printf("builds, each object as it was compiled last (`ks stats --build=FOLDER` lists the "
               "kernels):\n");
    for (size_t i = 0; i < tally->n_builds; i++) {
        const struct ks_tally_build *build = &tally->builds[i];
        const char *before = "";
        long counts[KS_R_COUNT];
        count(build, counts);
        printf("  %s  %s: ", build->when, build->name);
        for (int r = 0; r < KS_R_COUNT; r++)
            if (counts[r] > 0) {
                printf("%s%ld %s", before, counts[r], ks_reason_name((enum ks_reason)r));
                before = ", ";
            }
        if (modelled(build) > 0)
            printf(" (%ld of the applied on modelled evidence)", modelled(build));
        printf("\n");
    }
}

static void print(struct ks_arena *arena, const struct stats *stats)
{
    const struct ks_tally *tally = &stats->tally;
    long total = 0;
    for (int i = 0; i < KS_R_COUNT; i++)
        total += tally->counts[i];
    printf("marked kernels met in builds%s%s: %ld\n", total > 0 ? " since " : "",
           total > 0 ? tally->since : "", total);
    print_counts(tally->counts);
    print_builds(tally);
    printf("pending now: %zu%s\n", stats->n_pending,
           stats->n_pending > 0 ? "; `ks warm` tunes them" : "");
    if (stats->n_skills > 0)
        print_skills(arena, stats->skills, stats->n_skills);
    else
        printf("no skill was tried yet\n");
}

static void print_build(const struct ks_tally_build *build)
{
    long counts[KS_R_COUNT];
    count(build, counts);
    printf("%s, last compiled %s: %zu marked kernels\n", build->name, build->when, build->n);
    print_counts(counts);
    for (size_t i = 0; i < build->n; i++) {
        const struct ks_tally_kernel *k = &build->kernels[i];
        char arch[24] = "", line[24] = "";
        if (k->arch > 0)
            snprintf(arch, sizeof arch, ", sm_%d", k->arch);
        if (k->line > 0)
            snprintf(line, sizeof line, ":%d", k->line);
        printf("%s%s: %s%s: %s%s%s\n", k->file, line, k->kernel, arch, ks_reason_name(k->reason),
               k->text[0] != '\0' ? ": " : "", k->text);
    }
}

int verb_stats(struct ks_verb_context *context)
{
    const char *build = NULL, *zero = NULL;
    const struct verb_option options[] = {{.name = "--build=", .value = &build},
                                          {.name = "--zero", .value = &zero}};
    const struct verb_syntax syntax = {.expects = "takes --build=FOLDER or --zero and nothing else",
                                       .options = options,
                                       .n_options = 2};
    struct verb_words words;
    struct stats stats = {0};
    struct ks_err err = {0};
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (load(context, &stats, &err) != KS_OK ||
        (build != NULL && find_build(context->arena, build, &stats, &err) != KS_OK) ||
        (zero != NULL && ks_tally_zero(&context->config, &err) != KS_OK))
        return verb_fail(context, &err);
    if (context->json)
        print_json(context->arena, &stats);
    else if (stats.build != NULL)
        print_build(stats.build);
    else
        print(context->arena, &stats);
    if (zero != NULL && !context->json)
        printf("counters of builds are zero from now on\n");
    return EXIT_OK;
}
