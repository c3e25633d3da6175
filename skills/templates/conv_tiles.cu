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
