#include "store/collect.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "os/file.h"
#include "os/lock.h"
#include "store/cache_scan.h"
#include "store/pin.h"
#include "store/store_path.h"
#include "store/used.h"

#define LOCK_SECONDS 30.0
#define DAY (24 * 3600)
#define IN_USE 3600 // seconds for which a shadow may be some compile's that is not over

const char *ks_cached_name(enum ks_cached kind)
{
    static const char *const names[] = {"decision", "manifest", "shadow", "leftover", "record"};
    return names[kind];
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct ks_digest));
}

static bool has_key(const struct ks_cache_scan *scan, const struct ks_digest *key)
{
    return scan->referenced.len > 0 && bsearch(key, scan->referenced.at, scan->referenced.len,
                                               sizeof *key, by_bytes) != NULL;
}

static bool has_shadow(const struct ks_cache_scan *scan, const char *path)
{
    for (size_t i = 0; i < scan->shadows.len; i++)
        if (strcmp(scan->shadows.at[i], ks_path_base(path)) == 0)
            return true;
    return false;
}

// Why an item must stay, or KS_KEPT_ROOM.
static enum ks_kept hold(const struct ks_cache_scan *scan, const struct ks_pins *pins,
                         const struct ks_cache_item *item, int64_t keep)
{
    bool live = item->kept == KS_KEPT_REFERENCED;
    switch (item->kind) {
    case KS_CACHED_DECISION:
        return ks_pins_have(pins, &item->key)  ? KS_KEPT_PINNED
               : has_key(scan, &item->key) ? KS_KEPT_REFERENCED
               : item->age < keep          ? KS_KEPT_RECENT
                                           : KS_KEPT_ROOM;
    case KS_CACHED_MANIFEST:
        return live && item->age < keep ? KS_KEPT_REFERENCED : KS_KEPT_ROOM;
    case KS_CACHED_SHADOW:
        return has_shadow(scan, item->path) ? KS_KEPT_REFERENCED
               : item->age < IN_USE         ? KS_KEPT_RECENT
                                            : KS_KEPT_ROOM;
    case KS_CACHED_LEFTOVER:
        return item->useless ? KS_KEPT_ROOM : KS_KEPT_RECENT;
    default:
        return KS_KEPT_RECORD;
    }
}

