constexpr int bm = @bm@, bn = 128, bk = 64, stages = 1536 / (bm + bn); // 192 KiB of tiles
constexpr int groups = 2, threads = groups * 128, wm = bm / groups;   // of four warps, under each other
constexpr int line = 2 * bk;                                          // bytes

__device__ __forceinline__ unsigned shared_at(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

// 64 x 16 of A times 16 x 128 of B, as the descriptors have them. It is under way until it is waited for.
__device__ __forceinline__ void multiply(float (&c)[bn / 8][4], unsigned long long a, unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.@T_name@.@T_name@ {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
                 "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
                 "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, "
                 "%60, %61, %62, %63}, %64, %65, 1, 1, 1, %66, %67;"
                 : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[1][0]), "+f"(c[1][1]),
                   "+f"(c[1][2]), "+f"(c[1][3]), "+f"(c[2][0]), "+f"(c[2][1]), "+f"(c[2][2]), "+f"(c[2][3]),
                   "+f"(c[3][0]), "+f"(c[3][1]), "+f"(c[3][2]), "+f"(c[3][3]), "+f"(c[4][0]), "+f"(c[4][1]),
                   "+f"(c[4][2]), "+f"(c[4][3]), "+f"(c[5][0]), "+f"(c[5][1]), "+f"(c[5][2]), "+f"(c[5][3]),
                   "+f"(c[6][0]), "+f"(c[6][1]), "+f"(c[6][2]), "+f"(c[6][3]), "+f"(c[7][0]), "+f"(c[7][1]),
                   "+f"(c[7][2]), "+f"(c[7][3]), "+f"(c[8][0]), "+f"(c[8][1]), "+f"(c[8][2]), "+f"(c[8][3]),
                   "+f"(c[9][0]), "+f"(c[9][1]), "+f"(c[9][2]), "+f"(c[9][3]), "+f"(c[10][0]), "+f"(c[10][1]),
                   "+f"(c[10][2]), "+f"(c[10][3]), "+f"(c[11][0]), "+f"(c[11][1]), "+f"(c[11][2]), "+f"(c[11][3]),
                   "+f"(c[12][0]), "+f"(c[12][1]), "+f"(c[12][2]), "+f"(c[12][3]), "+f"(c[13][0]), "+f"(c[13][1]),
                   "+f"(c[13][2]), "+f"(c[13][3]), "+f"(c[14][0]), "+f"(c[14][1]), "+f"(c[14][2]), "+f"(c[14][3]),
                   "+f"(c[15][0]), "+f"(c[15][1]), "+f"(c[15][2]), "+f"(c[15][3])
                 : "l"(a), "l"(b), "n"(!@a_deep@), "n"(!@b_deep@));
}

// What the kernel does with each sum, at `place` of C.
__device__ __forceinline__ @R@ finished(float its_sum, long long its_place, int its_row, int its_col@tail_takes@)
{
@tail@}

// Tiles of op(A) or op(B) as they lie in memory, `deep`: neighbours differ in depth. Zero outside the matrix. A line of
// a tile has 128 bytes: all its depth, or 64 across, in blocks of 64 lines. Of its eight packs of eight the places are
// those that the tensor cores expect (PTX ISA, "swizzling modes": 128 bytes), so that eight lines are in different banks.
template <int wide, bool deep> struct copier {
    static constexpr int packs = (deep ? bk : wide) / 8, apart = threads / packs, steps = (deep ? wide : bk) / apart;
    static constexpr int block = 64 * line, bytes = wide * line;
    static_assert(wide % 64 == 0 && threads % packs == 0 && apart % 8 == 0, "");
    const @T@ *at;
    int width, depth, x, d, own;

    __device__ __forceinline__ copier(const @T@ *from, int width, int depth, int x0) : width(width), depth(depth)
    {
        const int l = threadIdx.x / packs, pack = threadIdx.x % packs;
        x = x0 + (deep ? l : pack * 8);
        d = deep ? pack * 8 : l;
        at = from + (deep ? (size_t)x * depth + d : (size_t)d * width + x);
        own = pack / 8 * block + l * line + (pack ^ l) % 8 * 16;
    }
    template <bool whole> __device__ __forceinline__ void copy(char *tile)
    {
        _Pragma("unroll") for (int i = 0; i < steps; i++) {
            char *const to = tile + own + i * apart * line;
            if (whole || (deep ? x + i * apart < width && d < depth : x < width && d + i * apart < depth))
                __pipeline_memcpy_async(to, at + (size_t)(i * apart) * (deep ? depth : width), 16);
            else
                *reinterpret_cast<uint4 *>(to) = make_uint4(0, 0, 0, 0);
        }
        at += deep ? (size_t)bk : (size_t)bk * width;
        d += bk;
    }
    // The descriptor of what begins at x and d: in units of 16 bytes where it begins, from block to block, from one
    // eight of lines to the next.
    __device__ __forceinline__ static unsigned long long described(unsigned tile, int x, int d)
    {
        const unsigned from = tile + (deep ? x * line + d * 2 : x / 64 * block + d * line);
        return 1ull << 62 | (unsigned long long)(8 * line / 16) << 32 | block / 16 << 16 | (from & 0x3FFFF) / 16;
    }
};
typedef copier<bm, @a_deep@> copier_a;
typedef copier<bn, @b_deep@> copier_b;

