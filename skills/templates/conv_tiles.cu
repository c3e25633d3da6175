// A convolution as a matrix product whose left operand, the windows of x, is never written down. In a transposed one
// outputs whose places are equal modulo the stride take the same taps: they are a product of their own (a phase).
// What comes before says how a tile is multiplied.
constexpr bool back = @back@;
constexpr int kd = @kd@, kh = @kh@, kw = @kw@, groups = @groups@, taps = kd * kh * kw;
constexpr int td = back ? @sd@ : 1, th = back ? @sh@ : 1, tw = back ? @sw@ : 1; // phases
constexpr int md = back ? 1 : @sd@, mh = back ? 1 : @sh@, mw = back ? 1 : @sw@; // steps in x
constexpr bool edges = back || @pd@ + @ph@ + @pw@ > 0; // windows may stand out of x
constexpr bool phases = td * th * tw > 1;
constexpr bool masked = kd + kh + kw < 32; // a bit for each row, line and column of taps
constexpr int chunk = threads;             // steps of the depth that are prepared together
constexpr int outside = -(1 << 28);

struct offset { // of a tap: its number; from a place's first element, alone and in all; and its bits, or its place here
    int tap, z, y, x, all, bits;
};
struct shape {
    int d, h, w, od, oh, ow;
};
// A step of the depth, a tap of a channel of x: how many bytes from a place's first element, and the bits of its
// row, line and column; where taps are too many for that, its place in `offsets`. Behind the depth: -1.
struct step {
    int at, tap;
};
struct alignas(16) steps {
    step one[2];
};

// Where tap t lies behind the place's first element along one axis; false: the phase has no such tap.
__device__ __forceinline__ bool tap_at(int t, int step, int dilation, int pad, int phase, int *at)
{
    const int way = phase + pad - t * dilation;
    *at = back ? way / step : t * dilation;
    return !back || way % step == 0;
}

// Where a place of y begins in x; `out`: which rows, lines and columns of taps lie outside x, and the topmost bit.
struct place {
    int at, z, y, x;
    unsigned out;
};

__device__ __forceinline__ bool inside(int z, int y, int x, const shape &s)
{
    return (unsigned)z < (unsigned)s.d && (unsigned)y < (unsigned)s.h && (unsigned)x < (unsigned)s.w;
}