// What goes first comes first: what a compile makes again, then decisions; the longest unused.
static int by_turn(const void *a, const void *b)
{
    const struct ks_cache_item *x = *(struct ks_cache_item *const *)a;
    const struct ks_cache_item *y = *(struct ks_cache_item *const *)b;
    bool later_x = x->kind == KS_CACHED_DECISION, later_y = y->kind == KS_CACHED_DECISION;
    if (x->useless != y->useless)
        return x->useless ? -1 : 1;
    if (later_x != later_y)
        return later_x ? 1 : -1;
    if (x->age != y->age)
        return x->age > y->age ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void choose(struct ks_cache_scan *scan, const struct ks_pins *pins,
                   const struct ks_collect_options *options, struct ks_collection *out)
{
    struct ks_cache_item **turn = KS_NEW_ARRAY(scan->arena, struct ks_cache_item *, out->n + 1);
    size_t n = 0;
    if (scan->referenced.len > 0)
        qsort(scan->referenced.at, scan->referenced.len, sizeof *scan->referenced.at, by_bytes);
    for (size_t i = 0; i < out->n; i++) {
        struct ks_cache_item *item = &out->items[i];
        out->before += item->bytes;
        item->kept = hold(scan, pins, item, (int64_t)options->keep_days * DAY);
        if (item->kept == KS_KEPT_ROOM)
            turn[n++] = item;
    }
    out->after = out->before;
    qsort(turn, n, sizeof *turn, by_turn);
    for (size_t i = 0; i < n && (turn[i]->useless || out->after > options->max_bytes); i++) {
        turn[i]->kept = KS_KEPT_NOT;
        out->after -= turn[i]->bytes;
    }
}

// Readers meet the pair, or no decision: the text goes first.
static bool drop_decision(struct ks_arena *arena, const struct ks_cache_item *item)
{
    if (unlink(item->path) != 0)
        return false;
    (void)unlink(ks_arena_printf(arena, "%s" KS_STORE_SIGNATURE, item->path));
    (void)rmdir(ks_path_dir(arena, item->path));
    return true;
}

static bool drop(struct ks_cache_scan *scan, struct ks_cache_item *item)
{
    int64_t age = ks_used_age(item->path);
    if (age >= 0 && age < item->age) // somebody has used it since
        return false;
    switch (item->kind) {
    case KS_CACHED_DECISION:
        return drop_decision(scan->arena, item);
    case KS_CACHED_SHADOW:
        return ks_tree_remove(item->path, NULL) == KS_OK;
    default:
        return unlink(item->path) == 0;
    }
}

static enum ks_status drop_chosen(struct ks_cache_scan *scan, struct ks_collection *out,
                                  struct ks_err *err)
{
    struct ks_lock lock = {-1};
    bool decisions = false;
    for (size_t i = 0; i < out->n; i++)
        decisions |= out->items[i].kept == KS_KEPT_NOT && out->items[i].kind == KS_CACHED_DECISION;
    if (decisions)
        KS_TRY(ks_lock_take(ks_path_join(scan->arena, scan->tier.dir, ".lock"), LOCK_SECONDS, &lock,
                            err));
    for (size_t i = 0; i < out->n; i++) {
        struct ks_cache_item *item = &out->items[i];
        if (item->kept == KS_KEPT_NOT && !drop(scan, item))
            item->kept = KS_KEPT_RECENT;
    }
    enum ks_status status = decisions ? ks_store_index_write(scan->arena, &scan->tier, err) : KS_OK;
    ks_lock_release(&lock);
    return status;
}

enum ks_status ks_collect(struct ks_arena *arena, const struct ks_config *config,
                          const struct ks_collect_options *options, struct ks_collection *out,
                          struct ks_err *err)
{
    struct ks_store store;
    struct ks_pins pins;
    struct ks_config alone = *config;
    *out = (struct ks_collection){.max_bytes = options->max_bytes};
    if (config->cache_dir == NULL)
        KS_FAIL(err, KS_E_IO, "no cache directory; set KS_CACHE_DIR");
    if (config->readonly && !options->dry_run)
        KS_FAIL(err, KS_E_USER, "the configuration is read-only (KS_READONLY): nothing is dropped");
    alone.store_dirs = (struct ks_strv){0};
    ks_store_open(arena, &alone, NULL, &store);
    struct ks_cache_scan scan = {.arena = arena, .config = config, .tier = store.tiers[0]};
    struct ks_lock lock = {-1};
    if (!ks_is_dir(config->cache_dir))
        return KS_OK;
    if (!options->dry_run)
        KS_TRY(ks_lock_take(ks_path_join(arena, config->cache_dir, ".lock"), LOCK_SECONDS, &lock,
                            err));
    ks_pins_read(arena, config, &pins);
    ks_cache_scan(&scan);
    out->items = scan.items.at;
    out->n = scan.items.len;
    choose(&scan, &pins, options, out);
    enum ks_status status = KS_OK;
    if (!options->dry_run) {
        status = drop_chosen(&scan, out, err);
        out->after = ks_cache_size(config->cache_dir); // the index is smaller now
    }
    ks_lock_release(&lock);
    return status;
}

void ks_collect_if_full(const struct ks_config *config)
{
    if (config->cache_dir == NULL || config->readonly ||
        ks_cache_size(config->cache_dir) <= config->cache_max)
        return;
    struct ks_arena arena = {0};
    struct ks_collection collection;
    struct ks_err err = {0};
    const struct ks_collect_options options = {.max_bytes = config->cache_max,
                                               .keep_days = KS_KEEP_DAYS};
    if (ks_collect(&arena, config, &options, &collection, &err) != KS_OK)
        ks_info("%s", err.text);
    else if (collection.after > collection.max_bytes)
        ks_info("%s holds more than KS_CACHE_MAX: all of it is in use", config->cache_dir);
    ks_arena_free(&arena);
}
