// The shadow's text: what stays of the user's bytes, where variants go, what nvcc is told.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "source/shadow.h"
#include "source/shadow_macros.h"

static struct ks_arena arena;

static struct ks_signature signature = {.registered = "_Z1kPfi", .qualified = "k", .instance = "k",
                                        .n_params = 2};

static const char source[] = "struct T { int big; };\n"
                             "__global__ void fast(float *y, int n) { y[0] = INT_MAX; }\n";

static void setup_proposal(struct ks_proposal *p)
{
    static const char *const types[] = {"float*", "int"};
    struct ks_yaml *root;
    struct ks_err err = {0};
    signature.params = KS_NEW_ARRAY(&arena, struct ks_type, 2);
    for (int i = 0; i < 2; i++)
        signature.params[i] = ks_type_parse(&arena, ks_slice_of(types[i]));
    static const char text[] = "source: x\nparams: [y, n]\n"
                               "plan: [{kernel: fast, grid: n, args: [y, n]}]\n";
    assert_int_equal(ks_yaml_parse(&arena, "p", ks_slice_of(text), &root, &err), KS_OK);
    assert_int_equal(ks_proposal_read(&arena, "p", root, p, &err), KS_OK);
    p->source = source;
    if (ks_proposal_check(&arena, p, &signature, &err) != KS_OK)
        fail_msg("%s", err.text);
}

