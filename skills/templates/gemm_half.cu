constexpr int bm = @bm@, bn = @bn@, bk = @bk@, stages = @stages@;
constexpr int wm = 64, wn = @wn@; // what a warp makes of C
constexpr int threads = bm / wm * (bn / wn) * 32;
constexpr bool a_deep = @a_deep@, b_deep = @b_deep@; // neighbours in memory differ in depth
constexpr int a_down = a_deep ? bm : bk, a_across = a_deep ? bk : bm;
constexpr int b_down = b_deep ? bn : bk, b_across = b_deep ? bk : bn;
constexpr int a_pitch = a_across + 8, b_pitch = b_across + 8; // eight rows begin in different banks
constexpr int a_tile = a_down * a_pitch, b_tile = b_down * b_pitch;
struct frag {
    using a = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, @T@, nvcuda::wmma::@a_layout@>;
    using b = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, @T@, nvcuda::wmma::@b_layout@>;
    using c = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>;
};

// A tile as it lies in memory, `down` rows of `across` elements from (r0, c0) on, in packs of eight;
// zero outside the matrix.
template <int down, int across>
__device__ __forceinline__ void copy(@T@ *to, const @T@ *from, int r0, int c0, int rows, int cols)
{
    constexpr int packs = across / 8;
    static_assert(down * packs % threads == 0, "");
    _Pragma("unroll") for (int i = 0; i < down * packs / threads; i++) {
        const int p = threadIdx.x + i * threads, r = p / packs, c = p % packs * 8;
        @T@ *const at = to + r * (across + 8) + c;
        if (r0 + r < rows && c0 + c < cols)
            __pipeline_memcpy_async(at, from + (size_t)(r0 + r) * cols + c0 + c, 16);
        else
            *reinterpret_cast<uint4 *>(at) = make_uint4(0, 0, 0, 0);
    }
}

// The fragments of one step of sixteen of the depth.
__device__ __forceinline__ void load(frag::a (&x)[wm / 16], frag::b (&y)[wn / 16], const @T@ *as,
                                     const @T@ *bs, int wy, int wx, int d)
{
    _Pragma("unroll") for (int i = 0; i < wm / 16; i++)
        nvcuda::wmma::load_matrix_sync(
            x[i], as + (a_deep ? (wy + i * 16) * a_pitch + d : d * a_pitch + wy + i * 16), a_pitch);
    _Pragma("unroll") for (int j = 0; j < wn / 16; j++)
        nvcuda::wmma::load_matrix_sync(
            y[j], bs + (b_deep ? (wx + j * 16) * b_pitch + d : d * b_pitch + wx + j * 16), b_pitch);
}

// Products of halves are exact in float, in which they are summed. Tiles come `stages` - 1 ahead.
__global__ void __launch_bounds__(threads)
    gemm_half_tiles(const @T@ *__restrict__ a, const @T@ *__restrict__ b, @T@ *__restrict__ c, int m,
                    int n, int k, long long a_step, long long b_step, long long c_step)
{
    extern __shared__ uint4 memory[];
    @T@ *const as = reinterpret_cast<@T@ *>(memory), *const bs = as + stages * a_tile;
    const int t = threadIdx.x, warp = t / 32;
    const int wy = warp / (bn / wn) * wm, wx = warp % (bn / wn) * wn;
    // Blocks that run together share rows and columns: `tall` of them under each other.
    const int id = blockIdx.y * gridDim.x + blockIdx.x, tall = 8, of = id / (tall * gridDim.x);
    const int high = min((int)gridDim.y - of * tall, tall), rest = id - of * tall * gridDim.x;
    const int row0 = (of * tall + rest % high) * bm, col0 = rest / high * bn;
    a += blockIdx.z * a_step;
    b += blockIdx.z * b_step;
    c += blockIdx.z * c_step;
    frag::c sums[wm / 16][wn / 16];
    _Pragma("unroll") for (int i = 0; i < wm / 16; i++)
        _Pragma("unroll") for (int j = 0; j < wn / 16; j++)
            nvcuda::wmma::fill_fragment(sums[i][j], 0.0f);
    auto fetch = [&](int stage, int k0) {
        copy<a_down, a_across>(as + stage * a_tile, a, a_deep ? row0 : k0, a_deep ? k0 : row0,
                               a_deep ? m : k, a_deep ? k : m);
        copy<b_down, b_across>(bs + stage * b_tile, b, b_deep ? col0 : k0, b_deep ? k0 : col0,
                               b_deep ? n : k, b_deep ? k : n);
    };
    _Pragma("unroll") for (int s = 0; s < stages - 1; s++) {
        if (s * bk < k)
            fetch(s, s * bk);
        __pipeline_commit();
    }
    int now = 0, spare = stages - 1;
    for (int k0 = 0; k0 < k; k0 += bk) {
        __pipeline_wait_prior(stages - 2);
        __syncthreads();
        if (k0 + (stages - 1) * bk < k)
            fetch(spare, k0 + (stages - 1) * bk);
        __pipeline_commit();
        frag::a x[2][wm / 16];
        frag::b y[2][wn / 16];
        load(x[0], y[0], as + now * a_tile, bs + now * b_tile, wy, wx, 0);
        _Pragma("unroll") for (int d = 0; d < bk / 16; d++) {
            if (d + 1 < bk / 16)
                load(x[(d + 1) % 2], y[(d + 1) % 2], as + now * a_tile, bs + now * b_tile, wy, wx, d * 16 + 16);
            _Pragma("unroll") for (int i = 0; i < wm / 16; i++)
                _Pragma("unroll") for (int j = 0; j < wn / 16; j++)
                    nvcuda::wmma::mma_sync(sums[i][j], x[d % 2][i], y[d % 2][j], sums[i][j]);
        }
        spare = now;
        now = now + 1 == stages ? 0 : now + 1;
    }
    // A warp's fragments one after the other through its own 16 x 16 of shared memory, to be rounded.
    __pipeline_wait_prior(0);
    __syncthreads();
    float *const mine = reinterpret_cast<float *>(memory) + warp * 16 * 20;
    const int r = t % 32 / 2, q = t % 2 * 8;
    _Pragma("unroll") for (int i = 0; i < wm / 16; i++)
        _Pragma("unroll") for (int j = 0; j < wn / 16; j++) {
            nvcuda::wmma::store_matrix_sync(mine, sums[i][j], 20, nvcuda::wmma::mem_row_major);
            __syncwarp();
            const int row = row0 + wy + i * 16 + r, col = col0 + wx + j * 16 + q;
            struct alignas(16) pack {
                @T@ lane[8];
            } out;
            _Pragma("unroll") for (int l = 0; l < 8; l++)
                out.lane[l] = @T@(mine[r * 20 + q + l]);
            if (row < m && col < n)
                *reinterpret_cast<pack *>(c + (size_t)row * n + col) = out;
            __syncwarp();
        }
}
