#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "fmt/expr.h"
#include "os/file.h"
#include "os/proc.h"

// n = 10, m = -3, big = INT64_MAX, least = INT64_MIN, zero = 0; pointers p = 4096, q = 4100.
static const struct {
    const char *name;
    int64_t value;
} names[] = {{"n", 10},   {"m", -3},   {"big", INT64_MAX}, {"least", INT64_MIN}, {"zero", 0},
             {"p", 4096}, {"q", 4100}, {"grid.x", 7},      {"shared", 48}};

static bool lookup(void *context, const char *name, int64_t *value)
{
    (void)context;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0) {
            *value = names[i].value;
            return true;
        }
    return false;
}

static struct ks_expr *parsed(struct ks_arena *arena, const char *text)
{
    struct ks_expr *expr = NULL;
    struct ks_err err = {0};
    if (ks_expr_parse(arena, "t:1", ks_slice_of(text), &expr, &err) != KS_OK)
        fail_msg("%s", err.text);
    return expr;
}

static void values_follow_c_precedence(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 4 - 3", 3},
        {"100 / 10 / 5", 2},
        {"-7 / 2", -3},
        {"-7 % 3", -1},
        {"1 << 2 + 1", 8},
        {"1 | 2 ^ 3 & 2", 1},
        {"5 & 3 == 3", 1},
        {"1 < 2 == 1", 1},
        {"3 > 2 > 1", 0},
        {"0 && 1 || 1", 1},
        {"1 || 0 && 0", 1},
        {"0 ? 1 : 0 ? 2 : 3", 3},
        {"1 ? 0 ? 4 : 5 : 6", 5},
        {"!n == 0", 1},
        {"~0", -1},
        {"- - 5", 5},
        {"!!7", 1},
        {"-3 >> 1", -2},
        {"-3 << 2", -12},
        {"min(n, m) + max(n,m)", 7},
        {"ceildiv(n, 3)", 4},
        {"ceildiv(m, 2)", -1},
        {"ceildiv(0, 5)", 0},
        {"aligned(p, 16)", 1},
        {"aligned(q,16)", 0},
        {"overlap(p,4,q,4)", 0},
        {"overlap(p,5,q,4)", 1},
        {"overlap(q,4,p,5)", 1},
        {"overlap(p,5,q,0)", 0},
        {"grid.x * shared", 336},
        {"0x1F", 31},
        {"n%4==0&&n>=4096", 0},
        {"2 + 3 >= 5", 1},
        {"6 ^ 3", 5},
        {"1 != 2", 1},
        {"2<=1", 0},
        {"7 >= 7", 1},
        {"true", 1},
        {"false", 0},
        {"n == 10 == true ? true + true : 0", 2},
    };
    struct ks_arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 99;
        assert_true(ks_expr_eval(parsed(&arena, cases[i].text), lookup, NULL, &value));
        if (value != cases[i].value)
            fail_msg("%s = %" PRId64, cases[i].text, value);
    }
    ks_arena_free(&arena);
}

static void undefined_spreads_unless_not_evaluated(void **state)
{
    (void)state;
    static const char *const undefined[] = {
        "nosuch",
        "big + 1",
        "least - 1",
        "big * 2",
        "-least",
        "n / zero",
        "n % zero",
        "least / -1",
        "least % -1",
        "1 << 63",
        "1 << -1",
        "1 >> 63",
        "big << 1",
        "ceildiv(n,0)",
        "ceildiv(n,-1)",
        "aligned(p,0)",
        "overlap(p,-1,q,1)",
        "overlap(p,big,least,big)",
        "!(n/zero)",
        "~(n/zero)",
        "(n/zero) || 1",
        "1 && n/zero",
        "0 || n/zero",
        "n/zero ? 1 : 1",
        "1 ? n/zero : 1",
        "min(1, n/zero)",
        "0 * (n/zero)",
        "aligned(none, 4)",
        "(n/zero) == (n/zero)",
    };
    struct ks_arena arena = {0};
    for (size_t i = 0; i < sizeof undefined / sizeof *undefined; i++) {
        int64_t value = 99;
        struct ks_expr *expr = parsed(&arena, undefined[i]);
        bool wraps =
            strcmp(undefined[i], "overlap(p,big,least,big)") == 0; // ends at 2^64 - 1: defined
        if (ks_expr_eval(expr, lookup, NULL, &value) != wraps)
            fail_msg("%s", undefined[i]);
        if (!wraps) {
            assert_int_equal(value, 99);
            assert_false(ks_expr_holds(expr, lookup, NULL));
        }
    }
    static const char *const defined[] = {"1 || n/zero", "!(0 && n/zero)", "1 ? 1 : n/zero",
                                          "0 ? n/zero : 1"};
    for (size_t i = 0; i < sizeof defined / sizeof *defined; i++)
        assert_true(ks_expr_holds(parsed(&arena, defined[i]), lookup, NULL));
    ks_arena_free(&arena);
}

