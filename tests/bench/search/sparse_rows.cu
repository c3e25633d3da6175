// A sparse matrix by rows times a vector, one thread a row.
#pragma ks optimize
#pragma ks workload let(rows=524288) in(first[rows+1]=iota(0,16)) in(col[rows*16]=randint(0,524287)) in(val[rows*16]=uniform(-1,1)) \
    in(x[524288]=uniform(-1,1)) out(y[rows]) grid(ceildiv(rows,128)) block(128)
__global__ void sparse_rows(const int *first, const int *col, const float *val, const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int i = first[row]; i < first[row + 1]; i++)
        sum += val[i] * x[col[i]];
    y[row] = sum;
}
