// A program on the fake driver whose kernels run as nodes of graphs: graph_app HOW. Kernels fill(y, v, n), which sets
// what y holds, and scale(y, x, a, n).
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"

#define ARG(type, i) (*(type *)args[i])
#define N 1000

static void fill(void **args)
{
    for (int i = 0; i < ARG(int, 2); i++)
        ARG(float *, 0)[i] = ARG(float, 1) + (float)i;
}

static void scale(void **args)
{
    for (int i = 0; i < ARG(int, 3); i++)
        ARG(float *, 0)[i] = ARG(float, 2) * ARG(const float *, 1)[i];
}

static float *x, *y, *z, a = 2.5f, v = 3;
static int n = N;
static CUfunction fill_f, scale_f;
static CUgraph graph;

static float *memory(void)
{
    CUdeviceptr at = 0;
    if (cuMemAlloc_v2(&at, 4 * N) != CUDA_SUCCESS)
        exit(91);
    for (int i = 0; i < N; i++)
        ((float *)(uintptr_t)at)[i] = (float)i - 300;
    return (float *)(uintptr_t)at;
}

static CUgraphNode add(CUfunction f, void **args, CUgraphNode before)
{
    CUgraphNode node;
    CUDA_KERNEL_NODE_PARAMS p = {.func = f, .gridDimX = 8, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 128,
                                 .blockDimY = 1, .blockDimZ = 1, .kernelParams = args};
    cuGraphAddKernelNode(&node, graph, &before, before != NULL, &p);
    return node;
}

static CUgraphNode add_fill(float *to, CUgraphNode before)
{
    return add(fill_f, (void *[]){&to, &v, &n}, before);
}

static CUgraphNode add_scale(float *to, float *from, CUgraphNode before)
{
    return add(scale_f, (void *[]){&to, &from, &a, &n}, before);
}

static CUgraphNode add_set(float *at, CUgraphNode before)
{
    CUgraphNode node;
    CUDA_MEMSET_NODE_PARAMS p = {.dst = (CUdeviceptr)(uintptr_t)at, .elementSize = 1, .width = 64, .height = 1};
    cuGraphAddMemsetNode(&node, graph, &before, before != NULL, &p, NULL);
    return node;
}

static CUgraphNode add_host(CUgraphNode before)
{
    CUgraphNode node;
    CUDA_HOST_NODE_PARAMS p = {0};
    cuGraphAddHostNode(&node, graph, &before, before != NULL, &p);
    return node;
}

static CUgraphNode add_copy(float *to, float *from, CUgraphNode before)
{
    CUgraphNode node;
    CUDA_MEMCPY3D p = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = (CUdeviceptr)(uintptr_t)from, .dstDevice = (CUdeviceptr)(uintptr_t)to,
                       .WidthInBytes = 4 * N, .Height = 1, .Depth = 1};
    cuGraphAddMemcpyNode(&node, graph, &before, before != NULL, &p, NULL);
    return node;
}

int main(int argc, char **argv)
{
    static const size_t offsets_f[] = {0, 8, 12}, sizes_f[] = {8, 4, 4}, offsets_s[] = {0, 8, 16, 20}, sizes_s[] = {8, 8, 4, 4};
    const char *how = argc > 1 ? argv[1] : "first";
    CUgraphExec exec;
    CUgraphExecUpdateResultInfo info;
    if (cuInit(0) != CUDA_SUCCESS)
        return 99;
    fill_f = fake_cuda_function("_Z4fillPffi", offsets_f, sizes_f, 3, fill);
    scale_f = fake_cuda_function("_Z5scalePfPKffi", offsets_s, sizes_s, 4, scale);
    x = memory(), y = memory(), z = memory();
    cuGraphCreate(&graph, 0);
    CUgraphNode node = NULL;
    if (strcmp(how, "first") == 0) { // what comes behind reads alone, and sets other memory
        node = add_scale(y, x, NULL);
        add_copy(z, y, node);
    } else if (strcmp(how, "behind") == 0) { // known before, lost behind
        add_set(y, add_scale(y, x, NULL));
    } else if (strcmp(how, "second") == 0) {
        node = add_scale(y, x, add_fill(x, NULL));
    } else if (strcmp(how, "beside") == 0) { // in no order
        add_scale(y, x, NULL);
        add_set(x, NULL);
    } else if (strcmp(how, "chain") == 0) { // in an order, by way of others
        add_fill(x, add_copy(z, y, add_copy(z, y, add_scale(y, x, NULL))));
    } else if (strcmp(how, "host") == 0) {
        add_scale(y, x, add_host(NULL));
    } else if (strcmp(how, "set") == 0 || strcmp(how, "update") == 0) {
        node = add_scale(y, x, NULL);
    } else if (strcmp(how, "large") == 0) {
        for (int i = 0; i < 513; i++)
            add_scale(y, x, NULL);
    } else if (strcmp(how, "cooperative") == 0) {
        cuLaunchCooperativeKernel(scale_f, 8, 1, 1, 128, 1, 1, 0, NULL, (void *[]){&y, &x, &a, &n});
    }
    cuGraphInstantiateWithFlags(&exec, graph, 0);
    if (strcmp(how, "set") == 0) {
        CUDA_KERNEL_NODE_PARAMS p = {.func = scale_f, .gridDimX = 8, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 128,
                                     .blockDimY = 1, .blockDimZ = 1, .kernelParams = (void *[]){&y, &z, &a, &n}};
        cuGraphExecKernelNodeSetParams(exec, node, &p);
    }
    if (strcmp(how, "update") == 0) { // another scalar
        a = 4;
        cuGraphCreate(&graph, 0);
        add_scale(y, x, NULL);
        cuGraphExecUpdate(exec, graph, &info);
    }
    for (int i = 0; i < 3; i++)
        cuGraphLaunch(exec, NULL);
    cuGraphExecDestroy(exec);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (double)y[i] + (double)z[i];
    printf("sum %.6f\n", sum);
    return 0;
}
