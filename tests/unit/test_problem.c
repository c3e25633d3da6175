#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "source/mark.h"
#include "workload/problem.h"

static struct ks_arena arena;

struct made {
    struct ks_mark *mark;
    struct ks_signature signature;
    struct ks_problem problem;
    struct ks_err err;
    enum ks_status status;
};

// One workload on the kernel of a text, as the compiler's word giving the types as written. The
// clauses are not checked against the kernel first (ks_marks_find does that for declared sizes, but
// derived ones come here only).
static struct made read_text(const char *clauses, const char *text, const char *const *template_args)
{
    struct made m = {.mark = KS_NEW(&arena, struct ks_mark)};
    struct ks_kernel_list kernels = {0};
    assert_int_equal(ks_kernels_find(&arena, "a.cu", ks_slice_of(text), &kernels, &m.err), KS_OK);
    if (ks_mark_parse_workload(&arena, "a.cu:2", clauses, m.mark, &m.err) != KS_OK)
        fail_msg("%s", m.err.text);
    const struct ks_kernel_decl *decl = m.mark->kernel = &kernels.at[0];
    m.signature.n_params = decl->n_params;
    m.signature.params = KS_NEW_ARRAY(&arena, struct ks_type, decl->n_params);
    for (size_t i = 0; i < decl->n_params; i++)
        m.signature.params[i] = decl->params[i].type;
    while (template_args != NULL && template_args[m.signature.n_template_args] != NULL)
        m.signature.n_template_args++;
    m.signature.template_args = (const char **)(uintptr_t)template_args;
    return m;
}

static struct made make(const char *clauses, const char *text, const char *const *template_args,
                        const struct ks_value *overrides, size_t n)
{
    struct made m = read_text(clauses, text, template_args);
    m.status = ks_problem_make(&arena, m.mark, 0, &m.signature, m.mark->kernel, overrides, n,
                               &m.problem, &m.err);
    return m;
}

#define AXPY                                                                                      \
    "__global__ void axpy(float *y, const float *x, float a, int n)\n"                            \
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }\n"

static void test_axpy(void **state)
{
    (void)state;
    struct made m = make("let(n=1000) set(a=0.5f) in(x[n]=uniform(-1,1)) inout(y[n]) "
                         "grid(ceildiv(n,256)) block(256)", AXPY, NULL, NULL, 0);
    if (m.status != KS_OK)
        fail_msg("%s", m.err.text);
    const struct ks_problem *p = &m.problem;
    assert_string_equal(p->name, "n=1000");
    assert_false(p->derived);
    assert_int_equal(p->n_args, 4);
    assert_int_equal(p->grid[0], 4);
    assert_int_equal(p->grid[1], 1);
    assert_int_equal(p->block[0], 256);
    assert_int_equal(p->shared, 0);
    assert_int_equal(p->args[0].role, KS_ROLE_INOUT);
    assert_int_equal(p->args[0].count, 1000);
    assert_int_equal(p->args[0].init.kind, KS_INIT_DEFAULT);
    assert_int_equal(p->args[1].init.kind, KS_INIT_UNIFORM);
    assert_int_equal(p->args[1].alias_of, -1);
    float a;
    int n;
    memcpy(&a, p->args[2].bytes, sizeof a);
    memcpy(&n, p->args[3].bytes, sizeof n);
    assert_true(a == 0.5f && p->args[2].float_scalar && p->args[2].size == 4);
    assert_int_equal(n, 1000);
    assert_int_equal(ks_problem_bytes(p), 8000);
    assert_int_equal(ks_problem_traffic(p), 12000); // y twice, x once

    struct ks_value size = {"n", 33};
    m = make("name(big) let(n=1000, m=2*n) set(a=2) in(x[m]) inout(y[n]) grid(ceildiv(n,32)) "
             "block(32)", AXPY, NULL, &size, 1);
    assert_int_equal(m.status, KS_OK);
    assert_true(m.problem.derived);
    assert_string_equal(m.problem.name, "big:n=33");
    assert_int_equal(m.problem.args[1].count, 66);
    assert_int_equal(m.problem.grid[0], 2);
}

