// One factor is of fp32: two numbers of TF32, the nearest and what is left of it. The other, of halves, is one as it is. Of
// depth a lane has neighbours, as fragments of halves have it, 16 at a time.
typedef @H@ a_half;
typedef @A@ type_a;
typedef @B@ type_b;
constexpr int step_deep = 16, regs_a = sizeof(type_a) * 2, regs_b = sizeof(type_b) * 2; // of a fragment
constexpr int rounds = 2, together = 1;
constexpr bool splits = true;

__device__ __forceinline__ float widened(float v)
{
    return v;
}

__device__ __forceinline__ float widened(a_half v)
{
    return @H_wide@(v);
}

// The element of a fragment at x or x + 8, d or d + 8, and the lane's first or second neighbour, for one round.
template <bool first> __device__ __forceinline__ unsigned taken(const unsigned (&r)[8], int of_x, int of_d, int second, int round)
{
    const unsigned v = r[(of_x * 2 + of_d) * 2 + second];
    return round == 0 ? left(v) : nearest(v);
}

template <bool first> __device__ __forceinline__ unsigned taken(const unsigned (&r)[4], int of_x, int of_d, int second, int)
{
    const unsigned both = r[first ? of_d * 2 + of_x : of_x * 2 + of_d];
    const unsigned short bits = (unsigned short)(both >> 16 * second);
    return __float_as_uint(widened(reinterpret_cast<const a_half &>(bits)));
}

__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[regs_a], const unsigned (&b)[regs_b], int side, int round)
{
    _Pragma("unroll") for (int of_d = 0; of_d < 2; of_d++) {
        const unsigned parts[4] = {taken<true>(a, 0, of_d, 0, round), taken<true>(a, 1, of_d, 0, round),
                                   taken<true>(a, 0, of_d, 1, round), taken<true>(a, 1, of_d, 1, round)};
        multiply_once(c, parts, taken<false>(b, side, of_d, 0, round), taken<false>(b, side, of_d, 1, round));
    }
}

__device__ __forceinline__ float by_terms(const type_a *a, const type_b *b, int m, int n, int k, int depth, int row, int col)
{
    float sum = 0;
    for (int l = 0; l < depth; l++)
        sum += widened(a[@a_deep@ ? (size_t)row * k + l : (size_t)l * m + row]) *
               widened(b[@b_deep@ ? (size_t)col * k + l : (size_t)l * n + col]);
    return sum;
}

// Where a pack of four lies in a tile. What half a warp reads at once, two neighbours in depth a lane of four lines or four
// lines of eight neighbours, is in different banks.
template <bool deep, int across> __device__ __forceinline__ int placed(const float *, int line, int pack)
{
    return line * across + (pack ^ (deep ? line % 4 : line / 2 % 4) * 2) * 4;
}

// 16 x 16 from x and d on.
template <bool deep, bool first, int across>
__device__ __forceinline__ void fragment(unsigned (&r)[8], unsigned, const float *tile, int x, int d, int lane)
{
    _Pragma("unroll") for (int i = 0; i < 4; i++) {
        const int at_x = x + i / 2 * 8 + lane / 4, at_d = d + i % 2 * 8 + lane % 4 * 2;
        if (deep) {
            const uint2 both = *reinterpret_cast<const uint2 *>(tile + placed<deep, across>(tile, at_x, at_d / 4) + at_d % 4);
            r[i * 2] = both.x;
            r[i * 2 + 1] = both.y;
        } else {
            _Pragma("unroll") for (int l = 0; l < 2; l++)
                r[i * 2 + l] = __float_as_uint(tile[placed<deep, across>(tile, at_d + l, at_x / 4) + at_x % 4]);
        }
    }
}
