// Rows walked by pointers that move as the loop counts.
#pragma ks optimize
#pragma ks workload let(rows=13,d=300) in(x[rows*d]) in(scale[d]) out(y[rows*d]) out(sums[64*rows]) grid(rows) block(64)
__global__ void steps(const float *x, const float *scale, float *y, float *sums, int rows, int d)
{
    const float *in = x + blockIdx.x * d + threadIdx.x;
    float *out = y + blockIdx.x * d + threadIdx.x, sum = in[0];
    for (int i = threadIdx.x; i < d; i += blockDim.x) {
        sum += *in * *in;
        out[0] = in[0] * scale[i];
        out += blockDim.x;
        in += blockDim.x;
    }
    const float *last = x;
    for (int k = 3; k < 7; k++) {
        sum += k < d ? last[3] : 0;
        ++last;
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