// Formulas know what set() gives an integer parameter, wherever it stands; a float's whole number, or one of no value, they do not.
static void test_settings_in_formulas(void **state)
{
    (void)state;
    struct made m = make("let(m=n/2+1) set(n=3) set(a=2) in(x[n*m]) inout(y[m]) grid(1) block(32)", AXPY, NULL, NULL, 0);
    if (m.status != KS_OK)
        fail_msg("%s", m.err.text);
    assert_int_equal(m.problem.args[1].count, 6);
    assert_int_equal(m.problem.args[0].count, 2);
    m = make("let(n=5) set(a=2) in(x[n]) inout(y[a]) grid(1) block(32)", AXPY, NULL, NULL, 0);
    assert_int_equal(m.status, KS_E_USER);
    assert_non_null(strstr(m.err.text, "needs 'a', which has no value"));
    m = make("set(n=m) set(a=2) let(m=n) in(x[n]) inout(y[n]) grid(1) block(32)", AXPY, NULL, NULL, 0);
    assert_int_equal(m.status, KS_E_USER); // each of the other
}

static void test_alias_template_and_void(void **state)
{
    (void)state;
    static const char *const args[] = {"float", "(int)64", NULL};
    struct made m = make("let(rows=8) inout(float y[rows*B]) alias(x,y) grid(rows) block(B) "
                         "shared(4*B)",
                         "template <class T, int B>\n"
                         "__global__ void k(const float *x, void *y, long long rows) {}\n",
                         args, NULL, 0);
    if (m.status != KS_OK)
        fail_msg("%s", m.err.text);
    assert_int_equal(m.problem.args[0].elem.scalar, KS_T_F32);
    assert_int_equal(m.problem.args[0].count, 512);
    assert_int_equal(m.problem.args[1].elem.scalar, KS_T_F32); // by the clause
    assert_int_equal(m.problem.args[0].alias_of, 1);
    assert_int_equal(m.problem.args[1].alias_of, -1);
    assert_int_equal(m.problem.args[0].role, KS_ROLE_INOUT);
    assert_int_equal(m.problem.block[0], 64);
    assert_int_equal(m.problem.shared, 256);
    assert_int_equal(ks_problem_bytes(&m.problem), 2048); // one array
    assert_int_equal(ks_problem_traffic(&m.problem), 4096);
}

