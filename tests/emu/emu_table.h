// Tests of kernels that take numbers and give numbers, on the emulated device under several schedules: the host's
// results come out; what is at fault is found; what is not supported says so, with the line.
#ifndef KS_TEST_EMU_TABLE_H
#define KS_TEST_EMU_TABLE_H

#include "emu_run.h"

static struct emu_run run;
static int numbers[4096], failures, checks;
static unsigned wrong_shared; // bytes of dynamic shared memory for what must not run to its end
#define N(i) numbers[i]

struct right {
    const char *name;
    unsigned grid, block, shared;
    int n;      // numbers that come out
    bool zero;  // they begin as zeros
    int (*want)(int i);
};
// What must not run to its end.
struct wrong {
    const char *name, *text; // of the message
    enum ks_status status;
    unsigned grid, block;
    int arch;                // from this one on
};

static inline void check(bool ok, const char *name, const char *what)
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

static inline size_t buffers(int n, bool zero)
{
    static const int zeros[4096];
    emu_reset(&run);
    emu_buffer(&run, numbers, sizeof numbers);
    return emu_buffer(&run, zero ? zeros : NULL, (int64_t)n * 4);
}

static inline void try_right(const struct right *r)
{
    static int got[4096];
    char what[120];
    size_t out = buffers(r->n, r->zero);
    if (emu_launch(&run, r->name, r->grid, r->block, r->shared) != KS_OK) {
        check(false, r->name, "is right");
        return;
    }
    emu_read(&run, out, got, (int64_t)r->n * 4);
    int i = 0;
    while (i < r->n && got[i] == r->want(i))
        i++;
    if (i < r->n)
        snprintf(what, sizeof what, "element %d is %d, not %d", i, got[i], r->want(i));
    check(i == r->n, r->name, what);
}

static inline void try_wrong(const struct wrong *w, int arch)
{
    if (arch < w->arch)
        return;
    buffers(1024, true);
    enum ks_status status = emu_launch(&run, w->name, w->grid, w->block, wrong_shared);
    bool told = strstr(run.err.text, w->text) != NULL &&
                (strstr(run.err.text, ".cu:") != NULL || strstr(run.err.text, "PTX line ") == run.err.text);
    check(status == w->status && told, w->name, w->text);
}

// Usage: PROGRAM KERNELS.ptx KERNELS.cu [KERNEL]
static inline int emu_table(int argc, char **argv, const struct right *rights, size_t n_rights,
                            const struct wrong *wrongs, size_t n_wrongs)
{
    static char text[1 << 24];
    const char *only = argc == 4 ? argv[3] : NULL, *target;
    FILE *f = argc >= 3 ? fopen(argv[1], "r") : NULL;
    if (f == NULL) {
        fprintf(stderr, "usage: %s KERNELS.ptx KERNELS.cu [KERNEL]\n", argv[0]);
        return 2;
    }
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    target = strstr(text, ".target sm_");
    int arch = target != NULL ? atoi(target + 11) : 90;
    for (int i = 0; i < 4096; i++)
        numbers[i] = (i * 37 + 11) % 101;
    emu_open(&run);
    if (emu_load(&run, text, n) != KS_OK) {
        printf("%s\n", run.err.text);
        return 1;
    }
    for (uint64_t seed = 0; seed < (emu_emulated(&run) ? 8 : 1); seed++) {
        for (size_t i = 0; i < n_wrongs && emu_emulated(&run); i++)
            if (only == NULL || strcmp(only, wrongs[i].name) == 0)
                try_wrong(&wrongs[i], arch);
        for (size_t i = 0; i < n_rights; i++) {
            if (emu_emulated(&run)) {
                ks_emu_device_settings(&run.device)->seed = seed;
                ks_emu_device_settings(&run.device)->budget = 100000000;
            }
            if (only == NULL || strcmp(only, rights[i].name) == 0)
                try_right(&rights[i]);
        }
    }
    emu_close(&run);
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0;
}

#endif