// Shadow of `text`, whose kernel k (if subs are wanted) is found in it.
static char suffix;
static char *shadow(const char *text, size_t n_subs, struct ks_mark_list *marks, bool in_tu,
                    enum ks_status want)
{
    struct ks_err err = {0};
    struct ks_kernel_list kernels = {0};
    static struct ks_proposal proposal;
    struct ks_substitution subs[2];
    assert_int_equal(ks_kernels_find(&arena, "a.cu", ks_slice_of(text), &kernels, &err), KS_OK);
    if (n_subs > 0)
        setup_proposal(&proposal);
    for (size_t i = 0; i < n_subs; i++)
        subs[i] = (struct ks_substitution){
            .signature = &signature, .decl = &kernels.at[i < kernels.len ? i : 0], .file = "a.cu",
            .in_tu = in_tu, .proposal = &proposal, .key = "", .id = "0123456789abcdef",
            .arch = i == 0 ? 90 : 80, .suffix = i == 0 ? suffix : '\0', .provenance = "who \"what\"\\?"};
    struct ks_shadow_request request = {.tu_token = "dir/a \"b\".cu", .marks = marks, .subs = subs,
                                        .text = ks_slice_of(text), .n_subs = n_subs};
    struct ks_buf out = KS_BUF(1 << 20);
    enum ks_status status = ks_shadow_text(&arena, &request, &out, &err);
    if (status != want)
        fail_msg("%s: %s", ks_status_name(status), err.text);
    char *copy = ks_arena_strdup(&arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return copy;
}

static void keeps_the_users_bytes(void **state)
{
    (void)state;
    static const char begin[] = "# 1 \"<ks/begin>\" 3\n#undef __BASE_FILE__\n"
                                "#define __BASE_FILE__ \"dir/a \\\"b\\\".cu\"\n"
                                "# 1 \"dir/a \\\"b\\\".cu\"\n";
    char *text = shadow("int a;\\\n\n", 0, NULL, true, KS_OK);
    assert_string_equal(text, ks_arena_printf(&arena, "%sint a;\\\n\n\n\n", begin));
    // A byte order mark is legal only at byte 0.
    text = shadow("\xef\xbb\xbfint a;\n", 0, NULL, true, KS_OK);
    assert_string_equal(text, ks_arena_printf(&arena, "%sint a;\n\n\n", begin));
}

static void blanks_marks(void **state)
{
    (void)state;
    static const char text[] = "int a;\n#pragma ks optimize \\\r\n  tol(exact)\nint b;\n";
    size_t blanks[1][2] = {{7, sizeof text - 1 - 8}};
    struct ks_mark_list marks = {.blanks = blanks, .n_blanks = 1};
    char *out = shadow(text, 0, &marks, true, KS_OK);
    assert_null(strstr(out, "pragma"));
    assert_null(strstr(out, "tol"));
    assert_null(strchr(out, '\\') > strstr(out, "int a") ? strchr(strstr(out, "int a"), '\\')
                                                           : NULL);
    assert_non_null(strstr(out, "\r\n"));
    size_t lines = 0;
    for (const char *c = out; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 4 + 4 + 2);
}

static const char kernel_text[] = "int a;\n__global__ void k(float *y, int n)\n{\n    y[n] = 1;\n"
                                  "} int behind;\nint last;\n";

static void inserts_after_the_brace(void **state)
{
    (void)state;
    char *out = shadow(kernel_text, 1, NULL, true, KS_OK);
    const char *code = strstr(out, "# 1 \"<ks/k-0123456789abcdef.cu>\" 3\n");
    assert_non_null(code);
    assert_true(strstr(out, "y[n] = 1;\n}\n") < code);
    // The rest of the line keeps its number.
    const char *back = strstr(out, "# 5 \"dir/a \\\"b\\\".cu\"\n int behind;\nint last;\n");
    assert_non_null(back);
    assert_true(back > code);
    assert_non_null(strstr(out, "#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 900)"));
    assert_non_null(strstr(out, "static __global__ void fast(float *y, int n);"));
    assert_non_null(strstr(out, "static __global__ void fast(float *y, int n) { __trap(); }"));
    assert_non_null(strstr(out, "#undef n\n"));
    assert_non_null(strstr(out, "pop_macro(\"n\")"));
    assert_null(strstr(out, "#undef INT_MAX\n"));
    assert_null(strstr(out, "#undef __global__\n"));
}

// For sm_90a nvcc compiles the unit for compute_90 too.
static void asks_for_the_suffix(void **state)
{
    (void)state;
    suffix = 'a';
    char *out = shadow(kernel_text, 2, NULL, true, KS_OK);
    assert_non_null(strstr(out, "(__CUDA_ARCH__ == 900 && defined(__CUDA_ARCH_FEAT_SM90_ALL) || __CUDA_ARCH__ == 800)"));
    suffix = 'f';
    out = shadow(kernel_text, 1, NULL, true, KS_OK);
    assert_non_null(strstr(out, "(__CUDA_ARCH__ == 900 && defined(__CUDA_ARCH_FAMILY_SPECIFIC__))"));
    suffix = '\0';
}

// Two architectures of one proposal are one text: twice would not compile.
static void emits_a_proposal_once(void **state)
{
    (void)state;
    char *out = shadow(kernel_text, 2, NULL, true, KS_OK);
    assert_non_null(strstr(out, "(__CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 800)"));
    char *first = strstr(out, "struct T");
    assert_non_null(first);
    assert_null(strstr(first + 1, "struct T"));
}

static void moves_code_to_the_end(void **state)
{
    (void)state;
    // A kernel of an included file, in namespaces; a file with #line directives of its own.
    char *out = shadow("namespace a { namespace { __global__ void k(float *y, int n) {} } }\n", 1,
                       NULL, false, KS_OK);
    assert_non_null(strstr(out, "namespace a {\nnamespace  {\nextern \"C++\" {"));
    assert_true(strstr(out, "namespace  {\nextern") > strstr(out, "{} } }\n"));
    out = shadow("#line 7 \"gen.y\"\n__global__ void k(float *y, int n) {}\nint last;\n", 1, NULL,
                 true, KS_OK);
    assert_true(strstr(out, "extern \"C++\"") > strstr(out, "int last;"));
}

static void refuses(void **state)
{
    (void)state;
    struct ks_err err = {0};
    struct ks_buf out = KS_BUF(1 << 16);
    struct ks_shadow_request request = {.tu_token = "a\nb.cu", .text = ks_slice_of("int a;")};
    assert_int_equal(ks_shadow_text(&arena, &request, &out, &err), KS_E_UNSUPPORTED);
    request.tu_token = "a\\b.cu";
    assert_int_equal(ks_shadow_text(&arena, &request, &out, &err), KS_E_UNSUPPORTED);
    request.tu_token = "a.cu";
    request.text = (struct ks_slice){"a\0b", 3};
    assert_int_equal(ks_shadow_text(&arena, &request, &out, &err), KS_E_UNSUPPORTED);
    // What the compiler says of them could not be said behind more text.
    static const char *const spliced[] = {"int a;\\", "int a;\\\n", "int a; \\ \r\n"};
    for (size_t i = 0; i < 3; i++) {
        request.text = ks_slice_of(spliced[i]);
        assert_int_equal(ks_shadow_text(&arena, &request, &out, &err), KS_E_UNSUPPORTED);
    }
    ks_buf_free(&out);
}

static const char *arguments(const char *path, enum ks_status want)
{
    struct ks_strv args = {0};
    struct ks_err err = {0};
    assert_int_equal(ks_shadow_arguments(&arena, path, "/opt/h k", true, &args, &err), want);
    const char *all = "";
    for (size_t i = 0; i < args.len; i++)
        all = ks_arena_printf(&arena, "%s%s|", all, args.at[i]);
    return all;
}

static void quotes_folders(void **state)
{
    (void)state;
    assert_string_equal(arguments("/s/a.cu", KS_OK),
                        "-Xcompiler=-iquote,\"/s\"|-Xcudafe=--orig_src_path_name=/s/a.cu|"
                        "-Xcicc=--orig_src_path_name=/s/a.cu|-I/opt/h k|");
    assert_string_equal(arguments("../s p,c/a.cu", KS_OK),
                        "-Xcompiler=-iquote,\"../s p\\,c\"|-I/opt/h k|");
    arguments("$HOME/a.cu", KS_E_UNSUPPORTED);
    arguments("a\"b/a.cu", KS_E_UNSUPPORTED);
    arguments("a\nb/a.cu", KS_E_UNSUPPORTED);
}

// Only a file asked for in quotes, or by a macro, is looked for beside the unit.
static void knows_what_may_lie_beside(void **state)
{
    (void)state;
    static const char *const beside[] = {"#include \"x.h\"", "#  include\t\"x.h\"", "#include X",
                                         "#include <a>\n%:include\"x.h\"", "#include_next \"x\""};
    static const char *const not[] = {"", "include", "#include <x.h>\n# include<y>\nint i;"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        assert_true(ks_shadow_includes_beside(ks_slice_of(beside[i])));
    for (size_t i = 0; i < sizeof not / sizeof *not; i++)
        assert_false(ks_shadow_includes_beside(ks_slice_of(not[i])));
}

static void quotes_the_front_ends_folder(void **state)
{
    (void)state;
    struct ks_strv args = {0};
    assert_true(ks_shadow_front(&arena, "/c d/1", &args));
    assert_string_equal(args.at[0], "-Xcompiler=-B\"/c d/1/\"");
    assert_false(ks_shadow_front(&arena, "/c,d", &args));
    assert_false(ks_shadow_front(&arena, "/c$d", &args));
    assert_int_equal(args.len, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_users_bytes), cmocka_unit_test(blanks_marks),
        cmocka_unit_test(inserts_after_the_brace), cmocka_unit_test(emits_a_proposal_once), cmocka_unit_test(asks_for_the_suffix),
        cmocka_unit_test(moves_code_to_the_end), cmocka_unit_test(refuses),
        cmocka_unit_test(quotes_folders), cmocka_unit_test(knows_what_may_lie_beside),
        cmocka_unit_test(quotes_the_front_ends_folder),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
