// A chain of element-wise steps, as they pile up in any simulation or network: each reads and
// writes whole arrays once.
#include "../common/sample.h"

#pragma ks optimize
#pragma ks workload let(n=67108864) set(a=1.5, b=-0.25) in(x[n]=uniform(-1,1)) out(y[n]) \
    grid(ceildiv(n,256)) block(256)
__global__ void scale_bias_relu(const float *x, float *y, float a, float b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = a * x[i] + b;
        y[i] = v > 0.0f ? v : 0.0f;
    }
}

#pragma ks optimize
#pragma ks workload let(n=67108864) in(x[n]=uniform(-1,1)) in(z[n]=uniform(-1,1)) \
    inout(y[n]=uniform(-1,1)) grid(ceildiv(n,256)) block(256)
__global__ void multiply_add(float *y, const float *x, const float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += x[i] * z[i];
}

#pragma ks optimize
#pragma ks workload let(n=67108864) in(y[n]=uniform(-1,1)) out(w[n]) \
    grid(ceildiv(n,256)) block(256)
__global__ void clamp_square(const float *y, float *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = fminf(fmaxf(y[i], -1.0f), 1.0f);
    w[i] = v * v;
}

static float expected(float x, float z)
{
    float y = 1.5f * x + -0.25f;
    y = y > 0.0f ? y : 0.0f;
    y += x * z;
    float v = y < -1.0f ? -1.0f : y > 1.0f ? 1.0f : y;
    return v * v;
}

int main(int argc, char **argv)
{
    need_gpu();
    int n = argc > 1 ? std::atoi(argv[1]) : 1 << 26;
    std::vector<float> hx = random_floats(n, 1), hz = random_floats(n, 2);
    float *x = to_device(hx), *z = to_device(hz), *y, *w;
    CHECK(cudaMalloc(&y, (size_t)n * sizeof(float)));
    CHECK(cudaMalloc(&w, (size_t)n * sizeof(float)));
    int blocks = (n + 255) / 256;

    auto chain = [&] {
        scale_bias_relu<<<blocks, 256>>>(x, y, 1.5f, -0.25f, n);
        multiply_add<<<blocks, 256>>>(y, x, z, n);
        clamp_square<<<blocks, 256>>>(y, w, n);
    };
    chain();
    CHECK(cudaGetLastError());
    std::vector<float> got = to_host(w, n);
    long wrong = 0;
    for (int i = 0; i < n; i++) {
        float want = expected(hx[i], hz[i]), difference = got[i] - want;
        wrong += !(difference <= 4e-7f && difference >= -4e-7f); // contraction of a*x+b, y+x*z
    }
    std::printf("elementwise n=%d wrong=%ld\n", n, wrong);
    report_time("chain", 20, chain);
    return wrong != 0;
}
