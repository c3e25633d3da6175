// Templates: which bindings are offered, and that the right one computes what the original does, at
// sizes off every tile edge, on the host.
#include "../host_run/host_run.h"

#include "engine/bind.h"
#include "engine/engine.h"
#include "engine/template.h"

#define TEMPLATES KS_SOURCE_DIR "/skills/templates"

static const char transpose[] =
    "// ks: optimize\n// ks: workload let(rows=64) let(cols=32) in(a[rows*cols]) out(b[rows*cols])\n"
    "// ks: grid(ceildiv(cols,32), ceildiv(rows,8)) block(32,8)\n"
    "__global__ void transpose(const float *a, float *b, int rows, int cols)\n{\n"
    "    int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "    if (row < rows && col < cols)\n"
    "        b[(size_t)col * rows + row] = a[(size_t)row * cols + col];\n}\n";

// Both sizes hang on one: the binding may only be used where they are equal.
static const char square[] =
    "// ks: optimize\n"
    "// ks: workload let(n=64) let(rows=n) let(cols=n) in(a[rows*cols]) out(b[rows*cols])\n"
    "// ks: grid(ceildiv(cols,32), ceildiv(rows,8)) block(32,8)\n"
    "__global__ void square(const float *a, float *b, int rows, int cols)\n{\n"
    "    int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "    if (row < rows && col < cols)\n        b[col * rows + row] = a[row * cols + col];\n}\n";

#define ROWS(body)                                                                                \
    "// ks: optimize\n// ks: workload let(rows=64) let(cols=96) in(x[rows*cols]) out(y[rows])\n"   \
    "// ks: grid(ceildiv(rows,64)) block(64)\n"                                                    \
    "__global__ void rows_(const float *x, float *y, int rows, int cols)\n{\n"                     \
    "    int row = blockIdx.x * blockDim.x + threadIdx.x;\n    if (row >= rows)\n        return;\n" \
    "    const float *p = x + (size_t)row * cols;\n" body "}\n"

static const char row_sum[] =
    ROWS("    float s = 0;\n    for (int i = 0; i < cols; i++)\n        s += p[i];\n    y[row] = s;\n");
static const char row_max[] =
    ROWS("    float s = p[0];\n    for (int i = 1; i < cols; i++)\n        if (p[i] > s)\n"
         "            s = p[i];\n    y[row] = s;\n");

// Of a row of n the first k - 1 are left out: in most sets of sizes alike k would be larger than n.
static const char shortened[] =
    "// ks: optimize\n// ks: workload let(rows=64) let(n=96) let(k=4) in(x[rows*(n-k+1)]) out(y[rows])\n"
    "// ks: let(cols=n-k+1) grid(ceildiv(rows,64)) block(64)\n"
    "__global__ void shortened(const float *x, float *y, int rows, int cols)\n{\n"
    "    int row = blockIdx.x * blockDim.x + threadIdx.x;\n    if (row >= rows)\n        return;\n"
    "    float s = 0;\n    for (int i = 0; i < cols; i++)\n        s += x[row * cols + i];\n    y[row] = s;\n}\n";
// No set of sizes gives it an element.
static const char nothing_left[] =
    "// ks: optimize\n// ks: workload let(n=4) in(x[20-n*n]) out(y[n])\n"
    "// ks: grid(ceildiv(n,64)) block(64)\n"
    "__global__ void nothing_left(const float *x, float *y, int n)\n{\n    y[threadIdx.x] = x[0];\n}\n";

static const char channels[] =
    "// ks: optimize\n// ks: workload let(ci=3) let(co=40) let(w=20) in(x[ci*w]) in(k[co*ci*3]) out(y[co*(w-2)])\n"
    "// ks: grid(ceildiv(w-2,64), co) block(64)\n"
    "__global__ void channels(const float *x, const float *k, float *y, int ci, int co, int w)\n{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y;\n    if (i >= w - 2)\n        return;\n"
    "    float s = 0;\n    for (int c = 0; c < ci; c++)\n        for (int t = 0; t < 3; t++)\n"
    "            s += x[c * w + i + t] * k[(o * ci + c) * 3 + t];\n    y[o * (w - 2) + i] = s;\n}\n";

