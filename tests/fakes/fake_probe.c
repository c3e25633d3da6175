// ks-probe with all of its own code, on a device and a CUPTI that are made up
// (fake_cupti_profiler.c): a kernel takes 960 us, a copy reaches 4000 GB/s. FAKE_KERNEL=faults ends
// a launch as a hardware fault does; FAKE_LEAST=US makes it one of 3 us in a batch, where the least
// launch takes US. Each request's verb is appended to the file FAKE_LOG. CUPTI is looked for in
// KS_CUPTI_DIR alone.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cupti_probe/cupti_library.h"
#include "../../cupti_probe/serve_profile.h"
#include "fake_cuda.h"

#define BUFFERS 4096

static struct {
    unsigned char *memory;
    int64_t bytes;
} buffers[BUFFERS];
static size_t n_buffers;

void *ks_cupti_library(const char *name, int scope)
{
    char path[4096];
    const char *dir = getenv("KS_CUPTI_DIR");
    snprintf(path, sizeof path, "%s/%s.13", dir != NULL ? dir : "/nonexistent", name);
    return dlopen(path, RTLD_NOW | scope);
}

static void note(const char *what)
{
    const char *path = getenv("FAKE_LOG");
    FILE *file = path != NULL ? fopen(path, "ae") : NULL;
    if (file == NULL)
        return;
    fprintf(file, "%s\n", what);
    fclose(file);
}

static enum ks_status info(void *self, struct ks_device_info *out, struct ks_err *err)
{
    (void)self, (void)err;
    note("hello");
    *out = (struct ks_device_info){.name = "Fake GPU",
                                   .uuid = "GPU-fake",
                                   .driver = "1",
                                   .arch = 90,
                                   .sms = 132,
                                   .l2_bytes = 50 << 20,
                                   .smem_optin = 232448,
                                   .max_threads_sm = 2048,
                                   .regs_sm = 65536,
                                   .blocks_sm = 32,
                                   .smem_sm = 233472,
                                   .memory_total = INT64_C(1) << 40,
                                   .memory_free = INT64_C(1) << 40};
    return KS_OK;
}

static enum ks_status module(void *self, struct ks_slice cubin, void **out, struct ks_err *err)
{
    (void)self;
    if (cubin.len < 4 || memcmp(cubin.at, "\177ELF", 4) != 0)
        return ks_err_set(err, KS_E_FORMAT, "not a loadable module");
    *out = buffers;
    return KS_OK;
}

static enum ks_status function(void *self, void *in, const char *name, void **out, json_t **facts,
                               struct ks_err *err)
{
    (void)self, (void)in, (void)err;
    *out = strcmp(name, "ks_least") == 0 ? &buffers[1] : &buffers[0];
    if (facts != NULL)
        *facts = json_pack("{s:i,s:i,s:i,s:i}", "registers", 40, "static_shared", 1024, "local", 16,
                           "max_threads", 1024);
    return KS_OK;
}

static void *own_module(void *self)
{
    return self;
}

static enum ks_status allocate(void *self, int64_t bytes, size_t align, enum ks_flush flush,
                               size_t *buffer, struct ks_dev_buffer *out, struct ks_err *err)
{
    (void)self, (void)align, (void)flush;
    if (n_buffers == BUFFERS)
        return ks_err_set(err, KS_E_LIMIT, "not enough memory");
    *buffer = n_buffers++;
    buffers[*buffer].memory = calloc((size_t)bytes + 1, 1);
    buffers[*buffer].bytes = bytes;
    *out = (struct ks_dev_buffer){(uint64_t)(uintptr_t)buffers[*buffer].memory, bytes, 0};
    return KS_OK;
}

static enum ks_status free_all(void *self, struct ks_err *err)
{
    (void)self, (void)err;
    while (n_buffers > 0)
        free(buffers[--n_buffers].memory);
    return KS_OK;
}

static enum ks_status put(void *self, size_t buffer, int64_t to, const void *data, int64_t n, struct ks_err *err)
{
    (void)self, (void)err;
    memcpy((char *)buffers[buffer].memory + to, data, (size_t)n);
    return KS_OK;
}

