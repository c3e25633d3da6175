// n / d by a product with `magic`, which is (2^32 - 1) / d: one too little at most.
__device__ __forceinline__ unsigned quotient(unsigned n, unsigned d, unsigned magic)
{
    const unsigned q = __umulhi(n, magic);
    return n - q * d < d ? q : q + 1;
}

// Sums of a row's parts, a block each: in double, for a variance is a difference of large sums. All rows' parts come
// before the next of any row: what one row reads of a factor a column, or of a summand, others find in L2.
__global__ void __launch_bounds__(threads)
    row_sums(const @T@ *__restrict__ x, double *__restrict__ sums, long long cols, long long share)
{
    const @T@ *line = x + (size_t)blockIdx.x * cols;
    const long long from = blockIdx.y * share, to = from + share < cols ? from + share : cols;
    double one = 0, two = 0;
    visit(line, from, to, [&](@T@ v) {
        one += @one@;
        two += @two@;
    });
    one = of_block(one, add<double>);
    two = of_block(two, add<double>);
    if (threadIdx.x == 0) {
        sums[2 * ((size_t)blockIdx.x * gridDim.y + blockIdx.y)] = one;
        sums[2 * ((size_t)blockIdx.x * gridDim.y + blockIdx.y) + 1] = two;
    }
}

// What an element is stored as.
__device__ __forceinline__ @T@ finished(@T@ its_sum, int its_row, int its_col, int its_plane, size_t its_place@tail_takes@)
{
    (void)its_row, (void)its_col, (void)its_plane, (void)its_place;
@tail@}

// Each part by the sums of all.
__global__ void __launch_bounds__(threads)
    row_parts(const @T@ *__restrict__ x, @pointers@const double *__restrict__ sums, @T@ *__restrict__ y,
              long long cols, long long share, @sizes@int parts@number_parameters@@tail_parameters@)
{
    // The last part first: what the sums read last is still in L2.
    const unsigned row = gridDim.x - 1 - blockIdx.x, part = gridDim.y - 1 - blockIdx.y;
    const @T@ *line = x + (size_t)row * cols;
    @T@ *out = y + (size_t)row * cols;
    const long long from = part * share, to = from + share < cols ? from + share : cols;
    double one = 0, two = 0;
    for (int i = threadIdx.x; i < parts; i += threads) {
        one += sums[2 * ((size_t)row * parts + i)];
        two += sums[2 * ((size_t)row * parts + i) + 1];
    }
    one = of_block(one, add<double>);
    two = of_block(two, add<double>);
    const double count = (double)cols;
    @known@
    rewrite(line, out, from, to, [&](pack &p, long long place, int n) {
        (void)place;
        @beside@
        _Pragma("unroll") for (int l = 0; l < n; l++) {
            const @T@ v = p.lane[l];
            const int plane = @plane@;
            p.lane[l] = finished(@map@, @its_row@, @its_col@, plane, (size_t)row * cols + place + l@tail_arguments@);
        }
    });
}
