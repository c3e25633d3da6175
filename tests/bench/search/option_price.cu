// Much arithmetic on each element.
#pragma ks optimize tol(rel=1e-4,abs=1e-4)
#pragma ks workload let(n=8388608) set(rate=0.03, vol=0.3) in(spot[n]=uniform(20,80)) in(strike[n]=uniform(20,80)) in(years[n]=uniform(0.5,5)) \
    out(call[n]) grid(ceildiv(n,128)) block(128)
__global__ void option_price(const float *spot, const float *strike, const float *years, float *call, float rate, float vol, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float t = sqrtf(years[i]);
    float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * vol * vol) * years[i]) / (vol * t);
    float d2 = d1 - vol * t;
    float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f);
    call[i] = spot[i] * n1 - strike[i] * expf(-rate * years[i]) * n2;
}
