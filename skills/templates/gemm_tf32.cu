// Factors are rounded when they come from shared memory.
typedef float type_a, type_b;
constexpr int step_deep = 8, regs_a = 4, regs_b = 4; // of a fragment

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

// Infinities and what is near the end of fp32 have no two parts, and leave no number: such a sum is done term by term.
__device__ __forceinline__ float settled(float its_sum, const float *a, const float *b, int m, int n, int k, int row, int col)
{
    if (!thrice || its_sum - its_sum == 0)
        return its_sum;
    float sum = 0;
    for (int l = 0; l < k; l++)
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

// 16 x 8 from x and d on: lines of the matrix `first` are the first index of the fragment.
template <bool deep, bool first, int across>
__device__ __forceinline__ void fragment(unsigned (&r)[4], unsigned at, const float *tile, int x, int d, int lane)
{
    if (deep) {
        const int low = lane % 8, one = lane / 8 % 2, two = lane / 16; // which matrix: one + 2 * two
        const int of_x = first ? one : two, of_d = first ? two : one;
        load(r, at + 4 * placed<deep, across>(tile, x + of_x * 8 + low, d / 4 + of_d));
    } else {
        const int low = lane / 4;
        _Pragma("unroll") for (int i = 0; i < 4; i++) {
            const int of_x = first ? i % 2 : i / 2, of_d = first ? i / 2 : i % 2;
            const int at_x = x + of_x * 8 + low;
            r[i] = __float_as_uint(tile[placed<deep, across>(tile, d + of_d * 4 + lane % 4, at_x / 4) + at_x % 4]);
        }
    }
    _Pragma("unroll") for (int i = 0; i < 4 && !thrice; i++)
        r[i] = __float_as_uint(nvcuda::wmma::__float_to_tf32(__uint_as_float(r[i])));
}
