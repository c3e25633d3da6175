    x += ((size_t)image * ci + (size_t)group * cig) * plane;
    weight += (size_t)group * cig * cog * taps + (size_t)o0 * w_row;
    for (int i = t; i < bm; i += threads) {
        const int q = first + i, qx = q % qw, qy = q / qw % qh, qz = q / (qw * qh);
        m.in_y[i] = q >= places ? -1 : phases ? ((qz * td + rz) * oh + qy * th + ry) * ow + qx * tw + rx : q;
    }
    __syncthreads();
    // What tensor cores want of a thread: two places, at every fourth depth.
    const int lane = t % 32, mine = t / 32 * 16 + lane / 4;
    const place here[2] = {m.places_of[mine], m.places_of[mine + 8]};
    const auto load = [&](int k0, registers &its) {
        const unsigned at = (unsigned)k0 % (2 * chunk) + lane % 4;
        _Pragma("unroll") for (int i = 0; i < deep / 4; i++) {
            const step f = m.table[at / 2 + i * 2].one[at % 2];
            _Pragma("unroll") for (int l = 0; l < 2; l++) {
                const unsigned from = (unsigned)here[l].at * 4 + f.at;
                float v = 0;
                if (reaches(here[l], f, m.offsets, s))
                    v = of_x(*reinterpret_cast<const float *>(reinterpret_cast<const char *>(x) + from)@head_arguments@);
                its.of[i / 2][i % 2 * 2 + l] = __float_as_uint(v);
            }
        }
    };
    // Weights that lie one behind the other in depth come four at once; else one by one, eight of depth by four channels a warp,
    // which in shared memory are in different banks.
    constexpr int w_loads = bn * bk / threads, lines = bn / 32; // of one channel or another
    const bool in_packs = !back && w_row % 4 == 0 && reinterpret_cast<size_t>(weight) % 16 == 0;
    const int first_channel = in_packs ? t / 8 : t / 32 * lines / 2 * 8 + t / 32 * lines % 2 + t / 8 % 4 * 2;
    const int first_lies = placed(first_channel, in_packs ? t % 8 : t % 8 / 4) + (in_packs ? 0 : t % 4 * 4);
    const unsigned first_at = first_channel * w_row * 4 + (in_packs ? t % 8 * 16 : 0);
    const int channels = cog - o0, there = channels - first_channel;
    float held[w_loads];
    const auto fetch = [&](int k0) {
        _Pragma("unroll") for (int i = 0; i < w_loads; i++)
            held[i] = 0;
        const char *from = reinterpret_cast<const char *>(weight);
        if (in_packs) {
            unsigned at = first_at + k0 * 4;
            const int in = k0 + t % 8 * 4 < depth ? there : 0;
            _Pragma("unroll") for (int i = 0; i < lines; i++, at += threads / 8 * 4 * w_row)
                if (i * (threads / 8) < in) {
                    const four pack = *reinterpret_cast<const four *>(from + at);
                    _Pragma("unroll") for (int l = 0; l < 4; l++)
                        held[i * 4 + l] = of_weight(pack.lane[l]@head_arguments@);
                }
        } else {
            _Pragma("unroll") for (int i = 0; i < 4; i++) {
                const int step_at = m.w_table[(unsigned)k0 % (2 * chunk) + t % 8 + i * 8], in = step_at < 0 ? 0 : there;
                unsigned at = first_at + step_at;
                _Pragma("unroll") for (int j = 0; j < lines; j++, at += (j % 2 ? 1 : 7) * 4 * w_row)
                    if (j / 2 * 8 + j % 2 < in)
                        held[i * lines + j] = of_weight(*reinterpret_cast<const float *>(from + at)@head_arguments@);
            }
        }
    };
    const auto put = [&](int stage) {
        _Pragma("unroll") for (int part = 0; part < parts; part++) {
            char *const tile = memory + stage * tile_bytes + part * part_bytes;
            if (in_packs) {
                _Pragma("unroll") for (int i = 0; i < lines; i++) {
                    four pack;
                    _Pragma("unroll") for (int l = 0; l < 4; l++)
                        pack.lane[l] = part_of(held[i * 4 + l], part);
                    *reinterpret_cast<four *>(tile + first_lies + i * (threads / 8) * line) = pack;
                }
            } else {
                _Pragma("unroll") for (int i = 0; i < 4; i++)
                    _Pragma("unroll") for (int j = 0; j < lines; j++) {
                        // Of a pack's place, what differs from the thread's first.
                        const int lies = (stage * tile_bytes + first_lies ^ i * 32 ^ j % 2 * 16) + part * part_bytes;
                        *reinterpret_cast<float *>(memory + lies + (j / 2 * 8 + j % 2) * line) = part_of(held[i * lines + j], part);
                    }
            }
        }
    };
    // Tensor cores cut off where they add: products of nearest are summed by themselves, a step's, and then in fp32; small ones
    // need that less often.
    constexpr int seldom = 64 * bk;
    a_lane_s_sums sums = {}, small = {};
    typedef float some_sums[1][at_once / 8][4];
    some_sums apart = {}, &part = *reinterpret_cast<some_sums *>(thrice ? static_cast<void *>(apart) : sums);
    int now = 0;
    // What `its` has of x by a tile, or half of one, which another one of `next` follows. A tile is stored one ahead, and read one
    // ahead of that. It is overwritten once all have waited for its products, as registers are.
    const auto multiply_next = [&](int k, registers &its, registers &next, bool begins) {
        const unsigned tile = shared_at(memory) + now * tile_bytes;
        const int d0 = begins ? 0 : deep, after = now + 1 == stages ? 0 : now + 1;
        if (begins) {
            stored_for_products();
            if ((k + 3 * bk) % chunk == 0 && k + 3 * bk < depth)
                prepare(k + 3 * bk);
        }
        registers rest;
        _Pragma("unroll") for (int e = 0; e < deep / 2 && thrice; e++) {
            unsigned &v = its.of[e / 4][e % 4];
            rest.of[e / 4][e % 4] = left(v);
            v = nearest(v);
        }
        _Pragma("unroll") for (int o = 0; o < bn; o += at_once) {
            begin_products();
            _Pragma("unroll") for (int i = 0; i < deep / 8; i++) {
                if (thrice && o == 0) {
                    multiply(small[0], rest.of[i], at_tile(tile, 0, d0 + i * 8));
                    multiply(small[0], its.of[i], at_tile(tile + part_bytes, 0, d0 + i * 8));
                }
                multiply(part[0], its.of[i], at_tile(tile, o, d0 + i * 8));
            }
            end_products();
            if (!thrice)
                wait_for_older();
            if (o == 0) {
                if (k + deep < depth)
                    load(k + deep, next);
                if (begins && k + bk < depth)
                    put(after);
                if (begins && k + 2 * bk < depth)
                    fetch(k + 2 * bk);
            }
            if (thrice) {
                wait_for_all(part);
                add(sums, part, o, 1);
            }
        }
        if (thrice && k % seldom == seldom - deep) {
            wait_for_all(small);
            add(sums, small, 0, 1 / higher);
        }
        if (!begins || deep == bk)
            now = after;
    };
    registers even, odd;
    if (depth > 0) {
        fetch(0);
        put(0);
        fetch(bk);
        load(0, even);
        for (int k = 0;;) { // never twice the same
            multiply_next(k, even, odd, true);
            k += deep;
            if (k >= depth) {
                wait_for_all(sums);
                break;
            }
            multiply_next(k, odd, even, deep == bk);
            k += deep;
            if (k >= depth) {
                wait_for_all(sums);
                break;
            }
        }
    }
    if (thrice) {
        wait_for_all(small);
        add(sums, small, 0, 1 / higher);
    }
    float none = 0;
    _Pragma("unroll") for (int e = 0; e < bn / 2 && (edges || thrice); e++)
        none += sums[0][e / 4][e % 4] * 0;
    // A sum may be no number for a weight without effect, outside x, or for a factor that has no two parts: an infinity, or
    // what is near the end of fp32.
    const int total = od * oh * ow;
    if (!(none == 0)) {
        _Pragma("unroll 1") for (int e = 0; e < bn / 2; e++) {
            const int o = e / 4 * 8 + lane % 4 * 2 + e % 2, its_o = group * cog + o0 + o, at = m.in_y[mine + e / 2 % 2 * 8];
            const long long to = ((long long)image * co + its_o) * total + at;
            if (o >= channels || at < 0)
                continue;
            const place its = m.places_of[mine + e / 2 % 2 * 8];
            const float sum = by_terms(x, weight + (size_t)o * w_row, m, its, s, cig, cog, all@head_arguments@);
            y[to] = finished(sum, to, its_o@tail_arguments@);
        }
        return;
    }
    _Pragma("unroll") for (int l = 0; l < 2; l++) {
        const int at = m.in_y[mine + l * 8];
        _Pragma("unroll") for (int e = 0; e < bn / 4; e++) {
            const int o = e / 2 * 8 + lane % 4 * 2 + e % 2, its_o = group * cog + o0 + o;
            const long long to = ((long long)image * co + its_o) * total + at;
            if (o < channels && at >= 0)
                y[to] = finished(sums[0][e / 2][l * 2 + e % 2], to, its_o@tail_arguments@);
        }
    }
}
