// Running sums by one thread.
#pragma ks optimize
#pragma ks workload let(n=20000) in(x[n]=randint(0,9)) out(y[n]) grid(1) block(32)
__global__ void scan(const int *x, int *y, int n)
{
    if (threadIdx.x > 0)
        return;
    int sum = 0;
    for (int i = 0; i < n; i++)
        y[i] = sum += x[i];
}
