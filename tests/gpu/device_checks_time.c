// Times that the cuda device takes, and the worker on it.
#include "device_checks.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "device_bench.h"
#include "os/clock.h"
#include "verify/worker/serve.h"

extern const unsigned char ks_test_code[];
extern const size_t ks_test_code_size;

static struct ks_dev_sample sample(const struct ks_dev_plan *plans, size_t n, bool cold, int batch)
{
    struct ks_dev_timing timing = {plans, n, cold, batch};
    struct ks_dev_sample s;
    OK(dev.time(dev.self, &timing, &s, &err));
    return s;
}

static double median_time(const struct ks_dev_plan *plans, size_t n, bool cold, int batch, int *late,
                          double *clock)
{
    double us[31];
    sample(plans, n, cold, batch);
    sample(plans, n, cold, batch);
    for (int i = 0; i < 31; i++) {
        struct ks_dev_sample s = sample(plans, n, cold, batch);
        us[i] = s.microseconds;
        *late += s.late;
        if (s.clock_mhz > 0)
            *clock = s.clock_mhz;
    }
    return ks_median(us, 31);
}

static struct launch *copy(size_t in, size_t out, int n) // n float4
{
    struct launch *l = launch("t_copy", (unsigned)(n + 255) / 256, 256, 0);
    pass_buffer(l, in);
    pass_buffer(l, out);
    pass_int(l, n);
    return l;
}

void check_timing(void)
{
    open_device();
    enum { BIG = 1 << 24, SMALL = 1 << 16 }; // 256 MiB and 1 MiB
    size_t in = buffer(16 * (int64_t)BIG, 16, KS_FLUSH_END, NULL);
    size_t out = buffer(16 * (int64_t)BIG, 16, KS_FLUSH_END, NULL);
    OK(dev.poison(dev.self, in, 0x3f800000, &err));
    struct launch *big = copy(in, out, BIG), *half = copy(in, out, BIG / 2);
    struct launch *small = copy(in, out, SMALL);
    int late = 0;
    double clock = 0;
    double t_big = median_time(&big->plan, 1, true, 1, &late, &clock);
    double t_half = median_time(&half->plan, 1, true, 1, &late, &clock);
    double gbs = 2.0 * 16 * BIG / t_big / 1000;
    EXPECT(gbs > 100 && gbs < 20000, "%.1f GB/s", gbs);
    EXPECT(t_big / t_half > 1.7 && t_big / t_half < 2.3, "%.2f us against %.2f us", t_big, t_half);
    EXPECT(clock > 200 && clock < 4000, "clock %.0f MHz", clock);
    EXPECT(late <= 6, "%d of 62 samples late", late);
    int late_graph = 0;
    double unused = 0;
    double t_graph = median_time(&small->plan, 1, false, 50, &late_graph, &unused);
    double t_lone = median_time(&small->plan, 1, false, 1, &late_graph, &unused);
    EXPECT(t_graph > 0.2 && t_graph < t_lone * 1.2, "graph %.3f us, alone %.3f us", t_graph, t_lone);
    OK(dev.run(dev.self, &small->plan, &t_lone, &err));
    dev.forget_plans(dev.self);
    // The same plans' address with other contents, after forget_plans.
    small->step.grid[0] = 1;
    double t_one = median_time(&small->plan, 1, false, 50, &late_graph, &unused);
    EXPECT(t_one < t_graph, "one block %.3f us, all %.3f us", t_one, t_graph);
    dev.close(dev.self);
    done(0, "copy %.0f GB/s, half the bytes %.3fx, small %.3f us in a graph, %.2f alone, clock %.0f "
            "MHz, late %d of 62", gbs, t_big / t_half, t_graph, t_lone, clock, late);
}

void check_graph_sets(void)
{
    open_device();
    enum { SETS = 3, N = 1000 };
    struct ks_dev_plan plans[SETS];
    struct ks_dev_step steps[SETS][2];
    size_t out[SETS];
    float data[N], back[N];
    for (int i = 0; i < N; i++)
        data[i] = (float)i;
    for (int s = 0; s < SETS; s++) {
        size_t in = buffer(4 * N, 4, KS_FLUSH_END, NULL);
        out[s] = buffer(4 * N, 4, KS_FLUSH_END, NULL);
        OK(dev.write(dev.self, in, 0, data, 4 * N, &err));
        OK(dev.poison(dev.self, out[s], 0xffffffff, &err));
        steps[s][0] = (struct ks_dev_step){.buffer = out[s], .value = 0};
        steps[s][1] = twice(in, out[s], N - 1)->step;
        plans[s] = (struct ks_dev_plan){steps[s], 2};
    }
    sample(plans, SETS, true, SETS);
    for (int s = 0; s < SETS; s++) {
        OK(dev.read(dev.self, out[s], 0, back, 4 * N, &err));
        for (int i = 0; i < N - 1; i++)
            EXPECT(back[i] == 2 * data[i], "set %d, element %d", s, i);
        EXPECT(back[N - 1] == 0, "the memset step did not run in set %d", s);
    }
    dev.close(dev.self);
    done(0, "one graph of %d plans with a memset and a kernel each", SETS);
}

