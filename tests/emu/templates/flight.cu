// Norms and softmax of long rows, in shapes with one row and with many, for templates_flight.sh.
#pragma ks optimize
#pragma ks workload let(rows=9, n=203) in(x[rows*n]) in(gain[n]) in(bias[n]) out(y[rows*n]) grid(rows) block(32)
__global__ void layer(const float *x, const float *gain, const float *bias, float *y, int rows, int n)
{
    if (blockIdx.x >= rows)
        return;
    x += blockIdx.x * n, y += blockIdx.x * n;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float mean = sum / n;
    for (int i = threadIdx.x; i < n; i += 32)
        squares += (x[i] - mean) * (x[i] - mean);
    for (int d = 16; d > 0; d /= 2)
        squares += __shfl_xor_sync(0xffffffffu, squares, d);
    float scale = rsqrtf(squares / n + 1e-5f);
    for (int i = threadIdx.x; i < n; i += 32)
        y[i] = (x[i] - mean) * scale * gain[i] + bias[i];
}

#pragma ks optimize
#pragma ks workload let(planes=40, pixels=48) in(x[planes*pixels]) out(y[planes*pixels]) grid(ceildiv(planes,32)) block(32)
__global__ void instance(const float *x, float *y, int planes, int pixels)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= planes)
        return;
    float mean = 0, squares = 0;
    for (int i = 0; i < pixels; i++)
        mean += x[r * pixels + i];
    mean /= pixels;
    for (int i = 0; i < pixels; i++)
        squares += (x[r * pixels + i] - mean) * (x[r * pixels + i] - mean);
    for (int i = 0; i < pixels; i++)
        y[r * pixels + i] = (x[r * pixels + i] - mean) / sqrtf(squares / pixels + 1e-5f);
}

// Five channels a group: a part ends with its channel.
#pragma ks optimize
#pragma ks workload let(b=3, c=10, n=37, groups=2) in(x[b*c*n]) in(g[c]) in(s[c]) out(y[b*c*n]) grid(b*groups) block(1)
__global__ void groups_of_channels(const float *x, const float *g, const float *s, float *y, int b, int c, int groups, int n)
{
    if (blockIdx.x >= b * groups)
        return;
    int at = blockIdx.x, per = c / groups, len = per * n;
    const float *line = x + at * len;
    float mean = 0, square = 0;
    for (int i = 0; i < len; i++)
        mean += line[i];
    mean /= len;
    for (int i = 0; i < len; i++)
        square += (line[i] - mean) * (line[i] - mean);
    for (int i = 0; i < len; i++) {
        int channel = at % groups * per + i / n;
        y[at * len + i] = (line[i] - mean) * rsqrtf(square / len + 1e-5f) * g[channel] + s[channel];
    }
}

#pragma ks optimize
#pragma ks workload let(rows=1, n=300) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void shares(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float top = -INFINITY, all = 0;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, x[r * n + i]);
    for (int i = 0; i < n; i++)
        all += expf(x[r * n + i] - top);
    for (int i = 0; i < n; i++)
        y[r * n + i] = expf(x[r * n + i] - top) / all;
}

#pragma ks optimize
#pragma ks workload let(rows=5, n=131) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void logarithms(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float top = -INFINITY, all = 0;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, x[r * n + i]);
    for (int i = 0; i < n; i++)
        all += expf(x[r * n + i] - top);
    for (int i = 0; i < n; i++)
        y[r * n + i] = x[r * n + i] - top - logf(all);
}

#pragma ks optimize
#pragma ks workload let(rows=5, n=131) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)
__global__ void magnitudes(const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float all = 0;
    for (int i = 0; i < n; i++)
        all += fabsf(x[r * n + i]);
    all /= n;
    for (int i = 0; i < n; i++)
        y[r * n + i] = x[r * n + i] / all;
}
