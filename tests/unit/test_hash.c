#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sodium.h>
#include <string.h>

#include "fmt/hash.h"

static struct ks_digest of_two(const char *name_a, const char *a, const char *name_b, const char *b)
{
    struct ks_hash hash;
    struct ks_digest digest;
    ks_hash_begin(&hash, "test");
    ks_hash_text(&hash, name_a, a);
    ks_hash_text(&hash, name_b, b);
    ks_hash_end(&hash, &digest);
    return digest;
}

static void fields_do_not_run_together(void **state)
{
    (void)state;
    struct ks_digest all[] = {
        of_two("a", "bc", "d", "e"),   of_two("ab", "c", "d", "e"),    of_two("a", "b", "cd", "e"),
        of_two("a", "", "d", "e"),     of_two("a", NULL, "d", "e"),    of_two("d", "e", "a", "bc"),
        ks_digest_of("test", "bc", 2), ks_digest_of("other", "bc", 2),
    };
    size_t n = sizeof all / sizeof *all;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            assert_false(ks_digest_eq(&all[i], &all[j]));
    struct ks_digest again = of_two("a", "bc", "d", "e");
    assert_true(ks_digest_eq(&again, &all[0]));
}

static void integers_are_not_texts(void **state)
{
    (void)state;
    struct ks_hash hash;
    struct ks_digest digest[3];
    for (int i = 0; i < 3; i++) {
        ks_hash_begin(&hash, "test");
        if (i < 2)
            ks_hash_int(&hash, "n", i == 0 ? 1 : -1);
        else
            ks_hash_field(&hash, "n", "\1\0\0\0\0\0\0\0", 8);
        ks_hash_end(&hash, &digest[i]);
    }
    assert_false(ks_digest_eq(&digest[0], &digest[1]));
    assert_false(ks_digest_eq(&digest[0], &digest[2]));
}

// The layout is part of every key ever written: one-shot BLAKE2b of the same bytes, spelled out.
static void the_byte_layout_is_fixed(void **state)
{
    (void)state;
    static const char bytes[] = "n\3\0\0\0\0\0\0\0key"
                                "n\1\0\0\0\0\0\0\0x"
                                "d\2\0\0\0\0\0\0\0yz"
                                "n\1\0\0\0\0\0\0\0i"
                                "i\xfe\xff\xff\xff\xff\xff\xff\xff"
                                "n\1\0\0\0\0\0\0\0o"
                                "0\0\0\0\0\0\0\0\0";
    unsigned char expected[32];
    crypto_generichash(expected, 32, (const unsigned char *)bytes, sizeof bytes - 1, NULL, 0);
    struct ks_hash hash;
    struct ks_digest digest;
    ks_hash_begin(&hash, "key");
    ks_hash_text(&hash, "x", "yz");
    ks_hash_int(&hash, "i", -2);
    ks_hash_text(&hash, "o", NULL);
    ks_hash_end(&hash, &digest);
    assert_memory_equal(digest.b, expected, 32);
    // And of another implementation (Python's hashlib.blake2b), whichever one libsodium chose here.
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&digest, hex);
    assert_string_equal(hex, "519f5f4494f7202f4b020010bd2754be18f9e83564baeccf63a69c99d6b5da18");
}

static void hex_goes_both_ways(void **state)
{
    (void)state;
    struct ks_digest digest = ks_digest_of("x", "y", 1), back;
    char text[KS_HASH_TEXT];
    ks_digest_hex(&digest, text);
    assert_int_equal(strlen(text), 64);
    assert_true(ks_digest_parse(text, &back) && ks_digest_eq(&digest, &back));
    text[5] = 'g';
    assert_false(ks_digest_parse(text, &back));
    text[5] = 'A';
    assert_false(ks_digest_parse(text, &back));
    assert_false(ks_digest_parse("12", &back));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_do_not_run_together),
        cmocka_unit_test(integers_are_not_texts),
        cmocka_unit_test(the_byte_layout_is_fixed),
        cmocka_unit_test(hex_goes_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
