constexpr int threads = @threads@, warps = threads / 32, lines = @lines@;
constexpr int lanes = 16 / sizeof(@T@);
constexpr int x_bytes = lanes * sizeof(@X@), x_even = x_bytes > 16 ? 16 : x_bytes;

struct alignas(16) pack {
    @T@ lane[lanes];
};
struct alignas(x_even) pack_of_x { // as many elements
    @X@ lane[lanes];
};

__device__ __forceinline__ bool aligned(const void *at)
{
    return reinterpret_cast<size_t>(at) % 16 == 0;
}

// Adds to each sum what thread `t` has of its line of A times x, from `from` to `to`: all lines share each element of x.
__device__ __forceinline__ void add_products(@T_sum@ (&sum)[lines], const @T@ *const (&line)[lines], bool packed,
                                             const @X@ *__restrict__ x, int from, int to, int t)
{
    if (packed) {
        _Pragma("unroll 4") for (int l = from + t * lanes; l < to; l += threads * lanes) {
            const pack_of_x v = *reinterpret_cast<const pack_of_x *>(x + l);
            _Pragma("unroll") for (int r = 0; r < lines; r++) {
                const pack u = *reinterpret_cast<const pack *>(line[r] + l);
                _Pragma("unroll") for (int i = 0; i < lanes; i++)
                    sum[r] += @T_wide@(u.lane[i]) * @X_wide@(v.lane[i]);
            }
        }
    } else {
        for (int l = from + t; l < to; l += threads)
            _Pragma("unroll") for (int r = 0; r < lines; r++)
                sum[r] += @T_wide@(line[r][l]) * @X_wide@(x[l]);
    }
}

// What an element is stored as; its place is that among all products of a batch.
__device__ __forceinline__ @R@ finished(@T_sum@ its_sum, int its_row, size_t its_place@tail_takes@)
{
    (void)its_row, (void)its_place;
@tail@}
