// What the five samples share: error checks, events, and reproducible input on the host.
#ifndef SAMPLE_H
#define SAMPLE_H

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                               \
    do {                                                                                          \
        cudaError_t status_ = (call);                                                             \
        if (status_ != cudaSuccess) {                                                             \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            std::exit(1);                                                                         \
        }                                                                                         \
    } while (0)

// Exit status 77 says "built, not run" to whoever drives the sample.
static inline void need_gpu()
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "no GPU here: built, not run\n");
        std::exit(77);
    }
}

// Uniform in [-1, 1), the same on every machine.
static inline std::vector<float> random_floats(size_t n, unsigned seed)
{
    std::vector<float> values(n);
    unsigned long long state = seed * 2654435761u + 1;
    for (float &value : values) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        value = (float)((int)(state >> 40) - (1 << 23)) / (1 << 23);
    }
    return values;
}

static inline float *to_device(const std::vector<float> &host)
{
    float *device = nullptr;
    CHECK(cudaMalloc(&device, host.size() * sizeof(float)));
    CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    return device;
}

static inline std::vector<float> to_host(const float *device, size_t n)
{
    std::vector<float> host(n);
    CHECK(cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost));
    return host;
}

// Mean microseconds of `runs` calls of `work`, after two that are not counted. Goes to stderr: what
// the program computes is its answer, how long it took is not.
template <class Work> static void report_time(const char *what, int runs, Work work)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    work();
    work();
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < runs; i++)
        work();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    std::fprintf(stderr, "time: %s %.1f us\n", what, milliseconds * 1000 / runs);
}

#endif
