// A block a row: the sum of two lines, which takes the place of the second, and each of its elements by what it comes to. Packs
// of it wait in shared memory; a thread reads no others than its own.
constexpr int kept = @kept@;

__device__ __forceinline__ @T_sum@ normal(@T_sum@ v, @T_sum@ all, const @P@ *__restrict__ gamma, int place)
{
    return v / all * @P_wide@(gamma[place]);
}

__global__ void __launch_bounds__(threads)
    row_residual(const @T@ *x, @T@ *sum, const @P@ *__restrict__ gamma, @T@ *y, int cols@number_parameters@)
{
    extern __shared__ pack held[];
    const size_t from = (size_t)blockIdx.x * cols;
    x += from, sum += from, y += from;
    const division d = divided(x, cols);
    const int packs = alike(x, sum) && alike(x, y) ? d.packs : 0, head = packs > 0 ? d.head : 0;
    const int single = cols - packs * lanes;
    const pack *in = reinterpret_cast<const pack *>(x + head);
    pack *body = reinterpret_cast<pack *>(sum + head), *out = reinterpret_cast<pack *>(y + head);
    @T_sum@ all = 0;
    _Pragma("unroll 2") for (int i = threadIdx.x; i < packs; i += threads) {
        const pack a = in[i];
        pack p = body[i];
        _Pragma("unroll") for (int l = 0; l < lanes; l++) {
            const @T_sum@ v = @T_wide@(p.lane[l]) + @T_wide@(a.lane[l]);
            p.lane[l] = @T_narrow@(v);
            all += v * v;
        }
        body[i] = p;
        if (i < kept)
            held[i] = p;
    }
    for (int i = threadIdx.x; i < single; i += threads) {
        const int at = i < head ? i : i + packs * lanes;
        const @T_sum@ v = @T_wide@(sum[at]) + @T_wide@(x[at]);
        sum[at] = @T_narrow@(v);
        all += v * v;
    }
    all = of_block(all, add<@T_sum@>);
    all = sqrt(all / (@T_sum@)cols + (@T_sum@)@eps@);
    for (int i = threadIdx.x; i < packs; i += threads) {
        pack p = i < kept ? held[i] : body[i];
        _Pragma("unroll") for (int l = 0; l < lanes; l++)
            p.lane[l] = @T_narrow@(normal(@T_wide@(p.lane[l]), all, gamma, head + i * lanes + l));
        out[i] = p;
    }
    for (int i = threadIdx.x; i < single; i += threads) {
        const int at = i < head ? i : i + packs * lanes;
        y[at] = @T_narrow@(normal(@T_wide@(sum[at]), all, gamma, at));
    }
}
