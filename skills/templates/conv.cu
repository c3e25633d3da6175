// A convolution as a matrix product whose left operand, the windows of x, is never written down. In a transposed one
// outputs whose places are equal modulo the stride take the same taps: they are a product of their own (a phase).
constexpr int bm = 128, bn = @bn@, bk = 8; // places, channels, depth of a step
constexpr int threads = bn >= 128 ? 256 : 128, mine = bm * bn / 8 / threads; // channels a thread, 8 places each
constexpr bool back = @back@;
constexpr int kd = @kd@, kh = @kh@, kw = @kw@, groups = @groups@, taps = kd * kh * kw;
constexpr int td = back ? @sd@ : 1, th = back ? @sh@ : 1, tw = back ? @sw@ : 1; // phases
constexpr int md = back ? 1 : @sd@, mh = back ? 1 : @sh@, mw = back ? 1 : @sw@; // steps in x
constexpr bool edges = back || @pd@ + @ph@ + @pw@ > 0; // windows may stand out of x
constexpr int pitch = bm + 4;
constexpr int outside = -(1 << 28);

struct alignas(16) pack {
    @T@ lane[4];
};
struct alignas(16) offset { // of a tap: from a place's first element, alone and in all
    int z, y, x, all;
};
struct shape {
    int d, h, w, od, oh, ow;
};

// Where tap t lies behind the place's first element along one axis; false: the phase has no such tap.
__device__ __forceinline__ bool tap_at(int t, int step, int dilation, int pad, int phase, int *at)
{
    const int way = phase + pad - t * dilation;
    *at = back ? way / step : t * dilation;
    return !back || way % step == 0;
}

__device__ __forceinline__ bool inside(int z, int y, int x, const shape &s)
{
    return (unsigned)z < (unsigned)s.d && (unsigned)y < (unsigned)s.h && (unsigned)x < (unsigned)s.w;
}

// What the kernel makes of elements on the way; of zeros outside x it makes nothing.
__device__ __forceinline__ @head_type@ added(@head_type@ its_sum@head_takes@)
{
@head@}

__device__ __forceinline__ @T@ of_x(@T@ in_x@head_parameters@)
{
    return @x_factor@;
}

__device__ __forceinline__ @T@ of_weight(@T@ in_w@head_parameters@)
{
    return @weight_factor@;
}

// What the kernel does with each element, at `place` of y.
__device__ __forceinline__ @T@ finished(@T@ its_sum, long long its_place, int its_channel@tail_takes@)
{
@tail@}

