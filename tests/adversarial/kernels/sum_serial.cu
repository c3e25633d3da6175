// One thread adds all, of many and of fewer.
#pragma ks optimize
#pragma ks workload let(n=20000) in(x[n]=randint(0,1000)) out(s[1]) grid(1) block(1)
#pragma ks workload let(n=4000) in(x[n]=randint(0,1000)) out(s[1]) grid(1) block(1)
__global__ void sum_serial(const unsigned *x, unsigned *s, int n)
{
    unsigned t = 0;
    for (int i = 0; i < n; i++)
        t += x[i];
    s[0] = t;
}
