// Kernels of cores.cu on one core and on several, under several schedules: the same results, findings and
// counts to the last bit, and several cores really at work where blocks have nothing to do with each other.
// Usage: test_emu_cores CORES.ptx CORES.cu
#include "emu_run.h"

#define BLOCKS 256
#define THREADS 256
#define OUT (2 * BLOCKS * THREADS)
#define MAYBE 2 // a write of what is there is none: in order, only the last one is
#define IN (BLOCKS * THREADS)

static struct emu_run run;
static int in[IN], zeros[OUT], failures, checks;

struct outcome {
    enum ks_status status;
    char text[1000];
    int out[OUT];
    uint64_t executed, accesses;
    struct ks_counts counts;
    struct ks_emu_findings findings;
    size_t n_lines;
    struct ks_emu_line lines[64];
    uint32_t shared_out;
};

static void launch(const char *name, uint64_t seed, uint32_t cores, bool count, struct outcome *o)
{
    struct ks_emu_settings *settings = ks_emu_device_settings(&run.device);
    settings->seed = seed;
    settings->cores = cores;
    settings->count = count;
    emu_reset(&run);
    emu_buffer(&run, in, sizeof in);
    // The upper half of what comes out is undefined.
    size_t buffer = emu_buffer(&run, NULL, sizeof zeros), half;
    emu_buffer(&run, zeros, sizeof zeros / 2); // (a neighbour that nobody uses)
    half = sizeof zeros / 2;
    if (strcmp(name, "meet_first") == 0 || strcmp(name, "meet_other") == 0 ||
        strcmp(name, "meet_atomics") == 0 || strcmp(name, "meet_same") == 0)
        run.device.write(run.device.self, buffer, 0, zeros, (int64_t)half, &run.err);
    run.n_args = 2;
    memset(o, 0, sizeof *o);
    run.err.text[0] = '\0';
    o->status = emu_launch(&run, name, BLOCKS, THREADS, 0);
    snprintf(o->text, sizeof o->text, "%s", run.err.text);
    o->executed = ks_emu_device_executed(&run.device);
    o->accesses = ks_emu_device_accesses(&run.device);
    o->findings = *ks_emu_device_findings(&run.device);
    o->shared_out = ks_emu_device_shared_out(&run.device);
    if (count && o->status == KS_OK) {
        const struct ks_emu_line *lines;
        o->counts = *ks_emu_device_counts(&run.device);
        o->n_lines = ks_emu_device_lines(&run.device, &lines);
        memcpy(o->lines, lines, (o->n_lines < 64 ? o->n_lines : 64) * sizeof *lines);
    }
    emu_read(&run, buffer, o->out, sizeof o->out);
}

static void check(bool ok, const char *name, uint64_t seed, uint32_t cores, const char *what)
{
    checks++;
    if (ok)
        return;
    failures++;
    printf("%s (seed %llu, %u cores): %s\n", name, (unsigned long long)seed, cores, what);
}

// Addresses are drawn anew for each launch.
static bool same_findings(struct outcome *a, struct outcome *b)
{
    if (a->findings.n != b->findings.n || a->findings.total != b->findings.total)
        return false;
    for (size_t i = 0; i < a->findings.n; i++) {
        const struct ks_finding *x = &a->findings.list[i], *y = &b->findings.list[i];
        if (x->kind != y->kind || x->count != y->count || x->bytes != y->bytes ||
            memcmp(&x->here, &y->here, sizeof x->here) != 0 || x->has_other != y->has_other ||
            (x->has_other && memcmp(&x->other, &y->other, sizeof x->other) != 0))
            return false;
    }
    return true;
}

static void compare(const char *name, bool apart, int fault, uint64_t seed, uint32_t cores, bool count)
{
    static struct outcome one, several;
    launch(name, seed, 1, count, &one);
    launch(name, seed, cores, count, &several);
    check(fault == MAYBE || (one.status != KS_OK) == fault, name, seed, 1, one.text);
    check(one.status == several.status, name, seed, cores, several.text);
    check(memcmp(one.out, several.out, sizeof one.out) == 0, name, seed, cores, "other results");
    check(one.executed == several.executed && one.accesses == several.accesses, name, seed, cores,
          "other numbers of instructions or accesses");
    check(memcmp(&one.counts, &several.counts, sizeof one.counts) == 0, name, seed, cores,
          "other counts");
    check(one.n_lines == several.n_lines && memcmp(one.lines, several.lines, sizeof one.lines) == 0,
          name, seed, cores, "other costs of lines");
    check(same_findings(&one, &several), name, seed, cores, "other findings");
    check(one.shared_out == 0 && several.shared_out == (apart ? 1 : 0), name, seed, cores,
          "blocks ran on another number of cores");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        bool apart;
        int fault;
    } kernels[] = {
        {"apart_plain", true, false},   {"apart_columns", true, false}, {"apart_bytes", true, false},
        {"apart_tiles", true, false},   {"apart_uneven", true, false},  {"meet_atomics", false, false},
        {"meet_last", false, true},     {"meet_first", false, true},    {"meet_same", false, false},
        {"meet_other", false, MAYBE},   {"meet_unset", false, true},    {"meet_outside", false, true},
        {"meet_clock", false, false},
    };
    static char text[1 << 22];
    FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (f == NULL) {
        fprintf(stderr, "usage: test_emu_cores CORES.ptx CORES.cu\n");
        return 2;
    }
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    for (int i = 0; i < IN; i++)
        in[i] = (i * 37 + 11) % 101;
    for (uint64_t seed = 0; seed < 6; seed++)
        for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
            emu_open(&run); // a module anew: it remembers kernels that several cores gave up on
            if (emu_load(&run, text, n) != KS_OK) {
                printf("%s\n", run.err.text);
                return 1;
            }
            compare(kernels[k].name, kernels[k].apart, kernels[k].fault, seed,
                    2 + (uint32_t)(seed + k) % 4, seed % 2 == 0);
            emu_close(&run);
        }
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0;
}