static enum ks_status get(void *self, size_t buffer, int64_t from, void *data, int64_t n, struct ks_err *err)
{
    (void)self, (void)err;
    memcpy(data, (char *)buffers[buffer].memory + from, (size_t)n);
    return KS_OK;
}

static enum ks_status copy(void *self, size_t to, size_t from, struct ks_err *err)
{
    (void)self, (void)err;
    memcpy(buffers[to].memory, buffers[from].memory, (size_t)buffers[from].bytes);
    return KS_OK;
}

static enum ks_status freeze(void *self, size_t buffer, struct ks_err *err)
{
    (void)self, (void)buffer, (void)err;
    return KS_OK;
}

static enum ks_status poison(void *self, size_t buffer, uint32_t word, struct ks_err *err)
{
    (void)self, (void)buffer, (void)word, (void)err;
    return KS_OK;
}

static enum ks_status check_slack(void *self, struct ks_dev_damage *damage, struct ks_err *err)
{
    (void)self, (void)err;
    *damage = (struct ks_dev_damage){0};
    return KS_OK;
}

static enum ks_status fingerprints(void *self, const size_t *list, size_t n, uint64_t *out,
                                   struct ks_err *err)
{
    (void)self, (void)list, (void)err;
    memset(out, 0, n * sizeof *out);
    return KS_OK;
}

static enum ks_status scrub(void *self, uint32_t word, struct ks_err *err)
{
    (void)self, (void)word, (void)err;
    return KS_OK;
}

// The fake CUPTI hears of the launch where it is open, as the real one does.
static enum ks_status run(void *self, const struct ks_dev_plan *plan, double *microseconds,
                          struct ks_err *err)
{
    (void)self, (void)plan;
    void (*tell)(const CUpti_ActivityKernel10 *) = NULL;
    const char *kernel = getenv("FAKE_KERNEL");
    CUpti_ActivityKernel10 record = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                     .start = 1000,
                                     .end = 956000,
                                     .name = "fake"};
    note("run");
    if (kernel != NULL && strcmp(kernel, "faults") == 0)
        return ks_err_set(err, KS_E_DEVICE, "illegal address");
    *(void **)&tell = dlsym(RTLD_DEFAULT, "fake_cupti_kernel");
    if (tell != NULL)
        tell(&record);
    if (microseconds != NULL)
        *microseconds = 960;
    return KS_OK;
}

static enum ks_status take_time(void *self, const struct ks_dev_timing *timing,
                                struct ks_dev_sample *sample, struct ks_err *err)
{
    (void)self, (void)err;
    const char *least = getenv("FAKE_LEAST");
    double us = least == NULL                                             ? 960
                : timing->batch == 1                                      ? 6
                : timing->plans[0].steps[0].function == (void *)&buffers[1] ? strtod(least, NULL)
                                                                          : 3;
    *sample = (struct ks_dev_sample){.microseconds = us, .clock_mhz = 1900};
    return KS_OK;
}

static enum ks_status clean_cache(void *self, struct ks_err *err)
{
    (void)self, (void)err;
    return KS_OK;
}

static void forget_plans(void *self)
{
    (void)self;
}

static enum ks_status ceilings(void *self, double *copy_gbs, double *fma, struct ks_err *err)
{
    (void)self, (void)err;
    note("ceilings");
    *copy_gbs = 4000;
    *fma = 60000;
    return KS_OK;
}

static void end(void *self)
{
    free_all(self, NULL);
}

static enum ks_status open_fake(struct ks_device *device, struct ks_err *err)
{
    (void)err;
    *device = (struct ks_device){.kind = "cuda",
                                 .self = buffers,
                                 .info = info,
                                 .module = module,
                                 .function = function,
                                 .own_module = own_module,
                                 .alloc = allocate,
                                 .free_all = free_all,
                                 .write = put,
                                 .read = get,
                                 .copy = copy,
                                 .freeze = freeze,
                                 .poison = poison,
                                 .check_slack = check_slack,
                                 .fingerprints = fingerprints,
                                 .scrub = scrub,
                                 .run = run,
                                 .time = take_time,
                                 .clean_cache = clean_cache,
                                 .forget_plans = forget_plans,
                                 .ceilings = ceilings,
                                 .close = end};
    return KS_OK;
}

int main(void)
{
    return ks_serve_main(open_fake, &ks_probe_verb);
}
