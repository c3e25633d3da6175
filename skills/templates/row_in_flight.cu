constexpr int share = @share@ / sizeof(@T@), spares = @spare@; // elements of a part; packs of a thread in registers
constexpr int turns = (@share@ / 16 + threads - 1) / threads - spares; // and in shared memory
static_assert(turns > 0, "a part has fewer packs");
constexpr int at_once = turns / 8 + 1; // packs are waited for together
constexpr int room = 232448 / (turns * threads * 16 + 1024), resident = room * threads > 2048 ? 2048 / threads : room;
constexpr int patience = 200; // looks, each a microsecond, until a block stops waiting
constexpr unsigned long long missing = 0xffffffffffffffff, no_number = 0x7ff8000000000000;
constexpr unsigned nothing = 0xffffffff, closed = 0xfffffffe;

// Loads and stores that other blocks' are not ordered with.
template <class V> __device__ __forceinline__ V look(V *at)
{
    return __nv_atomic_load_n(at, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

// A number of two that a part's sums are, in a word that says by itself whether it is there yet.
__device__ __forceinline__ void give(unsigned long long *word, double number)
{
    const unsigned long long bits = __double_as_longlong(number);
    __nv_atomic_store_n(word, bits == missing ? no_number : bits, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

__device__ __forceinline__ double given(unsigned long long *word)
{
    unsigned long long bits;
    do
        bits = look(word);
    while (bits == missing);
    return __longlong_as_double(bits);
}

// Counts one more part of a row as summed up and waits for the others, whose blocks may not run before this one ends: not for
// long. 2: this one was the last; 1: all are there; 0: they are not, and the part is left to the block that is the last.
__device__ __forceinline__ int all_given(unsigned *done, unsigned *left, unsigned *below, unsigned part, unsigned parts)
{
    unsigned now = atomicAdd(done, 1u) + 2;
    if (now == parts)
        return 2;
    for (int looks = 0; looks < patience && now != parts; looks++)
        now = look(done) + 1;
    if (now == parts)
        return 1;
    for (unsigned first = atomicAdd(left, 0u), before; first != closed; first = before) {
        below[part] = first;
        __threadfence();
        before = atomicCAS(left, first, part);
        if (before == first)
            return 0;
    }
    return 1;
}

// Rows of `lines` lines, each of them in `pieces`, a block each: a part waits in shared memory until all of its row are summed
// up, so that memory is read once. Each block adds up what its row's parts came to, in their order. Whoever gives a row's last
// sum also writes the parts that were left, so that nothing hangs however few blocks run at once. All bits of `words` are
// set at first: two a part, then how many parts of each row are done, less one, and the first of each that was left.
__global__ void __launch_bounds__(threads, resident)
    row_in_flight(const @T@ *__restrict__ x, @pointers@unsigned long long *words, unsigned *below, @T@ *__restrict__ y,
                  long long cols, @sizes@int lines, int pieces@number_parameters@)
{
    extern __shared__ pack held[];
    __shared__ int state;
    __shared__ unsigned first_left;
    const unsigned parts = (unsigned)lines * pieces, row = blockIdx.x / parts;
    unsigned *done = reinterpret_cast<unsigned *>(words + 2 * (size_t)gridDim.x) + row, *left = done + gridDim.x / parts;
    pack *own = held + threadIdx.x;
    unsigned part = blockIdx.x, line = part % parts / pieces;
    long long from = (long long)(part % pieces) * share, to = from + share < cols ? from + share : cols;
    size_t start = @start@;
    const int n = (int)(to - from);
    const division d = divided(x + start + from, n);
    const pack *body = reinterpret_cast<const pack *>(x + start + from + d.head) + threadIdx.x;
    pack spare[spares + 1];
    _Pragma("unroll") for (int i = 0; i < turns; i++) {
        if (i * threads + (int)threadIdx.x < d.packs)
            __pipeline_memcpy_async(own + i * threads, body + i * threads, 16);
        if (i % at_once == at_once - 1 || i == turns - 1)
            __pipeline_commit();
    }
    _Pragma("unroll") for (int i = turns; i < turns + spares; i++)
        if (i * threads + (int)threadIdx.x < d.packs)
            spare[i - turns] = body[i * threads];
    @sum@ one = @zero@, two = 0;
    _Pragma("unroll") for (int i = 0; i < turns + spares; i++) {
        if (i % at_once == 0 && i < turns)
            __pipeline_wait_prior((turns - 1) / at_once - i / at_once);
        if (i * threads + (int)threadIdx.x < d.packs) {
            const pack p = i < turns ? own[i * threads] : spare[i - turns];
            _Pragma("unroll") for (int l = 0; l < lanes; l++) {
                const @T_sum@ v = @T_wide@(p.lane[l]);
                @count_in@
            }
        }
    }
    for (int i = threadIdx.x; i < n - d.packs * lanes; i += threads) {
        const @T_sum@ v = @T_wide@(x[start + from + (i < d.head ? i : i + d.packs * lanes)]);
        @count_in@
    }
    {
        @meet@
    }
    if (threadIdx.x == 0) {
        give(words + 2 * (size_t)part, one);
        give(words + 2 * (size_t)part + 1, two);
        state = all_given(done, left, below, part, parts);
    }
    __syncthreads();
    const bool last = state == 2;
    if (state == 0)
        return;
    one = @zero@;
    two = 0;
    for (unsigned i = threadIdx.x; i < parts; i += threads) {
        unsigned long long *its = words + 2 * ((size_t)row * parts + i);
        const @sum@ a = (@sum@)given(its), b = (@sum@)given(its + 1);
        @add@
    }
    {
        @meet@
    }
    const double count = (double)lines * cols;
    (void)count;
    @T_sum@ first = 0, second = 0;
    @tell@
    (void)second;
    for (;;) {
        @known@
        const auto change = [&](pack &p, long long place, int n) {
            (void)place;
            @beside@
            _Pragma("unroll") for (int l = 0; l < n; l++) {
                const @T_sum@ v = @T_wide@(p.lane[l]);
                p.lane[l] = @T_narrow@(@map@);
            }
        };
        if (part == blockIdx.x) {
            @T@ *out = y + start + from;
            const bool whole = alike(x + start, y + start);
            _Pragma("unroll") for (int i = 0; i < turns + spares; i++) {
                const int at = d.head + (i * threads + (int)threadIdx.x) * lanes;
                if (i * threads + (int)threadIdx.x < d.packs) {
                    pack p = i < turns ? own[i * threads] : spare[i - turns];
                    change(p, from + at, lanes);
                    if (whole)
                        *reinterpret_cast<pack *>(out + at) = p;
                    else
                        _Pragma("unroll") for (int l = 0; l < lanes; l++)
                            out[at + l] = p.lane[l];
                }
            }
            for (int i = threadIdx.x; i < n - d.packs * lanes; i += threads) {
                const int at = i < d.head ? i : i + d.packs * lanes;
                pack p = some(x + start + from + at, 1);
                change(p, from + at, 1);
                out[at] = p.lane[0];
            }
            if (!last)
                return;
            if (threadIdx.x == 0) {
                first_left = atomicExch(left, closed);
                __threadfence();
            }
            __syncthreads();
            part = first_left;
        } else {
            rewrite(x + start, y + start, from, to, change);
            part = below[part];
        }
        if (part == nothing)
            return;
        line = part % parts / pieces;
        from = (long long)(part % pieces) * share;
        to = from + share < cols ? from + share : cols;
        start = @start@;
    }
}
