// A line, further ahead than behind, in steps of the grid; coefficients lie along it, too.
#pragma ks optimize
#pragma ks workload let(n=5003) in(x[n+3]=randint(-9,9)) in(w[n+1]=uniform(0,1)) out(y[n]) grid(7) block(64)
__global__ void ahead(const short *x, const float4 *w, float *y, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float s = x[i] * w[i].x + x[i + 3] * w[i + 1].y;
        if (i >= 2u)
            s += x[i - 2] - w[i - 1].w;
        y[i] = s;
    }
}
