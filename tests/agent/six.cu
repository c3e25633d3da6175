// Six kernels that no template knows, as one first writes them: what models are asked about on a GPU
// (docs/agents.md). Sizes are for an H200.

#pragma ks optimize
#pragma ks workload let(rows=200000) let(per=24) in(start[rows+1]=iota(0,24)) in(column[rows*per]=randint(0,99999)) \
    in(value[rows*per]=uniform(-1,1)) in(x[100000]=uniform(-1,1)) out(y[rows]) grid(ceildiv(rows,128)) block(128)
__global__ void sparse_rows(const int *start, const int *column, const float *value, const float *x, float *y,
                            int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = start[row]; k < start[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}

#pragma ks optimize
#pragma ks workload let(rows=8192) let(n=2048) in(x[rows*n]=randint(0,99)) out(y[rows*n]) \
    grid(ceildiv(rows,64)) block(64)
__global__ void running_sum(const int *x, int *y, int rows, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[(size_t)row * n + i];
        y[(size_t)row * n + i] = sum;
    }
}

#pragma ks optimize
#pragma ks workload let(points=65536) let(centres=256) let(dims=16) in(p[points*dims]=uniform(0,1)) \
    in(c[centres*dims]=uniform(0,1)) out(nearest[points]) grid(ceildiv(points,128)) block(128)
__global__ void assign(const float *p, const float *c, int *nearest, int points, int centres, int dims)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points)
        return;
    float least = 3.4e38f;
    int best = 0;
    for (int k = 0; k < centres; k++) {
        float d = 0;
        for (int j = 0; j < dims; j++) {
            float e = p[(size_t)i * dims + j] - c[(size_t)k * dims + j];
            d += e * e;
        }
        if (d < least) {
            least = d;
            best = k;
        }
    }
    nearest[i] = best;
}

#pragma ks optimize
#pragma ks workload let(n=4000000) let(taps=512) in(x[n]) in(c[taps]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void masked(const unsigned *x, const unsigned *c, unsigned *y, int n, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned s = 0;
    for (int k = 0; k < taps; k++)
        s += c[k] * (unsigned)k;
    y[i] = x[i] ^ s;
}

#pragma ks optimize
#pragma ks workload let(rows=4096) let(n=8192) in(x[rows*n]=randint(-1000000,1000000)) out(at[rows]) \
    grid(ceildiv(rows,64)) block(64)
__global__ void first_largest(const int *x, int *at, int rows, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[(size_t)row * n + i] > x[(size_t)row * n + best])
            best = i;
    at[row] = best;
}

#pragma ks optimize
#pragma ks workload let(a=2048) let(b=2048) let(words=64) in(x[a*words]) in(y[b*words]) out(d[a*b]) \
    grid(ceildiv(b,32),ceildiv(a,8)) block(32,8)
__global__ void hamming(const unsigned *x, const unsigned *y, int *d, int a, int b, int words)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= a || j >= b)
        return;
    int count = 0;
    for (int k = 0; k < words; k++)
        count += __popc(x[(size_t)i * words + k] ^ y[(size_t)j * words + k]);
    d[(size_t)i * b + j] = count;
}
