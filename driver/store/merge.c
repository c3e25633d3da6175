#include "store/merge.h"

#include <string.h>

#include "os/file.h"
#include "os/lock.h"
#include "store/pin.h"
#include "store/store_path.h"

#define LOCK_SECONDS 30.0

const char *ks_merged_name(enum ks_merged value)
{
    static const char *const names[] = {"new",         "beside",      "replaced",  "same",
                                        "kept-better", "kept-pinned", "untrusted", "newer-format"};
    return names[value];
}

bool ks_merged_written(enum ks_merged value)
{
    return value <= KS_MERGED_REPLACED;
}

static const char *place(struct ks_arena *arena, const struct ks_bundled *d)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&d->key, hex);
    return ks_arena_printf(arena, "%.12s/%s", hex, d->name);
}

static bool lists_id(const struct ks_tier *tier, const unsigned char id[8])
{
    for (size_t i = 0; i < tier->n_keys; i++)
        if (memcmp(tier->keys[i].id, id, sizeof tier->keys[i].id) == 0)
            return true;
    return false;
}

// What the decision says and whose it is; UNTRUSTED and NEWER are results, damage is an error.
static enum ks_status examine(struct ks_arena *arena, const struct ks_tier *tier,
                              struct ks_merge_item *item, struct ks_err *err)
{
    const struct ks_bundled *d = item->from;
    const struct ks_config any = {.accept = KS_ACCEPT_MODELLED}; // what is taken is the build's to say
    unsigned char id[8];
    if (ks_signature_id(d->signature, id, err) != KS_OK)
        return ks_err_set(err, KS_E_FORMAT, "%s: its signature is damaged", place(arena, d));
    char *signer = ks_arena_alloc(arena, 17);
    ks_key_id_text(id, signer);
    item->signer = signer;
    item->text = "";
    ks_store_judge(arena, tier, &any, d, place(arena, d), &item->lookup);
    switch (item->lookup.reason) {
    case KS_R_APPLIED:
    case KS_R_ORIGINAL_WINS:
        return KS_OK;
    case KS_R_NEWER_FORMAT:
        item->result = KS_MERGED_NEWER;
        item->text = item->lookup.text;
        return KS_OK;
    case KS_R_UNTRUSTED:
        if (lists_id(tier, id)) // by a key that is trusted, or one that says so
            return ks_err_set(err, KS_E_FORMAT, "%s", item->lookup.text);
        item->result = KS_MERGED_UNTRUSTED;
        item->text = item->lookup.text;
        return KS_OK;
    default:
        return ks_err_set(err, KS_E_FORMAT, "%s", item->lookup.text);
    }
}

static bool same_bytes(struct ks_arena *arena, const char *path, struct ks_slice text)
{
    struct ks_slice there;
    return ks_file_read(arena, path, text.len, &there, NULL) == KS_OK && there.len == text.len &&
           memcmp(there.at, text.at, text.len) == 0;
}

static const struct ks_found *find_variant(const struct ks_lookup *there, const char *id)
{
    for (size_t i = 0; i < there->n_variants; i++)
        if (strcmp(there->variants[i].variant.id, id) == 0)
            return &there->variants[i];
    return NULL;
}

// More was tried, or the search ended by itself: a better reason to stay with the original.
static bool tried_more(const struct ks_original_decision *a, const struct ks_original_decision *b)
{
    return a->complete != b->complete ? a->complete : a->tried > b->tried;
}

static enum ks_merged settle_variant(struct ks_arena *arena, const struct ks_merge_item *item,
                                     const struct ks_lookup *there)
{
    const struct ks_found *old = find_variant(there, item->from->name);
    if (old == NULL)
        return there->n_variants > 0                    ? KS_MERGED_BESIDE
               : there->reason == KS_R_ORIGINAL_WINS ? KS_MERGED_REPLACED
                                                     : KS_MERGED_NEW;
    if (same_bytes(arena, old->path, item->from->text))
        return KS_MERGED_SAME;
    const struct ks_variant *new = &item->lookup.variants[0].variant;
    bool better = strcmp(new->evidence.level, old->variant.evidence.level) == 0
                      ? new->lower > old->variant.lower
                      : strcmp(new->evidence.level, "measured") == 0;
    return better ? KS_MERGED_REPLACED : KS_MERGED_KEPT_BETTER;
}

static enum ks_merged settle_original(struct ks_arena *arena, const struct ks_merge_item *item,
                                      const struct ks_lookup *there)
{
    if (there->n_variants > 0)
        return KS_MERGED_KEPT_BETTER;
    if (there->reason != KS_R_ORIGINAL_WINS)
        return KS_MERGED_NEW;
    if (same_bytes(arena, there->text, item->from->text))
        return KS_MERGED_SAME;
    return tried_more(&item->lookup.original, &there->original) ? KS_MERGED_REPLACED
                                                                : KS_MERGED_KEPT_BETTER;
}

static enum ks_merged settle(struct ks_arena *arena, const struct ks_tier *tier,
                             const struct ks_pins *pins, const struct ks_merge_options *options,
                             const struct ks_merge_item *item)
{
    const struct ks_config any = {.accept = KS_ACCEPT_MODELLED};
    const struct ks_store alone = {.tiers = {*tier}, .n_tiers = 1, .readonly = true};
    struct ks_lookup there;
    ks_store_lookup(arena, &alone, &any, &item->from->key, &there);
    bool decided = there.reason == KS_R_APPLIED || there.reason == KS_R_ORIGINAL_WINS;
    enum ks_merged result = item->lookup.reason == KS_R_ORIGINAL_WINS
                                ? settle_original(arena, item, &there)
                                : settle_variant(arena, item, &there);
    if (options->replace && result == KS_MERGED_KEPT_BETTER)
        result = KS_MERGED_REPLACED;
    if (!options->replace && decided && ks_merged_written(result) &&
        ks_pins_have(pins, &item->from->key))
        result = KS_MERGED_KEPT_PINNED;
    return result;
}

