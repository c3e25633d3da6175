// Layouts read from text, held against the host compiler's: both follow the Itanium C++ ABI's plain structs.
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "workload/fields.h"

static struct ks_arena arena;

struct inner {
    short s;
    double d;
};
struct plain {
    const float *a;
    int n;
    float *b, *c[2];
    char tag;
    struct inner in[2];
    unsigned long long last;
};
static const char text[] =
    "# 1 \"a.cu\"\nnamespace ns {\nstruct inner { short s; double d; };\n"
    "struct plain {\n    plain() : n(0) {}\n    __attribute__((device)) float at(int i) const { return a[i]; }\n"
    "    static const int limit = 3;\n  public:\n    const float *a;\n    int n = 4;\n# 2 \"b.h\"\n"
    "    float * __restrict__ b, *c[2];\n    char tag{'x'};\n    inner in[2];\n    unsigned long long last;\n};\n}\n"
    "struct based : plain { int x; };\nunion either { int *a; long b; };\nstruct holds { either e; };\n"
    "struct bits { int a : 3; };\nstruct call { void (*f)(int); };\nstruct wide { __attribute__((aligned(16))) int a; };\n"
    "struct twice { int a; };\nnamespace other { struct twice { long a; }; }\nstruct self { self *next; int n; };\n"
    "struct packed_ { char a; } __attribute__((packed));\nstruct none {};\nstruct vector { float3 v; float4 w; };\n"
    "struct array { int a[n]; };\nstruct named { plain_t p; };\nplain use(struct plain p);\n";

static bool find(const char *type, struct ks_fields *out)
{
    return ks_fields_find(&arena, (struct ks_slice){text, sizeof text - 1}, type, out);
}

static void test_plain(void **state)
{
    struct ks_fields f;
    (void)state;
    assert_true(find("ns::plain", &f));
    assert_int_equal(f.size, sizeof(struct plain));
    assert_int_equal(f.len, 5 + 1 + 4 + 1);
    const size_t at[] = {offsetof(struct plain, a), offsetof(struct plain, n), offsetof(struct plain, b),
                         offsetof(struct plain, c), offsetof(struct plain, c) + 8, offsetof(struct plain, tag),
                         offsetof(struct plain, in), offsetof(struct plain, in) + 8, offsetof(struct plain, in) + 16,
                         offsetof(struct plain, in) + 24, offsetof(struct plain, last)};
    for (size_t i = 0; i < f.len; i++)
        assert_int_equal(f.at[i].at, at[i]);
    assert_true(f.at[0].type.pointer && f.at[0].type.pointee_const && f.at[0].type.elem.scalar == KS_T_F32);
    assert_true(f.at[3].type.pointer && !f.at[3].type.pointee_const);
    assert_true(!f.at[5].type.pointer && f.at[5].size == 1);
    assert_true(find("plain const", &f) && find("self", &f));
    assert_true(f.at[0].type.pointer && f.at[0].type.elem.scalar == KS_T_NONE && f.size == 16);
    assert_true(find("vector", &f) && f.size == 32 && f.at[1].at == 16);
}

static void test_unknown(void **state)
{
    static const char *const types[] = {"based", "either", "holds", "bits", "call", "wide", "twice", "packed_",
                                        "none", "array", "named", "absent", "plain<float>", "", "ns::"};
    struct ks_fields f;
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (find(types[i], &f))
            fail_msg("'%s' is understood", types[i]);
    assert_false(ks_fields_find(&arena, (struct ks_slice){"", 0}, "plain", &f));
    assert_false(ks_fields_find(&arena, ks_slice_of("struct plain { int a;"), "plain", &f));
    assert_false(ks_fields_find(&arena, ks_slice_of("struct a { b x; }; struct b { a x; };"), "a", &f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_unknown)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
