// y = x + 1 on bytes
#pragma ks optimize
#pragma ks workload let(n=1048581) in(x[n]=randint(0,255)) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void byteinc(const unsigned char *x, unsigned char *y, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + 1;
}
