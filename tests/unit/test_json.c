#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fmt/json.h"
#include "fmt/table.h"

static void reads_are_typed_with_fallbacks(void **state)
{
    (void)state;
    struct ks_err err;
    json_t *v = ks_json_parse(KS_SLICE("{\"s\":\"x\",\"i\":-5,\"d\":2.5,\"b\":true}"), &err);
    assert_non_null(v);
    assert_string_equal(ks_json_str(v, "s", NULL), "x");
    assert_null(ks_json_str(v, "i", NULL));
    assert_int_equal(ks_json_int(v, "i", 0), -5);
    assert_int_equal(ks_json_int(v, "d", 7), 7);
    assert_true(ks_json_num(v, "d", 0) == 2.5 && ks_json_num(v, "i", 0) == -5 &&
                ks_json_num(v, "s", 1) == 1);
    assert_true(ks_json_bool(v, "b", false) && ks_json_bool(v, "none", true) &&
                !ks_json_bool(v, "i", false));
    struct ks_arena arena = {0};
    assert_string_equal(ks_json_text(&arena, v), "{\"s\":\"x\",\"i\":-5,\"d\":2.5,\"b\":true}");
    ks_arena_free(&arena);
    json_decref(v);
}

static void garbage_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",     "{",          "nonsense", "{\"a\":1,\"a\":2}",
                                      "{} x", "{\"a\":NaN}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ks_err err = {0};
        assert_null(ks_json_parse(ks_slice_of(bad[i]), &err));
        assert_int_equal(err.status, KS_E_FORMAT);
    }
    assert_null(ks_json_parse((struct ks_slice){0}, NULL));
}

// What a function prints to a file, as text.
static char *table_text(const struct ks_table *table)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    ks_table_print(table, out);
    fclose(out);
    return text;
}

static void tables_align_without_trailing_blanks(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    struct ks_table table;
    const char *const header[] = {"kernel", ">time", "state"};
    ks_table_begin(&table, &arena, header, 3);
    ks_table_cell(&table, "gr\xc3\xbc\xc3\x9f");
    ks_table_cell(&table, "%.1f", 10.25);
    ks_table_cell(&table, "fast");
    ks_table_cell(&table, "%s", "reduce_rows");
    ks_table_cell(&table, "%d", 123456);
    ks_table_cell(&table, "%s", "");
    char *text = table_text(&table);
    assert_string_equal(text, "kernel         time  state\n"
                              "gr\xc3\xbc\xc3\x9f           10.2  fast\n"
                              "reduce_rows  123456\n");
    free(text);
    ks_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_are_typed_with_fallbacks),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(tables_align_without_trailing_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
