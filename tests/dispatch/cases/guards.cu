// Both sides of every clause of a guard, of the judged domain, and of what a plan can be refused
// for; and macros of the unit, none of which may reach a variant or the table.
#include "kernels.cuh"
#include "plans.cuh"

VARIANT(scale4, Log *, float *, const float *, float, int);
VARIANT(scale80, Log *, float *, const float *, float, int);
VARIANT(ratio_v, Log *, long long, long long);
VARIANT(product_v, Log *, long long, unsigned long long);
VARIANT(shifted_v, Log *, int);
VARIANT(either_v, Log *, int, int);
VARIANT(spans_v, Log *, const char *, const char *, long long, long long);
VARIANT(first_v, Log *, int);
VARIANT(second_v, Log *, long long, bool, float);
VARIANT(bounded_v, Log *, int);
VARIANT(spoiled_v, Log *, int);
VARIANT(shaped_v, Log *, int, int, int);
VARIANT(narrow_v, Log *, signed char, unsigned short, double);

__global__ void scale(Log *log, float *y, const float *x, float a, int n)
{
    record(log, "o", y, x, a, n);
}
__global__ void ratio(Log *log, long long n, long long d)
{
    record(log, "o", n, d);
}
#define bad 5
#define x4 )
#define ks_unlikely 1
__global__ void product(Log *log, long long n, unsigned long long u)
{
    record(log, "o", n, u);
} __global__ void shifted(Log *log, int n)
{
    record(log, "o", n);
}
__global__ void either(Log *log, int n, int d)
{
    record(log, "o", n, d);
}
__global__ void spans(Log *log, const char *p, const char *q, long long n, long long m)
{
    record(log, "o", p, q, n, m);
}
__global__ void two_tried(Log *log, int n)
{
    record(log, "o", n);
}
__global__ void shaped(Log *log, int g, int b, int s)
{
    record(log, "o", g, b, s);
}
__global__ void narrow(Log *log, int n)
{
    record(log, "o", n);
}
__global__ void bounded(Log *log, int b) // for device_only.cu
{
    record(log, "o", b);
}
__global__ void spoiled(Log *log, int n) // for mocked.cu: what is known of it is made up there
{
    record(log, "o", n);
}

PLAY(scale);
PLAY(ratio);
PLAY(product);
PLAY(shifted);
PLAY(either);
PLAY(spans);
PLAY(two_tried);
PLAY(shaped);
PLAY(narrow);
PLAY(spoiled);
PLAY(bounded);

static const long long MOST = 0x7fffffffffffffffll;

