// Softmax of the scores of queries and keys, times values, and the scores never in memory. A block has `tall` queries
// of one of the batch and goes through the keys in tiles of `wide`: of each query it keeps the largest score and the
// sum of exponentials so far, and when a larger score comes, what was summed is multiplied by exp(old - new).
constexpr int lines = @lines@, threads = 16 * lines; // the 16 of a line are half a warp, and share queries
constexpr int rows = @rows@, keys = @keys@, tall = lines * rows, wide = 16 * keys;
constexpr int score_pitch = wide + 4;

struct alignas(16) pack {
    float lane[4];
};

__device__ __forceinline__ pack load(const float *from)
{
    return *reinterpret_cast<const pack *>(from);
}

// `count` lines of n x d from `first` on, on their way into shared memory: zero below the last, and from d on up to
// a multiple of four.
template <int count>
__device__ __forceinline__ void fetch(float *to, int pitch, const float *from, int first, int n, int d)
{
    const bool packed = reinterpret_cast<size_t>(from) % 16 == 0 && d % 4 == 0;
    for (int line = threadIdx.x / 16; line < count; line += lines)
        for (int col = threadIdx.x % 16 * 4; col < d; col += 64) {
            float *const place = to + line * pitch + col;
            const float *const source = from + (size_t)(first + line) * d + col;
            if (packed && first + line < n) {
                __pipeline_memcpy_async(place, source, 16);
                continue;
            }
            _Pragma("unroll") for (int l = 0; l < 4; l++)
                if (first + line < n && col + l < d)
                    __pipeline_memcpy_async(place + l, source + l, 4);
                else
                    place[l] = 0;
        }
}

// Which keys a query sees.
__device__ __forceinline__ bool sees(int row, int key)
{
    return @sees@;
}

// The value of the 16 threads of a line, in all of them.
template <class F> __device__ __forceinline__ float of_line(float value, F combine)
{
    _Pragma("unroll") for (int d = 8; d > 0; d /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffffu, value, d));
    return value;
}

// A tile of exponentials times values; `some`: of what a query does not see, not even an infinity counts.
template <bool some, int groups>
__device__ __forceinline__ void add_values(float (&sums)[rows][groups][4], const float *weights, const float *values,
                                           int pitch, const int (&col)[groups], int row, int key)
{
    _Pragma("unroll 4") for (int j = 0; j < wide; j += 4) {
        pack w[rows];
        _Pragma("unroll") for (int i = 0; i < rows; i++)
            w[i] = load(weights + lines * i * score_pitch + j);
        _Pragma("unroll") for (int l = 0; l < 4; l++)
            _Pragma("unroll") for (int g = 0; g < groups; g++) {
                const pack v = load(values + (j + l) * pitch + col[g]);
                _Pragma("unroll") for (int i = 0; i < rows; i++)
                    _Pragma("unroll") for (int c = 0; c < 4; c++)
                        if (!some || sees(row + lines * i, key + j + l))
                            sums[i][g][c] += w[i].lane[l] * v.lane[c];
            }
    }
}

