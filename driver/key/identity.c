#include "key/identity.h"

#include <string.h>

struct ks_digest ks_key_of(const struct ks_key_fields *fields)
{
    struct ks_hash hash;
    struct ks_digest key;
    ks_hash_begin(&hash, "key");
    ks_hash_int(&hash, "format", KS_KEY_FORMAT);
    ks_hash_int(&hash, "arch", fields->arch);
    ks_hash_text(&hash, "nvcc", fields->nvcc_version);
    ks_hash_text(&hash, "ptxas", fields->ptxas_options);
    ks_hash_int(&hash, "maxrregcount", fields->maxrregcount);
    if (fields->rdc) // only then: keys are older than this field
        ks_hash_int(&hash, "rdc", 1);
    ks_hash_text(&hash, "contract", fields->contract);
    ks_hash_field(&hash, "ptx", fields->canonical_ptx.at, fields->canonical_ptx.len);
    ks_hash_end(&hash, &key);
    return key;
}

// "name: line" for each line of a value, so that a diff of two texts names the field that differs.
static void put_lines(struct ks_buf *out, const char *name, const char *value)
{
    do {
        size_t n = strcspn(value, "\n");
        ks_buf_printf(out, "%s: %.*s\n", name, (int)n, value);
        value += n + (value[n] == '\n');
    } while (*value != '\0');
}

const char *ks_key_text(struct ks_arena *arena, const struct ks_key_fields *fields)
{
    struct ks_buf out = KS_BUF((size_t)4 << 20);
    char hex[KS_HASH_TEXT];
    struct ks_digest ptx =
        ks_digest_of("ptx", fields->canonical_ptx.at, fields->canonical_ptx.len);
    ks_digest_hex(&ptx, hex);
    ks_buf_printf(&out, "format: %d\narch: sm_%d\n", KS_KEY_FORMAT, fields->arch);
    put_lines(&out, "nvcc", fields->nvcc_version);
    put_lines(&out, "ptxas", fields->ptxas_options);
    ks_buf_printf(&out, "maxrregcount: %d\n", fields->maxrregcount);
    if (fields->rdc)
        ks_buf_puts(&out, "rdc: true\n");
    put_lines(&out, "contract", fields->contract);
    ks_buf_printf(&out, "ptx: %s\n", hex);
    const char *text = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}
