// The eight largest numbers of each row, falling; a warp has a row.
#pragma ks optimize
#pragma ks workload let(rows=4096) let(cols=480) in(x[rows*cols]) out(top[rows*8]) grid(rows) block(32)
__global__ void largest_eight(const float *x, float *top, int rows, int cols)
{
    const float *row = x + (size_t)blockIdx.x * cols;
    unsigned long long below = ~0ull;
    for (int k = 0; k < 8; k++) {
        unsigned long long most = 0;
        for (int i = threadIdx.x; i < cols; i += 32) {
            unsigned bits = __float_as_uint(row[i]);
            bits ^= bits >> 31 ? ~0u : 0x80000000u;
            unsigned long long key = (unsigned long long)bits << 32 | (unsigned)(i + 1);
            if (key < below && key > most)
                most = key;
        }
        for (int d = 16; d > 0; d /= 2)
            most = max(most, __shfl_xor_sync(~0u, most, d));
        below = most;
        if (threadIdx.x == 0)
            top[blockIdx.x * 8 + k] = most ? row[(unsigned)most - 1] : 0;
    }
}
