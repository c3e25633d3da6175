// A tile is read along rows and written along rows of the result. The extra column keeps the
// column-wise reads of shared memory free of bank conflicts.
__global__ void __launch_bounds__(@tile@ * @lines@)
    transpose_tiles(const @T@ *__restrict__ in, @T@ *__restrict__ out, int rows, int cols)
{
    __shared__ @T@ tile[@tile@][@tile@ + 1];
    const int row0 = blockIdx.y * @tile@, col0 = blockIdx.x * @tile@;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const size_t first = (size_t)blockIdx.z * rows * cols;
    const @T@ *from = in + first + (size_t)(row0 + ty) * cols + col0 + tx;
    @T@ *to = out + first + (size_t)(col0 + ty) * rows + row0 + tx;
    if (row0 + @tile@ <= rows && col0 + @tile@ <= cols) {
        _Pragma("unroll") for (int j = 0; j < @tile@; j += @lines@)
            tile[ty + j][tx] = from[(size_t)j * cols];
        __syncthreads();
        _Pragma("unroll") for (int j = 0; j < @tile@; j += @lines@)
            to[(size_t)j * rows] = tile[tx][ty + j];
        return;
    }
    for (int j = 0; j < @tile@; j += @lines@)
        if (row0 + ty + j < rows && col0 + tx < cols)
            tile[ty + j][tx] = from[(size_t)j * cols];
    __syncthreads();
    for (int j = 0; j < @tile@; j += @lines@)
        if (col0 + ty + j < cols && row0 + tx < rows)
            to[(size_t)j * rows] = tile[tx][ty + j];
}
