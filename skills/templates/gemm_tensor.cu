constexpr int bm = @bm@, bn = @bn@, bk = @bk@, wm = @wm@, wn = @wn@, stages = @stages@;
constexpr int warps_across = bn / wn, threads = bm / wm * warps_across * 32;

// What the kernel does with each sum, at `place` of C.
__device__ __forceinline__ @R@ finished(float its_sum, long long its_place, int its_row, int its_col@tail_takes@)
{
@tail@}

// Tiles of op(A) or op(B) as they lie in memory, `deep`: neighbours differ in depth. Zero outside the matrix.
template <class E, int wide, bool deep> struct copier {
    static constexpr bool is_deep = deep;
    static constexpr int per_pack = 16 / sizeof(E);
    static constexpr int down = deep ? wide : bk, across = deep ? bk : wide, packs = across / per_pack;
    static constexpr int apart = threads / packs, steps = down / apart, size = down * across;
    static_assert(threads % packs == 0 && down % apart == 0 && apart % alike(deep) == 0, "too few threads for lines of this tile");
    const E *at;
    int width, line, depth, x, d, own;

    // Lines in depth are `line` long, of which `depth` is looked at.
    __device__ __forceinline__ copier(const E *from, int width, int line, int depth, int x0) : width(width), line(line), depth(depth)
    {
        const int row = threadIdx.x / packs, pack = threadIdx.x % packs;
        x = x0 + (deep ? row : pack * per_pack);
        d = deep ? pack * per_pack : row;
        at = from + (deep ? (size_t)x * line + d : (size_t)d * width + x);
        own = placed<deep, across>(from, row, pack);
    }
    template <bool whole> __device__ __forceinline__ void copy(E *tile)
    {
        _Pragma("unroll") for (int i = 0; i < steps; i++) {
            E *const to = tile + own + i * apart * across;
            if (whole || (deep ? x + i * apart < width && d < depth : x < width && d + i * apart < depth))
                __pipeline_memcpy_async(to, at + (size_t)(i * apart) * (deep ? line : width), 16);
            else
                *reinterpret_cast<uint4 *>(to) = make_uint4(0, 0, 0, 0);
        }
        at += deep ? (size_t)bk : (size_t)bk * width;
        d += bk;
    }
};
typedef copier<type_a, bm, @a_deep@> copier_a;
typedef copier<type_b, bn, @b_deep@> copier_b;

// Tiles come `stages` - 1 ahead. Fragments come one step ahead, across tiles too; or those of two steps, whose sums are added up
// together, at once.
template <bool whole>
__device__ __forceinline__ void multiply_all(float (&sums)[wm / 16][wn / 8][4], type_a *as, type_b *bs,
                                             copier_a &of_a, copier_b &of_b, int k)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int wy = warp / warps_across * wm, wx = warp % warps_across * wn;
    constexpr bool ahead = together == 1;
    unsigned x[2][wm / 16][regs_a], y[2][wn / 16][regs_b];
    const unsigned at_a = shared_at(as), at_b = shared_at(bs);
    auto fetch = [&](int to, int stage, int d) {
        fragments<copier_a::is_deep, true, copier_a::across>(
            x[to], at_a + stage * copier_a::size * sizeof(type_a), as + stage * copier_a::size, wy, d, lane);
        fragments<copier_b::is_deep, false, copier_b::across>(
            y[to], at_b + stage * copier_b::size * sizeof(type_b), bs + stage * copier_b::size, wx, d, lane);
    };
    auto next_tile = [] {
        __pipeline_wait_prior(stages - 2);
        __syncthreads();
    };
    _Pragma("unroll") for (int s = 0; s < stages - 1; s++) {
        if (s * bk < k) {
            of_a.copy<whole>(as + s * copier_a::size);
            of_b.copy<whole>(bs + s * copier_b::size);
        }
        __pipeline_commit();
    }
    next_tile();
    if (ahead && k > 0)
        fetch(0, 0, 0);
    int now = 0, spare = stages - 1;
    for (int k0 = 0; k0 < k; k0 += bk) {
        const int next = now + 1 == stages ? 0 : now + 1;
        _Pragma("unroll") for (int d = 0; d < bk / step_deep; d += together) {
            if (!ahead) {
                _Pragma("unroll") for (int t = 0; t < together; t++)
                    fetch(t, now, (d + t) * step_deep);
            } else if (d + 1 < bk / step_deep) {
                fetch((d + 1) % 2, now, (d + 1) * step_deep);
            } else {
                next_tile();
                if (k0 + bk < k)
                    fetch(0, next, 0);
            }
            if (d == 0) {
                if (k0 + (stages - 1) * bk < k) {
                    of_a.copy<whole>(as + spare * copier_a::size);
                    of_b.copy<whole>(bs + spare * copier_b::size);
                }
                __pipeline_commit();
            }
            constexpr int rows = together; // sixteens of them side by side
            _Pragma("unroll") for (int i0 = 0; i0 < wm / 16; i0 += rows) {
                // Tensor cores cut off where they add: what takes several rounds is summed by itself, and then in fp32. Round by
                // round, so that none waits for the one before, and all that is small before what is not, for that is cut off less.
                float part[rows][wn / 8][4] = {};
                _Pragma("unroll") for (int round = 0; round < rounds; round++) {
                    _Pragma("unroll") for (int j = 0; j < rows * wn / 2 && round > 0 && round + 1 == rounds; j++)
                        part[j / (wn / 2)][j / 4 % (wn / 8)][j % 4] *= 1 / higher;
                    _Pragma("unroll") for (int t = 0; t < together; t++)
                        _Pragma("unroll") for (int turn = 0; turn < wn / 8; turn++) // to and fro: the turn's fragment is read once
                            _Pragma("unroll") for (int i = i0; i < i0 + rows; i++) {
                                const int j = i0 / rows % 2 ? wn / 8 - 1 - turn : turn, at = ahead ? d % 2 : t;
                                multiply(rounds > 1 ? part[i - i0][j] : sums[i][j], x[at][i], y[at][j / 2], j % 2, round);
                            }
                }
                _Pragma("unroll") for (int j = 0; j < rows * wn / 8 && rounds > 1; j++)
                    _Pragma("unroll") for (int l = 0; l < 4; l++)
                        sums[i0 + j / (wn / 8)][j % (wn / 8)][l] += part[j / (wn / 8)][j % (wn / 8)][l];
            }
        }
        if (!ahead)
            next_tile();
        spare = now;
        now = next;
    }
}

