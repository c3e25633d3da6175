// What the checks of the cuda device share: a check is a process that opens the device, launches small plans on it
// and ends by saying one line.
#ifndef KS_DEVICE_BENCH_H
#define KS_DEVICE_BENCH_H

#include <stdio.h>

#include "device/device.h"

#define SKIP 77

extern FILE *report; // to the parent: one line
_Noreturn void done(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define EXPECT(condition, format, ...)                                                            \
    do {                                                                                          \
        if (!(condition))                                                                         \
            done(1, "line %d, %s: " format, __LINE__, #condition, ##__VA_ARGS__);                 \
    } while (0)
#define OK(call)                                                                                  \
    do {                                                                                          \
        if ((call) != KS_OK)                                                                      \
            done(1, "line %d, %s: %s", __LINE__, #call, err.text);                                \
    } while (0)

extern struct ks_err err;
extern struct ks_device dev;
extern void *module; // device_kernels.cu
extern struct ks_device_info facts;
void open_device(void); // ends the check where there is no GPU

struct launch {
    struct ks_dev_arg args[4];
    struct ks_dev_step step;
    struct ks_dev_plan plan;
};

void *function(const char *name);
size_t buffer(int64_t bytes, size_t align, enum ks_flush flush, struct ks_dev_buffer *placed); // placed may be NULL
struct launch *launch(const char *name, unsigned grid, unsigned block, unsigned shared);
void pass_buffer(struct launch *l, size_t b);
void pass_bytes(struct launch *l, const void *data, size_t n);
void pass_int(struct launch *l, int value);
void pass_i64(struct launch *l, int64_t value);
enum ks_status run(struct launch *l);
struct launch *twice(size_t in, size_t out, int n); // n floats

#endif
