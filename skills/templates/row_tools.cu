constexpr int threads = @threads@, lanes = 16 / sizeof(@T@);

struct alignas(16) pack {
    @T@ lane[lanes];
};

template <class V> __device__ __forceinline__ V add(V a, V b)
{
    return a + b;
}

template <class V> __device__ __forceinline__ V larger(V a, V b)
{
    return fmax(a, b);
}

// The value of all threads of a block, in all of them.
template <class V> __device__ __forceinline__ V of_block(V value, V (*combine)(V, V))
{
    __shared__ V parts[32];
    for (int d = 16; d > 0; d /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffffu, value, d));
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = parts[threadIdx.x % (threads / 32)];
    for (int d = threads / 64; d > 0; d /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffffu, value, d));
    __syncthreads();
    return value;
}

// Calls f with each element from `from` to `to` of a line, spread over the block. Elements in front of the first
// 16-byte boundary and behind the last one go singly.
template <class F> __device__ __forceinline__ void visit(const @T@ *line, long long from, long long to, F f)
{
    line += from;
    const int n = (int)(to - from), skew = (int)(reinterpret_cast<size_t>(line) % 16 / sizeof(@T@));
    const int gap = (lanes - skew) % lanes, head = gap < n ? gap : n, packs = (n - head) / lanes;
    const pack *body = reinterpret_cast<const pack *>(line + head);
    _Pragma("unroll 4") for (int i = threadIdx.x; i < packs; i += threads) {
        const pack p = body[i];
        _Pragma("unroll") for (int l = 0; l < lanes; l++)
            f(p.lane[l]);
    }
    for (int i = threadIdx.x; i < n - packs * lanes; i += threads)
        f(line[i < head ? i : i + packs * lanes]);
}

// Writes f(element, place) of each element to the same place of `out`.
template <class F>
__device__ __forceinline__ void rewrite(const @T@ *line, @T@ *out, long long from, long long to, F f)
{
    const int n = (int)(to - from), skew = (int)(reinterpret_cast<size_t>(line + from) % 16 / sizeof(@T@));
    const bool alike = reinterpret_cast<size_t>(out + from) % 16 / sizeof(@T@) == (size_t)skew;
    const int gap = (lanes - skew) % lanes, head = gap < n ? gap : n;
    const int packs = alike ? (n - head) / lanes : 0;
    const pack *body = reinterpret_cast<const pack *>(line + from + head);
    pack *to_body = reinterpret_cast<pack *>(out + from + head);
    _Pragma("unroll 4") for (int i = threadIdx.x; i < packs; i += threads) {
        pack p = body[i];
        _Pragma("unroll") for (int l = 0; l < lanes; l++)
            p.lane[l] = f(p.lane[l], from + head + i * lanes + l);
        to_body[i] = p;
    }
    for (int i = threadIdx.x; i < n - packs * lanes; i += threads) {
        const long long at = from + (i < head ? i : i + packs * lanes);
        out[at] = f(line[at], at);
    }
}
