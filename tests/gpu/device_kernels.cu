// Kernels for device_test.c: each does one thing that the device must get right or catch.

extern "C" __global__ void t_twice(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

extern "C" __global__ void t_store(float *p, long long i)
{
    p[i] = 1;
}

extern "C" __global__ void t_load(const float *p, long long i, float *out)
{
    *out = p[i];
}

extern "C" __global__ void t_store_byte(unsigned char *p, long long i)
{
    p[i] ^= 0x55;
}

extern "C" __global__ void t_misaligned(char *p)
{
    *(float *)(p + 1) = 1;
}

extern "C" __global__ void t_trap()
{
    asm volatile("trap;");
}

extern "C" __global__ void t_endless(volatile float *p)
{
    while (p[0] != 12345.0f) {
    }
}

extern "C" __global__ void t_copy(const float4 *in, float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void t_empty()
{
}

// Leaves a word in shared memory; counts what it finds of it there.
extern "C" __global__ void t_plant(unsigned magic, int words)
{
    extern __shared__ volatile unsigned left[];
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        left[i] = magic;
}

extern "C" __global__ void t_look(unsigned magic, int words, unsigned *found)
{
    extern __shared__ volatile unsigned left[];
    unsigned n = 0;
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        n += left[i] == magic;
    if (n)
        atomicAdd(found, n);
}

// Does the work only where the answer is not there yet.
extern "C" __global__ void t_lazy(const float *in, float *out, int n)
{
    if (out[n - 1] == 2 * in[n - 1])
        return;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 200 && i < n; k++)
        *(volatile float *)&out[i] = 2 * in[i];
}
