// A row: its first packs wait in shared memory from the first visit on, some more in registers, others are read again, mostly
// from a cache.
constexpr int kept = @kept@, turns = kept / threads; // packs of a row, of a thread
static_assert(kept % threads == 0, "packs that no thread keeps");
constexpr int at_once = turns / 8 + 1; // packs are waited for together
constexpr int spares = @spare@, behind = kept + spares * threads; // of a thread in registers; of a row not read again
struct row {
    const @T@ *at;
    pack *held;
    bool visited;
    pack spare[spares + 1];
};

// Asks for what is kept of a row, all at once.
__device__ __forceinline__ void ask_for(row &line, int n)
{
    const division d = divided(line.at, n);
    const pack *body = reinterpret_cast<const pack *>(line.at + d.head);
    _Pragma("unroll") for (int k = 0; k < turns; k++) {
        const int i = k * threads + threadIdx.x;
        if (i < d.packs)
            __pipeline_memcpy_async(line.held + i, body + i, sizeof(pack));
        if (k % at_once == at_once - 1 || k == turns - 1)
            __pipeline_commit();
    }
    _Pragma("unroll") for (int k = 0; k < spares; k++)
        if (kept + k * threads + (int)threadIdx.x < d.packs)
            line.spare[k] = body[kept + k * threads + threadIdx.x];
}

// Calls f(i, pack) with a thread's share of the first packs of a row that was asked for.
template <class F> __device__ __forceinline__ void take_all(row &line, const pack *body, int packs, F f)
{
    take(body, behind + threadIdx.x, packs, f);
    _Pragma("unroll") for (int k = 0; k < turns; k++) {
        if (k % at_once == 0 && !line.visited)
            __pipeline_wait_prior((turns - 1) / at_once - k / at_once);
        if (k * threads + (int)threadIdx.x < packs)
            f(k * threads + threadIdx.x, line.held[k * threads + threadIdx.x]);
    }
    _Pragma("unroll") for (int k = 0; k < spares; k++)
        if (kept + k * threads + (int)threadIdx.x < packs)
            f(kept + k * threads + threadIdx.x, line.spare[k]);
    line.visited = true;
}

// Calls f(element, place) with a thread's share of a row.
template <class F> __device__ __forceinline__ void visit(row &line, int, int n, F f)
{
    const division d = divided(line.at, n);
    take_all(line, reinterpret_cast<const pack *>(line.at + d.head), d.packs, [&](int i, const pack &p) {
        _Pragma("unroll") for (int l = 0; l < lanes; l++)
            f(@T_wide@(p.lane[l]), d.head + i * lanes + l);
    });
    for (int i = threadIdx.x; i < n - d.packs * lanes; i += threads) {
        const int at = i < d.head ? i : i + d.packs * lanes;
        f(@T_wide@(line.at[at]), at);
    }
}

// Writes f(element, place) of each element of a row that was visited to the same place of `out`.
template <class F> __device__ __forceinline__ void rewrite(row &line, @T@ *out, int, int n, F f)
{
    const division d = divided(line.at, n);
    const int packs = alike(line.at, out) ? d.packs : 0;
    pack *to_body = reinterpret_cast<pack *>(out + d.head);
    take_all(line, reinterpret_cast<const pack *>(line.at + d.head), packs, [&](int i, pack p) {
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
    ask_for(line, cols);
    @stats@
    const int row = blockIdx.x;
    rewrite(line, out, 0, cols, [&](@T_sum@ v, int place) {
        return finished(@map@, place, (size_t)row * cols + place, row@tail_arguments@);
    });
}
