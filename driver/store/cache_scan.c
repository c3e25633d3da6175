#include "store/cache_scan.h"

#include <string.h>
#include <sys/stat.h>

#include "os/file.h"
#include "store/manifest.h"
#include "store/store_path.h"
#include "store/used.h"

#define PAGE 4096
#define ABANDONED 3600 // seconds after which a draft is no writer's any more
#define DEEPEST 8

static int64_t size_below(const char *path, int depth)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return 0;
    if (S_ISREG(st.st_mode))
        return ((int64_t)st.st_size + PAGE - 1) / PAGE * PAGE;
    if (!S_ISDIR(st.st_mode) || depth == 0)
        return 0;
    struct ks_arena arena = {0};
    struct ks_strv names = {0};
    int64_t sum = 0;
    (void)ks_dir_list(&arena, path, &names, NULL);
    for (size_t i = 0; i < names.len; i++)
        sum += size_below(ks_path_join(&arena, path, names.at[i]), depth - 1);
    ks_arena_free(&arena);
    return sum;
}

int64_t ks_cache_size(const char *path)
{
    return size_below(path, DEEPEST);
}

static struct ks_cache_item *add(struct ks_cache_scan *scan, enum ks_cached kind, const char *path)
{
    struct ks_cache_item *item = ks_vec_push(scan->arena, &scan->items);
    int64_t age = ks_used_age(path);
    *item = (struct ks_cache_item){.kind = kind, .path = ks_arena_strdup(scan->arena, path),
                                   .bytes = ks_cache_size(path), .age = age > 0 ? age : 0};
    return item;
}

// What ks does not know stays; what a killed writer left does not, once nobody can be at work on it.
static void add_other(struct ks_cache_scan *scan, const char *path)
{
    struct stat st;
    bool draft = ks_starts_with(ks_path_base(path), ".ks-") && lstat(path, &st) == 0 &&
                 S_ISREG(st.st_mode);
    struct ks_cache_item *item = add(scan, draft ? KS_CACHED_LEFTOVER : KS_CACHED_RECORD, path);
    item->useless = draft && item->age > ABANDONED;
}

static bool is_signature_of(const char *file, const struct ks_strv *decisions)
{
    for (size_t i = 0; i < decisions->len; i++) {
        size_t n = strlen(decisions->at[i]);
        if (strncmp(file, decisions->at[i], n) == 0 &&
            strcmp(file + n, KS_STORE_SUFFIX KS_STORE_SIGNATURE) == 0)
            return true;
    }
    return false;
}

static void scan_key(struct ks_cache_scan *scan, const char *dir, const struct ks_digest *key)
{
    struct ks_arena arena = {0};
    struct ks_strv files = {0}, decisions = {0};
    ks_store_names(&arena, dir, &decisions);
    for (size_t i = 0; i < decisions.len; i++) {
        const char *path = ks_arena_printf(&arena, "%s/%s" KS_STORE_SUFFIX, dir, decisions.at[i]);
        struct ks_cache_item *item = add(scan, KS_CACHED_DECISION, path);
        item->key = *key;
        item->bytes += ks_cache_size(ks_arena_printf(&arena, "%s" KS_STORE_SIGNATURE, path));
    }
    (void)ks_dir_list(&arena, dir, &files, NULL);
    for (size_t i = 0; i < files.len; i++) {
        const char *name = files.at[i], *path = ks_path_join(&arena, dir, name);
        bool decision = ks_ends_with(name, KS_STORE_SUFFIX) && name[0] != '.';
        if (decision || is_signature_of(name, &decisions))
            continue;
        add_other(scan, path);
        struct ks_cache_item *item = &scan->items.at[scan->items.len - 1];
        if (ks_ends_with(name, KS_STORE_SIGNATURE) && name[0] != '.') { // its decision is gone
            item->kind = KS_CACHED_LEFTOVER;
            item->useless = item->age > ABANDONED;
        }
    }
    ks_arena_free(&arena);
}

static void scan_variants(struct ks_cache_scan *scan)
{
    struct ks_arena arena = {0};
    struct ks_strv names = {0};
    struct ks_digest key;
    (void)ks_dir_list(&arena, scan->tier.dir, &names, NULL);
    for (size_t i = 0; i < names.len; i++) {
        const char *path = ks_path_join(&arena, scan->tier.dir, names.at[i]);
        if (strlen(names.at[i]) == KS_HASH_TEXT - 1 && ks_digest_parse(names.at[i], &key))
            scan_key(scan, path, &key);
        else
            add_other(scan, path);
    }
    ks_arena_free(&arena);
}

static void see_manifest(void *context, const char *path, const struct ks_manifest *manifest,
                         bool live)
{
    struct ks_cache_scan *scan = context;
    if (ks_starts_with(ks_path_base(path), ".")) {
        add_other(scan, path);
        return;
    }
    struct ks_cache_item *item = add(scan, KS_CACHED_MANIFEST, path);
    item->useless = manifest == NULL && item->age > ABANDONED;
    if (!live)
        return;
    item->kept = KS_KEPT_REFERENCED; // collect.c looks at its age as well
    for (size_t i = 0; i < manifest->n_kernels; i++)
        *ks_vec_push(scan->arena, &scan->referenced) = manifest->kernels[i].key;
    if (manifest->shadow[0] != '\0')
        ks_strv_add(scan->arena, &scan->shadows, ks_arena_strdup(scan->arena, manifest->shadow));
}

static void scan_shadows(struct ks_cache_scan *scan, const char *root)
{
    struct ks_arena arena = {0};
    struct ks_strv names = {0};
    (void)ks_dir_list(&arena, root, &names, NULL);
    for (size_t i = 0; i < names.len; i++) {
        const char *path = ks_path_join(&arena, root, names.at[i]);
        bool shadow = strlen(names.at[i]) == 32 && ks_is_dir(path) &&
                      strspn(names.at[i], "0123456789abcdef") == 32;
        if (shadow)
            add(scan, KS_CACHED_SHADOW, path);
        else
            add_other(scan, path);
    }
    ks_arena_free(&arena);
}

void ks_cache_scan(struct ks_cache_scan *scan)
{
    struct ks_arena arena = {0};
    struct ks_strv names = {0};
    (void)ks_dir_list(&arena, scan->config->cache_dir, &names, NULL);
    for (size_t i = 0; i < names.len; i++) {
        const char *path = ks_path_join(&arena, scan->config->cache_dir, names.at[i]);
        if (strcmp(names.at[i], ks_path_base(scan->tier.dir)) == 0)
            scan_variants(scan);
        else if (strcmp(names.at[i], "manifests") == 0)
            ks_manifest_each(scan->config, see_manifest, scan);
        else if (strcmp(names.at[i], "shadow") == 0)
            scan_shadows(scan, path);
        else
            add_other(scan, path);
    }
    ks_arena_free(&arena);
}
