// Integers that are read keep their range where the file itself does not fit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "source/kernel.h"
#include "source/mark.h"
#include "verify/vector.h"
#include "workload/ranges.h"

#define N 1000

static struct ks_arena arena;
static char dir[] = "/tmp/ranges-XXXXXX";

static const char *write_indices(const char *name, const char *type, const int32_t *data, int n)
{
    const char *path = ks_arena_printf(&arena, "%s/%s.npy", dir, name);
    const char *header = ks_arena_printf(&arena, "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }\n", type, n);
    unsigned char length[2] = {(unsigned char)strlen(header), 0};
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite("\x93NUMPY\1\0", 1, 8, f);
    fwrite(length, 1, 2, f);
    fputs(header, f);
    fwrite(data, sizeof *data, (size_t)n, f);
    fclose(f);
    return path;
}

// The problem of `in(idx[n]=file(path)) in(x[n]) out(y[n])` for n, of N declared.
static enum ks_status problem_of(const char *path, int64_t n, struct ks_problem *problem, struct ks_err *err)
{
    struct ks_kernel_list kernels;
    struct ks_mark_list marks;
    const char *text = ks_arena_printf(&arena, "#pragma ks workload let(n=%d) in(idx[n]=file(\"%s\")) in(x[n]) out(y[n]) "
                                       "grid(1) block(32)\n__global__ void k(const int *idx, const float *x, float *y, int n) {}\n",
                                       N, path);
    assert_int_equal(ks_kernels_find(&arena, "a.cu", ks_slice_of(text), &kernels, err), KS_OK);
    assert_int_equal(ks_marks_find(&arena, "a.cu", ks_slice_of(text), &kernels, &marks, err), KS_OK);
    const struct ks_kernel_decl *decl = &kernels.at[0];
    struct ks_signature signature = {.params = KS_NEW_ARRAY(&arena, struct ks_type, decl->n_params),
                                     .n_params = decl->n_params};
    for (size_t i = 0; i < decl->n_params; i++)
        signature.params[i] = decl->params[i].type;
    assert_true(ks_ranges_wanted(&marks.at[0]));
    const struct ks_mark *mark = ks_ranges_read(&arena, &marks.at[0], decl, &signature);
    KS_TRY(ks_problem_make(&arena, mark, 0, &signature, decl, &(struct ks_value){"n", n}, 1, problem, err));
    problem->derived = n != N;
    return KS_OK;
}

static void indices_of(const struct ks_problem *problem, enum ks_family family, int32_t *out)
{
    struct ks_vector vector = {.problem = *problem, .family = family, .seed = 7};
    vector.layout = ks_layout_of(&arena, problem);
    assert_true(ks_vector_slot_bytes(&vector, 0, KS_CONTENTS_PLAIN, 0, out));
}

static void indices_keep_their_range(void **state)
{
    (void)state;
    int32_t data[N], got[N];
    struct ks_problem p;
    struct ks_err err = {0};
    for (int i = 0; i < N; i++)
        data[i] = 1000 + (i * 7919) % 5000;
    data[17] = 70000;
    data[18] = -3;
    const char *path = write_indices("idx", "<i4", data, N);
    assert_int_equal(problem_of(path, N, &p, &err), KS_OK);
    assert_true(p.args[0].init.a == -3 && p.args[0].init.b == 70000);
    // Itself on the declared size, whatever the floats are.
    indices_of(&p, KS_FAMILY_DECLARED, got);
    assert_memory_equal(got, data, sizeof data);
    indices_of(&p, KS_FAMILY_WIDE, got);
    assert_memory_equal(got, data, sizeof data);
    // Elsewhere the range, all of it.
    assert_int_equal(problem_of(path, N - 1, &p, &err), KS_OK);
    indices_of(&p, KS_FAMILY_DECLARED, got);
    int low = 0, high = 0;
    for (int i = 0; i < N - 1; i++) {
        assert_in_range(got[i] + 3, 0, 70003);
        low += got[i] < 7000;
        high += got[i] > 63000;
    }
    assert_true(low > 50 && high > 50);
}

static void a_file_that_does_not_fit_is_told(void **state)
{
    (void)state;
    int32_t data[2] = {1, 2};
    struct ks_problem p;
    struct ks_err err = {0};
    assert_int_equal(problem_of(ks_arena_printf(&arena, "%s/none.npy", dir), N, &p, &err), KS_E_USER);
    assert_non_null(strstr(err.text, "cannot be opened"));
    assert_int_equal(problem_of(write_indices("short", "<u2", data, 4), N, &p, &err), KS_E_USER);
    assert_non_null(strstr(err.text, "the array wants i32"));
}

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) == NULL;
}

static int remove_dir(void **state)
{
    static const char *const names[] = {"idx", "short"};
    char path[64];
    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.npy", dir, names[i]);
        unlink(path);
    }
    ks_arena_free(&arena);
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_keep_their_range),
        cmocka_unit_test(a_file_that_does_not_fit_is_told),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
