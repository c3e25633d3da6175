// The device's own way of filling buffers, compiled by nvcc and emulated: the bits that workload/fill.c makes.
// Usage: test_emu_fill FILL.ptx FILL.cu
#include "emu_run.h"

#include "base/num.h"
#include "workload/fill.h"

#define TOTAL 2503 // an odd number: the last pair is half

static struct emu_run run;
static int failures, checks;

static double value_at(enum ks_scalar scalar, const void *data, int i)
{
    const uint16_t *half = data;
    return scalar == KS_T_F32   ? (double)((const float *)data)[i]
           : scalar == KS_T_F16 ? (double)ks_f16_to_f32(half[i])
                                : (double)ks_bf16_to_f32(half[i]);
}

static void compare(const struct ks_filling *f)
{
    static uint32_t plain[TOTAL];
    static double want[TOTAL], got[TOTAL];
    static unsigned char block[sizeof *f];
    size_t bytes = TOTAL * (f->wide ? sizeof *want : f->elem.size);
    uint64_t n = TOTAL;
    ks_fill(plain, f->elem, &f->init, f->family, f->seed, TOTAL, 0, TOTAL);
    if (f->absolute)
        ks_fill_signs(plain, f->elem.scalar, f->signs, 0, TOTAL);
    for (int i = 0; f->wide && i < TOTAL; i++) {
        double value = value_at(f->elem.scalar, plain, i), moved = ks_fill_moved(value, f->nudge, (uint64_t)i);
        want[i] = !f->single ? moved : f->elem.scalar == KS_T_F32 ? (double)(float)moved : value;
    }
    for (int i = 0; !f->wide && f->single && f->elem.scalar == KS_T_F32 && i < TOTAL; i++)
        ((float *)(void *)plain)[i] = (float)ks_fill_moved(value_at(KS_T_F32, plain, i), f->nudge, (uint64_t)i);
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
    printf("%s, initialiser %d, family %s, %s%s%s%s: %s\n", ks_scalar_name(f->elem.scalar), (int)f->init.kind, ks_family_name(f->family), f->absolute ? "absolute " : "",
           f->signs != 0 ? "signs " : "", f->wide ? "wide " : "", f->single ? "single" : "", run.err.text[0] != '\0' ? run.err.text : "other bits");
}

int main(int argc, char **argv)
{
    static const struct ks_init inits[] = {
        {.kind = KS_INIT_DEFAULT}, {.kind = KS_INIT_UNIFORM, .a = -1, .b = 1}, {.kind = KS_INIT_UNIFORM, .a = 1, .b = 1 + 0x1p-22},
        {.kind = KS_INIT_NORMAL, .a = 3, .b = 1e38}, {.kind = KS_INIT_RANDINT, .a = -5, .b = 1e9},
        {.kind = KS_INIT_IOTA, .a = 0.1, .b = 0.3}, {.kind = KS_INIT_PERMUTATION}, {.kind = KS_INIT_CONSTANT, .a = 0.1}};
    static char text[1 << 22];
    static const char *const types[] = {"f32", "f16", "bf16"};
    FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (file == NULL) {
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
            for (int as = 0; as < 24; as++) {
                int how = as % 8;
                struct ks_filling f = {.init = inits[k], .family = (enum ks_family)family, .seed = 77 + k,
                                       .total = TOTAL, .absolute = how == 1 || how == 2, .signs = how == 2 ? 99 : 0,
                                       .wide = how > 2 && how != 6, .single = how > 5,
                                       .nudge = how == 4 ? 12345 : how == 5 ? KS_FILL_ALIKE | KS_FILL_BACK : how > 5 ? 12345 | KS_FILL_FAR(9) | (how == 7 ? KS_FILL_BY_NUMBER : 0) : 0};
                f.init.factors = how == 1;
                if (!ks_elem_parse(types[as / 8], &f.elem))
                    return 2;
                if (ks_filling_is_plain(&f) && (k == 0 || family == KS_FAMILY_DECLARED))
                    compare(&f);
            }
    emu_close(&run);
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0;
}
