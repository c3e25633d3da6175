// Attention as it is written first, in several forms, and what is almost that; for templates_attention.sh.

// A thread a query, in three passes; every score is reckoned three times.
#pragma ks optimize
#pragma ks workload let(bh=1) let(n=18) let(d=3) set(scale=0.3) in(q[bh*n*d]) in(k[bh*n*d]) in(v[bh*n*d]) out(o[bh*n*d]) grid(ceildiv(n,64),bh) block(64)
__global__ void by_thread(const float *q, const float *k, const float *v, float *o, int n, int d, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *own = q + ((size_t)blockIdx.y * n + i) * d;
    k += (size_t)blockIdx.y * n * d;
    v += (size_t)blockIdx.y * n * d;
    o += ((size_t)blockIdx.y * n + i) * d;
    float top = -INFINITY, all = 0.0f;
    for (int j = 0; j < n; j++) {
        float s = 0.0f;
        for (int l = 0; l < d; l++)
            s += own[l] * k[j * d + l];
        top = fmaxf(top, s * scale);
    }
    for (int j = 0; j < n; j++) {
        float s = 0.0f;
        for (int l = 0; l < d; l++)
            s += own[l] * k[j * d + l];
        all += expf(s * scale - top);
    }
    for (int c = 0; c < d; c++) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++) {
            float s = 0.0f;
            for (int l = 0; l < d; l++)
                s += own[l] * k[j * d + l];
            sum += expf(s * scale - top) * v[j * d + c];
        }
        o[c] = sum / all;
    }
}

// A block a query, its scores in shared memory, other numbers of queries and keys, the parameters in another order.
#pragma ks optimize
#pragma ks workload let(b=1) let(h=2) let(m=2) let(n=18) let(d=66) out(out[b*h*m*d]) in(values[b*h*n*d]) in(keys[b*h*n*d]) in(queries[b*h*m*d]) grid(m,h,b) block(64) shared(4*n)
__global__ void by_block(float *out, int m, int n, int d, const float *values, const float *keys, const float *queries)
{
    extern __shared__ float scores[];
    __shared__ float part[64];
    const size_t head = blockIdx.z * gridDim.y + blockIdx.y, t = threadIdx.x;
    queries += (head * m + blockIdx.x) * d;
    keys += head * n * d;
    values += head * n * d;
    out += (head * m + blockIdx.x) * d;
    const float scale = rsqrtf((float)d);
    float top = -3.402823466e+38f, all = 0.0f;
    for (int j = t; j < n; j += blockDim.x) {
        float s = 0.0f;
        for (int l = 0; l < d; l++)
            s += queries[l] * keys[(size_t)j * d + l];
        scores[j] = s * scale;
        top = scores[j] > top ? scores[j] : top;
    }
    part[t] = top;
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (t < step)
            part[t] = fmaxf(part[t], part[t + step]);
        __syncthreads();
    }
    top = part[0];
    __syncthreads();
    for (int j = t; j < n; j += blockDim.x)
        all += scores[j] = expf(scores[j] - top);
    part[t] = all;
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    for (int c = t; c < d; c += blockDim.x) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += scores[j] / part[0] * values[(size_t)j * d + c];
        out[c] = sum;
    }
}

// A thread a query of all heads, sums in registers, as many elements as the text says; later keys are not looked at.
#define ELEMENTS 4
#pragma ks optimize
#pragma ks workload let(bh=1) let(n=18) in(q[bh*n*4]) in(k[bh*n*4]) in(v[bh*n*4]) out(o[bh*n*4]) grid(ceildiv(bh*n,64)) block(64)
__global__ void causal_in_registers(const float *q, const float *k, const float *v, float *o, int bh, int n)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= bh * n)
        return;
    int i = at % n, head = at / n * n;
    float own[ELEMENTS], sum[ELEMENTS] = {}, top = -1e30f, all = 0.0f;
    for (int l = 0; l < ELEMENTS; l++)
        own[l] = q[at * ELEMENTS + l] * 0.5f;
    for (int j = 0; j <= i; j++) {
        float s = 0.0f;
        for (int l = 0; l < ELEMENTS; l++)
            s += own[l] * k[(head + j) * ELEMENTS + l];
        top = fmaxf(top, s);
    }
    for (int j = 0; j <= i; j++) {
        float s = 0.0f;
        for (int l = 0; l < ELEMENTS; l++)
            s += own[l] * k[(head + j) * ELEMENTS + l];
        s = expf(s - top);
        all += s;
        for (int l = 0; l < ELEMENTS; l++)
            sum[l] += s * v[(head + j) * ELEMENTS + l];
    }
    for (int l = 0; l < ELEMENTS; l++)
        o[at * ELEMENTS + l] = sum[l] / all;
}

