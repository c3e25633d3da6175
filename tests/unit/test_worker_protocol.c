// The worker's protocol, served by a device of host memory whose kernels are C functions.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "verify/protocol.h"
#include "verify/worker/serve.h"
#include "workload/fill.h"

// ---- the device

#define SLACK 64
#define CANARY 0xC5
#define MAX_FAKE 512

struct fake {
    struct {
        unsigned char *memory;
        int64_t bytes;
        bool frozen;
    } buffers[MAX_FAKE];
    size_t n;
    int launches, samples, late, slow_sample; // slow_sample: 1-based, its clock is low
    bool closed, cold;
    int batch;
    size_t plans;
    uint32_t scrubbed;
};
static struct fake fake;

static unsigned char *data_of(size_t buffer)
{
    assert_true(buffer < fake.n);
    return fake.buffers[buffer].memory + SLACK;
}

typedef enum ks_status fake_kernel(const struct ks_dev_step *step, struct ks_err *err);

static float *floats(const struct ks_dev_step *step, size_t arg)
{
    return (float *)(void *)data_of(step->args[arg].buffer);
}

static int count_arg(const struct ks_dev_step *step, size_t arg)
{
    int n;
    assert_int_equal(step->args[arg].kind, KS_DARG_BYTES);
    assert_int_equal(step->args[arg].size, sizeof n);
    memcpy(&n, step->args[arg].bytes, sizeof n);
    return n;
}

// twice(in, out, n)
static enum ks_status twice(const struct ks_dev_step *step, struct ks_err *err)
{
    (void)err;
    for (int i = 0; i < count_arg(step, 2); i++)
        floats(step, 1)[i] = 2 * floats(step, 0)[i];
    return KS_OK;
}

// Does nothing where the answer stands already.
static enum ks_status lazy(const struct ks_dev_step *step, struct ks_err *err)
{
    int last = count_arg(step, 2) - 1;
    if (floats(step, 1)[last] == 2 * floats(step, 0)[last])
        return KS_OK;
    fake.launches += 1000; // really worked
    return twice(step, err);
}

static enum ks_status nothing(const struct ks_dev_step *step, struct ks_err *err)
{
    (void)step, (void)err;
    return KS_OK;
}

static enum ks_status overrun(const struct ks_dev_step *step, struct ks_err *err)
{
    floats(step, 1)[count_arg(step, 2) + 1] = 1;
    return twice(step, err);
}

static enum ks_status clobber(const struct ks_dev_step *step, struct ks_err *err)
{
    enum ks_status status = twice(step, err);
    floats(step, 0)[0] += 1;
    return status;
}

static enum ks_status add_one(const struct ks_dev_step *step, struct ks_err *err)
{
    (void)err;
    for (int i = 0; i < count_arg(step, 1); i++)
        floats(step, 0)[i] += 1;
    return KS_OK;
}

// Right for the first thirty launches of the process.
static enum ks_status tires(const struct ks_dev_step *step, struct ks_err *err)
{
    return fake.launches > 30 ? KS_OK : twice(step, err);
}

static enum ks_status faults(const struct ks_dev_step *step, struct ks_err *err)
{
    (void)step;
    return ks_err_set(err, KS_E_DEVICE, "illegal address in faults");
}

// Writes its input and puts back what was there.
static enum ks_status borrows(const struct ks_dev_step *step, struct ks_err *err)
{
    if (fake.buffers[step->args[0].buffer].frozen)
        return ks_err_set(err, KS_E_DEVICE, "illegal address in borrows");
    return twice(step, err);
}

static const struct {
    const char *name;
    fake_kernel *kernel;
} kernels[] = {{"twice", twice},     {"lazy", lazy},       {"nothing", nothing},
               {"overrun", overrun}, {"clobber", clobber}, {"add_one", add_one},
               {"tires", tires},     {"faults", faults},   {"borrows", borrows}};

static enum ks_status fake_info(void *self, struct ks_device_info *info, struct ks_err *err)
{
    (void)self, (void)err;
    *info = (struct ks_device_info){.name = "fake", .uuid = "GPU-fake", .arch = 90, .sms = 4,
                                    .memory_total = INT64_C(1) << 40};
    return KS_OK;
}

static enum ks_status fake_module(void *self, struct ks_slice cubin, void **module,
                                  struct ks_err *err)
{
    (void)self;
    if (cubin.len != 5 || memcmp(cubin.at, "cubin", 5) != 0)
        return ks_err_set(err, KS_E_FORMAT, "not a loadable module");
    *module = &fake;
    return KS_OK;
}

