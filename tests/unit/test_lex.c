#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "source/lex.h"

static struct ks_arena arena;

// The tokens' spellings, each followed by '|'.
static const char *lexed(const char *text, bool comments)
{
    struct ks_token *tokens;
    size_t n = ks_lex_all(&arena, ks_slice_of(text), comments, &tokens);
    const char *out = "";
    for (size_t i = 0; i + 1 < n; i++)
        out = ks_arena_printf(&arena, "%s%s|", out, ks_token_text(&arena, &tokens[i]));
    return out;
}

static void test_tokens(void **state)
{
    (void)state;
    assert_string_equal(lexed("k<<<g,b>>>(a->b::c...);", false),
                        "k|<<<|g|,|b|>>>|(|a|->|b|::|c|...|)|;|");
    assert_string_equal(lexed("1'000'000 0x1p-3f .5e+10 1.f 'a' u8'x' L\"q\\\"r\"", false),
                        "1'000'000|0x1p-3f|.5e+10|1.f|'a'|u8'x'|L\"q\\\"r\"|");
    assert_string_equal(lexed("R\"x(a)\" // {\n)x\" z", false), "R\"x(a)\" // {\n)x\"|z|");
    assert_string_equal(lexed("LR\"(})\" uR2 \"s\"", false), "LR\"(})\"|uR2|\"s\"|");
    assert_string_equal(lexed("a /* } // */ b // }\nc", false), "a|b|c|");
    assert_string_equal(lexed("a /* x */ b // y\nc", true), "a|/* x */|b|// y|c|");
}

static void test_splices(void **state)
{
    (void)state;
    assert_string_equal(lexed("__glo\\\nbal__ <\\\r\n<< \"a\\\nb\" // c\\\n }\nd", false),
                        "__global__|<<<|\"ab\"|d|");
    struct ks_token *tokens;
    ks_lex_all(&arena, ks_slice_of("a\\\nb c\nd"), false, &tokens);
    assert_true(ks_token_is(&tokens[0], "ab"));
    assert_int_equal(tokens[0].len, 4);
    assert_int_equal(tokens[1].line, 2);
    assert_false(tokens[1].line_start);
    assert_int_equal(tokens[2].line, 3);
    assert_true(tokens[2].line_start);
}

static void test_directives(void **state)
{
    (void)state;
    assert_string_equal(lexed("\xEF\xBB\xBF#define A \"/*\" \\\n {\r\nx", false),
                        "#define A \"/*\"  {|x|");
    assert_string_equal(lexed("  /* c */ # if X /* a\n b */ > 1'0\ny # z", false),
                        "# if X /* a\n b */ > 1'0|y|#|z|");
    assert_string_equal(lexed("#define R R\"(\n#endif\n)\"\nx", false),
                        "#define R R\"(\n#endif\n)\"|x|");
    struct ks_token *tokens;
    struct ks_slice rest;
    ks_lex_all(&arena, ks_slice_of("# include <a.h>  \n#elif A\n# \n#pragma\tks off"), false,
               &tokens);
    assert_int_equal(ks_token_directive(&tokens[0], &rest), KS_DIR_INCLUDE);
    assert_true(ks_slice_eq(rest, "<a.h>"));
    assert_int_equal(ks_token_directive(&tokens[1], NULL), KS_DIR_ELSE);
    assert_int_equal(ks_token_directive(&tokens[2], NULL), KS_DIR_OTHER);
    assert_int_equal(ks_token_directive(&tokens[3], &rest), KS_DIR_PRAGMA);
    assert_true(ks_slice_eq(rest, "ks off"));
}

static const char *live(const char *text)
{
    struct ks_token *tokens;
    size_t n = ks_lex_all(&arena, ks_slice_of(text), false, &tokens);
    n = ks_lex_drop_dead(tokens, n);
    const char *out = "";
    for (size_t i = 0; i + 1 < n; i++)
        if (tokens[i].kind == KS_TOK_IDENT)
            out = ks_arena_printf(&arena, "%s%s ", out, ks_token_text(&arena, &tokens[i]));
    return out;
}

static void test_dead_arms(void **state)
{
    (void)state;
    assert_string_equal(live("a\n#if 0\ndon't { \n#if X\nb\n#else\nc\n#endif\n#else\nd\n#endif\ne"),
                        "a d e ");
    assert_string_equal(live("#if 1\na\n#elif X\nb\n#else\nc\n#endif\nd"), "a d ");
    assert_string_equal(live("#if 0\na\n#elif X\nb\n#else\nc\n#endif\nd"), "b c d ");
    assert_string_equal(live("#if 0 || X\na\n#endif\n#endif\nb"), "a b ");
}

static void test_open_ends(void **state)
{
    (void)state;
    assert_string_equal(lexed("a 'b\nc", false), "a|'b|c|");
    assert_string_equal(lexed("a /* b", false), "a|");
    assert_string_equal(lexed("R\"(b", false), "R\"(b|");
    assert_string_equal(lexed("\"\\", false), "\"\\|");
    assert_string_equal(lexed("", false), "");
    assert_string_equal(lexed("#", false), "#|");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_splices),
        cmocka_unit_test(test_directives),
        cmocka_unit_test(test_dead_arms),
        cmocka_unit_test(test_open_ends),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
