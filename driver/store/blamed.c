#include "store/blamed.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "os/file.h"

static const char *path_of(struct ks_arena *arena, const struct ks_config *config, const struct ks_digest *key)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(key, hex);
    return config->state_dir == NULL ? NULL : ks_arena_printf(arena, "%s/findings/%s", config->state_dir, hex);
}

void ks_blamed_put(const struct ks_config *config, const struct ks_digest *key, const char *text)
{
    struct ks_arena arena = {0};
    struct ks_err err = {0};
    const char *path = path_of(&arena, config, key);
    if (path != NULL && (ks_dir_make(ks_path_dir(&arena, path), &err) != KS_OK ||
                         ks_file_write(path, text, strlen(text), false, 0, &err) != KS_OK))
        ks_warn("%s; the finding is not kept for `ks explain`", err.text);
    ks_arena_free(&arena);
}

const char *ks_blamed_read(struct ks_arena *arena, const struct ks_config *config, const struct ks_digest *key)
{
    struct ks_slice text;
    const char *path = path_of(arena, config, key);
    if (path == NULL || !ks_file_exists(path) || ks_file_read(arena, path, KS_ERR_TEXT, &text, NULL) != KS_OK)
        return NULL;
    return ks_arena_strndup(arena, text.at, text.len);
}

void ks_blamed_remove(const struct ks_config *config, const struct ks_digest *key)
{
    struct ks_arena arena = {0};
    const char *path = path_of(&arena, config, key);
    if (path != NULL)
        (void)unlink(path);
    ks_arena_free(&arena);
}
