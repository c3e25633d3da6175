// ks gc: keeps the cache directory below its size, and pins what must stay.
#include <stdio.h>
#include <string.h>

#include "app/verb_decision.h"
#include "fmt/table.h"
#include "os/file.h"
#include "store/collect.h"
#include "store/pending.h"
#include "store/pin.h"

#define DAY 86400

struct tidying {
    struct ks_verb_context *context;
    struct ks_collect_options options;
    struct ks_collection collection;
    struct ks_pins pins;
    size_t pending; // compiles that were waiting and whose files are gone
};

static const char *const kept_names[] = {"room",       "record", "pinned",
                                         "referenced", "recent", "dropped"};

static size_t count(const struct tidying *t, int kind, enum ks_kept kept)
{
    size_t n = 0;
    for (size_t i = 0; i < t->collection.n; i++)
        n += t->collection.items[i].kept == kept &&
             (kind < 0 || (int)t->collection.items[i].kind == kind);
    return n;
}

static const char *size_text(struct ks_arena *arena, int64_t bytes)
{
    return bytes < 10 << 20 ? ks_arena_printf(arena, "%.1f KiB", (double)bytes / 1024)
                            : ks_arena_printf(arena, "%.1f MiB", (double)bytes / 1024 / 1024);
}

static void print(const struct tidying *t)
{
    struct ks_arena *arena = t->context->arena;
    const struct ks_collection *c = &t->collection;
    const char *would = t->options.dry_run ? "would drop" : "dropped";
    for (size_t i = 0; i < c->n; i++)
        if (c->items[i].kept == KS_KEPT_NOT)
            printf("%s %s, unused for %lld days: %s\n", would, ks_cached_name(c->items[i].kind),
                   (long long)(c->items[i].age / DAY), c->items[i].path);
    if (t->pending > 0)
        printf("%s %zu pending compiles whose files are gone\n", would, t->pending);
    printf("%s: %s, was %s, limit %s; %s %zu\n", t->context->config.cache_dir,
           size_text(arena, c->after), size_text(arena, c->before), size_text(arena, c->max_bytes),
           would, count(t, -1, KS_KEPT_NOT));
    printf("kept although unused: %zu pinned, %zu that a build refers to, %zu used within %d days\n",
           count(t, -1, KS_KEPT_PINNED), count(t, -1, KS_KEPT_REFERENCED),
           count(t, KS_CACHED_DECISION, KS_KEPT_RECENT), t->options.keep_days);
    if (c->after > c->max_bytes)
        printf("all that is left is in use: `--keep=DAYS` shortens what counts as that, "
               "KS_CACHE_MAX raises the limit\n");
}

static json_t *item_row(const struct ks_cache_item *item)
{
    char hex[KS_HASH_TEXT];
    json_t *row = json_object();
    ks_digest_hex(&item->key, hex);
    json_object_set_new(row, "kind", json_string(ks_cached_name(item->kind)));
    json_object_set_new(row, "path", json_string(item->path));
    json_object_set_new(row, "key",
                        item->kind == KS_CACHED_DECISION ? json_string(hex) : json_null());
    json_object_set_new(row, "bytes", json_integer(item->bytes));
    json_object_set_new(row, "days", json_integer(item->age / DAY));
    return row;
}

static void print_json(const struct tidying *t)
{
    const struct ks_collection *c = &t->collection;
    json_t *report = ks_json_report("ks.gc"), *dropped = json_array(), *kept = json_object();
    json_t *pins = json_array();
    for (size_t i = 0; i < c->n; i++)
        if (c->items[i].kept == KS_KEPT_NOT)
            json_array_append_new(dropped, item_row(&c->items[i]));
    for (int k = 0; k < KS_KEPT_NOT; k++)
        json_object_set_new(kept, kept_names[k],
                            json_integer((json_int_t)count(t, -1, (enum ks_kept)k)));
    for (size_t i = 0; i < t->pins.len; i++) {
        char hex[KS_HASH_TEXT];
        ks_digest_hex(&t->pins.at[i], hex);
        json_array_append_new(pins, json_string(hex));
    }
    json_object_set_new(report, "dir", json_string(t->context->config.cache_dir));
    json_object_set_new(report, "dry_run", json_boolean(t->options.dry_run));
    json_object_set_new(report, "limit", json_integer(c->max_bytes));
    json_object_set_new(report, "before", json_integer(c->before));
    json_object_set_new(report, "after", json_integer(c->after));
    json_object_set_new(report, "dropped", dropped);
    json_object_set_new(report, "kept", kept);
    json_object_set_new(report, "pending_dropped", json_integer((json_int_t)t->pending));
    json_object_set_new(report, "pins", pins);
    ks_json_print(report);
}