static void bad_texts_name_the_column(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"", "empty"},
        {"  ", "empty"},
        {"1 +", "column 4"},
        {"(1", "expected ')'"},
        {"1)", "column 2"},
        {"1 2", "column 3"},
        {"010", "octal"},
        {"1u", "suffix"},
        {"9223372036854775808", "63 bits"},
        {"n = 1", "column 3"},
        {"f(1)", "unknown function"},
        {"min(1)", "expected ','"},
        {"min(1,2,3)", "expected ')'"},
        {"aligned(1, 4)", "pointer"},
        {"overlap(p,1,q+1,1)", "pointer"},
        {"a.x", "column 2"},
        {"grid.w", "column 5"},
        {"1 ? 2", "expected ':'"},
        {"++n", "column 1"},
        {"n; x", "column 2"},
        {"1.5", "column 2"},
        {"\"x\"", "column 1"},
        {"a[1]", "column 2"},
    };
    struct ks_arena arena = {0};
    struct ks_expr *expr;
    struct ks_err err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ks_expr_parse(&arena, "f.cu:3", ks_slice_of(bad[i].text), &expr, &err),
                         KS_E_USER);
        if (strncmp(err.text, "f.cu:3: ", 8) != 0 || strstr(err.text, bad[i].part) == NULL)
            fail_msg("'%s': %s", bad[i].text, err.text);
    }
    assert_int_equal(ks_expr_parse(&arena, "t", (struct ks_slice){"1\0002", 3}, &expr, &err),
                     KS_E_USER);
    char text[6000];
    const char *const nests[] = {"(", "-", "1+", "1?1:", "!", "min(1,", "1*(2+"};
    for (size_t k = 0; k < sizeof nests / sizeof *nests; k++)
        for (int times = 70; times <= 5000 / (int)strlen(nests[k]); times += 700) {
            text[0] = '\0';
            for (int i = 0; i < times; i++)
                strcat(text, nests[k]);
            strcat(text, "1");
            assert_int_equal(ks_expr_parse(&arena, "t", ks_slice_of(text), &expr, &err), KS_E_USER);
        }
    ks_arena_free(&arena);
}

static struct ks_expr *random_tree(struct ks_arena *arena, struct ks_rng *rng, int depth)
{
    struct ks_expr *expr = KS_NEW(arena, struct ks_expr);
    static const int64_t ints[] = {0, 1, 2, 3, 7, 62, 63, 1000, INT64_MAX};
    if (depth == 0 || ks_rng_below(rng, 6) == 0) {
        if (ks_rng_below(rng, 2) == 0) {
            expr->op = KS_X_INT;
            expr->value = ints[ks_rng_below(rng, sizeof ints / sizeof *ints)];
        } else {
            expr->op = KS_X_NAME;
            expr->name = names[ks_rng_below(rng, sizeof names / sizeof *names)].name;
        }
        return expr;
    }
    expr->op = (enum ks_expr_op)(KS_X_NEG + (int)ks_rng_below(rng, KS_X_OVERLAP - KS_X_NEG + 1));
    int kids = expr->op <= KS_X_COMPL     ? 1
               : expr->op == KS_X_COND    ? 3
               : expr->op == KS_X_OVERLAP ? 4
                                          : 2;
    for (int i = 0; i < kids; i++) {
        expr->kid[i] = random_tree(arena, rng, depth - 1);
        if ((expr->op == KS_X_ALIGNED && i == 0) || (expr->op == KS_X_OVERLAP && i % 2 == 0)) {
            expr->kid[i]->op = KS_X_NAME;
            expr->kid[i]->name = i == 0 ? "p" : "q";
            memset(expr->kid[i]->kid, 0, sizeof expr->kid[i]->kid);
        }
    }
    return expr;
}

static bool same_tree(const struct ks_expr *a, const struct ks_expr *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    if (a->op != b->op || (a->op == KS_X_INT && a->value != b->value) ||
        (a->op == KS_X_NAME && strcmp(a->name, b->name) != 0))
        return false;
    for (int i = 0; i < 4; i++)
        if (!same_tree(a->kid[i], b->kid[i]))
            return false;
    return true;
}

