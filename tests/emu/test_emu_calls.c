// Kernels of calls.cu on the emulated device.
#include "emu_table.h"

static int one_of(int which, int a, int b)
{
    return which == 0 ? a + b : which == 1 ? a * b : a - b;
}
static int listed(int i)
{
    return one_of(N(i) % 3, N(i), 7);
}
static int nested(int i)
{
    int x = N(i), odd = x & 1;
    return one_of(odd + x % 2, x, odd ? 40 : 30) + 1 + odd;
}
static int virtuals(int i)
{
    return (N(i) & 1) != 0 ? N(i) * N(i) + 400000 : N(i) * N(0) + 200000;
}
static int recursive(int i)
{
    int s = 0;
    for (int n = N(i) % 20; n > 0; n -= 2)
        s += n;
    return s;
}
static int mirrored(int i)
{
    return N(63 - i);
}

static int late_number(int i)
{
    int x = N(i);
    for (int k = 0; k < 1000 && i % 32 == 7; k++)
        x = N(x & 63);
    return x;
}
static int late(int i)
{
    int sum = 0;
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++)
        sum += late_number(k) * (late_number(k) % 3 + 1);
    return sum + late_number(i) * (late_number(i) % 2 + 1);
}

static const struct right rights[] = {
    {"selected", 1, 64, 0, 64, false, listed},   {"listed", 1, 64, 0, 64, false, listed},
    {"nested", 1, 64, 0, 64, false, nested},     {"virtuals", 1, 64, 0, 64, false, virtuals},
    {"recursive", 1, 64, 0, 64, false, recursive}, {"shared_callee", 2, 64, 0, 64, false, mirrored},
    {"late", 1, 64, 0, 64, false, late},
};

static const struct wrong wrongs[] = {
    {"bad_null", "trap: call of 0x0, which is no function", KS_E_DEVICE, 1, 32, 0},
    {"bad_number", "trap: call of 0x", KS_E_DEVICE, 1, 1, 0},
    {"bad_type", "which is no function for these arguments", KS_E_DEVICE, 1, 32, 0},
    {"un_elsewhere", "its address comes from elsewhere", KS_E_UNSUPPORTED, 1, 32, 0},
};

int main(int argc, char **argv)
{
    return emu_table(argc, argv, rights, sizeof rights / sizeof rights[0], wrongs,
                     sizeof wrongs / sizeof wrongs[0]);
}
