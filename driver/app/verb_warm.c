// ks warm: tunes what builds left pending, each under the command of its own compile.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

struct due { // one key
    const struct ks_pending *item;
    size_t first;
    double ns;
};

static int by_time(const void *a, const void *b)
{
    const struct due *x = a, *y = b;
    return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : x->first > y->first ? 1 : -1;
}

// Of all kernels that have the key: the same code under another name is tuned with it.
static double time_of_key(const struct tuning *tuning, const struct ks_pending *items, size_t n, size_t first)
{
    double ns = 0;
    for (size_t i = first; i < n; i++) {
        bool known = !ks_digest_eq(&items[i].key, &items[first].key);
        for (size_t k = first; k < i && !known; k++)
            known = ks_digest_eq(&items[k].key, &items[first].key) && strcmp(items[k].symbol, items[i].symbol) == 0;
        ns += known ? 0 : tuning_time_of(tuning, items[i].symbol);
    }
    return ns;
}

// Each key once: in the order in which they were met or, where they share a budget, the largest share first.
static size_t find_due(struct tuning *tuning, const struct ks_pending *items, size_t n, struct due *due)
{
    size_t found = 0;
    double all = 0;
    for (size_t i = 0; i < n; i++) {
        if (!ks_pending_first(items, i))
            continue;
        due[found] = (struct due){.item = &items[i], .first = i};
        due[found].ns = tuning->shares != NULL ? time_of_key(tuning, items, n, i) : 0;
        all += due[found++].ns;
    }
    qsort(due, found, sizeof *due, by_time);
    if (tuning->shares != NULL)
        tuning_divide(tuning, all);
    return found;
}

int tuning_pending(struct tuning *tuning)
{
    struct ks_verb_context *context = tuning->context;
    struct ks_pending *items = NULL;
    size_t n = 0;
    struct ks_err err = {0};
    char hex[KS_HASH_TEXT];
    if (ks_pending_list(context->arena, &context->config, &items, &n, &err) != KS_OK)
        return verb_fail(context, &err);
    if (n == 0) {
        if (!context->json)
            printf("nothing is pending: every marked kernel that was built has a decision\n");
        tuning->rows = json_array();
        return EXIT_OK;
    }
    int exit_code = tuning_begin(tuning);
    struct due *due = KS_NEW_ARRAY(context->arena, struct due, n);
    size_t n_due = exit_code == EXIT_OK ? find_due(tuning, items, n, due) : 0;
    bool shared = tuning->shares != NULL;
    tuning->shares = NULL; // a file's kernels have their slice of it already
    for (size_t i = 0; i < n_due && !ks_stop_requested(); i++) {
        const struct ks_pending *item = due[i].item;
        ks_digest_hex(&item->key, hex);
        if (shared && !tuning_take_share(tuning, item->kernel, hex, item->arch, due[i].ns))
            continue;
        item = latest(context, items, n, due[i].first);
        if (item != NULL)
            warm_one(tuning, item);
    }
    return exit_code;
}

int verb_warm(struct ks_verb_context *context)
{
    const char *budget = NULL, *shares = NULL;
    const struct verb_option options[] = {{.name = "--budget=", .value = &budget},
                                          {.name = "--shares=", .value = &shares}};
    const struct verb_syntax syntax = {.expects = "takes --budget=TIME, --shares=RECORDING and nothing else",
                                       .options = options, .n_options = 2};
    struct tuning tuning = {.context = context};
    struct ks_recording recording;
    struct verb_words words;
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (budget != NULL && !ks_seconds_parse(budget, &tuning.budget))
        return verb_usage(context, "--budget=%s is no time: 90, 90s or 5m", budget);
    exit_code = tuning_shares_option(&tuning, shares, &recording);
    if (exit_code != EXIT_OK)
        return exit_code;
    exit_code = tuning_pending(&tuning);
    return exit_code != EXIT_OK ? exit_code : tuning_end(&tuning, "ks.warm");
}