static const char whole[] =
    "// ks: optimize\n// ks: workload let(n=4096) in(x[n]=randint(-9,9)) inout(y[1]=constant(3))\n"
    "// ks: grid(ceildiv(n,128)) block(128)\n"
    "__global__ void whole(const int *x, int *y, int n)\n{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)\n"
    "        atomicAdd(y, x[i]);\n}\n";

static const char loss[] =
    "// ks: optimize\n// ks: workload let(n=4096) in(p[n]) in(t[n]) inout(y[1]=constant(3)) set(by=0.5)\n"
    "// ks: grid(3) block(128)\n"
    "__global__ void loss(const float *p, const float *t, float *y, int n, float by)\n{\n"
    "    float s = 0;\n"
    "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {\n"
    "        float d = p[i] - t[i];\n        if (d < by)\n            s += by * d * d;\n"
    "        else\n            s = fmaf(d, by, s);\n    }\n    atomicAdd(y, s);\n}\n";

#define GEMM(arguments, workload, body)                                                           \
    "// ks: optimize\n// ks: workload let(m=64) let(n=32) let(k=48) in(a[m*k]) in(b[k*n]) "        \
    workload "\n// ks: grid(ceildiv(n,16), ceildiv(m,16)) block(16,16)\n"                         \
    "__global__ void gemm(const float *a, const float *b, float *c, " arguments                    \
    "int m, int n, int k)\n{\n"                                                                    \
    "    int col = blockIdx.x * blockDim.x + threadIdx.x;\n"                                       \
    "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n"                                       \
    "    if (row >= m || col >= n)\n        return;\n    float s = 0.0f;\n" body "}\n"

static const char gemm_nn[] =
    GEMM("", "out(c[m*n])",
         "    for (int i = 0; i < k; i++)\n        s += a[row * k + i] * b[i * n + col];\n"
         "    c[row * n + col] = s;\n");
static const char gemm_nt[] =
    GEMM("float alpha, ", "out(c[m*n]) set(alpha=0.5)",
         "    for (int i = 0; i < k; i++)\n        s += a[row * k + i] * b[col * k + i];\n"
         "    c[row * n + col] = alpha * s;\n");
static const char gemm_tn_update[] =
    GEMM("float alpha, float beta, ", "inout(c[m*n]) set(alpha=0.5,beta=2)",
         "    for (int i = 0; i < k; i++)\n        s += a[i * m + row] * b[i * n + col];\n"
         "    c[row * n + col] = alpha * s + beta * c[row * n + col];\n");

static struct ks_arena arena;

static struct ks_skill skill_for(const char *name)
{
    static const char *none[1];
    static const char **values[1] = {none};
    return (struct ks_skill){.id = "t", .title = "t", .direction = "d", .template_ = name,
                             .file = TEMPLATES "/x", .param_names = none, .param_values = values};
}

static void propose(struct host_case *c, const char *name, struct ks_candidate_list *out)
{
    struct ks_err err = {0};
    struct ks_skill skill = skill_for(name);
    const char *refusal;
    if (ks_engine_propose(&arena, &c->brief, &skill, TEMPLATES, out, &refusal, &err) != KS_OK)
        fail_msg("%s", err.text);
    if (out->len == 0)
        fail_msg("%s: %s", name, refusal);
}

// The candidate whose parameters start with `binding`; its code is run against the original.
static struct ks_candidate *right(struct host_case *c, struct ks_candidate_list *list,
                                  const char *binding, const int64_t *sizes, size_t n, int least,
                                  double rel, bool original_meets)
{
    for (size_t i = 0; i < list->len; i++) {
        if (!ks_starts_with(list->at[i].params, binding))
            continue;
        struct ks_proposal *p = &list->at[i].proposal;
        int held = host_run(&arena, c, &p, 1, sizes, n, true, original_meets, rel);
        if (held < least)
            fail_msg("%s: the guard held in %d cases only", binding, held);
        return &list->at[i];
    }
    for (size_t i = 0; i < list->len; i++)
        print_error("offered: %s\n", list->at[i].params);
    fail_msg("no binding %s", binding);
    return NULL;
}

