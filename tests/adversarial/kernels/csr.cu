// A matrix of compressed rows times a vector.
#pragma ks optimize
#pragma ks workload let(rows=6000) in(at[rows+1]=randint(0,900)) in(col[900]=randint(0,63)) in(val[900]) in(x[64]) out(y[rows]) grid(ceildiv(rows,64)) block(64)
__global__ void csr(const int *at, const int *col, const float *val, const float *x, float *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = at[r]; i < at[r + 1]; i++)
        sum += val[i] * x[col[i]];
    y[r] = sum;
}
