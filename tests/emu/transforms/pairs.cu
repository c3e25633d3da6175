// Pairs by functions of the program, one of which changes what it is given, and one pair left out.
__device__ float weight(float r2, float scale) { return scale / (r2 * r2 + 1.f); }
__device__ inline void add(float &sum, float v) { sum += v; }
__device__ float3 apart(const float3 &a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
#pragma ks optimize
#pragma ks workload let(n=45) in(at[n]=uniform(-3,3)) out(all[n]) out(near[n]) set(scale=0.3) grid(ceildiv(n,32)) block(32)
__global__ void pairs(const float3 *at, float *all, int *near, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 own = at[i];
    float total = 0.f, other = 0.f;
    int count = 0;
    for (int j = 0; j < n; j++) {
        if (j == i) continue;
        float3 d = apart(at[j], own);
        total += weight(d.x * d.x + d.y * d.y + d.z * d.z, scale);
        if (d.x < 0.f) continue;
        ++count;
    }
    for (int j = 0; j < n; j++)
        add(other, weight(at[j].x, scale));
    all[i] = total + other;
    near[i] = count;
}
