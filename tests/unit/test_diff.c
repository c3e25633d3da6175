// Line differences: applied to the old text they give the new, and none is longer than needed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diff.h"

static struct ks_arena arena;

// " a|-b|+c|": of each line what it is.
static const char *shown(const char *old, const char *new,
                         bool (*same)(struct ks_slice, struct ks_slice), size_t most)
{
    struct ks_diff diff;
    const char *all = "";
    ks_diff_lines(&arena, ks_slice_of(old), ks_slice_of(new), same, most, &diff);
    for (size_t i = 0; i < diff.n; i++)
        all = ks_arena_printf(&arena, "%s%c%.*s|", all, " -+"[diff.at[i].kind],
                              (int)diff.at[i].text.len, diff.at[i].text.at);
    return all;
}

static bool same_letter(struct ks_slice a, struct ks_slice b)
{
    return a.len > 0 && b.len > 0 && a.at[0] == b.at[0];
}

static void small_texts(void **state)
{
    (void)state;
    assert_string_equal(shown("", "", NULL, 9), "");
    assert_string_equal(shown("a\nb\nc\n", "a\nb\nc\n", NULL, 9), " a| b| c|");
    assert_string_equal(shown("a\nb\nc\n", "a\nc\n", NULL, 9), " a|-b| c|");
    assert_string_equal(shown("a\nc", "a\nb\nc", NULL, 9), " a|+b| c|");
    assert_string_equal(shown("a\nb\nc\n", "a\nx\nc\n", NULL, 9), " a|-b|+x| c|");
    assert_string_equal(shown("", "a\n", NULL, 9), "+a|");
    assert_string_equal(shown("a\n", "", NULL, 9), "-a|");
    // What counts as the same is said by the new text.
    assert_string_equal(shown("a1\nb1\n", "a2\nc\n", same_letter, 9), " a2|-b1|+c|");
    assert_string_equal(shown("a\nb\nc\n", "x\ny\n", NULL, 4), "-a|-b|-c|+x|+y|");
}

// Length of the longest common subsequence, the slow way.
static size_t common(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    size_t *row = KS_NEW_ARRAY(&arena, size_t, m + 1);
    for (size_t i = 0; i < n; i++) {
        size_t diagonal = 0;
        for (size_t j = 0; j < m; j++) {
            size_t above = row[j + 1];
            row[j + 1] = a[i] == b[j] ? diagonal + 1 : above > row[j] ? above : row[j];
            diagonal = above;
        }
    }
    return row[m];
}

static const char *as_lines(const char *letters)
{
    char *text = KS_NEW_ARRAY(&arena, char, 2 * strlen(letters) + 1), *at = text;
    for (; *letters != '\0'; letters++) {
        *at++ = *letters;
        *at++ = '\n';
    }
    return text;
}

static void random_texts(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 3000; round++) {
        char texts[2][41] = {{0}}, back[2][41] = {{0}};
        size_t n[2] = {0};
        for (int t = 0; t < 2; t++)
            for (int i = rand() % 40; i > 0; i--)
                texts[t][i - 1] = (char)('a' + rand() % 4);
        struct ks_diff diff;
        ks_diff_lines(&arena, ks_slice_of(as_lines(texts[0])), ks_slice_of(as_lines(texts[1])),
                      NULL, 100, &diff);
        for (size_t i = 0; i < diff.n; i++) {
            if (diff.at[i].kind != KS_DIFF_NEW)
                back[0][n[0]++] = diff.at[i].text.at[0];
            if (diff.at[i].kind != KS_DIFF_OLD)
                back[1][n[1]++] = diff.at[i].text.at[0];
        }
        assert_string_equal(back[0], texts[0]);
        assert_string_equal(back[1], texts[1]);
        assert_int_equal(diff.changed,
                         strlen(texts[0]) + strlen(texts[1]) - 2 * common(texts[0], texts[1]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_texts),
        cmocka_unit_test(random_texts),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
