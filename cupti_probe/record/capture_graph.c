#include "capture_graph.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 512
#define MOST_EDGES (16 * MOST_NODES)

struct node {
    bool opaque;            // it may write anywhere, or wait for work of others
    CUdeviceptr *touched;   // addresses in memory that it may write
    size_t n_touched;
    bool behind[MOST_NODES]; // nodes that run only when this one is done
};

struct capture_graph {
    CUgraphExec exec;
    const char *refused;     // why nothing of it can be captured; or NULL
    struct node *nodes;
    size_t n_nodes;
    struct capture_graph_kernel *kernels;
    struct capture_graph *next;
};

static struct capture_graph *graphs;

static struct {
    CUresult (*nodes)(CUgraph, CUgraphNode *, size_t *);
    CUresult (*edges)(CUgraph, CUgraphNode *, CUgraphNode *, CUgraphEdgeData *, size_t *);
    CUresult (*type)(CUgraphNode, CUgraphNodeType *);
    CUresult (*kernel)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS *);
    CUresult (*copy)(CUgraphNode, CUDA_MEMCPY3D *);
    CUresult (*set)(CUgraphNode, CUDA_MEMSET_NODE_PARAMS *);
    CUresult (*name)(const char **, CUfunction);
} cu;

static bool open_driver(void)
{
    static bool tried, opened;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    const struct {
        const char *name;
        void *entry;
    } entries[] = {{"cuGraphGetNodes", &cu.nodes}, {"cuGraphGetEdges_v2", &cu.edges}, {"cuGraphNodeGetType", &cu.type},
                   {"cuGraphKernelNodeGetParams_v2", &cu.kernel}, {"cuGraphMemcpyNodeGetParams", &cu.copy},
                   {"cuGraphMemsetNodeGetParams", &cu.set}, {"cuFuncGetName", &cu.name}};
    if (tried)
        return opened;
    tried = true;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *found = library != NULL ? dlsym(library, entries[i].name) : NULL;
        if (found == NULL)
            return false;
        memcpy(entries[i].entry, &found, sizeof found);
    }
    return opened = capture_driver_open();
}

// ---- reading

static bool touch(struct node *node, CUdeviceptr at)
{
    CUdeviceptr *more = realloc(node->touched, (node->n_touched + 1) * sizeof *more);
    if (more == NULL)
        return false;
    node->touched = more;
    node->touched[node->n_touched++] = at;
    return true;
}

static void free_kernel(struct capture_graph_kernel *kernel)
{
    for (size_t i = 0; kernel->params != NULL && kernel->params[i] != NULL; i++)
        free(kernel->params[i]);
    free(kernel->params);
    free(kernel->symbol);
    free(kernel);
}

// A copy of the arguments; NULL: there is no memory.
static struct capture_graph_kernel *copy_of(const CUDA_KERNEL_NODE_PARAMS *p, const struct capture_args *args,
                                            const char *symbol, size_t node)
{
    struct capture_graph_kernel *k = calloc(1, sizeof *k);
    if (k == NULL)
        return NULL;
    *k = (struct capture_graph_kernel){.symbol = strdup(symbol), .function = p->func,
                                       .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                       .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                       .shared = p->sharedMemBytes, .node = node,
                                       .params = calloc(args->n_params + 1, sizeof *k->params)};
    bool ok = k->symbol != NULL && k->params != NULL;
    for (size_t i = 0; ok && i < args->n_params; i++) {
        k->params[i] = malloc(args->params[i].size + 1);
        ok = k->params[i] != NULL;
        if (ok)
            memcpy(k->params[i], args->params[i].bytes, args->params[i].size);
    }
    if (ok)
        return k;
    free_kernel(k);
    return NULL;
}

static bool read_kernel(struct capture_graph *graph, CUgraphNode from, size_t at, bool (*wanted)(const char *))
{
    CUDA_KERNEL_NODE_PARAMS p = {0};
    static struct capture_args args; // under the lock
    const char *symbol = NULL;
    struct node *node = &graph->nodes[at];
    if (cu.kernel(from, &p) != CUDA_SUCCESS)
        return false;
    const struct capture_call call = {.function = p.func, .params = p.kernelParams, .extra = p.extra};
    if (p.func == NULL || cu.name(&symbol, p.func) != CUDA_SUCCESS || !capture_read_args(&call, &args)) {
        node->opaque = true;
        return true;
    }
    for (size_t i = 0; i < args.n_allocations; i++)
        if (!touch(node, args.allocations[i].base))
            return false;
    struct capture_graph_kernel *kernel = wanted(symbol) ? copy_of(&p, &args, symbol, at) : NULL;
    struct capture_graph_kernel **last = &graph->kernels; // in the order in which they were added
    while (*last != NULL)
        last = &(*last)->next;
    *last = kernel;
    return kernel != NULL || !wanted(symbol);
}

static bool read_node(struct capture_graph *graph, CUgraphNode from, size_t at, bool (*wanted)(const char *))
{
    struct node *node = &graph->nodes[at];
    CUgraphNodeType type;
    CUDA_MEMCPY3D copy = {0};
    CUDA_MEMSET_NODE_PARAMS set = {0};
    if (cu.type(from, &type) != CUDA_SUCCESS)
        return false;
    switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return read_kernel(graph, from, at, wanted);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        if (cu.copy(from, &copy) != CUDA_SUCCESS)
            return false;
        return touch(node, copy.dstMemoryType == CU_MEMORYTYPE_HOST ? (CUdeviceptr)(uintptr_t)copy.dstHost
                                                                    : copy.dstDevice);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return cu.set(from, &set) == CUDA_SUCCESS && touch(node, set.dst);
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return true;
    default:
        node->opaque = true;
        return true;
    }
}

