// Which integer stands under an enum, read from preprocessed text.
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "source/enumeration.h"

static struct ks_arena arena;

static const char text[] =
    "# 1 \"a.cu\"\nenum plain { a, b };\nenum class scoped { a, b };\nnamespace ns {\nenum class byte\n# 3 \"b.h\"\n"
    ": unsigned char { a = 200 };\nenum struct [[nodiscard]] sized : std::uint16_t { a };\n}\n"
    "enum __attribute__((unused)) attributed : short { a };\nenum class opaque : unsigned long;\n"
    "typedef enum { c, d } unnamed;\ntypedef enum : unsigned { e, f } unnamed_typed;\n"
    "namespace one { enum twice : char { g }; }\nnamespace two { enum twice : unsigned { h }; }\n"
    "void takes(enum scoped s, enum absent x);\nstruct renumbered { int enumerated; };\n"
    "enum class foreign : word { a };\nenum far { z = 1LL << 40 };\n";

static void enums_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t size;
        enum ks_scalar scalar; // KS_T_NONE: it is not found
    } cases[] = {{"plain", 4, KS_T_I32},         {"scoped", 4, KS_T_I32},       {"ns::byte", 1, KS_T_U8},
                 {"ns::sized", 2, KS_T_U16},     {"attributed", 2, KS_T_I16},   {"opaque", 8, KS_T_U64},
                 {"unnamed", 4, KS_T_I32},       {"unnamed_typed", 4, KS_T_U32}, {"one::twice", 1, KS_T_I8},
                 {"two::twice", 4, KS_T_U32},    {"far", 8, KS_T_I64},          {"ns::byte", 4, KS_T_NONE},
                 {"absent", 4, KS_T_NONE},       {"foreign", 4, KS_T_NONE},     {"x", 4, KS_T_NONE},
                 {"renumbered", 4, KS_T_NONE},   {"int (*)(int)", 8, KS_T_NONE}, {"", 4, KS_T_NONE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_elem elem = {0};
        bool found = ks_enumeration_find(&arena, ks_slice_of(text), cases[i].name, cases[i].size, &elem);
        if (found != (cases[i].scalar != KS_T_NONE) || (found && elem.scalar != cases[i].scalar))
            fail_msg("%s of %zu bytes: %s", cases[i].name, cases[i].size, ks_scalar_name(elem.scalar));
    }
    struct ks_elem elem;
    assert_false(ks_enumeration_find(&arena, (struct ks_slice){"", 0}, "plain", 4, &elem));
    assert_false(ks_enumeration_find(&arena, ks_slice_of("enum"), "plain", 4, &elem));
    assert_false(ks_enumeration_find(&arena, ks_slice_of("enum { a, b"), "plain", 4, &elem));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(enums_are_found)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
