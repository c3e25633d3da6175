#include "device_bench.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const unsigned char ks_test_code[];
extern const size_t ks_test_code_size;

FILE *report;
struct ks_err err;
struct ks_device dev;
void *module;
struct ks_device_info facts;

_Noreturn void done(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(report, format, args);
    va_end(args);
    fflush(report);
    _exit(status); // no exit handlers: the context may be gone
}

void open_device(void)
{
    enum ks_status status = ks_device_open_cuda(&dev, &err);
    if (status == KS_E_ABSENT)
        done(SKIP, "%s", err.text);
    OK(status);
    OK(dev.info(dev.self, &facts, &err));
    struct ks_slice code = {(const char *)ks_test_code, ks_test_code_size};
    OK(dev.module(dev.self, code, &module, &err));
}

void *function(const char *name)
{
    void *f;
    OK(dev.function(dev.self, module, name, &f, NULL, &err));
    return f;
}

size_t buffer(int64_t bytes, size_t align, enum ks_flush flush, struct ks_dev_buffer *placed)
{
    size_t b;
    struct ks_dev_buffer unused;
    OK(dev.alloc(dev.self, bytes, align, flush, &b, placed != NULL ? placed : &unused, &err));
    return b;
}

struct launch *launch(const char *name, unsigned grid, unsigned block, unsigned shared)
{
    struct launch *l = calloc(1, sizeof *l);
    l->step = (struct ks_dev_step){.function = function(name), .grid = {grid, 1, 1},
                                   .block = {block, 1, 1}, .shared = shared, .args = l->args};
    l->plan = (struct ks_dev_plan){&l->step, 1};
    return l;
}

void pass_buffer(struct launch *l, size_t b)
{
    l->args[l->step.n_args++] = (struct ks_dev_arg){.kind = KS_DARG_BUFFER, .buffer = b};
}

void pass_bytes(struct launch *l, const void *data, size_t n)
{
    struct ks_dev_arg *arg = &l->args[l->step.n_args++];
    arg->kind = KS_DARG_BYTES;
    arg->size = n;
    memcpy(arg->bytes, data, n);
}

void pass_int(struct launch *l, int value)
{
    pass_bytes(l, &value, sizeof value);
}

void pass_i64(struct launch *l, int64_t value)
{
    pass_bytes(l, &value, sizeof value);
}

enum ks_status run(struct launch *l)
{
    return dev.run(dev.self, &l->plan, NULL, &err);
}

struct launch *twice(size_t in, size_t out, int n)
{
    struct launch *l = launch("t_twice", (unsigned)(n + 255) / 256, 256, 0);
    pass_buffer(l, in);
    pass_buffer(l, out);
    pass_int(l, n);
    return l;
}
