// Of triangular matrices a block sums up what both have of the depth.
struct depths {
    int first, last;
};
constexpr bool chooses = true; // some terms of a block's

__device__ __forceinline__ depths depths_of(int row0, int rows, int col0, int cols, int k, int step)
{
    return {@upper@ ? row0 : col0, min(k, @upper@ ? col0 + cols : row0 + rows)};
}

// Whether any sum has a term with this element of op(A), of a row, or of op(B), of a column.
template <bool of_a> __device__ __forceinline__ bool looks_at(int across, int depth)
{
    return of_a == @upper@ ? depth >= across : depth <= across;
}
