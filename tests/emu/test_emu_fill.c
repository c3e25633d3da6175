// The device's own way of filling buffers, compiled by nvcc and emulated: the bits that workload/fill.c makes.
// Usage: test_emu_fill FILL.ptx FILL.cu
#include "emu_run.h"

#include "workload/fill.h"

#define TOTAL 2503 // an odd number: the last pair is half

static struct emu_run run;
static int failures, checks;

static void compare(const struct ks_filling *f)
{
    static float plain[TOTAL];
    static double want[TOTAL], got[TOTAL];
    static unsigned char block[sizeof *f];
    size_t bytes = TOTAL * (f->wide ? sizeof *want : sizeof *plain);
    uint64_t n = TOTAL;
    ks_fill(plain, f->elem, &f->init, f->family, f->seed, TOTAL, 0, TOTAL);
    if (f->absolute)
        ks_fill_signs(plain, f->elem.scalar, f->signs, 0, TOTAL);
    for (int i = 0; f->wide && i < TOTAL; i++)
        want[i] = ks_fill_moved((double)plain[i], f->nudge, (uint64_t)i);
    emu_reset(&run);
    size_t out = emu_buffer(&run, NULL, (int64_t)bytes);
    emu_value(&run, &n, sizeof n);
    memcpy(block, f, sizeof block);
    run.args[run.n_args++] = (struct ks_dev_arg){.kind = KS_DARG_STRUCT, .block = block, .size = sizeof block};
    checks++;
    run.err.text[0] = '\0';
    if (emu_launch(&run, "ks_generate", 3, 96, 0) == KS_OK) {
        emu_read(&run, out, got, (int64_t)bytes);
        if (memcmp(got, f->wide ? (void *)want : (void *)plain, bytes) == 0)
            return;
    }
    failures++;
    printf("initialiser %d, family %s, %s%s%s: %s\n", (int)f->init.kind, ks_family_name(f->family), f->absolute ? "absolute " : "",
           f->signs != 0 ? "signs " : "", f->wide ? "wide" : "", run.err.text[0] != '\0' ? run.err.text : "other bits");
}

int main(int argc, char **argv)
{
    static const struct ks_init inits[] = {
        {.kind = KS_INIT_DEFAULT}, {.kind = KS_INIT_UNIFORM, .a = -1, .b = 1}, {.kind = KS_INIT_UNIFORM, .a = 1, .b = 1 + 0x1p-22},
        {.kind = KS_INIT_NORMAL, .a = 3, .b = 1e38}, {.kind = KS_INIT_RANDINT, .a = -5, .b = 1e9},
        {.kind = KS_INIT_IOTA, .a = 0.1, .b = 0.3}, {.kind = KS_INIT_PERMUTATION}, {.kind = KS_INIT_CONSTANT, .a = 0.1}};
    static char text[1 << 22];
    struct ks_elem elem;
    FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (file == NULL || !ks_elem_parse("f32", &elem)) {
        fprintf(stderr, "usage: test_emu_fill FILL.ptx FILL.cu\n");
        return 2;
    }
    size_t n = fread(text, 1, sizeof text, file);
    fclose(file);
    emu_open(&run);
    if (emu_load(&run, text, n) != KS_OK) {
        printf("%s\n", run.err.text);
        return 1;
    }
    for (size_t k = 0; k < sizeof inits / sizeof *inits; k++)
        for (int family = 0; family < KS_FAMILY_COUNT; family++)
            for (int as = 0; as < 6; as++) {
                struct ks_filling f = {.elem = elem, .init = inits[k], .family = (enum ks_family)family, .seed = 77 + k,
                                       .total = TOTAL, .absolute = as == 1 || as == 2, .signs = as == 2 ? 99 : 0,
                                       .wide = as > 2, .nudge = as == 4 ? 12345 : as == 5 ? KS_FILL_ALIKE | KS_FILL_BACK : 0};
                f.init.factors = as == 1;
                if (ks_filling_is_plain(&f) && (k == 0 || family == KS_FAMILY_DECLARED))
                    compare(&f);
            }
    emu_close(&run);
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0;
}