// A bool is a value like others, whichever clause gives it, but no size.
static void test_flags(void **state)
{
    (void)state;
    static const struct {
        const char *clauses;
        unsigned char value;
    } cases[] = {{"set(flag=true)", 1}, {"set(flag=false)", 0}, {"set(flag=1)", 1}, {"set(flag=n > 8)", 1},
                 {"let(flag=true)", 1}, {"let(flag=0)", 0}, {"let(flag=n > 8)", 1}};
    struct ks_value *sizes, overrides[] = {{"n", 33}, {"flag", 7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *clauses = ks_arena_printf(&arena, "let(n=16) %s inout(x[n]) grid(1) block(n)", cases[i].clauses);
        struct made m = read_text(clauses, "__global__ void k(float *x, int n, bool flag) {}\n", NULL);
        m.mark->file = "a.cu";
        if (ks_mark_check(&arena, m.mark, &m.err) != KS_OK ||
            ks_problem_make(&arena, m.mark, 0, &m.signature, m.mark->kernel, overrides, 2, &m.problem, &m.err) != KS_OK)
            fail_msg("%s", m.err.text);
        assert_int_equal(m.problem.args[2].bytes[0], cases[i].value);
        assert_string_equal(m.problem.name, "n=33");
        assert_int_equal(ks_problem_sizes(&arena, m.mark, 0, &sizes), 1);
    }
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *clauses, *text;
    } cases[] = {
        {"let(n=8) set(a=1) in(x[n]) grid(1) block(32)", "a.cu:2: pointer 'y' has no array"},
        {"let(n=8) set(a=1) in(x[n]) inout(z[n]) inout(y[n]) grid(1) block(32)",
         "names no parameter of axpy"},
        {"let(n=8) in(x[n]) inout(y[n]) grid(1) block(32)", "'a' has no value; add set(a=...)"},
        {"set(a=1) in(x[9]) inout(y[9]) grid(1) block(32)", "'n' has no value; add let(n=...)"},
        {"let(n=8) set(a=1) in(x[m]) inout(y[n]) grid(1) block(32)", "needs 'm', which has no value"},
        {"let(n=8) set(a=1) in(x[n]) inout(y[n]) grid(0) block(32)", "grid.x = 0 is impossible"},
        {"let(n=8) set(a=1) in(x[n]) inout(y[n]) grid(1,65536) block(32)", "grid.y = 65536"},
        {"let(n=8) set(a=1) in(x[n]) inout(y[n]) grid(1) block(32,64)", "2048 threads; at most 1024"},
        {"let(n=8) set(a=1) in(x[n]) inout(y[n]) grid(1) block(1,1,65)", "block.z = 65"},
        {"let(n=8) set(a=1) in(x[n-9]) inout(y[n]) grid(1) block(32)", "must not be negative"},
        {"let(n=8) set(a=1) in(x[n/0]) inout(y[n]) grid(1) block(32)", "is undefined"},
        {"let(n=8) set(a=1) in(x[1<<41]) inout(y[n]) grid(1) block(32)", "larger than 2^40 bytes"},
        {"let(n=8) set(a=1) in(x[1<<37]) inout(y[(1<<37)+1]) grid(1) block(32)",
         "larger than 2^40 bytes together"},
        {"let(n=1<<31) set(a=1) in(x[8]) inout(y[8]) grid(1) block(32)", "does not fit its type int"},
        {"let(n=8) set(a=1) out(x[n]) inout(y[n]) grid(1) block(32)", "use in(x[...])"},
        {"let(n=8) set(a=1) in(x[n]) inout(double y[n]) grid(1) block(32)", "the kernel takes float"},
        {"let(n=8) set(a=1) in(x[n]) inout(y[n]) grid(1) block(32) shared(0-4)", "shared = -4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m = make(cases[i].clauses, AXPY, NULL, NULL, 0);
        if (m.status != KS_E_USER)
            fail_msg("%s was taken", cases[i].clauses);
        assert_true(ks_starts_with(m.err.text, "a.cu:2: "));
        if (strstr(m.err.text, cases[i].text) == NULL)
            fail_msg("'%s' gave '%s', not '%s'", cases[i].clauses, m.err.text, cases[i].text);
    }
}

static bool has_uniform(const struct ks_shape *shapes, size_t n, int64_t value)
{
    for (size_t i = 0; i < n; i++) {
        bool all = shapes[i].n > 0;
        for (size_t k = 0; k < shapes[i].n; k++)
            all &= shapes[i].overrides[k].value == value;
        if (all)
            return true;
    }
    return false;
}

static void test_shapes(void **state)
{
    (void)state;
    struct made m = read_text("let(n=1000,m=300,k=n*m) set(a=1) in(x[n]) inout(y[n]) grid(1) "
                              "block(32)", AXPY, NULL);
    struct ks_value *sizes;
    assert_int_equal(ks_problem_sizes(&arena, m.mark, 0, &sizes), 2); // k is no literal
    assert_string_equal(sizes[1].name, "m");
    assert_int_equal(sizes[1].value, 300);
    static const int64_t constants[] = {128};
    struct ks_shape *shapes, *again;
    size_t n = ks_problem_shapes(&arena, m.mark, 0, constants, 1, 9, 40, &shapes);
    assert_in_range(n, 20, 40);
    static const int64_t expected[] = {1, 2, 31, 32, 33, 67, 127, 128, 129, 259, 7, 61};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(has_uniform(shapes, n, expected[i]));
    assert_int_equal(shapes[n - 1].n, 0); // the declared sizes, last
    size_t mixed = 0, minus = 0, plus = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        int64_t a = shapes[i].overrides[0].value, b = shapes[i].overrides[1].value;
        assert_true(a >= 1 && a <= 1001 && b >= 1 && b <= 301);
        mixed += a != b && a < 999 && b < 299;
        minus += a == 999 && b == 299;
        plus += a == 1001 && b == 301;
        for (size_t k = 0; k < i; k++)
            assert_false(shapes[k].overrides[0].value == a && shapes[k].overrides[1].value == b);
    }
    assert_true(mixed >= 3);
    assert_int_equal(minus, 1);
    assert_int_equal(plus, 1);
    assert_int_equal(ks_problem_shapes(&arena, m.mark, 0, constants, 1, 9, 40, &again), n);
    for (size_t i = 0; i + 1 < n; i++)
        assert_int_equal(shapes[i].overrides[0].value, again[i].overrides[0].value);
    for (size_t max = 1; max < 12; max++) {
        n = ks_problem_shapes(&arena, m.mark, 0, constants, 1, 9, max, &shapes);
        assert_in_range(n, 1, max);
        assert_int_equal(shapes[n - 1].n, 0);
    }
}

