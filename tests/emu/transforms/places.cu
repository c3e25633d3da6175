// An array turned by places in three axes, with a border by a remainder of a remainder.
#pragma ks optimize
#pragma ks workload let(a=9,b=7,c=5) in(x[a*b*c]) out(y[a*b*c]) set(d=2) grid(ceildiv(a*b*c,64)) block(64)
__global__ void places(const float *x, float *y, int a, unsigned b, int c, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= a * b * c)
        return;
    int plane = i / (a * (int)b), rest = i % (a * (int)b);
    const int row = rest / a, column = rest % a;
    float scale = (long)i / c % b == 0 ? 2.0f : 1.0f;
    for (int k = 0; k < 3; k++)
        scale += (k + d) / c;
    y[(column * b + row) * c + plane] = x[i] * scale;
}