static enum ks_status fake_function(void *self, void *module, const char *name, void **function,
                                    json_t **facts, struct ks_err *err)
{
    (void)self, (void)module;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, name) == 0) {
            *function = (void *)(uintptr_t)&kernels[i];
            if (facts != NULL)
                *facts = json_pack("{s:i}", "registers", 16);
            return KS_OK;
        }
    return ks_err_set(err, KS_E_ABSENT, "the module has no kernel %s", name);
}

static enum ks_status fake_alloc(void *self, int64_t bytes, size_t align, enum ks_flush flush,
                                 size_t *buffer, struct ks_dev_buffer *out, struct ks_err *err)
{
    (void)self, (void)align, (void)flush;
    if (fake.n == MAX_FAKE || bytes > 1 << 20)
        return ks_err_set(err, KS_E_LIMIT, "not enough memory");
    *buffer = fake.n++;
    fake.buffers[*buffer].memory = malloc((size_t)bytes + 2 * SLACK);
    fake.buffers[*buffer].bytes = bytes;
    fake.buffers[*buffer].frozen = false;
    memset(fake.buffers[*buffer].memory, CANARY, (size_t)bytes + 2 * SLACK);
    *out = (struct ks_dev_buffer){(uint64_t)(uintptr_t)data_of(*buffer), bytes, SLACK};
    return KS_OK;
}

static enum ks_status fake_free_all(void *self, struct ks_err *err)
{
    (void)self, (void)err;
    for (size_t i = 0; i < fake.n; i++)
        free(fake.buffers[i].memory);
    fake.n = 0;
    return KS_OK;
}

static enum ks_status fake_write(void *self, size_t buffer, const void *data, int64_t n,
                                 struct ks_err *err)
{
    (void)self, (void)err;
    memcpy(data_of(buffer), data, (size_t)n);
    return KS_OK;
}

static enum ks_status fake_read(void *self, size_t buffer, void *data, int64_t n,
                                struct ks_err *err)
{
    (void)self, (void)err;
    memcpy(data, data_of(buffer), (size_t)n);
    return KS_OK;
}

static enum ks_status fake_copy(void *self, size_t to, size_t from, struct ks_err *err)
{
    (void)self, (void)err;
    memcpy(data_of(to), data_of(from), (size_t)fake.buffers[from].bytes);
    return KS_OK;
}

static enum ks_status fake_freeze(void *self, size_t buffer, struct ks_err *err)
{
    (void)self, (void)err;
    fake.buffers[buffer].frozen = true;
    return KS_OK;
}

static enum ks_status fake_poison(void *self, size_t buffer, uint32_t word, struct ks_err *err)
{
    (void)self, (void)err;
    for (int64_t i = 0; i < fake.buffers[buffer].bytes; i++)
        data_of(buffer)[i] = (unsigned char)(word >> 8 * (i & 3));
    return KS_OK;
}

static enum ks_status fake_check_slack(void *self, struct ks_dev_damage *damage, struct ks_err *err)
{
    (void)self, (void)err;
    *damage = (struct ks_dev_damage){0};
    for (size_t b = 0; b < fake.n; b++)
        for (int64_t i = -SLACK; i < fake.buffers[b].bytes + SLACK; i++)
            if ((i < 0 || i >= fake.buffers[b].bytes) && data_of(b)[i] != CANARY) {
                if (damage->bytes++ == 0)
                    *damage = (struct ks_dev_damage){1, b, i};
            }
    return KS_OK;
}

static enum ks_status fake_fingerprints(void *self, const size_t *buffers, size_t n, uint64_t *out,
                                        struct ks_err *err)
{
    (void)self, (void)err;
    for (size_t b = 0; b < n; b++) {
        out[b] = 14695981039346656037u; // FNV-1a
        for (int64_t i = 0; i < fake.buffers[buffers[b]].bytes; i++)
            out[b] = (out[b] ^ data_of(buffers[b])[i]) * 1099511628211u;
    }
    return KS_OK;
}

static enum ks_status fake_scrub(void *self, uint32_t word, struct ks_err *err)
{
    (void)self, (void)err;
    fake.scrubbed = word | 1;
    return KS_OK;
}

// Buffers, then their common length in elements; as the driver checks sizes of parameters.
static bool good_args(const struct ks_dev_step *step)
{
    size_t last = step->n_args - 1;
    if (step->n_args < 2 || step->args[last].kind != KS_DARG_BYTES || step->args[last].size != 4)
        return false;
    for (size_t i = 0; i < last; i++)
        if (step->args[i].kind != KS_DARG_BUFFER || count_arg(step, last) < 1 ||
            count_arg(step, last) > fake.buffers[step->args[i].buffer].bytes / 4)
            return false;
    return true;
}

