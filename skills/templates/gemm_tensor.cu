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
    static_assert(threads % packs == 0 && down % apart == 0 && apart % alike(deep) == 0, "");
    const E *at;
    int width, depth, x, d, own;

    __device__ __forceinline__ copier(const E *from, int width, int depth, int x0) : width(width), depth(depth)
    {
        const int line = threadIdx.x / packs, pack = threadIdx.x % packs;
        x = x0 + (deep ? line : pack * per_pack);
        d = deep ? pack * per_pack : line;
        at = from + (deep ? (size_t)x * depth + d : (size_t)d * width + x);
        own = placed<deep, across>(from, line, pack);
    }
    template <bool whole> __device__ __forceinline__ void copy(E *tile)
    {
        _Pragma("unroll") for (int i = 0; i < steps; i++) {
            E *const to = tile + own + i * apart * across;
            if (whole || (deep ? x + i * apart < width && d < depth : x < width && d + i * apart < depth))
                __pipeline_memcpy_async(to, at + (size_t)(i * apart) * (deep ? depth : width), 16);
            else
                *reinterpret_cast<uint4 *>(to) = make_uint4(0, 0, 0, 0);
        }
        at += deep ? (size_t)bk : (size_t)bk * width;
        d += bk;
    }
};
typedef copier<type_a, bm, @a_deep@> copier_a;
typedef copier<type_b, bn, @b_deep@> copier_b;

// Tiles come `stages` - 1 ahead, fragments one step ahead, across tiles too.
template <bool whole>
__device__ __forceinline__ void multiply_all(float (&sums)[wm / 16][wn / 8][4], type_a *as, type_b *bs,
                                             copier_a &of_a, copier_b &of_b, int k)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int wy = warp / warps_across * wm, wx = warp % warps_across * wn;
    unsigned x[2][wm / 16][regs_a], y[2][wn / 16][regs_b];
    const unsigned at_a = shared_at(as), at_b = shared_at(bs);
    auto fetch = [&](int to, int stage, int d) {
        _Pragma("unroll") for (int i = 0; i < wm / 16; i++)
            fragment<copier_a::is_deep, true, copier_a::across>(
                x[to][i], at_a + stage * copier_a::size * sizeof(type_a), as + stage * copier_a::size, wy + i * 16, d, lane);
        _Pragma("unroll") for (int j = 0; j < wn / 16; j++)
            fragment<copier_b::is_deep, false, copier_b::across>(
                y[to][j], at_b + stage * copier_b::size * sizeof(type_b), bs + stage * copier_b::size, wx + j * 16, d, lane);
    };
    _Pragma("unroll") for (int s = 0; s < stages - 1; s++) {
        if (s * bk < k) {
            of_a.copy<whole>(as + s * copier_a::size);
            of_b.copy<whole>(bs + s * copier_b::size);
        }
        __pipeline_commit();
    }
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    if (k > 0)
        fetch(0, 0, 0);
    int now = 0, spare = stages - 1;
    for (int k0 = 0; k0 < k; k0 += bk) {
        const int next = now + 1 == stages ? 0 : now + 1;
        _Pragma("unroll") for (int d = 0; d < bk / step_deep; d++) {
            if (d + 1 < bk / step_deep) {
                fetch((d + 1) % 2, now, (d + 1) * step_deep);
            } else {
                __pipeline_wait_prior(stages - 2);
                __syncthreads();
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
            _Pragma("unroll") for (int i = 0; i < wm / 16; i++) {
                // Tensor cores cut off where they add: what takes several rounds is summed by itself, and then in fp32. Round by
                // round, so that none waits for the one before.
                float part[wn / 8][4] = {};
                _Pragma("unroll") for (int round = 0; round < rounds; round++)
                    _Pragma("unroll") for (int turn = 0; turn < wn / 8; turn++) { // to and fro: the turn's fragment is read once
                        const int j = i % 2 ? wn / 8 - 1 - turn : turn;
                        multiply(rounds > 1 ? part[j] : sums[i][j], x[d % 2][i], y[d % 2][j / 2], j % 2, round);
                    }
                _Pragma("unroll") for (int j = 0; j < wn / 8 && rounds > 1; j++)
                    _Pragma("unroll") for (int l = 0; l < 4; l++)
                        sums[i][j][l] += part[j][l];
            }
        }
        spare = now;
        now = next;
    }
}

__global__ void __launch_bounds__(threads)
    gemm_tensor_tiles(const @A@ *__restrict__ a, const @B@ *__restrict__ b, @R@ *__restrict__ c, int m,
                   int n, int k, long long a_step, long long b_step, long long c_step@tail_parameters@)
{
    extern __shared__ uint4 memory[];
    type_a *const as = reinterpret_cast<type_a *>(memory);
    type_b *const bs = reinterpret_cast<type_b *>(as + stages * copier_a::size);
    // Blocks that run together share rows and columns: `tall` of them under each other.
    const int id = blockIdx.y * gridDim.x + blockIdx.x, tall = 8, of = id / (tall * gridDim.x);
    const int high = min((int)gridDim.y - of * tall, tall), rest = id - of * tall * gridDim.x;
    const int row0 = (of * tall + rest % high) * bm, col0 = rest / high * bn;
    copier_a of_a(a + blockIdx.z * a_step, m, k, row0);
    copier_b of_b(b + blockIdx.z * b_step, n, k, col0);
    float sums[wm / 16][wn / 8][4] = {};
    if (row0 + bm <= m && col0 + bn <= n && k % bk == 0)
        multiply_all<true>(sums, as, bs, of_a, of_b, k);
    else
        multiply_all<false>(sums, as, bs, of_a, of_b, k);
    struct alignas(2 * sizeof(@R@)) pair {
        @R@ lane[2];
    } out;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int wy = warp / warps_across * wm, wx = warp % warps_across * wn;
    _Pragma("unroll") for (int i = 0; i < wm / 16; i++)
        _Pragma("unroll") for (int j = 0; j < wn / 8; j++)
            _Pragma("unroll") for (int h = 0; h < 2; h++) {
                const int row = row0 + wy + i * 16 + h * 8 + lane / 4, col = col0 + wx + j * 8 + lane % 4 * 2;
                const long long place = blockIdx.z * c_step + (long long)row * n + col;
                if (row >= m || col >= n)
                    continue;
                _Pragma("unroll") for (int l = 0; l < 2; l++) {
                    const float sum = settled(sums[i][j][h * 2 + l], a + blockIdx.z * a_step, b + blockIdx.z * b_step, m, n, k,
                                              row, col + l);
                    out.lane[l] = finished(sum, place + l, row, col + l@tail_arguments@);
                }
                *reinterpret_cast<pair *>(c + place) = out;
            }
}
