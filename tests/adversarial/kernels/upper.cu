// The upper half of each number's bits, to the nearest, and a NaN for a NaN: bfloat16.
#pragma ks optimize
#pragma ks workload let(n=200000) in(x[n]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void upper(const float *x, unsigned short *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned bits = __float_as_uint(x[i]);
    y[i] = isnan(x[i]) ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
