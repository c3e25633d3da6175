// Sums of a part of each column and of its squares, in double, for a variance is a difference of large sums: a
// warp's threads take neighbouring columns, the block's rows of threads every so many rows; four of them are in flight.
__global__ void __launch_bounds__(32 * @lines@)
    column_sums(const @T@ *__restrict__ x, double2 *__restrict__ sums, int rows, int cols, int share)
{
    __shared__ double2 parts[@lines@][32];
    const int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 32 + tx;
    const int from = blockIdx.y * share, to = rows - from < share ? rows : from + share;
    const @T@ *column = x + (col < cols ? col : cols - 1);
    double2 own = {0, 0};
    int row = from + ty;
    for (; row + 3 * @lines@ < to; row += 4 * @lines@) {
        @T@ v[4];
        _Pragma("unroll") for (int k = 0; k < 4; k++)
            v[k] = column[(size_t)(row + k * @lines@) * cols];
        _Pragma("unroll") for (int k = 0; k < 4; k++) {
            own.x += v[k];
            own.y += (double)v[k] * v[k];
        }
    }
    for (; row < to; row += @lines@) {
        const @T@ v = column[(size_t)row * cols];
        own.x += v;
        own.y += (double)v * v;
    }
    parts[ty][tx] = own;
    __syncthreads();
    for (int half = @lines@ / 2; half > 0; half /= 2) {
        if (ty < half) {
            parts[ty][tx].x += parts[ty + half][tx].x;
            parts[ty][tx].y += parts[ty + half][tx].y;
        }
        __syncthreads();
    }
    if (ty == 0 && col < cols)
        sums[(size_t)blockIdx.y * cols + col] = parts[0][tx];
}

// A column's mean, and what its variance comes to, by the sums of its parts.
__global__ void __launch_bounds__(64)
    column_statistics(const double2 *__restrict__ sums, @T@ *__restrict__ mean, @T@ *__restrict__ spread, int rows, int cols,
                      int parts@number_parameters@)
{
    const int col = blockIdx.x * 64 + threadIdx.x;
    if (col >= cols)
        return;
    double2 all = {0, 0};
    for (int i = 0; i < parts; i++) {
        all.x += sums[(size_t)i * cols + col].x;
        all.y += sums[(size_t)i * cols + col].y;
    }
    const double count = rows, middle = all.x / count;
    const double squares = all.y / count - middle * middle, variance = squares < 0 ? 0 : squares; // of what is nearly constant
    mean[col] = (@T@)middle;
    spread[col] = (@T@)(@stored@);
}
