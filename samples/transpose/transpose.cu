// The transpose everybody writes first: reads along rows, writes along columns.
#include "../common/sample.h"

#pragma ks optimize
#pragma ks workload let(rows=8192) let(cols=8192) in(a[rows*cols]) out(b[rows*cols]) \
    grid(ceildiv(cols,32), ceildiv(rows,8)) block(32,8)
__global__ void transpose(const float *a, float *b, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)
        b[(size_t)col * rows + row] = a[(size_t)row * cols + col];
}

int main(int argc, char **argv)
{
    need_gpu();
    int n = argc > 1 ? std::atoi(argv[1]) : 8192;
    std::vector<float> host = random_floats((size_t)n * n, 4);
    float *a = to_device(host), *b;
    CHECK(cudaMalloc(&b, host.size() * sizeof(float)));
    dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
    auto run = [&] { transpose<<<grid, block>>>(a, b, n, n); };
    run();
    CHECK(cudaGetLastError());
    std::vector<float> got = to_host(b, host.size());
    long wrong = 0;
    for (int row = 0; row < n; row++)
        for (int col = 0; col < n; col++)
            wrong += got[(size_t)col * n + row] != host[(size_t)row * n + col];
    std::printf("transpose %dx%d wrong=%ld\n", n, n, wrong);
    report_time("transpose", 20, run);
    return wrong != 0;
}
