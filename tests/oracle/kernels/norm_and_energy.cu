// A norm that is scaled so as not to overflow, and beside it a square that does.
#pragma ks optimize
#pragma ks workload let(n=600) let(m=24) in(a[n*m]) out(y[n]) out(energy[1]) grid(ceildiv(n,128)) block(128)
__global__ void norm_and_energy(const float *a, float *y, float *energy, int n, int m)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float largest = 0.0f, sum = 0.0f;
    for (int k = 0; k < m; k++)
        largest = fmaxf(largest, fabsf(a[row * m + k]));
    for (int k = 0; k < m && largest > 0; k++) {
        float part = a[row * m + k] / largest;
        sum += part * part;
    }
    y[row] = largest * sqrtf(sum);
    if (row == 0)
        energy[0] = a[0] * a[0];
}
