// C = A B, one thread an element: the first matrix product of every course.
#include "../common/sample.h"

#pragma ks optimize
#pragma ks workload let(m=2048) let(n=2048) let(k=2048) in(a[m*k]) in(b[k*n]) out(c[m*n]) \
    grid(ceildiv(n,16), ceildiv(m,16)) block(16,16)
__global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}

int main(int argc, char **argv)
{
    need_gpu();
    int n = argc > 1 ? std::atoi(argv[1]) : 2048;
    std::vector<float> ha = random_floats((size_t)n * n, 5), hb = random_floats((size_t)n * n, 6);
    float *a = to_device(ha), *b = to_device(hb), *c;
    CHECK(cudaMalloc(&c, ha.size() * sizeof(float)));
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    auto run = [&] { gemm<<<grid, block>>>(a, b, c, n, n, n); };
    run();
    CHECK(cudaGetLastError());
    std::vector<float> got = to_host(c, ha.size());
    long checked = 0, wrong = 0;
    for (int row = 0; row < n; row += 37) { // every column of some rows: the CPU takes its time
        for (int col = 0; col < n; col++, checked++) {
            double want = 0, terms = 0;
            for (int i = 0; i < n; i++) {
                double term = (double)ha[(size_t)row * n + i] * hb[(size_t)i * n + col];
                want += term;
                terms += term < 0 ? -term : term;
            }
            double difference = got[(size_t)row * n + col] - want;
            wrong += !(difference <= 1e-6 * terms && difference >= -1e-6 * terms);
        }
    }
    std::printf("gemm %d^3 checked=%ld wrong=%ld\n", n, checked, wrong);
    report_time("gemm", 20, run);
    return wrong != 0;
}