// A compile that cannot be made again is nothing to tune.
static enum ks_status drop_pending(struct tidying *t, struct ks_err *err)
{
    struct ks_pending *items;
    size_t n;
    KS_TRY(ks_pending_list(t->context->arena, &t->context->config, &items, &n, err));
    for (size_t i = 0; i < n; i++) {
        if (ks_file_exists(items[i].file) && ks_is_dir(items[i].cwd))
            continue;
        t->pending++;
        if (!t->options.dry_run)
            ks_pending_gone(&t->context->config, &items[i]);
    }
    return KS_OK;
}

// Every key that a word means; a whole key needs no decision yet.
static enum ks_status pin(struct ks_verb_context *context, const struct ks_strv *words, bool pinned,
                          struct ks_err *err)
{
    struct verb_decision_list list = {0};
    KS_TRY(verb_decisions_load(context, ".", &list, err));
    for (size_t i = 0; i < words->len; i++) {
        const char *last = "";
        struct ks_digest key;
        if (strlen(words->at[i]) == KS_HASH_TEXT - 1 && ks_digest_parse(words->at[i], &key)) {
            KS_TRY(ks_pin_set(&context->config, &key, pinned, err));
            last = words->at[i];
        }
        ks_vec_each (struct verb_decision, d, &list) {
            if (strcmp(d->key, last) == 0 ||
                !verb_decision_goes_by(context->arena, d, words->at[i]))
                continue;
            last = d->key;
            if (!ks_digest_parse(d->key, &key))
                continue;
            KS_TRY(ks_pin_set(&context->config, &key, pinned, err));
            if (!context->json)
                printf("%s %.12s %s\n", pinned ? "pinned" : "let go", d->key, d->kernel);
        }
        if (last[0] == '\0')
            KS_FAIL(err, KS_E_USER, "no stored kernel, key or variant `%s`", words->at[i]);
    }
    return KS_OK;
}

int verb_gc(struct ks_verb_context *context)
{
    const char *dry = NULL, *size = NULL, *keep = NULL;
    struct ks_strv pins = {0}, unpins = {0};
    const struct verb_option options[] = {
        {.name = "--dry-run", .value = &dry},   {.name = "--max-size=", .value = &size},
        {.name = "--keep=", .value = &keep},    {.name = "--pin=", .values = &pins},
        {.name = "--unpin=", .values = &unpins}};
    const struct verb_syntax syntax = {.expects = "takes options alone",
                                       .options = options, .n_options = 5};
    struct tidying t = {.context = context,
                        .options = {.max_bytes = context->config.cache_max,
                                    .keep_days = KS_KEEP_DAYS}};
    struct verb_words words;
    struct ks_err err = {0};
    int64_t days = KS_KEEP_DAYS;
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    t.options.dry_run = dry != NULL;
    if (size != NULL && strcmp(size, "0") != 0 && !ks_size_parse(size, &t.options.max_bytes))
        return verb_usage(context, "--max-size=%s is no size: bytes, 500M, 2G", size);
    if (size != NULL && strcmp(size, "0") == 0)
        t.options.max_bytes = 0;
    if (keep != NULL && (!ks_parse_i64(keep, &days) || days < 0 || days > 36500))
        return verb_usage(context, "--keep=%s is no number of days", keep);
    t.options.keep_days = (int)days;
    if (pins.len + unpins.len > 0 && (size != NULL || keep != NULL || dry != NULL))
        return verb_usage(context, "--pin and --unpin drop nothing: give them alone");
    if (pins.len + unpins.len > 0) {
        if (pin(context, &pins, true, &err) != KS_OK || pin(context, &unpins, false, &err) != KS_OK)
            return verb_fail(context, &err);
        if (!context->json)
            return EXIT_OK;
        t.options.dry_run = true;
    }
    if (ks_collect(context->arena, &context->config, &t.options, &t.collection, &err) != KS_OK ||
        drop_pending(&t, &err) != KS_OK)
        return verb_fail(context, &err);
    ks_pins_read(context->arena, &context->config, &t.pins);
    context->json ? print_json(&t) : print(&t);
    return EXIT_OK;
}