void check_ceilings(void)
{
    open_device();
    double copy_gbs, fma, begin = ks_now();
    OK(dev.ceilings(dev.self, &copy_gbs, &fma, &err));
    EXPECT(copy_gbs > 50 && copy_gbs < 20000, "%f", copy_gbs);
    EXPECT(fma > 500 && fma < 1e6, "%f", fma);
    double seconds = ks_now() - begin;
    dev.close(dev.self);
    done(0, "copy %.0f GB/s, fp32 FMA %.0f GFLOP/s, measured in %.3f s", copy_gbs, fma, seconds);
}

// The least launch moves what it is told to, in each of its shapes, and a copy that somebody wrote is no faster.
void check_least(void)
{
    open_device();
    enum { UNITS = (1 << 16) - 3 }; // near 1 MiB
    void *own = dev.own_module(dev.self), *handle;
    OK(dev.function(dev.self, own, "ks_least", &handle, NULL, &err));
    size_t in = buffer(16 * (int64_t)UNITS, 16, KS_FLUSH_START, NULL);
    size_t out = buffer(16 * (int64_t)UNITS, 16, KS_FLUSH_START, NULL);
    struct launch *plain = copy(in, out, UNITS);
    static unsigned char back[16 * UNITS];
    int late = 0;
    double unused = 0, best = 1e9, t_plain = median_time(&plain->plan, 1, false, 50, &late, &unused);
    for (uint32_t each = 1; each <= 4; each *= 2) {
        struct launch *least = copy(in, out, UNITS);
        uint64_t units = UNITS;
        struct ks_dev_arg of_units = {.kind = KS_DARG_BYTES, .size = sizeof units};
        struct ks_dev_arg of_each = {.kind = KS_DARG_BYTES, .size = sizeof each};
        memcpy(of_units.bytes, &units, sizeof units);
        memcpy(of_each.bytes, &each, sizeof each);
        struct ks_dev_arg args[] = {least->step.args[0], of_units, least->step.args[1], of_units, of_each};
        least->step.function = handle;
        least->step.grid[0] = (UNITS + 256 * each - 1) / (256 * each);
        least->step.args = args;
        least->step.n_args = 5;
        OK(dev.poison(dev.self, in, 0x3f800000 + each, &err));
        OK(dev.poison(dev.self, out, 0, &err));
        OK(dev.run(dev.self, &least->plan, NULL, &err));
        OK(dev.read(dev.self, out, 0, back, sizeof back, &err));
        for (size_t i = 0; i < sizeof back; i += 4)
            EXPECT(back[i] == each && back[i + 3] == 0x3f, "byte %zu with %u a thread", i, each);
        double us = median_time(&least->plan, 1, false, 50, &late, &unused);
        best = us < best ? us : best;
        dev.forget_plans(dev.self);
    }
    EXPECT(best < 1.1 * t_plain, "%.3f us, a copy %.3f us", best, t_plain);
    dev.close(dev.self);
    done(0, "the least launch of 2 MiB %.3f us, a copy %.3f us", best, t_plain);
}

// ---- the worker, on this device

#define STEP(name)                                                                                \
    "[{\"module\":\"m0\",\"kernel\":\"" name "\",\"grid\":[256,1,1],\"block\":[256,1,1],"         \
    "\"shared\":0,\"args\":[{\"buffer\":0},{\"buffer\":1},{\"hex\":\"00000100\"}]}]"

