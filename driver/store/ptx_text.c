// <cache_dir>/ptx/<digest>
#include "store/ptx_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "store/used.h"

#define LARGEST ((size_t)512 << 10)
#define MOST 512 // texts kept
#define SPARE 32 // beyond them, so that not each new one has to look for the oldest

static const char *folder(struct ks_arena *arena, const struct ks_config *config)
{
    return ks_path_join(arena, config->cache_dir, "ptx");
}

struct aged {
    const char *path;
    time_t time;
};

static int oldest_first(const void *a, const void *b)
{
    const struct aged *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

static void prune(struct ks_arena *arena, const char *dir)
{
    struct ks_strv names = {0};
    struct stat st;
    size_t n = 0;
    if (ks_dir_list(arena, dir, &names, NULL) != KS_OK || names.len <= MOST + SPARE)
        return;
    struct aged *list = KS_NEW_ARRAY(arena, struct aged, names.len);
    for (size_t i = 0; i < names.len; i++) {
        const char *path = ks_path_join(arena, dir, names.at[i]);
        if (stat(path, &st) == 0)
            list[n++] = (struct aged){path, st.st_mtime};
    }
    qsort(list, n, sizeof *list, oldest_first);
    for (size_t i = 0; i + MOST < n; i++)
        (void)unlink(list[i].path);
}

void ks_ptx_text_keep(const struct ks_config *config, const struct ks_digest *digest,
                      struct ks_slice text)
{
    struct ks_arena arena = {0};
    char hex[KS_HASH_TEXT];
    if (config->cache_dir == NULL || config->readonly || text.len > LARGEST)
        return;
    ks_digest_hex(digest, hex);
    const char *dir = folder(&arena, config), *path = ks_path_join(&arena, dir, hex);
    if (ks_file_exists(path)) {
        ks_used_note(path);
    } else if (ks_dir_make(dir, NULL) == KS_OK &&
               ks_file_write(path, text.at, text.len, false, 0, NULL) == KS_OK) {
        prune(&arena, dir);
    }
    ks_arena_free(&arena);
}

bool ks_ptx_text_find(struct ks_arena *arena, const struct ks_config *config, const char *digest,
                      struct ks_slice *text)
{
    struct ks_digest parsed, found;
    if (config->cache_dir == NULL || !ks_digest_parse(digest, &parsed) ||
        ks_file_read(arena, ks_path_join(arena, folder(arena, config), digest), LARGEST, text,
                     NULL) != KS_OK)
        return false;
    found = ks_digest_of("ptx", text->at, text->len);
    return ks_digest_eq(&found, &parsed); // damaged: not known
}
