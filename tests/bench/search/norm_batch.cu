// Normalisation with values of each channel: divisions of indexes.
#pragma ks optimize tol(rel=1e-5,abs=1e-6)
#pragma ks workload let(n=16777216) let(area=4096) let(channels=64) in(x[n]=normal(0,1)) in(mean[channels]=uniform(-0.1,0.1)) \
    in(var[channels]=uniform(0.5,1.5)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void norm_batch(const float *x, const float *mean, const float *var, float *y, int area, int channels, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int c = i / area % channels;
        y[i] = (x[i] - mean[c]) / sqrtf(var[c] + 1e-5f);
    }
}