// Tiles come `stages` - 2 ahead: the products of one are under way while those of the next are begun, and the tile
// before it is overwritten once all have waited for its products.
template <bool whole>
__device__ __forceinline__ void multiply_all(float (&sums)[wm / 64][bn / 8][4], char *memory, copier_a &of_a, copier_b &of_b, int k)
{
    constexpr int bytes = copier_a::bytes + copier_b::bytes;
    _Pragma("unroll") for (int s = 0; s < stages - 2; s++) {
        if (s * bk < k) {
            of_a.copy<whole>(memory + s * bytes);
            of_b.copy<whole>(memory + s * bytes + copier_a::bytes);
        }
        __pipeline_commit();
    }
    int now = 0, spare = stages - 2;
    for (int k0 = 0; k0 < k; k0 += bk) {
        __pipeline_wait_prior(stages - 3);
        asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); // what was stored, for tensor cores
        __syncthreads();
        const unsigned a = shared_at(memory) + now * bytes, b = a + copier_a::bytes;
        asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
        _Pragma("unroll") for (int d = 0; d < bk; d += 16)
            _Pragma("unroll") for (int i = 0; i < wm; i += 64)
                multiply(sums[i / 64], copier_a::described(a, threadIdx.x / 128 * wm + i, d), copier_b::described(b, 0, d));
        asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
        if (k0 + (stages - 2) * bk < k) {
            of_a.copy<whole>(memory + spare * bytes);
            of_b.copy<whole>(memory + spare * bytes + copier_a::bytes);
        }
        __pipeline_commit();
        asm volatile("wgmma.wait_group.sync.aligned 1;" : : : "memory");
        now = now + 1 == stages ? 0 : now + 1;
        spare = spare + 1 == stages ? 0 : spare + 1;
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
    _Pragma("unroll") for (int i = 0; i < wm / 64; i++)
        _Pragma("unroll") for (int j = 0; j < bn / 8; j++)
            _Pragma("unroll") for (int l = 0; l < 4; l++)
                asm volatile("" : "+f"(sums[i][j][l]) : : "memory"); // not read before the wait
}

// Products of halves are exact in float, in which tensor cores sum them.
__global__ void __launch_bounds__(threads)
    gemm_wgmma_tiles(const @T@ *__restrict__ a, const @T@ *__restrict__ b, @R@ *__restrict__ c, int m,
                     int n, int k, long long a_step, long long b_step, long long c_step@tail_parameters@)
{
    extern __shared__ uint4 room[];
    char *const memory = reinterpret_cast<char *>(room) + (-shared_at(room) & 8 * line - 1);
    // Blocks that run together share rows and columns: `tall` of them under each other.
    const int id = blockIdx.y * gridDim.x + blockIdx.x, tall = 8, of = id / (tall * gridDim.x);
    const int high = min((int)gridDim.y - of * tall, tall), rest = id - of * tall * gridDim.x;
    const int row0 = (of * tall + rest % high) * bm, col0 = rest / high * bn;
    copier_a of_a(a + blockIdx.z * a_step, m, k, row0);
    copier_b of_b(b + blockIdx.z * b_step, n, k, col0);
    float sums[wm / 64][bn / 8][4] = {};
    if (row0 + bm <= m && col0 + bn <= n && k % bk == 0)
        multiply_all<true>(sums, memory, of_a, of_b, k);
    else
        multiply_all<false>(sums, memory, of_a, of_b, k);
    struct alignas(2 * sizeof(@R@)) pair {
        @R@ lane[2];
    } out;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    _Pragma("unroll") for (int i = 0; i < wm / 64; i++)
        _Pragma("unroll") for (int j = 0; j < bn / 8; j++)
            _Pragma("unroll") for (int h = 0; h < 2; h++) {
                const int row = row0 + warp / 4 * wm + i * 64 + warp % 4 * 16 + h * 8 + lane / 4;
                const int col = col0 + j * 8 + lane % 4 * 2;
                const long long place = blockIdx.z * c_step + (long long)row * n + col;
                if (row >= m || col >= n)
                    continue;
                _Pragma("unroll") for (int l = 0; l < 2; l++)
                    out.lane[l] = finished(sums[i][j][h * 2 + l], place + l, row, col + l@tail_arguments@);
                *reinterpret_cast<pair *>(c + place) = out;
            }
}
