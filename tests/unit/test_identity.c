// The key follows each of its fields and nothing else.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "key/identity.h"

static struct ks_key_fields sample(void)
{
    return (struct ks_key_fields){
        .canonical_ptx = KS_SLICE(".entry #g0\n"),
        .nvcc_version = "13.0.88",
        .ptxas_options = "",
        .contract = "$0 buffer f32\ntolerance derived\n",
        .arch = 90,
    };
}

static void each_field_changes_the_key(void **state)
{
    (void)state;
    struct ks_key_fields changed[7];
    for (size_t i = 0; i < 7; i++)
        changed[i] = sample();
    changed[0].canonical_ptx = KS_SLICE(".entry #g1\n");
    changed[1].nvcc_version = "13.0.89";
    changed[2].ptxas_options = "-O1";
    changed[3].maxrregcount = 32;
    changed[4].contract = "$0 buffer f64\ntolerance derived\n";
    changed[5].arch = 80;
    changed[6].rdc = true;

    struct ks_key_fields base = sample();
    struct ks_digest keys[8];
    keys[7] = ks_key_of(&base);
    struct ks_arena arena = {0};
    const char *text = ks_key_text(&arena, &base);
    for (size_t i = 0; i < 7; i++) {
        keys[i] = ks_key_of(&changed[i]);
        // What changes the key is seen in its text, or explain could not tell.
        assert_string_not_equal(ks_key_text(&arena, &changed[i]), text);
    }
    for (size_t i = 0; i < 8; i++)
        for (size_t j = i + 1; j < 8; j++)
            assert_false(ks_digest_eq(&keys[i], &keys[j]));
    ks_arena_free(&arena);
}

static void same_fields_give_the_same_key(void **state)
{
    (void)state;
    struct ks_key_fields a = sample(), b = sample();
    char copy[] = "13.0.88", ptx[] = ".entry #g0\n";
    b.nvcc_version = copy;
    b.canonical_ptx = (struct ks_slice){ptx, strlen(ptx)};
    struct ks_digest x = ks_key_of(&a), y = ks_key_of(&b);
    assert_true(ks_digest_eq(&x, &y));
}

// Text moved from one field to the next is another key: fields are length-prefixed.
static void fields_do_not_run_together(void **state)
{
    (void)state;
    struct ks_key_fields a = sample(), b = sample();
    a.nvcc_version = "13.0.88-O1";
    b.ptxas_options = "-O1";
    struct ks_digest x = ks_key_of(&a), y = ks_key_of(&b);
    assert_false(ks_digest_eq(&x, &y));
}

static void text_names_every_field(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    struct ks_key_fields fields = sample();
    const char *text = ks_key_text(&arena, &fields);
    static const char *const lines[] = {
        "format: 1\n",        "arch: sm_90\n",  "nvcc: 13.0.88\n",
        "ptxas: \n",          "maxrregcount: 0\n", "contract: $0 buffer f32\n",
        "contract: tolerance derived\n", "ptx: ",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_non_null(strstr(text, lines[i]));
    assert_int_equal(text[strlen(text) - 1], '\n');
    ks_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_field_changes_the_key),
        cmocka_unit_test(same_fields_give_the_same_key),
        cmocka_unit_test(fields_do_not_run_together),
        cmocka_unit_test(text_names_every_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
