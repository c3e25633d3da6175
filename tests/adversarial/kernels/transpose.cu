// B = A transposed, an element a thread.
#pragma ks optimize
#pragma ks workload let(rows=1024,cols=768) in(a[rows*cols]) out(b[rows*cols]) grid(ceildiv(cols,16),ceildiv(rows,16)) block(16,16)
__global__ void transpose(const float *a, float *b, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        b[(size_t)c * rows + r] = a[(size_t)r * cols + c];
}
