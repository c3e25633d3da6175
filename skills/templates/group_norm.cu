constexpr int threads = @threads@, held = @held@, lanes = 16 / sizeof(@T@);

struct alignas(16) pack {
    @T@ lane[lanes];
};

constexpr int columns_bytes = lanes * sizeof(@P@), columns_even = columns_bytes > 16 ? 16 : columns_bytes;

struct alignas(columns_even) columns {
    @P@ lane[lanes];
};

// A group of neighbouring columns of a row, and what a thread holds of it. `head` elements are in front of
// the first 16-byte pack; they and those behind the last one go singly.
struct group {
    const @T@ *at;
    int size, head, packs;
    pack held_pack[held];
};

__device__ __forceinline__ bool is_even(const void *at, int bytes)
{
    return reinterpret_cast<size_t>(at) % bytes == 0;
}

// A thread's share: all that it holds is on its way before any of it is needed.
__device__ __forceinline__ void load(group &g, const @T@ *at, int size)
{
    const int skew = (int)(reinterpret_cast<size_t>(at) % 16 / sizeof(@T@)), gap = (lanes - skew) % lanes;
    g.at = at;
    g.size = size;
    g.head = gap < size ? gap : size;
    g.packs = (size - g.head) / lanes;
    const pack *body = reinterpret_cast<const pack *>(at + g.head);
    _Pragma("unroll") for (int k = 0; k < held; k++) {
        const int i = threadIdx.x + k * blockDim.x;
        if (i < g.packs)
            g.held_pack[k] = body[i];
    }
}

// Calls f(i, pack) with a thread's packs; what it does not hold comes from a cache.
template <class F> __device__ __forceinline__ void each_pack(const group &g, F f)
{
    const pack *body = reinterpret_cast<const pack *>(g.at + g.head);
    _Pragma("unroll") for (int k = 0; k < held; k++) {
        const int i = threadIdx.x + k * blockDim.x;
        if (i < g.packs)
            f(i, g.held_pack[k]);
    }
    for (int i = threadIdx.x + held * blockDim.x; i < g.packs; i += blockDim.x) {
        const pack p = body[i];
        f(i, p);
    }
}

// Calls f(place) with those of the elements outside packs that are a thread's.
template <class F> __device__ __forceinline__ void each_single(const group &g, F f)
{
    for (int i = threadIdx.x; i < g.size - g.packs * lanes; i += blockDim.x)
        f(i < g.head ? i : i + g.packs * lanes);
}

// Calls f(element) with a thread's share.
template <class F> __device__ __forceinline__ void visit(const group &g, F f)
{
    each_pack(g, [&](int, const pack &p) {
        _Pragma("unroll") for (int l = 0; l < lanes; l++)
            f(@T_wide@(p.lane[l]));
    });
    each_single(g, [&](int place) { f(@T_wide@(g.at[place])); });
}

// The sum of the values of a group's threads, in all of them.
__device__ __forceinline__ @T_sum@ of_team(@T_sum@ value)
{
    const int team = blockDim.x, warps = team / 32;
    for (int d = (team < 32 ? team : 32) / 2; d > 0; d /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, d);
    if (warps > 1) {
        __shared__ @T_sum@ parts[threads / 32];
        if (threadIdx.x % 32 == 0)
            parts[threadIdx.y * warps + threadIdx.x / 32] = value;
        __syncthreads();
        value = 0;
        for (int i = 0; i < warps; i++)
            value += parts[threadIdx.y * warps + i];
        __syncthreads();
    }
    return value;
}

// Elements of gamma or beta that go with a pack.
__device__ __forceinline__ columns beside(const @P@ *from, bool even)
{
    columns c;
    if (even)
        return *reinterpret_cast<const columns *>(from);
    _Pragma("unroll") for (int l = 0; l < lanes; l++)
        c.lane[l] = from[l];
    return c;
}

// What an element's norm is stored as.
__device__ __forceinline__ @T@ finished(@T_sum@ its_sum, size_t its_place, int its_col, size_t its_row@tail_takes@)
{
    (void)its_place, (void)its_col, (void)its_row;
@tail@}

// A few threads a group, which stays in their registers: memory is read once.
__global__ void __launch_bounds__(threads)
    group_norm(const @T@ *__restrict__ x, const @P@ *__restrict__ gamma, const @P@ *__restrict__ beta,
               @T@ *__restrict__ y, int all, int groups, int size@number_parameters@@tail_parameters@)
{
    const unsigned own = blockIdx.x * blockDim.y + threadIdx.y, last = all - 1;
    const unsigned nth = own < last ? own : last, row = nth / groups;
    const size_t start = (size_t)nth * size;
    const int first = (int)(nth - row * groups) * size;
    group g;
    load(g, x + start, size);
    @T_sum@ sum = 0, squares = 0;
    visit(g, [&](@T_sum@ v) { sum += v; });
    const @T_sum@ mean = of_team(sum) / size;
    visit(g, [&](@T_sum@ v) { squares += (v - mean) * (v - mean); });
    const @T_sum@ scale = 1 / sqrt(of_team(squares) / size + (@T_sum@)@eps@);
    if (own > last)
        return;
    @T@ *to = y + start;
    gamma += first;
    beta += first;
    const auto stored = [&](@T_sum@ v, @P@ factor, @P@ summand, int place) {
        return finished((v - mean) * scale * @P_wide@(factor) + @P_wide@(summand), start + place, first + place,
                        row@tail_arguments@);
    };
    const bool even = is_even(to + g.head, 16), even_gamma = is_even(gamma + g.head, columns_even),
               even_beta = is_even(beta + g.head, columns_even);
    each_pack(g, [&](int i, const pack &p) {
        const int place = g.head + i * lanes;
        const columns factors = beside(gamma + place, even_gamma), summands = beside(beta + place, even_beta);
        pack out;
        _Pragma("unroll") for (int l = 0; l < lanes; l++)
            out.lane[l] = stored(@T_wide@(p.lane[l]), factors.lane[l], summands.lane[l], place + l);
        if (even)
            *reinterpret_cast<pack *>(to + place) = out;
        else
            _Pragma("unroll") for (int l = 0; l < lanes; l++)
                to[place + l] = out.lane[l];
    });
    each_single(g, [&](int place) {
        to[place] = stored(@T_wide@(g.at[place]), gamma[place], beta[place], place);
    });
}
