struct storage { // of a block, in shared memory behind the tiles
    steps table[chunk]; // of two chunks
    int w_table[2 * chunk]; // and in bytes the weight's place behind the channel's first
    offset offsets[taps];
    place places_of[bm];
    int in_y[bm]; // where in a channel of y they lie, or -1
    int active; // taps of this phase
};

// Tensor cores cut off 13 bits, or multiply one of two parts.
__device__ __forceinline__ float part_of(float f, int part)
{
    const unsigned v = __float_as_uint(f);
    return !thrice ? f : __uint_as_float(part == 0 ? nearest(v) : left(v));
}

// A tile of weights in shared memory, a line a channel; what is left of them lies behind the nearest.
constexpr int parts = thrice ? 2 : 1, part_bytes = bn * line, tile_bytes = parts * part_bytes;

// From a channel and a depth on.
__device__ __forceinline__ unsigned long long at_tile(unsigned tile, int channel, int depth)
{
    return described(tile + channel * line + depth * 4, part_bytes);
}

struct registers { // what a thread has of x, eight of depth at a time
    unsigned of[deep / 8][4];
};
struct alignas(16) four {
    float lane[4];
};
typedef float a_lane_s_sums[1][bn / 8][4];

// Sums that were waited for, from a channel on.
template <int wide>
__device__ __forceinline__ void add(a_lane_s_sums &sums, float (&what)[1][wide][4], int channel, float times)
{
    _Pragma("unroll") for (int e = 0; e < wide * 4; e++) {
        sums[0][channel / 8 + e / 4][e % 4] += what[0][e / 4][e % 4] * times;
        what[0][e / 4][e % 4] = 0;
    }
}

// The sum of a place and a channel, whose weights begin at `w`, term by term.
__device__ __noinline__ float by_terms(const float *x, const float *w, const storage &m, place p, shape s, int cig, int cog,
                                       int all@head_parameters@)
{
    const int plane = s.d * s.h * s.w;
    float sum = 0;
    for (int c = 0; c < cig; c++)
        for (int n = 0; n < all; n++) {
            const offset f = m.offsets[n];
            if (reaches(p, {0, f.bits}, m.offsets, s))
                sum += of_x(x[p.at + c * plane + f.all]@head_arguments@) *
                       of_weight(w[c * (back ? cog * taps : taps) + f.tap]@head_arguments@);
        }
    return sum;
}

__global__ void __launch_bounds__(threads, blocks)
    conv_wgmma_tiles(const float *__restrict__ x, const float *__restrict__ weight, float *__restrict__ y,
                     int ci, int co, int d, int h, int w, int od, int oh, int ow@head_parameters@@tail_parameters@)
{
    extern __shared__ uint4 room[];
    char *const memory = reinterpret_cast<char *>(room) + (-shared_at(room) & 8 * line - 1);
    storage &m = *reinterpret_cast<storage *>(memory + stages * tile_bytes);
