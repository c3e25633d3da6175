// An element of a grid by its neighbours, as the kernel makes it: a thread has a pack along x in a few rows and walks along z.
// What later planes need of an earlier one stays in registers, a line from the first to the last element that is read of it.
constexpr int lanes = 16 / (int)sizeof(@T@), rows = @rows@, ahead = @ahead@;
constexpr int left = @left@, right = @right@, above = @above@, below = @below@, back = @back@, front = @front@;
constexpr int planes = back + 1 + front + ahead, span = above + rows + below, width = left + lanes + right;
constexpr bool folds = @folds_x@; // beyond the ends of a line others stand for elements
constexpr int none = 64, left_packs = (left + lanes - 1) / lanes;

struct alignas(16) pack {
    @T@ lane[lanes];
};

__device__ constexpr int least(int a, int b)
{
    return a < b ? a : b;
}

__device__ constexpr int most(int a, int b)
{
    return a > b ? a : b;
}

// From where along x the stencil reads of an array's line, and to where: less than that of a line that it does not read. Planes
// that are loaded ahead are such as the farthest.
__device__ constexpr int top(int array)
{
    return @reach_top@0;
}

__device__ constexpr int reach_first(int array, int z, int y)
{
    return @reach_first@none;
}

__device__ constexpr int reach_last(int array, int z, int y)
{
    return @reach_last@-none;
}

__device__ constexpr int nearest(int array, int z)
{
    return z > top(array) && z <= top(array) + ahead ? top(array) : z;
}

// The same of a line below the thread's first row, which its rows read.
__device__ constexpr int first(int array, int z, int line)
{
    int from = none;
    for (int r = 0; r < rows; r++)
        from = least(from, reach_first(array, nearest(array, z), line - r));
    return from;
}

__device__ constexpr int last(int array, int z, int line)
{
    int to = -none;
    for (int r = 0; r < rows; r++)
        to = most(to, reach_last(array, nearest(array, z), line - r));
    return to;
}

// What stands for a place beyond the grid's ends.
__device__ __forceinline__ int clamped(int at, int size)
{
    return at < 0 ? 0 : at < size ? at : size - 1;
}

__device__ __forceinline__ int around(int at, int size)
{
    return at < 0 ? at + size : at < size ? at : at - size;
}

__device__ __forceinline__ int fold_x(int at, int size)
{
    return @fold_x@;
}

__device__ __forceinline__ int fold_y(int at, int size)
{
    return @fold_y@;
}

__device__ __forceinline__ int fold_z(int at, int size)
{
    return @fold_z@;
}

// Elements of a line from one beside the thread's pack to another, none beyond the grid. Where `whole`, packs begin at 16
// bytes and none crosses the line's ends.
template <bool whole, int from, int to>
__device__ __forceinline__ void fetch(@T@ (&v)[width], const @T@ *line, bool in, int x, int w)
{
    constexpr int pack_first = (from + left_packs * lanes) / lanes - left_packs;
    constexpr int pack_last = (to - 1 + left_packs * lanes) / lanes - left_packs;
    _Pragma("unroll") for (int p = pack_first; p <= pack_last; p++) {
        const int low = most(from, p * lanes), high = least(to, p * lanes + lanes);
        const bool packed = whole && 2 * (high - low) >= lanes, inside = (unsigned)(x + p * lanes) < (unsigned)w;
        if (packed && in && inside) {
            const pack one = *reinterpret_cast<const pack *>(line + x + p * lanes);
            _Pragma("unroll") for (int e = low; e < high; e++)
                v[left + e] = one.lane[e - p * lanes];
        } else {
            _Pragma("unroll") for (int e = low; e < high; e++) {
                const int at = fold_x(x + e, w);
                v[left + e] = (!packed || folds) && in && (unsigned)at < (unsigned)w ? line[at] : (@T@)0;
            }
        }
    }
}

// Whether the grid has the line, and the thread's elements below plane z1 are made of it. Of an array that is written a thread
// reads its own elements alone.
__device__ __forceinline__ bool is_read(int array, int z, int y, int z1, int d, int h)
{
    return z < z1 + top(array) && (unsigned)fold_z(z, d) < (unsigned)d && (unsigned)fold_y(y, h) < (unsigned)h;
}

