// KernelBench level 1, problem 93: running sums of 128 rows of 4000, of those elements that a mask
// names. Sizes of the benchmark's first release; the current ones take 8.6 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(rows=128) let(cols=4000) in(x[rows*cols]=uniform(-1,1)) \
    in(mask[rows*cols]=randint(0,1)) out(y[rows*cols]) grid(rows) block(256)
__global__ void running_sum_masked(const float *x, const unsigned char *mask, float *y, int cols)
{
    __shared__ float part[256];
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;
    mask += blockIdx.x * cols;
    float before = 0.0f; // what the chunks so far come to
    for (int first = 0; first < cols; first += blockDim.x) {
        int i = first + threadIdx.x;
        bool inside = first + threadIdx.x < cols;
        part[threadIdx.x] = inside && mask[i] ? x[i] : 0.0f;
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
    random_floats x(rows * cols, 93, -1, 1);
    array<unsigned char> mask(rows * cols);
    fill_random(mask, 930, 0, 2);
    floats y(rows * cols);
    LAUNCH(running_sum_masked, rows, 256, x, mask, y, cols);
    return compare("093_masked_cumsum", y, [&](size_t at) {
        double all = 0;
        for (size_t i = at / cols * cols; i <= at; i++)
            all += mask[i] ? x[i] : 0;
        return all;
    });
}
