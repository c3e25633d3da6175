// Kernels of cases.cu on the emulated device: what is wrong is found, and named by its line; what is
// right runs to the host's results under several schedules, without a finding.
// Usage: test_emu_cases CASES.ptx CASES.cu
#include "emu_run.h"

static struct emu_run run;
static const char *source_path;
static int failures, checks;

static void check(bool ok, const char *name, const char *what)
{
    checks++;
    if (ok)
        return;
    failures++;
    printf("%s (seed %llu): %s; %s\n", name,
           emu_emulated(&run) ? (unsigned long long)ks_emu_device_settings(&run.device)->seed : 0,
           what, run.err.text);
    run.err.text[0] = '\0';
}

// The line of `text` in the source file, 0 if it is not there.
static unsigned line_of(const char *kernel, const char *text)
{
    char line[512], head[64];
    unsigned n = 0, found = 0;
    bool in = false;
    FILE *f = fopen(source_path, "r");
    snprintf(head, sizeof head, "%s(", kernel);
    while (f != NULL && found == 0 && fgets(line, sizeof line, f) != NULL) {
        n++;
        in = in || strstr(line, head) != NULL;
        if (in && strstr(line, text) != NULL)
            found = n;
    }
    if (f != NULL)
        fclose(f);
    return found;
}

// The launch must end with a finding of this kind, at the line with `text` (NULL: anywhere), and, for
// races, name the line with `other` as the other side.
static void expect(const char *name, unsigned grid, unsigned block, unsigned shared,
                   enum ks_finding_kind kind, const char *text, const char *other)
{
    enum ks_status status = emu_launch(&run, name, grid, block, shared);
    const struct ks_emu_findings *all = ks_emu_device_findings(&run.device);
    bool there = false;
    for (size_t i = 0; i < all->n; i++) {
        const struct ks_finding *f = &all->list[i];
        there |= f->kind == kind &&
                 (text == NULL || (f->here.source & 0xfffff) == line_of(name, text)) &&
                 (other == NULL || (f->has_other &&
                                    (f->other.source & 0xfffff) == line_of(name, other)));
    }
    check(status == KS_E_DEVICE && there, name, ks_finding_name(kind));
    emu_reset(&run);
}

static int numbers[4096];

static size_t in_ints(int n)
{
    return emu_buffer(&run, numbers, (int64_t)n * 4);
}
static size_t out_ints(int n)
{
    return emu_buffer(&run, NULL, (int64_t)n * 4);
}
static size_t zeros(int n)
{
    static const int zero[4096];
    return emu_buffer(&run, zero, (int64_t)n * 4);
}

static void wrong_memory(void)
{
    int one = 1;
    out_ints(32), emu_int(&run, one);
    expect("bad_write_behind", 1, 32, 0, KS_F_OUT_OF_BOUNDS, "out[", NULL);
    in_ints(32), out_ints(32);
    expect("bad_read_before", 1, 32, 0, KS_F_OUT_OF_BOUNDS, "in[", NULL);
    in_ints(32), out_ints(32);
    expect("bad_far", 1, 32, 0, KS_F_OUT_OF_BOUNDS, "in[", NULL);
    in_ints(32), out_ints(32);
    expect("bad_misaligned", 1, 32, 0, KS_F_MISALIGNED, "(in + 2)", NULL);
    out_ints(32), out_ints(32);
    expect("bad_uninitialised", 1, 32, 0, KS_F_UNINITIALISED, "out[", NULL);
    out_ints(32);
    expect("bad_shared_uninitialised", 1, 32, 0, KS_F_UNINITIALISED, "out[", NULL);
    out_ints(32);
    expect("bad_shared_bounds", 1, 32, 0, KS_F_OUT_OF_BOUNDS, "out[", NULL);
    out_ints(32);
    expect("bad_dynamic_bounds", 1, 32, 31 * 4, KS_F_OUT_OF_BOUNDS, "d[threadIdx.x] = 1", NULL);
    if (ks_emu_device_settings(&run.device)->seed < 2) {
        zeros(8), emu_int(&run, 700000);
        ks_emu_device_settings(&run.device)->budget = 1000000000;
        expect("bad_old_race", 1, 64, 0, KS_F_RACE, "out[0] = out[1]", "out[1] = 7");
    }
    in_ints(32), out_ints(32);
    expect("bad_pipeline", 1, 32, 0, KS_F_UNINITIALISED, "out[", NULL);
    out_ints(1);
    expect("bad_trap", 1, 1, 0, KS_F_TRAP, NULL, NULL);
    zeros(1);
    ks_emu_device_settings(&run.device)->budget = 100000;
    expect("bad_endless", 1, 32, 0, KS_F_ENDLESS, "while", NULL);
    ks_emu_device_settings(&run.device)->budget = 100000000;
}

