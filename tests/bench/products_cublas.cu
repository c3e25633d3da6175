// A template's product against cuBLAS's of the same precision: {"us": ..., "cublas_us": ..., "of_cublas": ..., "worst": ...}.
// variant.inc: what the template makes, in namespace variant; KERNEL and SHARED: its kernel's name and shared memory; SHARE: its
// last argument is a share of the depth; B_DEEP: B^T is multiplied; FLOATS: 0 for bf16, 1 for fp32 in TF32, 2 for fp32.
//   products_cublas SIDE    A and B of SIDE x SIDE, row by row; medians of 21
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

namespace variant {
#include "variant.inc"
}

#if FLOATS
typedef float element;
constexpr cudaDataType_t type = CUDA_R_32F;
constexpr cublasComputeType_t compute = FLOATS == 1 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
#else
typedef __nv_bfloat16 element;
constexpr cudaDataType_t type = CUDA_R_16BF;
constexpr cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
#endif

static __global__ void fill(element *to, size_t n, unsigned seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned h = ((unsigned)i ^ seed) * 2654435761u;
        h = (h ^ h >> 15) * 0x85ebca6bu;
        to[i] = element((float)(h >> 8) / 8388608.f - 1.f);
    }
}

static __global__ void compare(const element *x, const element *y, size_t n, unsigned *worst)
{
    float most = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        const float d = fabsf(float(x[i]) - float(y[i]));
        most = d >= 0 ? fmaxf(most, d) : INFINITY;
    }
    atomicMax(worst, __float_as_uint(most));
}

template <typename F> static float median(F call)
{
    std::vector<float> times;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    for (int run = 0; run < 24; run++) {
        float ms = NAN;
        cudaEventRecord(begin);
        call();
        cudaEventRecord(end);
        if (cudaEventSynchronize(end) != cudaSuccess || cudaEventElapsedTime(&ms, begin, end) != cudaSuccess)
            std::exit(1);
        if (run >= 3)
            times.push_back(ms * 1000);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 8192;
    const size_t all = (size_t)n * n;
    const float one = 1, zero = 0;
    element *a, *b, *c, *want;
    unsigned *worst, bits;
    cublasHandle_t cublas;
    if (cudaMalloc(&a, all * sizeof *a) || cudaMalloc(&b, all * sizeof *b) || cudaMalloc(&c, all * sizeof *c) ||
        cudaMalloc(&want, all * sizeof *want) ||
        cudaMalloc(&worst, 4) || cudaMemset(worst, 0, 4) || cublasCreate(&cublas) != CUBLAS_STATUS_SUCCESS)
        return 1;
    fill<<<1024, 256>>>(a, all, 1);
    fill<<<1024, 256>>>(b, all, 0x9e3779b9);
    // Row by row is what cuBLAS calls transposed: it is asked for C' = B' A'.
    const float cublas_us = median([&] {
        cublasGemmEx(cublas, B_DEEP ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, type, n, a, type, n, &zero, want, type, n, compute,
                     CUBLAS_GEMM_DEFAULT);
    });
    if (cudaFuncSetAttribute(variant::KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED) != cudaSuccess)
        return 1;
    const float us = median([&] {
        variant::KERNEL<<<dim3((n + variant::bn - 1) / variant::bn, (n + variant::bm - 1) / variant::bm), variant::threads,
                          SHARED>>>(a, b, c, n, n, n, 0, 0, 0
#if SHARE
                                    , n
#endif
        );
    });
    compare<<<1024, 256>>>(c, want, all, worst);
    if (cudaMemcpy(&bits, worst, 4, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    float off;
    memcpy(&off, &bits, 4);
    std::printf("{\"us\": %.1f, \"cublas_us\": %.1f, \"of_cublas\": %.3f, \"worst\": %g}\n", us, cublas_us, cublas_us / us, off);
    // Of halves neighbours of sums of some hundreds; of floats what both may be off of the sum of magnitudes, about SIDE / 4.
    const float most[] = {2, 2 * 9.77e-4f * n / 4, 1e-5f * n / 4};
    return off <= most[FLOATS] ? 0 : 1;
}
