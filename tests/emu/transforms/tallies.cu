// Integers: counts, an and, a product, steps of two, a do loop that stays, conditions in the loop.
#pragma ks optimize
#pragma ks workload let(n=33,m=150) in(x[n*m]=randint(0,1000)) out(count[n]) out(all[n]) out(best[n]) out(odd[n]) grid(ceildiv(n,32)) block(32)
__global__ void tallies(const int *x, int *count, unsigned *all, int *best, long long *odd, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = 0, b = -1; unsigned a = ~0u; long long o = 7;
    for (int k = 0; k < m; k += 2) {
        if (x[i * m + k] < 100) continue;
        if (x[i * m + k] % 3 == 0) c++;
        a &= x[i * m + k] | 5;
        b = max(b, x[i * m + k]);
    }
    for (int k = 1; k <= m - 1; k = k + 2)
        o = o + x[i * m + k] - 1;
    int s = 0;
    do { s++; b++; } while (s < 3);
    count[i] = c; all[i] = a; best[i] = b; odd[i] = o;
}
