// A worker served by a device of host memory, whose kernels are C functions: requests in, answers out.
#ifndef SERVED_DEVICE_H
#define SERVED_DEVICE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "verify/protocol.h"
#include "verify/worker/serve.h"

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
    int gathers, reads;                       // a device that gathers: how often it did, and how often it was read
    bool crowded;                             // and has no room for the places
    int slow_each;                            // the clock of each so-manieth sample is low; 0: of none
    double hot;                               // what takes so long lowers the clock, always; 0: nothing does
    bool closed, cold;
    int batch;
    size_t plans;
    uint32_t scrubbed;
    double beside; // microseconds that others ran beside runs
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

static void *fake_own(void *self)
{
    return self;
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

static enum ks_status fake_write(void *self, size_t buffer, int64_t to, const void *data, int64_t n, struct ks_err *err)
{
    (void)self, (void)err;
    memcpy((char *)data_of(buffer) + to, data, (size_t)n);
    return KS_OK;
}

static enum ks_status fake_read(void *self, size_t buffer, int64_t from, void *data, int64_t n, struct ks_err *err)
{
    (void)self, (void)err;
    fake.reads++;
    memcpy(data, (char *)data_of(buffer) + from, (size_t)n);
    return KS_OK;
}

__attribute__((unused)) static enum ks_status fake_gather(void *self, size_t buffer, size_t size, const int64_t *places,
                                                          size_t n, void *data, struct ks_err *err)
{
    (void)self;
    fake.gathers++;
    if (fake.crowded)
        return ks_err_set(err, KS_E_LIMIT, "no memory");
    for (size_t i = 0; i < n; i++)
        memcpy((char *)data + i * size, (char *)data_of(buffer) + (size_t)places[i] * size, size);
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

static enum ks_status fake_crowd(void *self, double microseconds, struct ks_err *err)
{
    (void)self, (void)err;
    fake.beside += microseconds;
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
    if (fake.hot > 0 && sample->microseconds == fake.hot)
        sample->clock_mhz = 1500;
    if (fake.samples == fake.slow_sample || (fake.slow_each > 0 && fake.samples % fake.slow_each == 0))
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
        .kind = "fake", .self = &fake, .info = fake_info, .module = fake_module, .function = fake_function,
        .own_module = fake_own, .alloc = fake_alloc, .free_all = fake_free_all, .write = fake_write, .read = fake_read,
        .copy = fake_copy, .poison = fake_poison, .freeze = fake_freeze, .check_slack = fake_check_slack,
        .fingerprints = fake_fingerprints, .scrub = fake_scrub, .crowd = fake_crowd, .run = fake_run, .time = fake_time,
        .forget_plans = fake_forget, .ceilings = fake_ceilings, .close = fake_close};
    return KS_OK;
}

__attribute__((unused)) static enum ks_status no_device(struct ks_device *device, struct ks_err *err)
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

__attribute__((unused)) static void ask_bytes(const char *line, const void *data, size_t n)
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

__attribute__((unused)) static void skip_ok(int n)
{
    for (int i = 0; i < n; i++) {
        json_t *answer = next();
        if (!ks_json_bool(answer, "ok", false))
            fail_msg("refused: %s", ks_json_str(answer, "text", "?"));
        json_decref(answer);
    }
}

__attribute__((unused)) static json_t *next_ok(void)
{
    json_t *answer = next();
    if (!ks_json_bool(answer, "ok", false))
        fail_msg("refused: %s", ks_json_str(answer, "text", "?"));
    return answer;
}

__attribute__((unused)) static void next_refused(const char *class, const char *text)
{
    json_t *answer = next();
    assert_false(ks_json_bool(answer, "ok", true));
    assert_string_equal(ks_json_str(answer, "class", ""), class);
    if (strstr(ks_json_str(answer, "text", ""), text) == NULL)
        fail_msg("'%s' lacks '%s'", ks_json_str(answer, "text", ""), text);
    json_decref(answer);
}

__attribute__((unused)) static void at_end(void)
{
    assert_int_equal(output_at, output_len);
    assert_true(fake.closed);
    assert_int_equal(fake.n, 0);
}

__attribute__((unused)) static const void *payload(size_t n)
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
#define TIME(a, b, more)                                                                          \
    "{\"id\":8,\"do\":\"time\",\"a\":[" a "],\"b\":[" b "],\"cold\":true,\"poison\":1," more "}"

__attribute__((unused)) static void begin(void)
{
    ask_bytes("{\"id\":1,\"do\":\"module\",\"name\":\"m0\",\"payload\":5}", "cubin", 5);
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[" IN "," OUT "]}");
}

#endif
