// The cuda device on a real GPU: one line a check, "N passed, N failed" at the end, exit 77 where
// there is no GPU. Every check is a process of its own, since a fault spoils the process it is in;
// the parent never touches CUDA.

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stats.h"
#include "device/device.h"
#include "os/clock.h"
#include "verify/worker/serve.h"

extern const unsigned char ks_test_code[];
extern const size_t ks_test_code_size;

#define CHECK_SECONDS 60
#define SKIP 77

static FILE *report; // to the parent: one line

static _Noreturn void done(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static _Noreturn void done(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(report, format, args);
    va_end(args);
    fflush(report);
    _exit(status); // no exit handlers: the context may be gone
}

#define EXPECT(condition, format, ...)                                                            \
    do {                                                                                          \
        if (!(condition))                                                                         \
            done(1, "line %d, %s: " format, __LINE__, #condition, ##__VA_ARGS__);                 \
    } while (0)

static struct ks_err err;
#define OK(call)                                                                                  \
    do {                                                                                          \
        if ((call) != KS_OK)                                                                      \
            done(1, "line %d, %s: %s", __LINE__, #call, err.text);                                \
    } while (0)

static struct ks_device dev;
static void *module;
static struct ks_device_info facts;

static void open_device(void)
{
    enum ks_status status = ks_device_open_cuda(&dev, &err);
    if (status == KS_E_ABSENT)
        done(SKIP, "%s", err.text);
    OK(status);
    OK(dev.info(dev.self, &facts, &err));
    struct ks_slice code = {(const char *)ks_test_code, ks_test_code_size};
    OK(dev.module(dev.self, code, &module, &err));
}

// ---- building plans

static void *function(const char *name)
{
    void *f;
    OK(dev.function(dev.self, module, name, &f, NULL, &err));
    return f;
}

static size_t buffer(int64_t bytes, size_t align, enum ks_flush flush, struct ks_dev_buffer *placed)
{
    size_t b;
    struct ks_dev_buffer unused;
    OK(dev.alloc(dev.self, bytes, align, flush, &b, placed != NULL ? placed : &unused, &err));
    return b;
}

struct launch {
    struct ks_dev_arg args[4];
    struct ks_dev_step step;
    struct ks_dev_plan plan;
};

static struct launch *launch(const char *name, unsigned grid, unsigned block, unsigned shared)
{
    struct launch *l = calloc(1, sizeof *l);
    l->step = (struct ks_dev_step){.function = function(name), .grid = {grid, 1, 1},
                                   .block = {block, 1, 1}, .shared = shared, .args = l->args};
    l->plan = (struct ks_dev_plan){&l->step, 1};
    return l;
}

static void pass_buffer(struct launch *l, size_t b)
{
    l->args[l->step.n_args++] = (struct ks_dev_arg){.kind = KS_DARG_BUFFER, .buffer = b};
}

static void pass_bytes(struct launch *l, const void *data, size_t n)
{
    struct ks_dev_arg *arg = &l->args[l->step.n_args++];
    arg->kind = KS_DARG_BYTES;
    arg->size = n;
    memcpy(arg->bytes, data, n);
}

static void pass_int(struct launch *l, int value)
{
    pass_bytes(l, &value, sizeof value);
}

static void pass_i64(struct launch *l, int64_t value)
{
    pass_bytes(l, &value, sizeof value);
}

static enum ks_status run(struct launch *l)
{
    return dev.run(dev.self, &l->plan, NULL, &err);
}

static struct launch *twice(size_t in, size_t out, int n)
{
    struct launch *l = launch("t_twice", (unsigned)(n + 255) / 256, 256, 0);
    pass_buffer(l, in);
    pass_buffer(l, out);
    pass_int(l, n);
    return l;
}

// ---- checks

static void check_open(void)
{
    open_device();
    EXPECT(facts.arch >= 75 && facts.sms > 0 && facts.l2_bytes > 0, "arch %d", facts.arch);
    EXPECT(strlen(facts.uuid) == 40 && strncmp(facts.uuid, "GPU-", 4) == 0, "%s", facts.uuid);
    EXPECT(facts.memory_free > 0 && facts.memory_free <= facts.memory_total, "memory");
    dev.close(dev.self);
    done(0, "%s, sm_%d, %d SMs, L2 %d bytes, shared %d, driver %s, pageable access %d", facts.name,
         facts.arch, facts.sms, facts.l2_bytes, facts.smem_optin, facts.driver,
         facts.pageable_access);
}

static void check_memory(void)
{
    open_device();
    static const int64_t sizes[] = {0, 1, 3, 4, 255, 4096, 2097152, 2097153, 10000001};
    static const size_t aligns[] = {1, 4, 16, 256};
    int n = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t a = 0; a < 4; a++)
            for (int flush = 0; flush < 2; flush++, n++) {
                int64_t bytes = sizes[s];
                struct ks_dev_buffer at;
                size_t b = buffer(bytes, aligns[a], (enum ks_flush)flush, &at);
                EXPECT(at.address % aligns[a] == 0, "address %llx", (unsigned long long)at.address);
                EXPECT(flush == KS_FLUSH_START || at.slack < (int64_t)aligns[a], "slack %lld",
                       (long long)at.slack);
                unsigned char *data = malloc((size_t)bytes + 1), *back = malloc((size_t)bytes + 1);
                for (int64_t i = 0; i < bytes; i++)
                    data[i] = (unsigned char)(i * 7 + 3);
                OK(dev.write(dev.self, b, data, bytes, &err));
                OK(dev.read(dev.self, b, back, bytes, &err));
                EXPECT(memcmp(data, back, (size_t)bytes) == 0, "%lld bytes", (long long)bytes);
                size_t c = buffer(bytes, 1, KS_FLUSH_END, NULL);
                OK(dev.copy(dev.self, c, b, &err));
                OK(dev.read(dev.self, c, back, bytes, &err));
                EXPECT(memcmp(data, back, (size_t)bytes) == 0, "copy of %lld bytes",
                       (long long)bytes);
                OK(dev.poison(dev.self, b, 0x04030201, &err));
                OK(dev.read(dev.self, b, back, bytes, &err));
                for (int64_t i = 0; i < bytes; i++)
                    EXPECT(back[i] == (i & 3) + 1, "poison byte %lld is %d", (long long)i, back[i]);
                free(data);
                free(back);
            }
    struct ks_dev_damage damage;
    OK(dev.check_slack(dev.self, &damage, &err));
    EXPECT(damage.bytes == 0, "%lld bytes", (long long)damage.bytes);
    OK(dev.free_all(dev.self, &err));
    dev.close(dev.self);
    done(0, "%d buffers written, copied, poisoned, read; canaries intact", n);
}

// Runs `kernel` on element `i` of a float buffer of n elements.
static enum ks_status touch(const char *kernel, enum ks_flush flush, int64_t n, int64_t i)
{
    size_t b = buffer(4 * n, 4, flush, NULL), out = buffer(4, 4, KS_FLUSH_END, NULL);
    OK(dev.poison(dev.self, b, 0, &err));
    struct launch *l = launch(kernel, 1, 1, 0);
    pass_buffer(l, b);
    pass_i64(l, i);
    if (strcmp(kernel, "t_load") == 0)
        pass_buffer(l, out);
    return run(l);
}

static const int64_t odd = (1 << 18) + 61; // elements: no multiple of anything

static void expect_fault(enum ks_status status, const char *name)
{
    EXPECT(status == KS_E_DEVICE, "%s", status == KS_OK ? "no fault" : err.text);
    EXPECT(strstr(err.text, name) != NULL, "%s", err.text);
    char first[KS_ERR_TEXT];
    memcpy(first, err.text, sizeof first);
    EXPECT(dev.poison(dev.self, 0, 0, &err) == KS_E_DEVICE, "a later call worked");
    EXPECT(strstr(err.text, "spoilt by an earlier fault") != NULL, "%s", err.text);
    dev.close(dev.self);
    done(0, "%s", first);
}

static void check_inside(void)
{
    open_device();
    OK(touch("t_load", KS_FLUSH_END, odd, odd - 1));
    OK(touch("t_store", KS_FLUSH_END, odd, odd - 1));
    OK(touch("t_load", KS_FLUSH_START, odd, 0));
    dev.close(dev.self);
    done(0, "first and last element");
}

static void check_read_past_end(void)
{
    open_device();
    expect_fault(touch("t_load", KS_FLUSH_END, odd, odd), "ILLEGAL_ADDRESS");
}

static void check_write_past_end(void)
{
    open_device();
    expect_fault(touch("t_store", KS_FLUSH_END, odd, odd), "ILLEGAL_ADDRESS");
}

static void check_read_before_start(void)
{
    open_device();
    expect_fault(touch("t_load", KS_FLUSH_START, odd, -1), "ILLEGAL_ADDRESS");
}

static void check_empty_buffer(void)
{
    open_device();
    expect_fault(touch("t_store", KS_FLUSH_END, 0, 0), "ILLEGAL_ADDRESS");
}

// A frozen buffer is read as before; writing what is there already is a fault too.
static void check_frozen(void)
{
    open_device();
    size_t in = buffer(4 * odd, 4, KS_FLUSH_END, NULL), out = buffer(4, 4, KS_FLUSH_END, NULL);
    OK(dev.poison(dev.self, in, 0, &err));
    OK(dev.freeze(dev.self, in, &err));
    struct launch *load = launch("t_load", 1, 1, 0), *store = launch("t_store", 1, 1, 0);
    pass_buffer(load, in);
    pass_i64(load, odd - 1);
    pass_buffer(load, out);
    OK(run(load));
    uint64_t print;
    OK(dev.fingerprints(dev.self, &in, 1, &print, &err));
    pass_buffer(store, in);
    pass_i64(store, odd - 1);
    expect_fault(run(store), "ILLEGAL_ADDRESS");
}

// A mapping that is given up is used again, even if it was frozen; between that nothing reaches it.
static void check_used_again(void)
{
    open_device();
    struct ks_dev_buffer at, again;
    size_t b = buffer(4 * odd, 4, KS_FLUSH_END, &at);
    OK(dev.freeze(dev.self, b, &err));
    OK(dev.free_all(dev.self, &err));
    b = buffer(4 * odd, 4, KS_FLUSH_END, &again);
    EXPECT(again.address == at.address, "another mapping");
    OK(dev.poison(dev.self, b, 0, &err));
    struct launch *own = launch("t_store", 1, 1, 0), *stray = launch("t_store", 1, 1, 0);
    pass_buffer(own, b);
    pass_i64(own, odd - 1);
    OK(run(own));
    OK(dev.free_all(dev.self, &err));
    pass_bytes(stray, &at.address, sizeof at.address);
    pass_i64(stray, 0);
    expect_fault(run(stray), "ILLEGAL_ADDRESS");
}

static void check_trap(void)
{
    open_device();
    expect_fault(run(launch("t_trap", 1, 1, 0)), "CUDA_ERROR");
}

static void check_misaligned(void)
{
    open_device();
    struct launch *l = launch("t_misaligned", 1, 1, 0);
    pass_buffer(l, buffer(64, 16, KS_FLUSH_START, NULL));
    expect_fault(run(l), "MISALIGNED_ADDRESS");
}

static void store_byte(size_t b, int64_t i)
{
    struct launch *l = launch("t_store_byte", 1, 1, 0);
    pass_buffer(l, b);
    pass_i64(l, i);
    OK(run(l));
}

static void check_canaries(void)
{
    open_device();
    buffer(1000, 16, KS_FLUSH_END, NULL);
    size_t b = buffer(1001, 256, KS_FLUSH_END, NULL);
    static const int64_t offsets[] = {1001, 1023, -1, -5000};
    for (size_t i = 0; i < 4; i++) {
        struct ks_dev_damage damage;
        store_byte(b, offsets[i]);
        OK(dev.check_slack(dev.self, &damage, &err));
        EXPECT(damage.bytes == 1 && damage.buffer == b && damage.offset == offsets[i],
               "byte %lld: %lld bytes of buffer %zu at %lld", (long long)offsets[i],
               (long long)damage.bytes, damage.buffer, (long long)damage.offset);
        store_byte(b, offsets[i]); // the same xor puts it back
        OK(dev.check_slack(dev.self, &damage, &err));
        EXPECT(damage.bytes == 0, "put back, yet %lld bytes", (long long)damage.bytes);
    }
    dev.close(dev.self);
    done(0, "single bytes before and behind the data found");
}

static uint64_t print_of(const unsigned char *data, int64_t n, size_t align, enum ks_flush flush)
{
    size_t b = buffer(n, align, flush, NULL);
    uint64_t print;
    OK(dev.write(dev.self, b, data, n, &err));
    OK(dev.fingerprints(dev.self, &b, 1, &print, &err));
    return print;
}

static void check_fingerprint(void)
{
    open_device();
    enum { N = 1000003 };
    unsigned char *data = malloc(N);
    for (int i = 0; i < N; i++)
        data[i] = (unsigned char)(i * 31 >> 3);
    uint64_t first = print_of(data, N, 256, KS_FLUSH_START);
    EXPECT(print_of(data, N, 256, KS_FLUSH_START) == first, "not a function of the bytes");
    EXPECT(print_of(data, N, 1, KS_FLUSH_END) == first, "depends on the alignment");
    EXPECT(print_of(data, N - 1, 256, KS_FLUSH_START) != first, "a byte less");
    static const int at[] = {0, 8, 777777, N - 1};
    for (int i = 0; i < 4; i++) {
        data[at[i]] ^= 1;
        EXPECT(print_of(data, N, 256, KS_FLUSH_START) != first, "bit at %d not seen", at[i]);
        data[at[i]] ^= 1;
    }
    unsigned char word[8];
    memcpy(word, data, 8);
    memcpy(data, data + 80000, 8);
    memcpy(data + 80000, word, 8);
    EXPECT(print_of(data, N, 256, KS_FLUSH_START) != first, "exchanged words not seen");
    dev.close(dev.self);
    done(0, "%016llx; bits, order, length seen; alignment not", (unsigned long long)first);
}

static unsigned found_after(uint32_t magic, bool scrub)
{
    int words = facts.smem_optin / 4;
    unsigned shared = (unsigned)facts.smem_optin, found = 0;
    size_t counter = buffer(4, 4, KS_FLUSH_END, NULL);
    OK(dev.write(dev.self, counter, &found, 4, &err));
    struct launch *plant = launch("t_plant", 2 * (unsigned)facts.sms, 1024, shared);
    pass_bytes(plant, &magic, 4);
    pass_int(plant, words);
    OK(run(plant));
    if (scrub)
        OK(dev.scrub(dev.self, 0x1234567, &err));
    struct launch *look = launch("t_look", 2 * (unsigned)facts.sms, 1024, shared);
    pass_bytes(look, &magic, 4);
    pass_int(look, words);
    pass_buffer(look, counter);
    OK(run(look));
    OK(dev.read(dev.self, counter, &found, 4, &err));
    return found;
}

static void check_scrub(void)
{
    open_device();
    unsigned without = found_after(0xabad1dea, false), with = found_after(0xdeadbee5, true);
    EXPECT(with == 0, "%u of %d words a block left after scrubbing", with, facts.smem_optin / 4);
    dev.close(dev.self);
    done(0, "shared words that survive a launch: %u, after scrubbing 0", without);
}

static void expect_refused(struct launch *l, enum ks_status expected, const char *text)
{
    enum ks_status status = run(l);
    EXPECT(status == expected, "%s: %s", text, status == KS_OK ? "was launched" : err.text);
    EXPECT(strstr(err.text, text) != NULL, "%s", err.text);
}

static void check_refused(void)
{
    open_device();
    expect_refused(launch("t_empty", 1, 1025, 0), KS_E_LIMIT, "threads a block");
    expect_refused(launch("t_empty", 0, 32, 0), KS_E_LIMIT, "zero");
    struct launch *l = launch("t_empty", 1, 32, 0);
    l->step.grid[1] = 65536;
    expect_refused(l, KS_E_LIMIT, "65535");
    expect_refused(launch("t_empty", 1, 32, (unsigned)facts.smem_optin + 1), KS_E_LIMIT,
                   "shared memory");
    l = launch("t_empty", 1, 32, 0);
    pass_int(l, 1);
    expect_refused(l, KS_E_USER, "takes 0 arguments");
    l = launch("t_store", 1, 1, 0);
    pass_int(l, 1);
    pass_int(l, 1);
    expect_refused(l, KS_E_USER, "argument 1 has 4 bytes");
    OK(run(launch("t_empty", 1, 1024, (unsigned)facts.smem_optin)));
    void *f, *m;
    EXPECT(dev.function(dev.self, module, "t_absent", &f, NULL, &err) == KS_E_ABSENT, "%s", err.text);
    enum ks_status status = dev.module(dev.self, KS_SLICE("\177ELF garbage"), &m, &err);
    EXPECT(status == KS_E_FORMAT || status == KS_E_UNSUPPORTED, "ELF garbage: %s", err.text);
    status = dev.module(dev.self, KS_SLICE("garbage"), &m, &err);
    EXPECT(status == KS_E_FORMAT, "garbage: %s", err.text);
    json_t *object;
    OK(dev.function(dev.self, module, "t_twice", &f, &object, &err));
    char *text = json_dumps(object, JSON_COMPACT);
    EXPECT(ks_json_int(object, "registers", 0) > 0, "%s", text);
    EXPECT(json_array_size(json_object_get(object, "params")) == 3, "%s", text);
    OK(run(launch("t_empty", 1, 32, 0))); // still alive
    dev.close(dev.self);
    done(0, "six kinds named, then a good launch; facts %s", text);
}

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

static void check_timing(void)
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

static void check_graph_sets(void)
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
        OK(dev.write(dev.self, in, data, 4 * N, &err));
        OK(dev.poison(dev.self, out[s], 0xffffffff, &err));
        steps[s][0] = (struct ks_dev_step){.buffer = out[s], .value = 0};
        steps[s][1] = twice(in, out[s], N - 1)->step;
        plans[s] = (struct ks_dev_plan){steps[s], 2};
    }
    sample(plans, SETS, true, SETS);
    for (int s = 0; s < SETS; s++) {
        OK(dev.read(dev.self, out[s], back, 4 * N, &err));
        for (int i = 0; i < N - 1; i++)
            EXPECT(back[i] == 2 * data[i], "set %d, element %d", s, i);
        EXPECT(back[N - 1] == 0, "the memset step did not run in set %d", s);
    }
    dev.close(dev.self);
    done(0, "one graph of %d plans with a memset and a kernel each", SETS);
}

