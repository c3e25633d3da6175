// Plans of several steps with a workspace, streams, graphs, shared memory, errors, and the launch
// interfaces that are not <<<>>>.
#pragma once
#include "kernels.cuh"

// The two steps of outer::sum's plan: what one leaves in the workspace, the other finds.
__host__ __device__ inline bool first_thread()
{
#ifdef __CUDA_ARCH__
    return (threadIdx.x | blockIdx.x) == 0;
#else
    return true;
#endif
}
__host__ __device__ inline void part_body(Log *log, float *partial, const unsigned char *flags,
                                          int n, short half)
{
    if (!first_thread())
        return;
    for (int i = 0; i < (n + 1023) / 1024; i++) // written; so nothing else may hold them
        partial[i] = (float)(n + i);
    record(log, "part", (int)flags[0], (int)flags[n - 1], n, half);
}
__host__ __device__ inline void last_body(Log *log, const float *partial, int n)
{
    if (first_thread())
        record(log, "last", partial[(n + 1023) / 1024 - 1], n);
}
VARIANT_BODY(part, part_body);
VARIANT_BODY(last, last_body);
VARIANT(one_v, Log *, int);
VARIANT(first_half, Log *, int);
VARIANT(second_half, Log *, int);
VARIANT(greedy_v, Log *, long long);
VARIANT(big_shared_v, Log *, int);
VARIANT(captured_v, Log *, int);
VARIANT(captured_large_v, Log *, int);
VARIANT(forgiving_v, Log *, int);
VARIANT(racing_v, Log *, int);
VARIANT(racing_large, Log *, int);

namespace outer {
__global__ void sum(Log *log, const float *x, float *out, int n)
{
    record(log, "o", x, out, n);
}
}
__global__ void one(Log *log, int n)
{
    record(log, "o", n);
}
__global__ void halves(Log *log, int n)
{
    record(log, "o", n);
}
__global__ void greedy(Log *log, long long n)
{
    record(log, "o", n);
}
__global__ void big_shared(Log *log, int kb)
{
    record(log, "o", kb);
}
__global__ void captured(Log *log, int n)
{
    record(log, "o", n);
}
__global__ void captured_large(Log *log, int n)
{
    record(log, "o", n);
}
// Calls nothing: the registers of kernels with calls depend on the whole unit's.
__global__ void __launch_bounds__(128) queried(int *p, int n)
{
    if (n < 0)
        *p = n;
}
__global__ void forgiving(Log *log, int n) // its variant has no domain: any geometry
{
    record(log, "o", n);
}

PLAY(outer::sum);
PLAY(one);
PLAY(halves);
PLAY(greedy);
PLAY(big_shared);
PLAY(captured);
PLAY(captured_large);
PLAY(forgiving);

template <int K> static __global__ void racing(Log *log, int n)
{
    record(log, "o", n);
}
PLAY(racing<0>);
PLAY(racing<1>);
static void race()
{
    Log *log = suite::log();
    for (int i = 0; i < 50; i++) {
        racing<0><<<1, 32>>>(log, 64);
        racing<0><<<1, 32>>>(log, 63);
        racing<1><<<1, 32>>>(log, 64);
    }
}
CASE("launch.threads")
{
    // Eight threads at both sides of a guard, from the first launch on; large shared memory too.
    suite::unordered();
    suite::in_threads(8, race);
}

struct Stream {
    cudaStream_t at;
    Stream() { CHECK(cudaStreamCreate(&at) == cudaSuccess); }
    ~Stream() { CHECK(cudaStreamDestroy(at) == cudaSuccess); }
};
// What was launched meanwhile, run twice.
struct Capture {
    Stream stream;
    cudaGraph_t graph;
    Capture() { CHECK(!cudaStreamBeginCapture(stream.at, cudaStreamCaptureModeGlobal)); }
    void run_twice()
    {
        cudaGraphExec_t exec;
        effect(cudaStreamEndCapture(stream.at, &graph));
        effect(cudaGraphInstantiate(&exec, graph, 0));
        effect(cudaGraphLaunch(exec, stream.at));
        effect(cudaGraphLaunch(exec, stream.at));
        effect(cudaStreamSynchronize(stream.at));
    }
    static void effect(cudaError_t e) { suite::effect("graph", e); }
};

