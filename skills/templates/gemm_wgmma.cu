// What the kernel does with each sum, at `place` of C.
__device__ __forceinline__ @R@ finished(float its_sum, long long its_place, int its_row, int its_col@tail_takes@)
{
@tail@}

__global__ void __launch_bounds__(threads, blocks)
    gemm_wgmma_tiles(const @A@ *__restrict__ a, const @B@ *__restrict__ b, @R@ *__restrict__ c, int m,
                     int n, int k, long long a_step, long long b_step, long long c_step@tail_parameters@)
{
    make_tile(a + blockIdx.z * a_step, b + blockIdx.z * b_step, c, m, n, k, blockIdx.z * c_step,
              [&](float sum, long long place, int row, int col) { return finished(sum, place, row, col@tail_arguments@); });
}
