constexpr int bm = @bm@, bn = @bn@, bk = @bk@ * 4 / (int)sizeof(@T@); // tiles are of as many bytes for all types
constexpr int threads = bm * bn / 64; // each makes 8 x 8 elements of C
constexpr bool ragged = @ragged@;       // lines that are no multiple of four, a depth that is none of bk

struct alignas(16) pack {
    @T@ lane[4];
};

// Tiles of op(A) or op(B) on their way into shared memory, where the depth is the slow axis: `wide` x bk
// elements from x0 on. `deep`: neighbours in memory differ in depth, else in x. Outside the matrix it is zero.
template <int wide, bool deep> struct copier {
    static constexpr int across = deep ? bk : wide / 4, steps = wide * bk / (deep ? 1 : 4) / threads;
    static constexpr int apart = threads / across; // in x where deep, else in depth
    static_assert(threads % across == 0 && wide * bk % (threads * (deep ? 1 : 4)) == 0, "");
    const @T@ *at;
    int width, depth, line, x, d; // elements from one line to the next; this thread's first element
    bool aligned, inside;

    __device__ __forceinline__ copier(const @T@ *from, int width, int depth, int line, int x0, int first, int t)
        : width(width), depth(depth), line(line), x(deep ? t / across : t % across * 4),
          d(first + (deep ? t % across : t / across))
    {
        aligned = deep || ragged || (reinterpret_cast<size_t>(from) % 16 == 0 && line % 4 == 0);
        inside = aligned && x0 + wide <= width;
        at = from + (deep ? (size_t)(x0 + x) * line + d : (size_t)d * line + x0 + x);
        x += x0;
    }
    // The next bk of the depth; `whole`: all of them are in the matrix.
    template <bool whole> __device__ __forceinline__ void copy(@T@ (&tile)[bk][wide + 4], int t)
    {
        @T@ *const to = &tile[deep ? t % across : t / across][deep ? t / across : t % across * 4];
        _Pragma("unroll") for (int i = 0; i < steps; i++) {
            const int down = i * apart;
            if (deep) {
                if (whole || (x + down < width && d < depth))
                    __pipeline_memcpy_async(to + down, at + (size_t)down * line, sizeof(@T@));
                else
                    to[down] = 0;
            } else if (whole && !ragged) {
                _Pragma("unroll") for (int l = 0; l < 4; l += 16 / sizeof(@T@))
                    __pipeline_memcpy_async(to + down * (wide + 4) + l, at + (size_t)down * line + l, 16);
            } else {
                _Pragma("unroll") for (int l = 0; l < 4; l++)
                    if (whole || (x + l < width && d + down < depth))
                        __pipeline_memcpy_async(to + down * (wide + 4) + l, at + (size_t)down * line + l, sizeof(@T@));
                    else
                        to[down * (wide + 4) + l] = 0;
            }
        }
        at += deep ? (size_t)bk : (size_t)bk * line;
        d += bk;
    }
};

__device__ __forceinline__ @T@ value(@T@ alpha, @beta_parameter@@T@ sum, @T@ old)
{
    return @value@;
}

// What the kernel does with each element, at `place` of C.
__device__ __forceinline__ @T@ finished(@T@ its_sum, long long its_place, int its_row, int its_col@tail_takes@)
{
@tail@}

// A sum with what an element of op(A) and one of op(B), each at `depth`, add to it.
__device__ __forceinline__ @head_type@ added(@head_type@ its_sum@head_takes@)
{
@head@}

__device__ __forceinline__ @T@ with_pair(@T@ sum, @T@ in_a, @T@ in_b, int depth@head_parameters@)
{
    return added(sum, @head_values@);
}

// Which terms an element has.
__device__ __forceinline__ bool chosen(int row, int col, int depth, int last)
{
    return @chosen@;
}

// A tile of the depth: for each of its steps 16 elements, read one step ahead, and 64 multiply-adds.
template <bool some>
__device__ __forceinline__ void multiply(@T@ (&sums)[8][8], const @T@ (&as)[bk][bm + 4],
                                         const @T@ (&bs)[bk][bn + 4], int tx, int ty, int row0,
                                         int col0, int k0, int last@head_parameters@)
{
    pack x[2][2], y[2][2];
    _Pragma("unroll") for (int d = -1; d < bk; d++) {
        const int now = d & 1, next = now ^ 1;
        if (d + 1 < bk)
            _Pragma("unroll") for (int g = 0; g < 2; g++) {
                x[next][g] = *reinterpret_cast<const pack *>(&as[d + 1][ty + g * (bm / 2)]);
                y[next][g] = *reinterpret_cast<const pack *>(&bs[d + 1][tx + g * (bn / 2)]);
            }
        if (d < 0)
            continue;
        _Pragma("unroll") for (int i = 0; i < 8; i++)
            _Pragma("unroll") for (int j = 0; j < 8; j++) {
                if (!some || chosen(row0 + ty + i % 4 + i / 4 * (bm / 2),
                                    col0 + tx + j % 4 + j / 4 * (bn / 2), k0 + d, last))
                    sums[i][j] = with_pair(sums[i][j], x[now][i / 4].lane[i % 4], y[now][j / 4].lane[j % 4],
                                           k0 + d@head_arguments@);
            }
    }
}