static size_t index_of(const CUgraphNode *nodes, size_t n, CUgraphNode node)
{
    size_t i = 0;
    while (i < n && nodes[i] != node)
        i++;
    return i;
}

// Who runs only behind whom: edges, then what follows from them.
static bool read_order(struct capture_graph *graph, CUgraph from, const CUgraphNode *nodes)
{
    static CUgraphNode tails[MOST_EDGES], heads[MOST_EDGES];
    static CUgraphEdgeData data[MOST_EDGES];
    size_t n = MOST_EDGES, all = graph->n_nodes;
    bool changed = true;
    if (cu.edges(from, tails, heads, data, &n) != CUDA_SUCCESS || n >= MOST_EDGES)
        return false;
    for (size_t e = 0; e < n; e++) {
        size_t tail = index_of(nodes, all, tails[e]), head = index_of(nodes, all, heads[e]);
        // Of other ports or types the head may begin while the tail still runs.
        if (tail < all && head < all && data[e].from_port == 0 && data[e].type == 0)
            graph->nodes[tail].behind[head] = true;
    }
    while (changed) {
        changed = false;
        for (size_t i = 0; i < all; i++)
            for (size_t k = 0; k < all; k++)
                for (size_t m = 0; graph->nodes[i].behind[k] && m < all; m++)
                    if (graph->nodes[k].behind[m] && !graph->nodes[i].behind[m])
                        changed = graph->nodes[i].behind[m] = true;
    }
    return true;
}

// NULL, or why not.
static const char *read_graph(struct capture_graph *graph, CUgraph from, bool (*wanted)(const char *))
{
    static CUgraphNode nodes[MOST_NODES + 1];
    static const char unread[] = "the driver does not tell what its graph is made of";
    size_t n = MOST_NODES + 1;
    if (!open_driver() || cu.nodes(from, nodes, &n) != CUDA_SUCCESS)
        return unread;
    size_t read = n <= MOST_NODES ? n : MOST_NODES;
    graph->nodes = calloc(read + 1, sizeof *graph->nodes);
    if (graph->nodes == NULL)
        return "there is no memory";
    graph->n_nodes = read;
    for (size_t i = 0; i < read; i++)
        if (!read_node(graph, nodes[i], i, wanted))
            return unread;
    if (graph->kernels == NULL)
        return NULL;
    if (n > MOST_NODES)
        return "its graph has more than 512 nodes";
    return read_order(graph, from, nodes) ? NULL : unread;
}

// ---- which there are

static void free_contents(struct capture_graph *graph)
{
    for (struct capture_graph_kernel *k = graph->kernels, *next; k != NULL; k = next) {
        next = k->next;
        free_kernel(k);
    }
    for (size_t i = 0; i < graph->n_nodes; i++)
        free(graph->nodes[i].touched);
    free(graph->nodes);
    graph->kernels = NULL;
    graph->nodes = NULL;
    graph->n_nodes = 0;
}

static struct capture_graph **place_of(CUgraphExec exec)
{
    struct capture_graph **at = &graphs;
    while (*at != NULL && (*at)->exec != exec)
        at = &(*at)->next;
    return at;
}

void capture_graph_forget(CUgraphExec exec)
{
    struct capture_graph **at = place_of(exec), *graph = *at;
    if (graph == NULL)
        return;
    *at = graph->next;
    free_contents(graph);
    free(graph);
}

void capture_graph_remember(CUgraphExec exec, CUgraph from, bool (*wanted)(const char *symbol))
{
    capture_graph_forget(exec);
    struct capture_graph *graph = calloc(1, sizeof *graph);
    if (graph == NULL)
        return;
    graph->exec = exec;
    graph->refused = read_graph(graph, from, wanted);
    if (graph->kernels == NULL) {
        free_contents(graph);
        free(graph);
        return;
    }
    graph->next = graphs;
    graphs = graph;
}

void capture_graph_spoil(CUgraphExec exec)
{
    struct capture_graph *graph = *place_of(exec);
    if (graph != NULL)
        graph->refused = "its graph was changed after it was instantiated";
}

const struct capture_graph *capture_graph_of(CUgraphExec exec)
{
    return *place_of(exec);
}

const struct capture_graph_kernel *capture_graph_kernels(const struct capture_graph *graph)
{
    return graph->kernels;
}

// ---- whether contents are known

static bool meets(const struct node *node, const struct capture_args *args)
{
    for (size_t i = 0; i < args->n_allocations; i++)
        for (size_t k = 0; k < node->n_touched; k++)
            if (node->touched[k] - args->allocations[i].base < args->allocations[i].size)
                return true;
    return false;
}

const char *capture_graph_refuses(const struct capture_graph *graph, const struct capture_graph_kernel *kernel,
                                  const struct capture_args *args, bool *after)
{
    const struct node *own = graph->refused == NULL ? &graph->nodes[kernel->node] : NULL;
    *after = true;
    if (own == NULL)
        return graph->refused;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const struct node *other = &graph->nodes[i];
        if (other == own || !(other->opaque || meets(other, args)))
            continue;
        if (!own->behind[i])
            return other->opaque ? "a node that may run before it in its graph may write anything"
                                 : "a node that may run before it in its graph may write its memory";
        *after = false;
    }
    return NULL;
}
