// KernelBench level 1, problem 91: running sums from the right of 128 rows of 4000.
// Sizes of the benchmark's first release; the current ones take 8.6 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(rows=128) let(cols=4000) in(x[rows*cols]=uniform(-1,1)) out(y[rows*cols]) \
    grid(rows) block(256)
__global__ void running_sum_reverse(const float *x, float *y, int cols)
{
    __shared__ float part[256];
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    float before = 0.0f; // what the chunks so far come to
    for (int first = 0; first < cols; first += blockDim.x) {
        int i = cols - 1 - first - (int)threadIdx.x;
        bool inside = first + threadIdx.x < cols;
        part[threadIdx.x] = inside ? x[i] : 0.0f;
        __syncthreads();
        for (int step = 1; step < blockDim.x; step *= 2) {
            float left = threadIdx.x >= step ? part[threadIdx.x - step] : 0.0f;
            __syncthreads();
            part[threadIdx.x] += left;
            __syncthreads();
        }
        if (inside)
            y[i] = before + part[threadIdx.x];
        before += part[blockDim.x - 1];
        __syncthreads();
    }
}

int main()
{
    need_gpu();
    int rows = 3, cols = 700;
    random_floats x(rows * cols, 91, -1, 1);
    floats y(rows * cols);
    LAUNCH(running_sum_reverse, rows, 256, x, y, cols);
    return compare("091_cumsum_reverse", y, [&](size_t at) {
        double all = 0;
        for (size_t i = at; i < (at / cols + 1) * cols; i++)
            all += x[i];
        return all;
    });
}
