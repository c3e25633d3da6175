// What the kernel does with each sum, at `place` of C.
__device__ __forceinline__ @R@ finished(float its_sum, long long its_place, int its_row, int its_col@tail_takes@)
{
@tail@}

// An element's sum, term by term.
__device__ __forceinline__ float by_terms(const @A@ *a, const @B@ *b, int m, int n, int k, int row, int col)
{
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += float(a[@a_deep@ ? (size_t)row * k + l : (size_t)l * m + row]) *
               float(b[@b_deep@ ? (size_t)col * k + l : (size_t)l * n + col]);
    return sum;
}

__global__ void __launch_bounds__(threads, blocks)
    gemm_wgmma_tiles(const @A@ *__restrict__ a, const @B@ *__restrict__ b, @R@ *__restrict__ c, int m,
                     int n, int k, long long a_step, long long b_step, long long c_step@tail_parameters@)
{
    extern __shared__ uint4 room[];
    char *const memory = reinterpret_cast<char *>(room) + (-shared_at(room) & 8 * line - 1);
    // Blocks that run together share rows and columns: `tall` of them under each other.
    const int id = blockIdx.y * gridDim.x + blockIdx.x, tall = 8, of = id / (tall * gridDim.x);
    const int high = min((int)gridDim.y - of * tall, tall), rest = id - of * tall * gridDim.x;
    const int row0 = (of * tall + rest % high) * bm, col0 = rest / high * bn;
    a += blockIdx.z * a_step;
    b += blockIdx.z * b_step;
    copier_first of_first(turned ? static_cast<const void *>(b) : a, turned ? n : m, k, turned ? col0 : row0);
    copier_second of_second(turned ? static_cast<const void *>(a) : b, turned ? m : n, k, turned ? row0 : col0);
    constexpr int wide = turned ? bm : bn; // lines of the second operand
    float sums[wm / 64][wide / 8][4] = {};
    if (row0 + bm <= m && col0 + bn <= n && k % bk == 0)
        multiply_all<true>(sums, memory, of_first, of_second, k);
    else
        multiply_all<false>(sums, memory, of_first, of_second, k);
    struct alignas(2 * sizeof(@R@)) pair {
        @R@ lane[2];
    } out;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    auto over = [&](int i) { return warp / 4 * wm + i / 2 * 64 + warp % 4 * 16 + i % 2 * 8 + lane / 4; };
    auto row_of = [&](int i, int j, int l) { return row0 + (turned ? j * 8 + lane % 4 * 2 + l : over(i)); };
    auto col_of = [&](int i, int j, int l) { return col0 + (turned ? over(i) : j * 8 + lane % 4 * 2 + l); };
    float none = 0;
    _Pragma("unroll") for (int e = 0; e < wm / 64 * wide / 2 && splits; e++)
        none += sums[e / (wide / 2)][e / 4 % (wide / 8)][e % 4] * 0;
    if (!(none == 0)) {
        // Infinities and what is near the end of fp32 have no two parts, and leave no number.
        _Pragma("unroll 1") for (int e = 0; e < wm / 32 * wide / 4; e++) {
            const int i = e / (wide / 4), j = e / 2 % (wide / 8), row = row_of(i, j, e % 2), col = col_of(i, j, e % 2);
            const long long place = blockIdx.z * c_step + (long long)row * n + col;
            if (row < m && col < n)
                c[place] = finished(by_terms(a, b, m, n, k, row, col), place, row, col@tail_arguments@);
        }
        return;
    }
    constexpr bool in_pairs = !turned && !ragged;
    _Pragma("unroll") for (int i = 0; i < wm / 32; i++)
        _Pragma("unroll") for (int j = 0; j < wide / 8; j++) {
            _Pragma("unroll") for (int l = 0; l < 2; l++) {
                const int row = row_of(i, j, l), col = col_of(i, j, l);
                const long long place = blockIdx.z * c_step + (long long)row * n + col;
                if (row >= m || col >= n)
                    continue;
                out.lane[l] = finished(sums[i / 2][j][i % 2 * 2 + l], place, row, col@tail_arguments@);
                if (!in_pairs)
                    c[place] = out.lane[l];
                else if (l == 1)
                    *reinterpret_cast<pair *>(c + place - 1) = out;
            }
        }
}
