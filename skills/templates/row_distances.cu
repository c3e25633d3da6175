constexpr int threads = @threads@, lines = @lines@, lanes = 16 / sizeof(@T@);

struct alignas(16) pack {
    @T@ lane[lanes];
};

// Squares of distances so far: to the one row and to the other.
struct share {
    @T@ near, far;
};

__device__ __forceinline__ void add(share &own, @T@ from, @T@ to, @T@ other, @T@ eps)
{
    const @T@ near = from - to + eps, far = from - other + eps;
    own.near += near * near;
    own.far += far * far;
}

// In packs where all three rows have their 16-byte boundaries at their beginning.
__device__ __forceinline__ share of_row(const @T@ *from, const @T@ *to, const @T@ *other, int cols, int t, @T@ eps)
{
    const size_t all = reinterpret_cast<size_t>(from) | reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(other);
    const int packs = all % 16 == 0 ? cols / lanes : 0;
    share own = {0, 0};
    _Pragma("unroll 2") for (int i = t; i < packs; i += threads) {
        const pack a = reinterpret_cast<const pack *>(from)[i], b = reinterpret_cast<const pack *>(to)[i],
                   c = reinterpret_cast<const pack *>(other)[i];
        _Pragma("unroll") for (int l = 0; l < lanes; l++)
            add(own, a.lane[l], b.lane[l], c.lane[l], eps);
    }
    _Pragma("unroll 4") for (int i = packs * lanes + t; i < cols; i += threads)
        add(own, from[i], to[i], other[i], eps);
    return own;
}

// What a row's value is stored as.
__device__ __forceinline__ @T@ finished(@T@ its_sum, int its_row@tail_takes@)
{
    (void)its_row;
@tail@}

__global__ void __launch_bounds__(threads * lines)
    row_distances(const @T@ *__restrict__ from, const @T@ *__restrict__ to, const @T@ *__restrict__ other,
                  @T@ *__restrict__ out, int rows, int cols@number_parameters@@tail_parameters@)
{
    __shared__ share parts[lines][threads / 32];
    const int t = threadIdx.x, row = blockIdx.x * lines + threadIdx.y;
    const size_t start = (size_t)(row < rows ? row : rows - 1) * cols;
    share total = of_row(from + start, to + start, other + start, cols, t, (@T@)@eps@);
    for (int d = 16; d > 0; d /= 2) {
        total.near += __shfl_xor_sync(0xffffffffu, total.near, d);
        total.far += __shfl_xor_sync(0xffffffffu, total.far, d);
    }
    if (t % 32 == 0)
        parts[threadIdx.y][t / 32] = total;
    __syncthreads();
    if (t != 0 || row >= rows)
        return;
    for (int i = 1; i < threads / 32; i++) {
        total.near += parts[threadIdx.y][i].near;
        total.far += parts[threadIdx.y][i].far;
    }
    out[row] = finished(sqrt(total.near) - sqrt(total.far), row@tail_arguments@);
}