__global__ void __launch_bounds__(threads)
    gemm_tensor_tiles(const @A@ *__restrict__ a, const @B@ *__restrict__ b, @R@ *__restrict__ c, int m,
                   int n, int k, long long a_step, long long b_step, long long c_step, int share@tail_of_tiles@)
{
    extern __shared__ uint4 memory[];
    type_a *const as = reinterpret_cast<type_a *>(memory);
    type_b *const bs = reinterpret_cast<type_b *>(as + stages * copier_a::size);
    // Blocks that run together share rows and columns: `tall` of them under each other.
    const int id = blockIdx.y * gridDim.x + blockIdx.x, tall = 8, of = id / (tall * gridDim.x);
    const int high = min((int)gridDim.y - of * tall, tall), rest = id - of * tall * gridDim.x;
    const int row0 = (of * tall + rest % high) * bm, col0 = rest / high * bn;
    // A block goes through all of the depth, or a share of it.
    const long long from = @parted@ ? (long long)blockIdx.z * share : 0;
    const int depth = (int)max(0LL, min((long long)share, k - from));
    a += blockIdx.z * a_step + from * (@a_deep@ ? 1 : m);
    b += blockIdx.z * b_step + from * (@b_deep@ ? 1 : n);
    copier_a of_a(a, m, k, depth, row0);
    copier_b of_b(b, n, k, depth, col0);
    float sums[wm / 16][wn / 8][4] = {};
    if (row0 + bm <= m && col0 + bn <= n && depth % bk == 0)
        multiply_all<true>(sums, as, bs, of_a, of_b, depth);
    else
        multiply_all<false>(sums, as, bs, of_a, of_b, depth);
    // Neighbours in a row of C.
    constexpr int run = copier_b::is_deep || !permuted ? 2 : 4, packs = wn / 4 / run;
    struct alignas(run * sizeof(@R@)) neighbours {
        @R@ lane[run];
    } out;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int wy = row0 + warp / warps_across * wm, wx = col0 + warp % warps_across * wn;
    auto row_of = [&](int i) { return wy + line_of<copier_a::is_deep>(i, lane / 4); };
    auto col_of = [&](int p) { return wx + (run == 2 ? p * 8 + lane % 4 * 2 : p / 2 * 32 + (lane % 4 * 2 + p % 2) * 4); };
    float none = 0;
    _Pragma("unroll") for (int i = 0; i < wm / 16 * wn / 2 && splits; i++)
        none += sums[i / (wn / 2)][i / 4 % (wn / 8)][i % 4] * 0;
    if (!(none == 0)) {
        // Infinities and what is near the end of fp32 have no two parts, and leave no number: then a thread does its sums again,
        // term by term. Not beside where each is written: that many loops are read more slowly than they are worth.
        _Pragma("unroll 1") for (int e = 0; e < wm / 8 * packs * run; e++) {
            const int row = row_of(e / (packs * run)), col = col_of(e / run % packs) + e % run;
            const long long place = blockIdx.z * c_step + (long long)row * n + col;
            if (row < m && col < n) {
                const float sum = by_terms(a, b, m, n, k, depth, row, col);
                c[place] = @stored@;
            }
        }
        return;
    }
    _Pragma("unroll") for (int i = 0; i < wm / 8; i++)
        _Pragma("unroll") for (int p = 0; p < packs; p++) {
            const int row = row_of(i), first = col_of(p);
            if (row >= m || first >= n)
                continue;
            _Pragma("unroll") for (int l = 0; l < run; l++) {
                const int col = first + l;
                const long long place = blockIdx.z * c_step + (long long)row * n + col;
                const float sum = run == 2 ? sums[i / 2][p][i % 2 * 2 + l % 2] : sums[i / 2][p / 2 * 4 + l][i % 2 * 2 + p % 2];
                out.lane[l] = @stored@;
            }
            *reinterpret_cast<neighbours *>(c + blockIdx.z * c_step + (long long)row * n + first) = out;
        }
}