// A warp a query; later keys have a weight of zero.
#pragma ks optimize
#pragma ks workload let(n=18) let(d=5) set(scale=0.125) in(q[n*d]) in(k[n*d]) in(v[n*d]) out(o[n*d]) grid(n) block(32) shared(4*n)
__global__ void causal_by_warp(const float *q, const float *k, const float *v, float *o, float scale, int n, int d)
{
    extern __shared__ float weights[];
    int i = blockIdx.x;
    float top = -INFINITY, all = 0.0f;
    for (int j = threadIdx.x; j < n; j += 32) {
        float s = 0.0f;
        for (int l = 0; l < d; l++)
            s += q[i * d + l] * k[j * d + l];
        weights[j] = j > i ? -INFINITY : s * scale;
        top = fmaxf(top, weights[j]);
    }
    for (int step = 16; step > 0; step /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
    for (int j = threadIdx.x; j < n; j += 32) {
        weights[j] = expf(weights[j] - top);
        all += weights[j];
    }
    for (int step = 16; step > 0; step /= 2)
        all += __shfl_xor_sync(0xffffffffu, all, step);
    __syncwarp();
    for (int c = threadIdx.x; c < d; c += 32) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += weights[j] * v[j * d + c];
        o[i * d + c] = sum / all;
    }
}

// A thread an element. What is almost attention: another factor, another normalisation, of queries in place of keys,
// of other values, of later keys alone, of all keys but the query's own.
__device__ float score(const float *q, const float *k, int i, int j, int d)
{
    float s = 0.0f;
    for (int l = 0; l < d; l++)
        s += q[i * d + l] * k[j * d + l];
    return s / sqrtf((float)d);
}
template <int form> __device__ float element(const float *q, const float *k, const float *v, int i, int c, int n, int d)
{
    float all = 0.0f, sum = 0.0f, top = -INFINITY;
    for (int j = 0; j < n; j++)
        top = fmaxf(top, score(q, k, i, j, d));
    for (int j = 0; j < n; j++) {
        float s = score(q, k, i, j, d) - top, e = expf(form == 1 ? 1.1f * s : s);
        if (form == 2)
            e = 1.0f / (1.0f - s);
        if ((form == 5 && j < i) || (form == 6 && j == i && n > 1))
            continue;
        if (form == 3) {
            float others = 0.0f;
            for (int r = 0; r < n; r++)
                others += expf(score(q, k, r, j, d) - top);
            all = 1.0f;
            e /= others;
        } else {
            all += e;
        }
        sum += e * v[(form == 4 ? n - 1 - j : j) * d + c];
    }
    return sum / all;
}
#pragma ks optimize
#pragma ks workload let(n=24) let(d=6) in(q[n*d]) in(k[n*d]) in(v[n*d]) out(o[n*d]) grid(n) block(32)
__global__ void as_it_is(const float *q, const float *k, const float *v, float *o, int n, int d)
{
    for (int c = threadIdx.x; c < d; c += 32)
        o[blockIdx.x * d + c] = element<0>(q, k, v, blockIdx.x, c, n, d);
}
#pragma ks optimize
#pragma ks workload let(n=24) let(d=6) in(q[n*d]) in(k[n*d]) in(v[n*d]) out(o[n*d]) grid(n) block(32)
__global__ void by_another_factor(const float *q, const float *k, const float *v, float *o, int n, int d)
{
    for (int c = threadIdx.x; c < d; c += 32)
        o[blockIdx.x * d + c] = element<1>(q, k, v, blockIdx.x, c, n, d);
}
#pragma ks optimize
#pragma ks workload let(n=24) let(d=6) in(q[n*d]) in(k[n*d]) in(v[n*d]) out(o[n*d]) grid(n) block(32)
__global__ void by_reciprocals(const float *q, const float *k, const float *v, float *o, int n, int d)
{
    for (int c = threadIdx.x; c < d; c += 32)
        o[blockIdx.x * d + c] = element<2>(q, k, v, blockIdx.x, c, n, d);
}
#pragma ks optimize
#pragma ks workload let(n=24) let(d=6) in(q[n*d]) in(k[n*d]) in(v[n*d]) out(o[n*d]) grid(n) block(32)
__global__ void over_queries(const float *q, const float *k, const float *v, float *o, int n, int d)
{
    for (int c = threadIdx.x; c < d; c += 32)
        o[blockIdx.x * d + c] = element<3>(q, k, v, blockIdx.x, c, n, d);
}
#pragma ks optimize
#pragma ks workload let(n=24) let(d=6) in(q[n*d]) in(k[n*d]) in(v[n*d]) out(o[n*d]) grid(n) block(32)
__global__ void values_backwards(const float *q, const float *k, const float *v, float *o, int n, int d)
{
    for (int c = threadIdx.x; c < d; c += 32)
        o[blockIdx.x * d + c] = element<4>(q, k, v, blockIdx.x, c, n, d);
}
#pragma ks optimize
#pragma ks workload let(n=24) let(d=6) in(q[n*d]) in(k[n*d]) in(v[n*d]) out(o[n*d]) grid(n) block(32)
__global__ void later_keys_alone(const float *q, const float *k, const float *v, float *o, int n, int d)
{
    for (int c = threadIdx.x; c < d; c += 32)
        o[blockIdx.x * d + c] = element<5>(q, k, v, blockIdx.x, c, n, d);
}
#pragma ks optimize
#pragma ks workload let(n=24) let(d=6) in(q[n*d]) in(k[n*d]) in(v[n*d]) out(o[n*d]) grid(n) block(32)
__global__ void others_alone(const float *q, const float *k, const float *v, float *o, int n, int d)
{
    for (int c = threadIdx.x; c < d; c += 32)
        o[blockIdx.x * d + c] = element<6>(q, k, v, blockIdx.x, c, n, d);
}