static void printed_trees_parse_to_themselves(void **state)
{
    (void)state;
    struct ks_rng rng;
    ks_rng_seed(&rng, 3);
    for (int i = 0; i < 20000; i++) {
        struct ks_arena arena = {0};
        struct ks_buf out = KS_BUF(1 << 16);
        struct ks_expr *tree = random_tree(&arena, &rng, 4);
        ks_expr_print(&out, tree, NULL, NULL);
        if (!same_tree(tree, parsed(&arena, ks_buf_text(&out))))
            fail_msg("%s", ks_buf_text(&out));
        ks_buf_free(&out);
        ks_arena_free(&arena);
    }
}

static const char *to_x(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "n") == 0 ? "x" : NULL;
}

static void count_names(void *context, const char *name)
{
    (void)name;
    ++*(int *)context;
}

// Canonical text has parentheses between two signs: what is accepted must be so in that form too.
static void signs_in_a_row_are_read_again_or_refused(void **state)
{
    (void)state;
    int accepted = 0;
    for (size_t n = 1; n <= 80; n++) {
        struct ks_arena arena = {0};
        char text[128];
        struct ks_expr *expr;
        memset(text, '-', n);
        strcpy(text + n, "x");
        if (ks_expr_parse(&arena, "test", ks_slice_of(text), &expr, NULL) == KS_OK) {
            struct ks_buf printed = KS_BUF(4096);
            ks_expr_print(&printed, expr, NULL, NULL);
            assert_int_equal(ks_expr_parse(&arena, "printed", ks_slice_of(ks_buf_text(&printed)), &expr,
                                           NULL), KS_OK);
            ks_buf_free(&printed);
            accepted++;
        }
        ks_arena_free(&arena);
    }
    assert_in_range(accepted, 20, 40);
}

static void canonical_text_is_minimal(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"((n))+(m*(2))", "x + m * 2"},
        {"(n+m)*2", "(x + m) * 2"},
        {"n-(m-2)", "x - (m - 2)"},
        {"-(-n)", "-(-x)"},
        {"!(n&&m)", "!(x && m)"},
        {"(n?1:2)?3:(4?5:6)", "(x ? 1 : 2) ? 3 : 4 ? 5 : 6"},
        {"min(n,(m))*ceildiv(n+1,2)", "min(x, m) * ceildiv(x + 1, 2)"},
        {"0x10", "16"},
    };
    struct ks_arena arena = {0};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct ks_buf out = KS_BUF(1000);
        ks_expr_print(&out, parsed(&arena, pairs[i][0]), to_x, NULL);
        assert_string_equal(ks_buf_text(&out), pairs[i][1]);
        ks_buf_free(&out);
    }
    struct ks_expr negative = {.op = KS_X_INT, .value = INT64_MIN};
    struct ks_buf out = KS_BUF(1000);
    ks_expr_print(&out, &negative, NULL, NULL);
    int64_t value;
    assert_true(ks_expr_eval(parsed(&arena, ks_buf_text(&out)), NULL, NULL, &value) &&
                value == INT64_MIN);
    ks_buf_free(&out);
    int n = 0;
    ks_expr_names(parsed(&arena, "overlap(p, n, q, 4) && grid.x > n"), count_names, &n);
    assert_int_equal(n, 5);
    ks_arena_free(&arena);
}

static void leaf(void *context, struct ks_buf *out, const char *name)
{
    (void)context;
    if (strcmp(name, "p") == 0 || strcmp(name, "q") == 0)
        ks_buf_printf(out, "%s", name);
    else
        ks_buf_printf(out, "v_%.4s", name);
}

#define TREES 300