// All tiles of the depth from `first` to `last`, each copied while the one before is multiplied.
template <bool whole>
__device__ __forceinline__ void multiply_all(@T@ (&sums)[8][8], @T@ (&as)[2][bk][bm + 4], @T@ (&bs)[2][bk][bn + 4],
                                             copier<bm, @a_deep@> &of_a, copier<bn, @b_deep@> &of_b, int tx,
                                             int ty, int row0, int col0, int first, int last@head_parameters@)
{
    const int t = threadIdx.x;
    if (first < last) {
        of_a.copy<whole>(as[0], t);
        of_b.copy<whole>(bs[0], t);
        __pipeline_commit();
    }
    int now = 0;
    for (int k0 = first; k0 < last; k0 += bk) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (k0 + bk < last) {
            of_a.copy<whole>(as[now ^ 1], t);
            of_b.copy<whole>(bs[now ^ 1], t);
            __pipeline_commit();
        }
        if (@partial@)
            multiply<true>(sums, as[now], bs[now], tx, ty, row0, col0, k0, last@head_arguments@);
        else
            multiply<false>(sums, as[now], bs[now], tx, ty, row0, col0, k0, last@head_arguments@);
        now ^= 1;
    }
}

// Each element of C is summed in the order of the depth, as the plain loop does. A thread's 8 x 8
// elements are four groups of 4 x 4, half a tile apart, which keeps shared loads without conflicts.
// 128 registers leave room for 512 threads a multiprocessor, twice as many for half of them where sums are of 8 bytes.
// Blocks of z: the batch, or parts of the depth.
__global__ void __launch_bounds__(threads, 2048 / (int)sizeof(@T@) / threads)
    gemm_tiles(const @T@ *__restrict__ a, const @T@ *__restrict__ b, @T@ *__restrict__ c,
               @T@ alpha, @beta_parameter@int m, int n, int k, @lines@long long a_step, long long b_step,
               long long c_step, int share@head_parameters@@tail_of_tiles@)
{
    alignas(16) __shared__ @T@ as[2][bk][bm + 4];
    alignas(16) __shared__ @T@ bs[2][bk][bn + 4];
    const int t = threadIdx.x, lane = t % 32, warps_across = bn / 64; // a warp: 4 x 8 threads
    const int tx = (t / 32 % warps_across * 8 + lane % 8) * 4;
    const int ty = (t / 32 / warps_across * 4 + lane / 8) * 4;
    // Blocks that run together share rows and columns: `tall` of them under each other.
    const int id = blockIdx.y * gridDim.x + blockIdx.x, tall = 8, of = id / (tall * gridDim.x);
    const int high = min((int)gridDim.y - of * tall, tall), rest = id - of * tall * gridDim.x;
    const int row0 = (of * tall + rest % high) * bm, col0 = rest / high * bn;
    a += blockIdx.z * a_step;
    b += blockIdx.z * b_step;
    c += blockIdx.z * c_step;
    const int first = @first@, last = @last@;
    copier<bm, @a_deep@> of_a(a, m, k, @a_line@, row0, first, t);
    copier<bn, @b_deep@> of_b(b, n, k, @b_line@, col0, first, t);
    @T@ sums[8][8] = {};
    // Blocks at an edge have code of their own, and so has the end of a ragged depth.
    const bool inside = of_a.inside && of_b.inside && last <= k;
    const int end = last - (last - first) % bk;
    if (inside && (ragged || end == last))
        multiply_all<true>(sums, as, bs, of_a, of_b, tx, ty, row0, col0, first, ragged ? end : last@head_arguments@);
    else
        multiply_all<false>(sums, as, bs, of_a, of_b, tx, ty, row0, col0, first, last@head_arguments@);
    if (ragged && inside && end < last) {
        __syncthreads();
        multiply_all<false>(sums, as, bs, of_a, of_b, tx, ty, row0, col0, end, last@head_arguments@);
    }
    const bool c_aligned = reinterpret_cast<size_t>(c) % 16 == 0 && @c_line@ % 4 == 0;
    _Pragma("unroll") for (int i = 0; i < 8; i++) {
        const int row = row0 + ty + i % 4 + i / 4 * (bm / 2);
        _Pragma("unroll") for (int g = 0; g < 2; g++) {
            const int col = col0 + tx + g * (bn / 2);
            const bool packed = row < m && col + 4 <= n && c_aligned;
            const long long place = (long long)row * @c_line@ + col, of_batch = blockIdx.z * c_step;
            pack out = {};
            if (@update@ && packed)
                out = *reinterpret_cast<const pack *>(c + place);
            _Pragma("unroll") for (int l = 0; l < 4; l++) {
                if (row >= m || col + l >= n)
                    continue;
                const @T@ old = @update@ && !packed ? c[place + l] : out.lane[l];
                const @T@ made = value(alpha, @beta_argument@sums[i][g * 4 + l], old);
                out.lane[l] = @stored@;
                if (!packed)
                    c[place + l] = out.lane[l];
            }
            if (packed)
                *reinterpret_cast<pack *>(c + place) = out;
        }
    }
}
