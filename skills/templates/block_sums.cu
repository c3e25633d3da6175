typedef @head_type@ total_type;
constexpr int threads = @threads@, ahead = @ahead@;

// The same where each row of `cols` has the same elements.
template <int wide, class E>
__device__ __forceinline__ void each_row(E (&to)[wide], const E *from, long long at, int cols)
{
    if (cols % wide == 0)
        along(to, from, (unsigned)at % (unsigned)cols);
    else
        _Pragma("unroll") for (int lane = 0; lane < wide; lane++)
            to[lane] = from[(unsigned)(at + lane) % (unsigned)cols];
}

// The same where each row of `cols` has one element.
template <int wide, class E>
__device__ __forceinline__ void of_row(E (&to)[wide], const E *from, long long at, int cols)
{
    _Pragma("unroll") for (int lane = 0; lane < wide; lane++)
        to[lane] = from[(unsigned)(at + lane) / (unsigned)cols];
}

// A sum with what one element adds to it.
__device__ __forceinline__ total_type added(total_type its_sum@head_takes@)
{
@head@}

template <int wide>
__device__ __forceinline__ void add_pack(total_type &total, long long at, int cols@head_parameters@)
{
@head_loads@    _Pragma("unroll") for (int lane = 0; lane < wide; lane++)
        total = added(total, @head_values@);
}

// The block's value, in its first thread.
__device__ __forceinline__ total_type of_block(total_type total)
{
    __shared__ total_type parts[threads / 32];
    for (int d = 16; d > 0; d /= 2)
        total += __shfl_xor_sync(0xffffffffu, total, d);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 1; i < threads / 32; i++)
            total += parts[i];
    return total;
}

// Elements are dealt to blocks `share` at a time, round after round; a block does as many rounds at
// once as it has packs, and `ahead` of those.
__global__ void __launch_bounds__(threads)
    sum_parts(@part@ *__restrict__ parts, long long n, int cols, int share@head_parameters@)
{
    const int packs = share / width;
    const long long round = (long long)gridDim.x * share, step = threads / packs * round;
    long long at = threadIdx.x / packs * round + (long long)blockIdx.x * share + threadIdx.x % packs * width;
    total_type part[ahead] = {};
    for (; at + (ahead - 1) * step + width <= n; at += ahead * step)
        _Pragma("unroll") for (int i = 0; i < ahead; i++)
            add_pack<width>(part[i], at + i * step, cols@head_arguments@);
    for (; at + width <= n; at += step)
        add_pack<width>(part[0], at, cols@head_arguments@);
    for (int i = 0; at + i < n && i < width; i++)
        add_pack<1>(part[0], at + i, cols@head_arguments@);
    _Pragma("unroll") for (int i = 1; i < ahead; i++)
        part[0] += part[i];
    const total_type total = of_block(part[0]);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = (@part@)total;
}
