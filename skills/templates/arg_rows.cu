constexpr int lanes = 16 / sizeof(@T@);

struct alignas(16) pack {
    @T@ lane[lanes];
};

struct item {
    @T_sum@ value;
    int place;
};

// Of equals the first.
__device__ __forceinline__ item combined(item a, item b)
{
    return (@better@ || (b.value == a.value && b.place < a.place)) ? b : a;
}

__device__ __forceinline__ item combined(item a, const pack &p, int place)
{
    _Pragma("unroll") for (int i = 0; i < lanes; i++)
        a = combined(a, item{@T_wide@(p.lane[i]), place + i});
    return a;
}

// Four loads in flight. Rows may start anywhere: elements in front of the first 16-byte boundary and behind the last one
// go singly. All threads begin with the row's first: where that is no number, it stays.
__device__ __forceinline__ item of_row(const @T@ *line, int cols, int t)
{
    const int skew = (int)(reinterpret_cast<size_t>(line) % 16 / sizeof(@T@));
    const int head = min(cols, (lanes - skew) % lanes), packs = (cols - head) / lanes;
    const pack *body = reinterpret_cast<const pack *>(line + head);
    item best = {@T_wide@(line[0]), 0};
    int i = t;
    for (; i + 3 * @threads@ < packs; i += 4 * @threads@) {
        pack p[4];
        _Pragma("unroll") for (int k = 0; k < 4; k++)
            p[k] = body[i + k * @threads@];
        _Pragma("unroll") for (int k = 0; k < 4; k++)
            best = combined(best, p[k], head + (i + k * @threads@) * lanes);
    }
    for (; i < packs; i += @threads@)
        best = combined(best, body[i], head + i * lanes);
    for (int k = t; k < cols - packs * lanes; k += @threads@) {
        const int place = k < head ? k : k + packs * lanes;
        best = combined(best, item{@T_wide@(line[place]), place});
    }
    return best;
}

__global__ void __launch_bounds__(@threads@ * @lines@)
    arg_rows(const @T@ *__restrict__ x, @R@ *__restrict__ out, int rows, int cols@number_parameters@)
{
    __shared__ item parts[@lines@][@threads@ / 32];
    const int t = threadIdx.x, row = blockIdx.x * @lines@ + threadIdx.y;
    item best = of_row(x + (size_t)(row < rows ? row : rows - 1) * cols, cols, t);
    for (int d = 16; d > 0; d /= 2) {
        const item other = {__shfl_xor_sync(0xffffffffu, best.value, d), __shfl_xor_sync(0xffffffffu, best.place, d)};
        best = combined(best, other);
    }
    if (t % 32 == 0)
        parts[threadIdx.y][t / 32] = best;
    __syncthreads();
    if (t != 0 || row >= rows)
        return;
    for (int i = 1; i < @threads@ / 32; i++)
        best = combined(best, parts[threadIdx.y][i]);
    out[row] = (@R@)(@store@);
}
