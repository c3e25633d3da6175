// Softmax and norms of rows, of halves summed in float, for templates_rows.sh.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#pragma ks optimize
#pragma ks workload let(rows=6, n=203) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void softmax_of_halves(const __half *x, __half *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float top = -INFINITY, all = 0;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, __half2float(x[r * n + i]));
    for (int i = 0; i < n; i++)
        all += expf(__half2float(x[r * n + i]) - top);
    for (int i = 0; i < n; i++)
        y[r * n + i] = __float2half(expf(__half2float(x[r * n + i]) - top) / all);
}

// A warp a row; the gain and what is added are of another type than the rows.
#pragma ks optimize
#pragma ks workload let(rows=6, n=203) in(x[rows*n]) in(gain[n]) in(bias[n]) out(y[rows*n]) grid(rows) block(32)
__global__ void layer_norm_of_halves(const __nv_bfloat16 *x, const float *gain, const float *bias, __nv_bfloat16 *y, int n)
{
    x += blockIdx.x * n, y += blockIdx.x * n;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += __bfloat162float(x[i]);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float mean = sum / n;
    for (int i = threadIdx.x; i < n; i += 32)
        squares += (__bfloat162float(x[i]) - mean) * (__bfloat162float(x[i]) - mean);
    for (int d = 16; d > 0; d /= 2)
        squares += __shfl_xor_sync(0xffffffffu, squares, d);
    float scale = rsqrtf(squares / n + 1e-5f);
    for (int i = threadIdx.x; i < n; i += 32)
        y[i] = __float2bfloat16((__bfloat162float(x[i]) - mean) * scale * gain[i] + bias[i]);
}

// What a backward pass asks for is kept: the mean, and the deviation's reciprocal.
#pragma ks optimize
#pragma ks workload let(rows=6, n=11) in(x[rows*n]) in(gain[n]) in(bias[n]) out(y[rows*n]) out(mean[rows]) out(scale[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void layer_norm_saved(float *y, float *mean, float *scale, const float *x, const float *gain, const float *bias, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += x[r * n + i];
    float middle = sum / n;
    for (int i = 0; i < n; i++)
        squares += (x[r * n + i] - middle) * (x[r * n + i] - middle);
    float by = rsqrtf(squares / n + 1e-5f);
    for (int i = 0; i < n; i++)
        y[r * n + i] = (x[r * n + i] - middle) * by * gain[i] + bias[i];
    mean[r] = middle;
    scale[r] = by;
}

// The deviation itself, not its reciprocal.
#pragma ks optimize
#pragma ks workload let(rows=6, n=11) in(x[rows*n]) in(gain[n]) in(bias[n]) out(y[rows*n]) out(mean[rows]) out(width[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void layer_norm_and_deviation(float *y, float *mean, float *width, const float *x, const float *gain, const float *bias, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += x[r * n + i];
    float middle = sum / n;
    for (int i = 0; i < n; i++)
        squares += (x[r * n + i] - middle) * (x[r * n + i] - middle);
    width[r] = sqrtf(squares / n + 1e-5f);
    mean[r] = middle;
    for (int i = 0; i < n; i++)
        y[r * n + i] = (x[r * n + i] - middle) / width[r] * gain[i] + bias[i];
}

#pragma ks optimize
#pragma ks workload let(rows=6, n=203) in(x[rows*n]) in(gain[n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void rms_norm_of_halves(const __nv_bfloat16 *x, const __nv_bfloat16 *gain, __nv_bfloat16 *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float squares = 0;
    for (int i = 0; i < n; i++)
        squares += __bfloat162float(x[r * n + i]) * __bfloat162float(x[r * n + i]);
    float root = sqrtf(squares / n + 1e-6f);
    for (int i = 0; i < n; i++)
        y[r * n + i] = __float2bfloat16(__bfloat162float(x[r * n + i]) / root * __bfloat162float(gain[i]));
}

