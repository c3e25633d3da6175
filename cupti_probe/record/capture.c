#include "capture.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture_graph.h"
#include "capture_write.h"

#define MOST_CLASSES 4    // of one kernel
#define MOST_KERNELS 1024
#define WAIT_SECONDS 10

struct kernel {
    char *symbol; // owned
    uint64_t classes[MOST_CLASSES];
    int n_classes;
    bool told, told_graph; // why it is left out; why launches of graphs are
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel kernels[MOST_KERNELS];
static size_t n_kernels;
static char *wanted, *folder; // from the environment, copied
static int64_t left;          // bytes that may still be written
static bool off;              // the disk is full, or the driver too old
static void (*tell)(const char *code, const char *text);
static __thread struct capture_pending *pending; // of one launch, or of a graph's several

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

// What a launch belongs to; NULL: to no graph.
struct of_graph {
    const struct capture_graph *graph;
    const struct capture_graph_kernel *kernel;
};

static bool open_driver(const char *symbol)
{
    static bool opened;
    if (opened)
        return true;
    opened = capture_driver_open();
    if (!opened) {
        off = true;
        note("capture-driver", symbol, "the driver does not tell of parameters: CUDA 12.4 or newer does");
    }
    return opened;
}

static bool has_room(struct kernel *kernel, const struct capture_args *args)
{
    char why[128];
    int64_t bytes = 0;
    for (size_t i = 0; i < args->n_allocations; i++)
        bytes += 2 * (int64_t)args->allocations[i].size;
    if (bytes <= left) {
        left -= bytes;
        return true;
    }
    snprintf(why, sizeof why, "before and after, its memory is %lld bytes, of which %lld may be written",
             (long long)bytes, (long long)left);
    note("capture-bytes", kernel->symbol, why);
    kernel->told = true;
    return false;
}

// Whether this launch is one to capture; its arguments in *p.
static bool choose(const struct capture_call *call, const struct of_graph *of, struct capture_pending *p)
{
    struct kernel *kernel = kernel_of(call->symbol);
    bool after = true;
    if (kernel == NULL || kernel->n_classes == MOST_CLASSES || kernel->told || !open_driver(call->symbol) ||
        capture_in_graph(call->stream))
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
    const char *why = of != NULL ? capture_graph_refuses(of->graph, of->kernel, &p->args, &after) : NULL;
    if (why != NULL && !kernel->told_graph) {
        kernel->told_graph = true;
        note("capture-graph", call->symbol, why);
    }
    if (why != NULL || !has_room(kernel, &p->args))
        return false;
    p->lost = !after;
    kernel->classes[kernel->n_classes++] = class;
    return true;
}

static void begin(const struct capture_call *call, const struct of_graph *of)
{
    struct capture_pending *p = calloc(1, sizeof *p);
    if (p != NULL)
        p->fd = -1;
    if (p == NULL || !choose(call, of, p)) {
        free(p);
        return;
    }
    const char *why = capture_wait(call->stream, WAIT_SECONDS) ? capture_write_before(call, folder, p)
                                                               : "the work before it does not end";
    if (why == NULL) {
        p->next = pending;
        pending = p;
        return;
    }
    note("capture-failed", call->symbol, why);
    capture_write_drop(p);
}

void capture_enter(const struct capture_call *call)
{
    sigset_t signals;
    if (pending != NULL || call->symbol == NULL || !is_wanted(call->symbol))
        return;
    hold_signal(&signals);
    pthread_mutex_lock(&lock);
    if (!off)
        begin(call, NULL);
    pthread_mutex_unlock(&lock);
    let_signal(&signals);
}

void capture_leave(const struct capture_call *call, bool launched)
{
    sigset_t signals;
    struct capture_pending *p = pending;
    if (p == NULL)
        return;
    pending = NULL;
    hold_signal(&signals);
    const char *failed = !launched ? "the launch failed"
                         : !capture_wait(call->stream, WAIT_SECONDS) ? "it does not end" : NULL;
    pthread_mutex_lock(&lock);
    for (struct capture_pending *next; p != NULL; p = next) {
        const char *why = failed != NULL ? failed : capture_write_after(call, p);
        next = p->next;
        if (why != NULL)
            note("capture-failed", p->symbol, why);
        capture_write_drop(p);
    }
    pthread_mutex_unlock(&lock);
    let_signal(&signals);
}

void capture_context_gone(CUcontext context)
{
    pthread_mutex_lock(&lock);
    capture_driver_gone(context);
    pthread_mutex_unlock(&lock);
}

// ---- graphs

void capture_graph_made(CUgraphExec exec, CUgraph graph)
{
    pthread_mutex_lock(&lock);
    capture_graph_remember(exec, graph, is_wanted);
    pthread_mutex_unlock(&lock);
}

void capture_graph_changed(CUgraphExec exec)
{
    pthread_mutex_lock(&lock);
    capture_graph_spoil(exec);
    pthread_mutex_unlock(&lock);
}

void capture_graph_gone(CUgraphExec exec)
{
    pthread_mutex_lock(&lock);
    capture_graph_forget(exec);
    pthread_mutex_unlock(&lock);
}

void capture_graph_enter(CUgraphExec exec, CUcontext context, CUstream stream)
{
    sigset_t signals;
    if (pending != NULL)
        return;
    hold_signal(&signals);
    pthread_mutex_lock(&lock);
    const struct capture_graph *graph = off ? NULL : capture_graph_of(exec);
    const struct capture_graph_kernel *k = graph != NULL ? capture_graph_kernels(graph) : NULL;
    for (; k != NULL && !off; k = k->next) {
        struct capture_call call = {.symbol = k->symbol, .context = context, .function = k->function,
                                    .shared = k->shared, .stream = stream, .params = k->params, .graph = true};
        memcpy(call.grid, k->grid, sizeof call.grid);
        memcpy(call.block, k->block, sizeof call.block);
        begin(&call, &(struct of_graph){graph, k});
    }
    pthread_mutex_unlock(&lock);
    let_signal(&signals);
}
