// Bytes: an access of one thread is far from a sector.
#pragma ks optimize
#pragma ks workload let(n=67108864) set(level=50) in(in[n]=randint(0,99)) out(out[n]) grid(ceildiv(n,256)) block(256)
__global__ void threshold_bytes(const unsigned char *in, unsigned char *out, int level, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] > level ? 255 : 0;
}
