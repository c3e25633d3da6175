// Loads and stores with hints for caches, one in another, in both spellings of a place.
#pragma ks optimize
#pragma ks workload let(n=523) in(x[n]) in(w[2*n]) in(of[n]=randint(0,522)) inout(z[n]) out(y[n]) grid(ceildiv(n,64)) block(64)
__global__ void hinted(const float *x, const float *w, const int *of, float *z, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *half = w + n;
    float v = __ldcs(&x[i]) * __ldg(w + i) - __ldg(half + i) * *(half + i);
    v += __ldg(&w[__ldg(&of[i])]);
    __stcs(y + i, v + __ldlu(&z[i]) * __ldca(x + i));
    __stcg(&z[i], (1.0f - v) * z[i]);
}
