// Products by warpgroups (wgmma), of operands in shared memory; the first may come from registers.
constexpr int line = 128; // bytes of a line of a tile

__device__ __forceinline__ unsigned shared_at(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

// Where a pack of 16 bytes lies in a tile: the places that the tensor cores expect (PTX ISA, "swizzling modes": 128
// bytes), so that the same pack of eight lines is in different banks.
__device__ __forceinline__ int placed(int l, int pack)
{
    return l * line + (pack ^ l) % 8 * 16;
}

// The descriptor of what begins at an address: in units of 16 bytes where it begins, from block to block, from one eight of
// lines to the next.
__device__ __forceinline__ unsigned long long described(unsigned from, int block)
{
    return 1ull << 62 | (unsigned long long)(8 * line / 16) << 32 | block / 16 << 16 | (from & 0x3FFFF) / 16;
}

// What threads stored is there for tensor cores, once all have come here.
__device__ __forceinline__ void stored_for_products()
{
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    __syncthreads();
}

__device__ __forceinline__ void begin_products()
{
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}

__device__ __forceinline__ void end_products()
{
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

// All but the newest of them, or all; their sums are not read before that.
__device__ __forceinline__ void wait_for_older()
{
    asm volatile("wgmma.wait_group.sync.aligned 1;" : : : "memory");
}

template <int rows, int columns> __device__ __forceinline__ void wait_for_all(float (&sums)[rows][columns][4])
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
    _Pragma("unroll") for (int i = 0; i < rows; i++)
        _Pragma("unroll") for (int j = 0; j < columns; j++)
            _Pragma("unroll") for (int l = 0; l < 4; l++)
                asm volatile("" : "+f"(sums[i][j][l]) : : "memory");
}
