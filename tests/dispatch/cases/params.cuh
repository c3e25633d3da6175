// Parameters of every size, alignment and qualification: the variant's kernel gets the very bytes
// that the original would have got.
#pragma once
#include <cstring>
#include <cuda_fp16.h>

#include "suite.h"

struct Padded { // holes inside and behind
    char a;
    double b;
    short c;
};
struct alignas(16) Wide {
    float at[4];
    char tail;
};
struct Copied { // a class with a copy constructor of its own
    int a, b;
    __host__ __device__ Copied(int x, int y) : a(x), b(y) {}
    __host__ __device__ Copied(const Copied &other) : a(other.a), b(other.b) {}
};
struct Empty {};
struct Large { // with the other parameters just under 4 KiB
    unsigned char at[4072];
};
struct Huge { // beyond the 4 KiB that architectures before sm_70 have
    unsigned char at[32000];
};
enum class Kind : unsigned char { NO = 3, YES = 200 };
typedef unsigned char Bytes[16];

VARIANT(sizes_v, Log *, char, short, char, int, char, long long, char, double, bool);
VARIANT(vectors_v, Log *, char, float4, char, double2, char, uchar1, short3);
VARIANT(halves_v, Log *, __half, __half2, char);
// Members one by one: what is in the holes of a copy is nobody's business.
__host__ __device__ inline unsigned long long members(const Padded &a, const Wide &c)
{
    return hash_of(a.a, a.b, a.c, c.at, c.tail);
}
__host__ __device__ inline void structs_body(Log *log, Padded a, char b, Wide c, Copied d, Kind e)
{
    record(log, "o", members(a, c), b, d, e);
}
__host__ __device__ inline void structs_v_body(Log *log, Padded a, char b, Wide c, Copied d, Kind e)
{
    record(log, "structs_v", members(a, c), b, d, e);
}
VARIANT_BODY(structs_v, structs_v_body);
VARIANT(pointers_v, Log *, const float *, volatile float *, float *, float **, const void *,
        float *);
VARIANT(reference_v, Log *, int);
VARIANT(cv_v, Log *, int, int, double);
struct Members { // a domain asks for it by place, and a plan hands it on so
    const float *from;
    int n;
    float *to;
    short tag;
    signed char sign;
};
__host__ __device__ inline void members_v_body(Log *log, const float *from, int n, short tag,
                                               signed char sign, long long wide)
{
    record(log, "members_v", from, n, tag, sign, wide);
}
VARIANT_BODY(members_v, members_v_body);
VARIANT(large_v, Log *, Large, int);
VARIANT(huge_v, Log *, Huge, int);
VARIANT(defaults_v, Log *, int, int);
VARIANT(shuffled_v, Log *, float, int, long long, int);

__global__ void sizes(Log *log, char a, short b, char c, int d, char e, long long f, char g,
                      double h, bool i)
{
    record(log, "o", a, b, c, d, e, f, g, h, i);
}
__global__ void vectors(Log *log, char a, float4 b, char c, double2 d, char e, uchar1 f, short3 g)
{
    record(log, "o", a, b, c, d, e, f, g);
}
__global__ void halves(Log *log, __half a, __half2 b, char c)
{
    record(log, "o", a, b, c);
}
__global__ void structs(Log *log, Padded a, char b, Wide c, Copied d, Kind e)
{
    structs_body(log, a, b, c, d, e);
}
__host__ __device__ inline void asked_body(Log *log, Members m)
{
    record(log, "o", m.from, m.n, m.to, m.tag, m.sign);
}
__global__ void asked(Log *log, Members m)
{
    asked_body(log, m);
}
__global__ void pointers(Log *log, const float *__restrict__ a, volatile float *b, float *const c,
                         float **d, const void *e, float f[16])
{
    record(log, "o", a, b, c, d, e, f);
}
__global__ void array_reference(Log *log, const Bytes &bytes, int n)
{
    record(log, "o", &bytes, n);
}
static void play_reference(Log *log, const Bytes &bytes, int n)
{
    record(log, "o", &bytes, n);
}
__global__ void cv(Log *log, const int a, volatile int b, const volatile double c)
{
    record(log, "o", a, b, c);
}
__global__ void large(Log *log, Large a, int n)
{
    record(log, "o", a, n);
}
__global__ void huge(Log *log, const __grid_constant__ Huge a, int n)
{
    record(log, "o", a, n);
}
__host__ __device__ inline void empty_body(Log *log, Empty, int n)
{
    record(log, "empty_v", n);
}
VARIANT_BODY(empty_v, empty_body);
__global__ void empty_struct(Log *log, Empty, int n)
{
    record(log, "o", n);
}
__global__ void defaults(Log *log, int a, int b = 7)
{
    record(log, "o", a, b);
}
__global__ void shuffled(Log *log, int n, float x, int m)
{
    record(log, "o", n, x, m);
}

