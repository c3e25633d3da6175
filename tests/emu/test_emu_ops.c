// One instruction class a kernel, on special values and random bits, against the host: ops.def.
// Usage: test_emu_ops OPS.ptx OPS.cu [KERNEL]
#include <fenv.h>
#include <math.h>
#include <stdint.h>

#include "base/rng.h"
#include "emu_run.h"

#define N 2000
#define static_unused static __attribute__((unused))
#define DEVICE static_unused
#include "ops_shared.h"

static_unused int recursive(int n, int b)
{
    if (n <= 1)
        return b;
    return (int)((unsigned)recursive(n - 1, b) * 3u +
                 (unsigned)recursive(n - 2, (int)((unsigned)b + 1u)));
}

static int table_of(int a)
{
    static const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
    return primes[a & 7];
}

// ---- references, bit by bit where that is the simplest

static int bits_set(uint64_t x)
{
    int n = 0;
    for (; x != 0; x /= 2)
        n += x % 2 == 1;
    return n;
}
static int leading_zeros(uint64_t x, int width)
{
    int n = 0;
    for (int i = width - 1; i >= 0 && (x >> i) % 2 == 0; i--)
        n++;
    return n;
}
static int first_set(uint32_t x)
{
    for (int i = 0; i < 32; i++)
        if ((x >> i) % 2 == 1)
            return i + 1;
    return 0;
}
static uint64_t reversed(uint64_t x)
{
    uint64_t out = 0;
    for (int i = 0; i < 64; i++, x /= 2)
        out = out * 2 + x % 2;
    return out;
}
static unsigned bytes_permuted(unsigned a, unsigned b, unsigned s)
{
    unsigned char from[8], to[4];
    unsigned out;
    memcpy(from, &a, 4);
    memcpy(from + 4, &b, 4);
    for (int i = 0; i < 4; i++)
        to[i] = from[s >> (4 * i) & 7];
    memcpy(&out, to, 4);
    return out;
}
static int dot4(int a, int b, int c)
{
    signed char x[4], y[4];
    int64_t s = c;
    memcpy(x, &a, 4);
    memcpy(y, &b, 4);
    for (int i = 0; i < 4; i++)
        s += x[i] * y[i];
    return (int)(uint32_t)(uint64_t)s;
}
// Differences of the parts, each in its place or added up.
static unsigned absdiff(unsigned a, unsigned b, int bits, unsigned sum, int apart)
{
    for (int i = 0; i < 32; i += bits) {
        int x = (int)((a >> i) & ((1u << bits) - 1)), y = (int)((b >> i) & ((1u << bits) - 1));
        sum += (unsigned)abs(x - y) << (apart ? i : 0);
    }
    return sum;
}
static unsigned dot4u(unsigned a, unsigned b, unsigned c)
{
    unsigned char x[4], y[4];
    uint64_t s = c;
    memcpy(x, &a, 4);
    memcpy(y, &b, 4);
    for (int i = 0; i < 4; i++)
        s += (unsigned)x[i] * y[i];
    return (unsigned)s;
}
static int dot2(int a, int b, int c, int first)
{
    short x[2];
    signed char y[4];
    int64_t s = c;
    memcpy(x, &a, 4);
    memcpy(y, &b, 4);
    for (int i = 0; i < 2; i++)
        s += x[i] * y[first + i];
    return (int)(uint32_t)(uint64_t)s;
}
static unsigned bytewise(unsigned a, unsigned b, int how)
{
    unsigned char x[4], y[4];
    unsigned out;
    memcpy(x, &a, 4);
    memcpy(y, &b, 4);
    for (int i = 0; i < 4; i++)
        x[i] = (unsigned char)(how == 0 ? x[i] + y[i] : how == 1 ? (x[i] > y[i] ? x[i] : y[i])
                                                                 : (x[i] == y[i] ? 255 : 0));
    memcpy(&out, x, 4);
    return out;
}
static uint32_t float_bits(float x)
{
    uint32_t b;
    memcpy(&b, &x, 4);
    return b;
}
static unsigned float_as_u(float x)
{
    return float_bits(x);
}
static float single(long double x)
{
    return (float)x;
}
static float at_mode(int mode, char op, float a, float b, float c)
{
    volatile float x = a, y = b, z = c, r;
    fesetround(mode);
    r = op == '+' ? x + y : op == '*' ? x * y : op == '/' ? x / y : op == 's' ? sqrtf(x)
                                                                             : fmaf(x, y, z);
    fesetround(FE_TONEAREST);
    return r;
}
static double at_mode64(int mode, char op, double a, double b, double c)
{
    volatile double x = a, y = b, z = c, r;
    fesetround(mode);
    r = op == '+' ? x + y : op == '*' ? x * y : fma(x, y, z);
    fesetround(FE_TONEAREST);
    return r;
}
static float narrow_at_mode(int mode, double a)
{
    volatile double x = a;
    volatile float r;
    fesetround(mode);
    r = (float)x;
    fesetround(FE_TONEAREST);
    return r;
}
static float int_at_mode(int mode, int a)
{
    return narrow_at_mode(mode, (double)a);
}
static float number_min(float a, float b)
{
    if (a == b)
        return signbit(a) ? a : b;
    return a != a ? b : b != b ? a : a < b ? a : b;
}
static float number_max(float a, float b)
{
    if (a == b)
        return signbit(a) ? b : a;
    return a != a ? b : b != b ? a : a > b ? a : b;
}
static int to_int(float x)
{
    return x != x ? 0 : x >= 2147483648.0f ? INT32_MAX : x <= -2147483648.0f ? INT32_MIN : (int)x;
}
static unsigned to_uint(float x)
{
    return !(x >= 1) ? 0 : x >= 4294967296.0f ? UINT32_MAX : (unsigned)x;
}
static long long to_ll(double x)
{
    return x != x                          ? INT64_MIN
           : x >= 9223372036854775808.0    ? INT64_MAX
           : x <= -9223372036854775808.0   ? INT64_MIN
                                           : (long long)x;
}
// A number rounded to a format by scaling it until its last place is 1: nothing of bit patterns.
static unsigned short pack16(long double x, int digits, int least, int bias, int max_exponent)
{
    int e;
    unsigned sign = signbit(x) ? 0x8000 : 0;
    if (x != x)
        return 0x7fff;
    x = fabsl(x);
    unsigned inf = (unsigned)(2 * bias + 1) << (digits - 1);
    if (x == 0)
        return (unsigned short)sign;
    if (isinf(x))
        return (unsigned short)(sign | inf);
    frexpl(x, &e);
    e = e - 1 < least ? least : e - 1;
    long double steps = rintl(ldexpl(x, digits - 1 - e));
    if (steps >= ldexpl(1, digits)) {
        steps /= 2;
        e++;
    }
    if (e > max_exponent)
        return (unsigned short)(sign | inf);
    unsigned whole = (unsigned)steps;
    if (whole < 1u << (digits - 1))
        return (unsigned short)(sign | whole);
    return (unsigned short)(sign | (unsigned)(e + bias) << (digits - 1) |
                            (whole - (1u << (digits - 1))));
}
static double value16(unsigned short x, int digits, int bias)
{
    int e = (x & 0x7fff) >> (digits - 1);
    unsigned m = x & ((1u << (digits - 1)) - 1);
    double v = e == 2 * bias + 1 ? (m != 0 ? NAN : INFINITY)
               : e == 0          ? ldexp(m, 2 - bias - digits)
                                 : ldexp(m + (1u << (digits - 1)), e - bias - digits + 1);
    return (x & 0x8000) != 0 ? -v : v;
}
static double half_value(unsigned short x)
{
    return value16(x, 11, 15);
}
static unsigned short half_of_l(long double x)
{
    return pack16(x, 11, -14, 15, 15);
}
static unsigned short half_of(double x)
{
    return half_of_l((long double)x);
}
static float bf16_value(unsigned short x)
{
    return (float)value16(x, 8, 127);
}
static unsigned short bf16_of(double x)
{
    return pack16((long double)x, 8, -126, 127, 127);
}
static unsigned both(unsigned a, unsigned b, unsigned c)
{
    unsigned out = 0;
    for (int s = 0; s < 32; s += 16)
        out |= (unsigned)half_of_l((long double)half_value((unsigned short)(a >> s)) *
                                       (long double)half_value((unsigned short)(b >> s)) +
                                   (long double)half_value((unsigned short)(c >> s))) << s;
    return out;
}
#define small(x) (fabs((double)(x)) < 100 ? (x) : (__typeof__(x))0.5)
#define finite(x) (fabsf(x) < 3e38f ? (x) : 1.0f)