static void check_ceilings(void)
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

static void check_memory_ends(void)
{
    open_device();
    size_t b;
    struct ks_dev_buffer placed;
    enum ks_status status = dev.alloc(dev.self, facts.memory_total * 2, 256, KS_FLUSH_END, &b,
                                      &placed, &err);
    EXPECT(status == KS_E_LIMIT, "%s", err.text);
    char text[KS_ERR_TEXT];
    memcpy(text, err.text, sizeof text);
    b = buffer(1 << 20, 256, KS_FLUSH_END, NULL);
    OK(dev.poison(dev.self, b, 1, &err));
    for (int i = 0; i < 200; i++) { // freed for good: 200 x 2 GiB would not fit
        OK(dev.free_all(dev.self, &err));
        buffer(INT64_C(2) << 30, 256, KS_FLUSH_END, NULL);
    }
    dev.close(dev.self);
    done(0, "%s; 200 x 2 GiB made and freed", text);
}

// ---- the worker, on this device

#define STEP(name)                                                                                \
    "[{\"module\":\"m0\",\"kernel\":\"" name "\",\"grid\":[256,1,1],\"block\":[256,1,1],"         \
    "\"shared\":0,\"args\":[{\"buffer\":0},{\"buffer\":1},{\"hex\":\"00000100\"}]}]"