// One C++11 program evaluates all trees; its output must be what ks_expr_eval says. The names get
// the types that kernel parameters have: unsigned, short, pointers.
static void printed_c_computes_the_same(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    if (ks_proc_which(&arena, "g++", NULL) == NULL)
        skip();
    struct ks_buf code = KS_BUF(16 << 20), expected = KS_BUF(1 << 20);
    struct ks_rng rng;
    ks_rng_seed(&rng, 11);
    ks_buf_printf(
        &code,
        "extern \"C\" int printf(const char *, ...);\n%s"
        "static unsigned v_n = 10; static short v_m = -3; static char *p = (char *)4096;\n"
        "static const float *q = (const float *)4100; static unsigned char v_zero = 0;\n"
        "static long v_big = __LONG_MAX__; static long long v_leas = -__LONG_LONG_MAX__ - 1;\n"
        "static unsigned v_grid = 7, v_shar = 48;\n"
        "static void show(bool bad, long long v) { if (bad) printf(\"undefined\\n\"); else "
        "printf(\"%%lld\\n\", v); }\n",
        ks_expr_c_helpers());
    struct ks_buf body = KS_BUF(16 << 20);
    int defined = 0;
    for (int i = 0; i < TREES; i++) {
        struct ks_expr *tree = random_tree(&arena, &rng, 1 + i % 4);
        int64_t value;
        ks_buf_printf(&code, "static long long f%d(bool &bad) { return ", i);
        ks_expr_print_c(&code, tree, leaf, NULL);
        ks_buf_puts(&code, "; }\n");
        ks_buf_printf(&body, "{ bool bad = false; long long v = f%d(bad); show(bad, v); }\n", i);
        if (ks_expr_eval(tree, lookup, NULL, &value)) {
            defined++;
            ks_buf_printf(&expected, "%" PRId64 "\n", value);
        } else {
            ks_buf_puts(&expected, "undefined\n");
        }
    }
    assert_in_range(defined, TREES / 4, TREES - 20); // both outcomes are exercised
    ks_buf_printf(&code, "int main() {\n%s}\n", ks_buf_text(&body));

    char *dir;
    struct ks_err err;
    assert_int_equal(ks_dir_temp(&arena, "ks-test", &dir, &err), KS_OK);
    assert_int_equal(
        ks_file_write(ks_path_join(&arena, dir, "x.cpp"), code.data, code.len, false, 0, &err),
        KS_OK);
    struct ks_proc_options options = {.cwd = dir, .capture_stdout = true, .capture_stderr = true};
    struct ks_proc_result r;
    const char *const compile[] = {"g++",
                                   "-std=c++11",
                                   "-Wall",
                                   "-Wextra",
                                   "-Werror",
                                   "-Wno-unused-parameter",
                                   "-fsanitize=undefined",
                                   "-fno-sanitize-recover=all",
                                   "x.cpp",
                                   "-o",
                                   "x",
                                   NULL};
    assert_int_equal(ks_proc_run(&arena, compile, &options, &r, &err), KS_OK);
    if (r.exit_code != 0)
        fail_msg("%s", r.err.at);
    const char *const run[] = {"./x", NULL};
    assert_int_equal(ks_proc_run(&arena, run, &options, &r, &err), KS_OK);
    assert_string_equal(r.err.at, "");
    assert_string_equal(r.out.at, ks_buf_text(&expected));
    assert_int_equal(ks_tree_remove(dir, NULL), KS_OK);
    ks_buf_free(&code);
    ks_buf_free(&body);
    ks_buf_free(&expected);
    ks_arena_free(&arena);
}

static void what_is_undefined_is_explained(void **state)
{
    struct ks_arena arena = {0};
    static const struct { const char *text, *why; } cases[] = {
        {"n / 2", ""},
        {"0 && n / 0", ""},
        {"1 ? 2 : n / 0", ""},
        {"0 ? n / 0 : big + 1", "`big + 1` overflows 64 bits"},
        {"1 ? n % zero : big + 1", "`n % zero` divides by zero"},
        {"1 + min(n, 4 * (m / zero))", "`m / zero` divides by zero"},
        {"least / -1", "`least / -1` overflows 64 bits"},
        {"-least", "`-least` overflows 64 bits"},
        {"n << 63", "`n << 63` shifts by less than 0 or more than 62"},
        {"big << 2", "`big << 2` overflows 64 bits"},
        {"ceildiv(n, 0)", "`ceildiv(n, 0)` divides by zero"},
        {"ceildiv(n, m)", "`ceildiv(n, m)` divides by a negative number"},
        {"aligned(p, 0)", "`aligned(p, 0)` asks for an alignment below 1"},
        {"overlap(p, m, q, 4)", "`overlap(p, m, q, 4)` has a negative length, or one past the last address"},
        {"n + other > 3", "`other` has no value here"},
        {"big * (n + n + n + n + n + n + n + n + n + n + n + n)",
         "`big * (n + n + n + n + n + n + n + n + n + n + n...` overflows 64 bits"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why[KS_EXPR_WHY];
        ks_expr_explain(parsed(&arena, cases[i].text), lookup, NULL, why);
        if (strcmp(why, cases[i].why) != 0)
            fail_msg("%s: \"%s\" and not \"%s\"", cases[i].text, why, cases[i].why);
    }
    ks_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_undefined_is_explained),
        cmocka_unit_test(values_follow_c_precedence),
        cmocka_unit_test(undefined_spreads_unless_not_evaluated),
        cmocka_unit_test(bad_texts_name_the_column),
        cmocka_unit_test(printed_trees_parse_to_themselves),
        cmocka_unit_test(signs_in_a_row_are_read_again_or_refused),
        cmocka_unit_test(canonical_text_is_minimal),
        cmocka_unit_test(printed_c_computes_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
