// Publishing decisions.
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "os/lock.h"
#include "store/store_path.h"

#define LOCK_SECONDS 30.0

struct decision {
    const struct ks_digest *key;
    const char *name; // the variant's id, or "original"
    const char *text;
};

static void withdraw_original(struct ks_arena *arena, const char *dir)
{
    const char *path = ks_path_join(arena, dir, KS_STORE_ORIGINAL KS_STORE_SUFFIX);
    (void)unlink(path);
    (void)unlink(ks_arena_printf(arena, "%s" KS_STORE_SIGNATURE, path));
}

// A variant whose speed was not measured, by its text; what cannot be read is none.
static bool is_modelled(struct ks_arena *arena, struct ks_slice text)
{
    struct ks_variant variant;
    return ks_variant_read(arena, "", text, &variant, NULL) == KS_OK &&
           strcmp(variant.evidence.level, "modelled") == 0;
}

enum ks_status ks_store_place(struct ks_arena *arena, const struct ks_tier *tier,
                              const struct ks_bundled *decision, struct ks_err *err)
{
    const char *dir = ks_store_key_dir(arena, tier, &decision->key);
    const char *path = ks_arena_printf(arena, "%s/%s" KS_STORE_SUFFIX, dir, decision->name);
    bool original = strcmp(decision->name, KS_STORE_ORIGINAL) == 0;
    bool modelled = !original && is_modelled(arena, decision->text);
    struct ks_slice there;
    if (modelled && ks_file_read(arena, path, KS_STORE_LARGEST, &there, NULL) == KS_OK &&
        !is_modelled(arena, there))
        return KS_OK; // the same code, measured
    KS_TRY(ks_dir_make(dir, err));
    KS_TRY(ks_file_write(ks_arena_printf(arena, "%s" KS_STORE_SIGNATURE, path),
                         decision->signature.at, decision->signature.len, true, 0, err));
    KS_TRY(ks_file_write(path, decision->text.at, decision->text.len, true, 0, err));
    if (!original && !modelled) // that the original stays was measured
        withdraw_original(arena, dir);
    return KS_OK;
}

static enum ks_status publish(struct ks_arena *arena, const struct ks_tier *tier,
                              const struct ks_secret_key *secret, const struct decision *decision,
                              const char **path, struct ks_err *err)
{
    struct ks_bundled bundled = {.key = *decision->key, .name = decision->name,
                                 .text = ks_slice_of(decision->text)};
    KS_TRY(ks_sign(arena, secret, bundled.text,
                   ks_store_comment(arena, decision->key, decision->name), &bundled.signature,
                   err));
    *path = ks_arena_printf(arena, "%s/%s" KS_STORE_SUFFIX,
                            ks_store_key_dir(arena, tier, decision->key), decision->name);
    KS_TRY(ks_store_place(arena, tier, &bundled, err));
    return ks_store_index_write(arena, tier, err);
}

static enum ks_status put_tier(struct ks_arena *arena, const struct ks_tier *tier,
                               const struct ks_secret_key *secret, const struct decision *decision,
                               const char **path, struct ks_err *err)
{
    struct ks_lock lock;
    KS_TRY(ks_store_tier_make(arena, tier, err));
    KS_TRY(ks_lock_take(ks_path_join(arena, tier->dir, ".lock"), LOCK_SECONDS, &lock, err));
    enum ks_status status = publish(arena, tier, secret, decision, path, err);
    ks_lock_release(&lock);
    return status;
}

// What was compiled before this tier had an index depends on the others' alone: it must look again.
static void touch_others(const struct ks_store *store, const struct ks_tier *but)
{
    for (size_t i = 0; i < store->n_tiers; i++)
        if (&store->tiers[i] != but)
            (void)utimensat(AT_FDCWD, store->tiers[i].index, NULL, 0);
}

// The first tier's failure is the one to tell: it is the tier that the user expects.
static enum ks_status put(struct ks_arena *arena, const struct ks_store *store,
                          const struct ks_secret_key *secret, const struct decision *decision,
                          const char **path, struct ks_err *err)
{
    size_t n = 0; // shared tiers, behind the others, are not for this
    while (n < store->n_tiers && store->tiers[n].kind != KS_TIER_SHARED)
        n++;
    if (n == 0)
        KS_FAIL(err, KS_E_IO, "nowhere to store: no project and no usable home directory; set "
                "KS_CACHE_DIR");
    if (store->readonly)
        KS_FAIL(err, KS_E_IO, "%s: not written, the configuration is read-only (KS_READONLY)",
                store->tiers[0].dir);
    struct ks_err first = {0};
    for (size_t i = 0; i < n; i++) {
        struct ks_err now = {0};
        const struct ks_tier *tier = &store->tiers[i];
        bool first_index = !ks_file_exists(tier->index);
        enum ks_status status = put_tier(arena, tier, secret, decision, path, &now);
        if (status == KS_OK && first_index)
            touch_others(store, tier);
        if (status == KS_OK)
            return KS_OK;
        if (i == 0)
            first = now;
        if (status == KS_E_INTERRUPTED)
            return ks_err_set(err, status, "%s", now.text);
    }
    return ks_err_set(err, KS_E_IO, "%s", first.text);
}

enum ks_status ks_store_put_variant(struct ks_arena *arena, const struct ks_store *store,
                                    const struct ks_secret_key *secret,
                                    const struct ks_variant *variant, const char **path,
                                    struct ks_err *err)
{
    const struct decision decision = {&variant->key, variant->id,
                                      ks_variant_text(arena, variant)};
    return put(arena, store, secret, &decision, path, err);
}

enum ks_status ks_store_put_original(struct ks_arena *arena, const struct ks_store *store,
                                     const struct ks_secret_key *secret,
                                     const struct ks_original_decision *original,
                                     const char **path, struct ks_err *err)
{
    const struct decision decision = {&original->key, KS_STORE_ORIGINAL,
                                      ks_original_text(arena, original)};
    return put(arena, store, secret, &decision, path, err);
}