// A mark of other sizes knows that it is, and when it has its own again.
static void test_resized(void **state)
{
    (void)state;
    struct made m = read_text("let(n=1000,k=2*n) set(a=1) in(x[n]) inout(y[n]) grid(1) block(32)", AXPY, NULL);
    const struct ks_value half[] = {{"n", 500}, {"k", 7}}, whole[] = {{"n", 1000}};
    struct ks_mark *less = ks_mark_resized(&arena, m.mark, 0, half, 2), *again = ks_mark_resized(&arena, less, 0, whole, 1);
    const struct ks_mark *const marks[] = {m.mark, less, again};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(ks_problem_make(&arena, marks[i], 0, &m.signature, m.mark->kernel, NULL, 0, &m.problem, &m.err), KS_OK);
        assert_int_equal(m.problem.resized, i == 1);
        assert_false(m.problem.derived);
        assert_string_equal(m.problem.name, i == 1 ? "n=500" : "n=1000");
    }
    // A size that is put in its place is as good as its own.
    assert_int_equal(ks_problem_make(&arena, less, 0, &m.signature, m.mark->kernel, half, 1, &m.problem, &m.err), KS_OK);
    assert_true(m.problem.resized && !m.problem.derived);
}

// Each size takes every residue, also where the guard admits multiples alone and where it is small.
static void test_residues(void **state)
{
    (void)state;
    struct made m = read_text("let(n=1000,m=300,b=5) set(a=1) in(x[n*m*b]) inout(y[n]) grid(1) block(32)",
                              AXPY, NULL);
    for (int64_t step = 1; step <= 4; step += 3) {
        struct ks_shape *shapes;
        bool seen[2][16] = {{false}};
        assert_int_equal(ks_problem_residues(&arena, m.mark, 0, step, 16, 64, 9, &shapes), 16);
        for (size_t k = 0; k < 16; k++) {
            assert_int_equal(shapes[k].n, 3);
            for (size_t i = 0; i < 2; i++) {
                int64_t value = shapes[k].overrides[i].value;
                assert_in_range(value, 65, 64 + step * 33);
                assert_int_equal(value % step, 0);
                seen[i][value / step % 16] = true;
            }
            assert_in_range(shapes[k].overrides[2].value, 1, 5);
        }
        for (size_t r = 0; r < 16; r++)
            assert_true(seen[0][r] && seen[1][r]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axpy), cmocka_unit_test(test_alias_template_and_void),
        cmocka_unit_test(test_settings_in_formulas),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_residues), cmocka_unit_test(test_resized),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
