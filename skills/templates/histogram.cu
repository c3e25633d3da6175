typedef @T@ count_type;
typedef @head_own@ own_type; // what a block counts in: where each element is one, 32 bits hold a row's

constexpr int threads = @threads@, ahead = @ahead@, copies = @copies@, times = @head_counts@, bytes = @head_bytes@;
constexpr int pack = bytes < 16 ? 16 / bytes : 1; // elements in 16 bytes of the widest
constexpr bool between = @between@;               // elements of several rows lie side by side
constexpr bool by_lane = @by_lane@;               // neighbouring threads count apart; else warps do

__device__ __forceinline__ void add(int *to, int what)
{
    atomicAdd(to, what);
}
__device__ __forceinline__ void add(unsigned *to, unsigned what)
{
    atomicAdd(to, what);
}
__device__ __forceinline__ void add(unsigned long long *to, unsigned long long what)
{
    atomicAdd(to, what);
}
__device__ __forceinline__ void add(long long *to, long long what)
{
    atomicAdd(reinterpret_cast<unsigned long long *>(to), (unsigned long long)what);
}

// A block's counts, of `rows` rows, whose elements lie side by side, and where they go.
struct block_counts {
    own_type *own;
    count_type *counts;
    long long counts_begin;
    int bins, rows, copy;
};

// `wide` elements, packs of `length` that lie `step` apart from `at` on.
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
__device__ __forceinline__ bool counted(@head_place@ (&its_bin)[times], count_type (&its_weight)[times]@head_takes@)
{
@head@}

__device__ __forceinline__ int place_of(int bin, int copy, int bins)
{
    return by_lane ? bin * copies + copy : copy * bins + bin;
}

// What the original counts outside of the row is counted there.
template <class P>
__device__ __forceinline__ void count(const block_counts &b, int row, P bin, count_type weight)
{
    const bool wide = sizeof(P) == 8;
    const bool inside = wide ? (unsigned long long)bin < (unsigned long long)b.bins : (unsigned)bin < (unsigned)b.bins;
    if (inside)
        add(&b.own[place_of(row * b.bins + (int)bin, b.copy, b.rows * b.bins)], (own_type)weight);
    else {
        const long long first = b.counts_begin + (long long)row * b.bins;
        add(&b.counts[wide ? (long long)(unsigned)(first + bin) : first + (long long)bin], weight);
    }
}

template <int length, int wide>
__device__ __forceinline__ void count_packs(const block_counts &b, long long at, long long step@head_parameters@)
{
@head_loads@    int row = 0;
    _Pragma("unroll") for (int lane = 0; lane < wide; lane++) {
        if (between && lane % length == 0)
            row = (int)((unsigned)(at + lane / length * step) % (unsigned)b.rows);
        else if (between)
            row = row + 1 < b.rows ? row + 1 : 0;
        @head_place@ bin[times] = {};
        count_type weight[times] = {};
        if (counted(bin, weight, @head_values@))
            _Pragma("unroll") for (int i = 0; i < times; i++)
                count(b, row, bin[i], weight[i]);
    }
}

// `n` elements are `share` blocks' work, each of which counts for itself and then adds what it has.
__global__ void __launch_bounds__(threads)
    count_elements(@T@ *counts, int n, int bins, int rows, int share@head_parameters@)
{
    extern __shared__ own_type own[];
    const int group = (int)blockIdx.x / share, part = (int)blockIdx.x % share, all = rows * bins;
    const block_counts b = {own, counts, (long long)group * all, bins, rows, (int)(by_lane ? threadIdx.x : threadIdx.x / 32) % copies};
    for (int i = (int)threadIdx.x; i < copies * all; i += threads)
        own[i] = 0;
    __syncthreads();
    const long long begin = (long long)group * n, step = (long long)threads * pack;
    const int past = (int)(begin % pack), wanted = past > 0 ? pack - past : 0, lead = wanted < n ? wanted : n;
    const long long packs = (n - lead) / pack, tile = (long long)threads * ahead;
    long long at = part * tile;
    for (; at + tile <= packs; at += share * tile)
        count_packs<pack, ahead * pack>(b, begin + lead + (at + threadIdx.x) * pack, step@head_arguments@);
    for (long long i = at + threadIdx.x; i < packs && i < at + tile; i += threads)
        count_packs<pack, pack>(b, begin + lead + i * pack, step@head_arguments@);
    const int ends = n - (int)packs * pack;
    for (int i = (int)threadIdx.x; part == share - 1 && i < ends; i += threads)
        count_packs<1, 1>(b, begin + (i < lead ? i : packs * pack + i), 1@head_arguments@);
    __syncthreads();
    for (int bin = (int)threadIdx.x; bin < all; bin += threads) {
        own_type total = 0;
        for (int i = 0; i < copies; i++)
            total += own[place_of(bin, i, all)];
        if (total != 0)
            add(&counts[b.counts_begin + bin], (count_type)total);
    }
}
