// A tile is read along rows and written along rows of the result. The extra column keeps the
// column-wise reads of shared memory free of bank conflicts.
__global__ void __launch_bounds__(@tile@ * @lines@)
    transpose_tiles(const @T@ *__restrict__ in, @T@ *__restrict__ out, int rows, int cols)
{
    __shared__ @T@ tile[@tile@][@tile@ + 1];
    const int row0 = blockIdx.y * @tile@, col0 = blockIdx.x * @tile@;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const size_t from_pitch = @from_pitch@, to_pitch = @to_pitch@;
    const @T@ *from = in + @from_first@ + (row0 + ty) * from_pitch + col0 + tx;
    @T@ *to = out + @to_first@ + (col0 + ty) * to_pitch + row0 + tx;
    if (row0 + @tile@ <= rows && col0 + @tile@ <= cols) {
        _Pragma("unroll") for (int j = 0; j < @tile@; j += @lines@)
            tile[ty + j][tx] = from[j * from_pitch];
        __syncthreads();
        _Pragma("unroll") for (int j = 0; j < @tile@; j += @lines@)
            to[j * to_pitch] = tile[tx][ty + j];
        return;
    }
    for (int j = 0; j < @tile@; j += @lines@)
        if (row0 + ty + j < rows && col0 + tx < cols)
            tile[ty + j][tx] = from[j * from_pitch];
    __syncthreads();
    for (int j = 0; j < @tile@; j += @lines@)
        if (col0 + ty + j < cols && row0 + tx < rows)
            to[j * to_pitch] = tile[tx][ty + j];
}
