// A thread writes a few of all `packs` packs of 16 bytes, neighbours side by side; what lies behind the exchanged
// dimensions is `wide` packs, and read as it lies too.
__global__ void __launch_bounds__(@threads@)
    swap_axes(const @T@ *__restrict__ in, @T@ *__restrict__ out, unsigned rows, unsigned cols, unsigned wide, unsigned packs)
{
    const uint4 *from = reinterpret_cast<const uint4 *>(in);
    uint4 *to = reinterpret_cast<uint4 *>(out), some[@each@];
    const unsigned first = blockIdx.x * @each@ * @threads@ + threadIdx.x;
    _Pragma("unroll") for (int i = 0; i < @each@; i++) {
        const unsigned at = first + i * @threads@, line = at / wide, row = line % rows, col = line / rows % cols;
        if (at < packs)
            some[i] = from[((size_t)(line / rows / cols * rows + row) * cols + col) * wide + at % wide];
    }
    _Pragma("unroll") for (int i = 0; i < @each@; i++)
        if (first + i * @threads@ < packs)
            to[first + i * @threads@] = some[i];
}
