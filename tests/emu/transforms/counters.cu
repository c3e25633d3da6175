// Counters in the spellings of C, and a loop over the grid as a `while`.
#pragma ks optimize
#pragma ks workload let(n=300, depth=12) in(x[n*depth]) in(limit[n]=randint(0,12)) out(y[n]) out(found[n]) grid(3) block(64)
__global__ void counters(const float *x, const int *limit, float *y, int *found, int n, int depth)
{
    int k, j;
    unsigned i = threadIdx.x + blockIdx.x * blockDim.x, all = gridDim.x * blockDim.x;
    while (i < n) {
        float s = 0.0f, t = 0.0f;
        for (k = 0; k < depth; k++)
            s += x[i * depth + k];
        int at = 0;
        while (at < limit[i]) {
            s -= 0.25f;
            at++;
        }
        j = 0;
        while (j < depth) {
            t += x[i * depth + j] * s;
            j += 1;
        }
        for (k = 1; k < depth; k++) {
            if (x[i * depth + k] < 0)
                continue;
            t -= 0.5f;
        }
        y[i] = t;
        found[i] = at;
        i += all;
    }
}
