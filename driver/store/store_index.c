// The index of a tier: one line a decision, made from the files themselves, so that what git, a copy
// or a hand did to the folder is mended by the next write.
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "os/file.h"
#include "os/lock.h"
#include "store/store_path.h"

#define LOCK_SECONDS 10.0

const char *ks_store_key_dir(struct ks_arena *arena, const struct ks_tier *tier,
                             const struct ks_digest *key)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(key, hex);
    return ks_path_join(arena, tier->dir, hex);
}

void ks_store_names(struct ks_arena *arena, const char *key_dir, struct ks_strv *names)
{
    struct ks_strv files = {0};
    if (ks_dir_list(arena, key_dir, &files, NULL) != KS_OK)
        return;
    for (size_t i = 0; i < files.len; i++) {
        size_t n = strlen(files.at[i]);
        if (ks_ends_with(files.at[i], KS_STORE_SUFFIX) && files.at[i][0] != '.')
            ks_strv_add(arena, names,
                        ks_arena_strndup(arena, files.at[i], n - strlen(KS_STORE_SUFFIX)));
    }
}

const char *ks_store_comment(struct ks_arena *arena, const struct ks_digest *key, const char *name)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(key, hex);
    return ks_arena_printf(arena, "ks key %s decision %s", hex, name);
}

static bool key_of_dir(const char *name, struct ks_digest *key)
{
    return strlen(name) == KS_HASH_TEXT - 1 && ks_digest_parse(name, key);
}

static void add_line(struct ks_arena *arena, const char *key_dir, const char *hex, const char *name,
                     struct ks_buf *out)
{
    struct ks_slice text;
    char digest[KS_HASH_TEXT];
    const char *path = ks_arena_printf(arena, "%s/%s" KS_STORE_SUFFIX, key_dir, name);
    if (ks_file_read(arena, path, KS_STORE_LARGEST, &text, NULL) != KS_OK)
        text = (struct ks_slice){"", 0};
    struct ks_digest content = ks_digest_of("index", text.at, text.len);
    ks_digest_hex(&content, digest);
    ks_buf_printf(out, "%s %s %.16s\n", hex, name, digest);
}

enum ks_status ks_store_index_write(struct ks_arena *arena, const struct ks_tier *tier,
                                    struct ks_err *err)
{
    struct ks_strv dirs = {0};
    struct ks_buf out = KS_BUF((size_t)256 << 20);
    struct ks_arena files = {0};
    enum ks_status status = ks_dir_list(arena, tier->dir, &dirs, err);
    for (size_t i = 0; status == KS_OK && i < dirs.len; i++) {
        struct ks_digest key;
        if (!key_of_dir(dirs.at[i], &key))
            continue;
        struct ks_strv names = {0};
        const char *key_dir = ks_path_join(&files, tier->dir, dirs.at[i]);
        ks_store_names(&files, key_dir, &names);
        for (size_t j = 0; j < names.len; j++)
            add_line(&files, key_dir, dirs.at[i], names.at[j], &out);
        ks_arena_free(&files);
    }
    if (status == KS_OK)
        status = ks_buf_check(&out, tier->index, err);
    if (status == KS_OK)
        status = ks_file_update(tier->index, ks_buf_text(&out), out.len, err);
    ks_buf_free(&out);
    return status;
}

// A project's tier is committed: without its lock, byte for byte (signatures are over bytes), and two
// branches' lines of the index, which only has to change when a decision does, are both kept.
enum ks_status ks_store_tier_make(struct ks_arena *arena, const struct ks_tier *tier,
                                  struct ks_err *err)
{
    static const char *const files[][2] = {{".gitignore", ".lock\n"},
                                           {".gitattributes", "* -text\nindex merge=union\n"}};
    KS_TRY(ks_dir_make(tier->dir, err));
    for (size_t i = 0; tier->kind == KS_TIER_PROJECT && i < 2; i++) {
        const char *path = ks_path_join(arena, tier->dir, files[i][0]);
        if (!ks_file_exists(path))
            KS_TRY(ks_file_write(path, files[i][1], strlen(files[i][1]), false, 0, err));
    }
    return KS_OK;
}

