// Calls through addresses: function pointers, tables of them, virtual functions; and calls by lanes that are apart.
// What must come out is in test_emu_calls.c.
#define K extern "C" __global__ void
typedef int (*function)(int, int);
static __device__ __noinline__ int add(int a, int b) { return a + b; }
static __device__ __noinline__ int multiply(int a, int b) { return a * b; }
static __device__ __noinline__ int subtract(int a, int b) { return a - b; }

K selected(const int *in, int *out) // lanes apart
{
    int x = in[threadIdx.x];
    function f = x % 3 == 0 ? add : x % 3 == 1 ? multiply : subtract;
    out[threadIdx.x] = f(x, 7);
}
static __device__ function table[3] = {add, multiply, subtract};
struct named {
    int id;
    const function *all;
    const int *numbers;
};
static __device__ int numbers[4] = {10, 20, 30, 40};
static __constant__ named tables[2] = {{1, table, numbers + 1}, {2, table + 1, numbers + 2}};
K listed(const int *in, int *out)
{
    int x = in[threadIdx.x];
    out[threadIdx.x] = table[x % 3](x, 7);
}
K nested(const int *in, int *out) // through constants that point to others
{
    int x = in[threadIdx.x];
    const named *t = &tables[x & 1];
    out[threadIdx.x] = t->all[x % 2](x, t->numbers[1]) + t->id;
}
struct shape {
    __device__ virtual int area(int x) const = 0;
    __device__ virtual int edges() const { return 4; }
};
struct square : shape {
    __device__ int area(int x) const override { return x * x; }
};
struct strip : shape {
    int width;
    __device__ strip(int w) : width(w) {}
    __device__ int area(int x) const override { return x * width; }
    __device__ int edges() const override { return 2; }
};
K virtuals(const int *in, int *out)
{
    square a;
    strip b(in[0]);
    const shape *s = in[threadIdx.x] & 1 ? (const shape *)&a : (const shape *)&b;
    out[threadIdx.x] = s->area(in[threadIdx.x]) + 100000 * s->edges();
}
static __device__ int walk(int n, function f);
static __device__ __noinline__ int down(int n, int)
{
    return n <= 0 ? 0 : n + walk(n - 2, down);
}
static __device__ __noinline__ int walk(int n, function f)
{
    return f(n, n);
}
K recursive(const int *in, int *out)
{
    out[threadIdx.x] = walk(in[threadIdx.x] % 20, down);
}
static __device__ __noinline__ int in_block(int x, int i) // with shared memory and a barrier of its own
{
    __shared__ int t[64];
    t[i] = x;
    __syncthreads();
    return t[63 - i];
}
static __device__ volatile function chosen[1] = {in_block};
K shared_callee(const int *in, int *out)
{
    out[threadIdx.x] = chosen[0](in[threadIdx.x], threadIdx.x);
}

// ---- at fault, and what cannot be known

static __device__ volatile function holes[2] = {add, nullptr};
K bad_null(const int *in, int *out)
{
    out[threadIdx.x] = holes[threadIdx.x == 3](in[threadIdx.x], 1);
}
K bad_number(const int *in, int *out)
{
    out[threadIdx.x] = ((function)(unsigned long long)(in[threadIdx.x] + 6))(1, 2);
}
K bad_type(const int *in, int *out)
{
    typedef double (*other)(double, double);
    out[threadIdx.x] = (int)((other)(in[threadIdx.x] < 1000 ? add : multiply))(1, 2);
}
K un_elsewhere(const int *in, int *out) // an address that the kernel got from outside
{
    out[threadIdx.x] = ((function)((unsigned long long)in[threadIdx.x] * 0 + 16))(1, 2);
}
static __device__ __noinline__ int sum_of(const int *t, int k)
{
    int s = ((volatile const int *)t)[k];
    for (int d = 16; d > 0; d /= 2)
        s += __shfl_xor_sync(~0u, s, d);
    return s;
}
static __device__ __noinline__ int gathered(int x)
{
    int t[3] = {x, 2 * x, 3 * x};
    int s = sum_of(t, x % 3);
    return s + t[x % 2];
}
K late(const int *in, int *out) // a lane comes long after the others to what they do together
{
    int x = in[threadIdx.x];
    if (threadIdx.x % 32 == 7)
        for (int i = 0; i < 1000; i++)
            x = ((volatile const int *)in)[x & 63];
    out[threadIdx.x] = gathered(x);
}
