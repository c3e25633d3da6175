#include "verify/shared.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parallel.h"
#include "os/proc.h"

#define PIECE 64 // bytes: what threads share out

static char *map(int fd)
{
    void *at = mmap(NULL, (size_t)KS_SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

void ks_shared_make(struct ks_shared *shared, int *fd)
{
    *shared = (struct ks_shared){NULL};
    *fd = memfd_create("ks-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    // Sealed: were the worker to cut it short, reading here would be a fault.
    if (*fd >= 0 && ftruncate(*fd, (off_t)KS_SHARED_BYTES) == 0 &&
        fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        shared->at = map(*fd);
    if (shared->at == NULL && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

enum ks_status ks_shared_map(struct ks_shared *shared, struct ks_err *err)
{
    struct stat file;
    if (shared->at == NULL && fstat(KS_CHILD_MEMORY, &file) == 0 && S_ISREG(file.st_mode) &&
        file.st_size == (off_t)KS_SHARED_BYTES)
        shared->at = map(KS_CHILD_MEMORY);
    if (shared->at == NULL)
        KS_FAIL(err, KS_E_USER, "no memory is shared with this worker");
    return KS_OK;
}

void ks_shared_free(struct ks_shared *shared)
{
    if (shared->at != NULL)
        munmap(shared->at, (size_t)KS_SHARED_BYTES);
    shared->at = NULL;
}

struct taking {
    const char *from;
    char *to;
    int64_t n;
};

static void take_part(void *context, size_t part, int64_t first, int64_t count)
{
    const struct taking *t = context;
    int64_t from = first * PIECE, to = (first + count) * PIECE;
    (void)part;
    if (to > t->n)
        to = t->n;
    memcpy(t->to + from, t->from + from, (size_t)(to - from));
}

void ks_shared_take(const struct ks_shared *shared, int64_t from, void *to, int64_t n)
{
    KS_ASSERT(from >= 0 && n >= 0 && n <= KS_SHARED_BYTES - from);
    ks_parallel((n + PIECE - 1) / PIECE, take_part, &(struct taking){shared->at + from, to, n});
}
