// What probe_seconds.py profiles: a transpose that some 150 us of an H200's memory go into.
extern "C" __global__ void turn(const float *a, float *b, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = a[(size_t)(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        b[(size_t)(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
