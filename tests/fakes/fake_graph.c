// Graphs of the fake driver: nodes run in the order in which they were added.
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"

#define EXPORT __attribute__((visibility("default")))
#define MOST 600

struct node {
    CUgraphNodeType type;
    CUDA_KERNEL_NODE_PARAMS kernel;
    CUDA_MEMCPY3D copy;
    CUDA_MEMSET_NODE_PARAMS set;
    struct node *before[4];
    size_t n_before;
};

struct graph {
    struct node *nodes[MOST];
    size_t n;
};

static struct graph *graph_of(CUgraph graph)
{
    return (struct graph *)(void *)graph;
}

EXPORT CUresult cuGraphCreate(CUgraph *graph, unsigned flags)
{
    (void)flags;
    *graph = calloc(1, sizeof(struct graph));
    return CUDA_SUCCESS;
}

static struct node *add(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n, CUgraphNodeType type)
{
    struct node *node = calloc(1, sizeof *node);
    node->type = type;
    for (size_t i = 0; i < n; i++)
        node->before[node->n_before++] = (struct node *)(void *)before[i];
    graph_of(graph)->nodes[graph_of(graph)->n++] = node;
    *out = (CUgraphNode)node;
    return node;
}

// A copy of the arguments, as the driver keeps one.
static void set_kernel(struct node *node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    const struct fake_function *f = (const struct fake_function *)(void *)params->func;
    node->kernel = *params;
    node->kernel.kernelParams = calloc(f->n + 1, sizeof(void *));
    for (size_t i = 0; i < f->n; i++) {
        node->kernel.kernelParams[i] = malloc(f->sizes[i]);
        memcpy(node->kernel.kernelParams[i], params->kernelParams[i], f->sizes[i]);
    }
}

EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
                                        const CUDA_KERNEL_NODE_PARAMS *params)
{
    set_kernel(add(out, graph, before, n, CU_GRAPH_NODE_TYPE_KERNEL), params);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
                                     const CUDA_MEMCPY3D *params, CUcontext context)
{
    (void)context;
    add(out, graph, before, n, CU_GRAPH_NODE_TYPE_MEMCPY)->copy = *params;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
                                     const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    (void)context;
    add(out, graph, before, n, CU_GRAPH_NODE_TYPE_MEMSET)->set = *params;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
                                   const CUDA_HOST_NODE_PARAMS *params)
{
    (void)params;
    add(out, graph, before, n, CU_GRAPH_NODE_TYPE_HOST);
    return CUDA_SUCCESS;
}

// ---- asking

EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *n)
{
    size_t room = *n;
    *n = graph_of(graph)->n;
    for (size_t i = 0; i < *n && i < room; i++)
        nodes[i] = (CUgraphNode)graph_of(graph)->nodes[i];
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < graph_of(graph)->n; i++)
        for (size_t k = 0; k < graph_of(graph)->nodes[i]->n_before; k++, ++*n) {
            from[*n] = (CUgraphNode)graph_of(graph)->nodes[i]->before[k];
            to[*n] = (CUgraphNode)graph_of(graph)->nodes[i];
            data[*n] = (CUgraphEdgeData){0};
        }
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    *type = ((struct node *)(void *)node)->type;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    *params = ((struct node *)(void *)node)->kernel;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params)
{
    *params = ((struct node *)(void *)node)->copy;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params)
{
    *params = ((struct node *)(void *)node)->set;
    return CUDA_SUCCESS;
}

// ---- instances, which share their graph's nodes

EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    const cuGraphInstantiateWithFlags_params p = {exec, graph, flags};
    fake_call(CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, true, &p, NULL);
    struct graph *copy = malloc(sizeof *copy);
    *copy = *graph_of(graph);
    *exec = (CUgraphExec)copy;
    fake_call(CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, false, &p, NULL);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    const cuGraphExecUpdate_v2_params p = {exec, graph, info};
    fake_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, true, &p, NULL);
    *(struct graph *)(void *)exec = *graph_of(graph);
    fake_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, false, &p, NULL);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    const cuGraphExecKernelNodeSetParams_v2_params p = {exec, node, params};
    fake_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2, true, &p, NULL);
    set_kernel((struct node *)(void *)node, params);
    fake_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2, false, &p, NULL);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    const cuGraphExecDestroy_params p = {exec};
    fake_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy, true, &p, NULL);
    free(exec);
    fake_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy, false, &p, NULL);
    return CUDA_SUCCESS;
}

static void run(const struct node *node, CUstream stream)
{
    const struct fake_function *f = (const struct fake_function *)(void *)node->kernel.func;
    const CUDA_KERNEL_NODE_PARAMS *k = &node->kernel;
    const cuLaunchKernel_params p = {k->func, k->gridDimX, k->gridDimY, k->gridDimZ, k->blockDimX, k->blockDimY,
                                     k->blockDimZ, k->sharedMemBytes, stream, k->kernelParams, NULL};
    switch (node->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        f->run(k->kernelParams);
        fake_record(f, &p, true);
        break;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        memcpy((void *)(uintptr_t)node->copy.dstDevice, (void *)(uintptr_t)node->copy.srcDevice, node->copy.WidthInBytes);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        memset((void *)(uintptr_t)node->set.dst, (int)node->set.value, node->set.width);
        break;
    default:
        break;
    }
}

EXPORT CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    const cuGraphLaunch_ptsz_params p = {exec, stream};
    const struct graph *graph = (const struct graph *)(void *)exec;
    fake_call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, true, &p, NULL);
    for (size_t i = 0; i < graph->n; i++)
        run(graph->nodes[i], stream);
    fake_call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, false, &p, NULL);
    return CUDA_SUCCESS;
}
