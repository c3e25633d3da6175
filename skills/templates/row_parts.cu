// Sums of a row's parts, a block each: in double, for a variance is a difference of large sums.
__global__ void __launch_bounds__(threads)
    row_sums(const @T@ *__restrict__ x, double *__restrict__ sums, long long cols, long long share)
{
    const @T@ *line = x + (size_t)blockIdx.y * cols;
    const long long from = blockIdx.x * share, to = from + share < cols ? from + share : cols;
    double one = 0, two = 0;
    visit(line, from, to, [&](@T@ v) {
        one += @one@;
        two += @two@;
    });
    one = of_block(one, add<double>);
    two = of_block(two, add<double>);
    if (threadIdx.x == 0) {
        sums[2 * ((size_t)blockIdx.y * gridDim.x + blockIdx.x)] = one;
        sums[2 * ((size_t)blockIdx.y * gridDim.x + blockIdx.x) + 1] = two;
    }
}

// Each part by the sums of all.
__global__ void __launch_bounds__(threads)
    row_parts(const @T@ *__restrict__ x, @pointers@const double *__restrict__ sums, @T@ *__restrict__ y,
              long long cols, long long share, @sizes@int parts@number_parameters@)
{
    // The last part first: what the sums read last is still in L2.
    const unsigned row = gridDim.y - 1 - blockIdx.y, part = gridDim.x - 1 - blockIdx.x;
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
    rewrite(line, out, from, to, [&](@T@ v, long long place) { return (void)place, @map@; });
}
