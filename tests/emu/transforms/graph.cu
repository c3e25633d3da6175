// A struct of which a function and pointers to other structs need more than its members.
struct node {
    float v, w;
};
struct graph {
    const node *nodes;
    const float *by;
    float *out;
    int n;
    float weight[2];
};
__device__ float weighed(const graph &g, const node &at)
{
    return at.v * g.weight[0] + at.w * g.weight[1];
}
__device__ int bound(const graph &g)
{
    return g.n;
}

#pragma ks optimize
#pragma ks workload let(n=1000) in(float2 g.nodes[n]) in(g.by[n]) out(g.out[n]) set(g.n=n, g.weight.0=2, g.weight.1=3) grid(ceildiv(n,128)) block(128)
__global__ void walk(graph g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < g.n)
        g.out[i] = weighed(g, g.nodes[i]) * g.by[i];
}
