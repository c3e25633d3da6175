constexpr int share = @share@; // elements of a part at most
constexpr int ahead = @ahead@; // parts that are summed up early

// What is read for the last time, and what is written for others, leave L2 to what comes again.
struct leaving {
    static __device__ __forceinline__ pack read(const pack *from)
    {
        const uint4 bits = __ldcs(reinterpret_cast<const uint4 *>(from));
        return reinterpret_cast<const pack &>(bits);
    }
    static __device__ __forceinline__ void write(pack *to, const pack &p)
    {
        __stcs(reinterpret_cast<uint4 *>(to), reinterpret_cast<const uint4 &>(p));
    }
};

struct work {
    bool writes;
    unsigned part; // of all rows' parts
};

// The work that goes with a ticket: `lead` parts are summed up, then one is rewritten and one more summed up by turns,
// and in the end the others are rewritten. With a lead of a row's parts or more, all of a row's sums have tickets in front of
// the first part that is rewritten by them.
__device__ __forceinline__ work of_ticket(unsigned ticket, unsigned lead, unsigned all)
{
    if (ticket < lead)
        return {false, ticket};
    const unsigned since = ticket - lead;
    if (since >= 2 * (all - lead))
        return {true, ticket - all};
    return {since % 2 == 0, since % 2 == 0 ? since / 2 : lead + since / 2};
}

// Writes the sums of a part and counts it as done. Whether it is the last of its row, in all threads.
__device__ __forceinline__ bool done_last(double one, double two, double *sums, unsigned *done, unsigned parts)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        sums[0] = one;
        sums[1] = two;
        __threadfence();
        last = atomicAdd(done, 1u) == parts - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

// Waits until a row is told of, all threads at every look.
__device__ __forceinline__ void wait_for(unsigned *done, unsigned parts)
{
    __shared__ bool told;
    do {
        __syncthreads();
        if (threadIdx.x == 0) {
            told = atomicAdd(done, 0u) > parts;
            __threadfence();
        }
        __syncthreads();
    } while (!told);
}

// Rows of `lines` lines, each of them in `pieces`: a block sums a part up or rewrites it, as its ticket says, so that what
// is rewritten was summed up not long ago and is still in L2. It waits for blocks alone that have drawn tickets before
// it, so that nothing hangs however few of them run at once. Whoever sums up a row's last part adds all of them in their order,
// and tells what the row comes to. Of `state` the tickets drawn are the first, and each row has how many parts are done, and
// one more when it is told of.
__global__ void __launch_bounds__(threads)
    row_in_flight(const @T@ *__restrict__ x, @pointers@double *sums, @T_sum@ *told, unsigned *state, @T@ *__restrict__ y,
                  long long cols, @sizes@int lines, int pieces, unsigned all@number_parameters@)
{
    __shared__ unsigned drawn;
    if (threadIdx.x == 0)
        drawn = atomicAdd(state, 1u);
    __syncthreads();
    const unsigned parts = (unsigned)lines * pieces, lead = parts + ahead < all ? parts + ahead : all;
    const work own = of_ticket(drawn, lead, all);
    const unsigned row = own.part / parts, line = own.part % parts / pieces;
    const long long from = (long long)(own.part % pieces) * share, to = from + share < cols ? from + share : cols;
    const size_t start = @start@;
    unsigned *done = state + 1 + row;
    told += 2 * (size_t)row;
    if (own.writes) {
        wait_for(done, parts);
        const @T_sum@ first = told[0], second = told[1];
        (void)second;
        @known@
        rewrite<leaving>(x + start, y + start, from, to, [&](pack &p, long long place, int n) {
            (void)place;
            @beside@
            _Pragma("unroll") for (int l = 0; l < n; l++) {
                const @T_sum@ v = @T_wide@(p.lane[l]);
                p.lane[l] = @T_narrow@(@map@);
            }
        });
        return;
    }
    @sum@ one = @zero@, two = 0;
    visit(x + start, from, to, [&](@T_sum@ v) { @count_in@ });
    {
        @meet@
    }
    if (!done_last(one, two, sums + 2 * (size_t)own.part, done, parts))
        return;
    sums += 2 * (size_t)row * parts;
    one = @zero@;
    two = 0;
    for (unsigned i = threadIdx.x; i < parts; i += threads) {
        const @sum@ a = (@sum@)sums[2 * i], b = (@sum@)sums[2 * i + 1];
        @add@
    }
    {
        @meet@
    }
    if (threadIdx.x == 0) {
        const double count = (double)lines * cols;
        (void)count;
        @T_sum@ first = 0, second = 0;
        @tell@
        told[0] = first;
        told[1] = second;
        __threadfence();
        atomicAdd(done, 1u);
    }
}
