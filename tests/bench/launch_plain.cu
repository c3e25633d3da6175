// Twins of launch_kernels.cu's last kernel and of its variant's, compiled by nvcc alone: what the
// same two launches cost where there is no table.
__global__ void plain(float *y, const float *x, int n, int m)
{
    if (n < 0)
        y[0] = x[m];
}
__global__ void plain_quick(float *y, const float *x, int n, int m)
{
    if (n < 0)
        y[0] = x[m];
}
