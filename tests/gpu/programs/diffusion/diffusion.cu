// Heat on a plate: the steps are a CUDA graph, diagnostics run beside them in streams of their own, the total comes
// from a library. A line of results, then what was launched, as NAME=VALUE.
#include <cstdio>
#include <vector>

#include "plate.h"

struct Field {
    const float *in;
    int w, h;
    float *out;
    float k;
};

__global__ void relax(Field f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= f.w || y >= f.h)
        return;
    int at = y * f.w + x;
    float c = f.in[at];
    bool inside = x > 0 && y > 0 && x < f.w - 1 && y < f.h - 1;
    f.out[at] = inside ? c + f.k * (f.in[at - 1] + f.in[at + 1] + f.in[at - f.w] + f.in[at + f.w] - 4 * c) : c;
}

__global__ void flip(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = in[y * w + x];
}

__global__ void hottest(unsigned *bins, const unsigned char *marks, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[marks[i] / 8], 1u);
}

__global__ void classify(unsigned char *marks, const float *t, float low, float high, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float part = (t[i] - low) / (high - low);
        marks[i] = (unsigned char)(255 * fminf(fmaxf(part, 0.f), 1.f));
    }
}

int main()
{
    const int w = 3000, h = 2000, n = w * h, steps = 20, rounds = 10;
    std::vector<float> plate(n);
    for (int i = 0; i < n; i++)
        plate[i] = (float)((i * 7919LL) % 10007) / 10007 + (i % w > w / 2 ? 2 : 0);
    float *a, *b, *turned;
    unsigned char *marks;
    unsigned *bins, counted[32];
    cudaStream_t heat, looks, counts;
    cudaEvent_t stepped, looked;
    cudaGraph_t graph;
    cudaGraphExec_t step;
    cudaGraphNode_t node = nullptr;
    OK(cudaMalloc(&a, 4 * n));
    OK(cudaMalloc(&b, 4 * n));
    OK(cudaMalloc(&turned, 4 * n));
    OK(cudaMalloc(&marks, n));
    OK(cudaMalloc(&bins, 128));
    OK(cudaMemcpy(a, plate.data(), 4 * n, cudaMemcpyHostToDevice));
    OK(cudaMemset(bins, 0, 128));
    OK(cudaMemset(turned, 0, 4 * n));
    OK(cudaStreamCreate(&heat));
    OK(cudaStreamCreate(&looks));
    OK(cudaStreamCreate(&counts));
    OK(cudaEventCreateWithFlags(&stepped, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&looked, cudaEventDisableTiming));
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    OK(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < steps; i++) {
        Field f = {i % 2 ? b : a, w, h, i % 2 ? a : b, 0.2f};
        void *args[] = {&f};
        cudaKernelNodeParams p = {};
        p.func = (void *)relax;
        p.gridDim = grid;
        p.blockDim = block;
        p.kernelParams = args;
        cudaGraphNode_t before = node;
        OK(cudaGraphAddKernelNode(&node, graph, &before, i > 0, &p));
    }
    OK(cudaGraphInstantiate(&step, graph, 0));
    for (int r = 0; r < rounds; r++) {
        OK(cudaGraphLaunch(step, heat));
        OK(cudaEventRecord(stepped, heat));
        OK(cudaStreamWaitEvent(looks, stepped));
        OK(cudaStreamWaitEvent(counts, stepped));
        flip<<<grid, block, 0, looks>>>(turned, a, w, h);
        classify<<<(n + 255) / 256, 256, 0, counts>>>(marks, a, 0.f, 3.f, n);
        hottest<<<(n + 255) / 256, 256, 0, counts>>>(bins, marks, n);
        OK(cudaEventRecord(looked, looks));
        OK(cudaStreamWaitEvent(heat, looked));
        OK(cudaEventRecord(looked, counts));
        OK(cudaStreamWaitEvent(heat, looked));
    }
    OK(cudaDeviceSynchronize());
    double total = total_of(turned, n);
    OK(cudaMemcpy(plate.data(), turned, 4 * n, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(counted, bins, 128, cudaMemcpyDeviceToHost));
    unsigned hash = 2166136261u; // bit for bit
    for (int i = 0; i < n; i++)
        hash = (hash ^ *(unsigned *)&plate[i]) * 16777619u;
    for (int i = 0; i < 32; i++)
        hash = (hash ^ counted[i]) * 16777619u;
    printf("heat %.0f %08x\n", total, hash);
    printf("relax=%d\nflip=%d\nclassify=%d\nhottest=%d\ngraph=%d\n", steps * rounds, rounds, rounds, rounds, steps * rounds);
    return 0;
}