CASE("plan.workspace")
{
    outer::sum<<<1, 1>>>(suite::log(), X, Y, 3000);
    CHECK(suite::ran() != 1 || suite::saw(0, (const float *)X, (float *)Y, 3000));
    if (suite::entry(0).who[0] != 'o') {
        CHECK(suite::saw(0, 7, 7, 3000, (short)1500)); // memset to 7 over all of it
        CHECK(suite::saw(1, 3002.f, 3000));
    }
}
CASE("plan.workspace-refused")
{
    greedy<<<1, 32>>>(suite::log(), 1000);
    greedy<<<1, 32>>>(suite::log(), 1ll << 60); // bytes
    CHECK(suite::saw(0, 1000ll) && suite::saw(1, 1ll << 60));
    suite::effect("peek", cudaPeekAtLastError());
}
CASE("plan.workspace-negative")
{
    greedy<<<1, 32>>>(suite::log(), -5);
    greedy<<<1, 32>>>(suite::log(), 0x7fffffffffffffffll); // their sum overflows
}
CASE("plan.workspace-empty")
{
    greedy<<<1, 32>>>(suite::log(), 0);
}
CASE("plan.two-kernels")
{
    halves<<<2, 32>>>(suite::log(), 5);
    CHECK(suite::saw(0, 5) && (suite::ran() == 1 || suite::saw(1, 5)));
}
CASE("plan.argument-refused")
{
    outer::sum<<<1, 1>>>(suite::log(), X, Y, 70000); // half of it is no short: nothing was begun
    CHECK(suite::ran() == 1 && suite::saw(0, (const float *)X, (float *)Y, 70000));
}

CASE("stream.user")
{
    Stream s;
    one<<<2, 32, 0, s.at>>>(suite::log(), 1);
    outer::sum<<<1, 1, 0, s.at>>>(suite::log(), X, Y, 3000);
    CHECK(suite::saw(0, 1));
}
CASE("stream.legacy")
{
    one<<<2, 32, 0, cudaStreamLegacy>>>(suite::log(), 1);
    outer::sum<<<1, 1, 0, cudaStreamLegacy>>>(suite::log(), X, Y, 3000);
    CHECK(suite::saw(0, 1));
}
CASE("stream.per-thread")
{
    one<<<2, 32, 0, cudaStreamPerThread>>>(suite::log(), 1);
    outer::sum<<<1, 1, 0, cudaStreamPerThread>>>(suite::log(), X, Y, 3000);
    CHECK(suite::saw(0, 1));
}
CASE("stream.two-at-once")
{
    // Workspaces of different streams are different: `last` finds what its own `part` wrote.
    suite::unordered();
    Stream a, b;
    for (int i = 0; i < 20; i++) {
        outer::sum<<<1, 1, 0, a.at>>>(suite::log(), X, Y, 3000);
        outer::sum<<<1, 1, 0, b.at>>>(suite::log(), X, Y, 5000);
    }
    for (unsigned i = 0; i < suite::ran(); i++)
        if (suite::entry(i).who[0] == 'l')
            CHECK(suite::saw(i, 3002.f, 3000) || suite::saw(i, 5004.f, 5000));
}

