// Launches on a real device: values must be the originals'; which code ran is told by KS_TRACE.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "kernels.h"

static const int N = 20000;
static float *x, *y;
static int failures;

#define CHECK(call)                                                                               \
    do {                                                                                          \
        cudaError_t e_ = (call);                                                                  \
        if (e_ != cudaSuccess) {                                                                  \
            printf("main.cu:%d: %s: %s\n", __LINE__, #call, cudaGetErrorString(e_));              \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

template <class F> static void expect(const char *what, int n, F want)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<float> got(n);
    CHECK(cudaMemcpy(got.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        if (got[i] == want(i))
            continue;
        printf("%s: y[%d] is %g, not %g\n", what, i, got[i], want(i));
        failures++;
        break;
    }
    CHECK(cudaMemset(y, 0xff, N * sizeof(float)));
}
static float in(int i)
{
    return (float)(i % 13);
}

int main()
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&x, N * sizeof(float)));
    CHECK(cudaMalloc(&y, N * sizeof(float)));
    std::vector<float> host(N);
    double total = 0;
    for (int i = 0; i < N; i++)
        total += host[i] = in(i);
    CHECK(cudaMemcpy(x, host.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    int blocks = (N + 255) / 256;

    scale<<<blocks, 256, 0, stream>>>(y, x, 2.f, N);
    expect("scale", N, [](int i) { return 2 * in(i); });
    scale<<<blocks, 256>>>(y, x, 3.f, N - 1);
    expect("scale, guard false", N - 1, [](int i) { return 3 * in(i); });
    void (*pointer)(float *, const float *, float, int) = scale;
    pointer<<<blocks, 256>>>(y, x, 4.f, N);
    expect("scale through a pointer", N, [](int i) { return 4 * in(i); });
    float a = 5.f;
    int n = N;
    void *args[] = {&y, &x, &a, &n};
    CHECK(cudaLaunchKernel((const void *)scale, dim3(blocks), dim3(256), args, 0, stream));
    expect("cudaLaunchKernel", N, [](int i) { return 5 * in(i); });

    sum<<<1, 1, 0, stream>>>(x, y, N);
    expect("sum", 1, [=](int) { return (float)total; });
    sum<<<1, 1>>>(x, y, 100);
    expect("sum, guard false", 1, [](int) {
        float s = 0;
        for (int i = 0; i < 100; i++)
            s += in(i);
        return s;
    });
    reverse<<<blocks, 256>>>(y, x, N); // 80000 bytes of shared memory
    expect("reverse", N, [](int i) { return in(N - 1 - i); });
    reverse<<<blocks, 256>>>(y, x, 1000);
    expect("reverse, small", 1000, [](int i) { return in(999 - i); });
    launch_fill(y, 7.f, N, stream);
    expect("fill", N, [](int) { return 7.f; });
    scale<<<blocks, 256>>>(y, x, 1.f, N);
    cneg<<<blocks, 256>>>(y, N);
    expect("cneg", N, [](int i) { return -in(i); });

    // A graph: one step is captured as the variant, a plan with workspace as the original.
    cudaGraph_t graph;
    cudaGraphExec_t run;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scale<<<blocks, 256, 0, stream>>>(y, x, 6.f, N);
    sum<<<1, 1, 0, stream>>>(x, y, N);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    CHECK(cudaGraphLaunch(run, stream));
    CHECK(cudaGraphLaunch(run, stream));
    expect("graph", N, [=](int i) { return i == 0 ? (float)total : 6 * in(i); });

    // An error that the application has not looked at yet stays, and the original runs.
    if (cudaSetDevice(1 << 20) == cudaSuccess)
        return 1;
    cudaError_t before = cudaPeekAtLastError();
    scale<<<blocks, 256>>>(y, x, 8.f, N);
    if (before == cudaSuccess || cudaGetLastError() != before) {
        printf("the application's pending error was lost\n");
        failures++;
    }
    expect("scale, error pending", N, [](int i) { return 8 * in(i); });
    printf(failures ? "%d failed\n" : "ok\n", failures);
    return failures != 0;
}
