// What the ports share: memory that both sides see, launches, and checks against loops in double.
// With tests/host_run/cuda_host.h before it, the same ports are host C++ and need neither nvcc nor
// a GPU.
#ifndef KERNELBENCH_PORT_H
#define KERNELBENCH_PORT_H

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef CUDA_HOST_H
#define LAUNCH(kernel, grid, block, ...)                                                           \
    cuda_host::launch(grid, block, true, [&] { kernel(__VA_ARGS__); })
static inline void *port_memory(size_t bytes)
{
    return std::calloc(1, bytes);
}
static inline void port_free(void *memory)
{
    std::free(memory);
}
static inline void need_gpu()
{
}
static inline float rsqrtf(float x)
{
    return 1.0f / std::sqrt(x);
}
typedef float __half; // what is computed is checked here, not how it is rounded
static inline float __half2float(__half x)
{
    return x;
}
static inline __half __float2half(float x)
{
    return x;
}
#else
#include <cuda_runtime.h>

static inline void port_check(cudaError_t status, int line)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
        std::exit(1);
    }
}
#define LAUNCH(kernel, grid, block, ...)                                                           \
    do {                                                                                           \
        kernel<<<grid, block>>>(__VA_ARGS__);                                                      \
        port_check(cudaGetLastError(), __LINE__);                                                  \
        port_check(cudaDeviceSynchronize(), __LINE__);                                             \
    } while (0)
static inline void *port_memory(size_t bytes)
{
    void *memory = nullptr;
    port_check(cudaMallocManaged(&memory, bytes), __LINE__);
    return memory;
}
static inline void port_free(void *memory)
{
    cudaFree(memory);
}
// Exit status 77 says "built, not run" to whoever drives the port.
static inline void need_gpu()
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "no GPU here: built, not run\n");
        std::exit(77);
    }
}
#endif

static inline int ceildiv(int a, int b)
{
    return (a + b - 1) / b;
}

// Sum and maximum over a block of up to 1024 threads, a power of two; every thread gets it.
__device__ static inline float block_sum(float value)
{
    __shared__ float part[1024];
    part[threadIdx.x] = value;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    value = part[0];
    __syncthreads();
    return value;
}
__device__ static inline float block_max(float value)
{
    __shared__ float part[1024];
    part[threadIdx.x] = value;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + step]);
        __syncthreads();
    }
    value = part[0];
    __syncthreads();
    return value;
}

// An array that host and device see.
template <class T> struct array {
    T *data;
    size_t size;
    explicit array(size_t n) : data((T *)port_memory(n * sizeof(T))), size(n)
    {
    }
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    ~array()
    {
        port_free(data);
    }
    operator T *() const
    {
        return data;
    }
    T &operator[](size_t i) const
    {
        return data[i];
    }
};
typedef array<float> floats;

// Fills with values from `low` to `high`, the same on every machine.
template <class T>
static inline void fill_random(array<T> &x, unsigned seed, double low = -1, double high = 1)
{
    unsigned long long state = seed * 2654435761u + 1;
    for (size_t i = 0; i < x.size; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        x[i] = (T)(low + (high - low) * (double)(state >> 40) / (1 << 24));
    }
}
struct random_floats : floats {
    random_floats(size_t n, unsigned seed, double low = -1, double high = 1) : floats(n)
    {
        fill_random(*this, seed, low, high);
    }
};

// 0 when every element is what `want(i)` says, to the benchmark's own tolerance for fp32.
template <class T, class Want>
static inline int compare(const char *name, const array<T> &got, Want want, double tolerance = 1e-4)
{
    size_t wrong = 0;
    for (size_t i = 0; i < got.size; i++) {
        double right = (double)want(i), difference = std::fabs((double)got[i] - right);
        if (!(difference <= tolerance + tolerance * std::fabs(right)) && wrong++ == 0)
            std::printf("%s: element %zu is %g, should be %g\n", name, i, (double)got[i], right);
    }
    std::printf("%s checked=%zu wrong=%zu\n", name, got.size, wrong);
    return wrong != 0;
}

// Convolutions of up to three dimensions, for the checks; those that a problem has not are 1 wide.
struct conv_shape {
    int batch, ci, co;
    int in[3], kernel[3], out[3];
    int stride[3] = {1, 1, 1}, pad[3] = {0, 0, 0}, dilation[3] = {1, 1, 1};
    int groups = 1;
};
template <class Body> static inline void each(const int *extent, Body body)
{
    for (int z = 0; z < extent[0]; z++)
        for (int y = 0; y < extent[1]; y++)
            for (int x = 0; x < extent[2]; x++) {
                int at[3] = {z, y, x};
                body(at);
            }
}
static inline size_t flat(size_t plane, const int *extent, const int *at)
{
    return ((plane * extent[0] + at[0]) * extent[1] + at[1]) * extent[2] + at[2];
}
// Input element x goes to output element y by kernel element k: the one relation of both
// directions. `wide` is the one that the stride spreads over.
static inline bool meets(const conv_shape &s, const int *narrow, const int *k,
                         const int *wide_extent, int *wide)
{
    for (int d = 0; d < 3; d++) {
        wide[d] = narrow[d] * s.stride[d] - s.pad[d] + k[d] * s.dilation[d];
        if (wide[d] < 0 || wide[d] >= wide_extent[d])
            return false;
    }
    return true;
}
static inline std::vector<double> conv_wanted(const conv_shape &s, const float *x,
                                              const float *weight)
{
    std::vector<double> y((size_t)s.batch * s.co * s.out[0] * s.out[1] * s.out[2]);
    int ci = s.ci / s.groups, co = s.co / s.groups, wide[3];
    for (int n = 0; n < s.batch; n++)
        for (int o = 0; o < s.co; o++)
            for (int c = 0; c < ci; c++)
                each(s.out, [&](const int *at) {
                    each(s.kernel, [&](const int *k) {
                        if (meets(s, at, k, s.in, wide))
                            y[flat(n * s.co + o, s.out, at)] +=
                                (double)x[flat(n * s.ci + o / co * ci + c, s.in, wide)] *
                                weight[flat(o * ci + c, s.kernel, k)];
                    });
                });
    return y;
}
static inline std::vector<double> conv_transposed_wanted(const conv_shape &s, const float *x,
                                                         const float *weight)
{
    std::vector<double> y((size_t)s.batch * s.co * s.out[0] * s.out[1] * s.out[2]);
    int ci = s.ci / s.groups, co = s.co / s.groups, wide[3];
    for (int n = 0; n < s.batch; n++)
        for (int c = 0; c < s.ci; c++)
            for (int o = 0; o < co; o++)
                each(s.in, [&](const int *at) {
                    each(s.kernel, [&](const int *k) {
                        if (meets(s, at, k, s.out, wide))
                            y[flat(n * s.co + c / ci * co + o, s.out, wide)] +=
                                (double)x[flat(n * s.ci + c, s.in, at)] *
                                weight[flat(c * co + o, s.kernel, k)];
                    });
                });
    return y;
}

#endif
