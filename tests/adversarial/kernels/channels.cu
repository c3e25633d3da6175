// A number for each channel of images.
#pragma ks optimize
#pragma ks workload let(n=16,c=24,h=50,w=64) in(x[n*c*h*w]) in(b[c]) out(y[n*c*h*w]) grid(ceildiv(n*c*h*w,256)) block(256)
__global__ void channels(const float *x, const float *b, float *y, int n, int c, int h, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * c * h * w)
        y[i] = x[i] + b[i / (h * w) % c];
}