// What the first plane takes over from those in front of it, as if the thread came from there; lines from `nth` on.
template <int array, bool whole, int nth>
__device__ __forceinline__ void begin(@T@ (&held)[planes][span][width], const @T@ *from, int z0, int y0, int x0, int z1, int d,
                                      int h, int w)
{
    if constexpr (nth < planes * span) {
        constexpr int s = nth / span, j = nth % span;
        constexpr int low = most(first(array, s - back, j - above), first(array, s - 1 - back, j - above));
        constexpr int high = least(last(array, s - back, j - above), last(array, s - 1 - back, j - above));
        const int z = z0 + s - back - 1, y = y0 + j - above;
        if constexpr (s > 0 && low < none && high > -none)
            fetch<whole, low, high + lanes>(held[s][j], from + (fold_z(z, d) * h + fold_y(y, h)) * w,
                                           is_read(array, z, y, z1, d, h), x0, w);
        begin<array, whole, nth + 1>(held, from, z0, y0, x0, z1, d, h, w);
    }
}

// The next plane: what was held moves back by one, what that does not give is loaded.
template <int array, bool whole, int nth>
__device__ __forceinline__ void go_on(@T@ (&held)[planes][span][width], const @T@ *from, int z0, int y0, int x0, int z1, int d,
                                      int h, int w)
{
    if constexpr (nth < planes * span) {
        constexpr int s = nth / span, j = nth % span;
        constexpr int low = first(array, s - back, j - above), high = last(array, s - back, j - above) + lanes;
        if constexpr (low < none) {
            constexpr bool more = s + 1 < planes && first(array, s + 1 - back, j - above) < none;
            constexpr int kept_low = more ? most(low, first(array, s + 1 - back, j - above)) : high;
            constexpr int kept_high = more ? least(high, last(array, s + 1 - back, j - above) + lanes) : high;
            const int z = z0 + s - back, y = y0 + j - above;
            const bool in = is_read(array, z, y, z1, d, h);
            const @T@ *line = from + (fold_z(z, d) * h + fold_y(y, h)) * w;
            _Pragma("unroll") for (int e = kept_low; e < kept_high; e++)
                held[s][j][left + e] = held[s + 1 < planes ? s + 1 : s][j][left + e];
            if constexpr (low < kept_low)
                fetch<whole, low, kept_low>(held[s][j], line, in, x0, w);
            if constexpr (kept_high < high)
                fetch<whole, kept_high, high>(held[s][j], line, in, x0, w);
        }
        go_on<array, whole, nth + 1>(held, from, z0, y0, x0, z1, d, h, w);
    }
}

// What the kernel makes of an element's neighbours, or of one that lies too near the edge.
__device__ __forceinline__ void stencil(bool its_inside@stencil_takes@)
{
@stencil_code@}

template <bool whole>
__device__ __forceinline__ void store(@T@ *to, const @T@ (&made)[lanes], int row, int x, int w)
{
    if (whole && x >= @from_x@ && x + lanes <= w - @upto_x@) {
        pack one;
        _Pragma("unroll") for (int o = 0; o < lanes; o++)
            one.lane[o] = made[o];
        *reinterpret_cast<pack *>(to + row + x) = one;
    } else {
        _Pragma("unroll") for (int o = 0; o < lanes; o++)
            if (x + o >= @from_x@ && x + o < w - @upto_x@)
                to[row + x + o] = made[o];
    }
}

template <bool whole>
__device__ __forceinline__ void walk(int d, int h, int w@stencil_parameters@)
{
    const int x0 = ((int)blockIdx.x * @across@ + (int)threadIdx.x) * lanes;
    const int y0 = @from_y@ + ((int)blockIdx.y * (int)blockDim.y + (int)threadIdx.y) * rows;
    const int z0 = @from_z@ + ((int)blockIdx.z * (int)blockDim.z + (int)threadIdx.z) * @march@;
    const int z1 = z0 + @march@ < d - @upto_z@ ? z0 + @march@ : d - @upto_z@;
    if (x0 >= w || y0 >= h - @upto_y@)
        return;
@stencil_fixed@@stencil_held@@stencil_begin@    _Pragma("unroll 1") for (int z = z0; z < z1; z++) {
@stencil_go_on@        _Pragma("unroll") for (int r = 0; r < rows; r++) {
            const int y = y0 + r, row = (z * h + y) * w;
@stencil_made@            _Pragma("unroll") for (int o = 0; o < lanes; o++) {
                const int x = x0 + o;
                const bool inside = x >= @inner_from_x@ && x < w - @inner_upto_x@ && y >= @inner_from_y@ &&
                                    y < h - @inner_upto_y@ && z >= @inner_from_z@ && z < d - @inner_upto_z@;
                stencil(inside@stencil_values@);
            }
            if (y < h - @upto_y@) {
@stencil_stores@            }
        }
    }
}

__global__ void __launch_bounds__(@across@ * @down@) stencil_walk(int d, int h, int w@stencil_parameters@)
{
    if (w % lanes == 0 && (0@stencil_places@) % sizeof(pack) == 0)
        walk<true>(d, h, w@stencil_arguments@);
    else
        walk<false>(d, h, w@stencil_arguments@);
}