static enum ks_status fake_run(void *self, const struct ks_dev_plan *plan, double *microseconds,
                               struct ks_err *err)
{
    (void)self;
    for (size_t i = 0; i < plan->n_steps; i++) {
        const struct ks_dev_step *step = &plan->steps[i];
        if (step->function == NULL) {
            memset(data_of(step->buffer), step->value, (size_t)fake.buffers[step->buffer].bytes);
            continue;
        }
        if (step->block[0] > 1024)
            return ks_err_set(err, KS_E_LIMIT, "launch refused: block %u", step->block[0]);
        if (!good_args(step) || (step->n_args != 3) != (step->function == &kernels[5]))
            return ks_err_set(err, KS_E_USER, "wrong arguments");
        fake.launches++;
        fake_kernel *kernel = NULL;
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
            if (step->function == &kernels[k])
                kernel = kernels[k].kernel;
        KS_TRY(kernel(step, err));
    }
    if (microseconds != NULL)
        *microseconds = 12.5;
    return KS_OK;
}

static enum ks_status fake_time(void *self, const struct ks_dev_timing *timing,
                                struct ks_dev_sample *sample, struct ks_err *err)
{
    fake.samples++;
    fake.cold = timing->cold;
    fake.batch = timing->batch;
    fake.plans = timing->n_plans;
    for (int i = 0; i < timing->batch; i++)
        KS_TRY(fake_run(self, &timing->plans[(size_t)i % timing->n_plans], NULL, err));
    *sample = (struct ks_dev_sample){timing->plans[0].steps[0].grid[0], 1900, fake.late > 0};
    if (fake.samples == fake.slow_sample)
        sample->clock_mhz = 1000;
    fake.late -= fake.late > 0;
    return KS_OK;
}

static void fake_forget(void *self)
{
    (void)self;
}

static enum ks_status fake_ceilings(void *self, double *copy, double *fma, struct ks_err *err)
{
    (void)self, (void)err;
    *copy = 4000;
    *fma = 60000;
    return KS_OK;
}

static void fake_close(void *self)
{
    fake_free_all(self, NULL);
    fake.closed = true;
}

static enum ks_status fake_open(struct ks_device *device, struct ks_err *err)
{
    (void)err;
    *device = (struct ks_device){
        "fake", &fake, fake_info, fake_module, fake_function, fake_alloc, fake_free_all,
        fake_write, fake_read, fake_copy, fake_poison, fake_freeze, fake_check_slack, fake_fingerprints,
        fake_scrub, fake_run, fake_time, fake_forget, fake_ceilings, NULL, fake_close};
    return KS_OK;
}

static enum ks_status no_device(struct ks_device *device, struct ks_err *err)
{
    (void)device;
    return ks_err_set(err, KS_E_ABSENT, "no NVIDIA driver on this machine");
}

// ---- a conversation

static struct ks_buf input; // requests so far
static char *output;        // answers
static size_t output_len, output_at;

static void ask(const char *line)
{
    input.max = 16 << 20;
    ks_buf_puts(&input, line);
    ks_buf_putc(&input, '\n');
}

static void ask_bytes(const char *line, const void *data, size_t n)
{
    ask(line);
    ks_buf_add(&input, data, n);
}

static void serve(ks_serve_open *open)
{
    fake = (struct fake){0};
    free(output);
    output = NULL;
    output_at = 0;
    FILE *in = fmemopen(input.data, input.len, "r"), *out = open_memstream(&output, &output_len);
    assert_true(ks_serve(in, out, open, NULL));
    fclose(in);
    fclose(out);
    ks_buf_free(&input);
}

static json_t *next(void)
{
    char *end = output_at < output_len ? memchr(output + output_at, '\n', output_len - output_at)
                                       : NULL;
    if (end == NULL)
        fail_msg("no answer left");
    json_t *answer = ks_json_parse(
        (struct ks_slice){output + output_at, (size_t)(end - output) - output_at}, NULL);
    assert_non_null(answer);
    output_at = (size_t)(end - output) + 1;
    return answer;
}

static void skip_ok(int n)
{
    for (int i = 0; i < n; i++) {
        json_t *answer = next();
        if (!ks_json_bool(answer, "ok", false))
            fail_msg("refused: %s", ks_json_str(answer, "text", "?"));
        json_decref(answer);
    }
}

static json_t *next_ok(void)
{
    json_t *answer = next();
    if (!ks_json_bool(answer, "ok", false))
        fail_msg("refused: %s", ks_json_str(answer, "text", "?"));
    return answer;
}

