// The mutators: each class is made where it can be, changes one place, and leaves the rest alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "mutate.h"

static struct ks_arena arena;

static const char source[] =
    "__global__ void k(float *y, const float *x, int n)\n{\n    __shared__ float s[32];\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n && n > 3)\n        s[i % 32] = x[i];\n"
    "    __syncthreads();\n    __threadfence();\n    atomicAdd(&y[0], s[0] + 0.5f);\n}\n";

static bool has(const struct mutant_list *list, enum mutation kind, const char *part)
{
    ks_vec_each (struct mutant, m, list)
        if (m->kind == kind && strstr(m->source, part) != NULL)
            return true;
    return false;
}

static void every_class_is_made(void **state)
{
    (void)state;
    static const struct { enum mutation kind; const char *part; } want[] = {
        {MUT_OPERATOR, "blockIdx.x + blockDim.x"}, {MUT_OPERATOR, "blockDim.x - threadIdx.x"},
        {MUT_OPERATOR, "s[i / 32]"},               {MUT_CONDITION, "i < n || n > 3"},
        {MUT_CONDITION, "if (!(i < n && n > 3))"}, {MUT_BOUND, "i <= n"},
        {MUT_BOUND, "n >= 3"},                     {MUT_BOUND, "n > 4"},
        {MUT_BOUND, "n > 2"},                      {MUT_INDEX, "x[i + 1]"},
        {MUT_INDEX, "x[i - 1]"},                   {MUT_INDEX, "threadIdx.y"},
        {MUT_INDEX, "s[1]"},                       {MUT_NUMBER, "+ 3.f"},
        {MUT_TYPE, "signed char i ="},             {MUT_TYPE, "__shared__ int s"},
        {MUT_BARRIER, "    ;\n    __threadfence"}, {MUT_FENCE, "__syncthreads();\n    ;"},
        {MUT_FENCE, "plain_add(&y[0]"},
    };
    struct mutant_list list = {0};
    mutate(&arena, source, &list);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!has(&list, want[i].kind, want[i].part))
            fail_msg("no mutant of class %s has \"%s\"", mutation_name(want[i].kind), want[i].part);
}

// All mutants differ from the source and from each other, in a body: the signature stays.
static void one_place_is_changed(void **state)
{
    (void)state;
    struct mutant_list list = {0};
    mutate(&arena, source, &list);
    assert_true(list.len > 30);
    for (size_t i = 0; i < list.len; i++) {
        const struct mutant *m = &list.at[i];
        assert_string_not_equal(m->source, source);
        assert_non_null(strstr(m->source, "__global__ void k(float *y, const float *x, int n)\n{"));
        assert_in_range(m->line, 3, 9);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(m->source, list.at[k].source);
        // Equal up to the change, and from behind it on.
        const char *body = strstr(m->source, "__global__");
        size_t front = 0, back = 0, n = strlen(body), all = strlen(source);
        while (front < all && body[front] == source[front])
            front++;
        while (back < all - front && back < n - front && body[n - 1 - back] == source[all - 1 - back])
            back++;
        assert_true(all - front - back <= 24);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_class_is_made),
        cmocka_unit_test(one_place_is_changed),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
