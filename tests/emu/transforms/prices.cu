// Results through references, behind a condition: no declaration of the function.
__device__ inline void both(float &call, float &put, float price, float strike)
{
    const float gain = price - strike;
    call = gain > 0 ? gain : 0;
    put = call - gain;
}

#pragma ks optimize
#pragma ks workload let(n=300) in(price[n]=uniform(1,9)) in(strike[n]=uniform(1,9)) out(call[n]) out(put[n]) grid(ceildiv(n,64)) block(64)
__global__ void prices(const float *price, const float *strike, float *call, float *put, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
        both(call[i], put[i], price[i], strike[i]);
}