// Up to 64 * groups elements of a line. The next tile is on its way while this one is multiplied: values behind the
// scores, keys behind the values.
template <int groups>
__device__ __forceinline__ void attend(const float *q, const float *k, const float *v, float *o, float factor, int m,
                                       int n, int d, float *room)
{
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int pitch = ((d + 3) / 4 | 1) * 4; // an odd number of packs: lines next to each other meet no bank twice
    float *const of_q = room, *const of_k = of_q + tall * pitch, *const of_v = of_k + wide * pitch;
    float *const weights = of_v + wide * pitch + ty * score_pitch;
    const int row0 = (gridDim.x - 1 - blockIdx.x) * tall, row = row0 + ty; // those that may see most keys go first
    const int end = @end@;
    const float lowest = __int_as_float(0xff7fffff), nothing = __int_as_float(0xff800000);
    float sums[rows][groups][4] = {}, top[rows], all[rows];
    int col[groups];
    _Pragma("unroll") for (int g = 0; g < groups; g++)
        col[g] = tx * 4 + 64 * g < d ? tx * 4 + 64 * g : 0;
    _Pragma("unroll") for (int i = 0; i < rows; i++) {
        top[i] = lowest;
        all[i] = 0;
    }
    fetch<tall>(of_q, pitch, q, row0, m, d);
    fetch<wide>(of_k, pitch, k, 0, n, d);
    __pipeline_commit();
    for (int key0 = 0; key0 < end; key0 += wide) {
        float s[rows][keys] = {};
        __pipeline_wait_prior(0);
        __syncthreads();
        fetch<wide>(of_v, pitch, v, key0, n, d);
        __pipeline_commit();
        const int depth = @reached@ ? d : 0;
        _Pragma("unroll 2") for (int c = 0; c < depth; c += 4) {
            pack x[rows], y[keys];
            _Pragma("unroll") for (int i = 0; i < rows; i++)
                x[i] = load(of_q + (ty + lines * i) * pitch + c);
            _Pragma("unroll") for (int j = 0; j < keys; j++)
                y[j] = load(of_k + (tx + 16 * j) * pitch + c);
            _Pragma("unroll") for (int l = 0; l < 4; l++)
                _Pragma("unroll") for (int i = 0; i < rows; i++)
                    _Pragma("unroll") for (int j = 0; j < keys; j++)
                        s[i][j] += x[i].lane[l] * y[j].lane[l];
        }
        _Pragma("unroll") for (int i = 0; i < rows; i++) {
            float high = top[i];
            _Pragma("unroll") for (int j = 0; j < keys; j++) {
                const int key = key0 + tx + 16 * j;
                s[i][j] = key < n && sees(row + lines * i, key) ? s[i][j] * factor : nothing;
                high = fmaxf(high, s[i][j]);
            }
            high = of_line(high, [](float a, float b) { return fmaxf(a, b); });
            const float shrink = expf(top[i] - high);
            top[i] = high;
            all[i] *= shrink;
            _Pragma("unroll") for (int j = 0; j < keys; j++) {
                const float weight = expf(s[i][j] - high);
                all[i] += weight;
                weights[lines * i * score_pitch + tx + 16 * j] = weight;
            }
            _Pragma("unroll") for (int g = 0; g < groups; g++)
                _Pragma("unroll") for (int c = 0; c < 4; c++)
                    sums[i][g][c] *= shrink;
        }
        __pipeline_wait_prior(0);
        __syncthreads();
        if (key0 + wide < end) {
            fetch<wide>(of_k, pitch, k, key0 + wide, n, d);
            __pipeline_commit();
        }
        if (@skips@ && key0 + wide > row0)
            add_values<true>(sums, weights, of_v, pitch, col, row, key0);
        else
            add_values<false>(sums, weights, of_v, pitch, col, row, key0);
    }
    _Pragma("unroll") for (int i = 0; i < rows; i++) {
        all[i] = of_line(all[i], [](float a, float b) { return a + b; });
        _Pragma("unroll") for (int g = 0; g < groups; g++)
            _Pragma("unroll") for (int c = 0; c < 4; c++)
                if (row + lines * i < m && tx * 4 + 64 * g + c < d)
                    o[(size_t)(row + lines * i) * d + tx * 4 + 64 * g + c] = sums[i][g][c] / all[i];
    }
}

__global__ void __launch_bounds__(threads)
    attention(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
              float *__restrict__ o, float scale, int m, int n, int d)
{
    extern __shared__ pack room[];
    const size_t of_queries = (size_t)blockIdx.y * m * d, of_keys = (size_t)blockIdx.y * n * d;
    const float factor = @factor@;
    float *const at = room[0].lane;
    if (d <= 64)
        attend<1>(q + of_queries, k + of_keys, v + of_keys, o + of_queries, factor, m, n, d, at);
    else
        attend<2>(q + of_queries, k + of_keys, v + of_keys, o + of_queries, factor, m, n, d, at);
}
