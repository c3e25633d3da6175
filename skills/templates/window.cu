// Windows that slide over planes, a thread a few rows of four neighbouring outputs: what it read of a line serves all of
// its windows that hold the line. All widths, steps and paddings are known, so which element of a pack a window takes is.
constexpr int kd = @kd@, kh = @kh@, kw = @kw@, rows = @rows@, cols = @cols@, lanes = 4;
constexpr int span = (rows - 1) * @sh@ + (kh - 1) * @dh@ + 1; // lines that a thread's windows hold
constexpr int skew = (lanes - @pw@ % lanes) % lanes;          // elements of the first pack in front of the first window
constexpr int packs = (skew + (lanes - 1) * @sw@ + (kw - 1) * @dw@) / lanes + 1;

struct alignas(16) pack {
    @T@ lane[lanes];
};

__device__ __forceinline__ @T@ larger(@T@ a, @T@ b)
{
    return fmax(a, b);
}

// What the kernel does with what a window comes to, at `place` of y.
__device__ __forceinline__ @T@ finished(@T@ its_sum, size_t its_place, int its_channel@tail_takes@)
{
@tail@}

// Which of the window's rows the thread's line `j` is in the window of output row `r`, or -1.
__device__ constexpr int tap_row(int j, int r)
{
    const int way = j - r * @sh@;
    return way >= 0 && way % @dh@ == 0 && way / @dh@ < kh ? way / @dh@ : -1;
}

__device__ constexpr bool used(int j)
{
    for (int r = 0; r < rows; r++)
        if (tap_row(j, r) >= 0)
            return true;
    return false;
}

// Whether a window takes the `i`th element from the first pack's beginning on.
__device__ constexpr bool taken(int i)
{
    for (int o = 0; o < lanes; o++)
        for (int k = 0; k < kw; k++)
            if (i == skew + o * @sw@ + k * @dw@)
                return true;
    return false;
}

// A thread's packs of a line from place `left` on, and what of them is `in` the line. Where `whole`, packs begin at 16
// bytes and none crosses the line's ends.
template <bool whole>
__device__ __forceinline__ void fetch(@T@ *v, bool *in, const @T@ *line, int left, bool row_in, int w)
{
    const @T@ none = @none@;
    _Pragma("unroll") for (int p = 0; p < packs; p++) {
        pack one = {none, none, none, none};
        const int at = left + p * lanes;
        _Pragma("unroll") for (int l = 0; l < lanes; l++)
            in[p * lanes + l] = row_in && (unsigned)(whole ? at : at + l) < (unsigned)w;
        if (whole) {
            if (in[p * lanes])
                one = *reinterpret_cast<const pack *>(line + at);
        } else {
            _Pragma("unroll") for (int l = 0; l < lanes; l++)
                if (taken(p * lanes + l) && in[p * lanes + l])
                    one.lane[l] = line[at + l];
        }
        _Pragma("unroll") for (int l = 0; l < lanes; l++)
            v[p * lanes + l] = one.lane[l];
    }
}

// What the windows of a thread hold, into `sums`.
template <bool whole>
__device__ __forceinline__ void slide(@T@ (*sums)[cols][lanes], const @T@ *from, @pointers@int ox0, int oy0, int z, int d,
                                      int h, int w)
{
    _Pragma("unroll 1") for (int tz = 0; tz < kd; tz++) {
        const int iz = z * @sd@ - @pd@ + tz * @dd@;
        if ((unsigned)iz >= (unsigned)d)
            continue;
        @plane@
        _Pragma("unroll") for (int j = 0; j < span; j++) {
            if (!used(j))
                continue;
            const int iy = oy0 * @sh@ - @ph@ + j;
            const bool row_in = (unsigned)iy < (unsigned)h;
            const @T@ *line = from + (iz * h + iy) * w;
            _Pragma("unroll") for (int c = 0; c < cols; c++) {
                const int left = (ox0 + c * (int)blockDim.x * lanes) * @sw@ - @pw@ - skew;
                @T@ v[packs * lanes];
                bool in[packs * lanes];
                fetch<whole>(v, in, line, left, row_in, w);
                _Pragma("unroll") for (int o = 0; o < lanes; o++) {
                    const int first = skew + o * @sw@;
                    @row@
                    _Pragma("unroll") for (int r = 0; r < rows; r++) {
                        const int ty = tap_row(j, r);
                        if (ty >= 0) {
                            @step@
                        }
                    }
                }
            }
        }
    }
}

