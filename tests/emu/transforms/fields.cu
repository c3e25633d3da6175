// Structs in a struct, members of several types, and a second struct beside it.
struct part {
    unsigned n;
    long long skip;
};
struct blend {
    part rows;
    const float *x, *y;
    float *out;
    double by;
    bool twice;
};
struct range {
    short low, high;
};

#pragma ks optimize
#pragma ks workload let(n=1000) in(b.x[n]=uniform(-4,4)) in(b.y[n]=uniform(-4,4)) out(b.out[n]) set(b.rows.n=n, b.rows.skip=3, b.by=0.5, b.twice=1, r.low=-2, r.high=3) grid(ceildiv(n,128)) block(128)
__global__ void blended(blend b, range r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < b.rows.n) {
        float v = b.x[i] * (float)b.by + b.y[i] / b.rows.skip;
        if (b.twice)
            v += v;
        b.out[i] = v < r.low ? r.low : v > r.high ? r.high : v;
    }
}