static void check_worker(void)
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

static void check_endless(void)
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

// ---- running them

static const struct check {
    const char *name;
    void (*run)(void);
    double kill_after; // 0: it must end by itself
} checks[] = {
    {"open", check_open, 0},
    {"memory", check_memory, 0},
    {"memory ends", check_memory_ends, 0},
    {"inside the fences", check_inside, 0},
    {"frozen", check_frozen, 0},
    {"used again", check_used_again, 0},
    {"read past the end", check_read_past_end, 0},
    {"write past the end", check_write_past_end, 0},
    {"read before the start", check_read_before_start, 0},
    {"write to an empty buffer", check_empty_buffer, 0},
    {"trap", check_trap, 0},
    {"misaligned", check_misaligned, 0},
    {"canaries", check_canaries, 0},
    {"fingerprint", check_fingerprint, 0},
    {"scrub", check_scrub, 0},
    {"refused launches", check_refused, 0},
    {"graph over sets", check_graph_sets, 0},
    {"timing", check_timing, 0},
    {"ceilings", check_ceilings, 0},
    {"endless kernel is killed", check_endless, 5},
    {"worker after that", check_worker, 0},
};

// Exit status of the check, or 1 with a text; `text` holds what it said.
static int perform(const struct check *c, char text[2048])
{
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        report = fdopen(ends[1], "w");
        c->run();
        done(1, "the check said nothing");
    }
    close(ends[1]);
    double begin = ks_now(), limit = c->kill_after > 0 ? c->kill_after : CHECK_SECONDS;
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0 && ks_now() - begin < limit)
        ks_sleep(0.01);
    double killed = ks_now();
    bool timeout = kill(pid, 0) == 0 && killed - begin >= limit;
    if (timeout) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    ssize_t n = read(ends[0], text, 2047);
    text[n > 0 ? n : 0] = '\0';
    close(ends[0]);
    if (timeout && c->kill_after > 0) {
        double seconds = ks_now() - killed;
        snprintf(text + strlen(text), 100, "gone %.3f s after SIGKILL", seconds);
        return seconds < 10 && ks_starts_with(text, "launched") ? 0 : 1;
    }
    if (timeout)
        snprintf(text, 2048, "did not end within %d s", CHECK_SECONDS);
    else if (WIFSIGNALED(status))
        snprintf(text + strlen(text), 100, " (died of signal %d)", WTERMSIG(status));
    return !timeout && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        char text[2048];
        if (argc > 1 && strstr(checks[i].name, argv[1]) == NULL)
            continue;
        int status = perform(&checks[i], text);
        if (status == SKIP) {
            printf("skipped: %s\n", text);
            return SKIP;
        }
        printf("%s %s: %s\n", status == 0 ? "ok  " : "FAIL", checks[i].name, text);
        passed += status == 0;
        failed += status != 0;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