void check_worker(void)
{
    struct ks_buf in = KS_BUF(4 << 20);
    char *out = NULL;
    size_t out_len = 0;
    ks_buf_printf(&in, "{\"id\":1,\"do\":\"hello\"}\n{\"id\":2,\"do\":\"module\",\"name\":\"m0\","
                       "\"payload\":%zu}\n", ks_test_code_size);
    ks_buf_add(&in, ks_test_code, ks_test_code_size);
    ks_buf_puts(&in,
        "{\"id\":3,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":262144,\"align\":4,\"role\":"
        "\"in\",\"fill\":{\"elem\":\"f32\",\"init\":\"normal\",\"a\":0,\"b\":1,\"seed\":5,\"total\":65536}},"
        "{\"bytes\":262144,\"align\":4,\"role\":\"out\"}]}\n"
        "{\"id\":4,\"do\":\"run\",\"plan\":" STEP("t_twice") ",\"poison\":4294967295,\"scrub\":true}\n"
        "{\"id\":5,\"do\":\"fingerprint\",\"buffer\":1}\n"
        "{\"id\":6,\"do\":\"time\",\"a\":" STEP("t_twice") ",\"b\":" STEP("t_twice")
        ",\"pairs\":31,\"cold\":false,\"batch\":20,\"poison\":4294967295,\"deterministic\":true}\n"
        "{\"id\":7,\"do\":\"time\",\"a\":" STEP("t_twice") ",\"b\":" STEP("t_twice")
        ",\"pairs\":31,\"cold\":true,\"batch\":1,\"poison\":4294967295,\"deterministic\":true}\n"
        "{\"id\":8,\"do\":\"time\",\"a\":" STEP("t_twice") ",\"b\":" STEP("t_lazy")
        ",\"pairs\":11,\"cold\":false,\"batch\":20,\"poison\":0,\"deterministic\":false}\n");
    FILE *input = fmemopen(in.data, in.len, "r"), *output = open_memstream(&out, &out_len);
    EXPECT(ks_serve(input, output, ks_device_open_cuda, NULL), "the output broke");
    fclose(output);
    double ratio[9] = {0}, graph_us = 0, clock = 0, lazy = 0;
    char print[17] = "";
    int answers = 0;
    for (char *line = strtok(out, "\n"); line != NULL; line = strtok(NULL, "\n"), answers++) {
        json_t *a = ks_json_parse(ks_slice_of(line), &err);
        EXPECT(a != NULL && ks_json_bool(a, "ok", false), "%.300s", line);
        int64_t id = ks_json_int(a, "id", 0);
        if (id == 5)
            snprintf(print, sizeof print, "%s", ks_json_str(a, "value", ""));
        if (id < 6)
            continue;
        const json_t *as = json_object_get(a, "a"), *bs = json_object_get(a, "b");
        size_t n = json_array_size(as);
        double ratios[64], us[64];
        EXPECT(n > 5 && n < 64 && n == json_array_size(bs), "%zu pairs", n);
        for (size_t i = 0; i < n; i++) {
            us[i] = json_number_value(json_array_get(as, i));
            ratios[i] = us[i] / json_number_value(json_array_get(bs, i));
        }
        ratio[id] = ks_median(ratios, n);
        if (id == 8) {
            lazy = ratio[id];
            continue;
        }
        EXPECT(ks_json_bool(a, "fingerprints_ok", false), "%.300s", line);
        EXPECT(ks_json_int(a, "compared", 0) > 31, "%.300s", line);
        const char *first = ks_json_str(json_object_get(a, "outputs"), "1", "");
        EXPECT(strcmp(first, print) == 0, "%s after run, %s in time", print, first);
        if (id == 6) {
            graph_us = ks_median(us, n);
            clock = ks_json_num(a, "clock_mhz", 0);
        }
    }
    EXPECT(answers == 8, "%d answers", answers);
    EXPECT(fabs(ratio[6] - 1) < 0.03, "a kernel against itself in graphs: %.4f", ratio[6]);
    EXPECT(fabs(ratio[7] - 1) < 0.06, "a kernel against itself, cold: %.4f", ratio[7]);
    EXPECT(lazy < 0.95, "a kernel that hopes for a stale answer looks %.2fx fast", lazy);
    done(0, "itself in graphs %.4f (%.2f us), cold %.4f, stale-answer kernel %.2fx, clock %.0f MHz",
         ratio[6], graph_us, ratio[7], lazy, clock);
}

void check_endless(void)
{
    open_device();
    size_t b = buffer(4, 4, KS_FLUSH_END, NULL);
    OK(dev.poison(dev.self, b, 0, &err));
    struct launch *l = launch("t_endless", 1, 1, 0);
    pass_buffer(l, b);
    fputs("launched, ", report); // the parent looks for it: a slow start is no endless kernel
    fflush(report);
    run(l);
    done(1, "yet an endless kernel ended: %s", err.text);
}
