// Windows that slide over planes, a thread a few rows of outputs: what it read of a row serves all of its windows that
// hold the row. All widths, steps and paddings are known, so that most of what tests bounds is gone.
constexpr int kd = @kd@, kh = @kh@, kw = @kw@, rows = @rows@, cols = @cols@, bx = @bx@, by = 256 / bx;
constexpr int span = (rows - 1) * @sh@ + (kh - 1) * @dh@ + 1; // rows that a thread's windows hold
constexpr bool edges = @pd@ + @ph@ + @pw@ > 0, weighted = @weighted@;

__device__ __forceinline__ @T@ larger(@T@ a, @T@ b)
{
    return fmax(a, b);
}

// Which of the window's rows the thread's row `j` is in the window of output row `r`, or -1.
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

__global__ void __launch_bounds__(256)
    window(const @T@ *__restrict__ x, @pointers@@T@ *__restrict__ y, @sizes@int d, int h, int w, int od, int oh, int ow)
{
    const int plane = blockIdx.z, z = blockIdx.y, tiles = (ow + bx * cols - 1) / (bx * cols);
    const int ox0 = (int)(blockIdx.x % tiles) * (bx * cols) + (int)threadIdx.x % bx;
    const int oy0 = ((int)(blockIdx.x / tiles) * by + (int)threadIdx.x / bx) * rows;
    const @T@ *from = x + (size_t)plane * d * h * w;
    const @T@ none = @none@;
    @taps@
    @T@ sums[rows][cols];
    _Pragma("unroll") for (int r = 0; r < rows; r++)
        _Pragma("unroll") for (int c = 0; c < cols; c++)
            sums[r][c] = none;
    _Pragma("unroll 1") for (int tz = 0; tz < kd; tz++) {
        const int iz = z * @sd@ - @pd@ + tz * @dd@;
        if ((unsigned)iz >= (unsigned)d)
            continue;
        _Pragma("unroll") for (int j = 0; j < span; j++) {
            if (!used(j))
                continue;
            const int iy = oy0 * @sh@ - @ph@ + j;
            const bool row_in = (unsigned)iy < (unsigned)h;
            const @T@ *line = from + (iz * h + iy) * w;
            _Pragma("unroll") for (int c = 0; c < cols; c++) {
                const int ox = ox0 + c * bx, left = (ox < ow ? ox : ow - 1) * @sw@ - @pw@;
                @T@ v[kw];
                bool in[kw];
                _Pragma("unroll") for (int k = 0; k < kw; k++) {
                    const int at = left + k * @dw@;
                    in[k] = row_in && (@pw@ == 0 || (unsigned)at < (unsigned)w);
                    v[k] = in[k] ? line[at] : none;
                }
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
    _Pragma("unroll") for (int r = 0; r < rows; r++)
        _Pragma("unroll") for (int c = 0; c < cols; c++) {
            const int ox = ox0 + c * bx, oy = oy0 + r;
            const @T@ sum = sums[r][c];
            if (ox < ow && oy < oh)
                y[(((size_t)plane * od + z) * oh + oy) * ow + ox] = @store@;
        }
}
