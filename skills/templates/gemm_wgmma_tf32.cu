constexpr int bm = 128, bn = @bn@, bk = 32;
constexpr int groups = 2, threads = groups * 128, wm = bm / groups; // of four warps, under each other
constexpr bool ragged = @ragged@; // lines that are no multiple of four
constexpr bool splits = @thrice@; // into the nearest that tensor cores multiply, and what is left of it
constexpr int parts = splits ? 2 : 1, stages = splits ? 2 : 3, blocks = splits || bn > 128 ? 1 : 2; // at once

// 64 x 8 of A times 8 x bn of B, as the descriptors have them; of floats 13 bits are not looked at. It is under way until it
// is waited for.
__device__ __forceinline__ void multiply(float (&c)[16][4], unsigned long long a, unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
                 "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
                 "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, "
                 "%60, %61, %62, %63}, %64, %65, 1, 1, 1;"
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
                 : "l"(a), "l"(b));
}

__device__ __forceinline__ void multiply(float (&c)[32][4], unsigned long long a, unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
                 "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
                 "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, "
                 "%60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, "
                 "%100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, "
                 "%120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, 1, 1, 1;"
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
                   "+f"(c[15][0]), "+f"(c[15][1]), "+f"(c[15][2]), "+f"(c[15][3]), "+f"(c[16][0]), "+f"(c[16][1]),
                   "+f"(c[16][2]), "+f"(c[16][3]), "+f"(c[17][0]), "+f"(c[17][1]), "+f"(c[17][2]), "+f"(c[17][3]),
                   "+f"(c[18][0]), "+f"(c[18][1]), "+f"(c[18][2]), "+f"(c[18][3]), "+f"(c[19][0]), "+f"(c[19][1]),
                   "+f"(c[19][2]), "+f"(c[19][3]), "+f"(c[20][0]), "+f"(c[20][1]), "+f"(c[20][2]), "+f"(c[20][3]),
                   "+f"(c[21][0]), "+f"(c[21][1]), "+f"(c[21][2]), "+f"(c[21][3]), "+f"(c[22][0]), "+f"(c[22][1]),
                   "+f"(c[22][2]), "+f"(c[22][3]), "+f"(c[23][0]), "+f"(c[23][1]), "+f"(c[23][2]), "+f"(c[23][3]),
                   "+f"(c[24][0]), "+f"(c[24][1]), "+f"(c[24][2]), "+f"(c[24][3]), "+f"(c[25][0]), "+f"(c[25][1]),
                   "+f"(c[25][2]), "+f"(c[25][3]), "+f"(c[26][0]), "+f"(c[26][1]), "+f"(c[26][2]), "+f"(c[26][3]),
                   "+f"(c[27][0]), "+f"(c[27][1]), "+f"(c[27][2]), "+f"(c[27][3]), "+f"(c[28][0]), "+f"(c[28][1]),
                   "+f"(c[28][2]), "+f"(c[28][3]), "+f"(c[29][0]), "+f"(c[29][1]), "+f"(c[29][2]), "+f"(c[29][3]),
                   "+f"(c[30][0]), "+f"(c[30][1]), "+f"(c[30][2]), "+f"(c[30][3]), "+f"(c[31][0]), "+f"(c[31][1]),
                   "+f"(c[31][2]), "+f"(c[31][3])
                 : "l"(a), "l"(b));
}

// What tensor cores multiply of a number. To nearest, since they cut off 13 bits: half of what the last of the others stands for
// is added. Or one of two parts.
__device__ __forceinline__ float part_of(float f, int part)
{
    const unsigned v = __float_as_uint(f);
    return !splits ? fmaf(__uint_as_float(v & ~0u << 23), 0x1p-11f, f) : __uint_as_float(part == 0 ? nearest(v) : left(v));
}

