// Integers alone.
#pragma ks optimize
#pragma ks workload let(n=25165824) in(in[n]) out(out[n]) grid(ceildiv(n,256)) block(256)
__global__ void mix_bits(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned h = in[i];
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        out[i] = h ^ (h >> 16);
    }
}