static enum ks_status write_all(struct ks_arena *arena, const struct ks_tier *tier,
                                const struct ks_merge_item *items, size_t n, struct ks_err *err)
{
    enum ks_status status = KS_OK;
    for (size_t i = 0; i < n && status == KS_OK; i++)
        if (ks_merged_written(items[i].result))
            status = ks_store_place(arena, tier, items[i].from, err);
    // Also after a failure: what is there is told.
    enum ks_status index = ks_store_index_write(arena, tier, status == KS_OK ? err : NULL);
    return status == KS_OK ? index : status;
}

enum ks_status ks_store_merge(struct ks_arena *arena, const struct ks_config *config,
                              const struct ks_tier *tier, const struct ks_bundled *decisions,
                              size_t n, const struct ks_merge_options *options,
                              struct ks_merge_item *items, struct ks_err *err)
{
    struct ks_pins pins;
    struct ks_lock lock = {-1};
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        items[i] = (struct ks_merge_item){.from = &decisions[i], .result = KS_MERGED_NEW};
        KS_TRY(examine(arena, tier, &items[i], err));
        any |= items[i].result == KS_MERGED_NEW;
    }
    if (!any)
        return KS_OK;
    any = false;
    if (!options->dry_run) {
        KS_TRY(ks_store_tier_make(arena, tier, err));
        KS_TRY(ks_lock_take(ks_path_join(arena, tier->dir, ".lock"), LOCK_SECONDS, &lock, err));
    }
    ks_pins_read(arena, config, &pins);
    for (size_t i = 0; i < n; i++) {
        if (items[i].result == KS_MERGED_NEW)
            items[i].result = settle(arena, tier, &pins, options, &items[i]);
        any |= ks_merged_written(items[i].result);
    }
    enum ks_status status = any && !options->dry_run ? write_all(arena, tier, items, n, err) : KS_OK;
    ks_lock_release(&lock);
    return status;
}

struct gathering {
    struct ks_arena *arena;
    KS_VEC(struct ks_digest) keys;
};

static void see_key(void *context, const struct ks_tier *tier, const struct ks_digest *key,
                    const char *path)
{
    struct gathering *g = context;
    (void)tier;
    (void)path;
    for (size_t i = g->keys.len; i > 0; i--) // files of a key come one after the other
        if (ks_digest_eq(&g->keys.at[i - 1], key))
            return;
    *ks_vec_push(g->arena, &g->keys) = *key;
}

static enum ks_status take(struct ks_arena *arena, const struct ks_config *config,
                           const struct ks_tier *tier, const struct ks_digest *key,
                           const char *path, struct ks_stored *out, struct ks_err *err)
{
    const char *base = ks_path_base(path);
    *out = (struct ks_stored){.tier = tier, .bundled.key = *key};
    out->bundled.name = ks_arena_strndup(arena, base, strlen(base) - strlen(KS_STORE_SUFFIX));
    KS_TRY(ks_file_read(arena, path, KS_STORE_LARGEST, &out->bundled.text, err));
    KS_TRY(ks_file_read(arena, ks_arena_printf(arena, "%s" KS_STORE_SIGNATURE, path),
                        KS_STORE_SIGNATURE_LARGEST, &out->bundled.signature, err));
    // What was read is what is taken: the file may have changed since it was looked up.
    ks_store_judge(arena, tier, config, &out->bundled, path, &out->lookup);
    if (out->lookup.reason != KS_R_APPLIED && out->lookup.reason != KS_R_ORIGINAL_WINS)
        KS_FAIL(err, KS_E_FORMAT, "%s", out->lookup.text);
    out->signer = ks_store_signer(arena, path);
    return KS_OK;
}

enum ks_status ks_store_all(struct ks_arena *arena, const struct ks_store *store,
                            const struct ks_config *config, struct ks_stored **list, size_t *n,
                            struct ks_err *err)
{
    struct gathering g = {.arena = arena};
    KS_VEC(struct ks_stored) all = {0};
    struct ks_store looking = *store;
    looking.readonly = true; // to look is no use
    KS_TRY(ks_store_each(arena, store, see_key, &g, err));
    ks_vec_each (struct ks_digest, key, &g.keys) {
        struct ks_lookup lookup;
        ks_store_lookup(arena, &looking, config, key, &lookup);
        for (size_t i = 0; i < lookup.n_variants; i++) {
            // The lookup's tiers are those of `looking`; the caller knows those of `store`.
            const struct ks_tier *tier = &store->tiers[lookup.variants[i].tier - looking.tiers];
            KS_TRY(take(arena, config, tier, key, lookup.variants[i].path, ks_vec_push(arena, &all),
                        err));
        }
        if (lookup.reason != KS_R_ORIGINAL_WINS)
            continue;
        const struct ks_tier *tier = &store->tiers[0];
        while (!ks_starts_with(lookup.text, ks_arena_printf(arena, "%s/", tier->dir)))
            tier++;
        KS_TRY(take(arena, config, tier, key, lookup.text, ks_vec_push(arena, &all), err));
    }
    *list = all.at;
    *n = all.len;
    return KS_OK;
}
