// A difference that a ReLU clips: no signs of the inputs make its terms add up.
#pragma ks optimize
#pragma ks workload let(n=16384) in(x[4*n]=uniform(0.5,1)) in(w[4]=uniform(0.5,1)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void clipped(const float *x, const float *w, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += x[4 * i + k] * w[k];
    y[i] = fmaxf((sum - 2.0f) * 1.5f, 0.0f);
}
