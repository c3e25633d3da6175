#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture_driver.h"

#define MOST_CLASSES 4    // of one kernel
#define MOST_KERNELS 1024
#define WAIT_SECONDS 10

struct kernel {
    char *symbol; // owned
    uint64_t classes[MOST_CLASSES];
    int n_classes;
    bool told;    // why it is left out
};

// A launch between entry and leaving, of one thread.
struct pending {
    struct capture_args args;
    char part[4096], whole[4096];
    int fd;         // of the file; -1: none
    off_t begin;    // of the contents
    off_t at;       // where the next bytes go
    const char *why; // what went wrong
    // Of the allocation that is compared:
    off_t before;
    bool changed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel kernels[MOST_KERNELS];
static size_t n_kernels;
static char *wanted, *folder; // from the environment, copied
static int64_t left;          // bytes that may still be written
static int next_file;
static bool off;              // the disk is full, or the driver too old
static void (*tell)(const char *code, const char *text);
static __thread struct pending *pending;

static void note(const char *code, const char *symbol, const char *why)
{
    char text[1024];
    snprintf(text, sizeof text, "%s: %s", symbol, why);
    tell(code, text);
}

bool capture_begin(void (*to)(const char *code, const char *text))
{
    const char *names = getenv("KS_RECORD_CAPTURE"), *dir = getenv("KS_RECORD_CAPTURE_DIR");
    const char *most = getenv("KS_RECORD_CAPTURE_MAX");
    if (names == NULL || dir == NULL || names[0] == '\0' || dir[0] != '/')
        return false;
    wanted = strdup(names);
    folder = strdup(dir);
    left = most != NULL ? strtoll(most, NULL, 10) : 0;
    tell = to;
    return wanted != NULL && folder != NULL;
}

static bool is_wanted(const char *symbol)
{
    size_t n;
    for (const char *part = wanted; *part != '\0'; part += n + (part[n] == ',')) {
        n = strcspn(part, ",");
        if (n == 1 && part[0] == '*')
            return true;
        if (part[0] == '=' && strlen(symbol) == n - 1 && memcmp(symbol, part + 1, n - 1) == 0)
            return true;
        if (part[0] != '=' && n > 0 && memmem(symbol, strlen(symbol), part, n) != NULL)
            return true;
    }
    return false;
}

static struct kernel *kernel_of(const char *symbol)
{
    for (size_t i = 0; i < n_kernels; i++)
        if (strcmp(kernels[i].symbol, symbol) == 0)
            return &kernels[i];
    char *copy = n_kernels < MOST_KERNELS ? strdup(symbol) : NULL;
    if (copy == NULL)
        return NULL;
    kernels[n_kernels].symbol = copy;
    return &kernels[n_kernels++];
}

static uint64_t mix(uint64_t hash, const void *data, size_t n)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

// Geometry and the parameters' bytes, but for pointers, which count by the offset into their memory.
static uint64_t class_of(const struct capture_call *call, const struct capture_args *args)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = mix(hash, call->grid, sizeof call->grid);
    hash = mix(hash, call->block, sizeof call->block);
    hash = mix(hash, &call->shared, sizeof call->shared);
    size_t k = 0;
    for (size_t p = 0; p < args->n_params; p++)
        for (size_t at = 0; at < args->params[p].size;) {
            const struct capture_pointer *pointer = k < args->n_pointers ? &args->pointers[k] : NULL;
            bool here = pointer != NULL && pointer->param == p && pointer->at == at;
            hash = here ? mix(hash, &pointer->offset, 8) : mix(hash, args->params[p].bytes + at, 1);
            at += here ? 8 : 1;
            k += here;
        }
    return hash;
}

// ---- the spool

static void put_triple(FILE *file, const char *word, const unsigned n[3])
{
    fprintf(file, ",\"%s\":[%u,%u,%u]", word, n[0], n[1], n[2]);
}