static void next_refused(const char *class, const char *text)
{
    json_t *answer = next();
    assert_false(ks_json_bool(answer, "ok", true));
    assert_string_equal(ks_json_str(answer, "class", ""), class);
    if (strstr(ks_json_str(answer, "text", ""), text) == NULL)
        fail_msg("'%s' lacks '%s'", ks_json_str(answer, "text", ""), text);
    json_decref(answer);
}

static void at_end(void)
{
    assert_int_equal(output_at, output_len);
    assert_true(fake.closed);
    assert_int_equal(fake.n, 0);
}

static const void *payload(size_t n)
{
    assert_true(output_at + n <= output_len);
    output_at += n;
    return output + output_at - n;
}

#define N 100
#define N_HEX "64000000"
#define FILL "\"fill\":{\"elem\":\"f32\",\"init\":\"uniform\",\"a\":1,\"b\":2,\"seed\":7,\"total\":100}"
#define IN "{\"bytes\":400,\"align\":4,\"role\":\"in\",\"alias\":-1," FILL "}"
#define INOUT "{\"bytes\":400,\"align\":4,\"role\":\"inout\",\"alias\":-1," FILL "}"
#define OUT "{\"bytes\":400,\"align\":4,\"role\":\"out\",\"alias\":-1}"
#define STEP(kernel, grid)                                                                        \
    "{\"module\":\"m0\",\"kernel\":\"" kernel "\",\"grid\":[" grid ",1,1],\"block\":[32,1,1],"     \
    "\"shared\":0,\"args\":[{\"buffer\":0},{\"buffer\":1},{\"hex\":\"" N_HEX "\"}]}"
#define RUN(kernel) "{\"id\":9,\"do\":\"run\",\"plan\":[" STEP(kernel, "1") "],\"poison\":4294967295}"

static void begin(void)
{
    ask_bytes("{\"id\":1,\"do\":\"module\",\"name\":\"m0\",\"payload\":5}", "cubin", 5);
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[" IN "," OUT "]}");
}

// ---- tests

static void test_run_and_read(void **state)
{
    (void)state;
    ask("{\"id\":1,\"do\":\"hello\"}");
    begin();
    ask("{\"id\":3,\"do\":\"function\",\"module\":\"m0\",\"name\":\"twice\"}");
    ask(RUN("twice"));
    ask("{\"id\":5,\"do\":\"read\",\"buffer\":1}");
    ask("{\"id\":6,\"do\":\"read\",\"buffer\":0,\"set\":0}");
    ask("{\"id\":7,\"do\":\"fingerprint\",\"buffer\":1}");
    ask("{\"id\":8,\"do\":\"ceilings\"}");
    ask("{\"id\":9,\"do\":\"run\",\"plan\":[" STEP("nothing", "1") "],\"poison\":67305985,\"scrub\":true}");
    ask("{\"id\":5,\"do\":\"read\",\"buffer\":1}");
    ask("{\"id\":9,\"do\":\"run\",\"plan\":[{\"memset\":1,\"value\":7}],\"poison\":1}");
    ask("{\"id\":5,\"do\":\"read\",\"buffer\":1}");
    serve(fake_open);
    json_t *answer = next_ok();
    assert_int_equal(ks_json_int(answer, "protocol", 0), KS_PROTOCOL_VERSION);
    assert_int_equal(ks_json_int(json_object_get(answer, "device"), "arch", 0), 90);
    json_decref(answer);
    skip_ok(1);
    answer = next_ok();
    assert_int_equal(json_array_size(json_object_get(answer, "addresses")), 2);
    json_decref(answer);
    answer = next_ok();
    assert_int_equal(ks_json_int(json_object_get(answer, "facts"), "registers", 0), 16);
    json_decref(answer);
    answer = next_ok();
    assert_true(ks_json_num(answer, "microseconds", 0) == 12.5);
    json_decref(answer);
    answer = next_ok();
    assert_int_equal(ks_json_int(answer, "payload", 0), 400);
    json_decref(answer);
    float out[N], in[N], expected[N];
    memcpy(out, payload(400), 400);
    skip_ok(1);
    memcpy(in, payload(400), 400);
    struct ks_elem f32;
    assert_true(ks_elem_parse("f32", &f32));
    ks_fill(expected, f32, &(struct ks_init){.kind = KS_INIT_UNIFORM, .a = 1, .b = 2},
            KS_FAMILY_DECLARED, 7, N, 0, N);
    assert_memory_equal(in, expected, 400);
    for (int i = 0; i < N; i++)
        assert_true(out[i] == 2 * in[i]);
    answer = next_ok();
    assert_int_equal(strlen(ks_json_str(answer, "value", "")), 16);
    json_decref(answer);
    answer = next_ok();
    assert_true(ks_json_num(answer, "copy_gbs", 0) == 4000);
    json_decref(answer);
    skip_ok(2);
    const unsigned char *bytes = payload(400);
    for (int i = 0; i < 400; i++)
        assert_int_equal(bytes[i], (i & 3) + 1); // the poison 0x04030201
    assert_true(fake.scrubbed);
    skip_ok(2);
    bytes = payload(400);
    for (int i = 0; i < 400; i++)
        assert_int_equal(bytes[i], 7);
    at_end();
}