// ---- operands: special values first, then random bits, then ordinary numbers

static struct ks_rng rng;

static uint64_t special(size_t bytes, bool floating, size_t i)
{
    static const uint32_t f32[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                   0x7fffffff, 1, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff,
                                   0x4effffff, 0x4f000000, 0xcf000000, 0x3f000000, 0x3fc00000,
                                   0x40200000, 0x4b000001, 0x5f000000};
    static const uint64_t ints[] = {0, 1, UINT64_MAX, 2, 3, 7, 31, 32, 33, 63, 64, 0x80, 0x7f,
                                    0x8000, 0x7fff, 0x80000000, 0x7fffffff,
                                    UINT64_C(0x8000000000000000), UINT64_C(0x7fffffffffffffff), 5};
    if (!floating || bytes == 2)
        return ints[i % 20];
    double wide;
    float narrow;
    uint64_t bits;
    memcpy(&narrow, &f32[i % 20], 4);
    if (bytes == 4)
        return f32[i % 20];
    wide = (double)narrow;
    memcpy(&bits, &wide, 8);
    return bits;
}

static void fill(void *to, size_t bytes, bool floating, unsigned step)
{
    for (size_t i = 0; i < N; i++) {
        uint64_t bits = i < 400 ? special(bytes, floating, step == 0 ? i : i / 20 + step * 7)
                                : ks_rng_next(&rng);
        if (floating && i >= 1200) { // ordinary magnitudes
            double x = (ks_rng_unit(&rng) - 0.5) * (i % 2 == 0 ? 8 : 150);
            float y = (float)x;
            memcpy(&bits, bytes == 8 ? (void *)&x : (void *)&y, bytes);
        }
        memcpy((char *)to + i * bytes, &bits, bytes);
    }
}

