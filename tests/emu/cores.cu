// Kernels whose blocks have nothing to do with each other, and kernels whose blocks meet: on one core or
// several, what comes out, what is found and what is counted must be the same.
#define K extern "C" __global__ void

// ---- apart

K apart_plain(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 3 + in[i / 2];
}
K apart_columns(const int *in, int *out) // neighbouring words by different blocks
{
    int i = threadIdx.x * gridDim.x + blockIdx.x;
    out[i] = in[i] + (int)blockIdx.x;
}
K apart_bytes(const int *in, int *out) // and neighbouring bytes of one block
{
    unsigned char *to = (unsigned char *)out + (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = 0; k < 4; k++)
        to[k] = (unsigned char)(in[threadIdx.x] + k);
}
K apart_tiles(const int *in, int *out)
{
    __shared__ int t[256], count;
    if (threadIdx.x == 0)
        count = 0;
    t[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    atomicAdd(&count, t[255 - threadIdx.x] & 1);
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = t[255 - threadIdx.x] + (threadIdx.x == 0 ? count : 0);
}
K apart_uneven(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    for (int k = 0; k < (int)(blockIdx.x % 40); k++)
        s += in[(i + k * 7) & 4095];
    out[i] = s;
}

// ---- blocks that meet

K meet_atomics(const int *in, int *out)
{
    out[1 + blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(out, 1);
}
K meet_last(const int *in, int *out) // one block's words read by another without order
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    out[i] = in[i & 4095] + 1;
    if (blockIdx.x == gridDim.x - 1)
        out[i] = out[i - n / 2];
}
K meet_first(const int *in, int *out) // read first, written later
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    if (blockIdx.x == 0)
        out[i] = out[i + n / 2];
    else
        out[i] = in[i & 4095] + 1;
}
K meet_same(const int *in, int *out) // equal values in one word: no race, but not apart
{
    out[0] = 5;
    out[1 + blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
}
K meet_other(const int *in, int *out) // a word that most write as it is, the last block otherwise
{
    out[0] = blockIdx.x == gridDim.x - 1 ? 7 : 0;
    out[1 + blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
}
K meet_unset(const int *in, int *out) // nobody wrote what one block reads
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i & 4095] + (blockIdx.x == gridDim.x - 3 ? out[i + gridDim.x * blockDim.x] : 0);
}
K meet_outside(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[blockIdx.x == gridDim.x / 2 ? 100000000 : i & 4095];
}
K meet_clock(const int *in, int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = (int)clock();
}
