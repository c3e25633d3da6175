// The largest of each row, and where it stands first; the least, and where.
#pragma ks optimize
#pragma ks workload let(rows=37,d=70) in(x[rows*d]=uniform(-4,4)) in(k[rows*d]=randint(0,9)) out(most[rows]) out(at[rows]) out(least[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void largest(const float *x, const int *k, float *most, int *at, long long *least, int rows, int d)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float best = -1e30f;
    int first = -1, low = 5;
    long long where = d;
    for (int i = 0; i < d; i++) {
        float v = x[r * d + i];
        if (v > best) {
            best = v;
            first = i;
        }
        if (low > k[r * d + i]) {
            where = (long long)i;
            low = k[r * d + i];
        }
    }
    most[r] = best;
    at[r] = first;
    least[r] = where;
}
