constexpr int bm = 128, bn = @bn@, bk = 32;
constexpr int groups = 2, threads = groups * 128, wm = bm / groups; // of four warps, under each other
constexpr bool ragged = @ragged@; // lines that are no multiple of four
constexpr bool splits = @thrice@; // into the nearest that tensor cores multiply, and what is left of it
constexpr bool turned = false; // op(A)'s lines are those of the first operand
constexpr bool staged = false; // sums, on their way to memory
constexpr int stages = splits ? 2 : 3, blocks = splits || bn > 128 ? 1 : 2; // at once

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
// A half is one number of TF32.
template <class E, int wide, bool deep, bool of_a> struct copier {
    static constexpr int packs = bk / 4, steps = wide * packs / threads, bytes = wide * line;
    static constexpr int parts = splits && sizeof(E) == 4 ? 2 : 1, room = parts * bytes;
    static_assert(threads % packs == 0 && (threads % wide == 0 || wide % threads == 0), "");
    struct alignas(4 * sizeof(E)) four {
        E lane[4];
    };
    const E *at;
    int width, depth, last, x, d;
    float held[steps][4];

    __device__ __forceinline__ copier(const void *from, int width, int depth, int x0, depths of)
        : at(static_cast<const E *>(from)), width(width), depth(depth), last(of.last), x(x0), d(of.first) {}
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
                four pack = {};
                if (whole || (across < width && down < last))
                    pack = *reinterpret_cast<const four *>(at + (size_t)across * depth + down);
                _Pragma("unroll") for (int l = 0; l < 4; l++)
                    held[i][l] = looks_at<of_a>(across, down + l) ? float(pack.lane[l]) : 0;
            } else {
                _Pragma("unroll") for (int l = 0; l < 4; l++) {
                    const int down = d + depth_of(pack_of(i), l);
                    held[i][l] = (whole || (across < width && down < last)) && looks_at<of_a>(across, down)
                                     ? float(at[deep ? (size_t)across * depth + down : (size_t)down * width + across]) : 0;
                }
            }
        }
        d += bk;
    }
    // What is left of the nearest lies behind them.
    __device__ __forceinline__ void store(char *tile) const
    {
        _Pragma("unroll") for (int i = 0; i < steps; i++)
            _Pragma("unroll") for (int p = 0; p < parts; p++) {
                float f[4];
                _Pragma("unroll") for (int l = 0; l < 4; l++)
                    f[l] = sizeof(E) == 4 ? part_of(held[i][l], p) : held[i][l];
                *reinterpret_cast<float4 *>(tile + p * bytes + placed(line_of(i), pack_of(i))) = make_float4(f[0], f[1], f[2], f[3]);
            }
    }
    // From x and d on.
    __device__ __forceinline__ static unsigned long long at_tile(unsigned tile, int x, int d)
    {
        return described(tile + x * line + d * 4, bytes);
    }
};
typedef copier<@A@, bm, @a_deep@, true> copier_first;
typedef copier<@B@, bn, @b_deep@, false> copier_second;
constexpr int tile_bytes = copier_first::room + copier_second::room;

typedef float a_lane_s_sums[wm / 64][bn / 8][4];

// Products of a tile, of nearest or, `small`, of what is left of A's or B's with the other's nearest.
__device__ __forceinline__ void multiply_tile(a_lane_s_sums &sums, unsigned tile, bool small)
{
    _Pragma("unroll") for (int of_b = 0; of_b < 2; of_b++) {
        if (small ? (of_b ? copier_second::parts : copier_first::parts) == 1 : of_b == 1)
            continue;
        const unsigned a = tile + (small && !of_b ? copier_first::bytes : 0);
        const unsigned b = tile + copier_first::room + (of_b ? copier_second::bytes : 0);
        _Pragma("unroll") for (int d = 0; d < bk; d += 8)
            _Pragma("unroll") for (int i = 0; i < wm; i += 64)
                multiply(sums[i / 64], copier_first::at_tile(a, threadIdx.x / 128 * wm + i, d), copier_second::at_tile(b, 0, d));
    }
}

__device__ __forceinline__ void add(a_lane_s_sums &sums, a_lane_s_sums &what, float times)
{
    _Pragma("unroll") for (int e = 0; e < wm / 64 * bn / 2; e++) {
        float &part = what[e / (bn / 2)][e / 4 % (bn / 8)][e % 4];
        sums[e / (bn / 2)][e / 4 % (bn / 8)][e % 4] += part * times;
        part = 0;
    }
}

// Tiles are stored one ahead, while the products of the one before are under way, and read one ahead of that. A tile is
// overwritten once all have waited for its products.
template <bool whole>
__device__ __forceinline__ void multiply_all(a_lane_s_sums &sums, char *memory, copier_first &of_first, copier_second &of_second, depths of)
{
    auto load = [&] {
        of_first.load<whole>();
        of_second.load<whole>();
    };
    auto store = [&](char *tile) {
        of_first.store(tile);
        of_second.store(tile + copier_first::room);
    };
    if (of.first < of.last) {
        load();
        store(memory);
    }
    if (of.first + bk < of.last)
        load();
    // Tensor cores cut off where they add: products of nearest are summed by themselves, a tile's, and then in fp32; small ones
    // need that less often.
    constexpr int seldom = 64 * bk;
    a_lane_s_sums part = {}, small = {};
    int now = 0;
    for (int k0 = of.first; k0 < of.last; k0 += bk) {
        const int next = now + 1 == stages ? 0 : now + 1;
        const unsigned tile = shared_at(memory) + now * tile_bytes;
        stored_for_products();
        begin_products();
        if (splits)
            multiply_tile(small, tile, true);
        multiply_tile(splits ? part : sums, tile, false);
        end_products();
        if (k0 + bk < of.last)
            store(memory + next * tile_bytes);
        if (k0 + 2 * bk < of.last)
            load();
        if (splits) {
            wait_for_all(part);
            add(sums, part, 1);
            if (k0 % seldom == seldom - bk || k0 + bk >= of.last) {
                wait_for_all(small);
                add(sums, small, 1 / higher);
            }
        } else {
            wait_for_older();
        }
        now = next;
    }
    wait_for_all(sums);
}
