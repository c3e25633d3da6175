// The contract's text: what must not change it (names, sizes, order of lines), what must, and
// contradictions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "key/contract.h"

static struct ks_arena arena;

static struct ks_expr *expression(const char *text)
{
    struct ks_expr *expr;
    struct ks_err err;
    if (ks_expr_parse(&arena, "test", ks_slice_of(text), &expr, &err) != KS_OK)
        fail_msg("%s", err.text);
    return expr;
}

// A kernel k(TYPE NAME, ...), given as "float* x", "int n".
struct fixture {
    struct ks_kernel_decl decl;
    struct ks_signature signature;
    struct ks_mark mark;
    struct ks_workload_mark workloads[4];
    struct ks_array arrays[4][4];
    struct ks_binding lets[4][4];
    const char *aliases[4][2][2];
};

static struct fixture *fixture(const char *const (*params)[2], size_t n)
{
    struct fixture *f = KS_NEW(&arena, struct fixture);
    f->decl = (struct ks_kernel_decl){.name = "k", .qualified = "k", .n_params = n};
    f->decl.params = KS_NEW_ARRAY(&arena, struct ks_param, n);
    f->signature = (struct ks_signature){.registered = "_Z1k", .n_params = n};
    f->signature.params = KS_NEW_ARRAY(&arena, struct ks_type, n);
    for (size_t i = 0; i < n; i++) {
        f->decl.params[i].name = params[i][1];
        f->signature.params[i] = ks_type_parse(&arena, ks_slice_of(params[i][0]));
    }
    f->mark = (struct ks_mark){.file = "a.cu", .line = 3, .kernel = &f->decl,
                               .workloads = f->workloads};
    return f;
}

static struct ks_workload_mark *workload(struct fixture *f)
{
    size_t at = f->mark.n_workloads++;
    f->workloads[at] = (struct ks_workload_mark){
        .where = ks_arena_printf(&arena, "a.cu:%zu", 10 + at), .name = "", .weight = 1,
        .capture = "", .arrays = f->arrays[at], .lets = f->lets[at], .aliases = f->aliases[at]};
    return &f->workloads[at];
}

static void array(struct ks_workload_mark *w, enum ks_array_role role, const char *name,
                  const char *count, struct ks_init init)
{
    w->arrays[w->n_arrays++] = (struct ks_array){
        .role = role, .name = name, .type = {.text = ""}, .count = expression(count), .init = init};
}

static void let(struct ks_workload_mark *w, const char *name, const char *expr)
{
    w->lets[w->n_lets++] = (struct ks_binding){.name = name, .expr = expression(expr)};
}

static const char *text(const struct fixture *f)
{
    const char *contract;
    struct ks_err err;
    if (ks_contract_text(&arena, &f->mark, &f->signature, &contract, &err) != KS_OK)
        fail_msg("%s", err.text);
    return contract;
}

static void refused_as(const struct fixture *f, enum ks_status status, const char *part)
{
    const char *contract;
    struct ks_err err = {0};
    assert_int_equal(ks_contract_text(&arena, &f->mark, &f->signature, &contract, &err), status);
    if (strstr(err.text, part) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, part);
}

static void refused(const struct fixture *f, const char *part)
{
    refused_as(f, KS_E_USER, part);
}

#define INIT(...) ((struct ks_init){__VA_ARGS__})
static const char *const xyn[][2] = {{"float const*", "x"}, {"float*", "y"}, {"int", "n"}};

static struct fixture *plain(void)
{
    struct fixture *f = fixture(xyn, 3);
    struct ks_workload_mark *w = workload(f);
    let(w, "n", "4096");
    let(w, "m", "n * 2");
    array(w, KS_ROLE_IN, "x", "m + 1", INIT(.kind = KS_INIT_UNIFORM, .a = -1, .b = 1));
    array(w, KS_ROLE_OUT, "y", "n", INIT(.kind = KS_INIT_DEFAULT));
    return f;
}

static void text_is_as_documented(void **state)
{
    (void)state;
    assert_string_equal(text(plain()), "$0 in f32 [$2 * 2 + 1] uniform [-1,1]\n"
                                       "$1 out f32 [$2]\n"
                                       "$2 i32\n"
                                       "tolerance derived\n");
}

