constexpr int lanes = 16 / sizeof(@T@);

struct alignas(16) pack {
    @T@ lane[lanes];
};

// Packs of @lines@ rows a thread, all loaded before the first is stored.
__global__ void __launch_bounds__(@threads@)
    scale_lines(const @T@ *__restrict__ d, const @T@ *__restrict__ b, @T@ *__restrict__ c, int m, int n)
{
    const int col = (blockIdx.x * @threads@ + threadIdx.x) * lanes, row0 = blockIdx.y * @lines@;
    const bool packed = (reinterpret_cast<size_t>(b) | reinterpret_cast<size_t>(c)) % 16 == 0 && n % lanes == 0;
    if (col >= n)
        return;
    pack v[@lines@];
    _Pragma("unroll") for (int r = 0; r < @lines@; r++) {
        const @T@ *at = b + (size_t)(row0 + r) * n + col;
        if (row0 + r >= m)
            break;
        if (packed)
            v[r] = *reinterpret_cast<const pack *>(at);
        else
            _Pragma("unroll") for (int i = 0; i < lanes; i++)
                v[r].lane[i] = col + i < n ? at[i] : (@T@)0;
    }
    _Pragma("unroll") for (int r = 0; r < @lines@; r++) {
        const int row = row0 + r;
        @T@ *to = c + (size_t)row * n + col;
        if (row >= m)
            break;
        _Pragma("unroll") for (int i = 0; i < lanes; i++)
            if (col + i < n)
                v[r].lane[i] = d[@place@] * v[r].lane[i];
        if (packed)
            *reinterpret_cast<pack *>(to) = v[r];
        else
            _Pragma("unroll") for (int i = 0; i < lanes; i++)
                if (col + i < n)
                    to[i] = v[r].lane[i];
    }
}
