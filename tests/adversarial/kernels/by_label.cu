// Sums by a label; what is below zero belongs nowhere.
#pragma ks optimize
#pragma ks workload let(n=1<<20) in(label[n]=randint(-1,19)) in(x[n]) inout(sum[20]) grid(ceildiv(n,64)) block(64)
__global__ void by_label(const int *label, const float *x, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && label[i] >= 0)
        atomicAdd(&sum[label[i]], x[i]);
}