static void put_header(FILE *file, const struct capture_call *call, const struct capture_args *args)
{
    fprintf(file, "{\"launch\":1,\"symbol\":\"%s\"", call->symbol);
    put_triple(file, "grid", call->grid);
    put_triple(file, "block", call->block);
    fprintf(file, ",\"shared\":%u,\"params\":[", call->shared);
    for (size_t i = 0; i < args->n_params; i++) {
        fprintf(file, "%s{\"offset\":%zu,\"hex\":\"", i > 0 ? "," : "", args->params[i].offset);
        for (size_t k = 0; k < args->params[i].size; k++)
            fprintf(file, "%02x", args->params[i].bytes[k]);
        fputs("\"}", file);
    }
    fputs("],\"pointers\":[", file);
    for (size_t i = 0; i < args->n_pointers; i++)
        fprintf(file, "%s{\"param\":%zu,\"at\":%zu,\"allocation\":%zu,\"offset\":%zu}", i > 0 ? "," : "",
                args->pointers[i].param, args->pointers[i].at, args->pointers[i].allocation,
                args->pointers[i].offset);
    fputs("],\"allocations\":[", file);
    for (size_t i = 0; i < args->n_allocations; i++)
        fprintf(file, "%s{\"base\":\"0x%llx\",\"size\":%zu}", i > 0 ? "," : "",
                (unsigned long long)args->allocations[i].base, args->allocations[i].size);
    fputs("]}\n", file);
}

static void drop(struct pending *p)
{
    if (p->fd >= 0) {
        close(p->fd);
        unlink(p->part);
    }
    free(p);
}

