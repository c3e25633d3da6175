// Of halves: what lanes read from tiles in shared memory.
__device__ __forceinline__ unsigned shared_at(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

// Four 8 x 8 matrices whose lines the lanes point at; `turned`: transposed on the way.
template <bool turned> __device__ __forceinline__ void load(unsigned (&r)[4], unsigned at)
{
    if (turned)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}

// Where a pack of eight lies in a tile: eight lines of a column of packs are in different banks.
template <bool deep, int across> __device__ __forceinline__ int placed(const a_half *, int line, int pack)
{
    return line * across + (pack ^ (across == 32 ? line / 2 % 4 : line % 8)) * 8;
}

// Lines so far apart are placed alike.
__device__ constexpr int alike(bool deep)
{
    return 8;
}

// 16 x 16 from x and d on: lines of the matrix `first` are the first index of the fragment.
template <bool deep, bool first, int across>
__device__ __forceinline__ void fragment(unsigned (&r)[4], unsigned at, const a_half *tile, int x, int d, int lane)
{
    const int low = lane % 8, one = lane / 8 % 2, two = lane / 16; // which matrix: one + 2 * two
    const int of_x = first ? one : two, of_d = first ? two : one;
    load<!deep>(r, at + 2 * (deep ? placed<deep, across>(tile, x + of_x * 8 + low, d / 8 + of_d)
                                  : placed<deep, across>(tile, d + of_d * 8 + low, x / 8 + of_x)));
}

constexpr bool permuted = false;
template <bool deep> __device__ __forceinline__ int line_of(int eighth, int r)
{
    return eighth * 8 + r;
}

template <bool deep, bool first, int across, class E, int count, int regs>
__device__ __forceinline__ void fragments(unsigned (&r)[count][regs], unsigned at, const E *tile, int x, int d, int lane)
{
    _Pragma("unroll") for (int i = 0; i < count; i++)
        fragment<deep, first, across>(r[i], at, tile, x + i * 16, d, lane);
}
