// Convolutions for templates_conv_warpgroups.sh: their marks admit that factors are cut off, or do not.

#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(b=2, ci=5, co=10, h=7, w=10) in(x[b*ci*h*w]=uniform(-1,1)) in(k[co*ci*9]=uniform(-1,1)) in(bias[co]=uniform(-1,1)) out(y[b*co*((h+1)/2)*((w+1)/2)]) grid(ceildiv((w+1)/2,32),(h+1)/2,b*co) block(32)
__global__ void strided(const float *x, const float *k, const float *bias, float *y, int ci, int co, int h, int w)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y, b = blockIdx.z / co, o = blockIdx.z % co, oh = (h + 1) / 2, ow = (w + 1) / 2;
    if (j >= ow)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int t = 0; t < 9; t++) {
            int v = i * 2 + t / 3 - 1, u = j * 2 + t % 3 - 1;
            if (v >= 0 && v < h && u >= 0 && u < w)
                sum += x[((b * ci + c) * h + v) * w + u] * k[(o * ci + c) * 9 + t];
        }
    y[((b * co + o) * oh + i) * ow + j] = fmaxf(sum + bias[o], 0.0f);
}

// More than one chunk of steps, of weights that lie in packs or not.
#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(b=1, ci=45, co=9, n=13) in(x[b*ci*n]=uniform(-1,1)) in(k[co*ci*6]=uniform(-1,1)) out(y[b*co*(n-5)]) grid(ceildiv(n-5,32),co,b) block(32)
__global__ void deep_lines(const float *x, const float *k, float *y, int ci, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, co = gridDim.y, b = blockIdx.z;
    if (i >= n - 5)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int t = 0; t < 6; t++)
            sum += x[(b * ci + c) * n + i + t] * k[(o * ci + c) * 6 + t];
    y[(b * co + o) * (n - 5) + i] = sum;
}

#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(ci=20, co=10, h=4, w=5) in(x[ci*h*w]=uniform(-1,1)) in(k[ci*co*9]=uniform(-1,1)) in(bias[co]=uniform(-1,1)) out(y[co*(2*h+1)*(2*w+1)]) grid(ceildiv(2*w+1,32),2*h+1,co) block(32)
__global__ void doubled(const float *x, const float *k, const float *bias, float *y, int ci, int h, int w)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y, o = blockIdx.z, co = gridDim.z, oh = 2 * h + 1, ow = 2 * w + 1;
    if (j >= ow)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int v = 0; v < 3; v++)
            for (int u = 0; u < 3; u++)
                if (i >= v && (i - v) % 2 == 0 && (i - v) / 2 < h && j >= u && (j - u) % 2 == 0 && (j - u) / 2 < w)
                    sum += x[(c * h + (i - v) / 2) * w + (j - u) / 2] * k[((c * co + o) * 3 + v) * 3 + u];
    y[(o * oh + i) * ow + j] = fmaxf(sum + bias[o], 0.0f);
}

#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(ci=6, co=8, h=6, w=7) in(x[ci*h*w]=uniform(-1,1)) in(k[co*ci*9/2]=uniform(-1,1)) out(y[co*h*w]) grid(ceildiv(w,32),h,co) block(32)
__global__ void in_groups(const float *x, const float *k, float *y, int ci, int co, int h, int w)
{
    const int groups = 2, apart = 2;
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y, o = blockIdx.z, cig = ci / groups;
    if (j >= w)
        return;
    float sum = 0;
    for (int c = 0; c < cig; c++)
        for (int t = 0; t < 9; t++) {
            int v = i + (t / 3 - 1) * apart, u = j + (t % 3 - 1) * apart;
            if (v >= 0 && v < h && u >= 0 && u < w)
                sum += x[((o / (co / groups) * cig + c) * h + v) * w + u] * k[(o * cig + c) * 9 + t];
        }
    y[(o * h + i) * w + j] = sum;
}

#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(b=1, ci=3, co=4, n=5) in(x[b*ci*n*n*n]=uniform(-1,1)) in(k[co*ci*27]=uniform(-1,1)) out(y[b*co*n*n*n]) grid(ceildiv(n*n*n,64),co,b) block(64)
__global__ void volumes(const float *x, const float *k, float *y, int ci, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, b = blockIdx.z;
    if (i >= n * n * n)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int t = 0; t < 27; t++) {
            int z = i / (n * n) + t / 9 - 1, v = i / n % n + t / 3 % 3 - 1, u = i % n + t % 3 - 1;
            if (z >= 0 && z < n && v >= 0 && v < n && u >= 0 && u < n)
                sum += x[(((b * ci + c) * n + z) * n + v) * n + u] * k[(o * ci + c) * 27 + t];
        }
    y[(b * gridDim.y + o) * n * n * n + i] = sum;
}

// What the kernel makes of x and of weights first.
#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(b=1, ci=3, co=5, n=20) in(x[b*ci*n]=uniform(-1,1)) in(k[ci*co*3]=uniform(-1,1)) set(slope=0.25) out(y[b*co*n]) grid(ceildiv(n,64),co,b) block(64)
__global__ void of_activated(const float *x, const float *k, float *y, int ci, int n, float slope)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, b = blockIdx.z;
    if (i >= n)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int t = 0; t < 3; t++) {
            if (i + t < 1 || i + t - 1 >= n)
                continue;
            float v = x[(b * ci + c) * n + i + t - 1];
            v = v > 0 ? v + 1.0f : slope * v - 0.5f;
            sum += v * k[(o * ci + c) * 3 + t];
        }
    y[(b * gridDim.y + o) * n + i] = sum;
}

#pragma ks optimize tol(sum=2e-3)
#pragma ks workload let(b=1, ci=3, co=5, n=20) in(x[b*ci*n]=uniform(-1,1)) in(k[ci*co*3]=uniform(-1,1)) out(y[b*co*n]) grid(ceildiv(n,64),co,b) block(64)
__global__ void by_magnitudes(const float *x, const float *k, float *y, int ci, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, b = blockIdx.z;
    if (i >= n)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int t = 0; t < 3; t++)
            if (i + t >= 1 && i + t - 1 < n)
                sum += x[(b * ci + c) * n + i + t - 1] * fabsf(k[(o * ci + c) * 3 + t]);
    y[(b * gridDim.y + o) * n + i] = sum;
}

// No room for rounded factors.
#pragma ks optimize
#pragma ks workload let(b=1, ci=7, co=5, h=5, w=7) in(x[b*ci*h*w]=uniform(-1,1)) in(k[co*ci*9]=uniform(-1,1)) out(y[b*co*h*w]) grid(ceildiv(w,32),h,b*co) block(32)
__global__ void exact_windows(const float *x, const float *k, float *y, int ci, int co, int h, int w)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y, b = blockIdx.z / co, o = blockIdx.z % co;
    if (j >= w)
        return;
    float sum = 0;
    for (int c = 0; c < ci; c++)
        for (int t = 0; t < 9; t++) {
            int v = i + t / 3 - 1, u = j + t % 3 - 1;
            if (v >= 0 && v < h && u >= 0 && u < w)
                sum += x[((b * ci + c) * h + v) * w + u] * k[(o * ci + c) * 9 + t];
        }
    y[((b * co + o) * h + i) * w + j] = sum;
}
