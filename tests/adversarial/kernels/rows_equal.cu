// Which rows of two images are the same.
#pragma ks optimize
#pragma ks workload let(rows=2048,cols=99) in(a[rows*cols]=randint(0,255)) in(b[rows*cols]=randint(0,255)) out(same[rows]) \
    grid(ceildiv(rows,128)) block(128)
__global__ void rows_equal(const unsigned char *a, const unsigned char *b, int *same, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int equal = 1;
    for (int i = 0; i < cols && equal; i++)
        equal = a[row * cols + i] == b[row * cols + i];
    same[row] = equal;
}