// Tiles of op(A) or op(B), zero outside the matrix. Neighbours in a line of a tile, of 128 bytes, differ in depth, since tensor
// cores multiply floats in no other order. In memory that may be so too, `deep`: then a thread reads four at once; else
// its neighbours read beside it, four times. They come in registers, and are rounded or split on their way into a tile.
template <int wide, bool deep> struct copier {
    static constexpr int packs = bk / 4, steps = wide * packs / threads, bytes = wide * line;
    static_assert(threads % packs == 0 && (threads % wide == 0 || wide % threads == 0), "");
    const @T@ *at;
    int width, depth, x, d;
    float held[steps][4];

    __device__ __forceinline__ copier(const @T@ *from, int width, int depth, int x0)
        : at(from), width(width), depth(depth), x(x0), d(0) {}
    // Of the i-th pack that a thread has.
    __device__ __forceinline__ static int line_of(int i)
    {
        return deep ? i * (threads / packs) + threadIdx.x / packs : (i * threads + threadIdx.x) % wide;
    }
    __device__ __forceinline__ static int pack_of(int i)
    {
        return deep ? threadIdx.x % packs : (i * threads + threadIdx.x) / wide;
    }
    // Ragged lines are read element by element, neighbours by neighbours: then those of a pack are apart, in both matrices.
    __device__ __forceinline__ static int depth_of(int pack, int l)
    {
        return ragged ? pack + l * packs : pack * 4 + l;
    }
    template <bool whole> __device__ __forceinline__ void load()
    {
        _Pragma("unroll") for (int i = 0; i < steps; i++) {
            const int across = x + line_of(i);
            if (deep && !ragged) {
                const int down = d + pack_of(i) * 4;
                float4 four = make_float4(0, 0, 0, 0);
                if (whole || (across < width && down < depth))
                    four = *reinterpret_cast<const float4 *>(at + (size_t)across * depth + down);
                held[i][0] = four.x;
                held[i][1] = four.y;
                held[i][2] = four.z;
                held[i][3] = four.w;
            } else {
                _Pragma("unroll") for (int l = 0; l < 4; l++) {
                    const int down = d + depth_of(pack_of(i), l);
                    held[i][l] = whole || (across < width && down < depth)
                                     ? at[deep ? (size_t)across * depth + down : (size_t)down * width + across] : 0;
                }
            }
        }
        d += bk;
    }
    // What is left of the nearest lies behind them.
    __device__ __forceinline__ void store(char *tile) const
    {
        _Pragma("unroll") for (int i = 0; i < steps; i++)
            _Pragma("unroll") for (int p = 0; p < parts; p++)
                *reinterpret_cast<float4 *>(tile + p * bytes + placed(line_of(i), pack_of(i))) =
                    make_float4(part_of(held[i][0], p), part_of(held[i][1], p), part_of(held[i][2], p), part_of(held[i][3], p));
    }
    // From x and d on.
    __device__ __forceinline__ static unsigned long long at_tile(unsigned tile, int x, int d)
    {
        return described(tile + x * line + d * 4, bytes);
    }
};
typedef copier<bm, @a_deep@> copier_a;
typedef copier<bn, @b_deep@> copier_b;
constexpr int tile_bytes = parts * (copier_a::bytes + copier_b::bytes);

// Products of a tile: of parts all but those of what is left of both, the small ones first, for those are cut off less then.
__device__ __forceinline__ void multiply_tile(float (&sums)[wm / 64][bn / 8][4], unsigned tile)
{
    const unsigned b = tile + parts * copier_a::bytes;
    _Pragma("unroll") for (int round = splits ? 0 : 2; round < 3; round++)
        _Pragma("unroll") for (int d = 0; d < bk; d += 8)
            _Pragma("unroll") for (int i = 0; i < wm; i += 64)
                multiply(sums[i / 64],
                         copier_a::at_tile(tile + (round == 0 ? copier_a::bytes : 0), threadIdx.x / 128 * wm + i, d),
                         copier_b::at_tile(b + (round == 1 ? copier_b::bytes : 0), 0, d));
}

// Tiles are stored one ahead, while the products of the one before are under way, and read one ahead of that. A tile is
// overwritten once all have waited for its products.
template <bool whole>
__device__ __forceinline__ void multiply_all(float (&sums)[wm / 64][bn / 8][4], char *memory, copier_a &of_a, copier_b &of_b, int k)
{
    auto load = [&] {
        of_a.load<whole>();
        of_b.load<whole>();
    };
    auto store = [&](char *tile) {
        of_a.store(tile);
        of_b.store(tile + parts * copier_a::bytes);
    };
    if (k > 0) {
        load();
        store(memory);
    }
    if (bk < k)
        load();
    int now = 0;
    for (int k0 = 0; k0 < k; k0 += bk) {
        const int next = now + 1 == stages ? 0 : now + 1;
        stored_for_products();
        // Tensor cores cut off where they add: products of parts are summed by themselves, and then in fp32.
        float part[wm / 64][bn / 8][4] = {};
        begin_products();
        multiply_tile(splits ? part : sums, shared_at(memory) + now * tile_bytes);
        end_products();
        if (k0 + bk < k)
            store(memory + next * tile_bytes);
        if (k0 + 2 * bk < k)
            load();
        if (splits) {
            wait_for_all(part);
            _Pragma("unroll") for (int e = 0; e < wm / 64 * bn / 2; e++)
                sums[e / (bn / 2)][e / 4 % (bn / 8)][e % 4] += part[e / (bn / 2)][e / 4 % (bn / 8)][e % 4];
        } else {
            wait_for_older();
        }
        now = next;
    }
    wait_for_all(sums);
}
