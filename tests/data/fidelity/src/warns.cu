__global__ void warns(int *x)
{
    int unused;
    x[0] = 1u < -1;
}
int host(int n)
{
    int also_unused;
    if (n = 3)
        return 1;
}
void run(int *x) { warns<<<1, 1>>>(x); }
