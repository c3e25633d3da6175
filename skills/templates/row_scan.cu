constexpr int threads = @threads@;

// What products of many are kept in: its type.
template <class V> __device__ __forceinline__ V wide(V v)
{
    return v;
}
__device__ __forceinline__ double wide(float v)
{
    return v;
}

__device__ __forceinline__ @sum@ combined(@sum@ a, @sum@ b)
{
    return @combine@;
}

// A block a row, four neighbours a thread: sums of threads by shuffles, of warps through shared memory; what the
// pieces so far come to goes from one to the next.
__global__ void __launch_bounds__(threads)
    row_scan(const @T@ *__restrict__ x, @mask_parameter@@T@ *__restrict__ y, int cols)
{
    __shared__ @sum@ warps[2][threads / 32];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * @pitch@;
    @mask_row@
    @sum@ before = @zero@;
    @first@
    int turn = 0;
    for (int base = 0; base < cols; base += 4 * threads, turn ^= 1) {
        @sum@ v[4];
        _Pragma("unroll") for (int l = 0; l < 4; l++) {
            const int i = base + 4 * t + l, at = @at@;
            v[l] = i < cols @masked@ ? (@sum@)x[at] : (@sum@)@zero@;
        }
        _Pragma("unroll") for (int l = 1; l < 4; l++)
            v[l] = combined(v[l - 1], v[l]);
        @sum@ sum = v[3];
        for (int d = 1; d < 32; d *= 2) {
            const @sum@ left = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d)
                sum = combined(left, sum);
        }
        if (lane == 31)
            warps[turn][warp] = sum;
        __syncthreads();
        @sum@ whole = before;
        @sum@ front = before;
        for (int w = 0; w < threads / 32; w++) {
            if (w == warp)
                front = whole;
            whole = combined(whole, warps[turn][w]);
        }
        const @sum@ left = __shfl_up_sync(0xffffffffu, sum, 1);
        if (lane > 0)
            front = combined(front, left);
        _Pragma("unroll") for (int l = 0; l < 4; l++) {
            const int i = base + 4 * t + l, at = @at@;
            if (i < cols)
                y[at + @shift@] = (@T@)(@stored@);
        }
        before = whole;
    }
}
