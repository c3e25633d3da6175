// The lines of tests/data/marks/{accepted,rejected}.txt, and what a list cannot show.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "os/file.h"
#include "source/mark.h"

static struct ks_arena arena;

static void add_expr(struct ks_buf *out, const struct ks_expr *e)
{
    ks_expr_print(out, e, NULL, NULL);
}

static void add_dims(struct ks_buf *out, const char *name, struct ks_expr *const *dims)
{
    for (int i = 0; i < 3 && dims[i]; i++) {
        ks_buf_printf(out, i ? ", " : " %s(", name);
        add_expr(out, dims[i]);
    }
    if (dims[0])
        ks_buf_putc(out, ')');
}

static void add_array(struct ks_buf *out, const struct ks_array *a)
{
    static const char *const roles[] = {"in", "inout", "out"};
    static const char *const inits[] = {"",     "uniform",     "normal",   "randint",
                                        "iota", "permutation", "constant", "file"};
    ks_buf_printf(out, " %s(%s%s%s[", roles[a->role],
                  *a->type.text ? ks_elem_text(&arena, a->type.elem) : "", *a->type.text ? " " : "",
                  a->name);
    add_expr(out, a->count);
    ks_buf_puts(out, "]");
    if (a->init.kind == KS_INIT_FILE)
        ks_buf_printf(out, "=file %s", a->init.path);
    else if (a->init.kind == KS_INIT_CONSTANT)
        ks_buf_printf(out, "=constant %g", a->init.a);
    else if (a->init.kind == KS_INIT_PERMUTATION)
        ks_buf_puts(out, "=permutation");
    else if (a->init.kind != KS_INIT_DEFAULT)
        ks_buf_printf(out, "=%s %g %g", inits[a->init.kind], a->init.a, a->init.b);
    ks_buf_putc(out, ')');
}

static void add_workload(struct ks_buf *out, const struct ks_workload_mark *w)
{
    ks_buf_printf(out, "  workload@%s", strchr(w->where, ':') + 1);
    if (*w->name)
        ks_buf_printf(out, " name=%s", w->name);
    if (w->weight != 1)
        ks_buf_printf(out, " weight=%g", w->weight);
    if (*w->capture)
        ks_buf_printf(out, " capture=%s", w->capture);
    for (size_t i = 0; i < w->n_lets; i++) {
        ks_buf_printf(out, " let(%s=", w->lets[i].name);
        add_expr(out, w->lets[i].expr);
        ks_buf_putc(out, ')');
    }
    for (size_t i = 0; i < w->n_arrays; i++)
        add_array(out, &w->arrays[i]);
    for (size_t i = 0; i < w->n_settings; i++) {
        ks_buf_printf(out, " set(%s=", w->settings[i].name);
        for (size_t k = 0; k < w->settings[i].n_values; k++)
            ks_buf_printf(out, "%s%s", k ? "," : "", w->settings[i].values[k]);
        ks_buf_putc(out, ')');
    }
    for (size_t i = 0; i < w->n_aliases; i++)
        ks_buf_printf(out, " alias(%s,%s)", w->aliases[i][0], w->aliases[i][1]);
    add_dims(out, "grid", w->grid);
    add_dims(out, "block", w->block);
    if (w->shared)
        add_dims(out, "shared", (struct ks_expr *const[3]){w->shared, NULL, NULL});
    ks_buf_putc(out, '\n');
}

