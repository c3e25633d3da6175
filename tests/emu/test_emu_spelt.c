// Kernels of spelt.cu on the emulated device.
#include <math.h>

#include "emu_table.h"

static int itself(int i)
{
    return N(i);
}
static int min3(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}
static int half_math(int i)
{
    float low = (float)N(i) * 0.25f - 3, high = (float)N(i + 1) * 0.25f - 3;
    low = (low > 0.25f ? low : 0.25f) - 0.25f, high = (high > 0.25f ? high : 0.25f) - 0.25f;
    low = low > 1 ? 1 : low, high = high > 1 ? 1 : high;
    bool over = (float)N(i) > 0.25f && (float)N(i + 1) > 0.25f;
    return (int)(low * 8) + (int)(high * 800) + over * 100000 + 0x10002 % 1000 * 1000000;
}
static int brain_math(int i)
{
    int low = 2 * N(i) + 1; // of 8 bits: beyond 256 even
    if (low > 128)
        low = 128; // only that it is beyond 64 matters
    return (low < 64 ? low : 64) + 5000 + (N(i) > 3 ? 1000000 : 0);
}
static int three_ways(int i)
{
    int a = N(i), b = N(i + 1), c = N(i + 2), m = 30 - min3(a, b, c);
    int top = a > b ? a : b;
    top = top > c ? top : c;
    return min3(a, b, c) + 1000 * min3(a, b, c) + 100000 * ((m > 0 ? m : 0) + top % 10);
}
static int pairs_of_floats(int i)
{
    return 6 * N(i) + 2 + 10000 * 27;
}
static int tensor_floats(int i)
{
    int n = N(i), up = (n + 4) / 8, even = n / 8 + (n % 8 > 4 || (n % 8 == 4 && n / 8 % 2 == 1));
    return up + 1000 * even;
}
static int dots(int i)
{
    int a = N(i);
    int d = 5 + a * (2 + 1 - 1 - 128), x = a * 0x0101;
    return d + (x * 0xff + x * 0x80 - 7);
}
static int logic_asm(int i)
{
    unsigned a = (unsigned)N(i), r = (a & 0x55) | (a & 0x0f) | (0x55 & 0x0f);
    unsigned s = (a & 1) != 0 ? 0x4433 : 0x2211;
    return (int)(r + s + 3 * a);
}
static int switches(int i)
{
    switch (N(i) % 9) {
    case 0:
        return N(1) + 5;
    case 1:
        return N(2) * 3;
    case 2:
        return N(3) - 7;
    case 3:
        return N(4) ^ 1;
    case 4:
        return N(5) / 3;
    case 5:
        return N(6) & 6;
    case 6:
        return N(7) | 9;
    case 7:
        return N(8) << 2;
    default:
        return -1;
    }
}
static int twice(int x)
{
    return x < 50 ? x * 2 : x - twice(x / 2);
}
static int calls(int i)
{
    return twice(N(i));
}
static int goes_about(int i)
{
    int x = N(i), n = 0;
    for (;;) {
        for (int k = 0; k < 10; k++) {
            if (x == 1 || ++n > 100)
                return n;
            x = (x & 1) != 0 ? 3 * x + 1 : x / 2;
            if (x % 7 == 3)
                break;
        }
    }
}
static int by_size(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
static int local_arrays(int i)
{
    int a[32];
    memcpy(a, numbers, sizeof a);
    qsort(a, 32, sizeof a[0], by_size);
    return a[i % 32] + 1000 * a[31 - i % 32];
}
static int doubles(int i)
{
    double x = N(i);
    return (int)(x + rint(x / 3) * 1000 + (x > 50 ? 2 * x + 1 : x) * 100000);
}
static int packed_bytes(int i)
{
    unsigned a = (unsigned)N(i) * 0x01030507u, b = (unsigned)N(i + 1) * 0x02040608u, out = 0;
    for (int s = 0; s < 32; s += 8) {
        unsigned x = a >> s & 255, y = b >> s & 255;
        out ^= ((x + y) & 255) << s ^ (x > y ? 255u : 0) << s;
    }
    for (int s = 0; s < 32; s += 16) {
        unsigned x = a >> s & 0xffff, y = b >> s & 0xffff;
        out ^= (x > y ? x - y : y - x) << s ^ ((short)x > (short)y ? x : y) << s;
    }
    return (int)out;
}
static int transposed(int row, int col)
{
    return N(col * 8 + row);
}
static int store_matrix(int i)
{
    return transposed(i / 8, i % 8) + 1000 * transposed(4 + i / 8, i % 8);
}
static int move_matrix(int i)
{
    return transposed(i / 4, i % 4 * 2) + 1000 * transposed(i / 4, i % 4 * 2 + 1);
}

static const struct right rights[] = {
    {"half_math", 1, 64, 0, 64, false, half_math},
    {"brain_math", 1, 64, 0, 64, false, brain_math},
    {"three_ways", 1, 64, 0, 64, false, three_ways},
    {"pairs_of_floats", 1, 64, 0, 64, false, pairs_of_floats},
    {"tensor_floats", 1, 64, 0, 64, false, tensor_floats},
    {"dots", 1, 64, 0, 64, false, dots},
    {"logic_asm", 1, 64, 0, 64, false, logic_asm},
    {"switches", 1, 64, 0, 64, false, switches},
    {"calls", 1, 64, 0, 64, false, calls},
    {"goes_about", 1, 64, 0, 64, false, goes_about},
    {"asserted", 1, 64, 0, 64, false, itself},
    {"local_arrays", 1, 64, 0, 64, false, local_arrays},
    {"doubles", 1, 64, 0, 64, false, doubles},
    {"packed_bytes", 1, 64, 0, 64, false, packed_bytes},
    {"store_matrix", 1, 32, 0, 32, false, store_matrix},
    {"move_matrix", 1, 32, 0, 32, false, move_matrix},
};

int main(int argc, char **argv)
{
    return emu_table(argc, argv, rights, sizeof rights / sizeof rights[0], NULL, 0);
}
