// Windows that slide through volumes. A thread has four neighbouring columns of x and a few rows of y, and walks along z: it
// joins a plane's lines down its columns once, and that to all outputs along z whose windows hold the plane. Along the line
// columns are joined last, through shared memory, when outputs have had their last plane.
constexpr int kd = @kd@, kh = @kh@, kw = @kw@, rows = (@share@ + 1) / 2, threads = @share@ > 2 ? 128 : 256, lanes = 4;
constexpr int span = (rows - 1) * @sh@ + (kh - 1) * @dh@ + 1; // lines that a thread's windows hold
constexpr int ways = ((kd - 1) * @dd@ + @sd@) / @sd@;         // outputs along z that a plane may lie in
// Their sums stay in registers where these suffice, as for a step's lines; else an output's planes are read for it alone.
constexpr bool shared = ways * rows <= 32 && @sd@ * kh * rows <= 32;
constexpr int outputs = shared ? ways : 1, planes = shared ? @sd@ : 1, turns = shared ? 1 : kd; // of a step along z
constexpr int guard = (@pw@ + lanes - 1) / lanes * lanes; // elements at either side of a line in shared memory
constexpr int most = threads / 8;                         // threads of a block that stand below each other, at most

struct alignas(16) pack {
    @T@ lane[lanes];
};

__device__ __forceinline__ @T@ joined(@T@ a, @T@ b)
{
    return @joined@;
}

// Whether the thread's line `i` is in the windows of its row `r`.
__device__ constexpr bool in_row(int i, int r)
{
    return i >= r * @sh@ && (i - r * @sh@) % @dh@ == 0 && (i - r * @sh@) / @dh@ < kh;
}

__device__ constexpr bool used(int i)
{
    for (int r = 0; r < rows; r++)
        if (in_row(i, r))
            return true;
    return false;
}

// Whether the step's plane `j` is in the window of the output that began `a` steps ago.
__device__ constexpr bool in_window(int a, int j)
{
    return !shared || ((a * @sd@ + j) % @dd@ == 0 && (a * @sd@ + j) / @dd@ < kd);
}

// A pack of a line below place `behind`. Where `whole`, packs begin at 16 bytes and none crosses the line's ends.
template <bool whole>
__device__ __forceinline__ pack fetch(const @T@ *line, int at, int behind)
{
    const @T@ none = @none@;
    pack one = {none, none, none, none};
    if (whole) {
        if (at < behind)
            one = *reinterpret_cast<const pack *>(line + at);
    } else {
        _Pragma("unroll") for (int l = 0; l < lanes; l++)
            if (at + l < behind)
                one.lane[l] = line[at + l];
    }
    return one;
}

