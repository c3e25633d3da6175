// Bytes of which nothing is declared, added up to 255.
#pragma ks optimize
#pragma ks workload let(n=200000) in(a[n]) in(b[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void added_bytes(const unsigned char *a, const unsigned char *b, unsigned char *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = a[i] + b[i];
    y[i] = sum > 255 ? 255 : sum;
}
