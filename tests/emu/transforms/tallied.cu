// Products of bytes a row, and atomics in a loop.
#pragma ks optimize
#pragma ks workload let(rows=45,cols=20,k=3) in(A[rows*cols]=randint(-9,9)) in(x[cols]=randint(-9,9)) out(y[rows]) inout(sum[k]) grid(ceildiv(rows,32)) block(32)
__global__ void tallied(const signed char *A, const signed char *x, int *y, int *sum, int rows, int cols, int k)
{
    int r = threadIdx.x + blockIdx.x * blockDim.x;
    if (r >= rows)
        return;
    int own = 0;
    for (int c = 0; c < cols; c++)
        own += A[r * cols + c] * x[c];
    y[r] = own;
    for (int i = 0; i < k; i++)
        atomicAdd(sum + i, own >> i);
}
