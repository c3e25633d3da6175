// Distances between all pairs of points.
#pragma ks optimize
#pragma ks workload let(n=1024) let(dim=64) in(p[n*dim]=uniform(-1,1)) in(q[n*dim]=uniform(-1,1)) out(d[n*n]) grid(ceildiv(n,16),ceildiv(n,16)) block(16,16)
__global__ void distances(const float *p, const float *q, float *d, int n, int dim)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    float sum = 0.0f;
    for (int k = 0; k < dim; k++) {
        float t = p[i * dim + k] - q[j * dim + k];
        sum += t * t;
    }
    d[i * n + j] = sqrtf(sum);
}
