// Where the first flag of each row stands, or -1.
#pragma ks optimize
#pragma ks workload let(rows=2000,cols=200) in(set[rows*cols]) out(at[rows]) grid(ceildiv(rows,64)) block(64)
__global__ void flags(const bool *set, int *at, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    int first = -1;
    for (int c = 0; c < cols && first < 0; c++)
        if (set[(size_t)r * cols + c])
            first = c;
    at[r] = first;
}