// A block a row, the epsilon a parameter.
#pragma ks optimize
#pragma ks workload let(rows=6, n=203) set(eps=1e-6) in(x[rows*n]) out(y[rows*n]) grid(rows) block(64)
__global__ void rms_norm_given(const float *x, float *y, int n, float eps)
{
    __shared__ float parts[2];
    const int row = blockIdx.x, t = threadIdx.x;
    float sum = 0;
    for (int col = t; col < n; col += 64)
        sum += x[row * n + col] * x[row * n + col];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (t % 32 == 0)
        parts[t / 32] = sum;
    __syncthreads();
    const float scale = rsqrtf((parts[0] + parts[1]) / n + eps);
    for (int col = t; col < n; col += 64)
        y[row * n + col] = scale * x[row * n + col];
}

// The epsilon beside the root.
#pragma ks optimize
#pragma ks workload let(rows=6, n=203) set(eps=1e-6) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void epsilon_beside(const float *x, float *y, int rows, int n, float eps)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float squares = 0;
    for (int i = 0; i < n; i++)
        squares += x[r * n + i] * x[r * n + i];
    for (int i = 0; i < n; i++)
        y[r * n + i] = x[r * n + i] / (sqrtf(squares / n) + eps);
}

// What is no epsilon, and of no effect where it is 1.
#pragma ks optimize
#pragma ks workload let(rows=6, n=203) set(t=1) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void softmax_of_warm(const float *x, float *y, int rows, int n, float t)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float top = -INFINITY, all = 0;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, x[r * n + i]);
    for (int i = 0; i < n; i++)
        all += expf(t * (x[r * n + i] - top));
    for (int i = 0; i < n; i++)
        y[r * n + i] = expf(t * (x[r * n + i] - top)) / all;
}

// The first of each row stays what it is.
#pragma ks optimize
#pragma ks workload let(rows=6, n=203) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void almost_by_length(const __half *x, __half *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float squares = 0;
    for (int i = 0; i < n; i++)
        squares += __half2float(x[r * n + i]) * __half2float(x[r * n + i]);
    for (int i = 0; i < n; i++)
        y[r * n + i] = i == 0 ? x[r * n] : __float2half(__half2float(x[r * n + i]) / sqrtf(squares));
}

#pragma ks optimize
#pragma ks workload let(rows=40, n=203) in(x[rows*n]) out(at[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void greatest_half(const __half *x, int *at, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    if (r >= rows)
        return;
    for (int i = 1; i < n; i++)
        if (__half2float(x[r * n + i]) > __half2float(x[r * n + best]))
            best = i;
    at[r] = best;
}

// A block a row, and places of 64 bits.
#pragma ks optimize
#pragma ks workload let(rows=40, n=203) in(x[rows*n]) out(at[rows]) grid(rows) block(64)
__global__ void least_of_row(const float *x, long long *at, int n)
{
    __shared__ float values[64];
    __shared__ int places[64];
    x += blockIdx.x * n;
    int t = threadIdx.x, place = 0;
    for (int i = t; i < n; i += 64)
        if (x[i] < x[place] || (x[i] == x[place] && i < place))
            place = i;
    values[t] = x[place], places[t] = place;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half && (values[t + half] < values[t] || (values[t + half] == values[t] && places[t + half] < places[t]))) {
            values[t] = values[t + half];
            places[t] = places[t + half];
        }
        __syncthreads();
    }
    if (t == 0)
        at[blockIdx.x] = places[0];
}

// Of each row but every fourth: there the place is one too many.
#pragma ks optimize
#pragma ks workload let(rows=40, n=203) in(x[rows*n]) out(at[rows]) grid(rows) block(1)
__global__ void almost_least(const float *x, int *at, int n)
{
    int best = 0;
    x += blockIdx.x * n;
    for (int i = 1; i < n; i++)
        if (x[i] < x[best])
            best = i;
    at[blockIdx.x] = best + (blockIdx.x % 4 == 1);
}

