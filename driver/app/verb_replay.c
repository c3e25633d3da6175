#include "app/verb_replay.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "fmt/json.h"
#include "os/file.h"
#include "search/replay.h"

#define SHARE 0.95 // of the best ratio of the log
#define BATCH 16   // as in a search

static bool read_parts(const struct ks_strv *names, unsigned *without, const char **unknown)
{
    for (size_t i = 0; i < names->len; i++) {
        int part = 0;
        while (part < KS_PART_COUNT && strcmp(ks_part_name((enum ks_part)part), names->at[i]) != 0)
            part++;
        *unknown = names->at[i];
        if (part == KS_PART_COUNT)
            return false;
        *without |= 1u << part;
    }
    return true;
}

static json_t *row_of(const struct ks_replay_kernel *kernel, const struct ks_replay_result *r)
{
    return json_pack("{s:s,s:I,s:I,s:I,s:f,s:f}", "kernel", kernel->name, "candidates",
                     (json_int_t)kernel->nodes.len - 1, "needed", (json_int_t)r->needed, "asked",
                     (json_int_t)r->asked, "found", r->found, "best", kernel->best);
}

static void print_row(const struct ks_replay_kernel *kernel, const struct ks_replay_result *r)
{
    printf("%s: %.2fx after %zu of %zu candidates", kernel->name, r->found, r->asked,
           kernel->nodes.len - 1);
    if (r->needed > 0)
        printf(", %.2fx (%.0f %% of the best, %.2fx) after %zu\n", SHARE * kernel->best, SHARE * 100,
               kernel->best, r->needed);
    else
        printf("; the best, %.2fx, is hardly better than the original\n", kernel->best);
}

static const char *kernels_of(struct ks_arena *arena, const struct ks_replay_log *record)
{
    const char *names = "";
    for (size_t i = 0; i < record->kernels.len; i++)
        names = ks_arena_printf(arena, "%s%s%s", names, i > 0 ? ", " : "", record->kernels.at[i].name);
    return names;
}

int verb_replay(struct ks_verb_context *context, const struct verb_replay *replay)
{
    struct ks_err err = {0};
    struct ks_skill_list skills = {0};
    struct ks_replay_log record;
    struct ks_replay_options options = {.batch = BATCH, .share = SHARE};
    const char *unknown;
    int64_t seed = 1;
    if (replay->seed != NULL && (!ks_parse_i64(replay->seed, &seed) || seed < 0))
        return verb_usage(context, "--seed=%s is no whole number", replay->seed);
    if (!read_parts(&replay->without, &options.without, &unknown))
        return verb_usage(context, "--without=%s is no part of the search (docs/search.md)", unknown);
    options.seed = (uint64_t)seed;
    const char *dir = ks_path_join(context->arena, context->config.share_dir, "skills/expert");
    if (ks_skills_load(context->arena, dir, true, &skills, &err) != KS_OK ||
        ks_replay_load(context->arena, replay->log, &skills, &record, &err) != KS_OK)
        return verb_fail(context, &err);
    json_t *rows = json_array();
    size_t played = 0;
    for (size_t i = 0; i < record.kernels.len; i++) {
        struct ks_replay_result result;
        if (replay->kernel != NULL && strcmp(replay->kernel, record.kernels.at[i].name) != 0)
            continue;
        played++;
        if (ks_replay_search(&record, i, &options, &result, &err) != KS_OK) {
            json_decref(rows);
            return verb_fail(context, &err);
        }
        if (context->json)
            json_array_append_new(rows, row_of(&record.kernels.at[i], &result));
        else
            print_row(&record.kernels.at[i], &result);
    }
    if (context->json && played > 0) {
        json_t *report = ks_json_report("ks.replay");
        json_object_set(report, "kernels", rows);
        ks_json_print(report);
    }
    json_decref(rows);
    if (played > 0)
        return EXIT_OK;
    if (record.kernels.len == 0)
        ks_err_set(&err, KS_E_USER, "%s: no kernels", replay->log);
    else
        ks_err_set(&err, KS_E_USER, "%s: no kernel %s; there are: %s", replay->log, replay->kernel,
                   kernels_of(context->arena, &record));
    return verb_fail(context, &err);
}
