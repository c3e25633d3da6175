constexpr int threads = @threads@, lines = @lines@, lanes = 16 / sizeof(@T@);

struct alignas(16) pack {
    @T@ lane[lanes];
};

// Of elements that were seen: the largest, and the sum of exp(element - that).
struct share {
    float top, all;
};

__device__ __forceinline__ share merged(share a, share b)
{
    const float top = fmaxf(a.top, b.top);
    return {top, a.all * expf(a.top - top) + b.all * expf(b.top - top)};
}

// What was summed is scaled anew once for `n` elements.
template <int n> __device__ __forceinline__ share taken(share a, const float (&v)[n])
{
    float top = a.top;
    _Pragma("unroll") for (int i = 0; i < n; i++)
        top = fmaxf(top, v[i]);
    float all = a.all * expf(a.top - top);
    _Pragma("unroll") for (int i = 0; i < n; i++)
        all += expf(v[i] - top);
    return {top, all};
}

// `n` packs are on their way before any is needed.
template <int n> __device__ __forceinline__ share taken_packs(share a, const pack *from)
{
    pack p[n];
    float v[n * lanes];
    _Pragma("unroll") for (int k = 0; k < n; k++)
        p[k] = from[k * threads];
    _Pragma("unroll") for (int i = 0; i < n * lanes; i++)
        v[i] = @T_wide@(p[i / lanes].lane[i % lanes]);
    return taken(a, v);
}

// Rows may start anywhere: elements in front of the first 16-byte boundary and behind the last one go singly.
__device__ __forceinline__ share of_row(const @T@ *line, int cols, int t)
{
    const int skew = (int)(reinterpret_cast<size_t>(line) % 16 / sizeof(@T@));
    const int head = min(cols, (lanes - skew) % lanes), packs = (cols - head) / lanes;
    const pack *body = reinterpret_cast<const pack *>(line + head);
    share own = {__int_as_float(0xff7fffff), 0}; // no infinity: the difference of two is a NaN
    int i = t;
    for (; i + 3 * threads < packs; i += 4 * threads)
        own = taken_packs<4>(own, body + i);
    for (; i < packs; i += threads)
        own = taken_packs<1>(own, body + i);
    for (int k = t; k < cols - packs * lanes; k += threads) {
        const float v[1] = {@T_wide@(line[k < head ? k : k + packs * lanes])};
        own = taken(own, v);
    }
    return own;
}

// What a row's value is stored as.
__device__ __forceinline__ @T@ finished(@T_sum@ its_sum, int its_row@tail_takes@)
{
    (void)its_row;
@tail@}

__global__ void __launch_bounds__(threads * lines)
    row_log_sum(const @T@ *__restrict__ x, @T@ *__restrict__ out, int rows, int cols@tail_parameters@)
{
    __shared__ share parts[lines][threads / 32];
    const int t = threadIdx.x, row = blockIdx.x * lines + threadIdx.y;
    share total = of_row(x + (size_t)(row < rows ? row : rows - 1) * cols, cols, t);
    for (int d = 16; d > 0; d /= 2)
        total = merged(total, {__shfl_xor_sync(0xffffffffu, total.top, d), __shfl_xor_sync(0xffffffffu, total.all, d)});
    if (t % 32 == 0)
        parts[threadIdx.y][t / 32] = total;
    __syncthreads();
    if (t != 0 || row >= rows)
        return;
    for (int i = 1; i < threads / 32; i++)
        total = merged(total, parts[threadIdx.y][i]);
    // Of nothing but negative infinities the largest less itself is a NaN.
    const float sum = total.all > 0 ? total.top + logf(total.all) : total.all * __int_as_float(0x7f800000);
    out[row] = finished(sum, row@tail_arguments@);
}
