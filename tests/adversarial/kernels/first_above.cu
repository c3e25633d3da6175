// Where a row first passes its limit by a third.
#pragma ks optimize
#pragma ks workload let(rows=10000,cols=40) in(x[rows*cols]) in(limit[rows]) out(first[rows]) grid(ceildiv(rows,64)) block(64)
__global__ void first_above(const int *x, const int *limit, int *first, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    int c = 0;
    while (c < cols && (long long)x[r * cols + c] * 1000 <= (long long)limit[r] * 1337)
        c++;
    first[r] = c;
}
