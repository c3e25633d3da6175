// Two axes, nested loops, several stores, an inner sum in a uniform outer loop, in place scaling.
#pragma ks optimize
#pragma ks workload let(n=9,h=3,m=64) in(q[n*h*m]) in(w[4*m]) inout(s[n*h*4]) grid(ceildiv(n,4),h) block(4,1)
__global__ void heads(const float *q, const float *w, float *s, int n, int h, int m)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x, head = blockIdx.y * blockDim.y + threadIdx.y;
    if (b >= n || head >= h) return;
    for (int t = 0; t < 4; t++) {
        float sum = s[(b * h + head) * 4 + t];
        for (int k = 0; k < m; k++)
            sum += q[(b * h + head) * m + k] * w[t * m + k];
        s[(b * h + head) * 4 + t] = sum;
    }
    float total = 0;
    for (int t = 0; t < 4; t++) total += s[(b * h + head) * 4 + t];
    for (int t = 0; t < 4; t++) s[(b * h + head) * 4 + t] /= fabsf(total) + 3.0f;
}
