// Captures written by hand and read back, as workloads of a kernel's mark.
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "os/file.h"
#include "workload/capture.h"
#include "workload/fill.h"
#include "workload/problem.h"

static struct ks_arena arena;
static const char *dir;

#define PARAMETERS "float *y, const float *x, double a, int n, const int *at, void *raw, bool on, float *gone"

// A launch of k: x and y share an allocation, `raw` lies 48 bytes into another, `gone` is null.
static void make(struct ks_capture *c)
{
    static float data[1024];
    static int32_t at[100];
    static unsigned char raw[4096];
    const double a = 0.1;
    const int32_t n = -7;
    for (int i = 0; i < 1024; i++)
        data[i] = (float)i;
    for (int i = 0; i < 100; i++)
        at[i] = i * 3 - 50;
    *c = (struct ks_capture){.kernel = "k", .symbol = "_Z1kPfPKfdiPKiPvbS_", .grid = {4, 2, 1},
                             .block = {32, 1, 1}, .shared = 64};
    const struct {
        const void *at;
        size_t size;
    } memory[] = {{data, sizeof data}, {at, sizeof at}, {raw, sizeof raw}};
    for (size_t i = 0; i < 3; i++) {
        struct ks_capture_memory *m = ks_vec_push(&arena, &c->memory);
        m->size = (int64_t)memory[i].size;
        m->align = 256;
        assert_int_equal(ks_capture_keep(dir, memory[i].at, memory[i].size, &m->before, NULL), KS_OK);
        m->after = m->before;
    }
    const size_t sizes[] = {8, 8, 8, 4, 8, 8, 1, 8};
    for (size_t i = 0; i < 8; i++)
        *ks_vec_push(&arena, &c->params) = (struct ks_capture_param){8 * i, sizes[i], ks_arena_alloc(&arena, 8)};
    memcpy(c->params.at[2].bytes, &a, 8);
    memcpy(c->params.at[3].bytes, &n, 4);
    c->params.at[6].bytes[0] = 1;
    const struct ks_capture_pointer pointers[] = {{0, 0, 0, 1024}, {1, 0, 0, 0}, {4, 0, 1, 0}, {5, 0, 2, 48}};
    for (size_t i = 0; i < 4; i++)
        *ks_vec_push(&arena, &c->pointers) = pointers[i];
    assert_int_equal(ks_capture_write(&arena, dir, c, NULL), KS_OK);
}

// The mark over a kernel of that text, and the compiler's word on it.
struct marked {
    struct ks_kernel_list kernels;
    struct ks_mark_list marks;
    struct ks_signature signature;
    struct ks_slice text; // in which structs are defined
};

static void mark_with(struct marked *m, const char *id, const char *symbol, const char *parameters)
{
    const char *text = ks_arena_printf(&arena, "#pragma ks workload capture(%s)\n__global__ void k(%s) {}\n", id,
                                       parameters);
    struct ks_err err = {0};
    *m = (struct marked){0};
    assert_int_equal(ks_kernels_find(&arena, "a.cu", ks_slice_of(text), &m->kernels, &err), KS_OK);
    assert_int_equal(ks_marks_find(&arena, "a.cu", ks_slice_of(text), &m->kernels, &m->marks, &err), KS_OK);
    const struct ks_kernel_decl *decl = &m->kernels.at[0];
    m->signature = (struct ks_signature){.registered = symbol, .qualified = "k", .instance = "k",
                                         .params = KS_NEW_ARRAY(&arena, struct ks_type, decl->n_params),
                                         .n_params = decl->n_params};
    for (size_t i = 0; i < decl->n_params; i++)
        m->signature.params[i] = decl->params[i].type;
}

static enum ks_status problem_of(const struct marked *m, struct ks_problem *problem, struct ks_err *err)
{
    struct ks_strv dirs = {0};
    ks_strv_add(&arena, &dirs, ks_path_join(&arena, dir, "nothing here"));
    ks_strv_add(&arena, &dirs, dir);
    const struct ks_mark *mark = ks_capture_expand(&arena, &dirs, &m->marks.at[0], &m->kernels.at[0],
                                                   &m->signature, m->text);
    return ks_problem_make(&arena, mark, 0, &m->signature, &m->kernels.at[0], NULL, 0, problem, err);
}