static void wrong_order(void)
{
    out_ints(64);
    expect("bad_shared_race", 1, 64, 0, KS_F_RACE, NULL, NULL);
    in_ints(256), out_ints(64);
    expect("bad_second_barrier", 1, 64, 0, KS_F_RACE, NULL, NULL);
    out_ints(32);
    expect("bad_warp_race", 1, 32, 0, KS_F_RACE, NULL, "t[threadIdx.x] = threadIdx.x");
    out_ints(1);
    expect("bad_volatile_warp", 1, 64, 0, KS_F_RACE, "t[threadIdx.x] += t[threadIdx.x + 16]", NULL);
    zeros(65);
    expect("bad_late_reader", 1, 64, 0, KS_F_RACE, NULL, NULL);
    in_ints(16);
    expect("bad_neighbour_byte", 1, 64, 0, KS_F_RACE, NULL, NULL);
    out_ints(8), zeros(8);
    expect("bad_global_race", 8, 1, 0, KS_F_RACE, NULL, "work[blockIdx.x] =");
    zeros(1);
    expect("bad_lost_update", 8, 1, 0, KS_F_RACE, "count[0] =", "count[0] =");
    ks_emu_device_settings(&run.device)->strict_races = true;
    zeros(1);
    expect("good_same_value", 4, 64, 0, KS_F_RACE, "out[0] = 5", "out[0] = 5");
    ks_emu_device_settings(&run.device)->strict_races = false;
    zeros(1);
    expect("bad_block_scope", 2, 32, 0, KS_F_RACE, NULL, NULL);
    in_ints(8), zeros(8), zeros(1), out_ints(1);
    expect("bad_no_fence", 8, 1, 0, KS_F_RACE, NULL, "part[blockIdx.x] =");
    in_ints(8), zeros(8), zeros(1), out_ints(1);
    expect("bad_early_fence", 8, 1, 0, KS_F_RACE, NULL, "part[blockIdx.x] =");
    out_ints(32);
    expect("bad_divergent_barrier", 1, 32, 0, KS_F_BARRIER_DIVERGENCE, NULL, NULL);
    out_ints(64);
    expect("bad_unreached_barrier", 1, 64, 0, KS_F_DEADLOCK, "bar.sync 1", NULL);
}

static bool launch(const char *name, unsigned grid, unsigned block, unsigned shared)
{
    bool ok = emu_launch(&run, name, grid, block, shared) == KS_OK;
    check(ok, name, "is right");
    return ok;
}

static const int *got(size_t buffer, int n)
{
    static int out[4096];
    emu_read(&run, buffer, out, (int64_t)n * 4);
    return out;
}

#define EACH(name, n, buffer, want)                                                               \
    do {                                                                                          \
        const int *gotten = got(buffer, n);                                                        \
        bool same = true;                                                                         \
        for (int i = 0; i < (n); i++)                                                             \
            same = same && gotten[i] == (want);                                                   \
        check(same, name, "results");                                                             \
        emu_reset(&run);                                                                          \
    } while (0)

