// Numbers in tenths, to the nearest.
#pragma ks optimize
#pragma ks workload let(n=4000) in(x[n]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void decimal(const float *x, short *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = (short)fminf(fmaxf(rintf(x[i] * 10.f), -32768.f), 32767.f);
}
