// Running products of rows, a block each: by doubling steps in pieces of a block, so that products of neighbours leave
// the range of floats where those of the row's beginning do not, and the other way round.
#pragma ks optimize
#pragma ks workload let(rows=12,cols=300) in(x[rows*cols]=uniform(0.9,1.1)) out(y[rows*cols]) grid(rows) block(64)
__global__ void running_product(const float *x, float *y, int cols)
{
    __shared__ float part[64];
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float before = 1.0f;
    for (int first = 0; first < cols; first += blockDim.x) {
        int i = first + threadIdx.x;
        part[threadIdx.x] = i < cols ? x[i] : 1.0f;
        __syncthreads();
        for (int step = 1; step < blockDim.x; step *= 2) {
            float left = threadIdx.x >= step ? part[threadIdx.x - step] : 1.0f;
            __syncthreads();
            part[threadIdx.x] *= left;
            __syncthreads();
        }
        if (i < cols)
            y[i] = before * part[threadIdx.x];
        before *= part[blockDim.x - 1];
        __syncthreads();
    }
}
