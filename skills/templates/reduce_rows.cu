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

// Four independent sums a thread keep four loads in flight. Rows may start anywhere: elements in
// front of the first 16-byte boundary and behind the last one go singly.
__device__ __forceinline__ @T@ of_row(const @T@ *line, int cols, int t)
{
    const int skew = (int)(reinterpret_cast<size_t>(line) % 16 / sizeof(@T@));
    const int head = min(cols, (lanes - skew) % lanes), packs = (cols - head) / lanes;
    const pack *body = reinterpret_cast<const pack *>(line + head);
    const @T@ start = mapped(@start@);
    @T@ part[4] = {start, start, start, start};
    int i = t;
    for (; i + 3 * @threads@ < packs; i += 4 * @threads@) {
        pack p[4];
        _Pragma("unroll") for (int k = 0; k < 4; k++)
            p[k] = body[i + k * @threads@];
        _Pragma("unroll") for (int k = 0; k < 4; k++)
            part[k] = combined(part[k], p[k]);
    }
    for (; i < packs; i += @threads@)
        part[0] = combined(part[0], body[i]);
    for (int k = t; k < cols - packs * lanes; k += @threads@)
        part[1] = combined(part[1], mapped(line[k < head ? k : k + packs * lanes]));
    return combined(combined(part[0], part[1]), combined(part[2], part[3]));
}

// What a row's value is stored as.
__device__ __forceinline__ @T@ finished(@T@ its_sum, int its_row@tail_takes@)
{
    (void)its_row;
@tail@}

__global__ void __launch_bounds__(@threads@ * @lines@)
    reduce_rows(const @T@ *__restrict__ x, @T@ *__restrict__ out, int rows, int cols@number_parameters@@tail_parameters@)
{
    __shared__ @T@ parts[@lines@][@threads@ / 32];
    const int t = threadIdx.x, row = blockIdx.x * @lines@ + threadIdx.y;
    const @T@ *line = x + (size_t)(row < rows ? row : rows - 1) * cols;
    @T@ total = of_row(line, cols, t);
    for (int d = 16; d > 0; d /= 2)
        total = combined(total, __shfl_xor_sync(0xffffffffu, total, d));
    if (t % 32 == 0)
        parts[threadIdx.y][t / 32] = total;
    __syncthreads();
    if (t != 0 || row >= rows)
        return;
    for (int i = 1; i < @threads@ / 32; i++)
        total = combined(total, parts[threadIdx.y][i]);
    out[row] = finished(@store@, row@tail_arguments@);
}
