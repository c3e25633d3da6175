constexpr int lanes = 16 / sizeof(@T@);

struct alignas(16) pack {
    @T@ lane[lanes];
};

__device__ __forceinline__ @T@ mapped(@T@ v)
{
    return @map@;
}

__device__ __forceinline__ @T@ combined(@T@ a, @T@ b)
{
    return @combine@;
}

__device__ __forceinline__ @T@ combined(@T@ a, const pack &p)
{
    _Pragma("unroll") for (int i = 0; i < lanes; i++)
        a = combined(a, mapped(p.lane[i]));
    return a;
}

// The block's value, in its first thread.
__device__ __forceinline__ @T@ of_block(@T@ total)
{
    __shared__ @T@ parts[@threads@ / 32];
    for (int d = 16; d > 0; d /= 2)
        total = combined(total, __shfl_xor_sync(0xffffffffu, total, d));
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 1; i < @threads@ / 32; i++)
            total = combined(total, parts[i]);
    return total;
}

// Four independent sums a thread keep four loads in flight; what lies in front of the first 16-byte
// boundary and behind the last one goes singly.
__global__ void __launch_bounds__(@threads@)
    reduce_parts(const @T@ *__restrict__ x, @T@ *__restrict__ parts, long long n)
{
    const long long t = (long long)blockIdx.x * @threads@ + threadIdx.x;
    const long long step = (long long)gridDim.x * @threads@;
    const long long skew = (long long)(reinterpret_cast<size_t>(x) % 16 / sizeof(@T@));
    const long long gap = (lanes - skew) % lanes, head = gap < n ? gap : n;
    const long long packs = (n - head) / lanes;
    const pack *body = reinterpret_cast<const pack *>(x + head);
    const @T@ start = mapped(@start@);
    @T@ part[4] = {start, start, start, start};
    long long i = t;
    for (; i + 3 * step < packs; i += 4 * step) {
        pack p[4];
        _Pragma("unroll") for (int k = 0; k < 4; k++)
            p[k] = body[i + k * step];
        _Pragma("unroll") for (int k = 0; k < 4; k++)
            part[k] = combined(part[k], p[k]);
    }
    for (; i < packs; i += step)
        part[0] = combined(part[0], body[i]);
    for (long long k = t; k < n - packs * lanes; k += step)
        part[1] = combined(part[1], mapped(x[k < head ? k : k + packs * lanes]));
    const @T@ total = of_block(combined(combined(part[0], part[1]), combined(part[2], part[3])));
    if (threadIdx.x == 0)
        parts[blockIdx.x] = total;
}

__global__ void __launch_bounds__(@threads@)
    reduce_last(const @T@ *__restrict__ x, const @T@ *__restrict__ parts, @T@ *out, int count,
                long long n@number_parameters@)
{
    @T@ total = mapped(@start@);
    for (int i = threadIdx.x; i < count; i += @threads@)
        total = combined(total, parts[i]);
    total = of_block(total);
    if (threadIdx.x == 0)
        out[0] = @store@;
}
