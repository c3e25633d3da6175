__global__ void __launch_bounds__(threads)
    sum_last(const @part@ *__restrict__ parts, @T@ *out, int count, int n, @T@ factor)
{
    total_type total = 0;
    for (int i = threadIdx.x; i < count; i += threads)
        total += parts[i];
    total = of_block(total);
    if (threadIdx.x == 0)
        out[0] = (@T@)(@store@);
}
