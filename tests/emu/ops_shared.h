// Functions that both sides of ops.def use: plain C, compiled for the device and for the host.
#ifndef KS_TEST_OPS_SHARED_H
#define KS_TEST_OPS_SHARED_H

#ifndef DEVICE
#define DEVICE static
#endif

DEVICE int sw(int which, int b)
{
    switch (which) {
    case 0:
        return b / 3;
    case 1:
        return (int)((unsigned)b * 7u);
    case 2:
        return b ^ 0x55;
    case 3:
        return b >> 3;
    case 4:
        return (int)(17u - (unsigned)b);
    case 5:
        return b & 0xfff;
    default:
        return which;
    }
}

DEVICE int looped(int n, int b)
{
    unsigned s = (unsigned)b;
    for (int i = 0; i < n; i++) {
        if ((s & 3) == 1)
            continue;
        s = s * 1664525u + 1013904223u;
        if ((s >> 28) == 5)
            break;
    }
    return (int)s;
}

DEVICE int early_out(int a, int b)
{
    if (a < 0) {
        if (b < 0)
            return (int)((unsigned)a - (unsigned)b);
        for (int i = 0; i < 40; i++)
            if (((a >> (i & 31)) & 1) != 0 && (b & (1 << (i & 15))) != 0)
                return i;
    }
    return (int)((unsigned)a + (unsigned)b);
}

DEVICE int local_array(int a, int b, int c)
{
    int t[16];
    for (int i = 0; i < 16; i++)
        t[i] = (int)((unsigned)a * (unsigned)i + (unsigned)b);
    t[c & 15] = b;
    unsigned s = 0;
    for (int i = 0; i < 16; i++)
        s = s * 31u + (unsigned)t[((unsigned)i * (unsigned)(c | 1)) & 15];
    return (int)s;
}

#endif
