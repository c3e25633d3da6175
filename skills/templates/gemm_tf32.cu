// Factors are rounded, or split, when they come from shared memory.
typedef float type_a, type_b;
constexpr int step_deep = 8, regs_a = 4, regs_b = 4; // of a fragment
constexpr int together = thrice ? 2 : 1;
constexpr bool splits = thrice;

__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[4], int side, int round)
{
    multiply(c, a, b[side * 2], b[side * 2 + 1], round);
}

__device__ __forceinline__ unsigned shared_at(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

// Four 8 x 4 matrices whose lines the lanes point at.
__device__ __forceinline__ void load(unsigned (&r)[4], unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}

__device__ __forceinline__ float by_terms(const float *a, const float *b, int m, int n, int k, int depth, int row, int col)
{
    float sum = 0;
    for (int l = 0; l < depth; l++)
        sum += a[@a_deep@ ? (size_t)row * k + l : (size_t)l * m + row] * b[@b_deep@ ? (size_t)col * k + l : (size_t)l * n + col];
    return sum;
}

// Where a pack of four lies in a tile. Of lines in depth eight of a column of packs are in different
// banks; of the others four lines of eight neighbours.
template <bool deep, int across> __device__ __forceinline__ int placed(const float *, int line, int pack)
{
    return line * across + (pack ^ (!deep ? line % 4 * 2 : across == 16 ? line / 2 % 4 : line % 8)) * 4;
}

// Lines so far apart are placed alike.
__device__ constexpr int alike(bool deep)
{
    return deep ? 8 : 4;
}

// What is not in depth is read four neighbours at once, which go to four fragments: so the r-th line of an eighth of a warp's.
constexpr bool permuted = true;
template <bool deep> __device__ __forceinline__ int line_of(int eighth, int r)
{
    return deep ? eighth * 8 + r : eighth / 4 * 32 + r * 4 + eighth % 4;
}

// To nearest, for a multiplication that cuts off 13 bits: half of what the last of the others stands for is added.
__device__ __forceinline__ unsigned rounded(unsigned v)
{
    return __float_as_uint(fmaf(__uint_as_float(v & ~0u << 23), 0x1p-11f, __uint_as_float(v)));
}

// 16 x 8 each from x and d on: lines of the matrix `first` are the first index of the fragment.
template <bool deep, bool first, int across, int count>
__device__ __forceinline__ void fragments(unsigned (&r)[count][4], unsigned at, const float *tile, int x, int d, int lane)
{
    if (deep) {
        const int low = lane % 8, one = lane / 8 % 2, two = lane / 16; // which matrix: one + 2 * two
        const int of_x = first ? one : two, of_d = first ? two : one;
        _Pragma("unroll") for (int i = 0; i < count; i++)
            load(r[i], at + 4 * placed<deep, across>(tile, x + i * 16 + of_x * 8 + low, d / 4 + of_d));
    } else {
        _Pragma("unroll") for (int i = 0; i < count; i += 2)
            _Pragma("unroll") for (int of_d = 0; of_d < 2; of_d++) {
                const int line = d + of_d * 4 + lane % 4, pack = (x + i * 16) / 4 + lane / 4;
                const uint4 four = *reinterpret_cast<const uint4 *>(tile + placed<deep, across>(tile, line, pack));
                const unsigned of[4] = {four.x, four.y, four.z, four.w};
                _Pragma("unroll") for (int l = 0; l < 4; l++)
                    r[i + l / 2][first ? l % 2 + of_d * 2 : l % 2 * 2 + of_d] = of[l];
            }
    }
    _Pragma("unroll") for (int i = 0; i < count * 4 && !thrice; i++)
        r[i / 4][i % 4] = rounded(r[i / 4][i % 4]);
}