static void names_and_sizes_do_not_enter(void **state)
{
    (void)state;
    static const char *const renamed[][2] = {{"float const*", "in_"}, {"float*", "out_"},
                                             {"int", "count"}};
    struct fixture *f = fixture(renamed, 3);
    struct ks_workload_mark *w = workload(f);
    let(w, "count", "777");
    array(w, KS_ROLE_OUT, "out_", "count", INIT(.kind = KS_INIT_DEFAULT));
    array(w, KS_ROLE_IN, "in_", "count*2+1", INIT(.kind = KS_INIT_UNIFORM, .a = -1, .b = 1));
    w->grid[0] = expression("count / 256");
    f->mark.name = "other";
    f->mark.budget_seconds = 5;
    w->weight = 3;
    assert_string_equal(text(f), text(plain()));

    // The same again at another size is no other contract.
    w = workload(f);
    let(w, "count", "1024");
    array(w, KS_ROLE_IN, "in_", "2*count/2*2/2+count+1",
          INIT(.kind = KS_INIT_UNIFORM, .a = -1, .b = 1));
    refused(f, "a.cu:11");
    w->arrays[0].count = expression("count * 2 + 1");
    array(w, KS_ROLE_OUT, "out_", "count", INIT(.kind = KS_INIT_DEFAULT));
    assert_string_equal(text(f), text(plain()));
}

static void promises_enter(void **state)
{
    (void)state;
    const char *base = text(plain());
    struct fixture *f;
#define CHANGED(statement)                                                                        \
    f = plain();                                                                                  \
    statement;                                                                                    \
    assert_string_not_equal(text(f), base)
    CHANGED(f->arrays[0][0].init.b = 2);
    CHANGED(f->arrays[0][0].init.kind = KS_INIT_NORMAL);
    CHANGED(f->arrays[0][0].role = KS_ROLE_INOUT);
    CHANGED(f->arrays[0][1].count = expression("n + 1"));
    CHANGED(f->signature.params[1] = ks_type_parse(&arena, KS_SLICE("double*")));
    CHANGED(f->mark.tolerance.kind = KS_TOL_EXACT);
    CHANGED((f->mark.tolerance = (struct ks_tolerance){KS_TOL_ULP, 4, 0, 0, 0}));
    CHANGED((f->mark.tolerance = (struct ks_tolerance){KS_TOL_REL, 0, 1e-5, 0, 0}));
    CHANGED((f->mark.tolerance = (struct ks_tolerance){KS_TOL_DERIVED, 0, 0, 0, 1e-3}));
    assert_non_null(strstr(text(f), "tolerance sum=0.001\n"));
    CHANGED(f->mark.fastmath = true);
    CHANGED(f->workloads[0].capture = "k-1f2e");
    struct ks_expr *assume = expression("n % 4 == 0");
    CHANGED((f->mark.assumes = &assume, f->mark.n_assumes = 1));
    assert_non_null(strstr(text(f), "assume $2 % 4 == 0\n"));
}

static void ranges_are_joined_over_workloads(void **state)
{
    (void)state;
    static const char *const params[][2] = {{"int*", "x"}, {"int", "n"}};
    struct fixture *f = fixture(params, 2), *g = fixture(params, 2);
    array(workload(f), KS_ROLE_IN, "x", "n", INIT(.kind = KS_INIT_RANDINT, .a = 0, .b = 9));
    array(workload(f), KS_ROLE_IN, "x", "n", INIT(.kind = KS_INIT_RANDINT, .a = -5, .b = 3));
    array(workload(f), KS_ROLE_IN, "x", "n", INIT(.kind = KS_INIT_CONSTANT, .a = 20));
    assert_string_equal(text(f), "$0 in i32 [$1] constant|randint [-5,20]\n$1 i32\n"
                                 "tolerance derived\n");
    // In any order of lines.
    array(workload(g), KS_ROLE_IN, "x", "n", INIT(.kind = KS_INIT_CONSTANT, .a = 20));
    array(workload(g), KS_ROLE_IN, "x", "n", INIT(.kind = KS_INIT_RANDINT, .a = -5, .b = 3));
    array(workload(g), KS_ROLE_IN, "x", "n", INIT(.kind = KS_INIT_RANDINT, .a = 0, .b = 9));
    assert_string_equal(text(f), text(g));
}

// normal(0,1) of floats, and written out it is the same promise; of integers none, for a range would be one.
static void no_initialiser_means_the_default(void **state)
{
    (void)state;
    static const char *const params[][2] = {{"float*", "x"}, {"unsigned char*", "b"}};
    struct fixture *f = fixture(params, 2), *g = fixture(params, 2);
    struct ks_workload_mark *w = workload(f);
    array(w, KS_ROLE_IN, "x", "8", INIT(.kind = KS_INIT_DEFAULT));
    array(w, KS_ROLE_INOUT, "b", "8", INIT(.kind = KS_INIT_DEFAULT));
    w = workload(g);
    array(w, KS_ROLE_IN, "x", "8", INIT(.kind = KS_INIT_NORMAL, .a = 0, .b = 1));
    array(w, KS_ROLE_INOUT, "b", "8", INIT(.kind = KS_INIT_RANDINT, .a = 0, .b = 99));
    assert_string_equal(text(f), "$0 in f32 [8] normal(0,1)\n$1 inout u8 [8] any\n"
                                 "tolerance derived\n");
    assert_string_equal(text(g), "$0 in f32 [8] normal(0,1)\n$1 inout u8 [8] randint [0,99]\n"
                                 "tolerance derived\n");
}