static int sum_to(const int *x, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

static void right_blocks(void)
{
    float f[1000], part[4], total = 0;
    for (int i = 0; i < 1000; i++)
        f[i] = (float)(i % 10);
    emu_buffer(&run, f, sizeof f);
    size_t out = out_ints(4);
    emu_int(&run, 1000);
    if (launch("good_reduce", 4, 256, 0)) {
        emu_read(&run, out, part, sizeof part);
        for (int i = 0; i < 4; i++)
            total += part[i];
        check(total == 4500, "good_reduce", "sum");
    }
    emu_reset(&run);

    in_ints(1000), out = zeros(16), emu_int(&run, 1000);
    launch("good_histogram", 3, 64, 0);
    int bins[16] = {0};
    for (int i = 0; i < 1000; i++)
        bins[numbers[i] & 15]++;
    EACH("good_histogram", 16, out, bins[i]);

    in_ints(20), zeros(20), zeros(1), out = out_ints(1);
    launch("good_last_block", 20, 32, 0);
    EACH("good_last_block", 1, out, 2 * sum_to(numbers, 20));

    in_ints(20), out = out_ints(20), zeros(20);
    launch("good_chain", 20, 32, 0);
    EACH("good_chain", 20, out, sum_to(numbers, i + 1));

    zeros(16), out = zeros(32);
    launch("good_bytes_in_place", 1, 64, 0);
    EACH("good_bytes_in_place", 32, out, 0x10001);

    out = zeros(4);
    launch("good_block_scope", 4, 40, 0);
    EACH("good_block_scope", 4, out, 40);

    zeros(1), out = zeros(1);
    launch("good_lock", 3, 40, 0);
    EACH("good_lock", 1, out, 120);

    in_ints(256), out_ints(256), out = out_ints(256), zeros(1);
    launch("good_grid_barrier", 8, 32, 0);
    EACH("good_grid_barrier", 256, out, numbers[255 - i] + 1);

    out = zeros(1);
    launch("good_same_value", 4, 64, 0);
    EACH("good_same_value", 1, out, 5);
}

static void right_warps(void)
{
    size_t out;
    in_ints(32), out = out_ints(32);
    launch("good_shuffle", 1, 32, 0);
    EACH("good_shuffle", 32, out, 2 * sum_to(numbers, 32) + 1000 * numbers[i / 16 * 16 + 5]);

    out = out_ints(1);
    launch("good_volatile_warp", 1, 64, 0);
    EACH("good_volatile_warp", 1, out, 63 * 64 / 2);

    in_ints(32), out = out_ints(32);
    launch("good_votes", 1, 32, 0);
    unsigned odd = 0, match[4] = {0};
    int low = numbers[0], three = 0;
    for (int i = 0; i < 32; i++) {
        odd |= (unsigned)(numbers[i] & 1) << i;
        match[numbers[i] & 3] |= 1u << i;
        low = numbers[i] < low ? numbers[i] : low;
        three |= numbers[i] == 3;
    }
    EACH("good_votes", 32, out,
         (int)((odd ^ match[numbers[i] & 3]) + 1u + 2u * (unsigned)three +
               (unsigned)sum_to(numbers, 32) * 16u + (unsigned)low));

    in_ints(32), out = out_ints(32);
    launch("good_partial_warp", 1, 32, 0);
    int first = 0;
    while ((numbers[first] & 1) == 0)
        first++;
    EACH("good_partial_warp", 32, out, numbers[i] + ((numbers[i] & 1) != 0 ? numbers[first] : 0));

    zeros(1), out = out_ints(32);
    launch("good_lane_wait", 1, 32, 0);
    EACH("good_lane_wait", 32, out, 7);

    out = out_ints(32);
    launch("good_warp_sync", 1, 32, 0);
    EACH("good_warp_sync", 32, out, ((31 - i) ^ 1) * 2);

    in_ints(64), out = out_ints(64);
    launch("good_groups", 1, 64, 0);
    EACH("good_groups", 64, out, sum_to(numbers + i / 8 * 8, 8));
}

static void right_memory(void)
{
    size_t out;
    in_ints(128), out = out_ints(128);
    launch("good_named_barriers", 1, 128, 0);
    EACH("good_named_barriers", 128, out, numbers[i / 64 * 64 + 63 - i % 64]);

    in_ints(100), out = out_ints(100);
    launch("good_count", 1, 100, 0);
    int odd = 0, seventy_seven = 0;
    for (int i = 0; i < 100; i++) {
        odd += numbers[i] & 1;
        seventy_seven |= numbers[i] == 77;
    }
    EACH("good_count", 100, out, odd + 1000 * seventy_seven);

    in_ints(48), out = out_ints(48), emu_int(&run, 48);
    launch("good_dynamic", 1, 48, 48 * 4);
    EACH("good_dynamic", 48, out, numbers[47 - i] + (i & 3));

    in_ints(128), out = out_ints(128);
    launch("good_vectors", 1, 32, 0);
    EACH("good_vectors", 128, out, numbers[i / 4 * 4 + 3 - i % 4]);

    out = emu_buffer(&run, NULL, 64);
    launch("good_bytes", 1, 64, 0);
    EACH("good_bytes", 16, out,
         (int)((unsigned)(63 - 4 * i) * 3 % 256 | (unsigned)(62 - 4 * i) * 3 % 256 << 8 |
               (unsigned)(61 - 4 * i) * 3 % 256 << 16 | (unsigned)(60 - 4 * i) * 3 % 256 << 24));

    in_ints(64), out = out_ints(32);
    launch("good_pipeline", 1, 32, 0);
    EACH("good_pipeline", 32, out, numbers[31 - i] + 100 * numbers[63 - i]);

    struct {
        int a[14];
        float f;
    } pair = {{0}, 500};
    memcpy(pair.a, numbers, sizeof pair.a);
    emu_value(&run, &pair, sizeof pair), out = out_ints(28);
    launch("good_struct", 1, 28, 0);
    EACH("good_struct", 28, out, numbers[i % 14] + 500);

    in_ints(40), out = out_ints(40), emu_int(&run, 40);
    launch("good_early_exit", 1, 64, 0);
    EACH("good_early_exit", 40, out, numbers[39 - i]);
}

static void right_atomics(void)
{
    int x[5] = {0, 0, 0, 0, -1};
    unsigned u[2] = {0, 3};
    float f = 0;
    unsigned long long l = 0;
    double d = 0;
    size_t xb = emu_buffer(&run, x, sizeof x), ub = emu_buffer(&run, u, sizeof u);
    size_t fb = emu_buffer(&run, &f, 4), lb = emu_buffer(&run, &l, 8), db = emu_buffer(&run, &d, 8);
    launch("good_atomics", 1, 100, 0);
    emu_read(&run, xb, x, sizeof x);
    emu_read(&run, ub, u, sizeof u);
    emu_read(&run, fb, &f, 4);
    emu_read(&run, lb, &l, 8);
    emu_read(&run, db, &d, 8);
    int most = 0, bits = 0, all = -1;
    for (int t = 0; t < 100; t++) {
        most = t * 7 % 61 > most ? t * 7 % 61 : most;
        bits ^= t;
        all &= ~t;
    }
    // inc wraps behind 40, dec behind 0: both have a period of 41.
    check(x[0] == most && x[1] == -99 && x[2] == -1 && x[3] == bits && x[4] == all &&
              u[0] == 100 % 41 && u[1] == (3 + 41 * 3 - 100) % 41 && f == 4950 &&
              l == 4950ull << 33 && d == 4950, "good_atomics", "results");
    emu_reset(&run);
}

int main(int argc, char **argv)
{
    static char text[1 << 24];
    FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (f == NULL) {
        fprintf(stderr, "usage: test_emu_cases CASES.ptx CASES.cu\n");
        return 2;
    }
    source_path = argv[2];
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    for (int i = 0; i < 4096; i++)
        numbers[i] = (i * 37 + 11) % 101;
    emu_open(&run);
    if (emu_load(&run, text, n) != KS_OK) {
        printf("%s\n", run.err.text);
        return 1;
    }
    for (uint64_t seed = 0; seed < (emu_emulated(&run) ? 8 : 1); seed++) {
        if (emu_emulated(&run)) { // a GPU would fault, or show nothing
            ks_emu_device_settings(&run.device)->seed = seed;
            ks_emu_device_settings(&run.device)->budget = 100000000;
            wrong_memory();
            wrong_order();
        }
        right_blocks();
        right_warps();
        right_memory();
        right_atomics();
    }
    emu_close(&run);
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0;
}
