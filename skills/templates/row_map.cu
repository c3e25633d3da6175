// A row: its first packs wait in shared memory from the first visit on, others are read again, mostly from a cache.
constexpr int kept = @kept@;
struct row {
    const @T@ *at;
    pack *held;
    bool visited;
};

// Calls f(i, pack) with a thread's share of a row that was visited.
template <class F> __device__ __forceinline__ void take_again(const row &line, const pack *body, int packs, F f)
{
    take(line.held, threadIdx.x, kept < packs ? kept : packs, f);
    take(body, kept + threadIdx.x, packs, f);
}

// Calls f(element, place) with a thread's share of a row.
template <class F> __device__ __forceinline__ void visit(row &line, int, int n, F f)
{
    const division d = divided(line.at, n);
    const pack *body = reinterpret_cast<const pack *>(line.at + d.head);
    const auto each = [&](int i, const pack &p) {
        _Pragma("unroll") for (int l = 0; l < lanes; l++)
            f(@T_wide@(p.lane[l]), d.head + i * lanes + l);
    };
    if (line.visited)
        take_again(line, body, d.packs, each);
    else
        take(body, threadIdx.x, d.packs, [&](int i, const pack &p) {
            if (i < kept)
                line.held[i] = p;
            each(i, p);
        });
    for (int i = threadIdx.x; i < n - d.packs * lanes; i += threads) {
        const int at = i < d.head ? i : i + d.packs * lanes;
        f(@T_wide@(line.at[at]), at);
    }
    line.visited = true;
}

// Writes f(element, place) of each element of a row that was visited to the same place of `out`.
template <class F> __device__ __forceinline__ void rewrite(const row &line, @T@ *out, int, int n, F f)
{
    const division d = divided(line.at, n);
    const int packs = alike(line.at, out) ? d.packs : 0;
    pack *to_body = reinterpret_cast<pack *>(out + d.head);
    take_again(line, reinterpret_cast<const pack *>(line.at + d.head), packs, [&](int i, pack p) {
        _Pragma("unroll") for (int l = 0; l < lanes; l++)
            p.lane[l] = f(@T_wide@(p.lane[l]), d.head + i * lanes + l);
        to_body[i] = p;
    });
    for (int i = threadIdx.x; i < n - packs * lanes; i += threads) {
        const int at = i < d.head ? i : i + packs * lanes;
        out[at] = f(@T_wide@(line.at[at]), at);
    }
}

// What an element is stored as.
__device__ __forceinline__ @T@ finished(@T_sum@ its_sum, int its_col, size_t its_place, int its_row@tail_takes@)
{
    (void)its_col, (void)its_place, (void)its_row;
@tail@}

// A block a row: what the row comes to first, then each of its elements by that.
__global__ void __launch_bounds__(threads)
    row_map(const @T@ *__restrict__ x, @pointers@@T@ *__restrict__ y, int cols@number_parameters@@tail_parameters@)
{
    extern __shared__ pack held[];
    row line = {x + (size_t)blockIdx.x * cols, held, false};
    @T@ *out = y + (size_t)blockIdx.x * cols;
    @stats@
    const int row = blockIdx.x;
    rewrite(line, out, 0, cols, [&](@T_sum@ v, int place) {
        return finished(@map@, place, (size_t)row * cols + place, row@tail_arguments@);
    });
}
