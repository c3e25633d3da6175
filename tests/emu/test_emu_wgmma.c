// Kernels of wgmma.cu on the emulated device.
#include "emu_table.h"

static int product(int i)
{
    int sum = 0;
    for (int k = 0; k < 32; k++)
        sum += N(i / 8 * 32 + k) * N(2048 + k * 8 + i % 8);
    return sum;
}

#define SHARED (40 << 10)
static const struct right rights[] = {
    {"both_deep", 1, 128, SHARED, 512, false, product},
    {"b_across", 1, 128, SHARED, 512, false, product},
    {"a_across", 1, 128, SHARED, 512, false, product},
    {"both_across", 1, 128, SHARED, 512, false, product},
    {"floats", 1, 128, SHARED, 512, false, product},
    {"held_floats", 1, 128, SHARED, 512, false, product},
    {"held_halves", 1, 128, SHARED, 512, false, product},
};
static const struct wrong wrongs[] = {
    {"spoiled", "what wgmma reads was written to before the wait", KS_E_DEVICE, 1, 128, 0},
    {"not_swizzled", "without 128-byte swizzle", KS_E_UNSUPPORTED, 1, 128, 0},
    {"not_dynamic", "other shared memory than dynamic", KS_E_UNSUPPORTED, 1, 128, 0},
    {"not_written", "where nothing was written yet", KS_E_DEVICE, 1, 128, 0},
};

int main(int argc, char **argv)
{
    wrong_shared = SHARED;
    return emu_table(argc, argv, rights, sizeof rights / sizeof rights[0], wrongs,
                     sizeof wrongs / sizeof wrongs[0]);
}
