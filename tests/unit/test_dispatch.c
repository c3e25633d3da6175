// The dispatch table's text. What it does is shown by tests/dispatch on a mock CUDA runtime.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "source/dispatch.h"

static struct ks_arena arena;

static const char *table(const char *rest, const char *domain, const char *template_arg,
                         enum ks_status want)
{
    static const char *const types[] = {"float*", "unsigned long"};
    static const char *template_params[] = {"B"};
    struct ks_signature signature = {.registered = "_Z1kILi4EEvPfm", .qualified = "k",
                                     .instance = "k<4>", .n_params = 2, .n_template_args = 1};
    signature.template_args = &template_arg;
    signature.params = KS_NEW_ARRAY(&arena, struct ks_type, 2);
    for (int i = 0; i < 2; i++)
        signature.params[i] = ks_type_parse(&arena, ks_slice_of(types[i]));
    const char *scopes[] = {"ns", ""};
    struct ks_kernel_decl decl = {.name = "k", .scopes = scopes, .n_scopes = 2,
                                  .template_params = template_params, .n_template_params = 1};
    struct ks_err err = {0};
    struct ks_yaml *root;
    struct ks_proposal p;
    const char *text = ks_arena_printf(
        &arena, "source: \"__global__ void f(float *y, short n) {}\"\nparams: [y, n]\n%s", rest);
    assert_int_equal(ks_yaml_parse(&arena, "p", ks_slice_of(text), &root, &err), KS_OK);
    assert_int_equal(ks_proposal_read(&arena, "p", root, &p, &err), KS_OK);
    if (ks_proposal_check(&arena, &p, &signature, &err) != KS_OK)
        fail_msg("%s", err.text);
    struct ks_substitution sub = {.signature = &signature, .decl = &decl, .proposal = &p,
                                  .id = "0123456789abcdef", .arch = 90,
                                  .provenance = "a \"b\" ?\?/ \\ \xc3\xa4"};
    struct ks_expr *expr = NULL;
    if (domain != NULL)
        assert_int_equal(ks_expr_parse(&arena, "d", ks_slice_of(domain), &expr, &err), KS_OK);
    sub.domain = expr;
    struct ks_buf out = KS_BUF(1 << 20);
    enum ks_status status = ks_dispatch_text(&arena, &sub, 1, &out, &err);
    if (status != want)
        fail_msg("%s: %s", ks_status_name(status), err.text);
    const char *copy = status == KS_OK ? ks_arena_strdup(&arena, ks_buf_text(&out)) : err.text;
    copy = ks_arena_strdup(&arena, copy);
    ks_buf_free(&out);
    return copy;
}

#define PLAN "plan: [{kernel: f, grid: n, args: [y, n]}]\n"

static void prints_conditions_and_addresses(void **state)
{
    (void)state;
    const char *out = table("when: n > B\n" PLAN, "aligned(y, 16)", "4", KS_OK);
    assert_non_null(strstr(out, "if (c.cc > 0 && c.cc != 90) return ks_arch_;"));
    assert_non_null(strstr(out, "ks_read_<unsigned long"));
    assert_non_null(strstr(out, "4LL"));
    assert_non_null(strstr(out, "(const void *)::ns::ks_0123456789abcdef_"));
    // Domain before when.
    const char *domain = strstr(out, "if (!(");
    assert_non_null(domain);
    const char *when = strstr(domain + 1, "if (!(");
    assert_non_null(when);
    assert_true(strstr(domain, "ks_aligned_(") < when);
    assert_true(strstr(domain, "4LL") > when);
    // Both before the first call of the runtime.
    assert_true(strstr(domain, "why = ks_ask_(&c, 90);") > when);
    // The number goes into a short.
    assert_non_null(strstr(out, " > 32767LL"));
    assert_non_null(strstr(out, " < -32768LL"));
}

static void escapes_the_note(void **state)
{
    (void)state;
    const char *out = table(PLAN, NULL, "4", KS_OK);
    assert_non_null(strstr(out, "a \\042b\\042 \\077\\077/ \\134 \\303\\244"));
    assert_non_null(strstr(out, "section(\".ks_table\")"));
}

static void refuses_unknown_names(void **state)
{
    (void)state;
    assert_non_null(strstr(table("when: n > C\n" PLAN, NULL, "4", KS_E_USER), "'C'"));
    assert_non_null(strstr(table("when: n > B\n" PLAN, NULL, "float", KS_E_USER), "'B'"));
    assert_non_null(strstr(table(PLAN, "m > 1", "4", KS_E_USER), "'m'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_conditions_and_addresses),
        cmocka_unit_test(escapes_the_note),
        cmocka_unit_test(refuses_unknown_names),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
