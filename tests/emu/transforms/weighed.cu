// Where the largest product of each row stands, and where the least difference.
#pragma ks optimize
#pragma ks workload let(rows=37,d=70) in(x[rows*d]=uniform(-4,4)) in(w[d]=uniform(-2,2)) in(k[rows*d]=randint(0,9)) out(at[rows]) out(least[rows]) grid(ceildiv(rows,32)) block(32)
__global__ void weighed(const float *x, const float *w, const int *k, int *at, int *least, int rows, int d)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float most = x[r * d] * w[0];
    int first = 0, low = 99, where = 0;
    for (int i = 1; i < d; i++) {
        if (x[r * d + i] * w[i] - 0.5f > most) {
            most = x[r * d + i] * w[i] - 0.5f;
            first = i;
        }
        if (k[r * d + i] - i < low) {
            low = k[r * d + i] - i;
            where = i;
        }
    }
    at[r] = first;
    least[r] = where;
}
