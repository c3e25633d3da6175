// Reading of NumPy's .npy files for the initialiser file("x.npy").
// Format: numpy.lib.format, versions 1.0 and 2.0.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "workload/fill.h"

#define MAX_HEADER 65536

struct npy {
    const char *where, *path;
    int fd;
    char header[MAX_HEADER + 1];
};

static enum ks_status refuse(const struct npy *npy, struct ks_err *err, const char *why)
{
    return ks_err_set(err, KS_E_USER, "%s: file(\"%s\"): %s", npy->where, npy->path, why);
}

static enum ks_status read_exactly(const struct npy *npy, void *out, size_t n, struct ks_err *err)
{
    for (size_t got = 0; got < n;) {
        ssize_t r = read(npy->fd, (char *)out + got, n - got);
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return ks_err_errno(err, "%s: file(\"%s\")", npy->where, npy->path);
        if (r == 0)
            return refuse(npy, err, "the file ends before its data do; write it again");
        got += (size_t)r;
    }
    return KS_OK;
}

static enum ks_status read_header(struct npy *npy, struct ks_err *err)
{
    unsigned char head[8], length[4];
    KS_TRY(read_exactly(npy, head, sizeof head, err));
    if (memcmp(head, "\x93NUMPY", 6) != 0)
        return refuse(npy, err, "not an .npy file; save the array with numpy.save");
    if (head[6] != 1 && head[6] != 2)
        return refuse(npy, err, "only .npy versions 1 and 2 are read; save plain numbers");
    size_t bytes = head[6] == 1 ? 2 : 4, n = 0;
    KS_TRY(read_exactly(npy, length, bytes, err));
    for (size_t i = bytes; i-- > 0;)
        n = n << 8 | length[i];
    if (n > MAX_HEADER)
        return refuse(npy, err, "its header is longer than 64 KiB");
    KS_TRY(read_exactly(npy, npy->header, n, err));
    npy->header[n] = '\0';
    return KS_OK;
}

// The text after 'key': in the header's dictionary, or NULL.
static const char *value_of(const struct npy *npy, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *at = strstr(npy->header, quoted);
    if (at == NULL)
        return NULL;
    at += strlen(quoted);
    return at + strspn(at, " ");
}

// numpy has no bfloat16: its users store the bits as 16-bit integers or void.
static bool type_fits(const char *descr, enum ks_scalar scalar)
{
    static const char *const names[][3] = {
        [KS_T_BOOL] = {"'|b1'", "'|u1'", NULL}, [KS_T_I8] = {"'|i1'", NULL, NULL},
        [KS_T_U8] = {"'|u1'", NULL, NULL},      [KS_T_I16] = {"'<i2'", NULL, NULL},
        [KS_T_U16] = {"'<u2'", NULL, NULL},     [KS_T_I32] = {"'<i4'", NULL, NULL},
        [KS_T_U32] = {"'<u4'", NULL, NULL},     [KS_T_I64] = {"'<i8'", NULL, NULL},
        [KS_T_U64] = {"'<u8'", NULL, NULL},     [KS_T_F16] = {"'<f2'", NULL, NULL},
        [KS_T_BF16] = {"'<u2'", "'|V2'", NULL}, [KS_T_F32] = {"'<f4'", NULL, NULL},
        [KS_T_F64] = {"'<f8'", NULL, NULL},
    };
    for (size_t i = 0; i < 3 && names[scalar][i] != NULL; i++)
        if (ks_starts_with(descr, names[scalar][i]))
            return true;
    return false;
}

// Product of the shape tuple, and how many axes are longer than one.
static bool shape_of(const char *at, int64_t *count, int *axes)
{
    if (*at++ != '(')
        return false;
    *count = 1;
    *axes = 0;
    while (*at != ')') {
        int64_t n = 0;
        if (*at < '0' || *at > '9')
            return false;
        for (; *at >= '0' && *at <= '9'; at++)
            if (!ks_mul_i64(n, 10, &n) || !ks_add_i64(n, *at - '0', &n))
                return false;
        if (!ks_mul_i64(*count, n, count))
            return false;
        *axes += n > 1;
        at += strspn(at, ", ");
    }
    return true;
}

// Up to the numbers, and how many they are.
static enum ks_status read_shape(struct npy *npy, struct ks_elem elem, int64_t *count, struct ks_err *err)
{
    KS_TRY(read_header(npy, err));
    const char *descr = value_of(npy, "descr"), *order = value_of(npy, "fortran_order");
    const char *shape = value_of(npy, "shape");
    int axes = 0;
    if (descr == NULL || order == NULL || shape == NULL || !shape_of(shape, count, &axes))
        return refuse(npy, err, "its header is damaged; write it again");
    if (!type_fits(descr, elem.scalar))
        return ks_err_set(err, KS_E_USER,
                          "%s: file(\"%s\"): holds %.*s, the array wants %s; convert it with "
                          "astype", npy->where, npy->path, (int)strcspn(descr, ",}"), descr,
                          ks_scalar_name(elem.scalar));
    if (!ks_starts_with(order, "False") && axes > 1)
        return refuse(npy, err, "is in Fortran order; save numpy.ascontiguousarray of it");
    return KS_OK;
}

// An open file in npy->fd.
static enum ks_status open_file(struct npy *npy, struct ks_elem elem, struct ks_err *err)
{
    struct stat st;
    if (elem.scalar == KS_T_NONE)
        return refuse(npy, err, "the array's element type is unknown; name it in the clause");
    npy->fd = open(npy->path, O_RDONLY | O_CLOEXEC);
    if (npy->fd < 0)
        return ks_err_set(err, KS_E_USER, "%s: file(\"%s\") cannot be opened: %s", npy->where, npy->path,
                          strerror(errno));
    if (fstat(npy->fd, &st) == 0 && S_ISREG(st.st_mode))
        return KS_OK;
    close(npy->fd);
    return refuse(npy, err, "not a regular file");
}

enum ks_status ks_fill_file_count(const char *where, const char *path, struct ks_elem elem, int64_t *total,
                                  struct ks_err *err)
{
    struct npy npy = {.where = where, .path = path};
    int64_t count = 0;
    KS_TRY(open_file(&npy, elem, err));
    enum ks_status status = read_shape(&npy, elem, &count, err);
    close(npy.fd);
    *total = count / elem.lanes;
    return status;
}

enum ks_status ks_fill_file(void *out, const char *where, const char *path, struct ks_elem elem,
                            int64_t total, struct ks_err *err)
{
    struct npy npy = {.where = where, .path = path};
    int64_t count = 0;
    KS_TRY(open_file(&npy, elem, err));
    enum ks_status status = read_shape(&npy, elem, &count, err);
    if (status == KS_OK && count != total * elem.lanes)
        status = ks_err_set(err, KS_E_USER, "%s: file(\"%s\"): holds %lld numbers, the array wants %lld", where,
                            path, (long long)count, (long long)(total * elem.lanes));
    if (status == KS_OK)
        status = read_exactly(&npy, out, (size_t)total * elem.size, err);
    close(npy.fd);
    return status;
}
