// Kernels whose time is a matter of arithmetic alone, for trials of the judge: a chain of dependent
// integer multiply-adds, one block a multiprocessor, so that neither memory nor its contents matter.
// And one that does nothing but read and write, 600 MB.
// Microseconds on an H200 stand in the names; judge.sh prints what they were.
__device__ __forceinline__ unsigned chain(unsigned x, int length)
{
    for (int i = 0; i < length; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

#pragma ks optimize
#pragma ks workload let(n=16384) set(length=700) in(in[n]) out(out[n]) grid(ceildiv(n,128)) block(128)
__global__ void even_2(unsigned *out, const unsigned *in, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = chain(in[i], length);
}

#pragma ks optimize
#pragma ks workload let(n=16384) set(length=9500) in(in[n]) out(out[n]) grid(ceildiv(n,128)) block(128)
__global__ void even_10(unsigned *out, const unsigned *in, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = chain(in[i], length);
}

#pragma ks optimize
#pragma ks workload let(n=16384) set(length=52500) in(in[n]) out(out[n]) grid(ceildiv(n,128)) block(128)
__global__ void even_50(unsigned *out, const unsigned *in, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = chain(in[i], length);
}

#pragma ks optimize
#pragma ks workload let(n=16384) set(length=158000) in(in[n]) out(out[n]) grid(ceildiv(n,128)) block(128)
__global__ void even_150(unsigned *out, const unsigned *in, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = chain(in[i], length);
}

#pragma ks optimize
#pragma ks workload let(n=16384) set(length=52500) in(in[n]) out(out[n]) grid(ceildiv(n,128)) block(128)
__global__ void waste_50(unsigned *out, const unsigned *in, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = chain(in[i], length);
        // Three links in a hundred more, which change nothing: a product of neighbours is even.
        unsigned y = chain(x, length * 3 / 100);
        out[i] = (y * (y + 1u) & 1u) != 0 ? 0u : x;
    }
}

#pragma ks optimize
#pragma ks workload let(n=16384) set(length=158000) in(in[n]) out(out[n]) grid(ceildiv(n,128)) block(128)
__global__ void waste_150(unsigned *out, const unsigned *in, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = chain(in[i], length);
        // Three links in a hundred more, which change nothing: a product of neighbours is even.
        unsigned y = chain(x, length * 3 / 100);
        out[i] = (y * (y + 1u) & 1u) != 0 ? 0u : x;
    }
}

#pragma ks optimize
#pragma ks workload let(n=75000000) in(in[n]) out(out[n]) grid(ceildiv(n,256)) block(256)
__global__ void stream_150(unsigned *out, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * 1664525u + 1013904223u;
}
