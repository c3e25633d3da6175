constexpr int bm = @bm@, bn = @bn@, bk = line / sizeof(@T@), stages = 1536 / (bm + bn); // 192 KiB of tiles
constexpr int groups = 2, threads = groups * 128; // of four warps
constexpr int blocks = 1;                         // at once
constexpr bool ragged = false;
constexpr bool splits = false; // of two numbers that tensor cores multiply the product is exact in float, in which they sum
// Tensor cores multiply lines of the first operand by lines of the second: those of op(A) by op(B)'s, or `turned`.
constexpr bool turned = @turned@, first_deep = turned ? @b_deep@ : @a_deep@, second_deep = turned ? @a_deep@ : @b_deep@;
constexpr int first = turned ? bn : bm, second = turned ? bm : bn, wm = first / groups; // lines of a tile, and of a group
// Of floats they read only what lies in depth. What does not, as the first operand, threads read from its tile into registers.
constexpr bool by_registers = sizeof(@T@) == 4 && !first_deep;
constexpr bool staged = sizeof(@T@) == 4 && !turned; // sums, on their way to memory: turned that makes the loop over the depth slower
static_assert(sizeof(@T@) == 2 || second_deep, "");
static_assert(!by_registers || wm == 64, "");

// Tiles of op(A) or op(B) as they lie in memory, `deep`: neighbours differ in depth. Zero outside the matrix. A line of a tile
// has 128 bytes: all its depth, or 64 halves across, in blocks of 64 lines. Of its eight packs the places are those that the
// tensor cores expect. Floats across have a line for each depth, whose packs lie so that what a warp reads at once, eight
// beside each other at four depths, is in different banks.
template <int wide, bool deep, bool of_a> struct copier {
    static constexpr int per = 16 / sizeof(@T@), packs = (deep ? bk : wide) / per, apart = threads / packs;
    static constexpr int steps = (deep ? wide : bk) / apart, block = 64 * line, bytes = wide * line;
    static constexpr bool long_lines = sizeof(@T@) == 4 && !deep;
    static_assert(wide % 64 == 0 && threads % packs == 0 && apart % 8 == 0, "");
    const @T@ *at;
    int width, depth, last, x, d, own;

    __device__ __forceinline__ copier(const void *from, int width, int depth, int x0, depths of)
        : at(static_cast<const @T@ *>(from)), width(width), depth(depth), last(of.last)
    {
        const int l = threadIdx.x / packs, pack = threadIdx.x % packs;
        x = x0 + (deep ? l : pack * per);
        d = of.first + (deep ? pack * per : l);
        at += deep ? (size_t)x * depth + d : (size_t)d * width + x;
        own = long_lines ? across(l, pack) : pack / 8 * block + placed(l, pack);
    }
    __device__ __forceinline__ static int across(int d, int pack)
    {
        return d * wide * (int)sizeof(@T@) + (pack ^ d % 4 * 2) * 16;
    }
    template <bool whole> __device__ __forceinline__ void copy(char *tile)
    {
        _Pragma("unroll") for (int i = 0; i < steps; i++) {
            char *const to = tile + own + i * apart * (long_lines ? wide * (int)sizeof(@T@) : line);
            const int across = x + (deep ? i * apart : 0), down = d + (deep ? 0 : i * apart);
            const @T@ *const from = at + (size_t)(i * apart) * (deep ? depth : width);
            const bool inside = whole || (across < width && down < last);
            if (inside && looks_at<of_a>(across, down) && looks_at<of_a>(across + (deep ? 0 : per - 1), down + (deep ? per - 1 : 0))) {
                __pipeline_memcpy_async(to, from, 16);
                continue;
            }
            *reinterpret_cast<uint4 *>(to) = make_uint4(0, 0, 0, 0);
            _Pragma("unroll") for (int l = 0; l < per && chooses; l++)
                if (inside && looks_at<of_a>(across + (deep ? 0 : l), down + (deep ? l : 0)))
                    reinterpret_cast<@T@ *>(to)[l] = from[l];
        }
        at += deep ? (size_t)bk : (size_t)bk * width;
        d += bk;
    }
    // From x and d on.
    __device__ __forceinline__ static unsigned long long at_tile(unsigned tile, int x, int d)
    {
        return described(tile + (deep ? x * line + d * (int)sizeof(@T@) : x / 64 * block + d * line), block);
    }
};
typedef copier<first, first_deep, !turned> copier_first;
typedef copier<second, second_deep, turned> copier_second;

