#include "fmt/tar.h"

#include <stdio.h>
#include <string.h>

#include "base/vec.h"

#define BLOCK ((size_t)512)
#define LARGEST (((size_t)1 << 33) - 1) // eleven octal digits

// POSIX.1-1988, "ustar interchange format".
struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100];
    char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct header) == 512, "a block");

static void make_header(struct header *h, const char *name, size_t name_len, size_t size)
{
    memset(h, 0, sizeof *h);
    memcpy(h->name, name, name_len);
    memcpy(h->mode, "0000644", 8);
    memcpy(h->uid, "0000000", 8);
    memcpy(h->gid, "0000000", 8);
    char digits[32];
    snprintf(digits, sizeof digits, "%011llo", (unsigned long long)size);
    memcpy(h->size, digits, 12);
    memcpy(h->mtime, "00000000000", 12);
    memset(h->checksum, ' ', sizeof h->checksum);
    h->type = '0';
    memcpy(h->magic, "ustar", 6);
    memcpy(h->version, "00", 2);
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof *h; i++)
        sum += ((const unsigned char *)h)[i];
    snprintf(digits, sizeof digits, "%06o", sum);
    memcpy(h->checksum, digits, 7); // then the space that was there
}

static size_t padding(size_t size)
{
    return (BLOCK - size % BLOCK) % BLOCK;
}

void ks_tar_add(struct ks_buf *out, const char *name, struct ks_slice data)
{
    static const char zeroes[512];
    struct header h;
    size_t n = strlen(name);
    if (n == 0 || n > KS_TAR_NAME_MOST || data.len > LARGEST) {
        out->failed = true;
        return;
    }
    make_header(&h, name, n, data.len);
    ks_buf_add(out, &h, sizeof h);
    ks_buf_slice(out, data);
    ks_buf_add(out, zeroes, padding(data.len));
}

void ks_tar_end(struct ks_buf *out)
{
    static const char zeroes[1024];
    ks_buf_add(out, zeroes, sizeof zeroes);
}

static bool is_zero(const char *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i] != 0)
            return false;
    return true;
}

// The size that a header gives; the comparison with our own header settles whether it is written so.
static size_t size_in(const struct header *h)
{
    size_t size = 0;
    for (size_t i = 0; i < 11; i++)
        size = size * 8 + ((unsigned char)h->size[i] & 7);
    return size;
}

static bool is_ours(const struct header *h, size_t *name_len, size_t *size)
{
    struct header expected;
    *name_len = strnlen(h->name, sizeof h->name);
    *size = size_in(h);
    for (size_t i = 0; i < *name_len; i++)
        if (h->name[i] <= ' ' || h->name[i] > '~')
            return false;
    if (*name_len == 0)
        return false;
    make_header(&expected, h->name, *name_len, *size);
    return memcmp(&expected, h, sizeof expected) == 0;
}

enum ks_status ks_tar_read(struct ks_arena *arena, struct ks_slice text, size_t most,
                           struct ks_tar_entry **entries, size_t *n, struct ks_err *err)
{
    KS_VEC(struct ks_tar_entry) list = {0};
    size_t at = 0, name_len, size;
    while (text.len - at >= sizeof(struct header) && !is_zero(text.at + at, BLOCK)) {
        struct header h;
        memcpy(&h, text.at + at, sizeof h);
        if (!is_ours(&h, &name_len, &size))
            KS_FAIL(err, KS_E_FORMAT, "byte %zu: not a header as ks writes it", at);
        at += sizeof h;
        if (size > text.len - at || padding(size) > text.len - at - size)
            KS_FAIL(err, KS_E_FORMAT, "byte %zu: the file ends within an entry", at);
        if (!is_zero(text.at + at + size, padding(size)))
            KS_FAIL(err, KS_E_FORMAT, "byte %zu: the padding is not empty", at + size);
        if (list.len == most)
            KS_FAIL(err, KS_E_LIMIT, "more than %zu entries", most);
        struct ks_tar_entry *entry = ks_vec_push(arena, &list);
        entry->name = ks_arena_strndup(arena, h.name, name_len);
        entry->data = (struct ks_slice){text.at + at, size};
        at += size + padding(size);
    }
    if (text.len - at != 2 * BLOCK || !is_zero(text.at + at, 2 * BLOCK))
        KS_FAIL(err, KS_E_FORMAT, "byte %zu: neither an entry nor the end", at);
    *entries = list.at;
    *n = list.len;
    return KS_OK;
}
