// Private to the specimens of the template engine: one run of the original on the emulated device.
#ifndef KS_SPECIMEN_RUN_H
#define KS_SPECIMEN_RUN_H

#include "device/device.h"
#include "engine/specimen.h"

#define KS_SPECIMEN_INSTRUCTIONS 20000000 // of a run, at most

struct ks_specimen_run {
    struct ks_arena *arena;
    struct ks_device device;
    void *function;
    const struct ks_problem *problem;
    unsigned char **bytes; // by argument
    size_t *buffers;
    uint64_t executed; // thread instructions of all runs
    double wider;      // factor of what floats are drawn from
    struct ks_specimen_data data;
};

// An array of floats that the mark has no number below zero of.
bool ks_specimen_is_above_zero(const struct ks_arg *arg);
// What r->device, which is open, is to do: one order, and no more than so many instructions.
void ks_specimen_settle(struct ks_specimen_run *r);
// Loads the original into r->device, which is open.
enum ks_status ks_specimen_load(struct ks_specimen_run *r, const struct ks_brief *brief, struct ks_err *err);
// Runs it on a problem of plain buffers and scalars, with r->data; *s borrows the problem. Again on larger floats where
// all that it writes is one value.
enum ks_status ks_specimen_make(struct ks_specimen_run *r, const struct ks_problem *problem, struct ks_specimen *s,
                                struct ks_err *err);

#endif