static const int64_t sizes[] = {1, 31, 33, 70, 129};
enum { N = sizeof sizes / sizeof *sizes };

static void transposes(void **state)
{
    (void)state;
    struct host_case c;
    struct ks_candidate_list list = {0};
    host_case_make(&arena, transpose, NULL, NULL, 0, &c);
    propose(&c, "transpose", &list);
    assert_int_equal(list.len, 2); // rows and cols, either way round
    struct ks_candidate *found =
        right(&c, &list, "in=a out=b rows=rows cols=cols batch=1 T=f32", sizes, N, 10, 0, false);
    assert_true(found->recognition);
    assert_string_equal(found->group, "transpose_inner");
    host_nvcc(&arena, &c, &found->proposal, NULL);
}

static void tied_sizes_are_guarded(void **state)
{
    (void)state;
    struct host_case c;
    struct ks_candidate_list list = {0};
    host_case_make(&arena, square, NULL, NULL, 0, &c);
    propose(&c, "transpose", &list);
    assert_int_equal(list.len, 1); // either way round is the same
    for (size_t i = 0; i < list.len; i++) {
        struct ks_buf when = KS_BUF(4096);
        ks_expr_print(&when, list.at[i].proposal.when, NULL, NULL);
        if (!strstr(ks_buf_text(&when), "cols == rows"))
            fail_msg("%s: %s", list.at[i].params, ks_buf_text(&when));
        ks_buf_free(&when);
    }
}

static void row_reductions(void **state)
{
    (void)state;
    struct host_case c;
    struct ks_candidate_list list = {0};
    host_case_make(&arena, row_sum, NULL, NULL, 0, &c);
    propose(&c, "reduce_rows", &list);
    right(&c, &list, "x=x out=y rows=rows cols=cols T=f32 form=sum", sizes, N, 10, 1e-5, false);
    list.len = 0;
    host_case_make(&arena, row_max, NULL, NULL, 0, &c);
    propose(&c, "reduce_rows", &list);
    struct ks_candidate *found =
        right(&c, &list, "x=x out=y rows=rows cols=cols T=f32 form=max threads", sizes, N, 10, 0, false);
    host_nvcc(&arena, &c, &found->proposal, NULL);
}

static void sizes_that_others_hold_are_small(void **state)
{
    (void)state;
    struct host_case c;
    struct ks_candidate_list list = {0};
    host_case_make(&arena, shortened, NULL, NULL, 0, &c);
    propose(&c, "reduce_rows", &list);
    assert_non_null(strstr(list.at[0].params, "x=x out=y rows=rows cols=cols T=f32"));
}

static void sizes_that_are_none_are_said(void **state)
{
    (void)state;
    struct host_case c;
    struct ks_candidate_list list = {0};
    struct ks_err err = {0};
    const struct ks_skill skill = skill_for("reduce_rows");
    const char *refusal = NULL;
    host_case_make(&arena, nothing_left, NULL, NULL, 0, &c);
    assert_int_equal(ks_engine_propose(&arena, &c.brief, &skill, TEMPLATES, &list, &refusal, &err), KS_OK);
    assert_int_equal(list.len, 0);
    assert_non_null(strstr(refusal, "at other sizes than the declared ones"));
    assert_null(strstr(refusal, "negative"));
}

static void whole_reductions(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1, 255, 257, 4099};
    struct host_case c;
    struct ks_candidate_list list = {0};
    host_case_make(&arena, whole, NULL, NULL, 0, &c);
    propose(&c, "reduce_all", &list);
    struct ks_candidate *found =
        right(&c, &list, "x=x out=y n=n T=i32 form=added", lengths, 4, 8, 0, false);
    host_nvcc(&arena, &c, &found->proposal, NULL);
}

