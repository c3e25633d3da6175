// Products of matrix.cu against the host: whole numbers, so that every order of summation is exact.
// Usage: test_emu_matrix MATRIX.ptx MATRIX.cu
#include <stdint.h>

#include "base/num.h"
#include "emu_run.h"

enum type { F16, BF16, F32, F64, S8, S32 };

static void put(enum type type, void *to, int i, int value)
{
    float f = (float)value;
    double d = value;
    uint16_t h = type == F16 ? ks_f32_to_f16(f) : ks_f32_to_bf16(f);
    signed char c = (signed char)value;
    if (type == F16 || type == BF16)
        memcpy((char *)to + 2 * i, &h, 2);
    else if (type == S8)
        memcpy((char *)to + i, &c, 1);
    else
        memcpy((char *)to + (type == F64 ? 8 : 4) * i, type == F64 ? (void *)&d : (void *)&f,
               type == F64 ? 8 : 4);
}

static const struct {
    const char *name;
    int m, n, k;
    enum type in, out;
    int add;
} cases[] = {
    {"wmma_f16", 16, 16, 16, F16, F32, 1}, {"wmma_bf16", 16, 16, 16, BF16, F32, 0},
    {"wmma_tf32", 16, 16, 8, F32, F32, 0}, {"wmma_s8", 16, 16, 16, S8, S32, -5},
    {"wmma_f64", 8, 8, 4, F64, F64, 0},    {"mma_f16", 16, 8, 16, F16, F32, 0},
    {"mma_bf16", 16, 8, 16, BF16, F32, 0}, {"mma_tf32", 16, 8, 8, F32, F32, 0},
    {"mma_s8", 16, 8, 32, S8, S32, 0},
};

int main(int argc, char **argv)
{
    static char text[1 << 24];
    struct emu_run run;
    int failures = 0;
    FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (f == NULL) {
        fprintf(stderr, "usage: test_emu_matrix MATRIX.ptx MATRIX.cu\n");
        return 2;
    }
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    emu_open(&run);
    if (emu_load(&run, text, n) != KS_OK) {
        printf("%s\n", run.err.text);
        return 1;
    }
    for (size_t t = 0; t < sizeof cases / sizeof cases[0]; t++) {
        static const int bytes[] = {2, 2, 4, 8, 1, 4};
        unsigned char a[4096], b[4096], c[4096];
        int m = cases[t].m, nn = cases[t].n, k = cases[t].k, bad = 0;
        for (int i = 0; i < m * k; i++)
            put(cases[t].in, a, i, i * 7 % 23 - 11);
        for (int i = 0; i < k * nn; i++)
            put(cases[t].in, b, i, i * 5 % 19 - 9);
        emu_reset(&run);
        emu_buffer(&run, a, m * k * bytes[cases[t].in]);
        emu_buffer(&run, b, k * nn * bytes[cases[t].in]);
        size_t out = emu_buffer(&run, NULL, m * nn * bytes[cases[t].out]);
        if (emu_launch(&run, cases[t].name, 1, 32, 0) != KS_OK) {
            printf("%s: %s\n", cases[t].name, run.err.text);
            failures++;
            continue;
        }
        emu_read(&run, out, c, m * nn * bytes[cases[t].out]);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < nn; j++) {
                int want = cases[t].add, whole;
                float single;
                double twice;
                for (int x = 0; x < k; x++)
                    want += ((i * k + x) * 7 % 23 - 11) * ((x * nn + j) * 5 % 19 - 9);
                memcpy(&single, c + 4 * (i * nn + j), 4);
                memcpy(&whole, c + 4 * (i * nn + j), 4);
                memcpy(&twice, c + (cases[t].out == F64 ? 8 * (i * nn + j) : 0), 8);
                double got = cases[t].out == F32   ? (double)single
                             : cases[t].out == S32 ? (double)whole
                                                   : twice;
                bad += got != want;
            }
        if (bad > 0)
            printf("%s: %d elements wrong\n", cases[t].name, bad);
        failures += bad > 0;
    }
    emu_close(&run);
    printf("%zu products, %d wrong\n", sizeof cases / sizeof cases[0], failures);
    return failures != 0;
}