// One line a mark and one a workload, the form that accepted.txt shows.
static const char *printed(const struct ks_mark_list *marks)
{
    struct ks_buf out = KS_BUF(1 << 20);
    if (marks->file_off)
        ks_buf_puts(&out, "file off\n");
    ks_vec_each (const struct ks_mark, m, marks) {
        ks_buf_printf(&out, "%s@%d", m->kernel->qualified, m->line);
        if (m->off)
            ks_buf_puts(&out, " off");
        if (*m->name)
            ks_buf_printf(&out, " name=%s", m->name);
        if (m->tolerance.kind == KS_TOL_EXACT)
            ks_buf_puts(&out, " exact");
        if (m->tolerance.kind == KS_TOL_ULP)
            ks_buf_printf(&out, " ulp=%d", (int)m->tolerance.ulp);
        if (m->tolerance.kind == KS_TOL_REL)
            ks_buf_printf(&out, " rel=%g abs=%g", m->tolerance.rel, m->tolerance.abs);
        if (m->tolerance.sum > 0)
            ks_buf_printf(&out, " sum=%g", m->tolerance.sum);
        if (m->fastmath)
            ks_buf_puts(&out, " fastmath");
        for (size_t i = 0; i < m->n_assumes; i++) {
            ks_buf_puts(&out, " assume(");
            add_expr(&out, m->assumes[i]);
            ks_buf_putc(&out, ')');
        }
        if (m->budget_seconds > 0)
            ks_buf_printf(&out, " budget=%gs", m->budget_seconds);
        if (m->budget_tries > 0)
            ks_buf_printf(&out, " budget=%d", (int)m->budget_tries);
        for (size_t i = 0; i < m->n_instances; i++)
            ks_buf_printf(&out, " inst(%s)", m->instances[i]);
        ks_buf_putc(&out, '\n');
        for (size_t i = 0; i < m->n_workloads; i++)
            add_workload(&out, &m->workloads[i]);
    }
    const char *text = ks_arena_strdup(&arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

static enum ks_status find(struct ks_slice text, struct ks_mark_list *marks, struct ks_err *err)
{
    struct ks_kernel_list *kernels = KS_NEW(&arena, struct ks_kernel_list);
    KS_TRY(ks_kernels_find(&arena, "k.cu", text, kernels, err));
    return ks_marks_find(&arena, "k.cu", text, kernels, marks, err);
}

struct sample {
    const char *name, *source, *expected;
};

// Cuts "=== name", source, "---", expected, one after the other.
static size_t read_cases(const char *file, struct sample *cases, size_t max)
{
    struct ks_slice text;
    struct ks_err err = {0};
    const char *path = ks_arena_printf(&arena, "%s/marks/%s", KS_TEST_DATA, file);
    if (ks_file_read(&arena, path, 1 << 20, &text, &err) != KS_OK)
        fail_msg("%s", err.text);
    size_t n = 0;
    const char *at = strstr(ks_arena_strndup(&arena, text.at, text.len), "\n=== ");
    while (at && n < max) {
        const char *name = at + 5, *source = strchr(name, '\n') + 1;
        const char *rule = strstr(source, "\n---\n"), *expected = rule + 5;
        assert_non_null(rule);
        at = strstr(expected - 1, "\n=== ");
        // Source and expectation end with their newline.
        size_t len = at ? (size_t)(at + 1 - expected) : strlen(expected);
        cases[n++] = (struct sample){ks_arena_strndup(&arena, name, (size_t)(source - 1 - name)),
                                     ks_arena_strndup(&arena, source, (size_t)(rule + 1 - source)),
                                     ks_arena_strndup(&arena, expected, len)};
    }
    return n;
}

static void test_accepted(void **state)
{
    (void)state;
    struct sample cases[200];
    size_t n = read_cases("accepted.txt", cases, 200);
    assert_in_range(n, 30, 199);
    for (size_t i = 0; i < n; i++) {
        struct ks_mark_list marks;
        struct ks_err err = {0};
        if (find(ks_slice_of(cases[i].source), &marks, &err) != KS_OK)
            fail_msg("case '%s': %s", cases[i].name, err.text);
        const char *got = printed(&marks);
        if (strcmp(got, cases[i].expected) != 0)
            fail_msg("case '%s':\n%sexpected\n%s", cases[i].name, got, cases[i].expected);
    }
}

// The expectation is "LINE: part of the message".
static void test_rejected(void **state)
{
    (void)state;
    struct sample cases[200];
    size_t n = read_cases("rejected.txt", cases, 200), bad = 0;
    assert_in_range(n, 30, 199);
    for (size_t i = 0; i < n; i++) {
        struct ks_mark_list marks;
        struct ks_err err = {0};
        struct ks_slice want = ks_slice_trim(ks_slice_of(cases[i].expected));
        const char *colon = memchr(want.at, ':', want.len);
        assert_non_null(colon);
        const char *where = ks_arena_printf(&arena, "k.cu:%.*s: ", (int)(colon - want.at), want.at);
        const char *part =
            ks_arena_strndup(&arena, colon + 2, (size_t)(want.at + want.len - colon) - 2);
        enum ks_status status = find(ks_slice_of(cases[i].source), &marks, &err);
        if (status == KS_E_USER && ks_starts_with(err.text, where) && strstr(err.text, part))
            continue;
        print_error("case '%s': %s '%s', expected %s... %s\n", cases[i].name,
                    ks_status_name(status), err.text, where, part);
        bad++;
    }
    assert_int_equal(bad, 0);
}

// A mark that is wrong is no reason to read less of the others; of itself nothing counts, and what comes behind it
// is not taken for the file's first.
static void test_others_are_read(void **state)
{
    (void)state;
    static const char launch[] = " grid(1) block(32)\n";
    struct ks_mark_list marks;
    struct ks_err err = {0};
    const char *text = ks_arena_printf(
        &arena, "#pragma ks optimize tolerence(1)\n"
        "#pragma ks workload out(x[4])%s__global__ void a(float *x) {}\n// ks: off\nint m;\n"
        "#pragma ks workload in(q[4])%s__global__ void b(float *x) {}\n"
        "#pragma ks optimize\nint n;\n/* ks: optimize */\n"
        "#pragma ks workload out(x[4])%s__global__ void c(float *x) {}\n",
        launch, launch, launch);
    assert_int_equal(find(ks_slice_of(text), &marks, &err), KS_E_USER);
    assert_true(ks_starts_with(err.text, "k.cu:1: unknown clause 'tolerence'"));
    assert_int_equal(marks.len, 3);
    assert_int_equal(marks.mistakes.len, 5);
    assert_string_equal(marks.at[0].problem, err.text);
    assert_true(ks_starts_with(marks.at[1].problem, "k.cu:6: in(q[...])"));
    assert_int_equal(marks.at[0].n_workloads + marks.at[1].n_workloads, 0);
    assert_null(marks.at[2].problem);
    assert_int_equal(marks.at[2].n_workloads, 1);
    assert_false(marks.file_off);
}

// Every ```cuda block of the user's guide is accepted and marks a kernel.
static void test_guide(void **state)
{
    (void)state;
    struct ks_slice text;
    struct ks_err err = {0};
    if (ks_file_read(&arena, KS_SOURCE_DIR "/docs/marks.md", 1 << 20, &text, &err) != KS_OK)
        fail_msg("%s", err.text);
    size_t n = 0;
    for (const char *at = text.at; (at = strstr(at, "\n```cuda\n")) != NULL; n++) {
        at += strlen("\n```cuda\n");
        const char *end = strstr(at, "\n```\n");
        assert_non_null(end);
        struct ks_mark_list marks;
        if (find((struct ks_slice){at, (size_t)(end + 1 - at)}, &marks, &err) != KS_OK)
            fail_msg("block %zu: %s", n + 1, err.text);
        assert_int_equal(marks.len, 1);
        at = end;
    }
    assert_in_range(n, 6, 100);
}

// What is blanked is the pragmas' bytes, those in dead code and behind splices too.
static void test_blanks(void **state)
{
    (void)state;
    static const char text[] = "#if 0\n# pragma ks off\n#endif\n"
                               "#pragma ks optimize \\\n  fastmath\r\n// ks: workload capture(a)\n"
                               "__global__ void k(int n) {}\n#pragma unroll\n";
    struct ks_mark_list marks;
    assert_int_equal(find(ks_slice_of(text), &marks, NULL), KS_OK);
    assert_int_equal(marks.n_blanks, 2);
    assert_int_equal(marks.blanks[0][0], strstr(text, "# pragma") - text);
    assert_int_equal(marks.blanks[0][1], strstr(text, "\n#endif") - text);
    assert_int_equal(marks.blanks[1][0], strstr(text, "#pragma ks") - text);
    assert_int_equal(marks.blanks[1][1], strstr(text, "\r\n//") - text);
    assert_int_equal(marks.len, 1);
    assert_int_equal(marks.at[0].text_begin, marks.blanks[1][0]);
    assert_int_equal(marks.at[0].text_end, marks.blanks[1][1]);
}

static void test_side_file(void **state)
{
    (void)state;
    struct ks_err err = {0};
    struct ks_mark mark = {.file = "ks.yaml", .line = 4};
    assert_int_equal(
        ks_mark_parse_optimize(&arena, "ks.yaml:5", "tol(rel=1e-5) budget(60s)", &mark, &err),
        KS_OK);
    assert_int_equal(mark.tolerance.kind, KS_TOL_REL);
    assert_int_equal(ks_mark_parse_workload(&arena, "ks.yaml:7",
                                            "let(n=64) in(a[n]) out(b[n]) grid(1) block(64)", &mark,
                                            &err),
                     KS_OK);
    assert_int_equal(
        ks_mark_parse_workload(&arena, "ks.yaml:8", "capture(relax-3f2a)", &mark, &err), KS_OK);
    assert_int_equal(mark.n_workloads, 2);
    assert_int_equal(ks_mark_parse_workload(&arena, "ks.yaml:9", "grd(1)", &mark, &err), KS_E_USER);
    assert_string_equal(err.text,
                        "ks.yaml:9: unknown clause 'grd' of workload; did you mean 'grid'?");
    // Bound later, the kernel turns out to have another parameter.
    struct ks_kernel_list kernels;
    assert_int_equal(ks_kernels_find(&arena, "k.cu",
                                     ks_slice_of("__global__ void k(float* a, float* c, int n) {}"),
                                     &kernels, &err),
                     KS_OK);
    assert_int_equal(ks_mark_check(&arena, &mark, &err), KS_OK);
    mark.kernel = &kernels.at[0];
    assert_int_equal(ks_mark_check(&arena, &mark, &err), KS_E_USER);
    assert_true(
        ks_starts_with(err.text, "ks.yaml:7: out(b[...]): k has no parameter of that name"));
}

static void test_crlf_and_bom(void **state)
{
    (void)state;
    struct ks_mark_list marks;
    static const char text[] = "\xEF\xBB\xBF#pragma ks optimize \\\r\n tol(exact)\r\n"
                               "// ks: workload let(n=1) out(x[n])\r\n// ks: grid(1) block(n)\r\n"
                               "__global__ void k(float* x, int n)\r\n{\r\n}\r\n";
    struct ks_err err = {0};
    if (find(ks_slice_of(text), &marks, &err) != KS_OK)
        fail_msg("%s", err.text);
    assert_string_equal(printed(&marks),
                        "k@1 exact\n  workload@3 let(n=1) out(x[n]) grid(1) block(n)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),  cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_others_are_read),
        cmocka_unit_test(test_guide),     cmocka_unit_test(test_blanks),
        cmocka_unit_test(test_side_file), cmocka_unit_test(test_crlf_and_bom),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
