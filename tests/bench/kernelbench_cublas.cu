// What cuBLAS takes, in fp32 without tensor cores, for those ports that are one of its calls:
// {"port": microseconds}. The L2 is overwritten before each of them; medians of nine.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime.h>

static const struct {
    const char *port;
    int m, n, k;
    bool ta, tb;
    int batch;
} calls[] = {
    {"001_Square_matrix_multiplication_", 4096, 4096, 4096, false, false, 1},
    {"002_Standard_matrix_multiplication_", 2048, 4096, 8192, false, false, 1},
    {"003_Batched_matrix_multiplication", 512, 2048, 1024, false, false, 128},
    {"004_Matrix_vector_multiplication_", 256, 1, 131072, false, false, 1},
    {"006_Matmul_with_large_K_dimension_", 256, 256, 524288, false, false, 1},
    {"007_Matmul_with_small_K_dimension_", 32768, 32768, 64, false, false, 1},
    {"008_Matmul_with_irregular_shapes_", 8205, 5921, 2949, false, false, 1},
    {"009_Tall_skinny_matrix_multiplication_", 32768, 32768, 32, false, false, 1},
    {"010_3D_tensor_matrix_multiplication", 16384, 768, 2048, false, false, 1},
    {"011_4D_tensor_matrix_multiplication", 1048576, 768, 256, false, false, 1},
    {"013_Matmul_for_symmetric_matrices", 4096, 4096, 4096, false, false, 1},
    {"016_Matmul_with_transposed_A", 2048, 4096, 8192, true, false, 1},
    {"017_Matmul_with_transposed_B", 2048, 4096, 8192, false, true, 1},
    {"018_Matmul_with_transposed_both", 2048, 4096, 8192, true, true, 1},
};

int main()
{
    const size_t flush_bytes = 256u << 20;
    const float one = 1, zero = 0;
    cublasHandle_t cublas;
    cudaEvent_t begin, end;
    void *flush;
    if (cublasCreate(&cublas) != CUBLAS_STATUS_SUCCESS || cudaEventCreate(&begin) ||
        cudaEventCreate(&end) || cudaMalloc(&flush, flush_bytes))
        return 1;
    std::printf("{");
    for (const auto &c : calls) {
        float *a, *b, *out;
        if (cudaMalloc(&a, (size_t)c.batch * c.m * c.k * 4) ||
            cudaMalloc(&b, (size_t)c.batch * c.k * c.n * 4) ||
            cudaMalloc(&out, (size_t)c.batch * c.m * c.n * 4))
            return 1;
        cudaMemset(a, 0x3c, (size_t)c.batch * c.m * c.k * 4); // small normal numbers
        cudaMemset(b, 0x3c, (size_t)c.batch * c.k * c.n * 4);
        std::vector<float> times;
        for (int run = 0; run < 11; run++) {
            cudaMemsetAsync(flush, run, flush_bytes);
            cudaEventRecord(begin);
            // Row by row is what cuBLAS calls transposed: it is asked for C' = B' A'.
            cublasStatus_t status = cublasSgemmStridedBatched(
                cublas, c.tb ? CUBLAS_OP_T : CUBLAS_OP_N, c.ta ? CUBLAS_OP_T : CUBLAS_OP_N, c.n,
                c.m, c.k, &one, b, c.tb ? c.k : c.n, (long long)c.k * c.n, a, c.ta ? c.m : c.k,
                (long long)c.m * c.k, &zero, out, c.n, (long long)c.m * c.n, c.batch);
            cudaEventRecord(end);
            float ms = 0;
            if (status != CUBLAS_STATUS_SUCCESS || cudaEventSynchronize(end) ||
                cudaEventElapsedTime(&ms, begin, end))
                return 1;
            if (run >= 2)
                times.push_back(ms * 1000);
        }
        std::sort(times.begin(), times.end());
        std::printf("%s\"%s\": %.2f", &c == calls ? "" : ", ", c.port, times[times.size() / 2]);
        cudaFree(a), cudaFree(b), cudaFree(out);
    }
    std::printf("}\n");
    return 0;
}
