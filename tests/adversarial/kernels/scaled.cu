// Whole sums as bytes, by a scale and a zero point; halves to even.
#pragma ks optimize
#pragma ks workload let(n=1<<22) set(s=0.0042,zero=-5) in(sum[n]) out(q[n]) grid(ceildiv(n,256)) block(256)
__global__ void scaled(const int *sum, signed char *q, float s, int zero, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = rintf((float)sum[i] * s) + (float)zero;
    q[i] = (signed char)(int)fminf(fmaxf(v, -128.f), 127.f);
}
