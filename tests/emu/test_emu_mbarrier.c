// Kernels of mbarrier.cu on the emulated device, and on a GPU (tests/gpu/emu_corpus.sh).
#include "emu_table.h"

static int arrives(int i)
{
    return 3 * N(63 - i) + (i < 32 ? 0 : 1000 * N(95 - i));
}
static int mirrored(int i)
{
    return N(63 - i);
}
static int staged(int i)
{
    int s = 0;
    for (int k = 0; k < 6; k++)
        s += N(k * 64 + 63 - i) * (k + 1);
    return s;
}
static int rolling(int i, int n)
{
    int s = 0;
    for (int k = 0; k < n; k++)
        s += N(k * 32 + 31 - i) * (k + 1);
    return s;
}
static int of_64(int i)
{
    int s = 0;
    for (int k = 0; k < 64; k++)
        s += N(i / 64 * 64 + k);
    return s;
}
static int six(int i)
{
    return rolling(i, 6);
}
static int eight(int i)
{
    return rolling(i, 8);
}
static int crossed(int i)
{
    return N((31 - i) * 4 + i % 4);
}
static int counted(int i)
{
    (void)i;
    return 20 + 100 + 4000 + 10000;
}

static const struct right rights[] = {
    {"arrives", 1, 64, 0, 64, false, arrives},
    {"copies", 1, 64, 0, 64, false, mirrored},
    {"group_copies", 1, 64, 0, 64, false, mirrored},
    {"pipeline_block", 1, 64, 0, 64, false, staged},
    {"pipeline_roles", 1, 64, 0, 32, false, six},
    {"block_tiles", 2, 128, 0, 128, false, of_64},
    {"ring", 1, 64, 0, 32, false, eight},
    {"copies_noinc", 1, 32, 0, 32, false, crossed},
    {"counted", 1, 1, 0, 1, false, counted},
};

static const struct wrong wrongs[] = {
    {"bad_no_wait", "race: ", KS_E_DEVICE, 1, 64, 0},
    {"bad_early_write", "race: ", KS_E_DEVICE, 1, 64, 0},
    {"bad_copy", "uninitialised: 4-byte read", KS_E_DEVICE, 1, 64, 0},
    {"bad_count", "deadlock: 64 threads of the block are left", KS_E_DEVICE, 1, 64, 0},
    {"bad_overflow", "barrier-divergence: 3 arrivals at an mbarrier that waits for 2 more of 2", KS_E_DEVICE, 1, 32, 0},
    {"bad_complete", "barrier-divergence: 2 arrivals", KS_E_DEVICE, 1, 32, 0},
    {"bad_zero", "barrier-divergence: an mbarrier for 0 arrivals", KS_E_DEVICE, 1, 1, 0},
    {"bad_unmade", "uninitialised: ", KS_E_DEVICE, 1, 1, 0},
    {"bad_spoilt", "uninitialised: no mbarrier", KS_E_DEVICE, 1, 32, 0},
    {"bad_begin", "at mbarrier.cu:", KS_E_DEVICE, 1, 64, 0}, // a race, or nothing is there yet
};

int main(int argc, char **argv)
{
    return emu_table(argc, argv, rights, sizeof rights / sizeof rights[0], wrongs,
                     sizeof wrongs / sizeof wrongs[0]);
}