PLAY(sizes);
PLAY(vectors);
PLAY(halves);
PLAY(structs, structs_body);
PLAY(asked, asked_body);
PLAY(pointers);
PLAY(array_reference, play_reference);
PLAY(cv);
PLAY(large);
PLAY(huge);
PLAY(empty_struct, [](Log *log, Empty, int n) { record(log, "o", n); });
PLAY(defaults);
PLAY(shuffled);

CASE("param.sizes")
{
    sizes<<<2, 32>>>(suite::log(), (char)1, (short)-2, (char)3, -4, (char)5, -6ll, (char)7, 8.5,
                     true);
    CHECK(suite::saw(0, (char)1, (short)-2, (char)3, -4, (char)5, -6ll, (char)7, 8.5, true));
}
CASE("param.vectors")
{
    const float4 b = make_float4(1, 2, 3, 4);
    const double2 d = make_double2(5, 6);
    const uchar1 f = make_uchar1(7);
    const short3 g = make_short3(8, 9, 10);
    vectors<<<2, 32>>>(suite::log(), (char)1, b, (char)2, d, (char)3, f, g);
    CHECK(suite::saw(0, (char)1, b, (char)2, d, (char)3, f, g));
}
CASE("param.halves")
{
    const __half a = __float2half(1.5f);
    const __half2 b = __floats2half2_rn(2.f, 3.f);
    halves<<<2, 32>>>(suite::log(), a, b, (char)4);
    CHECK(suite::saw(0, a, b, (char)4));
}
CASE("param.structs")
{
    Padded a;
    Wide c;
    memset((void *)&c, 0xa5, sizeof c);
    a.a = 'x';
    a.b = 2.5;
    a.c = -3;
    structs<<<2, 32>>>(suite::log(), a, (char)1, c, Copied(3, 4), Kind::YES);
    CHECK(suite::saw(0, members(a, c), (char)1, Copied(3, 4), Kind::YES));
}
CASE("param.members")
{
    float *p = (float *)0x1000;
    const Members right = {p, 1000, p + 1000, -3, -1};
    Members m = right;
    asked<<<1, 32>>>(suite::log(), m);
    CHECK(suite::saw(0, p, 1000, (short)-3, (signed char)-1, 507ll) ||
          suite::saw(0, p, 1000, p + 1000, (short)-3, (signed char)-1));
    m.n = 999;
    asked<<<1, 32>>>(suite::log(), m);
    m = right, m.tag = 3;
    asked<<<1, 32>>>(suite::log(), m);
    m = right, m.sign = 1;
    asked<<<1, 32>>>(suite::log(), m);
    m = right, m.to = p + 999; // now they overlap
    asked<<<1, 32>>>(suite::log(), m);
    m = right, m.from = nullptr;
    asked<<<1, 32>>>(suite::log(), m);
}
CASE("param.pointers")
{
    float *p = (float *)0x1000;
    pointers<<<2, 32>>>(suite::log(), p, p + 1, p + 2, (float **)p + 3, p + 4, p + 5);
    CHECK(suite::saw(0, p, p + 1, p + 2, (float **)p + 3, p + 4, p + 5));
}
CASE("param.array-reference")
{
    const Bytes &bytes = *(const Bytes *)0x2000;
    array_reference<<<2, 32>>>(suite::log(), bytes, 5); // no plan can hand the reference on
    CHECK(suite::saw(0, 5) || suite::saw(0, &bytes, 5));
}
CASE("param.const-volatile")
{
    cv<<<2, 32>>>(suite::log(), 1, 2, 3.5);
    CHECK(suite::saw(0, 1, 2, 3.5));
}
CASE("param.4k")
{
    static Large a;
    for (size_t i = 0; i < sizeof a.at; i++)
        a.at[i] = (unsigned char)(i * 7);
    large<<<2, 32>>>(suite::log(), a, 9);
    CHECK(suite::saw(0, a, 9));
}
CASE("param.32k")
{
    static Huge a;
    for (size_t i = 0; i < sizeof a.at; i++)
        a.at[i] = (unsigned char)(i * 5);
    huge<<<2, 32>>>(suite::log(), a, 9);
    CHECK(suite::saw(0, a, 9));
}
CASE("param.empty-struct")
{
    empty_struct<<<2, 32>>>(suite::log(), Empty(), 9);
    CHECK(suite::saw(0, 9));
}
CASE("param.default")
{
    defaults<<<2, 32>>>(suite::log(), 1);
    defaults<<<2, 32>>>(suite::log(), 2, 3);
    CHECK(suite::saw(0, 1, 7) && suite::saw(1, 2, 3));
}
CASE("param.reordered")
{
    // The plan drops one, repeats one, and computes others of other types.
    shuffled<<<2, 32>>>(suite::log(), 10, 2.5f, 3);
    if (suite::ran() > 0 && suite::entry(0).who[0] != 'o')
        CHECK(suite::saw(0, 2.5f, 10, 30ll, 10));
}
