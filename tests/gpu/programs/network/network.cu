// A small network's inference: matrix products by cuBLAS where it is installed (else a kernel of its own), batches by
// turns in two streams, each layer's rest in a graph that stream capture makes. A line of results, then what was
// launched, as NAME=VALUE.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <vector>

#define OK(call)                                                                                      \
    do {                                                                                          \
        cudaError_t e_ = (call);                                                                  \
        if (e_ != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_));                               \
            exit(90);                                                                             \
        }                                                                                         \
    } while (0)

template <class T> struct Tensor { // a view
    T *at;
    int rows, cols;
};

namespace net {
__global__ void bias_relu(float *y, const float *bias, int rows, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols)
        y[i] = fmaxf(y[i] + bias[i % cols], 0.f);
}

template <class T> __global__ void softmax(Tensor<T> y, Tensor<const T> x)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= x.rows)
        return;
    const T *in = x.at + (long)row * x.cols;
    T most = in[0], sum = 0;
    for (int i = 1; i < x.cols; i++)
        most = in[i] > most ? in[i] : most;
    for (int i = 0; i < x.cols; i++)
        sum += expf(in[i] - most);
    for (int i = 0; i < x.cols; i++)
        y.at[(long)row * x.cols + i] = expf(in[i] - most) / sum;
}

__global__ void best(int *label, const float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int at = 0;
    for (int i = 1; i < cols; i++)
        if (y[(long)row * cols + i] > y[(long)row * cols + at])
            at = i;
    label[row] = at;
}

__global__ void product(float *c, const float *a, const float *b, int rows, int inner, int cols) // row-major
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols)
        return;
    float sum = 0;
    for (int k = 0; k < inner; k++)
        sum += a[(long)row * inner + k] * b[(long)k * cols + col];
    c[(long)row * cols + col] = sum;
}
}

typedef int (*create_t)(void **);
typedef int (*stream_t)(void *, cudaStream_t);
typedef int (*gemm_t)(void *, int, int, int, int, int, const float *, const float *, int, const float *, int, const float *,
                      float *, int);
static struct {
    void *handle;
    stream_t stream;
    gemm_t gemm;
} blas;

static void open_blas()
{
    void *h = dlopen("libcublas.so.13", RTLD_NOW);
    create_t create = h ? (create_t)dlsym(h, "cublasCreate_v2") : nullptr;
    blas.stream = h ? (stream_t)dlsym(h, "cublasSetStream_v2") : nullptr;
    blas.gemm = h ? (gemm_t)dlsym(h, "cublasSgemm_v2") : nullptr;
    if (!create || !blas.stream || !blas.gemm || create(&blas.handle) != 0)
        blas.handle = nullptr;
}

static int products;

static void multiply(float *c, const float *a, const float *b, int rows, int inner, int cols, cudaStream_t s)
{
    const float one = 1, zero = 0;
    if (blas.handle && blas.stream(blas.handle, s) == 0 &&
        blas.gemm(blas.handle, 0, 0, cols, rows, inner, &one, b, cols, a, inner, &zero, c, cols) == 0)
        return;
    products++;
    net::product<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16), 0, s>>>(c, a, b, rows, inner, cols);
}

static float *fresh(int n, int seed, float scale)
{
    std::vector<float> h(n);
    unsigned state = seed;
    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        h[i] = scale * ((float)(state >> 8) / (1 << 23) - 1);
    }
    float *at;
    OK(cudaMalloc(&at, 4 * n));
    OK(cudaMemcpy(at, h.data(), 4 * n, cudaMemcpyHostToDevice));
    return at;
}

int main()
{
    const int rows = 3000, inner = 784, cols = 512, classes = 100, batches = 8;
    float *w1 = fresh(inner * cols, 1, 0.1f), *w2 = fresh(cols * classes, 2, 0.1f), *bias = fresh(cols, 3, 0.2f);
    float *x[2], *hidden[2], *out[2], *probable[2];
    int *labels[2];
    cudaStream_t s[2];
    cudaGraph_t graph[2];
    cudaGraphExec_t tail[2];
    open_blas();
    for (int k = 0; k < 2; k++) {
        x[k] = fresh(rows * inner, 10 + k, 1);
        hidden[k] = fresh(rows * cols, 20 + k, 1);
        out[k] = fresh(rows * classes, 30 + k, 1);
        probable[k] = fresh(rows * classes, 40 + k, 1);
        OK(cudaMalloc(&labels[k], 4 * rows));
        OK(cudaStreamCreate(&s[k]));
        OK(cudaStreamBeginCapture(s[k], cudaStreamCaptureModeThreadLocal));
        net::softmax<float><<<(rows + 127) / 128, 128, 0, s[k]>>>(Tensor<float>{probable[k], rows, classes},
                                                                  Tensor<const float>{out[k], rows, classes});
        net::best<<<(rows + 127) / 128, 128, 0, s[k]>>>(labels[k], probable[k], rows, classes);
        OK(cudaStreamEndCapture(s[k], &graph[k]));
        OK(cudaGraphInstantiate(&tail[k], graph[k], 0));
    }
    for (int b = 0; b < batches; b++) {
        int k = b % 2;
        multiply(hidden[k], x[k], w1, rows, inner, cols, s[k]);
        net::bias_relu<<<(rows * cols + 255) / 256, 256, 0, s[k]>>>(hidden[k], bias, rows, cols);
        multiply(out[k], hidden[k], w2, rows, cols, classes, s[k]);
        OK(cudaGraphLaunch(tail[k], s[k]));
    }
    OK(cudaDeviceSynchronize());
    std::vector<int> got(rows);
    std::vector<float> p(rows * classes);
    OK(cudaMemcpy(got.data(), labels[1], 4 * rows, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(p.data(), probable[1], 4 * rows * classes, cudaMemcpyDeviceToHost));
    double sum = 0, votes = 0;
    for (int i = 0; i < rows; i++)
        votes += got[i];
    for (float v : p)
        sum += v;
    printf("network %.1f %.0f\n", sum, votes);
    printf("bias_relu=%d\nsoftmax=%d\nbest=%d\nproduct=%d\nlibrary=%d\ngraph=%d\n", batches, batches, batches, products,
           blas.handle != nullptr, 2 * batches);
    return 0;
}