static void make_index(struct ks_arena *arena, const struct ks_tier *tier)
{
    struct ks_lock lock = {-1};
    if (ks_store_tier_make(arena, tier, NULL) != KS_OK ||
        ks_lock_take(ks_path_join(arena, tier->dir, ".lock"), LOCK_SECONDS, &lock, NULL) != KS_OK)
        return;
    // An index made in the middle of a compile must not look newer than it: ninja from 1.12 on holds a
    // dependency against the time at which the command began.
    static const struct timespec old[2] = {{.tv_sec = 315532800}, {.tv_sec = 315532800}}; // 1980
    struct stat made;
    if (!ks_file_exists(tier->index) && ks_store_index_write(arena, tier, NULL) == KS_OK &&
        stat(tier->index, &made) == 0 && made.st_size == 0)
        (void)utimensat(AT_FDCWD, tier->index, old, 0);
    ks_lock_release(&lock);
}

void ks_store_dependencies(struct ks_arena *arena, const struct ks_store *store, bool create,
                           struct ks_strv *paths)
{
    for (size_t i = 0; i < store->n_tiers; i++) {
        const struct ks_tier *tier = &store->tiers[i];
        if (create && !store->readonly && tier->kind != KS_TIER_SHARED &&
            !ks_file_exists(tier->index))
            make_index(arena, tier);
        // A dependency that does not exist would rebuild the file for ever. A shared folder in which
        // nothing was published yet changes itself when that happens.
        if (ks_file_exists(tier->index))
            ks_strv_add(arena, paths, tier->index);
        else if (tier->kind == KS_TIER_SHARED)
            ks_strv_add(arena, paths, tier->dir);
    }
    for (size_t i = 0; i < store->trust_files.len; i++)
        if (ks_file_exists(store->trust_files.at[i]))
            ks_strv_add(arena, paths, store->trust_files.at[i]);
}

void ks_store_stir(const struct ks_tier *tier)
{
    (void)utimensat(AT_FDCWD, tier->index, NULL, 0);
}

void ks_store_hash(struct ks_arena *arena, const struct ks_store *store, struct ks_hash *hash)
{
    for (size_t i = 0; i < store->n_tiers; i++) {
        const struct ks_tier *tier = &store->tiers[i];
        struct ks_slice text = {"", 0};
        (void)ks_file_read(arena, tier->index, (size_t)256 << 20, &text, NULL);
        ks_hash_int(hash, "tier", tier->kind);
        ks_hash_field(hash, "index", text.at, text.len);
        for (size_t k = 0; k < tier->n_keys; k++)
            ks_hash_field(hash, "key", &tier->keys[k], sizeof tier->keys[k]);
    }
}

enum ks_status ks_store_each(struct ks_arena *arena, const struct ks_store *store,
                             void (*visit)(void *context, const struct ks_tier *tier,
                                           const struct ks_digest *key, const char *path),
                             void *context, struct ks_err *err)
{
    for (size_t i = 0; i < store->n_tiers; i++) {
        const struct ks_tier *tier = &store->tiers[i];
        struct ks_strv dirs = {0};
        enum ks_status status = ks_dir_list(arena, tier->dir, &dirs, err);
        if (status == KS_E_ABSENT)
            continue;
        KS_TRY(status);
        for (size_t j = 0; j < dirs.len; j++) {
            struct ks_digest key;
            if (!key_of_dir(dirs.at[j], &key))
                continue;
            struct ks_strv names = {0};
            const char *key_dir = ks_path_join(arena, tier->dir, dirs.at[j]);
            ks_store_names(arena, key_dir, &names);
            for (size_t k = 0; k < names.len; k++)
                visit(context, tier, &key,
                      ks_arena_printf(arena, "%s/%s" KS_STORE_SUFFIX, key_dir, names.at[k]));
        }
    }
    return KS_OK;
}