// Floats stored as doubles: the same numbers, or each moved by at most 1.5 * 2^-30 of itself and not all alike.
static void test_wide_fills(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    for (int type = 0; type < 2; type++)
        for (int nudge = 0; nudge < 2; nudge++) {
            ask(ks_arena_printf(&arena,
                                "{\"id\":1,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":64,\"align\":8,"
                                "\"role\":\"in\",\"fill\":{\"elem\":\"%s\",\"init\":\"iota\",\"a\":1,\"b\":2,"
                                "\"seed\":3,\"total\":8,\"wide\":true,\"nudge\":%d}}]}", type == 0 ? "f32" : "f16",
                                nudge * 77));
            ask("{\"id\":2,\"do\":\"read\",\"buffer\":0}");
        }
    serve(fake_open);
    for (int answer = 0; answer < 4; answer++) {
        skip_ok(2);
        double value[8];
        bool up = false, down = false;
        memcpy(value, payload(64), sizeof value);
        for (int i = 0; i < 8; i++) {
            double moved = value[i] / (1 + 2 * i) - 1;
            up = up || moved > 0;
            down = down || moved < 0;
            assert_true(fabs(moved) <= (answer % 2 == 0 ? 0 : 1.5 * KS_FILL_MOVE));
        }
        assert_int_equal(up && down, answer % 2 == 1);
    }
    ks_arena_free(&arena);
    at_end();
}

static void test_inout_is_restored(void **state)
{
    (void)state;
    ask_bytes("{\"id\":1,\"do\":\"module\",\"name\":\"m0\",\"payload\":5}", "cubin", 5);
    float data[3] = {1, 2, 3};
    ask_bytes("{\"id\":2,\"do\":\"buffers\",\"flush\":\"start\",\"payload\":12,\"list\":[{\"bytes\":12,"
              "\"align\":4,\"role\":\"inout\",\"fill\":{\"init\":\"bytes\"}}]}", data, sizeof data);
#define ADD_ONE                                                                                   \
    "{\"module\":\"m0\",\"kernel\":\"add_one\",\"grid\":[1,1,1],\"block\":[1,1,1],\"shared\":0,"   \
    "\"args\":[{\"buffer\":0},{\"hex\":\"03000000\"}]}"
    for (int i = 0; i < 3; i++)
        ask("{\"id\":3,\"do\":\"run\",\"plan\":[" ADD_ONE "],\"poison\":null}");
    ask("{\"id\":4,\"do\":\"read\",\"buffer\":0}");
    ask("{\"id\":5,\"do\":\"time\",\"a\":[" ADD_ONE "],\"b\":[" ADD_ONE "],\"pairs\":5,\"cold\":true,"
        "\"batch\":4,\"poison\":1,\"deterministic\":true}");
    ask("{\"id\":6,\"do\":\"read\",\"buffer\":0,\"set\":3}");
    serve(fake_open);
    skip_ok(6);
    const float expected[3] = {2, 3, 4};
    assert_memory_equal(payload(12), expected, 12);
    json_t *answer = next_ok();
    assert_true(ks_json_bool(answer, "fingerprints_ok", false));
    assert_int_equal(fake.batch, 4);
    assert_int_equal(fake.plans, 4);
    json_decref(answer);
    skip_ok(1);
    assert_memory_equal(payload(12), expected, 12);
    at_end();
}

static void test_alias(void **state)
{
    (void)state;
    ask_bytes("{\"id\":1,\"do\":\"module\",\"name\":\"m0\",\"payload\":5}", "cubin", 5);
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[" IN
        ",{\"bytes\":400,\"align\":4,\"role\":\"out\",\"alias\":0}]}");
    ask(RUN("twice")); // in place: the input is expected to change
    ask(RUN("twice"));
    ask("{\"id\":5,\"do\":\"read\",\"buffer\":0}");
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":4,\"align\":4,\"role\":"
        "\"out\",\"alias\":1},{\"bytes\":4,\"align\":4,\"role\":\"out\",\"alias\":0}]}");
    serve(fake_open);
    skip_ok(1);
    json_t *answer = next_ok();
    json_t *list = json_object_get(answer, "addresses");
    assert_true(json_equal(json_array_get(list, 0), json_array_get(list, 1)));
    json_decref(answer);
    skip_ok(3);
    float v;
    memcpy(&v, payload(400), sizeof v);
    assert_true(v >= 2 && v < 4); // doubled once: restored before the second run
    next_refused("usage", "alias of an alias");
    at_end();
}

