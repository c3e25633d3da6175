// Rows of eight bits with a scale each.
#pragma ks optimize
#pragma ks workload let(rows=400,cols=1000) in(x[rows*cols]) out(q[rows*cols]) out(scale[rows]) grid(rows) block(32)
__global__ void quantise(const float *x, signed char *q, float *scale, int cols)
{
    const float *row = x + (size_t)blockIdx.x * cols;
    float top = 0;
    for (int i = 0; i < cols; i++)
        top = fmaxf(top, fabsf(row[i]));
    float s = top / 127.f;
    for (int i = threadIdx.x; i < cols; i += 32) {
        float v = s > 0 ? rintf(row[i] / s) : 0.f;
        q[(size_t)blockIdx.x * cols + i] = (signed char)fminf(fmaxf(v, -127.f), 127.f);
    }
    if (threadIdx.x == 0)
        scale[blockIdx.x] = s;
}