static void test_workload(void **state)
{
    struct ks_capture c;
    struct marked m;
    struct ks_problem p;
    struct ks_err err = {0};
    float x[256];
    double a;
    int32_t n;
    (void)state;
    make(&c);
    mark_with(&m, c.id, c.symbol, PARAMETERS);
    if (problem_of(&m, &p, &err) != KS_OK)
        fail_msg("%s", err.text);
    assert_string_equal(p.name, c.id);
    assert_int_equal(p.grid[0] * 100 + p.grid[1], 402);
    assert_int_equal(p.block[0], 32);
    assert_int_equal(p.shared, 64);
    // y from byte 1024 to the end, x in front of it up to y.
    assert_int_equal(p.args[0].count, 1024 - 256);
    assert_int_equal(p.args[0].role, KS_ROLE_INOUT);
    assert_int_equal(p.args[1].count, 256);
    assert_int_equal(p.args[1].role, KS_ROLE_IN);
    assert_int_equal(ks_fill_read(x, "", &p.args[1].init, p.args[1].elem, 256, NULL), KS_OK);
    assert_true(x[255] == 255);
    assert_int_equal(ks_fill_read(x, "", &p.args[0].init, p.args[0].elem, 3, NULL), KS_OK);
    assert_true(x[0] == 256 && x[2] == 258);
    memcpy(&a, p.args[2].bytes, 8);
    memcpy(&n, p.args[3].bytes, 4);
    assert_true(a == 0.1 && n == -7 && p.args[6].bytes[0] == 1);
    assert_true(p.args[4].init.a == -50 && p.args[4].init.b == 247); // the range
    // 48 bytes into 4096: words of 16.
    assert_int_equal(p.args[5].elem.size, 16);
    assert_int_equal(p.args[5].count, (4096 - 48) / 16);
    assert_true(ks_arg_is_null(&p.args[7]));
}

// x and y in a struct by value that the compiler knows and, where its text says so, we too.
static void test_struct(void **state)
{
    static const char parameters[] = "Pair p, long n", symbol[] = "_Z1k4Pairl";
    static const char *const texts[] = {"struct Pair { const float *x; int n; float *y; };",
                                        "struct Pair { const float *x; int n, m; float *y; };",
                                        "struct Pair { const float *x; int n; long y; };", ""};
    static const bool known[] = {true, true, false, false}; // of the third the members are no pointers
    struct ks_capture c;
    (void)state;
    make(&c);
    c.symbol = symbol;
    c.params.len = c.pointers.len = 0;
    for (size_t i = 0; i < 2; i++)
        *ks_vec_push(&arena, &c.params) =
            (struct ks_capture_param){24 * i, i == 0 ? 24 : 8, ks_arena_alloc(&arena, 24)};
    memcpy(c.params.at[0].bytes, "\0\0\0\0\0\0\0\0\7\0\0\0hole\0\0\0\0\0\0\0", 24);
    *ks_vec_push(&arena, &c.pointers) = (struct ks_capture_pointer){0, 0, 0, 0};
    *ks_vec_push(&arena, &c.pointers) = (struct ks_capture_pointer){0, 16, 0, 1024};
    *ks_vec_push(&arena, &c.pointers) = (struct ks_capture_pointer){1, 0, 0, 1024}; // an address kept as a number
    assert_int_equal(ks_capture_write(&arena, dir, &c, NULL), KS_OK);
    for (size_t i = 0; i < 4; i++) {
        struct marked m;
        struct ks_problem p;
        struct ks_err err = {0};
        mark_with(&m, c.id, symbol, parameters);
        m.text = ks_slice_of(texts[i]);
        if (problem_of(&m, &p, &err) != KS_OK)
            fail_msg("%s", err.text);
        assert_int_equal(p.n_params, 2);
        assert_int_equal(p.n_args, 5);
        assert_true(p.args[0].kind == KS_ARG_STRUCT && p.args[0].size == 24 && p.args[1].kind == KS_ARG_STRUCT);
        assert_true(p.args[2].kind == KS_ARG_BUFFER && p.args[3].at == 16 && p.args[4].parent == 1);
        assert_int_equal(p.args[4].alias_of, 3);
        assert_memory_equal(p.args[0].block->bytes + 8, "\7\0\0\0hole", 8);
        const bool *matters = p.args[0].block->matters;
        assert_true(!matters[0] && matters[8] && !matters[16] && matters[12] == (i != 0));
        assert_int_equal(p.args[2].elem.scalar, known[i] ? KS_T_F32 : KS_T_U32);
        assert_int_equal(p.args[2].role, known[i] ? KS_ROLE_IN : KS_ROLE_INOUT);
        assert_int_equal(p.args[2].count * (int64_t)p.args[2].elem.size, 1024);
        assert_int_equal(p.args[3].role, KS_ROLE_INOUT);
    }
}

