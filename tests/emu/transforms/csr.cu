// Rows of unlike lengths, from memory.
#pragma ks optimize
#pragma ks workload let(n=40,nnz=400) in(start[n+1]=randint(0,399)) in(col[nnz]=randint(0,39)) in(val[nnz]) in(x[n]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void csr(const int *start, const int *col, const float *val, const float *x, float *y, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n) {
        float dot = 0;
        int from = start[r], to = start[r + 1];
        for (int j = from; j < to; j++)
            dot += val[j] * x[col[j]];
        y[r] = dot;
    }
}
