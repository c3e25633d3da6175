typedef @T@ count_type;
typedef @head_own@ own_type; // what a block counts in: where each element is one, a row has fewer than 32 bits hold

constexpr int threads = @threads@, ahead = @ahead@, copies = @copies@, bytes = @head_bytes@;
constexpr int pack = bytes < 16 ? 16 / bytes : 1; // elements in 16 bytes of the widest
constexpr bool by_lane = @by_lane@;               // neighbouring threads count apart; else warps do

// `wide` elements, packs `step` apart from `at` on.
template <int length, int wide, class E>
__device__ __forceinline__ void along(E (&to)[wide], const E *from, long long at, long long step)
{
    struct alignas(length * sizeof(E) < 16 ? length * sizeof(E) : 16) several {
        E lane[length];
    };
    _Pragma("unroll") for (int group = 0; group < wide / length; group++) {
        const several p = *reinterpret_cast<const several *>(from + at + group * step);
        _Pragma("unroll") for (int lane = 0; lane < length; lane++)
            to[group * length + lane] = p.lane[lane];
    }
}

// Whether an element counts, where, and how much.
__device__ __forceinline__ bool counted(@head_place@ &its_bin, count_type &its_weight@head_takes@)
{
@head@}

__device__ __forceinline__ int place_of(int bin, int copy, int bins)
{
    return by_lane ? bin * copies + copy : copy * bins + bin;
}

// What the original counts outside of the row is counted there.
template <class P>
__device__ __forceinline__ void count(own_type *mine, count_type *counts, long long first, int bins, int copy, P bin,
                                      count_type weight)
{
    const bool inside = sizeof(P) == 8 ? (unsigned long long)bin < (unsigned long long)bins : (unsigned)bin < (unsigned)bins;
    if (inside)
        atomicAdd(&mine[place_of((int)bin, copy, bins)], (own_type)weight);
    else
        atomicAdd(&counts[sizeof(P) == 8 ? (long long)(unsigned)(first + bin) : first + (long long)bin], weight);
}

template <int length, int wide>
__device__ __forceinline__ void count_packs(own_type *mine, count_type *counts, long long first, int bins, int copy, long long at,
                                            long long step@head_parameters@)
{
@head_loads@    _Pragma("unroll") for (int lane = 0; lane < wide; lane++) {
        @head_place@ bin = 0;
        count_type weight = 0;
        if (counted(bin, weight, @head_values@))
            count(mine, counts, first, bins, copy, bin, weight);
    }
}

// A row is `share` blocks' work, each of which counts for itself and then adds what it has.
__global__ void __launch_bounds__(threads)
    count_elements(@T@ *counts, int n, int bins, int share@head_parameters@)
{
    extern __shared__ own_type mine[];
    const int row = (int)blockIdx.x / share, part = (int)blockIdx.x % share;
    const int copy = (int)(by_lane ? threadIdx.x : threadIdx.x / 32) % copies;
    for (int i = (int)threadIdx.x; i < copies * bins; i += threads)
        mine[i] = 0;
    __syncthreads();
    const long long begin = (long long)row * n, first = (long long)row * bins, step = (long long)threads * pack;
    const int past = (int)(begin % pack), wanted = past > 0 ? pack - past : 0, lead = wanted < n ? wanted : n;
    const long long packs = (n - lead) / pack, tile = (long long)threads * ahead;
    long long at = part * tile;
    for (; at + tile <= packs; at += share * tile)
        count_packs<pack, ahead * pack>(mine, counts, first, bins, copy, begin + lead + (at + threadIdx.x) * pack, step@head_arguments@);
    for (long long i = at + threadIdx.x; i < packs && i < at + tile; i += threads)
        count_packs<pack, pack>(mine, counts, first, bins, copy, begin + lead + i * pack, step@head_arguments@);
    const int ends = n - (int)packs * pack;
    for (int i = (int)threadIdx.x; part == share - 1 && i < ends; i += threads)
        count_packs<1, 1>(mine, counts, first, bins, copy, begin + (i < lead ? i : packs * pack + i), 1@head_arguments@);
    __syncthreads();
    for (int bin = (int)threadIdx.x; bin < bins; bin += threads) {
        own_type total = 0;
        for (int i = 0; i < copies; i++)
            total += mine[place_of(bin, i, bins)];
        if (total != 0)
            atomicAdd(&counts[first + bin], (count_type)total);
    }
}
