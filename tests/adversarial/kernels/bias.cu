// y = x + bias, or x where there is no bias.
#pragma ks optimize
#pragma ks workload name(with) let(n=1048576) in(x[n]) in(bias[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
#pragma ks workload name(without) let(n=1048576) in(x[n]) set(bias=nullptr) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void add_bias(const float *x, const float *bias, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = bias ? x[i] + bias[i] : x[i];
}
