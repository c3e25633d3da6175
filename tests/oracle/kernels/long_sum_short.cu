// A sum of many equal terms, one after the other: each is rounded alike, so that the result errs by hundreds of units,
// more than any order of halves would.
#pragma ks optimize
#pragma ks workload let(n=1<<17) in(x[n]=constant(0.1)) out(sum[1]) grid(1) block(32)
__global__ void long_sum(const float *x, float *sum, int n)
{
    if (threadIdx.x > 0)
        return;
    float total = 0;
    for (int i = 0; i < n; i++)
        total += x[i];
    sum[0] = total;
}
