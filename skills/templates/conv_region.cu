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
