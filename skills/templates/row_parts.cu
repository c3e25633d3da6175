constexpr int share = @share@; // elements of a part
constexpr int patience = 16;   // looks at what others did before a block does their work

// n / d by a product with `magic`, which is (2^32 - 1) / d: one too little at most, for n up to 2^31 and d.
__device__ __forceinline__ unsigned quotient(unsigned n, unsigned d, unsigned magic)
{
    const unsigned q = __umulhi(n, magic);
    return n - q * d < d ? q : q + 1;
}

// A row in parts, a block each, which waits in shared memory until the sums of all parts are known: in double, for a
// variance is a difference of large sums. A block takes the next part that none has. One that has waited for a while and
// finds parts that none has taken sums them up, too, and reads them again in the end: so no block ever waits for one
// that has not begun, however few of them run at once. Of `state` a row has how many parts are taken, how many are
// summed up, and for each by which block it was besides its own.
__global__ void __launch_bounds__(threads)
    row_parts(const @T@ *__restrict__ x, @pointers@double *sums, int *state, @T@ *__restrict__ y, long long cols,
              @sizes@int parts@number_parameters@)
{
    extern __shared__ pack held[];
    __shared__ int next;
    const @T@ *line = x + (size_t)blockIdx.y * cols;
    @T@ *out = y + (size_t)blockIdx.y * cols;
    int *taken = state + (size_t)blockIdx.y * (parts + 2), *done = taken + 1, *besides = taken + 2;
    sums += 2 * (size_t)blockIdx.y * parts;
    if (threadIdx.x == 0)
        next = atomicAdd(taken, 1);
    __syncthreads();
    const int own = next;
    if (own >= parts)
        return;
    bool helped = false;
    for (int part = own; part < parts; part = next) {
        const long long from = (long long)part * share, to = from + share < cols ? from + share : cols;
        const division d = divided(line + from, (int)(to - from));
        double one = 0, two = 0;
        const auto count_in = [&](@T@ v) {
            one += @one@;
            two += @two@;
        };
        take(reinterpret_cast<const pack *>(line + from + d.head), threadIdx.x, d.packs, [&](int i, const pack &p) {
            if (part == own)
                held[i] = p;
            _Pragma("unroll") for (int l = 0; l < lanes; l++)
                count_in(p.lane[l]);
        });
        for (int i = threadIdx.x; i < to - from - d.packs * lanes; i += threads)
            count_in(line[from + (i < d.head ? i : i + d.packs * lanes)]);
        one = of_block(one, add<double>);
        two = of_block(two, add<double>);
        helped |= part != own;
        if (threadIdx.x == 0) {
            sums[2 * part] = one;
            sums[2 * part + 1] = two;
            besides[part] = part == own ? -1 : own;
            __threadfence();
            atomicAdd(done, 1);
            next = parts;
            for (int look = 0; next >= parts && atomicAdd(done, 0) < parts; look++)
                if (look >= patience && atomicAdd(taken, 0) < parts)
                    next = atomicAdd(taken, 1);
            __threadfence();
        }
        __syncthreads();
    }
    double one = 0, two = 0;
    for (int i = threadIdx.x; i < parts; i += threads) {
        one += sums[2 * i];
        two += sums[2 * i + 1];
    }
    one = of_block(one, add<double>);
    two = of_block(two, add<double>);
    const double count = (double)cols;
    for (int part = own; part == own || (helped && part < parts); part++) {
        if (part != own && besides[part] != own)
            continue;
        const long long from = (long long)part * share, to = from + share < cols ? from + share : cols;
        const division d = divided(line + from, (int)(to - from));
        const int packs = alike(line + from, out + from) ? d.packs : 0;
        @known@
        const auto mapped = [&](@T@ v, long long place) { return (void)place, @map@; };
        const pack *body = part == own ? held : reinterpret_cast<const pack *>(line + from + d.head);
        take(body, threadIdx.x, packs, [&](int i, pack p) {
            _Pragma("unroll") for (int l = 0; l < lanes; l++)
                p.lane[l] = mapped(p.lane[l], from + d.head + i * lanes + l);
            reinterpret_cast<pack *>(out + from + d.head)[i] = p;
        });
        for (int i = threadIdx.x; i < to - from - packs * lanes; i += threads) {
            const long long at = from + (i < d.head ? i : i + packs * lanes);
            out[at] = mapped(line[at], at);
        }
    }
}
