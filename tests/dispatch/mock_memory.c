// The mock runtime: streams, memory and graphs. All work is done at once, in the order of the
// calls.
#include "mock_cudart.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_VALUE = 1, ERROR_MEMORY = 2, ERROR_HANDLE = 400, ERROR_CAPTURE = 906 };
enum { STREAMS = 64, NODES = 64, FIRST_STREAM = 0x100, MOST = 64 << 20 };

struct graph {
    struct mock_launch nodes[NODES];
    int n;
};
static struct graph *capturing[STREAMS]; // of the streams made here; others are never captured
static int n_streams;

// --- streams ---

static struct graph **capture_of(void *stream)
{
    uintptr_t i = (uintptr_t)stream - FIRST_STREAM;
    return i < STREAMS ? &capturing[i] : NULL;
}
int cudaStreamCreate(void **stream)
{
    mock_called();
    *stream = (void *)(uintptr_t)(FIRST_STREAM + n_streams++ % STREAMS);
    return 0;
}
int cudaStreamDestroy(void *stream)
{
    mock_called();
    (void)stream;
    return 0;
}
int cudaStreamSynchronize(void *stream)
{
    mock_called();
    (void)stream;
    return 0;
}
MOCK_ALSO(cudaStreamSynchronize, _ptsz);
int cudaStreamIsCapturing(void *stream, int *status)
{
    struct graph **graph = capture_of(stream);
    mock_called();
    *status = graph != NULL && *graph != NULL;
    return 0;
}
MOCK_ALSO(cudaStreamIsCapturing, _ptsz);

// --- memory ---

int cudaMalloc(void **p, size_t bytes)
{
    mock_called();
    *p = bytes <= MOST ? aligned_alloc(256, (bytes + 255) / 256 * 256) : NULL;
    return *p != NULL ? 0 : mock_fail(ERROR_MEMORY);
}
int cudaFree(void *p)
{
    mock_called();
    free(p);
    return 0;
}
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    mock_called();
    (void)kind;
    memcpy(to, from, bytes);
    return 0;
}
MOCK_ALSO(cudaMemcpy, _ptds);
int cudaMemset(void *p, int value, size_t bytes)
{
    mock_called();
    memset(p, value, bytes);
    return 0;
}
MOCK_ALSO(cudaMemset, _ptds);

static void record(const char *name, const char *api, void *at, size_t bytes, int value,
                   void *stream)
{
    mock_lock();
    struct mock_event *e = mock_record(name, api);
    e->at = at;
    e->bytes = bytes;
    e->value = value;
    e->stream = stream;
    mock_unlock();
}
int cudaMallocAsync(void **p, size_t bytes, void *stream)
{
    mock_called();
    struct graph **graph = capture_of(stream);
    if (mock_fail_malloc || bytes > MOST)
        return mock_fail(ERROR_MEMORY);
    if (graph != NULL && *graph != NULL) // a real one would make a node; no plan may get here
        return mock_fail(ERROR_CAPTURE);
    *p = aligned_alloc(256, (bytes + 255) / 256 * 256);
    memset(*p, 0xa5, bytes);
    record("malloc", "cudaMallocAsync", *p, bytes, 0, stream);
    return 0;
}
MOCK_ALSO(cudaMallocAsync, _ptsz);
int cudaFreeAsync(void *p, void *stream)
{
    mock_called();
    record("free", "cudaFreeAsync", p, 0, 0, stream);
    free(p);
    return 0;
}
MOCK_ALSO(cudaFreeAsync, _ptsz);
int cudaMemsetAsync(void *p, int value, size_t bytes, void *stream)
{
    mock_called();
    record("memset", "cudaMemsetAsync", p, bytes, value, stream);
    memset(p, value, bytes);
    return 0;
}
MOCK_ALSO(cudaMemsetAsync, _ptsz);

// --- graphs ---

static int add_node(struct graph *graph, struct mock_launch launch)
{
    if (graph->n == NODES)
        return mock_fail(ERROR_MEMORY);
    graph->nodes[graph->n++] = launch;
    return 0;
}
int mock_captured(void *stream, struct mock_launch launch)
{
    struct graph **graph = capture_of(stream);
    if (graph == NULL || *graph == NULL)
        return 0;
    add_node(*graph, launch);
    return 1;
}
int cudaGraphCreate(struct graph **graph, unsigned flags)
{
    mock_called();
    (void)flags;
    *graph = calloc(1, sizeof **graph);
    return 0;
}
struct node_params {
    void *host;
    struct mock_dims grid, block;
    unsigned shared;
    void **args, **extra;
};
int cudaGraphAddKernelNode(void **node, struct graph *graph, void *const *after, size_t n_after,
                           const struct node_params *p)
{
    mock_called();
    (void)after, (void)n_after;
    struct mock_launch launch;
    int error = mock_prepare(p->host, p->grid, p->block, p->shared, p->args, &launch);
    *node = graph;
    return error ? mock_fail(error) : add_node(graph, launch);
}
int cudaStreamBeginCapture(void *stream, int mode)
{
    mock_called();
    (void)mode;
    struct graph **graph = capture_of(stream);
    return graph == NULL ? mock_fail(ERROR_VALUE) : cudaGraphCreate(graph, 0);
}
MOCK_ALSO(cudaStreamBeginCapture, _ptsz);
int cudaStreamEndCapture(void *stream, struct graph **out)
{
    mock_called();
    struct graph **graph = capture_of(stream);
    if (graph == NULL || *graph == NULL)
        return mock_fail(ERROR_HANDLE);
    *out = *graph;
    *graph = NULL;
    return 0;
}
MOCK_ALSO(cudaStreamEndCapture, _ptsz);
int cudaGraphInstantiate(struct graph **exec, struct graph *graph, unsigned long long flags)
{
    mock_called();
    (void)flags;
    *exec = graph;
    return 0;
}
int cudaGraphLaunch(struct graph *exec, void *stream)
{
    mock_called();
    (void)stream;
    for (int i = 0; i < exec->n; i++)
        if (exec->nodes[i].copy != NULL)
            mock_run(exec->nodes[i].copy, exec->nodes[i].grid, exec->nodes[i].block,
                     exec->nodes[i].shared);
    return 0;
}
MOCK_ALSO(cudaGraphLaunch, _ptsz);