template <bool whole>
__device__ __forceinline__ void walk(const @T@ *from, @T@ *to, @T@ *held, int d, int h, int w, int od, int oh, int ow, int tiles)
{
    const @T@ none = @none@;
    const int bx = blockDim.x, tx = threadIdx.x, pitch = bx * lanes + 2 * guard;
    const int wide = (ow + tiles - 1) / tiles, ox0 = (int)blockIdx.x % tiles * wide, many = ow - ox0 < wide ? ow - ox0 : wide;
    const int oy0 = ((int)blockIdx.x / tiles * (int)blockDim.y + (int)threadIdx.y) * rows;
    const int tall = (od + (int)gridDim.y - 1) / (int)gridDim.y, z0 = (int)blockIdx.y * tall;
    const int z1 = z0 + tall < od ? z0 + tall : od;
    // Where in x that begins and ends of which the block's outputs are made.
    const int first = ox0 * @sw@ - @pw@, left = first > 0 ? first / lanes * lanes : 0, at = left + tx * lanes;
    const int last_x = first + (many - 1) * @sw@ + (kw - 1) * @dw@, last_z = (z1 - 1) * @sd@ - @pd@ + (kd - 1) * @dd@;
    const int behind = last_x < w ? last_x + 1 : w, behind_z = last_z < d ? last_z + 1 : d;
    held += (int)threadIdx.y * rows * pitch;
    _Pragma("unroll") for (int r = 0; r < rows; r++)
        for (int i = tx; i < 2 * guard; i += bx)
            held[r * pitch + (i < guard ? i : bx * lanes + i)] = none;
    @T@ sums[outputs][rows][lanes];
    _Pragma("unroll") for (int a = 0; a < outputs; a++)
        _Pragma("unroll") for (int r = 0; r < rows; r++)
            _Pragma("unroll") for (int l = 0; l < lanes; l++)
                sums[a][r][l] = none;
    _Pragma("unroll 1") for (int s = z0; s < z1 + outputs - 1; s++) {
        _Pragma("unroll 1") for (int turn = 0; turn < turns; turn++) {
            _Pragma("unroll") for (int j = 0; j < planes; j++) {
                const int iz = s * @sd@ - @pd@ + turn * @dd@ + j;
                @T@ column[rows][lanes];
                _Pragma("unroll") for (int r = 0; r < rows; r++)
                    _Pragma("unroll") for (int l = 0; l < lanes; l++)
                        column[r][l] = none;
                _Pragma("unroll") for (int i = 0; i < span; i++) {
                    const int iy = oy0 * @sh@ - @ph@ + i;
                    const bool in = (unsigned)iz < (unsigned)behind_z && (unsigned)iy < (unsigned)h;
                    if (!used(i))
                        continue;
                    const pack one = fetch<whole>(from + (iz * h + iy) * w, at, in ? behind : 0);
                    _Pragma("unroll") for (int r = 0; r < rows; r++)
                        if (in_row(i, r))
                            _Pragma("unroll") for (int l = 0; l < lanes; l++)
                                column[r][l] = joined(column[r][l], one.lane[l]);
                }
                _Pragma("unroll") for (int a = 0; a < outputs; a++)
                    if (in_window(a, j))
                        _Pragma("unroll") for (int r = 0; r < rows; r++)
                            _Pragma("unroll") for (int l = 0; l < lanes; l++)
                                sums[a][r][l] = joined(sums[a][r][l], column[r][l]);
            }
        }
        const int z = s - (outputs - 1); // has had its last plane
        if (z >= z0) {
            _Pragma("unroll") for (int r = 0; r < rows; r++) {
                pack out;
                _Pragma("unroll") for (int l = 0; l < lanes; l++)
                    out.lane[l] = sums[outputs - 1][r][l];
                *reinterpret_cast<pack *>(held + r * pitch + guard + tx * lanes) = out;
            }
            __syncwarp(); // a line is one warp's
            _Pragma("unroll") for (int r = 0; r < rows; r++) {
                const int oy = oy0 + r;
                @T@ *row = to + ((size_t)z * oh + oy) * ow + ox0;
                for (int o = tx; o < many && oy < oh; o += bx) {
                    const @T@ *window = held + r * pitch + guard + first - left + o * @sw@;
                    @T@ all = window[0];
                    _Pragma("unroll") for (int k = 1; k < kw; k++)
                        all = joined(all, window[k * @dw@]);
                    row[o] = @store@;
                }
            }
            __syncwarp();
        }
        _Pragma("unroll") for (int r = 0; r < rows; r++)
            _Pragma("unroll") for (int l = 0; l < lanes; l++) {
                _Pragma("unroll") for (int a = outputs - 1; a > 0; a--)
                    sums[a][r][l] = sums[a - 1][r][l];
                sums[0][r][l] = none;
            }
    }
}

// A block's width is a power of two, at most 32, and a line of x has one tile where it fits in.
__global__ void __launch_bounds__(threads)
    windows(const @T@ *__restrict__ x, @T@ *__restrict__ y, int d, int h, int w, int od, int oh, int ow, int tiles)
{
    __shared__ pack turned[rows * (threads + most * 2 * guard / lanes)];
    const @T@ *from = x + (size_t)blockIdx.z * d * h * w;
    @T@ *to = y + (size_t)blockIdx.z * od * oh * ow;
    if (w % lanes == 0 && reinterpret_cast<size_t>(x) % sizeof(pack) == 0)
        walk<true>(from, to, turned[0].lane, d, h, w, od, oh, ow, tiles);
    else
        walk<false>(from, to, turned[0].lane, d, h, w, od, oh, ow, tiles);
}
