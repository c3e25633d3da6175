// KernelBench level 1, problem 51: index of the first largest over the middle dimension of 16 x 256
// x 256. Sizes of the benchmark's first release; the current ones take 8.6 GB.
#include "../port.h"

#pragma ks optimize
#pragma ks workload let(batch=16) let(rows=256) let(cols=256) in(x[batch*rows*cols]=uniform(-1,1)) \
    out(y[batch*cols]) grid(ceildiv(cols,256),batch) block(256)
__global__ void argmax_middle(const float *x, long long *y, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols)
        return;
    x += blockIdx.y * rows * cols + col;
    float best = x[0];
    int where = 0;
    for (int row = 1; row < rows; row++)
        if (x[row * cols] > best) {
            best = x[row * cols];
            where = row;
        }
    y[blockIdx.y * cols + col] = where;
}

int main()
{
    need_gpu();
    int batch = 2, rows = 37, cols = 300;
    random_floats x(batch * rows * cols, 51);
    array<long long> y(batch * cols);
    LAUNCH(argmax_middle, dim3(ceildiv(cols, 256), batch), 256, x, y, rows, cols);
    return compare("051_Argmax_over_a_dimension", y, [&](size_t at) {
        const float *column = x + at / cols * rows * cols + at % cols;
        long long where = 0;
        for (int row = rows - 1; row >= 0; row--)
            if (!(column[where * cols] > column[row * cols]))
                where = row;
        return where;
    });
}
