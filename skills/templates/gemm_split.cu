// The parts of each element, in their order.
__global__ void __launch_bounds__(@threads@)
    gemm_add(const @T@ *__restrict__ sums, @T@ *__restrict__ c, @T@ alpha, long long count, int n@tail_parameters@)
{
    const long long step = (long long)gridDim.x * @threads@;
    for (long long i = (long long)blockIdx.x * @threads@ + threadIdx.x; i < count; i += step) {
        @T@ sum = 0;
        _Pragma("unroll 8") for (int p = 0; p < @parts@; p++)
            sum += sums[p * count + i];
        c[i] = finished(alpha * sum, i, (int)(i / n), (int)(i % n)@tail_arguments@);
    }
}
