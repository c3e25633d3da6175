// Windows that slide along lines. A block stages the stretch of a line that its outputs' windows hold. From there a thread takes
// what a few fours of neighbouring outputs need, once for all of them, and puts the outputs back: warps store neighbours, from
// where 128 bytes begin, wherever a row of y does.
constexpr int kw = @kw@, lanes = 4, threads = 256, wide = @wide@; // outputs of a block at most
constexpr int fours = (wide + threads * lanes - 1) / (threads * lanes), each = fours * lanes; // of a thread
constexpr int skew = (lanes - @pw@ % lanes) % lanes; // elements of the first pack in front of the first window
constexpr int packs = (skew + (each - 1) * @sw@ + (kw - 1) * @dw@) / lanes + 1; // that a thread's windows hold
constexpr int most = (wide / each - 1) * fours * @sw@ + packs;

struct alignas(16) pack {
    @T@ lane[lanes];
};

__device__ __forceinline__ @T@ joined(@T@ a, @T@ b)
{
    return @joined@;
}

__global__ void __launch_bounds__(256) window(const @T@ *__restrict__ x, @T@ *__restrict__ y, int w, int ow)
{
    __shared__ pack held[most];
    const @T@ none = @none@;
    const int t = threadIdx.x, tiles = gridDim.x;
    const int width = ((ow + tiles - 1) / tiles + 31) / 32 * 32; // evenly long, and no longer than `wide`
    const int ox0 = (int)blockIdx.x * width, count = ow - ox0 < width ? ow - ox0 : width;
    if (count <= 0)
        return;
    const @T@ *line = x + (size_t)blockIdx.y * w;
    const int left = ox0 * @sw@ - @pw@ - skew, need = (count - 1) / each * fours * @sw@ + packs;
    if (w % lanes == 0 && reinterpret_cast<size_t>(x) % sizeof(pack) == 0) {
        // Packs begin at 16 bytes and none crosses the line's ends.
        _Pragma("unroll") for (int k = 0; k < (most + threads - 1) / threads; k++) {
            const int i = k * threads + t, at = left + i * lanes;
            if (i < need && (unsigned)at < (unsigned)w)
                __pipeline_memcpy_async(&held[i], line + at, sizeof(pack));
            else if (i < need)
                held[i] = pack{none, none, none, none};
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
    } else {
        for (int i = t; i < need * lanes; i += threads)
            held[i / lanes].lane[i % lanes] = (unsigned)(left + i) < (unsigned)w ? line[left + i] : none;
    }
    __syncthreads();
    const bool has = t * each < count;
    pack out[fours];
    if (has) {
        @T@ v[packs * lanes];
        _Pragma("unroll") for (int p = 0; p < packs; p++) {
            const pack one = held[t * fours * @sw@ + p];
            _Pragma("unroll") for (int l = 0; l < lanes; l++)
                v[p * lanes + l] = one.lane[l];
        }
        _Pragma("unroll") for (int o = 0; o < each; o++) {
            const int first = skew + o * @sw@;
            @T@ all = none;
            _Pragma("unroll") for (int k = 0; k < kw; k++)
                all = joined(all, v[first + k * @dw@]);
            out[o / lanes].lane[o % lanes] = @store@;
        }
    }
    __syncthreads();
    if (has)
        _Pragma("unroll") for (int f = 0; f < fours; f++)
            held[t * fours + f] = out[f];
    __syncthreads();
    @T@ *to = y + (size_t)blockIdx.y * ow + ox0;
    const int off = (int)(reinterpret_cast<size_t>(to) / sizeof(@T@) % 32);
    _Pragma("unroll") for (int k = 0; k <= each; k++) {
        const int e = k * threads + t - off;
        if ((unsigned)e < (unsigned)count)
            to[e] = held[e / lanes].lane[e % lanes];
    }
}
