// A block a row: how many rows there are, only the grid says.
#pragma ks optimize
#pragma ks workload let(batch=5,groups=3,cols=300) in(x[batch*groups*cols]) in(scale[groups]) out(y[batch*groups*cols]) grid(batch*groups) block(128)
__global__ void blocks(const float *x, const float *scale, float *y, int groups, int cols)
{
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[i] = x[i] * scale[blockIdx.x % groups];
}
