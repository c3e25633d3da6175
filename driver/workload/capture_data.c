// Contents of captured memory: kept once by their hash, compressed where the library is there.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>
#if KS_HAVE_ZSTD
#include <zstd.h>
#endif

#include "os/file.h"
#include "workload/capture.h"
#include "workload/fill.h"

#define LEVEL 1 // contents are mostly floats, of which more effort makes little

static void path_of(char *out, size_t n, const char *dir, const struct ks_digest *hash, const char *suffix)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(hash, hex);
    snprintf(out, n, "%s/data/%s%s", dir, hex, suffix);
}

static enum ks_status keep_raw(const char *dir, const void *bytes, size_t n, const struct ks_digest *hash,
                               struct ks_err *err)
{
    char path[4096];
    path_of(path, sizeof path, dir, hash, ".raw");
    return ks_file_write(path, bytes, n, false, 0, err);
}

#if KS_HAVE_ZSTD
static enum ks_status keep_packed(const char *dir, const void *bytes, size_t n, const struct ks_digest *hash,
                                  struct ks_err *err)
{
    char path[4096];
    size_t room = ZSTD_compressBound(n);
    void *packed = malloc(room);
    if (packed == NULL)
        KS_FAIL(err, KS_E_MEMORY, "no memory to compress %zu bytes", n);
    size_t size = ZSTD_compress(packed, room, bytes, n, LEVEL);
    enum ks_status status = KS_OK;
    path_of(path, sizeof path, dir, hash, ".zst");
    if (ZSTD_isError(size) || size >= n)
        status = keep_raw(dir, bytes, n, hash, err);
    else
        status = ks_file_write(path, packed, size, false, 0, err);
    free(packed);
    return status;
}
#else
#define keep_packed keep_raw
#endif

enum ks_status ks_capture_keep(const char *dir, const void *bytes, size_t n, struct ks_digest *hash,
                               struct ks_err *err)
{
    char path[4096];
    *hash = ks_digest_of("capture", bytes, n);
    for (int packed = 0; packed < 2; packed++) {
        path_of(path, sizeof path, dir, hash, packed ? ".zst" : ".raw");
        if (ks_file_exists(path))
            return KS_OK;
    }
    snprintf(path, sizeof path, "%s/data", dir);
    KS_TRY(ks_dir_make(path, err));
    return keep_packed(dir, bytes, n, hash, err);
}

// A whole file; KS_E_ABSENT where there is none.
static enum ks_status read_whole(const char *path, void **bytes, size_t *n, struct ks_err *err)
{
    struct stat info;
    int fd = ks_file_open_at(AT_FDCWD, path, &info);
    if (fd < 0)
        return ks_err_errno(err, "%s", path);
    *bytes = malloc((size_t)info.st_size + 1);
    ssize_t got = *bytes != NULL ? ks_fd_read(fd, *bytes, (size_t)info.st_size) : -1;
    enum ks_status status = got < 0 ? ks_err_errno(err, "%s", path) : KS_OK;
    close(fd);
    *n = got > 0 ? (size_t)got : 0;
    if (status != KS_OK)
        free(*bytes);
    return status;
}

static enum ks_status unpack(const char *path, void **bytes, size_t packed, size_t n, struct ks_err *err)
{
#if KS_HAVE_ZSTD
    void *plain = malloc(n + 1);
    size_t size = plain != NULL ? ZSTD_decompress(plain, n, *bytes, packed) : 0;
    free(*bytes);
    *bytes = plain;
    if (plain != NULL && !ZSTD_isError(size) && size == n)
        return KS_OK;
    free(plain);
    return ks_err_set(err, KS_E_FORMAT, "%s is damaged", path);
#else
    (void)packed, (void)n;
    free(*bytes);
    return ks_err_set(err, KS_E_UNSUPPORTED, "%s: this ks was built without zstd (libzstd-dev)", path);
#endif
}

enum ks_status ks_capture_contents(const char *dir, const struct ks_digest *hash, size_t n, void **bytes,
                                   struct ks_err *err)
{
    char path[4096];
    size_t size = 0;
    path_of(path, sizeof path, dir, hash, ".zst");
    bool packed = ks_file_exists(path);
    if (!packed)
        path_of(path, sizeof path, dir, hash, ".raw");
    KS_TRY(read_whole(path, bytes, &size, err));
    if (packed)
        KS_TRY(unpack(path, bytes, size, n, err));
    struct ks_digest found = ks_digest_of("capture", *bytes, packed ? n : size);
    if ((packed || size == n) && ks_digest_eq(&found, hash))
        return KS_OK;
    free(*bytes);
    return ks_err_set(err, KS_E_FORMAT, "%s is damaged: its contents are not those of its name", path);
}

enum ks_status ks_capture_fill(void *out, const struct ks_init *init, size_t n, struct ks_err *err)
{
    struct ks_digest hash;
    void *bytes;
    char dir[4096];
    const char *name = strrchr(init->path, '/');
    KS_ASSERT(name != NULL && ks_digest_parse(name + 1, &hash));
    snprintf(dir, sizeof dir, "%.*s", (int)(name - init->path), init->path);
    if (init->skip + n > init->whole)
        KS_FAIL(err, KS_E_INTERNAL, "%s: %zu bytes from %zu on", init->path, n, init->skip);
    KS_TRY(ks_capture_contents(dir, &hash, init->whole, &bytes, err));
    memcpy(out, (const char *)bytes + init->skip, n);
    free(bytes);
    return KS_OK;
}

enum ks_status ks_fill_read(void *out, const char *where, const struct ks_init *init, struct ks_elem elem,
                            int64_t total, struct ks_err *err)
{
    if (init->kind == KS_INIT_FILE)
        return ks_fill_file(out, where, init->path, elem, total, err);
    return ks_capture_fill(out, init, (size_t)total * elem.size, err);
}
