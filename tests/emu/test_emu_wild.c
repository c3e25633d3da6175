// Kernels of wild.cu on the emulated device under several schedules: the host's results; what is at fault is
// found; what is not supported says so, with the line.
// Usage: test_emu_wild WILD.ptx WILD.cu [KERNEL]
#include "emu_table.h"

// ---- what comes out, element by element

static int sum(int from, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += N(from + i);
    return s;
}
static int most(int from, int n)
{
    int m = N(from);
    for (int i = 0; i < n; i++)
        m = N(from + i) > m ? N(from + i) : m;
    return m;
}
static int float_bits(float x)
{
    int out;
    memcpy(&out, &x, 4);
    return out;
}

static int cg_reduce(int i)
{
    return sum(i / 32 * 32, 32) + 1000 * most(i / 32 * 32, 32);
}
static int cg_reduce_float(int i)
{
    return sum(i / 16 * 16, 16);
}
static int itself(int i)
{
    return N(i);
}
static int cg_coalesced(int i)
{
    int rank = 0, size = 0;
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++)
        if (N(k) % 3 == 0) {
            rank += k < i;
            size++;
        }
    return N(i) % 3 == 0 ? rank * 100 + size : -1;
}
static int cg_labels(int i)
{
    int rank = 0, size = 0;
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++)
        if ((N(k) & 3) == (N(i) & 3)) {
            rank += k < i;
            size++;
        }
    return size * 100 + rank;
}
static int cg_aggregated(int i)
{
    int odd = 0;
    for (int k = 0; k < 64; k++)
        odd += N(k) & 1;
    return i == 0 ? odd : 0;
}
static int warp_scan(int i)
{
    return sum(i / 32 * 32, i % 32 + 1);
}
static int block_scan(int i)
{
    return sum(0, i + 1);
}
static int sync_masks(int i)
{
    return i < 16 ? N(15 - i) : 2 * N(47 - i);
}
static int sync_reduce(int i)
{
    int all = 0, odd = 0;
    for (int k = 0; k < 32; k++) {
        all |= N(k);
        odd ^= N(k) & 7;
    }
    (void)i;
    return all + 1000 * most(0, 32) + 100000 * odd;
}
static int match_all(int i)
{
    int same = 0;
    for (int k = 0; k < 32; k++)
        same += N(k) % 5 == N(i) % 5;
    return 3 + 4 * same;
}
static int fns(int i)
{
    int seen = 0, at = 0;
    for (at = 0; at < 32; at++)
        if ((0x5a5a1234u >> at & 1) != 0 && ++seen == i % 8 + 1)
            break;
    return at;
}
static int lane_masks(int i)
{
    return i % 32 + 100 * (32 - i % 32) + 10000 + 64 * 100000;
}
static int elects(int i)
{
    return i % 32 == 0 ? 6 : 0;
}
static int named_pipeline(int i)
{
    int s = 0;
    for (int k = 0; k < 8; k++)
        s += 3 * N(k * 32 + 31 - i);
    return s;
}
static int barrier_red(int i)
{
    int odd = 0;
    for (int k = 0; k < 64; k++)
        odd += N(k) & 1;
    (void)i;
    return odd + 1000;
}
static int ref_counter(int i)
{
    return i == 0 ? sum(0, 64) * 4 : most(0, 64);
}
static int ref_chain(int i)
{
    return i < 8 ? sum(0, i + 1) : 1;
}
static int many_flags(int i)
{
    return N(i) + 2;
}
static int either_way(int i)
{
    return N(7 + i);
}
static int cluster_ids(int i)
{
    return 10 + 100 * i;
}
static int three(int i)
{
    (void)i;
    return 3;
}
static int total64(int i)
{
    (void)i;
    return sum(0, 64);
}
static int float_max(int i)
{
    (void)i;
    return float_bits((float)most(0, 64) * 0.5f);
}
static int guide_add(int i)
{
    double total = 3.0 * sum(0, 64);
    int words[2];
    memcpy(words, &total, 8);
    return words[i];
}
static int atomic_halves(int i)
{
    int odd = 0;
    for (int k = 0; k < 32; k++)
        odd += N(k) & 1;
    // 32 in f16 is 0x5000, 64 in f16 is 0x5400; 32 in bf16 is 0x4200, 64 0x4280. The odd ones are fewer than 32.
    int e = 0;
    float f = (float)odd;
    while (f >= 2) {
        f /= 2;
        e++;
    }
    int half = (e + 15) << 10 | (int)((f - 1) * 1024);
    return i == 0 ? 0x5000 << 16 | half : i == 1 ? 0x4280 << 16 | 0x4200 : 0x5400;
}
static int atomic_vectors(int i)
{
    static const int pairs[] = {0x50005000, 0x54005000, 0x3f803f80, 0x40003f80};
    return i < 2 ? float_bits(32.0f * (float)(i + 1)) : i < 4 ? 0
           : i < 8 ? float_bits(32.0f * (float)(i - 3)) : pairs[i - 8];
}
static int atomic_small(int i)
{
    return i == 0 ? 0 : 0x10;
}
static int wrap_counters(int i)
{
    return i > 0;
}
static int copies_in_bytes(int i)
{
    const unsigned char *b = (const unsigned char *)&numbers[i * 4];
    int s = 0;
    for (int k = 0; k < i % 17; k++)
        s += b[k] * (k + 1);
    return s;
}
static int copies_staged(int i)
{
    int s = 0;
    for (int k = 0; k < 6; k++)
        s += N(k * 64 + 63 - i) * (k + 1);
    return s;
}
static int hinted(int i)
{
    int t = i / 4, k = i % 4;
    return N(t * 4 + 3 - k) + (k == 0 ? 4 * N(t) : k == 1 ? 1 : 0);
}
static int policies(int i)
{
    return N(i) + 1;
}
static int wide_vectors(int i)
{
    return N(i / 8 * 8 + 7 - i % 8);
}
static int upper_half(int i)
{
    return N(i) << 16;
}
static int second_half(int i)
{
    return i < 64 ? 0 : N(i - 64);
}
static const struct right rights[] = {
    {"cg_reduce", 1, 64, 0, 64, false, cg_reduce},
    {"cg_reduce_float", 1, 64, 0, 64, false, cg_reduce_float},
    {"cg_scan", 1, 64, 0, 64, false, itself},
    {"cg_coalesced", 1, 64, 0, 64, false, cg_coalesced},
    {"cg_labels", 1, 64, 0, 64, false, cg_labels},
    {"cg_aggregated", 1, 64, 0, 1, true, cg_aggregated},
    {"warp_scan", 1, 64, 0, 64, false, warp_scan},
    {"warp_scan_ptx", 1, 64, 0, 64, false, warp_scan},
    {"block_scan", 1, 256, 0, 256, false, block_scan},
    {"sync_masks", 1, 32, 0, 32, false, sync_masks},
    {"sync_reduce", 1, 32, 0, 32, false, sync_reduce},
    {"match_all", 1, 32, 0, 32, false, match_all},
    {"fns", 1, 32, 0, 32, false, fns},
    {"sleeps", 1, 64, 0, 64, false, itself},
    {"lane_masks", 1, 64, 64, 64, false, lane_masks},
    {"elects", 1, 64, 0, 64, false, elects},
    {"named_pipeline", 1, 64, 0, 32, false, named_pipeline},
    {"barrier_red", 1, 64, 0, 64, false, barrier_red},
    {"ref_counter", 4, 64, 0, 2, true, ref_counter},
    {"ref_chain", 8, 32, 0, 16, true, ref_chain},
    {"ptx_order", 8, 32, 0, 16, true, ref_chain},
    {"many_flags", 1, 64, 0, 2500, true, many_flags},
    {"either_way", 1, 64, 0, 1, false, either_way},
    {"cluster_ids", 6, 32, 0, 6, false, cluster_ids},
    {"clocks", 1, 64, 0, 64, false, three},
    {"block_cas", 1, 64, 0, 64, false, total64},
    {"float_max", 2, 64, 0, 1, true, float_max},
    {"guide_add", 3, 64, 0, 2, true, guide_add},
    {"atomic_halves", 1, 32, 0, 3, true, atomic_halves},
    {"atomic_vectors", 1, 32, 0, 12, true, atomic_vectors},
    {"atomic_small", 1, 32, 0, 2, true, atomic_small},
    {"wrap_counters", 1, 32, 0, 33, true, wrap_counters},
    {"copies_in_bytes", 1, 32, 0, 32, false, copies_in_bytes},
    {"copies_staged", 1, 32, 0, 32, false, copies_staged},
    {"hinted", 1, 64, 0, 256, false, hinted},
    {"policies", 1, 64, 0, 64, false, policies},
    {"wide_vectors", 1, 64, 0, 512, false, wide_vectors},
    {"ldg_beside", 1, 64, 0, 64, true, upper_half},
    {"ldg_unchanged", 1, 64, 0, 128, true, second_half},
};