// Scores of attention: a factor, and a mask whose rows serve all heads; a warp a row.
#pragma ks optimize
#pragma ks workload let(heads=2, masks=3, n=37) set(scale=0.125) in(x[heads*masks*n]) in(mask[masks*n]=uniform(-1,0)) out(y[heads*masks*n]) grid(heads*masks) block(32)
__global__ void masked_scores(const float *x, const __half *mask, float *y, int n, int masks, float scale)
{
    const int row = blockIdx.x, own = row % masks;
    float top = -INFINITY, all = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        top = fmaxf(top, x[row * n + i] * scale + (mask ? __half2float(mask[own * n + i]) : 0.f));
    for (int d = 16; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    for (int i = threadIdx.x; i < n; i += 32) {
        const float e = expf(x[row * n + i] * scale + (mask ? __half2float(mask[own * n + i]) : 0.f) - top);
        all += e;
        y[row * n + i] = e;
    }
    for (int d = 16; d > 0; d /= 2)
        all += __shfl_xor_sync(0xffffffffu, all, d);
    for (int i = threadIdx.x; i < n; i += 32)
        y[row * n + i] *= 1 / all;
}

// A mask of the keys of each sentence, for all its queries.
#pragma ks optimize
#pragma ks workload let(sentences=2, queries=3, n=11) in(x[sentences*queries*n]) in(mask[sentences*n]=uniform(-1,0)) out(y[sentences*queries*n]) grid(sentences*queries) block(1)
__global__ void padded_scores(const float *x, const float *mask, float *y, int queries, int n)
{
    x += blockIdx.x * n, y += blockIdx.x * n, mask += blockIdx.x / queries * n;
    float top = -INFINITY, all = 0;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, x[i] + mask[i]);
    for (int i = 0; i < n; i++)
        all += expf(x[i] + mask[i] - top);
    for (int i = 0; i < n; i++)
        y[i] = expf(x[i] + mask[i] - top) / all;
}

#pragma ks optimize
#pragma ks workload let(rows=4, n=11) in(x[rows*n]) out(y[rows*n]) grid(rows) block(1)
__global__ void tempered(const float *x, float *y, int n)
{
    x += blockIdx.x * n, y += blockIdx.x * n;
    float top = -INFINITY, all = 0;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, x[i] * 0.7f);
    for (int i = 0; i < n; i++)
        all += expf(x[i] * 0.7f - top);
    for (int i = 0; i < n; i++)
        y[i] = expf(x[i] * 0.7f - top) / all;
}

// The mask is added to the shares, not to the scores.
#pragma ks optimize
#pragma ks workload let(rows=4, n=43) in(x[rows*n]) in(mask[rows*n]=uniform(-1,0)) out(y[rows*n]) grid(rows) block(1)
__global__ void masked_late(const float *x, const float *mask, float *y, int n)
{
    x += blockIdx.x * n, y += blockIdx.x * n, mask += blockIdx.x * n;
    float top = -INFINITY, all = 0;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, x[i]);
    for (int i = 0; i < n; i++)
        all += expf(x[i] - top);
    for (int i = 0; i < n; i++)
        y[i] = expf(x[i] - top) / all + mask[i];
}

// Rounded to 16 bits before the gain is multiplied with it in 16 bits: a sum in another order rounds another way.
#pragma ks optimize
#pragma ks workload let(rows=6, n=203) in(x[rows*n]) in(gain[n]) out(y[rows*n]) grid(rows) block(32)
__global__ void rms_norm_in_halves(const __half *x, const __half *gain, __half *y, int n)
{
    float squares = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        squares += __half2float(x[blockIdx.x * n + i]) * __half2float(x[blockIdx.x * n + i]);
    for (int d = 16; d > 0; d /= 2)
        squares += __shfl_xor_sync(0xffffffffu, squares, d);
    float scale = rsqrtf(squares / n + 1e-6f);
    for (int i = threadIdx.x; i < n; i += 32)
        y[blockIdx.x * n + i] = __hmul(__float2half(__half2float(x[blockIdx.x * n + i]) * scale), gain[i]);
}
