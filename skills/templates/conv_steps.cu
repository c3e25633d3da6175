// A convolution as a matrix product whose left operand, the windows of x, is never written down. In a transposed one
// outputs whose places are equal modulo the stride take the same taps: they are a product of their own (a phase).
// What comes before says how a tile is multiplied.
constexpr bool back = @back@;
constexpr int kd = @kd@, kh = @kh@, kw = @kw@, groups = @groups@, taps = kd * kh * kw;
constexpr int td = back ? @sd@ : 1, th = back ? @sh@ : 1, tw = back ? @sw@ : 1; // phases
constexpr int md = back ? 1 : @sd@, mh = back ? 1 : @sh@, mw = back ? 1 : @sw@; // steps in x
constexpr bool edges = back || @pd@ + @ph@ + @pw@ > 0; // windows may stand out of x
constexpr bool phases = td * th * tw > 1;
constexpr bool masked = kd + kh + kw < 32; // a bit for each row, line and column of taps
constexpr int chunk = threads;             // steps of the depth that are prepared together
constexpr int outside = -(1 << 28);

struct offset { // of a tap: its number; from a place's first element, alone and in all; and its bits, or its place here
    int tap, z, y, x, all, bits;
};
struct shape {
    int d, h, w, od, oh, ow;
};
// A step of the depth, a tap of a channel of x: how many bytes from a place's first element, and the bits of its
// row, line and column; where taps are too many for that, its place in `offsets`. Behind the depth: -1.
struct step {
    int at, tap;
};
struct alignas(16) steps {
    step one[2];
};

// Where tap t lies behind the place's first element along one axis; false: the phase has no such tap.
__device__ __forceinline__ bool tap_at(int t, int step, int dilation, int pad, int phase, int *at)
{
    const int way = phase + pad - t * dilation;
    *at = back ? way / step : t * dilation;
    return !back || way % step == 0;
}

// Where a place of y begins in x; `out`: which rows, lines and columns of taps lie outside x, and the topmost bit.
struct place {
    int at, z, y, x;
    unsigned out;
};

__device__ __forceinline__ bool inside(int z, int y, int x, const shape &s)
{
    return (unsigned)z < (unsigned)s.d && (unsigned)y < (unsigned)s.h && (unsigned)x < (unsigned)s.w;
}

__device__ __forceinline__ bool reaches(const place &p, const step &f, const offset *offsets, const shape &s)
{
    if (masked)
        return (f.tap & p.out) == 0;
    const offset o = offsets[f.tap < 0 ? 0 : f.tap];
    return f.tap >= 0 && inside(p.z + o.z, p.y + o.y, p.x + o.x, s);
}

// What the kernel makes of elements on the way; of zeros outside x it makes nothing.
__device__ __forceinline__ @head_type@ added(@head_type@ its_sum@head_takes@)
{
@head@}

__device__ __forceinline__ @T@ of_x(@T@ in_x@head_parameters@)
{
    return @x_factor@;
}

__device__ __forceinline__ @T@ of_weight(@T@ in_w@head_parameters@)
{
    return @weight_factor@;
}

// What the kernel does with each element, at `place` of y.
__device__ __forceinline__ @T@ finished(@T@ its_sum, long long its_place, int its_channel@tail_takes@)
{
@tail@}