__device__ __forceinline__ bool reaches(const place &p, const step &f, const offset *offsets, const shape &s)
{
    if (masked)
        return (f.tap & p.out) == 0;
    const offset o = offsets[f.tap < 0 ? 0 : f.tap];
    return f.tap >= 0 && inside(p.z + o.z, p.y + o.y, p.x + o.x, s);
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

struct storage { // of a block, in shared memory
    alignas(16) @T@ xs[2][bk][x_pitch];
    alignas(16) @T@ ws[2][bk][w_pitch];
    steps table[chunk]; // of two chunks
    int w_table[2 * chunk]; // and in bytes the weight's place behind the channel's first
    offset offsets[taps];
    place places_of[bm];
    int active; // taps of this phase
};

__global__ void __launch_bounds__(threads, resident / threads)
    conv_tiles(const @T@ *__restrict__ x, const @T@ *__restrict__ weight, @T@ *__restrict__ y,
               int ci, int co, int d, int h, int w, int od, int oh, int ow@head_parameters@@tail_parameters@)
{
    __shared__ storage m;
    const shape s = {d, h, w, od, oh, ow};
    const int t = threadIdx.x, cig = ci / groups, cog = co / groups;
    // Phases of one region run together: what they write lies between each other.
    const int phase = blockIdx.x % (td * th * tw), image = blockIdx.z;
    const int rz = phase / (th * tw), ry = phase / tw % th, rx = phase % tw;
    // Places of this phase along each axis.
    const int qd = (od - rz + td - 1) / td, qh = (oh - ry + th - 1) / th, qw = (ow - rx + tw - 1) / tw;
    const int places = qd * qh * qw, first = blockIdx.x / (td * th * tw) * bm;
    if (first >= places)
        return;
    const int tiles = (cog + bn - 1) / bn, group = blockIdx.y / tiles, o0 = blockIdx.y % tiles * bn;
    // How many taps of one axis before its k-th this phase has.
    const auto before = [](int k, int step, int dilation, int pad, int phase) {
        int n = 0, far;
        for (int i = 0; i < k; i++)
            n += tap_at(i, step, dilation, pad, phase, &far);
        return n;
    };
    const int across = before(kw, @sw@, @dw@, @pw@, rx), down = before(kh, @sh@, @dh@, @ph@, ry);
    if (t == 0)
        m.active = before(kd, @sd@, @dd@, @pd@, rz) * down * across;
    for (int tap = t; tap < taps; tap += threads) {
        const int kz = tap / (kh * kw), ky = tap / kw % kh, kx = tap % kw;
        offset f = {tap};
        if (!tap_at(kz, @sd@, @dd@, @pd@, rz, &f.z) || !tap_at(ky, @sh@, @dh@, @ph@, ry, &f.y) ||
            !tap_at(kx, @sw@, @dw@, @pw@, rx, &f.x))
            continue;
        const int n = (before(kz, @sd@, @dd@, @pd@, rz) * down + before(ky, @sh@, @dh@, @ph@, ry)) * across +
                      before(kx, @sw@, @dw@, @pw@, rx);
        f.all = (f.z * h + f.y) * w + f.x;
        f.bits = masked ? 1 << kx | 1 << (kw + ky) | 1 << (kw + kh + kz) : n;
        m.offsets[n] = f;
    }
    for (int i = t; i < bm; i += threads) {
        const int q = first + i, qx = q % qw, qy = q / qw % qh, qz = q / (qw * qh);
        place p;
        p.z = back ? qz : qz * md - @pd@;
        p.y = back ? qy : qy * mh - @ph@;
        p.x = back ? qx : qx * mw - @pw@;
        p.at = (p.z * h + p.y) * w + p.x;
        p.out = q < places ? 1u << 31 : ~0u;
        p.z = q < places ? p.z : outside;
        int far;
        if (masked) {
            for (int k = 0; k < kw; k++)
                if (tap_at(k, @sw@, @dw@, @pw@, rx, &far) && (unsigned)(p.x + far) >= (unsigned)w)
                    p.out |= 1u << k;
            for (int k = 0; k < kh; k++)
                if (tap_at(k, @sh@, @dh@, @ph@, ry, &far) && (unsigned)(p.y + far) >= (unsigned)h)
                    p.out |= 1u << (kw + k);
            for (int k = 0; k < kd; k++)
                if (tap_at(k, @sd@, @dd@, @pd@, rz, &far) && (unsigned)(p.z + far) >= (unsigned)d)
                    p.out |= 1u << (kw + kh + k);
        }
        m.places_of[i] = p;
    }
    __syncthreads();
    const int all = phases ? m.active : taps, depth = cig * all, plane = d * h * w;
    const int w_row = back ? taps : cig * taps; // weights from channel to channel of y
    const auto prepare = [&](int k0) {
        const int k = k0 + t, c = k / all, to = k % (2 * chunk);
        const offset f = m.offsets[k - c * all];
        const bool in = k < depth;
        const int w_at = c * (back ? cog * taps : taps) + f.tap;
        m.w_table[to] = in ? w_at * (int)sizeof(@T@) : -1;
        m.table[to / 2].one[to % 2] = {(c * plane + f.all) * (int)sizeof(@T@), in ? f.bits : -1};
    };
    if (depth > 0)
        prepare(0);
    __syncthreads();
    // What this thread brings: of x some steps of one place or more, of the weights one step of every few channels.
    constexpr int wide = bm > threads ? bm / threads : 1, deep = bm * bk / threads / wide;
    constexpr int w_loads = bn * bk / threads, w_step = threads / bk;
    const int lane = t % bm, x_first = t / bm * deep, w_first = t / bk;
    place here[wide];
    const char *from[wide], *of_w = reinterpret_cast<const char *>(
        weight + (size_t)group * cig * cog * taps + (size_t)(o0 + w_first) * w_row);
    _Pragma("unroll") for (int i = 0; i < wide; i++) {
        here[i] = m.places_of[lane + i * threads];
        from[i] = reinterpret_cast<const char *>(x + ((size_t)image * ci + (size_t)group * cig) * plane + here[i].at);
    }
    const size_t w_apart = (size_t)w_step * w_row * sizeof(@T@);
    const int w_rows = (cog - o0 - w_first + w_step - 1) / w_step; // of this thread's loads, how many there are
    @T@ x_held[wide][deep], w_held[w_loads];
    const auto fetch = [&](int k0) {
        const unsigned at = (unsigned)k0 % (2 * chunk);
        const steps *const line = m.table + (at + x_first) / 2;
        _Pragma("unroll") for (int i = 0; i < deep; i += 2) {
            const steps two = line[i / 2];
            _Pragma("unroll") for (int l = 0; l < 2; l++)
                _Pragma("unroll") for (int j = 0; j < wide; j++) {
                    x_held[j][i + l] = 0;
                    if (reaches(here[j], two.one[l], m.offsets, s))
                        x_held[j][i + l] =
                            of_x(*reinterpret_cast<const @T@ *>(from[j] + two.one[l].at)@head_arguments@);
                }
        }
        const int w_at = m.w_table[at + t % bk], rows = w_at < 0 ? 0 : w_rows;
        const char *w_from = of_w + w_at;
        _Pragma("unroll") for (int i = 0; i < w_loads; i++, w_from += w_apart) {
            w_held[i] = 0;
            if (i < rows)
                w_held[i] = of_weight(*reinterpret_cast<const @T@ *>(w_from)@head_arguments@);
        }
    };
    const auto put = [&](int to) {
        _Pragma("unroll") for (int i = 0; i < deep; i++)
            _Pragma("unroll") for (int j = 0; j < wide; j++)
                m.xs[to][x_first + i][lane + j * threads] = rounded(x_held[j][i]);
        _Pragma("unroll") for (int i = 0; i < w_loads; i++)
            m.ws[to][t % bk][w_placed(t % bk, w_first + i * w_step)] = rounded(w_held[i]);
    };
    const corner mine = corner_of(t);
    @T@ sums[channels][runs][run] = {};
    // All of the depth; `add` is what is done with each step's tile.
    const auto sweep = [&](auto add) {
        if (depth > 0) {
            fetch(0);
            put(0);
        }
        __syncthreads();
        int now = 0;
        for (int k0 = 0; k0 < depth; k0 += bk) {
            const bool more = k0 + bk < depth;
            if (more && (k0 + bk) % chunk == 0) {
                prepare(k0 + bk);
                __syncthreads();
            }
            if (more)
                fetch(k0 + bk);
            add(now, k0);
            if (more)
                put(now ^ 1);
            __syncthreads();
            now ^= 1;
        }
    };
    sweep([&](int now, int) { multiply(sums, m.xs[now], m.ws[now], mine); });
    // A sum may be no number for a weight without effect, outside x, or for a factor that has no two parts: an infinity, or
    // what is near the end of fp32. Then the block does all of it again, term by term.
    if (edges || thrice) {
        @T@ none = 0;
        _Pragma("unroll") for (int j = 0; j < channels * runs * run; j++)
            none += sums[j / (runs * run)][j / run % runs][j % run] * 0;
        if (__syncthreads_or(!(none == 0))) {
            _Pragma("unroll") for (int j = 0; j < channels * runs * run; j++)
                sums[j / (runs * run)][j / run % runs][j % run] = 0;
            if (depth > 0)
                prepare(0);
            __syncthreads();
            sweep([&](int now, int k0) {
                for (int e = 0; e < bk && k0 + e < depth; e++) {
                    const int of = (k0 + e) % (2 * chunk);
                    const step f = m.table[of / 2].one[of % 2];
                    _Pragma("unroll") for (int j = 0; j < runs * run; j++) {
                        const int p = place_of(mine, j / run) + j % run;
                        const bool in = reaches(m.places_of[p], f, m.offsets, s);
                        _Pragma("unroll") for (int i = 0; i < channels; i++)
                            if (in)
                                sums[i][j / run][j % run] += m.xs[now][e][p] * m.ws[now][e][w_placed(e, channel_of(mine, i))];
                    }
                }
            });
        }
    }
    const int total = od * oh * ow;
    const bool whole = total % run == 0 && reinterpret_cast<size_t>(y) % sizeof(lanes) == 0;
    if (phases) {
        // Neighbours of a phase lie apart in y: lanes side by side write them, by way of shared memory.
        constexpr int rows = 2 * bk, apart = threads > bm ? threads / bm : 1;
        int at[wide];
        _Pragma("unroll") for (int j = 0; j < wide; j++) {
            const int q = first + lane + j * threads, qx = q % qw, qy = q / qw % qh, qz = q / (qw * qh);
            at[j] = q < places ? ((qz * td + rz) * oh + qy * th + ry) * ow + qx * tw + rx : -1;
        }
        for (int row0 = 0; row0 < bn && o0 + row0 < cog; row0 += rows) {
            _Pragma("unroll") for (int i = 0; i < channels; i++) {
                const int row = channel_of(mine, i) - row0;
                if (row < 0 || row >= rows)
                    continue;
                _Pragma("unroll") for (int g = 0; g < runs; g++) {
                    lanes out;
                    _Pragma("unroll") for (int l = 0; l < run; l++)
                        out.lane[l] = sums[i][g][l];
                    *reinterpret_cast<lanes *>(&m.xs[row / bk][row % bk][place_of(mine, g)]) = out;
                }
            }
            __syncthreads();
            for (int row = t / bm; row < rows && o0 + row0 + row < cog; row += apart) {
                const int o = group * cog + o0 + row0 + row;
                const long long line = ((long long)image * co + o) * total;
                _Pragma("unroll") for (int j = 0; j < wide; j++)
                    if (at[j] >= 0)
                        y[line + at[j]] = finished(m.xs[row / bk][row % bk][lane + j * threads], line + at[j], o@tail_arguments@);
            }
            __syncthreads();
        }
        return;
    }
    _Pragma("unroll") for (int g = 0; g < runs; g++) {
        const int q0 = first + place_of(mine, g);
        _Pragma("unroll") for (int i = 0; i < channels; i++) {
            const int o = o0 + channel_of(mine, i);
            if (o >= cog)
                continue;
            const long long line = ((long long)image * co + group * cog + o) * total;
            @T@ *to = y + line;
            if (whole && q0 + run <= places) {
                lanes out;
                _Pragma("unroll") for (int l = 0; l < run; l++)
                    out.lane[l] = finished(sums[i][g][l], line + q0 + l, group * cog + o@tail_arguments@);
                *reinterpret_cast<lanes *>(to + q0) = out;
                continue;
            }
            _Pragma("unroll") for (int l = 0; l < run; l++)
                if (q0 + l < places)
                    to[q0 + l] = finished(sums[i][g][l], line + q0 + l, group * cog + o@tail_arguments@);
        }
    }
}
