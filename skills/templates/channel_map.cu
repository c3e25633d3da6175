constexpr int lines = @threads@ / 32; // threads that share a pixel's channels

__device__ __forceinline__ @T@ larger(@T@ a, @T@ b)
{
    return fmax(a, b);
}

__device__ __forceinline__ @T@ add(@T@ a, @T@ b)
{
    return a + b;
}

// The value of all threads of a pixel, in all of them.
__device__ __forceinline__ @T@ of_pixel(@T@ value, @T@ (*combine)(@T@, @T@))
{
    __shared__ @T@ parts[lines][32];
    parts[threadIdx.y][threadIdx.x] = value;
    __syncthreads();
    value = parts[0][threadIdx.x];
    _Pragma("unroll") for (int i = 1; i < lines; i++)
        value = combine(value, parts[i][threadIdx.x]);
    __syncthreads();
    return value;
}

// A block 32 neighbouring pixels, a line of threads every so many channels: each element is read once and waits in
// shared memory until what its pixel comes to is known.
__global__ void __launch_bounds__(@threads@)
    channel_map(const @T@ *__restrict__ x, @T@ *__restrict__ y, int channels, int pixels@number_parameters@)
{
    extern __shared__ @T@ held[];
    const int p = blockIdx.x * 32 + threadIdx.x;
    const size_t first = (size_t)blockIdx.y * channels * pixels + p;
    const bool in = p < pixels;
    const auto visit = [&](auto f) {
        _Pragma("unroll 4") for (int c = threadIdx.y; c < channels; c += lines)
            f(held[c * 32 + threadIdx.x], c);
    };
    _Pragma("unroll 8") for (int c = threadIdx.y; c < channels; c += lines)
        held[c * 32 + threadIdx.x] = in ? x[first + (size_t)c * pixels] : (@T@)0;
    @stats@
    if (in)
        visit([&](@T@ v, int c) { y[first + (size_t)c * pixels] = @map@; });
}