static bool put_bytes(struct pending *p, const void *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t wrote = pwrite(p->fd, (const char *)bytes + done, n - done, p->at + (off_t)done);
        if (wrote <= 0 && !(wrote < 0 && errno == EINTR)) {
            p->why = "its file cannot be written: is the disk full?";
            return false;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    p->at += (off_t)n;
    return true;
}

static bool take_before(void *to, size_t at, const void *bytes, size_t n)
{
    (void)at;
    return put_bytes(to, bytes, n);
}

// Written behind what is there already, compared with what lies in the file from before.
static bool take_after(void *to, size_t at, const void *bytes, size_t n)
{
    struct pending *p = to;
    static char before[1 << 16]; // under the lock
    for (size_t done = 0; done < n && !p->changed;) {
        size_t part = n - done < sizeof before ? n - done : sizeof before;
        p->changed = pread(p->fd, before, part, p->before + (off_t)(at + done)) != (ssize_t)part ||
                     memcmp(before, (const char *)bytes + done, part) != 0;
        done += part;
    }
    return put_bytes(p, bytes, n);
}

// Contents before the launch. NULL, or why not.
static const char *save_before(const struct capture_call *call, struct pending *p)
{
    char *text = NULL;
    size_t n = 0;
    snprintf(p->whole, sizeof p->whole, "%s/%d-%d", folder, (int)getpid(), next_file++);
    snprintf(p->part, sizeof p->part, "%.*s.part", (int)sizeof p->part - 6, p->whole);
    FILE *header = open_memstream(&text, &n);
    if (header == NULL)
        return "there is no memory";
    put_header(header, call, &p->args);
    fclose(header);
    p->fd = open(p->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = p->fd >= 0 && put_bytes(p, text, n);
    free(text);
    if (!ok)
        return "its file cannot be written: is the disk full?";
    p->begin = p->at;
    for (size_t i = 0; i < p->args.n_allocations && ok; i++)
        ok = capture_copy(call->context, p->args.allocations[i].base, p->args.allocations[i].size,
                          take_before, p);
    return ok ? NULL : p->why != NULL ? p->why : "its memory cannot be read";
}

static const char *save_after(const struct capture_call *call, struct pending *p)
{
    char text[16 + 8 * CAPTURE_POINTERS];
    int n = snprintf(text, sizeof text, "\n{\"after\":[");
    off_t before = p->begin;
    for (size_t i = 0; i < p->args.n_allocations; i++) {
        const struct capture_allocation *a = &p->args.allocations[i];
        off_t begin = p->at;
        p->before = before;
        p->changed = false;
        if (!capture_copy(call->context, a->base, a->size, take_after, p))
            return p->why != NULL ? p->why : "its memory cannot be read";
        if (!p->changed)
            p->at = begin; // what follows takes its place
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s", i > 0 ? "," : "", p->changed ? "true" : "false");
        before += (off_t)a->size;
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "]}\n");
    if (!put_bytes(p, text, (size_t)n) || ftruncate(p->fd, p->at) != 0 || rename(p->part, p->whole) != 0)
        return "its file cannot be written: is the disk full?";
    close(p->fd);
    p->fd = -1;
    return NULL;
}

// A file size limit must not end the program: its signal is held back here and taken off.
static void hold_signal(sigset_t *before)
{
    sigset_t limit;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, before);
}

static void let_signal(const sigset_t *before)
{
    sigset_t limit, waiting;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    if (sigismember(before, SIGXFSZ) == 0 && sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ) == 1)
        sigtimedwait(&limit, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

// ---- launches

// Whether this launch is one to capture; its arguments in *p.
static bool choose(const struct capture_call *call, struct pending *p)
{
    static bool opened;
    struct kernel *kernel = kernel_of(call->symbol);
    if (kernel == NULL || kernel->n_classes == MOST_CLASSES || kernel->told)
        return false;
    if (!opened && !capture_driver_open()) {
        off = true;
        note("capture-driver", call->symbol, "the driver does not tell of parameters: CUDA 12.4 or newer does");
        return false;
    }
    opened = true;
    if (capture_in_graph(call->stream))
        return false;
    if (!capture_read_args(call, &p->args)) {
        kernel->told = true;
        note("capture-arguments", call->symbol, "the driver does not tell its parameters");
        return false;
    }
    uint64_t class = class_of(call, &p->args);
    for (int i = 0; i < kernel->n_classes; i++)
        if (kernel->classes[i] == class)
            return false;
    int64_t bytes = 0;
    for (size_t i = 0; i < p->args.n_allocations; i++)
        bytes += 2 * (int64_t)p->args.allocations[i].size;
    if (bytes > left) {
        char why[128];
        snprintf(why, sizeof why, "before and after, its memory is %lld bytes, of which %lld may be written",
                 (long long)bytes, (long long)left);
        note("capture-bytes", call->symbol, why);
        kernel->told = true;
        return false;
    }
    kernel->classes[kernel->n_classes++] = class;
    left -= bytes;
    return true;
}

static void begin(const struct capture_call *call)
{
    struct pending *p = calloc(1, sizeof *p);
    if (p != NULL)
        p->fd = -1;
    if (p == NULL || !choose(call, p)) {
        free(p);
        return;
    }
    const char *why = capture_wait(call->stream, WAIT_SECONDS) ? save_before(call, p)
                                                               : "the work before it does not end";
    if (why == NULL) {
        pending = p;
        return;
    }
    note("capture-failed", call->symbol, why);
    drop(p);
}

void capture_enter(const struct capture_call *call)
{
    sigset_t signals;
    if (pending != NULL || call->symbol == NULL || !is_wanted(call->symbol))
        return;
    hold_signal(&signals);
    pthread_mutex_lock(&lock);
    if (!off)
        begin(call);
    pthread_mutex_unlock(&lock);
    let_signal(&signals);
}

void capture_leave(const struct capture_call *call, bool launched)
{
    sigset_t signals;
    struct pending *p = pending;
    if (p == NULL)
        return;
    pending = NULL;
    hold_signal(&signals);
    const char *why = !launched ? "the launch failed"
                      : !capture_wait(call->stream, WAIT_SECONDS) ? "it does not end" : NULL;
    pthread_mutex_lock(&lock);
    if (why == NULL)
        why = save_after(call, p);
    if (why != NULL)
        note("capture-failed", call->symbol, why);
    drop(p);
    pthread_mutex_unlock(&lock);
    let_signal(&signals);
}
