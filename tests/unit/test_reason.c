// Every reason has a unique stable name and a text, and docs/reasons.md lists exactly these names.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "key/reason.h"
#include "os/file.h"

static void names_are_unique_and_parse_back(void **state)
{
    (void)state;
    for (int i = 0; i < KS_R_COUNT; i++) {
        const char *name = ks_reason_name((enum ks_reason)i);
        assert_non_null(name);
        assert_true(strlen(name) > 1);
        assert_true(strlen(ks_reason_text((enum ks_reason)i)) > 10);
        assert_null(strchr(ks_reason_text((enum ks_reason)i), '\n'));
        assert_int_equal(ks_reason_parse(name), i);
    }
    assert_int_equal(ks_reason_parse("no-such-reason"), KS_R_COUNT);
    assert_int_equal(ks_reason_parse(""), KS_R_COUNT);
}

// Rows of the document's tables begin "| `name` |".
static void document_lists_exactly_the_reasons(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    struct ks_slice text;
    struct ks_err err;
    assert_int_equal(
        ks_file_read(&arena, KS_SOURCE_DIR "/docs/reasons.md", 1 << 20, &text, &err), KS_OK);
    int seen[KS_R_COUNT] = {0};
    for (const char *p = strstr(text.at, "\n| `"); p != NULL; p = strstr(p + 1, "\n| `")) {
        char name[64] = "";
        assert_int_equal(sscanf(p, "\n| `%63[^`]` |", name), 1);
        enum ks_reason reason = ks_reason_parse(name);
        if (reason == KS_R_COUNT)
            fail_msg("docs/reasons.md explains '%s', which is no reason", name);
        seen[reason]++;
    }
    for (int i = 0; i < KS_R_COUNT; i++)
        if (seen[i] != 1)
            fail_msg("docs/reasons.md lists '%s' %d times", ks_reason_name((enum ks_reason)i),
                     seen[i]);
    ks_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique_and_parse_back),
        cmocka_unit_test(document_lists_exactly_the_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
