// Archives: members of every name form, and damage that is told.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "key/archive.h"

static struct ks_arena arena;
static struct ks_buf text;

static void member(const char *name, const char *size, const char *contents)
{
    char header[61];
    snprintf(header, sizeof header, "%-16s%-12s%-6s%-6s%-8s%-10s`\n", name, "0", "0", "0", "644",
             size);
    ks_buf_add(&text, header, 60);
    ks_buf_puts(&text, contents);
    if (strlen(contents) % 2 == 1)
        ks_buf_putc(&text, '\n');
}

// "name=contents;" of each member, then the status if it is not KS_OK.
static const char *listed(void)
{
    struct ks_archive archive;
    struct ks_member one;
    enum ks_status status;
    struct ks_err err;
    struct ks_slice file = {text.data, text.len};
    const char *list = "";
    assert_true(ks_is_archive(file));
    ks_archive_open(file, &archive);
    while (ks_archive_next(&arena, &archive, &one, &status, &err))
        list = ks_arena_printf(&arena, "%s%s=%.*s;", list, one.name, (int)one.contents.len,
                               one.contents.at);
    if (status != KS_OK)
        list = ks_arena_printf(&arena, "%s %s: %s", list, ks_status_name(status), err.text);
    ks_buf_free(&text);
    text = KS_BUF(1 << 16);
    return list;
}

static void members_of_every_form(void **state)
{
    (void)state;
    text = KS_BUF(1 << 16);
    ks_buf_puts(&text, "!<arch>\n");
    member("/", "4", "abcd");
    member("/SYM64/", "2", "ab");
    member("//", "32", "a long name with spaces.o/\nb.o/\n");
    member("a.o/", "3", "one");
    member("/0", "2", "xy");
    member("/27", "1", "z");
    member("b.o", "0", "");
    member("/99", "1", "?");
    assert_string_equal(listed(), "a.o=one;a long name with spaces.o=xy;b.o=z;b.o=;?=?;");

    ks_buf_puts(&text, "!<thin>\n");
    member("//", "8", "dir/a.o/");
    member("/0", "123456", "");
    assert_string_equal(listed(), "dir/a.o=;");
}

static void damage_is_told(void **state)
{
    (void)state;
    text = KS_BUF(1 << 16);
    ks_buf_puts(&text, "!<arch>\n");
    member("a.o/", "30", "short");
    assert_string_equal(listed(), " format: a damaged archive: a member ends behind its end");
    ks_buf_puts(&text, "!<arch>\nno header");
    assert_string_equal(listed(), " format: a damaged archive: no member at byte 8");
    ks_buf_puts(&text, "!<arch>\n");
    member("a.o/", "many", "short");
    assert_string_equal(listed(), " format: a damaged archive: no member at byte 8");
    assert_false(ks_is_archive(KS_SLICE("!<arc")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_of_every_form),
        cmocka_unit_test(damage_is_told),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
