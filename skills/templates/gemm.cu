constexpr int bm = @bm@, bn = @bn@, bk = @bk@;
constexpr int threads = bm * bn / 64; // each makes 8 x 8 elements of C

struct alignas(16) pack {
    @T@ lane[4];
};

// One tile of op(A) or op(B), `wide` x bk elements starting at (x0, k0), on its way through the
// registers into shared memory, where the depth is the slow axis. `deep`: neighbours in memory
// differ in depth, else in x. Outside the matrix it is zero.
template <int wide, bool deep> struct fetcher {
    static constexpr int packs = wide * bk / 4 / threads;
    static constexpr int pitch = wide + 4; // spreads the column-wise stores over the banks
    pack held[packs];

    __device__ __forceinline__ void fetch(const @T@ *from, int width, int depth, int x0, int k0,
                                          bool aligned, int t)
    {
        const bool full = aligned && x0 + wide <= width && k0 + bk <= depth;
        _Pragma("unroll") for (int i = 0; i < packs; i++) {
            const int p = t + i * threads;
            const int x = x0 + (deep ? p / (bk / 4) : p % (wide / 4) * 4);
            const int k = k0 + (deep ? p % (bk / 4) * 4 : p / (wide / 4));
            const size_t at = deep ? (size_t)x * depth + k : (size_t)k * width + x;
            if (full) {
                held[i] = *reinterpret_cast<const pack *>(from + at);
                continue;
            }
            _Pragma("unroll") for (int l = 0; l < 4; l++)
                held[i].lane[l] = x + (deep ? 0 : l) < width && k + (deep ? l : 0) < depth
                                      ? from[at + l]
                                      : (@T@)0;
        }
    }
    __device__ __forceinline__ void put(@T@ (&tile)[bk][pitch], int t) const
    {
        _Pragma("unroll") for (int i = 0; i < packs; i++) {
            const int p = t + i * threads;
            const int x = deep ? p / (bk / 4) : p % (wide / 4) * 4;
            const int k = deep ? p % (bk / 4) * 4 : p / (wide / 4);
            if (deep) {
                _Pragma("unroll") for (int l = 0; l < 4; l++)
                    tile[k + l][x] = held[i].lane[l];
            } else {
                *reinterpret_cast<pack *>(&tile[k][x]) = held[i];
            }
        }
    }
};

__device__ __forceinline__ @T@ value(@T@ alpha, @beta_parameter@@T@ sum, @T@ old)
{
    return @value@;
}

// Which terms an element has.
__device__ __forceinline__ bool chosen(int row, int col, int depth)
{
    return @chosen@;
}

// One step of the depth: 16 shared loads, 64 multiply-adds.
template <bool some>
__device__ __forceinline__ void multiply(@T@ (&sums)[8][8], const @T@ (&as)[bk][bm + 4],
                                         const @T@ (&bs)[bk][bn + 4], int tx, int ty, int row0,
                                         int col0, int k0)
{
    _Pragma("unroll") for (int d = 0; d < bk; d++) {
        pack x[2], y[2];
        x[0] = *reinterpret_cast<const pack *>(&as[d][ty]);
        x[1] = *reinterpret_cast<const pack *>(&as[d][ty + bm / 2]);
        y[0] = *reinterpret_cast<const pack *>(&bs[d][tx]);
        y[1] = *reinterpret_cast<const pack *>(&bs[d][tx + bn / 2]);
        _Pragma("unroll") for (int i = 0; i < 8; i++)
            _Pragma("unroll") for (int j = 0; j < 8; j++) {
                if (!some || chosen(row0 + ty + i % 4 + i / 4 * (bm / 2),
                                    col0 + tx + j % 4 + j / 4 * (bn / 2), k0 + d))
                    sums[i][j] += x[i / 4].lane[i % 4] * y[j / 4].lane[j % 4];
            }
    }
}

// Each element of C is summed in the order of the depth, as the plain loop does. A thread's 8 x 8
// elements are four groups of 4 x 4, half a tile apart, which keeps shared loads without conflicts.
// 128 registers leave room for 512 threads a multiprocessor. Blocks of z: the batch, or parts of the depth.
__global__ void __launch_bounds__(threads, 512 / threads)
    gemm_tiles(const @T@ *__restrict__ a, const @T@ *__restrict__ b, @T@ *__restrict__ c,
               @T@ alpha, @beta_parameter@int m, int n, int k, long long a_step, long long b_step,
               long long c_step, int share)
{
    alignas(16) __shared__ @T@ as[2][bk][bm + 4];
    alignas(16) __shared__ @T@ bs[2][bk][bn + 4];
    const int t = threadIdx.x, tx = t % (bn / 8) * 4, ty = t / (bn / 8) * 4;
    const int row0 = blockIdx.y * bm, col0 = blockIdx.x * bn;
    a += blockIdx.z * a_step;
    b += blockIdx.z * b_step;
    c += blockIdx.z * c_step;
    const int first = @first@, last = @last@;
    const bool a_aligned = reinterpret_cast<size_t>(a) % 16 == 0 && (@a_deep@ ? k : m) % 4 == 0;
    const bool b_aligned = reinterpret_cast<size_t>(b) % 16 == 0 && (@b_deep@ ? k : n) % 4 == 0;
    fetcher<bm, @a_deep@> of_a;
    fetcher<bn, @b_deep@> of_b;
    @T@ sums[8][8] = {};
    if (first < last) {
        of_a.fetch(a, m, k, row0, first, a_aligned, t);
        of_b.fetch(b, n, k, col0, first, b_aligned, t);
        of_a.put(as[0], t);
        of_b.put(bs[0], t);
        __syncthreads();
    }
    int now = 0;
    for (int k0 = first; k0 < last; k0 += bk) {
        const bool more = k0 + bk < last;
        if (more) {
            of_a.fetch(a, m, k, row0, k0 + bk, a_aligned, t);
            of_b.fetch(b, n, k, col0, k0 + bk, b_aligned, t);
        }
        if (@partial@)
            multiply<true>(sums, as[now], bs[now], tx, ty, row0, col0, k0);
        else
            multiply<false>(sums, as[now], bs[now], tx, ty, row0, col0, k0);
        if (more) {
            of_a.put(as[now ^ 1], t);
            of_b.put(bs[now ^ 1], t);
        }
        __syncthreads();
        now ^= 1;
    }
    const bool c_aligned = reinterpret_cast<size_t>(c) % 16 == 0 && n % 4 == 0;
    _Pragma("unroll") for (int i = 0; i < 8; i++) {
        const int row = row0 + ty + i % 4 + i / 4 * (bm / 2);
        _Pragma("unroll") for (int g = 0; g < 2; g++) {
            const int col = col0 + tx + g * (bn / 2);
            @T@ *to = c + (size_t)row * n + col;
            if (row < m && col + 4 <= n && c_aligned) {
                pack out = {};
                if (@update@)
                    out = *reinterpret_cast<const pack *>(to);
                _Pragma("unroll") for (int l = 0; l < 4; l++)
                    out.lane[l] = value(alpha, @beta_argument@sums[i][g * 4 + l], out.lane[l]);
                *reinterpret_cast<pack *>(to) = out;
                continue;
            }
            _Pragma("unroll") for (int l = 0; l < 4; l++)
                if (row < m && col + l < n)
                    to[l] = value(alpha, @beta_argument@sums[i][g * 4 + l],
                                  @update@ ? to[l] : (@T@)0);
        }
    }
}