static void test_frozen(void **state)
{
    (void)state;
    begin();
    ask(RUN("borrows"));
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"frozen\":true,\"list\":[" IN "," OUT "]}");
    ask(RUN("twice")); // the output may be written
    ask(RUN("borrows"));
    serve(fake_open);
    skip_ok(5);
    next_refused("fault", "illegal address in borrows");
    at_end();
}

static void test_unsafe(void **state)
{
    (void)state;
    begin();
    ask(RUN("overrun"));
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[" IN "," OUT "]}");
    ask(RUN("clobber"));
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[" IN "," OUT "]}");
    ask(RUN("twice"));
    serve(fake_open);
    skip_ok(2);
    next_refused("unsafe", "written outside buffer 1, the first 4 bytes after its end");
    skip_ok(1);
    next_refused("unsafe", "input buffer 0 was changed");
    skip_ok(2);
    at_end();
}

static void test_launch_refused_and_fault(void **state)
{
    (void)state;
    begin();
    ask("{\"id\":3,\"do\":\"run\",\"plan\":[{\"module\":\"m0\",\"kernel\":\"twice\",\"grid\":[1,1,1],"
        "\"block\":[2048,1,1],\"shared\":0,\"args\":[]}],\"poison\":1}");
    ask(RUN("twice"));
    ask(RUN("faults"));
    ask(RUN("twice"));
    ask("{\"id\":4,\"do\":\"hello\"}");
    ask("nonsense");
    serve(fake_open);
    skip_ok(2);
    next_refused("launch", "block 2048");
    skip_ok(1);
    for (int i = 0; i < 4; i++)
        next_refused("fault", "illegal address in faults");
    at_end();
}

#define TIME(a, b, more)                                                                          \
    "{\"id\":8,\"do\":\"time\",\"a\":[" a "],\"b\":[" b "],\"cold\":true,\"poison\":1," more "}"

static void test_time(void **state)
{
    (void)state;
    begin();
    ask("{\"id\":3,\"do\":\"sets\",\"count\":3}");
    ask(TIME(STEP("twice", "20"), STEP("twice", "10"), "\"pairs\":20,\"batch\":1"));
    ask("{\"id\":4,\"do\":\"read\",\"buffer\":1,\"set\":2}");
    serve(fake_open);
    skip_ok(3);
    json_t *answer = next_ok();
    json_t *a = json_object_get(answer, "a"), *b = json_object_get(answer, "b");
    assert_int_equal(json_array_size(a), 20);
    assert_int_equal(json_array_size(b), 20);
    for (size_t i = 0; i < 20; i++) { // the fake's time is its grid: no arm took the other's
        assert_true(json_number_value(json_array_get(a, i)) == 20);
        assert_true(json_number_value(json_array_get(b, i)) == 10);
    }
    assert_true(ks_json_bool(answer, "fingerprints_ok", false));
    assert_int_equal(ks_json_int(answer, "compared", 0), 20 + 3 + 3); // pairs, warm-ups, last ones
    assert_int_equal(ks_json_int(answer, "clock_dropped", -1), 0);
    assert_int_equal(json_object_size(json_object_get(answer, "outputs")), 1);
    assert_true(fake.cold);
    json_decref(answer);
    skip_ok(1);
    payload(400);
    at_end();
}

// The clock of one sample low: its pair goes, both halves of it.
static enum ks_status open_slow(struct ks_device *device, struct ks_err *err)
{
    fake.slow_sample = 6 + 7; // behind the warm-ups
    return fake_open(device, err);
}

static void test_time_drops_slow_clock(void **state)
{
    (void)state;
    begin();
    ask(TIME(STEP("twice", "20"), STEP("twice", "10"), "\"pairs\":20,\"batch\":1"));
    serve(open_slow);
    skip_ok(2);
    json_t *answer = next_ok();
    assert_int_equal(json_array_size(json_object_get(answer, "a")), 19);
    assert_int_equal(json_array_size(json_object_get(answer, "b")), 19);
    assert_int_equal(ks_json_int(answer, "clock_dropped", -1), 1);
    assert_true(ks_json_num(answer, "clock_mhz", 0) == 1900);
    json_decref(answer);
    at_end();
}

static enum ks_status open_late(struct ks_device *device, struct ks_err *err)
{
    fake.late = 2;
    return fake_open(device, err);
}

