// KernelBench level 1, problem 92: running sums without the element itself, of 127 rows of 4001:
// the definition puts a zero before each row and then leaves out the last row. Sizes of the
// benchmark's first release; the current ones take 8.6 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(rows=127) let(cols=4000) in(x[(rows+1)*cols]=uniform(-1,1)) \
    out(y[rows*(cols+1)]) grid(rows) block(256)
__global__ void running_sum_exclusive(const float *x, float *y, int cols)
{
    __shared__ float part[256];
    x += blockIdx.x * cols;
    y += blockIdx.x * (cols + 1);
    float before = 0.0f; // what the chunks so far come to
    if (threadIdx.x == 0)
        y[0] = 0.0f;
    for (int first = 0; first < cols; first += blockDim.x) {
        int i = first + threadIdx.x;
        part[threadIdx.x] = i < cols ? x[i] : 0.0f;
        __syncthreads();
        for (int step = 1; step < blockDim.x; step *= 2) {
            float left = threadIdx.x >= step ? part[threadIdx.x - step] : 0.0f;
            __syncthreads();
            part[threadIdx.x] += left;
            __syncthreads();
        }
        if (i < cols)
            y[i + 1] = before + part[threadIdx.x];
        before += part[blockDim.x - 1];
        __syncthreads();
    }
}

int main()
{
    need_gpu();
    int rows = 3, cols = 700;
    random_floats x((rows + 1) * cols, 92);
    floats y(rows * (cols + 1));
    LAUNCH(running_sum_exclusive, rows, 256, x, y, cols);
    return compare("092_cumsum_exclusive", y, [&](size_t at) {
        double all = 0;
        for (size_t i = 0; i < at % (cols + 1); i++)
            all += x[at / (cols + 1) * cols + i];
        return all;
    });
}
