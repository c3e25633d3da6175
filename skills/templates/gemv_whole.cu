// Rows of A times x, all of the depth: `groups` a block of as many threads, each of `lines` rows. A product of a batch is
// a block of y.
__global__ void __launch_bounds__(threads * @groups@)
    gemv_whole(const @T@ *__restrict__ a, const @X@ *__restrict__ x, @R@ *__restrict__ c, @T_sum@ alpha, @beta_parameter@int m,
               int k@tail_parameters@)
{
    __shared__ @T_sum@ parts[@groups@][warps][lines];
    const size_t product = blockIdx.y;
    a += product * m * k;
    x += product * k;
    const int t = threadIdx.x, own = threadIdx.y, row0 = (blockIdx.x * @groups@ + own) * lines;
    const @T@ *line[lines];
    @T_sum@ sum[lines] = {};
    _Pragma("unroll") for (int r = 0; r < lines; r++)
        line[r] = a + (size_t)min(row0 + r, m - 1) * k;
    add_products(sum, line, aligned(a) && aligned(x) && k % lanes == 0, x, 0, k, t);
    const @T_sum@ total = of_rows(sum, parts[own], t);
    const int row = row0 + t;
    if (t >= lines || row >= m)
        return;
    const size_t place = product * m + row;
    c[place] = finished(@value@, row, place@tail_arguments@);
}
