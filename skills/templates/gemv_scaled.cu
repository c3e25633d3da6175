// What `n` elements from `l` on add where their factor is an infinity: of that and a sum comes another thing than of that and
// the parts of the sum.
__device__ __forceinline__ @T_sum@ added_infinity(const @T@ *line, const @X@ *__restrict__ x, int l, int n, int run, @T_sum@ by)
{
    (void)n, (void)run;
    @T_sum@ total = 0;
    @infinity@
    return total;
}

// Adds to each sum what thread `t` has of its line of A times x, of which each run has a factor: packs where runs are such.
__device__ __forceinline__ void add_scaled(@T_sum@ (&sum)[lines], const @T@ *const (&line)[lines],
                                           const @S@ *const (&factor)[lines], bool packed,
                                           const @X@ *__restrict__ x, int k, int run, int t)
{
    if (packed) {
        _Pragma("unroll 2") for (int l = t * lanes; l < k; l += threads * lanes) {
            const pack_of_x v = *reinterpret_cast<const pack_of_x *>(x + l);
            const int nth = (unsigned)l / (unsigned)run;
            _Pragma("unroll") for (int r = 0; r < lines; r++) {
                const pack u = *reinterpret_cast<const pack *>(line[r] + l);
                const @T_sum@ by = @S_wide@(factor[r][nth]);
                @T_sum@ part = 0;
                _Pragma("unroll") for (int i = 0; i < lanes; i++)
                    part += @T_wide@(u.lane[i]) * @X_wide@(v.lane[i]);
                sum[r] += isinf(by) ? added_infinity(line[r], x, l, lanes, run, by) : part * by;
            }
        }
    } else {
        for (int l = t; l < k; l += threads)
            _Pragma("unroll") for (int r = 0; r < lines; r++) {
                const @T_sum@ by = @S_wide@(factor[r][(unsigned)l / (unsigned)run]);
                sum[r] += isinf(by) ? added_infinity(line[r], x, l, 1, run, by) : @T_wide@(line[r][l]) * @X_wide@(x[l]) * by;
            }
    }
}

// Rows of A times x, all of the depth: `groups` a block of as many threads, each of `lines` rows.
__global__ void __launch_bounds__(threads * @groups@)
    gemv_scaled(const @T@ *__restrict__ a, const @S@ *__restrict__ s, const @X@ *__restrict__ x, @R@ *__restrict__ c,
                @T_sum@ alpha, int m, int k, int run@tail_parameters@)
{
    __shared__ @T_sum@ parts[@groups@][warps][lines];
    const int t = threadIdx.x, own = threadIdx.y, row0 = (blockIdx.x * @groups@ + own) * lines;
    const @T@ *line[lines];
    const @S@ *factor[lines];
    @T_sum@ sum[lines] = {};
    _Pragma("unroll") for (int r = 0; r < lines; r++) {
        line[r] = a + (size_t)min(row0 + r, m - 1) * k;
        factor[r] = s + (size_t)min(row0 + r, m - 1) * (k / run);
    }
    add_scaled(sum, line, factor, aligned(a) && aligned(x) && run % lanes == 0, x, k, run, t);
    const @T_sum@ total = of_rows(sum, parts[own], t);
    const int row = row0 + t;
    if (t >= lines || row >= m)
        return;
    c[row] = finished(alpha * total, row, row@tail_arguments@);
}
