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

// How a line of n elements falls into 16-byte packs: `head` elements are in front of the first.
struct division {
    int head, packs;
};

__device__ __forceinline__ division divided(const @T@ *line, int n)
{
    const int skew = (int)(reinterpret_cast<size_t>(line) % 16 / sizeof(@T@)), gap = (lanes - skew) % lanes;
    const int head = gap < n ? gap : n;
    return {head, (n - head) / lanes};
}

// Whether both lines have their 16-byte boundaries at the same places.
__device__ __forceinline__ bool alike(const @T@ *a, const @T@ *b)
{
    return (reinterpret_cast<size_t>(a) - reinterpret_cast<size_t>(b)) % 16 == 0;
}

// Calls f(i, pack) with a thread's share of packs: every so many from `first` on, four of them in flight.
template <class F> __device__ __forceinline__ void take(const pack *body, int first, int packs, F f)
{
    int i = first;
    for (; i + 3 * threads < packs; i += 4 * threads) {
        pack p[4];
        _Pragma("unroll") for (int k = 0; k < 4; k++)
            p[k] = body[i + k * threads];
        _Pragma("unroll") for (int k = 0; k < 4; k++)
            f(i + k * threads, p[k]);
    }
    _Pragma("unroll 1") for (; i < packs; i += threads) {
        const pack p = body[i];
        f(i, p);
    }
}

// Calls f with each element from `from` to `to` of a line, spread over the block. Elements in front of the first
// 16-byte boundary and behind the last one go singly.
template <class F> __device__ __forceinline__ void visit(const @T@ *line, long long from, long long to, F f)
{
    line += from;
    const int n = (int)(to - from);
    const division d = divided(line, n);
    take(reinterpret_cast<const pack *>(line + d.head), threadIdx.x, d.packs, [&](int, const pack &p) {
        _Pragma("unroll") for (int l = 0; l < lanes; l++)
            f(@T_wide@(p.lane[l]));
    });
    for (int i = threadIdx.x; i < n - d.packs * lanes; i += threads)
        f(@T_wide@(line[i < d.head ? i : i + d.packs * lanes]));
}

// n elements from `from` on: one, or a pack, which is one load where it lies on a 16-byte boundary.
__device__ __forceinline__ pack some(const @T@ *from, int n)
{
    pack p;
    if (n == lanes && reinterpret_cast<size_t>(from) % 16 == 0)
        return *reinterpret_cast<const pack *>(from);
    _Pragma("unroll") for (int l = 0; l < n; l++)
        p.lane[l] = from[l];
    return p;
}

// Writes what f(p, place, n) makes of the first n elements of each pack p to the same place of `out`; elements beside
// whole packs go singly.
template <class F>
__device__ __forceinline__ void rewrite(const @T@ *line, @T@ *out, long long from, long long to, F f)
{
    const int n = (int)(to - from);
    const division d = divided(line + from, n);
    const int packs = alike(line + from, out + from) ? d.packs : 0;
    pack *to_body = reinterpret_cast<pack *>(out + from + d.head);
    take(reinterpret_cast<const pack *>(line + from + d.head), threadIdx.x, packs, [&](int i, pack p) {
        f(p, from + d.head + i * lanes, lanes);
        to_body[i] = p;
    });
    for (int i = threadIdx.x; i < n - packs * lanes; i += threads) {
        const long long at = from + (i < d.head ? i : i + packs * lanes);
        pack p = some(line + at, 1);
        f(p, at, 1);
        out[at] = p.lane[0];
    }
}
