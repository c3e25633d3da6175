// KernelBench level 1, problem 90: running products of 128 rows of 4000.
// Sizes of the benchmark's first release; the current ones take 8.6 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(rows=128) let(cols=4000) in(x[rows*cols]=uniform(0.9,1.1)) \
    out(y[rows*cols]) grid(rows) block(256)
__global__ void running_product(const float *x, float *y, int cols)
{
    __shared__ float part[256];
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float before = 1.0f; // what the chunks so far come to
    for (int first = 0; first < cols; first += blockDim.x) {
        int i = first + threadIdx.x;
        bool inside = first + threadIdx.x < cols;
        part[threadIdx.x] = inside ? x[i] : 1.0f;
        __syncthreads();
        for (int step = 1; step < blockDim.x; step *= 2) {
            float left = threadIdx.x >= step ? part[threadIdx.x - step] : 1.0f;
            __syncthreads();
            part[threadIdx.x] *= left;
            __syncthreads();
        }
        if (inside)
            y[i] = before * part[threadIdx.x];
        before *= part[blockDim.x - 1];
        __syncthreads();
    }
}

int main()
{
    need_gpu();
    int rows = 3, cols = 700;
    random_floats x(rows * cols, 90, 0.9, 1.1);
    floats y(rows * cols);
    LAUNCH(running_product, rows, 256, x, y, cols);
    return compare("090_cumprod", y, [&](size_t at) {
        double all = 1;
        for (size_t i = at / cols * cols; i <= at; i++)
            all *= x[i];
        return all;
    });
}
