// Sums of parts of the depth, one matrix of them behind the other.
__global__ void __launch_bounds__(threads, blocks)
    gemm_wgmma_sums(const @A@ *__restrict__ a, const @B@ *__restrict__ b, float *__restrict__ sums, int m, int n, int k)
{
    make_tile(a, b, sums, m, n, k, blockIdx.z * ((long long)m * n), [](float sum, long long, int, int) { return sum; });
}

// What the kernel does with each sum, at `place` of C.
__device__ __forceinline__ @R@ finished(float its_sum, long long its_place, int its_row, int its_col@tail_takes@)
{
@tail@}