// ---- what must not run to its end

static const struct wrong wrongs[] = {
    {"bad_assert", "trap: an assertion failed", KS_E_DEVICE, 1, 32, 0},
    {"bad_mask", "barrier-divergence: ", KS_E_DEVICE, 1, 32, 0},
    {"bad_cluster_fence", "race: ", KS_E_DEVICE, 4, 32, 0},
    {"bad_guess", "race: ", KS_E_DEVICE, 2, 32, 0},
    {"bad_ldg_behind", "non-coherent: read by", KS_E_DEVICE, 1, 64, 0},
    {"bad_ldg_ahead", "non-coherent: write of", KS_E_DEVICE, 1, 64, 0},
    {"bad_ldg_byte", "non-coherent: read by", KS_E_DEVICE, 1, 64, 0},
    {"bad_ldu", "non-coherent: read by", KS_E_DEVICE, 1, 64, 0},
    {"un_lop3", "lop3.or.b32", KS_E_UNSUPPORTED, 1, 1, 0},
    {"un_printf", "vprintf is not supported", KS_E_UNSUPPORTED, 1, 1, 0},
    {"un_malloc", "malloc", KS_E_UNSUPPORTED, 1, 32, 0},
    {"un_texture", "tex.1d", KS_E_UNSUPPORTED, 1, 32, 0},
    {"un_cluster", "clusters", KS_E_UNSUPPORTED, 2, 32, 90},
    {"un_multimem", "multimem.red", KS_E_UNSUPPORTED, 1, 32, 90},
    {"un_bulk", "cp.async.bulk", KS_E_UNSUPPORTED, 1, 32, 90},
    {"un_async_store", "mapa.shared::cluster", KS_E_UNSUPPORTED, 1, 32, 90},
};

int main(int argc, char **argv)
{
    return emu_table(argc, argv, rights, sizeof rights / sizeof rights[0], wrongs,
                     sizeof wrongs / sizeof wrongs[0]);
}
