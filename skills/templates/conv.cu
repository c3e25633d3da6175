// Tiles of fp32: a thread sums up 8 places of some channels, each sum in the order of the depth.
constexpr bool thrice = false;
constexpr int bn = @bn@, bm = bn < 64 ? 256 : 128, bk = bn < 64 ? 8 : 16; // channels, places, depth of a step
constexpr int threads = bn >= 128 ? 256 : 128;
constexpr int resident = bn == 64 ? 384 : 512; // threads a multiprocessor: 168 registers each, or 128
constexpr int x_pitch = bm + 4, w_pitch = bn + 4;
constexpr int channels = bm * bn / 8 / threads, runs = 2, run = 4; // of a thread; its places: runs of neighbours

struct alignas(16) lanes {
    @T@ lane[run];
};
struct corner { // of a thread's places and channels in the tile; a warp: 8 x 4 threads
    int x, y;
};

__device__ __forceinline__ corner corner_of(int t)
{
    constexpr int across = bm / 64; // warps
    return {(t / 32 % across * 8 + t % 8) * 4, (t / 32 / across * 4 + t % 32 / 8) * 4};
}

__device__ __forceinline__ int place_of(corner c, int of)
{
    return c.x + of * (bm / 2);
}

__device__ __forceinline__ int channel_of(corner c, int i)
{
    return c.y + i % 4 + i / 4 * (bn / 2);
}

__device__ __forceinline__ int w_placed(int, int channel)
{
    return channel;
}

__device__ __forceinline__ @T@ rounded(@T@ v)
{
    return v;
}

__device__ __forceinline__ void multiply(@T@ (&sums)[channels][runs][run], const @T@ (&xs)[bk][x_pitch],
                                         const @T@ (&ws)[bk][w_pitch], corner mine)
{
    _Pragma("unroll") for (int e = 0; e < bk; e++) {
        lanes u[runs], v[channels / 4];
        _Pragma("unroll") for (int g = 0; g < runs; g++)
            u[g] = *reinterpret_cast<const lanes *>(&xs[e][place_of(mine, g)]);
        _Pragma("unroll") for (int g = 0; g < channels / 4; g++)
            v[g] = *reinterpret_cast<const lanes *>(&ws[e][channel_of(mine, g * 4)]);
        _Pragma("unroll") for (int i = 0; i < channels; i++)
            _Pragma("unroll") for (int j = 0; j < runs * run; j++)
                sums[i][j / run][j % run] += u[j / 4].lane[j % 4] * v[i / 4].lane[i % 4];
    }
}

