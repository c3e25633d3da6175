// An element's sum, term by term.
__device__ __noinline__ float by_terms(const @A@ *a, const @B@ *b, int m, int n, int k, int row, int col, depths of)
{
    float sum = 0;
    for (int l = of.first; l < of.last; l++)
        if (looks_at<true>(row, l) && looks_at<false>(col, l))
            sum += float(a[@a_deep@ ? (size_t)row * k + l : (size_t)l * m + row]) *
                   float(b[@b_deep@ ? (size_t)col * k + l : (size_t)l * n + col]);
    return sum;
}

// A block's tile of C, of which each element is what `made` makes of its sum, its place, row and column.
template <class E, class F>
__device__ __forceinline__ void make_tile(const @A@ *a, const @B@ *b, E *c, int m, int n, int k, long long c_first, F made)
{
    extern __shared__ uint4 room[];
    char *const memory = reinterpret_cast<char *>(room) + (-shared_at(room) & 8 * line - 1);
    // Blocks that run together share rows and columns: `tall` of them under each other.
    const int id = blockIdx.y * gridDim.x + blockIdx.x, tall = 8, group = id / (tall * gridDim.x);
    const int high = min((int)gridDim.y - group * tall, tall), rest = id - group * tall * gridDim.x;
    const int row0 = (group * tall + rest % high) * bm, col0 = rest / high * bn;
    const depths of = depths_of(row0, bm, col0, bn, k, bk);
    copier_first of_first(turned ? static_cast<const void *>(b) : a, turned ? n : m, k, turned ? col0 : row0, of);
    copier_second of_second(turned ? static_cast<const void *>(a) : b, turned ? m : n, k, turned ? row0 : col0, of);
    constexpr int wide = turned ? bm : bn; // lines of the second operand
    float sums[wm / 64][wide / 8][4] = {};
    if (row0 + bm <= m && col0 + bn <= n && (of.last - of.first) % bk == 0)
        multiply_all<true>(sums, memory, of_first, of_second, of);
    else
        multiply_all<false>(sums, memory, of_first, of_second, of);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    auto over = [&](int i) { return warp / 4 * wm + i / 2 * 64 + warp % 4 * 16 + i % 2 * 8 + lane / 4; };
    auto along = [&](int j, int l) { return j * 8 + lane % 4 * 2 + l; };
    auto row_of = [&](int i, int j, int l) { return row0 + (turned ? along(j, l) : over(i)); };
    auto col_of = [&](int i, int j, int l) { return col0 + (turned ? over(i) : along(j, l)); };
    // Infinities and what is near the end of fp32 have no two parts, and leave no number; nor does the zero that stands for a term
    // which is none, times infinity.
    constexpr bool again = splits || chooses;
    static_assert(!staged || !(turned || ragged || again), "");
    if (staged) {
        // The code of what follows a sum is there once, not for each of a thread's sums, and four beside each other are stored at once.
        constexpr int apart = bn + 8;
        float *const tile = reinterpret_cast<float *>(memory); // where no product is under way any more
        __syncthreads();
        _Pragma("unroll") for (int i = 0; i < wm / 32; i++)
            _Pragma("unroll") for (int j = 0; j < wide / 8; j++)
                *reinterpret_cast<float2 *>(tile + over(i) * apart + along(j, 0)) =
                    make_float2(sums[i / 2][j][i % 2 * 2], sums[i / 2][j][i % 2 * 2 + 1]);
        __syncthreads();
        _Pragma("unroll 1") for (int e = threadIdx.x * 4; e < bm * bn; e += threads * 4) {
            const int row = row0 + e / bn, col = col0 + e % bn;
            if (row >= m || col >= n)
                continue;
            const float4 four = *reinterpret_cast<const float4 *>(tile + e / bn * apart + e % bn);
            const float its[4] = {four.x, four.y, four.z, four.w};
            const long long place = c_first + (long long)row * n + col;
            struct alignas(4 * sizeof(E)) {
                E lane[4];
            } out;
            _Pragma("unroll") for (int l = 0; l < 4; l++)
                out.lane[l] = made(its[l], place + l, row, col + l);
            *reinterpret_cast<decltype(out) *>(c + place) = out;
        }
        return;
    }
    float none = 0;
    _Pragma("unroll") for (int e = 0; e < wm / 64 * wide / 2 && again; e++)
        none += sums[e / (wide / 2)][e / 4 % (wide / 8)][e % 4] * 0;
    if (!(none == 0)) {
        _Pragma("unroll 1") for (int e = 0; e < wm / 32 * wide / 4; e++) {
            const int i = e / (wide / 4), j = e / 2 % (wide / 8), row = row_of(i, j, e % 2), col = col_of(i, j, e % 2);
            const long long place = c_first + (long long)row * n + col;
            if (row < m && col < n)
                c[place] = made(by_terms(a, b, m, n, k, row, col, of), place, row, col);
        }
        return;
    }
    constexpr bool in_pairs = !turned && !ragged;
    struct alignas(2 * sizeof(E)) pair {
        E lane[2];
    } out;
    _Pragma("unroll") for (int i = 0; i < wm / 32; i++)
        _Pragma("unroll") for (int j = 0; j < wide / 8; j++)
            _Pragma("unroll") for (int l = 0; l < 2; l++) {
                const int row = row_of(i, j, l), col = col_of(i, j, l);
                const long long place = c_first + (long long)row * n + col;
                if (row >= m || col >= n)
                    continue;
                out.lane[l] = made(sums[i / 2][j][i % 2 * 2 + l], place, row, col);
                if (!in_pairs)
                    c[place] = out.lane[l];
                else if (l == 1)
                    *reinterpret_cast<pair *>(c + place - 1) = out;
            }
}