CASE("graph.one-step")
{
    Capture graph;
    one<<<2, 32, 0, graph.stream.at>>>(suite::log(), 4);
    graph.run_twice();
    CHECK(suite::ran() == 2 && suite::saw(0, 4) && suite::saw(1, 4));
}
CASE("graph.guard-false")
{
    Capture graph;
    one<<<2, 32, 0, graph.stream.at>>>(suite::log(), -4);
    graph.run_twice();
    CHECK(suite::ran() == 2 && suite::saw(0, -4));
}
CASE("graph.two-kernels")
{
    Capture graph;
    halves<<<2, 32, 0, graph.stream.at>>>(suite::log(), 4);
    graph.run_twice();
    CHECK(suite::saw(0, 4) && suite::saw(1, 4));
}
CASE("graph.workspace")
{
    Capture graph;
    outer::sum<<<1, 1, 0, graph.stream.at>>>(suite::log(), X, Y, 3000);
    greedy<<<1, 32, 0, graph.stream.at>>>(suite::log(), 1000);
    graph.run_twice();
}
CASE("graph.first-launch")
{
    Capture graph; // nothing is known of this kernel yet
    captured<<<2, 32, 0, graph.stream.at>>>(suite::log(), 4);
    graph.run_twice();
    CHECK(suite::saw(0, 4) && suite::saw(1, 4));
}
CASE("graph.first-launch-shared")
{
    Capture graph; // nor is its attribute set
    captured_large<<<2, 32, 0, graph.stream.at>>>(suite::log(), 4);
    graph.run_twice();
    CHECK(suite::saw(0, 4) && suite::saw(1, 4));
}
CASE("graph.explicit-node")
{
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    Log *log = suite::log();
    int n = 4;
    void *args[] = {&log, &n};
    cudaKernelNodeParams params = {};
    params.func = (void *)one;
    params.gridDim = dim3(2);
    params.blockDim = dim3(32);
    params.kernelParams = args;
    suite::effect("create", cudaGraphCreate(&graph, 0));
    suite::effect("add", cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    suite::effect("make", cudaGraphInstantiate(&exec, graph, 0));
    suite::effect("launch", cudaGraphLaunch(exec, nullptr));
    CHECK(suite::ran() == 1 && suite::saw(0, 4));
}

CASE("shared.below-48k")
{
    big_shared<<<1, 32>>>(suite::log(), 48);
    CHECK(suite::saw(0, 48));
}
CASE("shared.above-48k")
{
    for (int kb : {49, 100, 200, 10})
        big_shared<<<1, 32>>>(suite::log(), kb);
    CHECK(suite::saw(0, 49) && suite::saw(2, 200));
}
CASE("shared.more-than-device")
{
    big_shared<<<1, 32>>>(suite::log(), 300);
    CHECK(suite::saw(0, 300));
}
CASE("shared.attribute-of-original")
{
    // The application's attribute is the original's: neither side sees the other's.
    cudaFuncAttributes before, after;
    suite::effect("get", cudaFuncGetAttributes(&before, (const void *)big_shared));
    big_shared<<<1, 32>>>(suite::log(), 100);
    suite::effect("get", cudaFuncGetAttributes(&after, (const void *)big_shared));
    suite::effect("most", before.maxDynamicSharedSizeBytes);
    suite::effect("most", after.maxDynamicSharedSizeBytes);
    big_shared<<<1, 32, 100 << 10>>>(suite::log(), 0); // guard false, and too much as yet
    suite::effect("launch", cudaGetLastError());
    const cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;
    suite::effect("set", cudaFuncSetAttribute((const void *)big_shared, most, 100 << 10));
    big_shared<<<1, 32, 100 << 10>>>(suite::log(), 0);
    suite::effect("launch", cudaGetLastError());
    suite::effect("set", cudaFuncSetAttribute((const void *)big_shared, most, 48 << 10));
    big_shared<<<1, 32>>>(suite::log(), 100);
}

CASE("Reset.launches")
{
    // Attributes, and whatever else was known of the device, are gone after a reset.
    for (int i = 0; i < 3; i++) {
        big_shared<<<1, 32>>>(suite::log(), 100);
        suite::effect("launch", cudaGetLastError());
        outer::sum<<<1, 1>>>(suite::log(), X, Y, 3000);
        suite::effect("launch", cudaGetLastError());
        if (i > 0)
            continue;
        suite::effect("reset", cudaDeviceReset());
        suite::forget_log();
    }
}

CASE("api.launch-kernel")
{
    Log *log = suite::log();
    int n = 3;
    void *args[] = {&log, &n};
    suite::effect("launch", cudaLaunchKernel((const void *)one, dim3(2), dim3(32), args, 0, 0));
    CHECK(suite::saw(0, 3));
}
CASE("api.launch-cooperative")
{
    Log *log = suite::log();
    int n = 3;
    void *args[] = {&log, &n};
    suite::effect("launch", cudaLaunchCooperativeKernel((const void *)one, dim3(2), dim3(32), args,
                                                        0, nullptr));
    CHECK(suite::saw(0, 3));
}
CASE("api.launch-ex")
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(32);
    suite::effect("launch", cudaLaunchKernelEx(&config, one, suite::log(), 3));
    CHECK(suite::saw(0, 3));
}
CASE("api.launch-ex-c")
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(32);
    Log *log = suite::log();
    int n = 3;
    void *args[] = {&log, &n};
    suite::effect("launch", cudaLaunchKernelExC(&config, (const void *)one, args));
    CHECK(suite::saw(0, 3));
}
CASE("api.launch-attributes")
{
    cudaLaunchAttribute attribute[2] = {};
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    attribute[1].id = cudaLaunchAttributePriority;
    attribute[1].val.priority = 0;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(32);
    config.attrs = attribute;
    config.numAttrs = 2;
    suite::effect("launch", cudaLaunchKernelEx(&config, one, suite::log(), 3));
    CHECK(suite::saw(0, 3));
}
CASE("api.queries")
{
    // All of the original, whatever ran before.
    queried<<<2, 32>>>(nullptr, 1);
    cudaFuncAttributes attributes;
    int blocks = 0;
    suite::effect("attributes", cudaFuncGetAttributes(&attributes, (const void *)queried));
    suite::effect("threads", attributes.maxThreadsPerBlock);
    suite::effect("registers", attributes.numRegs);
    suite::effect("shared", (long)attributes.sharedSizeBytes);
    suite::effect("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                   &blocks, (const void *)queried, 128, 0));
    suite::effect("blocks", blocks);
}

CASE("error.pending")
{
    suite::effect("set", cudaSetDevice(1 << 20)); // fails, and nobody looked yet
    forgiving<<<2, 32>>>(suite::log(), 1);
    suite::effect("peek", cudaPeekAtLastError());
    outer::sum<<<1, 1>>>(suite::log(), X, Y, 3000);
    big_shared<<<1, 32>>>(suite::log(), 300);
    suite::effect("get", cudaGetLastError());
    suite::effect("get", cudaGetLastError());
    forgiving<<<2, 32>>>(suite::log(), 2);
}
CASE("error.none-invented")
{
    greedy<<<1, 32>>>(suite::log(), 1ll << 60);
    suite::effect("get", cudaGetLastError());
    big_shared<<<1, 32>>>(suite::log(), 300);
    suite::effect("get", cudaGetLastError());
    outer::sum<<<1, 1>>>(suite::log(), X, Y, -1);
    suite::effect("get", cudaGetLastError());
}
CASE("error.block")
{
    for (dim3 block : {dim3(1025), dim3(1, 1025), dim3(1, 1, 65), dim3(64, 32), dim3(0),
                       dim3(1, 0)}) {
        forgiving<<<2, block>>>(suite::log(), 1);
        suite::effect("launch", cudaGetLastError());
    }
}
CASE("error.grid")
{
    for (dim3 grid : {dim3(0), dim3(1, 0), dim3(1, 1, 0), dim3(1, 65536), dim3(1, 1, 65536),
                      dim3(0x80000000u)}) {
        forgiving<<<grid, 32>>>(suite::log(), 1);
        suite::effect("launch", cudaGetLastError());
    }
}
CASE("error.shared")
{
    // Inside the domain of a real variant `shared` is what the judge saw; here 0.
    one<<<2, 32, 1 << 20>>>(suite::log(), 1);
    suite::effect("launch", cudaGetLastError());
}
