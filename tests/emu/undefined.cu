// What nothing wrote: read and not used, which is no fault, and used. What must come out is in
// test_emu_undefined.c.
#define K extern "C" __global__ void

// ---- read, and not used

K ahead(const int *in, int *out) // the compiler loads before it knows whether the value is taken
{
    __shared__ int total;
    if (in[0] > 1000 && threadIdx.x == 0)
        total = in[1];
    __syncthreads();
    out[threadIdx.x] = in[0] > 1000 ? total : in[threadIdx.x];
}
K margins(const int *in, int *out) // beside what was written
{
    __shared__ int t[66];
    t[threadIdx.x + 1] = in[threadIdx.x];
    __syncthreads();
    int i = threadIdx.x, left = t[i], right = t[i + 2];
    out[i] = t[i + 1] + (i > 0 ? left : 0) + (i < 63 ? right : 0);
}
K and_then(const int *in, int *out) // joined conditions
{
    __shared__ int t[64];
    int i = threadIdx.x;
    bool there = in[i] % 3 != 0;
    if (there)
        t[i] = in[i];
    __syncwarp();
    int x = ((volatile int *)t)[i];
    out[i] = (there & (x > 50)) + 2 * (there & (x < 20));
}
K masked(const int *in, int *out)
{
    __shared__ int t[64];
    int i = threadIdx.x, m = i < 40 ? -1 : 0;
    if (i < 40)
        t[i] = in[i];
    __syncwarp();
    out[i] = ((volatile int *)t)[i] & m;
}
struct padded {
    int a, b, c, unused;
};
K structs(const int *in, int *out) // copied whole, through shared and local memory
{
    __shared__ __align__(16) padded t[64], u[64];
    int i = threadIdx.x;
    t[i].a = in[i];
    t[i].b = in[i + 1];
    t[i].c = in[i + 2];
    __syncthreads();
    *(int4 *)&u[63 - i] = *(int4 *)&t[i];
    __syncthreads();
    padded p = u[i];
    out[i] = p.a + 10 * p.b + 100 * p.c;
}
static __device__ __noinline__ int middle(const int *t, int i)
{
    int left = ((volatile const int *)t)[i], right = ((volatile const int *)t)[i + 1];
    return i < 0 ? left : right;
}
K called(const int *in, int *out)
{
    __shared__ int t[65];
    t[threadIdx.x + 1] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = middle(t, threadIdx.x);
}

// ---- used

K bad_store(const int *in, int *out)
{
    __shared__ int t[64];
    if (threadIdx.x != 5)
        t[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = t[threadIdx.x];
}
K bad_sum(const int *in, int *out) // after arithmetic
{
    __shared__ float t[64];
    if (threadIdx.x != 5)
        t[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = (int)(t[threadIdx.x] * 2 + 1);
}
K bad_branch(const int *in, int *out)
{
    __shared__ int t[64];
    if (threadIdx.x != 5)
        t[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (t[threadIdx.x] > 3)
        out[threadIdx.x] = 1;
}
K bad_address(const int *in, int *out)
{
    __shared__ int t[64];
    if (threadIdx.x != 5)
        t[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[t[threadIdx.x] & 63] = 1;
}
K bad_atomic(const int *in, int *out)
{
    __shared__ int t[64];
    if (threadIdx.x != 5)
        t[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    atomicAdd(out, t[threadIdx.x]);
}
K bad_shuffle(const int *in, int *out)
{
    __shared__ int t[64];
    if (threadIdx.x != 5)
        t[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = __shfl_xor_sync(~0u, t[threadIdx.x], 1);
}
K bad_select(const int *in, int *out) // the wrong one is taken
{
    __shared__ int t[66];
    t[threadIdx.x + 1] = in[threadIdx.x];
    __syncthreads();
    int i = threadIdx.x, left = t[i], right = t[i + 2];
    out[i] = (i >= 0 && in[0] >= 0 ? left : 0) + (i < 63 ? right : 0);
}
K bad_and(const int *in, int *out)
{
    __shared__ int t[64];
    int i = threadIdx.x;
    if (i < 40)
        t[i] = in[i];
    __syncwarp();
    out[i] = ((volatile int *)t)[i] & (i + 1);
}
K bad_copy(const int *in, int *out) // undefined still, in its new place
{
    __shared__ int t[64], u[64];
    if (threadIdx.x != 5)
        t[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    u[63 - threadIdx.x] = t[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = u[threadIdx.x];
}
K bad_call(const int *in, int *out)
{
    __shared__ int t[65];
    if (threadIdx.x != 5)
        t[threadIdx.x + 1] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = middle(t, threadIdx.x);
}

// ---- parts of words

struct fields {
    unsigned a : 3, b : 13, c : 16;
};
K put_fields(const int *in, int *out) // into words that nothing wrote
{
    __shared__ fields t[64];
    int i = threadIdx.x;
    t[i].a = in[i];
    t[i].c = in[i + 1];
    __syncthreads();
    out[i] = t[63 - i].a + 10 * t[63 - i].c;
}
struct padded_pair {
    int a;
    short b; // and two bytes
};
K padding(const int *in, int *out) // goes along, in global memory too
{
    __shared__ __align__(8) padded_pair t[32], u[32];
    int i = threadIdx.x;
    t[i].a = in[i];
    t[i].b = (short)in[i + 1];
    __syncthreads();
    *(unsigned long long *)&u[31 - i] = *(unsigned long long *)&t[i];
    __syncthreads();
    ((unsigned long long *)out)[i] = *(unsigned long long *)&u[i];
    __syncthreads();
    ((int *)out)[2 * i + 1] = u[i].b + ((padded_pair *)out)[i].b;
}
K bad_padding(const int *in, int *out)
{
    __shared__ __align__(8) padded_pair t[32];
    int i = threadIdx.x;
    t[i].a = in[i];
    if (i != 5)
        t[i].b = (short)in[i + 1];
    __syncthreads();
    ((unsigned long long *)out)[i] = *(unsigned long long *)&t[i];
    __syncthreads();
    if (((padded_pair *)out)[i].b > 3)
        out[2 * i] = 1;
}

// ---- what is found when something is put in its place

K exchanged(const int *in, int *out) // and not looked at
{
    __shared__ int t[64];
    atomicExch(&t[threadIdx.x], in[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = atomicExch(&t[63 - threadIdx.x], 0);
}
K bad_exchange(const int *in, int *out)
{
    __shared__ int t[64];
    if (threadIdx.x != 5)
        t[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = atomicExch(&t[threadIdx.x], in[threadIdx.x]);
}
