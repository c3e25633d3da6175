// A block sums up its part of the depth, whole steps of it.
struct depths {
    int first, last;
};
constexpr bool chooses = false; // some terms of a block's

__device__ __forceinline__ depths depths_of(int row0, int rows, int col0, int cols, int k, int step)
{
    const int share = ((k + @parts@ - 1) / @parts@ + step - 1) / step * step, first = min((long long)blockIdx.z * share, (long long)k);
    return {first, min(first + share, k)};
}

// Whether any sum has a term with this element of op(A), of a row, or of op(B), of a column.
template <bool of_a> __device__ __forceinline__ bool looks_at(int across, int depth)
{
    return true;
}
