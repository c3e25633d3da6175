// Bytes of which nothing is declared: 300 squares of them fit int, and fp32 up to 2^24.
#pragma ks optimize
#pragma ks workload let(rows=200) let(n=300) in(a[rows*n]) in(b[n]) out(y[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void square_distance(const unsigned char *a, const unsigned char *b, int *y, int rows, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (row >= rows)
        return;
    for (int i = 0; i < n; i++) {
        int difference = (int)a[row * n + i] - b[i];
        sum += difference * difference;
    }
    y[row] = sum;
}
