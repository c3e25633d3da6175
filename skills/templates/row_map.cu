// A block a row: what the row comes to first, then each of its elements by that. What is read again is in a cache.
__global__ void __launch_bounds__(threads)
    row_map(const @T@ *__restrict__ x, @pointers@@T@ *__restrict__ y, int cols)
{
    const @T@ *line = x + (size_t)blockIdx.x * cols;
    @T@ *out = y + (size_t)blockIdx.x * cols;
    @stats@
    rewrite(line, out, 0, cols, [&](@T@ v, long long place) { return (void)place, @map@; });
}
