// On above one level and off below another; between them it stays what it was.
#pragma ks optimize
#pragma ks workload let(rows=64) let(cols=8192) in(x[rows*cols]=randint(0,255)) out(on[rows*cols]) grid(ceildiv(rows,64)) block(64)
__global__ void two_levels(const unsigned char *x, unsigned char *on, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    unsigned char is = 0;
    for (int i = 0; i < cols; i++) {
        unsigned char level = x[(size_t)row * cols + i];
        is = level > 192 ? 1 : level < 64 ? 0 : is;
        on[(size_t)row * cols + i] = is;
    }
}
