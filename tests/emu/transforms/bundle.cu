// Everything in one parameter.
struct bundle {
    const float *x, *y;
    float *out;
    float by;
    int n, depth;
};

#pragma ks optimize
#pragma ks workload let(n=50, depth=20) in(job.x[n*depth]) in(job.y[n*depth]) out(job.out[n]) set(job.by=0.5, job.n=n, job.depth=depth) grid(ceildiv(n,32)) block(32)
__global__ void gathered(bundle job)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= job.n)
        return;
    float s = 0;
    for (int k = 0; k < job.depth; k++)
        s += job.x[i * job.depth + k] * job.y[i * job.depth + k];
    job.out[i] = job.by * s;
}