// Sizes that no parameter carries are not visible at a launch, so no domain can cover them.
static void sizes_without_a_parameter_enter(void **state)
{
    (void)state;
    static const char *const params[][2] = {{"float*", "x"}};
    struct fixture *f = fixture(params, 1);
    struct ks_workload_mark *w = workload(f);
    let(w, "size", "1 << 10");
    array(w, KS_ROLE_OUT, "x", "size", INIT(.kind = KS_INIT_DEFAULT));
    w = workload(f);
    let(w, "size", "64");
    array(w, KS_ROLE_OUT, "x", "size * 2", INIT(.kind = KS_INIT_DEFAULT));
    assert_string_equal(text(f), "$0 out f32 [1024|128]\ntolerance derived\n");
}

static void template_parameters_and_aliases_are_positions(void **state)
{
    (void)state;
    static const char *names[] = {"T", "B"}, *others[] = {"Real", "Block"};
    struct fixture *f = plain(), *g = plain();
    f->decl.template_params = names;
    g->decl.template_params = others;
    f->decl.n_template_params = g->decl.n_template_params = 2;
    f->arrays[0][1].count = expression("n * B");
    g->arrays[0][1].count = expression("n * Block");
    assert_string_equal(text(f), text(g));
    assert_non_null(strstr(text(f), "[$2 * $T1]"));

    f = plain();
    f->workloads[0].n_arrays = 1;
    f->aliases[0][0][0] = "y";
    f->aliases[0][0][1] = "x";
    f->workloads[0].n_aliases = 1;
    assert_non_null(strstr(text(f), "$1 pointer f32 alias $0\n"));
}

static void contradictions_are_refused_with_their_place(void **state)
{
    (void)state;
    struct fixture *f = plain();
    struct ks_workload_mark *w = workload(f);
    array(w, KS_ROLE_IN, "y", "n", INIT(.kind = KS_INIT_DEFAULT));
    refused(f, "a.cu:11: 'y' is 'in' here and 'out' at a.cu:10");

    f = plain();
    array(workload(f), KS_ROLE_OUT, "y", "n + 1", INIT(.kind = KS_INIT_DEFAULT));
    refused(f, "a.cu:11: 'y' has $2 + 1 elements here and $2 at a.cu:10");

    f = plain();
    w = workload(f);
    array(w, KS_ROLE_OUT, "y", "n", INIT(.kind = KS_INIT_DEFAULT));
    w->arrays[0].type = ks_type_parse(&arena, KS_SLICE("double"));
    refused(f, "elements of f64 here and of f32");

    f = plain();
    array(&f->workloads[0], KS_ROLE_IN, "z", "n", INIT(.kind = KS_INIT_DEFAULT));
    refused(f, "no parameter named 'z'");

    f = plain();
    array(&f->workloads[0], KS_ROLE_IN, "n", "1", INIT(.kind = KS_INIT_DEFAULT));
    refused(f, "is no pointer");

    static const char *const opaque[][2] = {{"void*", "p"}};
    f = fixture(opaque, 1);
    array(workload(f), KS_ROLE_IN, "p", "4", INIT(.kind = KS_INIT_DEFAULT));
    refused_as(f, KS_E_UNSUPPORTED, "element type of 'p' is not known");
    f->arrays[0][0].type = ks_type_parse(&arena, KS_SLICE("float"));
    assert_string_equal(text(f), "$0 in f32 [4] normal(0,1)\ntolerance derived\n");

    f = plain();
    f->signature.n_params = 2;
    refused(f, "a.cu:3");
}

static int teardown(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_as_documented),
        cmocka_unit_test(names_and_sizes_do_not_enter),
        cmocka_unit_test(promises_enter),
        cmocka_unit_test(ranges_are_joined_over_workloads),
        cmocka_unit_test(no_initialiser_means_the_default),
        cmocka_unit_test(sizes_without_a_parameter_enter),
        cmocka_unit_test(template_parameters_and_aliases_are_positions),
        cmocka_unit_test(contradictions_are_refused_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
