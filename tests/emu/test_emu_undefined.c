// Kernels of undefined.cu on the emulated device.
#include "emu_table.h"

static int itself(int i)
{
    return N(i);
}
static int margins(int i)
{
    return N(i) + (i > 0 ? N(i - 1) : 0) + (i < 63 ? N(i + 1) : 0);
}
static int and_then(int i)
{
    int there = N(i) % 3 != 0;
    return (there && N(i) > 50) + 2 * (there && N(i) < 20);
}
static int masked(int i)
{
    return i < 40 ? N(i) : 0;
}
static int structs(int i)
{
    return N(63 - i) + 10 * N(64 - i) + 100 * N(65 - i);
}

static int put_fields(int i)
{
    return (N(63 - i) & 7) + 10 * N(64 - i);
}
static int padding(int i)
{
    return i % 2 == 0 ? N(31 - i / 2) : 2 * N(32 - i / 2);
}

static int mirrored(int i)
{
    return N(63 - i);
}

static const struct right rights[] = {
    {"ahead", 1, 64, 0, 64, false, itself},     {"margins", 1, 64, 0, 64, false, margins},
    {"and_then", 1, 64, 0, 64, false, and_then}, {"masked", 1, 64, 0, 64, false, masked},
    {"structs", 1, 64, 0, 64, false, structs},  {"called", 1, 64, 0, 64, false, itself},
    {"put_fields", 1, 64, 0, 64, false, put_fields}, {"padding", 1, 32, 0, 64, false, padding},
    {"exchanged", 1, 64, 0, 64, false, mirrored},
};

#define LINE(read, used)                                                                          \
    "where nothing was written yet, by thread (5,0,0) of block (0,0,0) at undefined.cu:" #read     \
    "; used by thread (5,0,0) of block (0,0,0) at undefined.cu:" #used

static const struct wrong wrongs[] = {
    {"bad_store", LINE(80, 80), KS_E_DEVICE, 1, 64, 0},
    {"bad_sum", LINE(88, 88), KS_E_DEVICE, 1, 64, 0},
    {"bad_branch", LINE(96, 96), KS_E_DEVICE, 1, 64, 0},
    {"bad_address", LINE(105, 105), KS_E_DEVICE, 1, 64, 0},
    {"bad_atomic", LINE(113, 113), KS_E_DEVICE, 1, 64, 0},
    {"bad_shuffle", LINE(121, 121), KS_E_DEVICE, 1, 64, 0},
    {"bad_select", "4-byte read at offset 0 of a shared variable", KS_E_DEVICE, 1, 64, 0},
    {"bad_and", "4-byte read at offset 160 of a shared variable", KS_E_DEVICE, 1, 64, 0},
    {"bad_copy", "4-byte read at offset 232 of a shared variable", KS_E_DEVICE, 1, 64, 0},
    {"bad_call", LINE(61, 62), KS_E_DEVICE, 1, 64, 0},
    {"bad_exchange", LINE(219, 219), KS_E_DEVICE, 1, 64, 0},
    {"bad_padding", "2-byte read at offset 44 of ", KS_E_DEVICE, 1, 32, 0},
};

int main(int argc, char **argv)
{
    return emu_table(argc, argv, rights, sizeof rights / sizeof rights[0], wrongs,
                     sizeof wrongs / sizeof wrongs[0]);
}
