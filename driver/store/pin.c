#include "store/pin.h"

#include <string.h>

#include "os/file.h"
#include "os/lock.h"

#define LARGEST ((size_t)16 << 20)
#define LOCK_SECONDS 10.0

static const char *pin_path(struct ks_arena *arena, const struct ks_config *config)
{
    return ks_path_join(arena, config->cache_dir, "pinned");
}

void ks_pins_read(struct ks_arena *arena, const struct ks_config *config, struct ks_pins *pins)
{
    struct ks_slice text;
    *pins = (struct ks_pins){0};
    if (config->cache_dir == NULL ||
        ks_file_read(arena, pin_path(arena, config), LARGEST, &text, NULL) != KS_OK)
        return;
    for (size_t at = 0; at < text.len;) {
        const char *newline = memchr(text.at + at, '\n', text.len - at);
        size_t n = newline == NULL ? text.len - at : (size_t)(newline - text.at) - at;
        struct ks_slice line = ks_slice_trim((struct ks_slice){text.at + at, n});
        struct ks_digest key;
        if (line.len == KS_HASH_TEXT - 1 &&
            ks_digest_parse(ks_arena_strndup(arena, line.at, line.len), &key) &&
            !ks_pins_have(pins, &key))
            *ks_vec_push(arena, pins) = key;
        at += n + 1;
    }
}

bool ks_pins_have(const struct ks_pins *pins, const struct ks_digest *key)
{
    for (size_t i = 0; i < pins->len; i++)
        if (ks_digest_eq(&pins->at[i], key))
            return true;
    return false;
}

static enum ks_status rewrite(struct ks_arena *arena, const struct ks_config *config,
                              const struct ks_digest *key, bool pinned, struct ks_err *err)
{
    struct ks_pins pins;
    struct ks_buf out = KS_BUF(LARGEST);
    char hex[KS_HASH_TEXT];
    ks_pins_read(arena, config, &pins);
    if (pinned && !ks_pins_have(&pins, key))
        *ks_vec_push(arena, &pins) = *key;
    ks_vec_each (struct ks_digest, one, &pins) {
        ks_digest_hex(one, hex);
        if (pinned || !ks_digest_eq(one, key))
            ks_buf_printf(&out, "%s\n", hex);
    }
    const char *path = pin_path(arena, config);
    enum ks_status status = ks_buf_check(&out, path, err);
    if (status == KS_OK)
        status = ks_file_update(path, ks_buf_text(&out), out.len, err);
    ks_buf_free(&out);
    return status;
}

enum ks_status ks_pin_set(const struct ks_config *config, const struct ks_digest *key, bool pinned,
                          struct ks_err *err)
{
    if (config->cache_dir == NULL)
        KS_FAIL(err, KS_E_IO, "no cache directory to remember it in; set KS_CACHE_DIR");
    if (config->readonly)
        KS_FAIL(err, KS_E_USER, "the configuration is read-only (KS_READONLY): nothing is pinned");
    struct ks_arena arena = {0};
    struct ks_lock lock = {-1};
    enum ks_status status = ks_dir_make(config->cache_dir, err);
    if (status == KS_OK)
        status = ks_lock_take(ks_path_join(&arena, config->cache_dir, ".lock"), LOCK_SECONDS, &lock,
                              err);
    if (status == KS_OK)
        status = rewrite(&arena, config, key, pinned, err);
    ks_lock_release(&lock);
    ks_arena_free(&arena);
    return status;
}
