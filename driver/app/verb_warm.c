// ks warm: tunes what builds left pending, each under the command of its own compile.
#include <stdio.h>
#include <unistd.h>

#include "app/verb_tune.h"
#include "os/file.h"
#include "os/proc.h"
#include "store/pending.h"

// Sources move and folders are deleted: what cannot be compiled any more is no longer pending.
static bool is_gone(struct ks_verb_context *context, const struct ks_pending *item)
{
    const char *gone = !ks_file_exists(item->file) ? item->file
                       : chdir(item->cwd) != 0     ? item->cwd : NULL;
    if (gone == NULL)
        return false;
    fprintf(stderr, "ks: %s: %s is gone; no longer pending there\n", item->kernel, gone);
    ks_pending_gone(&context->config, item);
    return true;
}

// The latest compile of items[first]'s key that can still be done, or NULL.
static const struct ks_pending *latest(struct ks_verb_context *context,
                                       const struct ks_pending *items, size_t n, size_t first)
{
    for (size_t i = n; i-- > first;)
        if (ks_digest_eq(&items[i].key, &items[first].key) && !is_gone(context, &items[i]))
            return &items[i];
    return NULL;
}

static void warm_one(struct tuning *tuning, const struct ks_pending *item)
{
    struct ks_verb_context *context = tuning->context;
    char hex[KS_HASH_TEXT];
    struct ks_err err = {0};
    ks_digest_hex(&item->key, hex);
    tuning->keys = (struct ks_strv){0};
    ks_strv_add(context->arena, &tuning->keys, ks_arena_strdup(context->arena, hex));
    enum ks_status status = tuning_file(tuning, item->file, NULL, item->argv, &err);
    if (status == KS_OK)
        return;
    tuning_report_file(tuning, item->file, item->kernel, &err);
    int exit_code = status == KS_E_USER ? EXIT_USAGE : EXIT_FAULT;
    tuning->exit_code = exit_code > tuning->exit_code ? exit_code : tuning->exit_code;
}

int tuning_pending(struct tuning *tuning)
{
    struct ks_verb_context *context = tuning->context;
    struct ks_pending *items = NULL;
    size_t n = 0;
    struct ks_err err = {0};
    if (ks_pending_list(context->arena, &context->config, &items, &n, &err) != KS_OK)
        return verb_fail(context, &err);
    if (n == 0) {
        if (!context->json)
            printf("nothing is pending: every marked kernel that was built has a decision\n");
        tuning->rows = json_array();
        return EXIT_OK;
    }
    int exit_code = tuning_begin(tuning);
    for (size_t i = 0; exit_code == EXIT_OK && i < n && !ks_stop_requested(); i++) {
        const struct ks_pending *item =
            ks_pending_first(items, i) ? latest(context, items, n, i) : NULL;
        if (item != NULL)
            warm_one(tuning, item);
    }
    return exit_code;
}

int verb_warm(struct ks_verb_context *context)
{
    const char *budget = NULL;
    const struct verb_option options[] = {{.name = "--budget=", .value = &budget}};
    const struct verb_syntax syntax = {.expects = "takes --budget=TIME and nothing else",
                                       .options = options, .n_options = 1};
    struct tuning tuning = {.context = context};
    struct verb_words words;
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (budget != NULL && !ks_seconds_parse(budget, &tuning.budget))
        return verb_usage(context, "--budget=%s is no time: 90, 90s or 5m", budget);
    exit_code = tuning_pending(&tuning);
    return exit_code != EXIT_OK ? exit_code : tuning_end(&tuning, "ks.warm");
}