static struct emu_run run;
static int failures, kernels;

static double distance(double got, double want, size_t bytes)
{
    if (got != got || want != want)
        return got != got && want != want ? 0 : INFINITY;
    if (got == want)
        return 0;
    int e;
    frexp(want, &e);
    double ulp = bytes == 4 ? ldexp(1, e - 24 < -149 ? -149 : e - 24) : ldexp(1, e - 53);
    if (bytes == 4 && fabs(want) > 3.4028235e38)
        return isinf(got) ? 0 : fabs(got) > 3.4e38 ? 1 : INFINITY;
    return fabs(got - want) / ulp;
}

static bool launch(const char *name, const void *a, const void *b, const void *c, size_t in,
                   void *out, size_t out_size)
{
    kernels++;
    emu_reset(&run);
    emu_buffer(&run, a, (int64_t)(N * in));
    emu_buffer(&run, b, (int64_t)(N * in));
    emu_buffer(&run, c, (int64_t)(N * in));
    size_t to = emu_buffer(&run, NULL, (int64_t)(N * out_size));
    emu_int(&run, N);
    if (emu_launch(&run, name, (N + 95) / 96, 96, 0) != KS_OK) {
        printf("%s: %s\n", name, run.err.text);
        failures++;
        return false;
    }
    emu_read(&run, to, out, (int64_t)(N * out_size));
    return true;
}

