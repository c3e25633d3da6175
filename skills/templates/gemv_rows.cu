// What a row's threads have added up, in thread t that of row t; `parts` is a group's own.
__device__ __forceinline__ @T_sum@ of_rows(@T_sum@ (&sum)[lines], @T_sum@ (&parts)[warps][lines], int t)
{
    _Pragma("unroll") for (int r = 0; r < lines; r++) {
        for (int d = 16; d > 0; d /= 2)
            sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], d);
        if (t % 32 == 0)
            parts[t / 32][r] = sum[r];
    }
    __syncthreads();
    @T_sum@ total = 0;
    for (int w = 0; t < lines && w < warps; w++)
        total += parts[w][t];
    return total;
}