// A block's width is a power of two.
__global__ void __launch_bounds__(256)
    window(const @T@ *__restrict__ x, @pointers@@T@ *__restrict__ y, @sizes@int d, int h, int w, int od, int oh, int ow@tail_parameters@)
{
    __shared__ pack turned[8][32];
    const int plane = blockIdx.z, z = blockIdx.y, bx = blockDim.x, width = bx * cols * lanes;
    const int tiles = (ow + width - 1) / width, tx = (int)(blockIdx.x % tiles) * width;
    const int ox0 = tx + (int)threadIdx.x * lanes;
    const int oy0 = (int)(blockIdx.x / tiles * blockDim.y + threadIdx.y) * rows;
    const @T@ *from = x + (size_t)plane * d * h * w;
    const @T@ none = @none@;
    @taps@
    @T@ sums[rows][cols][lanes];
    _Pragma("unroll") for (int r = 0; r < rows; r++)
        _Pragma("unroll") for (int c = 0; c < cols; c++)
            _Pragma("unroll") for (int o = 0; o < lanes; o++)
                sums[r][c][o] = none;
    if (w % lanes == 0 && reinterpret_cast<size_t>(x) % sizeof(pack) == 0)
        slide<true>(sums, from, @passed@ox0, oy0, z, d, h, w);
    else
        slide<false>(sums, from, @passed@ox0, oy0, z, d, h, w);
    // Lanes change from four neighbours each to every 32nd of a warp's outputs: stores lie beside each other, wherever a
    // row begins.
    const int shift = 33 - __clz(bx < 32 ? bx : 32); // of so many a row
    const int thread = (int)(threadIdx.y * bx + threadIdx.x), lane = thread % 32;
    const int wx = tx + (int)(threadIdx.x / 32) * 32 * lanes, wy = oy0 - (lane * lanes >> shift) * rows;
    pack *held = turned[thread / 32];
    const size_t front = ((size_t)plane * od + z) * oh * ow;
    char *to = reinterpret_cast<char *>(y + front);
    const unsigned pitch = (unsigned)ow * (unsigned)sizeof(@T@);
    _Pragma("unroll") for (int c = 0; c < cols; c++) {
        unsigned at[lanes]; // bytes: what has 32 bits and no sign is added to an address by the store itself
        int left[lanes];    // rows from there on
        _Pragma("unroll") for (int l = 0; l < lanes; l++) {
            const int e = l * 32 + lane, oy = wy + (e >> shift) * rows;
            const int ox = wx + c * bx * lanes + (e & ((1 << shift) - 1));
            at[l] = (unsigned)oy * pitch + (unsigned)ox * (unsigned)sizeof(@T@);
            left[l] = ox < ow ? oh - oy : 0;
        }
        _Pragma("unroll") for (int r = 0; r < rows; r++) {
            pack out;
            _Pragma("unroll") for (int o = 0; o < lanes; o++) {
                const @T@ sum = sums[r][c][o];
                out.lane[o] = @store@;
            }
            held[lane] = out;
            __syncwarp();
            _Pragma("unroll") for (int l = 0; l < lanes; l++) {
                const @T@ value = held[(l * 32 + lane) / lanes].lane[lane % lanes];
                if (r < left[l])
                    *reinterpret_cast<@T@ *>(to + (at[l] + r * pitch)) =
                        finished(value, front + (at[l] + r * pitch) / sizeof(@T@), @channel@@tail_arguments@);
            }
            __syncwarp();
        }
    }
}