// What a turn makes of its elements is the template's own; without a loop that sums there is none.
static void sums_of_maps(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1, 255, 1025, 4099};
    struct host_case c;
    struct ks_candidate_list list = {0};
    struct ks_err err = {0};
    struct ks_skill skill = skill_for("map_sum");
    const char *refusal;
    host_case_make(&arena, loss, NULL, NULL, 0, &c);
    propose(&c, "map_sum", &list);
    struct ks_candidate *found = right(&c, &list, "out=y n=n cols=1 T=f32 form=added p[i] t[i]",
                                       lengths, 4, 4, 1e-5, false);
    assert_non_null(strstr(found->proposal.source, "its_read0 - its_read1"));
    host_nvcc(&arena, &c, &found->proposal, NULL);
    list.len = 0;
    host_case_make(&arena, whole, NULL, NULL, 0, &c);
    assert_int_equal(ks_engine_propose(&arena, &c.brief, &skill, TEMPLATES, &list, &refusal, &err),
                     KS_OK);
    assert_int_equal(list.len, 0);
}

static void products(void **state)
{
    (void)state;
    static const int64_t edges[] = {1, 20, 129, 67};
    struct host_case c;
    struct ks_candidate_list list = {0};
    host_case_make(&arena, gemm_nn, NULL, NULL, 0, &c);
    propose(&c, "gemm", &list);
    struct ks_candidate *found =
        right(&c, &list, "a=a b=b c=c m=m n=n k=k batch=1 T=f32 form=nn", edges, 4, 8, 1e-5, false);
    host_nvcc(&arena, &c, &found->proposal, NULL);
    list.len = 0;
    host_case_make(&arena, gemm_nt, NULL, NULL, 0, &c);
    propose(&c, "gemm", &list);
    right(&c, &list, "a=a b=b c=c alpha=alpha m=m n=n k=k batch=1 T=f32 form=nt", edges, 4, 8, 1e-5, false);
    list.len = 0;
    host_case_make(&arena, gemm_tn_update, NULL, NULL, 0, &c);
    propose(&c, "gemm_update", &list);
    right(&c, &list, "a=a b=b c=c alpha=alpha beta=beta m=m n=n k=k batch=1 T=f32 form=tn", edges, 4, 8,
          1e-5, false);
}

static void settings_follow_the_binding(void **state)
{
    (void)state;
    struct host_case c;
    struct ks_candidate_list list = {0}, more = {0};
    struct ks_err err = {0};
    const char *names[] = {"tile", "lines"}, *tiles[] = {"32", "64", NULL}, *lines[] = {"8", "64", NULL};
    const char **values[] = {tiles, lines};
    struct ks_skill skill = {.id = "t", .title = "t", .direction = "d", .template_ = "transpose",
                             .file = KS_SOURCE_DIR "/skills/expert/x.yaml", .param_names = names,
                             .param_values = values, .n_params = 2};
    const char *refusal;
    host_case_make(&arena, transpose, NULL, NULL, 0, &c);
    assert_int_equal(
        ks_engine_propose(&arena, &c.brief, &skill, TEMPLATES, &list, &refusal, &err), KS_OK);
    assert_int_equal(ks_template_settings(&arena, &c.brief, &list.at[0], &skill,
                                          TEMPLATES, &more, &err), KS_OK);
    assert_int_equal(more.len, 1); // 64 lines of 32 are no block
    assert_false(more.at[0].recognition);
    assert_non_null(strstr(more.at[0].params, "tile=64"));
}

// Of which sizes a setting is, over the kernel's own parameters.
static void settings_say_what_they_are_for(void **state)
{
    (void)state;
    struct host_case c;
    struct ks_candidate_list list = {0};
    struct ks_buf text = KS_BUF(4096);
    host_case_make(&arena, transpose, NULL, NULL, 0, &c);
    propose(&c, "transpose", &list);
    assert_null(list.at[0].fits);
    list.len = 0;
    host_case_make(&arena, channels, NULL, NULL, 0, &c);
    propose(&c, "conv", &list);
    ks_expr_print(&text, list.at[0].fits, NULL, NULL);
    assert_string_equal(ks_buf_text(&text), "2 * (co / 1) > 64 || 64 == 16");
    ks_buf_free(&text);
}

