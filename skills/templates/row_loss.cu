// A block a row: one number by what the row comes to, in one reading. The sum is of exponentials less the largest so far.
__global__ void __launch_bounds__(threads)
    row_loss(const @T@ *__restrict__ x, const @M@ *__restrict__ target, @T@ *__restrict__ loss, int cols)
{
    const @T@ *line = x + (size_t)blockIdx.x * cols;
    const division d = divided(line, cols);
    @T@ own = __int_as_float(0xff7fffff), all = 0;
    const auto count_in = [&](const pack &p, int n) {
        @T@ most = own;
        _Pragma("unroll") for (int l = 0; l < n; l++)
            most = larger(most, p.lane[l]);
        all *= exp(own - most);
        own = most;
        _Pragma("unroll") for (int l = 0; l < n; l++)
            all += exp(p.lane[l] - most);
    };
    take(reinterpret_cast<const pack *>(line + d.head), threadIdx.x, d.packs, [&](int, const pack &p) { count_in(p, lanes); });
    for (int i = threadIdx.x; i < cols - d.packs * lanes; i += threads)
        count_in(some(line + (i < d.head ? i : i + d.packs * lanes), 1), 1);
    const @T@ top = of_block(own, larger<@T@>);
    all = of_block(all * exp(own - top), add<@T@>);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = top + log(all) - line[target[blockIdx.x]];
}
