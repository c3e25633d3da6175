// Where the block's part of the depth begins among all sums.
__device__ __forceinline__ size_t part_of_batch(int m)
{
    return ((size_t)blockIdx.z * gridDim.y + blockIdx.y) * m;
}

// Rows of A times x, `share` of the depth a block: `lines` rows share each element of x. A product of a batch is a block of z.
__global__ void __launch_bounds__(threads)
    gemv_rows(const @T@ *__restrict__ a, const @X@ *__restrict__ x, @T_sum@ *__restrict__ sums, int m,
              int k, int share)
{
    __shared__ @T_sum@ parts[warps][lines];
    a += (size_t)blockIdx.z * m * k;
    x += (size_t)blockIdx.z * k;
    const int t = threadIdx.x, row0 = blockIdx.x * lines, from = blockIdx.y * share;
    const int to = k - from < share ? k : from + share;
    const @T@ *line[lines];
    @T_sum@ sum[lines] = {};
    _Pragma("unroll") for (int r = 0; r < lines; r++)
        line[r] = a + (size_t)min(row0 + r, m - 1) * k;
    add_products(sum, line, aligned(a) && aligned(x) && k % lanes == 0, x, from, to, t);
    _Pragma("unroll") for (int r = 0; r < lines; r++) {
        for (int d = 16; d > 0; d /= 2)
            sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], d);
        if (t % 32 == 0)
            parts[t / 32][r] = sum[r];
    }
    __syncthreads();
    if (t >= lines || row0 + t >= m)
        return;
    @T_sum@ total = 0;
    for (int w = 0; w < warps; w++)
        total += parts[w][t];
    sums[part_of_batch(m) + row0 + t] = total;
}

struct alignas(16) pack_of_sums {
    @T_sum@ lane[lanes];
};

// Columns of A times x: a warp reads neighbours in a row, the warps of a block take turns at the depth.
__global__ void __launch_bounds__(threads)
    gemv_columns(const @T@ *__restrict__ a, const @X@ *__restrict__ x, @T_sum@ *__restrict__ sums,
                 int m, int k, int share)
{
    constexpr int wide = 32 * lanes;
    __shared__ pack_of_sums parts[warps][32];
    a += (size_t)blockIdx.z * m * k;
    x += (size_t)blockIdx.z * k;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, col0 = blockIdx.x * wide;
    const int col = col0 + lane * lanes, from = blockIdx.y * share;
    const int to = k - from < share ? k : from + share;
    pack_of_sums sum = {};
    if (aligned(a) && m % lanes == 0) {
        if (col < m)
            _Pragma("unroll 8") for (int l = from + warp; l < to; l += warps) {
                const pack u = *reinterpret_cast<const pack *>(a + (size_t)l * m + col);
                _Pragma("unroll") for (int i = 0; i < lanes; i++)
                    sum.lane[i] += @T_wide@(u.lane[i]) * @X_wide@(x[l]);
            }
    } else {
        for (int l = from + warp; l < to; l += warps)
            _Pragma("unroll") for (int i = 0; i < lanes; i++)
                if (col + i < m)
                    sum.lane[i] += @T_wide@(a[(size_t)l * m + col + i]) * @X_wide@(x[l]);
    }
    parts[warp][lane] = sum;
    __syncthreads();
    for (int i = threadIdx.x; i < wide && col0 + i < m; i += threads) {
        @T_sum@ total = 0;
        for (int w = 0; w < warps; w++)
            total += parts[w][i / lanes].lane[i % lanes];
        sums[part_of_batch(m) + col0 + i] = total;
    }
}

// The parts of each element, by a warp. A product of a batch is a block of y.
__global__ void __launch_bounds__(threads)
    gemv_add(const @T_sum@ *__restrict__ sums, @R@ *__restrict__ c, @T_sum@ alpha, @beta_parameter@int m,
             int parts@tail_parameters@)
{
    const int row = blockIdx.x * warps + threadIdx.x / 32;
    const size_t product = blockIdx.y, place = product * m + row;
    @T_sum@ total = 0;
    sums += product * parts * m;
    for (int p = threadIdx.x % 32; row < m && p < parts; p += 32)
        total += sums[(size_t)p * m + row];
    for (int d = 16; d > 0; d /= 2)
        total += __shfl_xor_sync(0xffffffffu, total, d);
    if (row < m && threadIdx.x % 32 == 0)
        c[place] = finished(@value@, row, place@tail_arguments@);
}