static void unknown_placeholders_are_named(void **state)
{
    (void)state;
    const char *names[] = {"T"}, *values[] = {"float"};
    struct ks_err err = {0};
    char *out;
    assert_int_equal(ks_template_expand(&arena, "x.cu", "@T@ a;\n@U@ b;", names, values, 1, &out,
                                        &err), KS_E_USER);
    assert_string_equal(err.text, "x.cu:2: nothing stands for @U@");
}

static enum ks_status read_guarded(const char *when, struct ks_err *err)
{
    struct ks_template t = {.name = "t", .file = "t.yaml"};
    t.text = ks_arena_printf(&arena,
                             "title: t\nsource: t.cu\nroles:\n  x: {kind: in, elem: T, extent: n}\n"
                             "  g: {kind: in, elem: T, extent: n}\n  y: {kind: out, elem: T, extent: n}\n"
                             "  n: {kind: int}\ntypes: {T: [f32]}\nsays: \"t\"\nwhen: \"%s\"\n", when);
    *err = (struct ks_err){0};
    return ks_template_read(&arena, &t, err);
}

// Whether a number may be a parameter is said in two words alone.
static void numbers_of_the_text_are_said_so(void **state)
{
    (void)state;
    static const struct { const char *said; enum ks_status status; bool of_text; } cases[] = {
        {"", KS_OK, false}, {", of_text: false", KS_OK, false}, {", of_text: true", KS_OK, true}, {", of_text: perhaps", KS_E_USER, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_template t = {.name = "t", .file = "t.yaml"};
        struct ks_err err = {0};
        t.text = ks_arena_printf(&arena, "title: t\nsource: t.cu\nroles:\n  eps: {kind: literal, elem: T%s}\n"
                                         "types: {T: [f32]}\nsays: \"t\"\nwhen: \"1 >= 1\"\n", cases[i].said);
        assert_int_equal(ks_template_read(&arena, &t, &err), cases[i].status);
        if (cases[i].status == KS_OK)
            assert_int_equal(t.roles[0].of_text, cases[i].of_text);
        else
            assert_non_null(strstr(err.text, "of_text is true or false"));
    }
}

static void overlaps_are_guarded(void **state)
{
    (void)state;
    struct ks_err err;
    assert_int_equal(read_guarded("@n@ >= 1 && !overlap(@x@, 4 * (@n@), @y@, 4 * @n@) && !overlap(@y@, 4, @g@, 4)", &err), KS_OK);
    assert_int_equal(read_guarded("!overlap(@x@, 4 * @n@, @y@, 4 * @n@) && !overlap(@x@, 4, @g@, 4)", &err), KS_E_USER);
    assert_string_equal(err.text, "t.yaml:1: `when` does not ask !overlap(@g@, ..., @y@, ...)");
    assert_int_equal(read_guarded("!overlap(@g@, 4 * @n@, @y@, 4 * @n@) && overlap(@x@, 4, @y@, 4)", &err), KS_E_USER);
    assert_string_equal(err.text, "t.yaml:1: `when` does not ask !overlap(@x@, ..., @y@, ...)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transposes),       cmocka_unit_test(tied_sizes_are_guarded),
        cmocka_unit_test(row_reductions),   cmocka_unit_test(whole_reductions),
        cmocka_unit_test(sums_of_maps),     cmocka_unit_test(products),
        cmocka_unit_test(settings_follow_the_binding), cmocka_unit_test(unknown_placeholders_are_named),
        cmocka_unit_test(numbers_of_the_text_are_said_so),
        cmocka_unit_test(overlaps_are_guarded), cmocka_unit_test(sizes_that_others_hold_are_small),
        cmocka_unit_test(sizes_that_are_none_are_said), cmocka_unit_test(settings_say_what_they_are_for),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    host_clean();
    return failed;
}