static void expect(const char *id, const char *symbol, const char *parameters, const char *says)
{
    struct marked m;
    struct ks_problem p;
    struct ks_err err = {0};
    mark_with(&m, id, symbol, parameters);
    assert_int_equal(problem_of(&m, &p, &err), KS_E_USER);
    if (strstr(err.text, says) == NULL || strncmp(err.text, "a.cu:1: capture(", 16) != 0)
        fail_msg("not '%s': %s", says, err.text);
}

static void test_refusals(void **state)
{
    struct ks_capture c, changed;
    char *path, *text;
    struct ks_slice whole;
    (void)state;
    make(&c);
    expect("k-0123456789abcdef", c.symbol, PARAMETERS, "no such capture");
    expect(c.id, "_Z5otherPf", PARAMETERS, "is a launch of k, not of k");
    expect(c.id, c.symbol, "float *y, const float *x", "other parameters");
    expect(c.id, c.symbol, "float *y, const float *x, float a, int n, const int *at, void *raw, bool on, float *gone",
           "'a' (float) was of another size");
    changed = c; // a pointer into memory that nobody knew
    changed.params.at = ks_arena_memdup(&arena, c.params.at, c.params.len * sizeof *c.params.at);
    changed.params.at[7].bytes = (unsigned char *)ks_arena_strdup(&arena, "abcdefgh");
    assert_int_equal(ks_capture_write(&arena, dir, &changed, NULL), KS_OK);
    expect(changed.id, c.symbol, PARAMETERS, "'gone' pointed to memory that the driver did not know");
    // Altered by a byte.
    path = ks_path_join(&arena, dir, ks_arena_printf(&arena, "%s.json", c.id));
    assert_int_equal(ks_file_read(&arena, path, 1 << 20, &whole, NULL), KS_OK);
    text = ks_arena_strndup(&arena, whole.at, whole.len);
    *strstr(text, "\"shared\":64") = ' ';
    assert_int_equal(ks_file_write(path, text, whole.len, false, 0, NULL), KS_OK);
    expect(c.id, c.symbol, PARAMETERS, "was altered");
    assert_int_equal(ks_file_write(path, whole.at, whole.len, false, 0, NULL), KS_OK);
}

static void test_contents(void **state)
{
    struct ks_digest hash, other;
    void *bytes;
    char *data = malloc(100000);
    struct ks_strv names = {0};
    (void)state;
    for (size_t i = 0; i < 100000; i++)
        data[i] = (char)((i * 2654435761u) >> 13);
    const char *own = ks_path_join(&arena, dir, "own");
    assert_int_equal(ks_capture_keep(own, data, 100000, &hash, NULL), KS_OK);
    assert_int_equal(ks_capture_keep(own, data, 100000, &other, NULL), KS_OK);
    assert_true(ks_digest_eq(&hash, &other));
    assert_int_equal(ks_dir_list(&arena, ks_path_join(&arena, own, "data"), &names, NULL), KS_OK);
    assert_int_equal(names.len, 1);
    assert_int_equal(ks_capture_contents(own, &hash, 100000, &bytes, NULL), KS_OK);
    assert_memory_equal(bytes, data, 100000);
    free(bytes);
    assert_int_equal(ks_capture_contents(own, &hash, 99999, &bytes, NULL), KS_E_FORMAT);
    const char *path = ks_path_join(&arena, ks_path_join(&arena, own, "data"), names.at[0]);
    assert_int_equal(ks_file_write(path, data, 5000, false, 0, NULL), KS_OK);
    assert_int_equal(ks_capture_contents(own, &hash, 100000, &bytes, NULL), KS_E_FORMAT);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_workload), cmocka_unit_test(test_struct), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_contents)};
    char *made = NULL;
    if (ks_dir_temp(&arena, "test-capture", &made, NULL) != KS_OK)
        return 1;
    dir = made;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_tree_remove(made, NULL);
    ks_arena_free(&arena);
    return failed;
}
