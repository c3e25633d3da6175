// Three results of one element each, over an image; the largest lies behind a test.
#pragma ks optimize
#pragma ks workload let(w=61,h=47) in(image[w*h]=randint(-900,900)) inout(low[1]=constant(0)) inout(high[1]=constant(0)) inout(mass[3]=constant(0)) grid(ceildiv(w,16),ceildiv(h,8)) block(16,8)
__global__ void extremes(const int *image, int *low, int *high, double *mass, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int v = image[y * w + x];
    atomicMin(low, v);
    if (v > 100)
        atomicMax(&high[0], v);
    atomicAdd(&mass[2], (double)v * v);
}
