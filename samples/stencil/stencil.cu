// Heat spreading over a plate: a time loop over a five-point stencil.
#include "../common/sample.h"
#include "heat.cuh"

static void step_on_cpu(const std::vector<float> &u, std::vector<float> &v, int n)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            size_t i = (size_t)y * n + x;
            bool edge = x == 0 || y == 0 || x == n - 1 || y == n - 1;
            v[i] = edge ? u[i]
                        : u[i] + 0.1f * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n] - 4.0f * u[i]);
        }
}

int main(int argc, char **argv)
{
    need_gpu();
    int n = argc > 1 ? std::atoi(argv[1]) : 4096, steps = 10;
    std::vector<float> host = random_floats((size_t)n * n, 7), next(host.size());
    float *u = to_device(host), *v = to_device(host);
    dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
    for (int step = 0; step < steps; step++) {
        heat_step<<<grid, block>>>(u, v, 0.1f, n, n);
        std::swap(u, v);
        step_on_cpu(host, next, n);
        host.swap(next);
    }
    CHECK(cudaGetLastError());
    std::vector<float> got = to_host(u, host.size());
    long wrong = 0;
    for (size_t i = 0; i < host.size(); i++) {
        float difference = got[i] - host[i];
        wrong += !(difference <= 1e-5f && difference >= -1e-5f); // ten steps of contraction
    }
    std::printf("stencil %dx%d steps=%d wrong=%ld\n", n, n, steps, wrong);
    report_time("heat_step", 50, [&] { heat_step<<<grid, block>>>(u, v, 0.1f, n, n); });
    return wrong != 0;
}
