// The lesser root of a x^2 + b x + c, without the cancellation of the schoolbook's formula; NaN where there is none.
#pragma ks optimize
#pragma ks workload let(n=100000) in(a[n]) in(b[n]) in(c[n]) out(x[n]) grid(ceildiv(n,256)) block(256)
__global__ void quadratic(const float *a, const float *b, const float *c, float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float d = b[i] * b[i] - 4 * a[i] * c[i];
    if (a[i] == 0 || !(d >= 0)) {
        x[i] = NAN;
        return;
    }
    float q = -0.5f * (b[i] + copysignf(sqrtf(d), b[i])), root = q / a[i];
    if (q != 0)
        root = fminf(root, c[i] / q);
    x[i] = root;
}
