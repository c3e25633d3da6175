// Sums of the rows of a matrix, one thread a row: simple, right, and far from the memory's speed.
#include "../common/sample.h"

#pragma ks optimize
#pragma ks workload let(rows=16384) let(cols=4096) in(x[rows*cols]=uniform(-1,1)) out(sum[rows]) \
    grid(ceildiv(rows,128)) block(128)
__global__ void row_sum(const float *x, float *sum, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float total = 0.0f;
    for (int col = 0; col < cols; col++)
        total += x[(size_t)row * cols + col];
    sum[row] = total;
}

int main(int argc, char **argv)
{
    need_gpu();
    int rows = argc > 1 ? std::atoi(argv[1]) : 16384, cols = argc > 2 ? std::atoi(argv[2]) : 4096;
    std::vector<float> host = random_floats((size_t)rows * cols, 3);
    float *x = to_device(host), *sum;
    CHECK(cudaMalloc(&sum, rows * sizeof(float)));
    auto run = [&] { row_sum<<<(rows + 127) / 128, 128>>>(x, sum, rows, cols); };
    run();
    CHECK(cudaGetLastError());
    std::vector<float> got = to_host(sum, rows);
    long wrong = 0;
    for (int row = 0; row < rows; row++) {
        double want = 0, terms = 0;
        for (int col = 0; col < cols; col++) {
            double term = host[(size_t)row * cols + col];
            want += term;
            terms += term < 0 ? -term : term;
        }
        double difference = got[row] - want;
        wrong += !(difference <= 1e-6 * terms && difference >= -1e-6 * terms);
    }
    std::printf("rowsum %dx%d wrong=%ld\n", rows, cols, wrong);
    report_time("row_sum", 20, run);
    return wrong != 0;
}