// scale: domain 16 <= n <= 1 << 20, shared == 0; n % 4 == 0, x and y aligned to 16, a grid that
// covers n, no overlap.
CASE("guard.inside")
{
    scale<<<4, 256>>>(suite::log(), Y, X, 2.f, 1024);
    CHECK(suite::saw(0, Y, (const float *)X, 2.f, 1024));
}
CASE("domain.below")
{
    scale<<<4, 256>>>(suite::log(), Y, X, 2.f, 12);
    CHECK(suite::saw(0, Y, (const float *)X, 2.f, 12));
}
CASE("domain.lowest")
{
    scale<<<4, 256>>>(suite::log(), Y, X, 2.f, 16);
}
CASE("domain.highest")
{
    scale<<<4096, 256>>>(suite::log(), Y, X, 2.f, 1 << 20);
}
CASE("domain.above")
{
    scale<<<4097, 256>>>(suite::log(), Y, X, 2.f, (1 << 20) + 4);
}
CASE("domain.shared")
{
    scale<<<4, 256, 16>>>(suite::log(), Y, X, 2.f, 1024);
}
CASE("guard.multiple")
{
    for (int n = 1021; n <= 1024; n++)
        scale<<<4, 256>>>(suite::log(), Y, X, 2.f, n);
    CHECK(suite::saw(2, Y, (const float *)X, 2.f, 1023));
}
CASE("guard.aligned")
{
    scale<<<4, 256>>>(suite::log(), Y, X + 1, 2.f, 1024);
    scale<<<4, 256>>>(suite::log(), Y + 2, X, 2.f, 1024);
    scale<<<4, 256>>>(suite::log(), Y + 4, X + 4, 2.f, 1024);
    CHECK(suite::saw(0, Y, (const float *)X + 1, 2.f, 1024));
}
CASE("guard.grid")
{
    scale<<<1, 1023>>>(suite::log(), Y, X, 2.f, 1024);
    scale<<<1, 1024>>>(suite::log(), Y, X, 2.f, 1024);
}
CASE("guard.overlap")
{
    scale<<<4, 256>>>(suite::log(), Y, Y + 1020, 2.f, 1024); // the last four elements
    scale<<<4, 256>>>(suite::log(), Y, Y + 1024, 2.f, 1024); // touching
    scale<<<4, 256>>>(suite::log(), Y + 1020, Y, 2.f, 1024);
    scale<<<4, 256>>>(suite::log(), Y, Y, 2.f, 1024);
}
CASE("guard.overlap-ends")
{
    const char *p = (const char *)X, *last = (const char *)~0ull;
    spans<<<1, 32>>>(suite::log(), p, p + 8, 8, 8);
    spans<<<1, 32>>>(suite::log(), p, p, 0, 8);        // an empty range meets nothing
    spans<<<1, 32>>>(suite::log(), p, p + 8, 8, -8);   // a negative length is undefined
    spans<<<1, 32>>>(suite::log(), p, last - 3, 8, 8); // so is the end of the address space
}
CASE("guard.divide-by-zero")
{
    ratio<<<1, 32>>>(suite::log(), 8, 2);
    ratio<<<1, 32>>>(suite::log(), 8, 0);
    CHECK(suite::saw(1, 8ll, 0ll));
}
CASE("guard.divide-overflow")
{
    ratio<<<1, 32>>>(suite::log(), -MOST - 1, -1); // SIGFPE in plain C
    ratio<<<1, 32>>>(suite::log(), -MOST, -1);
}
CASE("guard.multiply-overflow")
{
    product<<<1, 32>>>(suite::log(), 3037000499ll, 1);
    product<<<1, 32>>>(suite::log(), 3037000500ll, 1); // its square exceeds 63 bits
}
CASE("guard.unsigned-64")
{
    product<<<1, 32>>>(suite::log(), 1, (unsigned long long)MOST);
    product<<<1, 32>>>(suite::log(), 1, 1ull << 63); // no value of the expressions' integers
    CHECK(suite::saw(1, 1ll, 1ull << 63));
}
CASE("guard.shift")
{
    for (int n : {-1, 0, 62, 63})
        shifted<<<1, 32>>>(suite::log(), n);
}
CASE("guard.short-circuit")
{
    either<<<1, 32>>>(suite::log(), 5, 0); // d == 0 || n / d > 1
    either<<<1, 32>>>(suite::log(), 5, 2);
    either<<<1, 32>>>(suite::log(), 5, 5);
}
CASE("guard.first-of-two")
{
    two_tried<<<1, 1>>>(suite::log(), 100);
    CHECK(suite::saw(0, 100));
    two_tried<<<1, 1>>>(suite::log(), 101);
    two_tried<<<1, 1>>>(suite::log(), 7); // 1000 / (n - 7)
}

CASE("plan.grid")
{
    for (int g : {1, 0, -5})
        shaped<<<2, 32>>>(suite::log(), g, 64, 0);
    CHECK(suite::saw(0, 1, 64, 0) && suite::saw(1, 0, 64, 0));
}
CASE("plan.block")
{
    for (int b : {1024, 1025, 0, -1})
        shaped<<<2, 32>>>(suite::log(), 1, b, 0);
}
CASE("plan.shared")
{
    for (int s : {0, 100, -1, 1 << 20})
        shaped<<<2, 32>>>(suite::log(), 1, 64, s);
}
CASE("plan.value")
{
    narrow<<<1, 32>>>(suite::log(), 127);
    narrow<<<1, 32>>>(suite::log(), 128);  // no signed char
    narrow<<<1, 32>>>(suite::log(), -1);   // no unsigned short
    CHECK(suite::saw(1, 128) && suite::saw(2, -1));
    if (suite::entry(0).who[0] != 'o')
        CHECK(suite::saw(0, (signed char)127, (unsigned short)127, 128.));
}

// The table stands behind these.
#define a 1
#define b 2
#define n 3
#define r 4
#define host 6
