// Tiles of fp32: a warp sums up 32 or 64 places of up to 64 channels on tensor cores. What is rounded to TF32 is so on its way
// into shared memory; what has two parts is split by the warps that multiply it, which takes no more room there.
// Blocks and tiles as conv.cu has them: one plan serves both.
constexpr int bn = @bn@, bm = bn < 64 ? 256 : 128, bk = bn < 64 ? 8 : 16; // channels, places, depth of a step
constexpr int threads = bn >= 128 ? 256 : 128;
// Threads a multiprocessor: 255 registers each, 168 or 128.
constexpr int resident = thrice ? bn < 32 ? 384 : 256 : bn == 64 ? 384 : 512;
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

// Where a line of weights has a channel: a warp that puts down a whole column of steps meets no bank twice either.
__device__ __forceinline__ int w_placed(int line, int channel)
{
    return channel ^ line / 4 * (32 / bk);
}

__device__ __forceinline__ float rounded(float v)
{
    return thrice ? v : __uint_as_float(v == v ? nearest(__float_as_uint(v)) : ~0u >> 1);
}

// Sixteen channels by eight of the depth, times eight of the depth by eight places.
__device__ __forceinline__ void multiply(float (&sums)[channels][runs][run], const float (&xs)[bk][x_pitch],
                                         const float (&ws)[bk][w_pitch], corner mine)
{
    const int of_depth = mine.lane % 4, across = mine.lane / 4;
    unsigned x[bk / 8][runs][2];
    _Pragma("unroll") for (int e = 0; e < bk; e += 8)
        _Pragma("unroll") for (int g = 0; g < runs; g++)
            _Pragma("unroll") for (int l = 0; l < 2; l++)
                x[e / 8][g][l] = __float_as_uint(xs[e + of_depth + l * 4][mine.x + g * 8 + across]);
    _Pragma("unroll") for (int i = 0; i < channels; i += 2) {
        // Tensor cores cut off where they add: what takes several rounds is summed by itself, and then in fp32. Round by
        // round, so that none waits for the one before, and all that is small before what is not, for that is cut off less.
        float part[runs][4];
        _Pragma("unroll") for (int j = 0; j < runs * 4; j++)
            part[j / 4][j % 4] = rounds > 1 ? 0 : sums[i + j % 4 / 2][j / 4][j % 2];
        unsigned w[bk / 8][4];
        _Pragma("unroll") for (int e = 0; e < bk; e += 8)
            _Pragma("unroll") for (int l = 0; l < 4; l++) {
                const int to = w_placed(e + l / 2 * 4, across);
                w[e / 8][l] = __float_as_uint(ws[e + of_depth + l / 2 * 4][mine.y + i * 8 + l % 2 * 8 + to]);
            }
        _Pragma("unroll") for (int round = 0; round < rounds; round++) {
            _Pragma("unroll") for (int j = 0; j < runs * 4 && round > 0 && round + 1 == rounds; j++)
                part[j / 4][j % 4] *= 1 / higher;
            _Pragma("unroll") for (int e = 0; e < bk / 8; e++)
                _Pragma("unroll") for (int g = 0; g < runs; g++)
                    multiply(part[g], w[e], x[e][g][0], x[e][g][1], round);
        }
        _Pragma("unroll") for (int j = 0; j < runs * 4; j++) {
            float &sum = sums[i + j % 4 / 2][j / 4][j % 2];
            sum = rounds > 1 ? sum + part[j / 4][j % 4] : part[j / 4][j % 4];
        }
    }
}

