// Tiles of fp32 rounded to TF32, to nearest, on their way into shared memory: a warp sums up 32 or 64 places of up to 64
// channels on tensor cores.
// Blocks and tiles as conv.cu has them: one plan serves both.
constexpr int bn = @bn@, bm = bn < 64 ? 256 : 128, bk = bn < 64 ? 8 : 16; // channels, places, depth of a step
constexpr int threads = bn >= 128 ? 256 : 128;
constexpr int resident = bn == 64 ? 384 : 512; // threads a multiprocessor: 168 registers each, or 128
constexpr int x_pitch = bm + 8, w_pitch = bn + 8; // four lines of eight neighbours are in different banks
constexpr int high = bn < 64 ? bn : 64, wide = bm / (threads / 32 * high / bn); // channels and places of a warp
constexpr int channels = high / 8, runs = wide / 8, run = 2; // of a thread; its places: runs of neighbours

struct alignas(8) lanes {
    @T@ lane[run];
};
struct corner { // of a warp's places and channels in the tile, and the lane
    int x, y, lane;
};

__device__ __forceinline__ corner corner_of(int t)
{
    return {t / 32 % (bm / wide) * wide, t / 32 / (bm / wide) * high, t % 32};
}

__device__ __forceinline__ int place_of(corner c, int of)
{
    return c.x + of * 8 + c.lane % 4 * 2;
}

__device__ __forceinline__ int channel_of(corner c, int i)
{
    return c.y + i * 8 + c.lane / 4;
}

// To nearest, of two as near the larger: ten bits behind the point, and 13 that the multiplication does not look at.
__device__ __forceinline__ float rounded(float v)
{
    return __uint_as_float(v == v ? (__float_as_uint(v) + (1u << 12)) & ~0u << 13 : ~0u >> 1);
}

// Sixteen channels by eight of the depth, times eight of the depth by eight places.
__device__ __forceinline__ void multiply_add(float (&low)[2], float (&high)[2], const float (&w)[4], const float (&x)[2])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(low[0]), "+f"(low[1]), "+f"(high[0]), "+f"(high[1])
                 : "r"(__float_as_uint(w[0])), "r"(__float_as_uint(w[1])), "r"(__float_as_uint(w[2])),
                   "r"(__float_as_uint(w[3])), "r"(__float_as_uint(x[0])), "r"(__float_as_uint(x[1])));
}

__device__ __forceinline__ void multiply(float (&sums)[channels][runs][run], const float (&xs)[bk][x_pitch],
                                         const float (&ws)[bk][w_pitch], corner mine)
{
    const int of_depth = mine.lane % 4, across = mine.lane / 4;
    _Pragma("unroll") for (int e = 0; e < bk; e += 8) {
        float x[runs][2];
        _Pragma("unroll") for (int g = 0; g < runs; g++)
            _Pragma("unroll") for (int l = 0; l < 2; l++)
                x[g][l] = xs[e + of_depth + l * 4][mine.x + g * 8 + across];
        _Pragma("unroll") for (int i = 0; i < channels; i += 2) {
            float w[4];
            _Pragma("unroll") for (int l = 0; l < 4; l++)
                w[l] = ws[e + of_depth + l / 2 * 4][mine.y + i * 8 + l % 2 * 8 + across];
            _Pragma("unroll") for (int g = 0; g < runs; g++)
                multiply_add(sums[i][g], sums[i + 1][g], w, x[g]);
        }
    }
}

