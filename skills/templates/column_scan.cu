constexpr int lines = @threads@ / 32; // parts of a column, one below another

__device__ __forceinline__ @T@ combined(@T@ a, @T@ b)
{
    return a + b;
}

// A block 32 columns: each thread first sums its part of one, then all parts in front of it are known.
__global__ void __launch_bounds__(@threads@)
    column_scan(const @T@ *__restrict__ x, @T@ *__restrict__ y, int rows, int cols)
{
    __shared__ @T@ parts[lines][32];
    const int col = blockIdx.x * 32 + threadIdx.x, line = threadIdx.y, share = (rows + lines - 1) / lines;
    const int from = line * share, to = from + share < rows ? from + share : rows;
    const size_t first = (size_t)blockIdx.y * rows * cols + col;
    @T@ sum = 0;
    _Pragma("unroll 8") for (int i = from; col < cols && i < to; i++)
        sum = combined(sum, x[first + (size_t)(@at@) * cols]);
    parts[line][threadIdx.x] = sum;
    __syncthreads();
    @T@ front = 0;
    for (int l = 0; l < line; l++)
        front = combined(front, parts[l][threadIdx.x]);
    _Pragma("unroll 8") for (int i = from; col < cols && i < to; i++) {
        const size_t at = first + (size_t)(@at@) * cols;
        const @T@ here = combined(front, x[at]);
        y[at] = @stored@;
        front = here;
    }
}