static void test_time_repeats_late_samples(void **state)
{
    (void)state;
    begin();
    ask(TIME(STEP("twice", "1"), STEP("twice", "1"), "\"pairs\":4,\"batch\":1"));
    serve(open_late);
    skip_ok(3);
    assert_int_equal(fake.samples, 2 + 6 + 8 + 1);
    at_end();
}

// The three ways to be fast with nothing done in the timed window.
static void test_time_checks_outputs(void **state)
{
    (void)state;
    begin();
    ask(TIME(STEP("twice", "1"), STEP("tires", "1"), "\"pairs\":20,\"batch\":1"));
    ask(TIME(STEP("twice", "1"), STEP("tires", "1"), "\"pairs\":20,\"batch\":1,\"deterministic\":false"));
    serve(fake_open);
    skip_ok(2);
    json_t *answer = next_ok();
    assert_false(ks_json_bool(answer, "fingerprints_ok", true));
    json_decref(answer);
    answer = next_ok();
    assert_int_equal(ks_json_int(answer, "compared", -1), 0);
    json_decref(answer);
    at_end();
    begin();
    ask(TIME(STEP("twice", "1"), STEP("lazy", "1"), "\"pairs\":10,\"batch\":2"));
    serve(fake_open);
    skip_ok(3);
    // Worked in the first run, and in both copies of each of 3 + 10 + 1 samples.
    assert_int_equal(fake.launches / 1000, 1 + 2 * 14);
    at_end();
    begin();
    ask(TIME(STEP("twice", "1"), STEP("clobber", "1"), "\"pairs\":2,\"batch\":1"));
    serve(fake_open);
    skip_ok(2);
    next_refused("unsafe", "input buffer 0 was changed");
    at_end();
}

static void test_limits(void **state)
{
    (void)state;
    begin();
    ask("{\"id\":3,\"do\":\"sets\",\"count\":4000}");
    ask(RUN("twice"));
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":2000000,\"align\":4,"
        "\"role\":\"out\"}]}");
    ask(RUN("twice"));
    serve(fake_open);
    skip_ok(2);
    next_refused("limit", "not enough memory");
    skip_ok(1);
    next_refused("limit", "not enough memory");
    next_refused("usage", "make the buffers before");
    at_end();
}

static void test_absent(void **state)
{
    (void)state;
    ask("{\"id\":1,\"do\":\"hello\"}");
    ask("{\"id\":2,\"do\":\"hello\"}");
    serve(no_device);
    next_refused("absent", "no NVIDIA driver on this machine");
    next_refused("absent", "no NVIDIA driver on this machine");
    assert_int_equal(output_at, output_len);
}

static void test_malformed(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "", "garbage", "[]", "{}", "null", "{\"do\":7}", "{\"do\":\"fly\"}", "{\"do\":\"run\"}",
        "{\"id\":\"x\",\"do\":\"module\",\"name\":\"m9\"}",
        "{\"do\":\"module\",\"name\":\"m0\"}",
        "{\"do\":\"function\",\"module\":\"m0\",\"name\":\"absent\"}",
        "{\"do\":\"function\",\"module\":\"m7\",\"name\":\"twice\"}",
        "{\"do\":\"run\",\"plan\":[],\"poison\":1}",
        "{\"do\":\"run\",\"plan\":[7],\"poison\":1}",
        "{\"do\":\"run\",\"plan\":[{\"memset\":2,\"value\":0}],\"poison\":1}",
        "{\"do\":\"run\",\"plan\":[{\"memset\":1,\"value\":256}],\"poison\":1}",
        "{\"do\":\"run\",\"plan\":[" STEP("twice", "-1") "],\"poison\":1}",
        "{\"do\":\"run\",\"plan\":[" STEP("twice", "1") "],\"poison\":-1}",
        "{\"do\":\"run\",\"plan\":[" STEP("twice", "1") "],\"poison\":1,\"scrub\":3}",
        "{\"do\":\"run\",\"plan\":[{\"module\":\"m0\",\"kernel\":\"twice\",\"grid\":[1,1,1],\"block\":"
        "[1,1,1],\"shared\":0,\"args\":[{\"hex\":\"0g\"}]}],\"poison\":1}",
        "{\"do\":\"read\",\"buffer\":2}", "{\"do\":\"read\",\"buffer\":0,\"set\":1}",
        "{\"do\":\"read\",\"buffer\":1e9}", "{\"do\":\"sets\",\"count\":0}",
        "{\"do\":\"time\",\"a\":[],\"b\":[],\"pairs\":0,\"batch\":1}",
        "{\"do\":\"buffers\",\"flush\":\"sideways\",\"list\":[]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":-1,\"align\":4,\"role\":\"out\"}]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":4,\"align\":3,\"role\":\"out\"}]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":4,\"align\":4,\"role\":\"in\"}]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":4,\"align\":4,\"role\":\"in\","
        "\"fill\":{\"elem\":\"f32\",\"init\":\"uniform\",\"seed\":1,\"total\":2}}]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":4,\"align\":4,\"role\":\"in\","
        "\"fill\":{\"init\":\"bytes\"}}]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":8,\"align\":8,\"role\":\"in\","
        "\"fill\":{\"elem\":\"f32\",\"init\":\"uniform\",\"seed\":1,\"total\":2,\"wide\":true}}]}",
        "{\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":8,\"align\":8,\"role\":\"in\","
        "\"fill\":{\"elem\":\"i32\",\"init\":\"randint\",\"seed\":1,\"total\":1,\"wide\":true}}]}",
        "{\"do\":\"hello\",\"payload\":-5}", "{\"do\":\"hello\",\"payload\":\"x\"}",
        "{\"do\":\"hello\",\"text\":\"\xff\xfe\"}",
    };
    size_t n = sizeof lines / sizeof *lines;
    begin();
    for (size_t i = 0; i < n; i++)
        ask(lines[i]);
    ask(RUN("twice")); // nothing above touched the buffers
    serve(fake_open);
    skip_ok(2);
    for (size_t i = 0; i < n; i++) {
        json_t *answer = next();
        if (ks_json_bool(answer, "ok", true) ||
            strcmp(ks_json_str(answer, "class", ""), "usage") != 0)
            fail_msg("'%s' was answered %s", lines[i], ks_json_str(answer, "class", "ok"));
        json_decref(answer);
    }
    skip_ok(1);
    at_end();
}