#define IS_FLOAT(T) _Generic((T)0, float : true, double : true, default : false)
#define BOTH_NAN(x, y) ((x) != (x) && (y) != (y))

// KS_TEST_TABLE: a line a kernel: name, kind, worst distance in ulps, a fingerprint of all results in
// which every NaN is the same.
static void add_print(uint64_t *print, bool nan, const void *value, size_t bytes)
{
    uint64_t bits = UINT64_C(0x7ff8dead);
    if (!nan) {
        bits = 0;
        memcpy(&bits, value, bytes);
    }
    *print = (*print ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    *print ^= *print >> 29;
}

static void row(const char *name, const char *kind, double worst, uint64_t print)
{
    if (getenv("KS_TEST_TABLE") != NULL)
        printf("row %s %s %.3g %016llx\n", name, kind, worst, (unsigned long long)print);
}

#define OPERANDS(name, kind, R, T, want_expr, error, most)                                        \
    static void t_##name(void)                                                                    \
    {                                                                                             \
        static T pa[N], pb[N], pc[N];                                                             \
        static R got[N];                                                                          \
        uint64_t print = 1;                                                                       \
        double worst = 0;                                                                         \
        fill(pa, sizeof(T), IS_FLOAT(T), 0);                                                      \
        fill(pb, sizeof(T), IS_FLOAT(T), 1);                                                      \
        fill(pc, sizeof(T), IS_FLOAT(T), 2);                                                      \
        if (!launch("k_" #name, pa, pb, pc, sizeof(T), got, sizeof(R)))                           \
            return;                                                                               \
        for (int i = 0; i < N; i++) {                                                             \
            const T a = pa[i], b = pb[i], c = pc[i];                                              \
            (void)b;                                                                              \
            (void)c;                                                                              \
            want_expr                                                                             \
            const double wrong = (error);                                                         \
            add_print(&print, got[i] != got[i], &got[i], sizeof got[i]);                          \
            if (wrong > (most) && worst <= (most)) {                                              \
                printf("%s: element %d of (%.9g %.9g %.9g): got %.17g, want %.17g\n", #name, i,   \
                       (double)a, (double)b, (double)c, (double)got[i], (double)want);            \
                failures++;                                                                       \
            }                                                                                     \
            worst = wrong > worst ? wrong : worst;                                                \
        }                                                                                         \
        row(#name, kind, worst, print);                                                           \
    }
#define EXACT(name, R, T, device, host)                                                           \
    OPERANDS(name, "exact", R, T, const R want = (R)(host);,                                      \
             memcmp(&got[i], &want, sizeof want) == 0 || BOTH_NAN(got[i], want) ? 0.0 : 1.0, 0)
#define NEAR(name, R, T, device, host, ulps)                                                      \
    OPERANDS(name, "near", R, T, const double want = (double)(host);,                             \
             distance((double)got[i], want, sizeof(R)), ulps)
#include "ops.def"
#undef EXACT
#undef NEAR

#define EXACT(name, R, T, device, host) {#name, t_##name},
#define NEAR(name, R, T, device, host, ulps) {#name, t_##name},
static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
#include "ops.def"
};

int main(int argc, char **argv)
{
    static char text[1 << 25];
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (f == NULL) {
        fprintf(stderr, "usage: test_emu_ops OPS.ptx OPS.cu [KERNEL]\n");
        return 2;
    }
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    emu_open(&run);
    if (emu_load(&run, text, n) != KS_OK) {
        printf("%s\n", run.err.text);
        return 1;
    }
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        ks_rng_seed(&rng, i + 1);
        if (argc < 4 || strcmp(argv[3], tests[i].name) == 0)
            tests[i].run();
    }
    emu_close(&run);
    printf("%d kernels, %d wrong\n", kernels, failures);
    return failures != 0;
}
