#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/vec.h"

static void memory_is_zeroed_aligned_and_distinct(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    unsigned char *last = NULL;
    for (size_t size = 0; size < 70000; size = size * 2 + 1) {
        unsigned char *memory = ks_arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
        assert_ptr_not_equal(memory, last);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, size);
        last = memory;
    }
    ks_arena_free(&arena);
    assert_null(arena.head);
}

static void a_large_block_does_not_waste_the_current_one(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    char *before = ks_arena_alloc(&arena, 16);
    ks_arena_alloc(&arena, 1 << 20);
    char *after = ks_arena_alloc(&arena, 16);
    assert_ptr_equal(after, before + 16);
    ks_arena_free(&arena);
}

static void text_of_any_length_is_formatted(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    assert_string_equal(ks_arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
    for (int width = 250; width < 262; width++) {
        char *text = ks_arena_printf(&arena, "%*s", width, "x");
        assert_int_equal(strlen(text), width);
        assert_int_equal(text[width - 1], 'x');
    }
    assert_string_equal(ks_arena_strndup(&arena, "abc", 2), "ab");
    ks_arena_free(&arena);
}

static void vectors_grow_and_give_zeroed_elements(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    KS_VEC(int) list = {0};
    for (int i = 0; i < 1000; i++) {
        int *element = ks_vec_push(&arena, &list);
        assert_int_equal(*element, 0);
        *element = i;
    }
    list.len = 3;
    assert_int_equal(*ks_vec_push(&arena, &list), 0);
    int sum = 0;
    ks_vec_each (int, p, &list)
        sum += *p;
    assert_int_equal(sum, 0 + 1 + 2);
    ks_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_distinct),
        cmocka_unit_test(a_large_block_does_not_waste_the_current_one),
        cmocka_unit_test(text_of_any_length_is_formatted),
        cmocka_unit_test(vectors_grow_and_give_zeroed_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