// What a thread has of a tile of the first operand, eight of depth at a time.
struct registers {
    unsigned of[bk / 8][4];

    __device__ __forceinline__ void read(const char *tile)
    {
        const int x = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, d = threadIdx.x % 4;
        _Pragma("unroll") for (int i = 0; i < bk / 8; i++)
            _Pragma("unroll") for (int l = 0; l < 4; l++) {
                const int lies = copier_first::across(i * 8 + l / 2 * 4 + d, (x + l % 2 * 8) / 4) + x % 4 * 4;
                of[i][l] = *reinterpret_cast<const unsigned *>(tile + lies);
            }
    }
};

typedef float a_lane_s_sums[wm / 64][second / 8][4];

template <bool, typename T> struct products { // of a tile
    __device__ __forceinline__ static void begin(a_lane_s_sums &sums, const char *tile, T &)
    {
        const unsigned a = shared_at(tile), b = a + copier_first::bytes;
        begin_products();
        _Pragma("unroll") for (int d = 0; d < bk; d += 32 / (int)sizeof(@T@))
            _Pragma("unroll") for (int i = 0; i < wm; i += 64)
                multiply(sums[i / 64], copier_first::at_tile(a, threadIdx.x / 128 * wm + i, d), copier_second::at_tile(b, 0, d));
    }
};

template <typename T> struct products<true, T> {
    __device__ __forceinline__ static void begin(a_lane_s_sums &sums, const char *tile, T &its)
    {
        const unsigned b = shared_at(tile) + copier_first::bytes;
        its.read(tile);
        begin_products();
        _Pragma("unroll") for (int i = 0; i < bk / 8; i++)
            multiply(sums[0], its.of[i], copier_second::at_tile(b, 0, i * 8));
    }
};

// Tiles come `stages` - 2 ahead: the products of one are under way while those of the next are begun, and the tile
// before it is overwritten once all have waited for its products. So are registers, of which there are two sets.
template <bool whole>
__device__ __forceinline__ void multiply_all(a_lane_s_sums &sums, char *memory, copier_first &of_first, copier_second &of_second, depths of)
{
    constexpr int bytes = copier_first::bytes + copier_second::bytes;
    _Pragma("unroll") for (int s = 0; s < stages - 2; s++) {
        if (of.first + s * bk < of.last) {
            of_first.copy<whole>(memory + s * bytes);
            of_second.copy<whole>(memory + s * bytes + copier_first::bytes);
        }
        __pipeline_commit();
    }
    int now = 0, spare = stages - 2;
    auto step = [&](int k0, registers &its) {
        __pipeline_wait_prior(stages - 3);
        stored_for_products();
        products<by_registers, registers>::begin(sums, memory + now * bytes, its);
        end_products();
        if (k0 + (stages - 2) * bk < of.last) {
            of_first.copy<whole>(memory + spare * bytes);
            of_second.copy<whole>(memory + spare * bytes + copier_first::bytes);
        }
        __pipeline_commit();
        wait_for_older();
        now = now + 1 == stages ? 0 : now + 1;
        spare = spare + 1 == stages ? 0 : spare + 1;
    };
    registers even, odd;
    for (int k0 = of.first; k0 < of.last; k0 += bk) {
        step(k0, even);
        k0 += bk;
        if (k0 >= of.last)
            break; // never twice the same
        step(k0, odd);
    }
    wait_for_all(sums);
}
