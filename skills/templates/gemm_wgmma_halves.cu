constexpr int bm = @bm@, bn = 128, bk = 64, stages = 1536 / (bm + bn); // 192 KiB of tiles
constexpr int groups = 2, threads = groups * 128, wm = bm / groups;   // of four warps, under each other
constexpr int blocks = 1; // at once
constexpr bool ragged = false;
constexpr bool splits = false; // products of halves are exact in float, in which tensor cores sum them

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
        own = pack / 8 * block + placed(l, pack);
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
    // From x and d on.
    __device__ __forceinline__ static unsigned long long at_tile(unsigned tile, int x, int d)
    {
        return described(tile + (deep ? x * line + d * 2 : x / 64 * block + d * line), block);
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
        stored_for_products();
        const unsigned a = shared_at(memory) + now * bytes, b = a + copier_a::bytes;
        begin_products();
        _Pragma("unroll") for (int d = 0; d < bk; d += 16)
            _Pragma("unroll") for (int i = 0; i < wm; i += 64)
                multiply(sums[i / 64], copier_a::at_tile(a, threadIdx.x / 128 * wm + i, d), copier_b::at_tile(b, 0, d));
        end_products();
        if (k0 + (stages - 2) * bk < k) {
            of_a.copy<whole>(memory + spare * bytes);
            of_b.copy<whole>(memory + spare * bytes + copier_a::bytes);
        }
        __pipeline_commit();
        wait_for_older();
        now = now + 1 == stages ? 0 : now + 1;
        spare = spare + 1 == stages ? 0 : spare + 1;
    }
    wait_for_all(sums);
}
