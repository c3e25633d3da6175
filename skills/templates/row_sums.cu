typedef @head_type@ total_type;
constexpr int threads = @threads@, lines = @lines@, ahead = @ahead@;

// The same of elements that all rows have: a row begins where it likes.
template <int wide, class E>
__device__ __forceinline__ void across(E (&to)[wide], const E *from, long long at)
{
    if (at % wide == 0)
        along(to, from, at);
    else
        _Pragma("unroll") for (int lane = 0; lane < wide; lane++)
            to[lane] = from[at + lane];
}

// One element for all of a row.
template <int wide, class E>
__device__ __forceinline__ void of_row(E (&to)[wide], const E *from, int row)
{
    const E all = from[row];
    _Pragma("unroll") for (int lane = 0; lane < wide; lane++)
        to[lane] = all;
}

// A sum with what one element adds to it.
__device__ __forceinline__ total_type added(total_type its_sum@head_takes@)
{
@head@}

template <int wide>
__device__ __forceinline__ void add_pack(total_type &total, long long at, long long begin, int row@head_parameters@)
{
@head_loads@    _Pragma("unroll") for (int lane = 0; lane < wide; lane++)
        total = added(total, @head_values@);
}

// What thread t of a row's adds up. Rows may start anywhere: elements in front of the first whole pack and behind the last
// one go singly.
__device__ __forceinline__ total_type of_thread(long long begin, int cols, int row, int t@head_parameters@)
{
    const int before = min(cols, (int)((width - begin % width) % width)), packs = (cols - before) / width;
    const long long first = begin + before;
    total_type part[ahead] = {};
    int i = t;
    for (; i + (ahead - 1) * threads < packs; i += ahead * threads)
        _Pragma("unroll") for (int k = 0; k < ahead; k++)
            add_pack<width>(part[k], first + (long long)(i + k * threads) * width, begin, row@head_arguments@);
    for (; i < packs; i += threads)
        add_pack<width>(part[0], first + (long long)i * width, begin, row@head_arguments@);
    for (int k = t; k < cols - packs * width; k += threads)
        add_pack<1>(part[0], begin + (k < before ? k : k + packs * width), begin, row@head_arguments@);
    _Pragma("unroll") for (int k = 1; k < ahead; k++)
        part[0] += part[k];
    return part[0];
}

__global__ void __launch_bounds__(threads * lines)
    row_sums(@T@ *__restrict__ out, int rows, int cols, @T@ factor@head_parameters@)
{
    __shared__ total_type parts[lines][threads / 32];
    const int t = threadIdx.x, wanted = blockIdx.x * lines + threadIdx.y, row = wanted < rows ? wanted : rows - 1;
    total_type total = of_thread((long long)row * cols, cols, row, t@head_arguments@);
    for (int d = 16; d > 0; d /= 2)
        total += __shfl_xor_sync(0xffffffffu, total, d);
    if (t % 32 == 0)
        parts[threadIdx.y][t / 32] = total;
    __syncthreads();
    if (t != 0 || wanted >= rows)
        return;
    for (int i = 1; i < threads / 32; i++)
        total += parts[threadIdx.y][i];
    out[row] = (@T@)(@store@);
}
