// Functions and divisions of floats, brackets and comments between them; the integer and the double division
// stay, and so does the shadowed name. What the approximations take lies where they are within the tolerance, whatever x.
#pragma ks optimize fastmath tol(rel=1e-3,abs=1e-4)
#pragma ks workload let(n=4099) set(s=1.5) in(x[n]=uniform(-4,4)) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void gelu(const float *x, float *y, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], w = (v / /* not 3 */ s) / (2.0f + v * v);
    double d = 3.0;
    {
        int half = n / 2;
        v += i < half ? 0.5f : (float)(1 / d);
    }
    float t = tanhf(0.7978845608f * (v + 0.044715f * powf(v, 3.0f)));
    y[i] = 0.5f * v * (1.0f + t) + w/powf(3.0f + w/(1.0f + w * w), 2)/expf(-(t * t)/(s * s + 1)) * 1e-3f + logf(1.0f + v * v) + sinf(t) + powf(v * v, 0.5f);
}