static void test_long_line_and_lost_payload(void **state)
{
    (void)state;
    char *line = malloc(3 << 20);
    memset(line, 'x', (3 << 20) - 1);
    line[(3 << 20) - 1] = '\0';
    ask(line);
    free(line);
    // A refused request's payload is not taken for requests.
    ask_bytes("{\"id\":1,\"do\":\"fly\",\"payload\":22}", "{\"id\":2,\"do\":\"hello\"}\n", 22);
    ask("{\"id\":3,\"do\":\"hello\"}");
    ask("{\"id\":4,\"do\":\"module\",\"name\":\"m\",\"payload\":1000}"); // ends early
    serve(fake_open);
    next_refused("usage", "longer than");
    next_refused("usage", "unknown request");
    json_t *answer = next_ok();
    assert_int_equal(ks_json_int(answer, "id", 0), 3);
    json_decref(answer);
    at_end();
}

// Random bytes, and valid requests with bytes changed: an answer for each line, and no crash.
static void test_fuzz(void **state)
{
    (void)state;
    static const char *const seeds[] = {
        RUN("twice"), "{\"id\":3,\"do\":\"sets\",\"count\":3}", "{\"do\":\"read\",\"buffer\":1}",
        TIME(STEP("twice", "1"), STEP("lazy", "1"), "\"pairs\":2,\"batch\":2"),
        "{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[" INOUT "," OUT "]}",
    };
    struct ks_rng rng;
    for (uint64_t round = 0; round < 300; round++) {
        ks_rng_seed(&rng, round);
        begin();
        for (int i = 0; i < 20; i++) {
            char line[2048];
            snprintf(line, sizeof line, "%s", seeds[ks_rng_below(&rng, 5)]);
            size_t n = strlen(line);
            for (uint64_t changes = ks_rng_below(&rng, 6); changes > 0; changes--) {
                char c = "0123456789-{}[]\",:xe\x80"[ks_rng_below(&rng, 22)];
                line[ks_rng_below(&rng, n)] = c == '\0' ? ' ' : c;
            }
            ask(line);
        }
        serve(fake_open);
        assert_true(fake.closed);
        assert_int_equal(fake.n, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_and_read), cmocka_unit_test(test_inout_is_restored),
        cmocka_unit_test(test_alias), cmocka_unit_test(test_frozen), cmocka_unit_test(test_unsafe),
        cmocka_unit_test(test_wide_fills),
        cmocka_unit_test(test_launch_refused_and_fault), cmocka_unit_test(test_time),
        cmocka_unit_test(test_time_drops_slow_clock),
        cmocka_unit_test(test_time_repeats_late_samples),
        cmocka_unit_test(test_time_checks_outputs), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_absent), cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_long_line_and_lost_payload), cmocka_unit_test(test_fuzz),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(output);
    return failed;
}
