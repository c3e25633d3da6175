// A program for `ks record` on a GPU: streams, a graph, a cooperative launch, a library. It says on stdout what it
// launched, in lines NAME=VALUE; the script holds the recording against them. recorded HOW:
//   plain status reset crash _exit exec      the work, then an end of that kind
//   many [N]                                 a million, or N, empty launches
//   paced                                    kernels of 40 us, one behind the other
//   two                                      two contexts, by the driver
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#define OK(call)                                                                                      \
    do {                                                                                          \
        cudaError_t e_ = (call);                                                                  \
        if (e_ != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_));                               \
            exit(90);                                                                             \
        }                                                                                         \
    } while (0)

static double now()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

__global__ void empty() {}

__global__ void spin(long long cycles)
{
    long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

namespace ns {
template <class T> __global__ void scale(T *y, const T *x, T a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}
}

__global__ void sums(const float *x, float *y, int n)
{
    extern __shared__ float part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0;
        for (unsigned k = 0; k < blockDim.x; k++)
            s += part[k];
        y[blockIdx.x] = s;
    }
}

// One SGEMM of cuBLAS, which is not linked; false where it is not installed.
static bool library(float *a, float *b, float *c)
{
    void *h = dlopen("libcublas.so.13", RTLD_NOW);
    if (!h)
        return false;
    typedef int (*create_t)(void **);
    typedef int (*gemm_t)(void *, int, int, int, int, int, const float *, const float *, int, const float *, int,
                          const float *, float *, int);
    create_t create = (create_t)dlsym(h, "cublasCreate_v2");
    gemm_t gemm = (gemm_t)dlsym(h, "cublasSgemm_v2");
    void *handle = nullptr;
    float one = 1, zero = 0;
    return create && gemm && create(&handle) == 0 &&
           gemm(handle, 0, 0, 256, 256, 256, &one, a, 256, b, 256, &zero, c, 256) == 0;
}

static void work()
{
    const int n = 1 << 20;
    float *x, *y, *z;
    cudaStream_t s1, s2;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t a, b;
    float ms;
    OK(cudaMalloc(&x, 4 * n));
    OK(cudaMalloc(&y, 4 * n));
    OK(cudaMalloc(&z, 4 * n));
    OK(cudaMemset(x, 0, 4 * n));
    OK(cudaStreamCreate(&s1));
    OK(cudaStreamCreate(&s2));
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    spin<<<1, 32>>>(1000);
    OK(cudaDeviceSynchronize());
    OK(cudaEventRecord(a, s2));
    for (int i = 0; i < 20; i++)
        spin<<<1, 32, 0, s2>>>(2000000); // about a millisecond each
    OK(cudaEventRecord(b, s2));
    for (int i = 0; i < 40; i++)
        ns::scale<float><<<i % 2 ? n / 256 : n / 512, 256, 0, s1>>>(y, x, 2.f, n);
    ns::scale<double><<<n / 512, 256>>>((double *)y, (double *)x, 2., n / 2);
    sums<<<n / 256, 256, 1024, s1>>>(x, z, n);
    int count = n;
    float *out = z;
    const float *in = x;
    void *args[] = {&in, &out, &count};
    OK(cudaLaunchCooperativeKernel((const void *)sums, dim3(8), dim3(128), args, 512, s1));
    OK(cudaDeviceSynchronize());
    OK(cudaEventElapsedTime(&ms, a, b));
    printf("spin_us=%.3f\n", ms * 1000);
    OK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < 3; i++)
        sums<<<16 + i, 128, 512, s1>>>(x, z, n);
    OK(cudaStreamEndCapture(s1, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 10; i++)
        OK(cudaGraphLaunch(exec, s1));
    OK(cudaDeviceSynchronize());
    printf("library=%d\n", library(x, y, z));
    OK(cudaDeviceSynchronize());
    // spin, scale<float>, scale<double>, sums; of these 30 in a graph
    printf("spin=21\nscale_float=40\nscale_double=1\nsums=32\ngraph=30\n");
    fflush(stdout);
}

static void many(int n)
{
    empty<<<1, 32>>>();
    OK(cudaDeviceSynchronize());
    double begin = now();
    for (int i = 0; i < n; i++)
        empty<<<1, 32>>>();
    OK(cudaDeviceSynchronize());
    printf("launch_us=%.4f\n", (now() - begin) * 1e6 / n);
}

static void paced()
{
    for (int i = 0; i < 50; i++)
        spin<<<1, 32>>>(75000);
    OK(cudaDeviceSynchronize());
    double begin = now();
    for (int i = 0; i < 10000; i++)
        spin<<<1, 32>>>(75000); // 40 us at 1.9 GHz
    OK(cudaDeviceSynchronize());
    printf("kernel_us=%.4f\n", (now() - begin) * 100);
}

static void two()
{
    empty<<<1, 32>>>();
    OK(cudaDeviceSynchronize());
    CUdevice device;
    CUcontext context;
    cuDeviceGet(&device, 0);
#if CUDA_VERSION >= 13000
    CUresult made = cuCtxCreate(&context, nullptr, 0, device);
#else
    CUresult made = cuCtxCreate(&context, 0, device);
#endif
    if (made != CUDA_SUCCESS)
        exit(91);
    for (int i = 0; i < 5; i++)
        empty<<<2, 32>>>();
    OK(cudaDeviceSynchronize());
    cuCtxDestroy(context);
    empty<<<3, 32>>>();
    OK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "plain";
    if (!strcmp(how, "many")) {
        many(argc > 2 ? atoi(argv[2]) : 1000000);
        return 0;
    }
    if (!strcmp(how, "paced")) {
        paced();
        return 0;
    }
    if (!strcmp(how, "two")) {
        two();
        return 0;
    }
    work();
    if (!strcmp(how, "status"))
        return 7;
    if (!strcmp(how, "reset"))
        OK(cudaDeviceReset());
    if (!strcmp(how, "reset"))
        _exit(0);
    if (!strcmp(how, "crash") || !strcmp(how, "_exit") || !strcmp(how, "exec"))
        usleep(500000);
    if (!strcmp(how, "crash"))
        abort();
    if (!strcmp(how, "_exit"))
        _exit(3);
    if (!strcmp(how, "exec"))
        execl("/proc/self/exe", argv[0], "plain", (char *)nullptr);
    return 0;
}
