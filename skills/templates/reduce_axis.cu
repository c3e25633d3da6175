struct item {
    @T@ value;
    int place;
};

__device__ __forceinline__ item combined(item a, item b)
{
    return @combine@;
}

// One value for each (z, column) of x[outer][rows][cols]: a warp's threads take neighbouring columns, the
// block's rows of threads every so many rows; four of them are in flight.
__global__ void __launch_bounds__(32 * @lines@)
    reduce_axis(const @T@ *__restrict__ x, @R@ *__restrict__ out, int rows, int cols@number_parameters@@tail_parameters@)
{
    __shared__ item parts[@lines@][32];
    const int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 32 + tx;
    const @T@ *from = x + (size_t)blockIdx.y * rows * cols + (col < cols ? col : cols - 1);
    item total = @start@;
    int row = ty;
    for (; row + 3 * @lines@ < rows; row += 4 * @lines@) {
        item four[4];
        _Pragma("unroll") for (int k = 0; k < 4; k++) {
            const int at = row + k * @lines@;
            const @T@ v = from[(size_t)at * cols];
            four[k].value = @map@;
            four[k].place = at;
        }
        _Pragma("unroll") for (int k = 0; k < 4; k++)
            total = combined(total, four[k]);
    }
    for (; row < rows; row += @lines@) {
        const @T@ v = from[(size_t)row * cols];
        item one;
        one.value = @map@;
        one.place = row;
        total = combined(total, one);
    }
    parts[ty][tx] = total;
    __syncthreads();
    for (int half = @lines@ / 2; half > 0; half /= 2) {
        if (ty < half)
            parts[ty][tx] = combined(parts[ty][tx], parts[ty + half][tx]);
        __syncthreads();
    }
    if (ty == 0 && col < cols) {
        const size_t place = (size_t)blockIdx.y * cols + col;
        total = parts[0][tx];
        out[place] = finished(@store@, place, col@tail_arguments@);
    }
}
