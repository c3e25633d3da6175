// Velocities a step later, held within bounds; what all share comes in a struct.
struct drift {
    float dt;
    float3 pull;
    float damping;
    int n;
};
#pragma ks optimize
#pragma ks workload let(n=3000) inout(v[n]) set(p.dt=0.3,p.pull=1.7,-2.3,0.9,p.damping=0.99,p.n=n) grid(ceildiv(n,128)) block(128)
__global__ void step(float4 *v, drift p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n)
        return;
    float4 at = v[i];
    at.x = fminf((at.x + p.pull.x * p.dt) * p.damping, 100.f);
    at.y = (at.y + p.pull.y * p.dt) * p.damping;
    at.z = (at.z + p.pull.z * p.dt) * p.damping;
    at.w = at.w < 0 ? 0 : at.w;
    v[i] = at;
}
