// Sorts each row, equal keys as they stand, and what belongs to the keys with them.
#pragma ks optimize
#pragma ks workload let(rows=256,cols=64) in(key[rows*cols]=randint(0,2147483647)) in(own[rows*cols]=randint(0,1000000)) out(keys[rows*cols]) out(owns[rows*cols]) grid(rows) block(64)
__global__ void ranks(const int *key, const int *own, int *keys, int *owns, int rows, int cols)
{
    int row = blockIdx.x * cols;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        int rank = 0;
        for (int j = 0; j < cols; j++)
            rank += key[row + j] < key[row + i] || (key[row + j] == key[row + i] && j < i);
        keys[row + rank] = key[row + i];
        owns[row + rank] = own[row + i];
    }
}