__global__ void __launch_bounds__(threads, 512 / threads)
    conv_tiles(const @T@ *__restrict__ x, const @T@ *__restrict__ weight, @T@ *__restrict__ y,
               int ci, int co, int d, int h, int w, int od, int oh, int ow@head_parameters@@tail_parameters@)
{
    alignas(16) __shared__ @T@ xs[2][bk][pitch];
    alignas(16) __shared__ @T@ ws[2][bk][bn + 4];
    __shared__ offset offsets[taps];
    __shared__ int tap_of[taps], place[4][bm], active;
    const shape s = {d, h, w, od, oh, ow};
    const int t = threadIdx.x, cig = ci / groups, cog = co / groups;
    const int phase = blockIdx.z % (td * th * tw), image = blockIdx.z / (td * th * tw);
    const int rz = phase / (th * tw), ry = phase / tw % th, rx = phase % tw;
    // Places of this phase along each axis.
    const int qd = (od - rz + td - 1) / td, qh = (oh - ry + th - 1) / th, qw = (ow - rx + tw - 1) / tw;
    const int places = qd * qh * qw, first = blockIdx.x * bm;
    if (first >= places)
        return;
    const int tiles = (cog + bn - 1) / bn, group = blockIdx.y / tiles, o0 = blockIdx.y % tiles * bn;
    if (t == 0) {
        int n = 0;
        for (int tap = 0; tap < taps; tap++) {
            offset f;
            const bool z = tap_at(tap / (kh * kw), @sd@, @dd@, @pd@, rz, &f.z);
            const bool v = tap_at(tap / kw % kh, @sh@, @dh@, @ph@, ry, &f.y);
            const bool u = tap_at(tap % kw, @sw@, @dw@, @pw@, rx, &f.x);
            f.all = (f.z * h + f.y) * w + f.x;
            if (z && v && u) {
                offsets[n] = f;
                tap_of[n++] = tap;
            }
        }
        active = n;
    }
    for (int i = t; i < bm; i += threads) {
        const int q = first + i, qx = q % qw, qy = q / qw % qh, qz = q / (qw * qh);
        const int z = back ? qz : qz * md - @pd@, v = back ? qy : qy * mh - @ph@;
        const int u = back ? qx : qx * mw - @pw@;
        place[0][i] = q < places ? z : outside;
        place[1][i] = v;
        place[2][i] = u;
        place[3][i] = (z * h + v) * w + u;
    }
    __syncthreads();
    const int all = taps == 1 || (td == 1 && th == 1 && tw == 1) ? taps : active;
    const int depth = cig * all, plane = d * h * w;
    x += ((size_t)image * ci + (size_t)group * cig) * plane;
    // What this thread brings: of x one place and every few steps of the depth, of the weights one step and
    // every few channels.
    constexpr int x_loads = bm * bk / threads, w_loads = bn * bk / threads;
    constexpr int x_step = bk / x_loads, w_step = threads / bk;
    const int lane = t % bm, x_first = t / bm, w_first = t / bk;
    const int z0 = place[0][lane], y0 = place[1][lane], x0 = place[2][lane], at0 = place[3][lane];
    @T@ x_held[x_loads], w_held[w_loads];
    const auto fetch = [&](int k0) {
        _Pragma("unroll") for (int i = 0; i < x_loads; i++) {
            const int k = k0 + x_first + i * x_step, c = k / all;
            x_held[i] = 0;
            if (k < depth) {
                const offset f = offsets[k - c * all];
                if (inside(z0 + f.z, y0 + f.y, x0 + f.x, s))
                    x_held[i] = of_x(x[(size_t)c * plane + (at0 + f.all)]@head_arguments@);
            }
        }
        const int k = k0 + t % bk, c = k / all;
        const int tap = k < depth ? tap_of[k - c * all] : 0;
        _Pragma("unroll") for (int i = 0; i < w_loads; i++) {
            const int o = o0 + w_first + i * w_step;
            const size_t row = back ? (size_t)(group * cig + c) * cog + o
                                    : (size_t)(group * cog + o) * cig + c;
            w_held[i] = k < depth && o < cog ? of_weight(weight[row * taps + tap]@head_arguments@) : (@T@)0;
        }
    };
    const auto put = [&](int to) {
        bool odd = false; // outside x a weight has no effect, even one that is no number
        _Pragma("unroll") for (int i = 0; i < x_loads; i++)
            xs[to][x_first + i * x_step][lane] = x_held[i];
        _Pragma("unroll") for (int i = 0; i < w_loads; i++) {
            ws[to][t % bk][w_first + i * w_step] = w_held[i];
            odd |= !(w_held[i] - w_held[i] == 0);
        }
        return odd;
    };
    const int tx = t % (bm / 8) * 4, ty = t / (bm / 8) * (mine < 4 ? mine : 4);
    @T@ sums[mine][8] = {};
    bool odd = false;
    if (depth > 0) {
        fetch(0);
        odd = put(0);
    }
    odd = edges ? __syncthreads_or(odd) : (__syncthreads(), false);
    int now = 0;
    for (int k0 = 0; k0 < depth; k0 += bk) {
        const bool more = k0 + bk < depth;
        if (more)
            fetch(k0 + bk);
        if (edges && odd) {
            for (int e = 0; e < bk && k0 + e < depth; e++) {
                const offset f = offsets[(k0 + e) % all];
                _Pragma("unroll") for (int j = 0; j < 8; j++) {
                    const int p = tx + j % 4 + j / 4 * (bm / 2);
                    const bool in = inside(place[0][p] + f.z, place[1][p] + f.y, place[2][p] + f.x, s);
                    _Pragma("unroll") for (int i = 0; i < mine; i++)
                        if (in)
                            sums[i][j] += xs[now][e][p] * ws[now][e][ty + i % 4 + i / 4 * (bn / 2)];
                }
            }
        } else {
            _Pragma("unroll") for (int e = 0; e < bk; e++) {
                pack u[2], v[2] = {};
                u[0] = *reinterpret_cast<const pack *>(&xs[now][e][tx]);
                u[1] = *reinterpret_cast<const pack *>(&xs[now][e][tx + bm / 2]);
                _Pragma("unroll") for (int i = 0; i < mine; i++) {
                    if (mine < 4)
                        v[0].lane[i] = ws[now][e][ty + i];
                    else if (i % 4 == 0)
                        v[i / 4] = *reinterpret_cast<const pack *>(&ws[now][e][ty + i / 4 * (bn / 2)]);
                }
                _Pragma("unroll") for (int i = 0; i < mine; i++)
                    _Pragma("unroll") for (int j = 0; j < 8; j++)
                        sums[i][j] += u[j / 4].lane[j % 4] * v[i / 4].lane[i % 4];
            }
        }
        odd = more && put(now ^ 1);
        odd = edges ? __syncthreads_or(odd) : (__syncthreads(), false);
        now ^= 1;
    }
    const int total = od * oh * ow;
    const bool whole = !back && total % 4 == 0 && reinterpret_cast<size_t>(y) % 16 == 0;
    _Pragma("unroll") for (int g = 0; g < 2; g++) {
        const int q0 = first + tx + g * (bm / 2);
        int at[4];
        _Pragma("unroll") for (int l = 0; l < 4; l++) {
            const int q = q0 + l, qx = q % qw, qy = q / qw % qh, qz = q / (qw * qh);
            at[l] = back ? ((qz * td + rz) * oh + qy * th + ry) * ow + qx * tw + rx : q;
        }
        _Pragma("unroll") for (int i = 0; i < mine; i++) {
            const int o = o0 + ty + i % 4 + i / 4 * (bn / 2);
            if (o >= cog)
                continue;
            const long long line = ((long long)image * co + group * cog + o) * total;
            @T@ *to = y + line;
            if (whole && q0 + 4 <= places) {
                pack out;
                _Pragma("unroll") for (int l = 0; l < 4; l++)
                    out.lane[l] = finished(sums[i][g * 4 + l], line + q0 + l, group * cog + o@tail_arguments@);
                *reinterpret_cast<pack *>(to + q0) = out;
                continue;
            }
            _Pragma("unroll") for (int l = 0; l < 4; l++)
                if (q0 + l < places)
                    to[at[l]] = finished(sums[i][g * 4 + l], line + at[l], group * cog + o@tail_arguments@);
        }
    }
}
