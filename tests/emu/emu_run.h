// Runs kernels on the emulated device for tests: a module from PTX text, buffers, a launch. With
// KS_TEST_DEVICE=cuda on a GPU, from a cubin (tests/gpu/emu_corpus.sh).
#ifndef KS_TEST_EMU_RUN_H
#define KS_TEST_EMU_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/emu/emu_device.h"

struct emu_run {
    struct ks_device device;
    void *module;
    struct ks_err err;
    struct ks_dev_arg args[16]; size_t n_args;
};

static inline bool emu_emulated(const struct emu_run *run)
{
    return strcmp(run->device.kind, "emu") == 0;
}

static inline void emu_open(struct emu_run *run)
{
    const char *name = getenv("KS_TEST_DEVICE");
    *run = (struct emu_run){0};
    if (ks_device_open(name != NULL ? name : "emu", &run->device, &run->err) != KS_OK) {
        fprintf(stderr, "%s\n", run->err.text);
        exit(run->err.status == KS_E_ABSENT ? 77 : 1);
    }
    if (emu_emulated(run))
        ks_emu_device_settings(&run->device)->vary = false;
}

static inline enum ks_status emu_load(struct emu_run *run, const char *ptx, size_t len)
{
    return run->device.module(run->device.self, (struct ks_slice){ptx, len}, &run->module,
                              &run->err);
}

// A buffer argument; data NULL: undefined contents.
static inline size_t emu_buffer(struct emu_run *run, const void *data, int64_t bytes)
{
    size_t buffer;
    struct ks_dev_buffer out;
    if (run->device.alloc(run->device.self, bytes, 16, KS_FLUSH_END, &buffer, &out, &run->err) !=
            KS_OK ||
        (data != NULL && run->device.write(run->device.self, buffer, 0, data, bytes, &run->err) !=
                             KS_OK)) {
        fprintf(stderr, "%s\n", run->err.text);
        exit(1);
    }
    run->args[run->n_args++] = (struct ks_dev_arg){.kind = KS_DARG_BUFFER, .buffer = buffer};
    return buffer;
}

static inline void emu_value(struct emu_run *run, const void *value, size_t size)
{
    struct ks_dev_arg *arg = &run->args[run->n_args++];
    *arg = (struct ks_dev_arg){.kind = KS_DARG_BYTES, .size = size};
    memcpy(arg->bytes, value, size);
}

static inline void emu_int(struct emu_run *run, int value)
{
    emu_value(run, &value, sizeof value);
}

static inline void emu_reset(struct emu_run *run)
{
    run->n_args = 0;
    run->device.free_all(run->device.self, &run->err);
}

static inline enum ks_status emu_launch(struct emu_run *run, const char *name, unsigned grid,
                                        unsigned block, unsigned shared)
{
    struct ks_dev_step step = {.grid = {grid, 1, 1}, .block = {block, 1, 1}, .shared = shared,
                               .args = run->args, .n_args = run->n_args};
    struct ks_dev_plan plan = {&step, 1};
    enum ks_status status = run->device.function(run->device.self, run->module, name,
                                                 &step.function, NULL, &run->err);
    if (status != KS_OK)
        return status;
    return run->device.run(run->device.self, &plan, NULL, &run->err);
}

static inline void emu_read(struct emu_run *run, size_t buffer, void *data, int64_t bytes)
{
    if (run->device.read(run->device.self, buffer, 0, data, bytes, &run->err) != KS_OK)
        exit(1);
}

static inline void emu_close(struct emu_run *run)
{
    run->device.close(run->device.self);
}

#endif
