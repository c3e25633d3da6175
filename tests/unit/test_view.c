// The line that `ks tune` shows: what a search knows, and on a narrow terminal the best and the time left before all else.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "search/tuner.h"

static struct ks_candidate candidate = {.skill = "row-reduction", .direction = "parallel-reduction",
                                        .params = "x=a out=s rows=rows threads=64"};

static void shows(int width, const struct ks_candidate *c, const char *expected)
{
    struct ks_signature signature = {.instance = "rowsum"};
    struct ks_tu_kernel kernel = {.signature = &signature};
    struct ks_tune_result result = {.judged = 1, .correct = 1};
    struct ks_tuner t = {.kernel = &kernel, .result = &result, .best = 1.25, .bound = 1.2, .looked = 12,
                         .last = "last FASTER 1.25x"};
    struct ks_buf line = KS_BUF(4096);
    ks_view_line(&t, "judging", c, 7.4, width, &line);
    assert_string_equal(ks_buf_text(&line), expected);
    ks_buf_free(&line);
}

static void a_wide_one_has_all(void **state)
{
    (void)state;
    shows(200, &candidate,
          "ks: rowsum: judging parallel-reduction: row-reduction x=a out=s rows=rows threads=64; last FASTER 1.25x, "
          "best 1.25x (over 1.20x); 12 screened, 1 judged, 1 correct, 7 s left");
    shows(200, NULL,
          "ks: rowsum: judging; last FASTER 1.25x, best 1.25x (over 1.20x); 12 screened, 1 judged, 1 correct, 7 s left");
}

static void a_narrow_one_has_the_best_and_the_time(void **state)
{
    (void)state;
    shows(150, &candidate,
          "ks: rowsum: judging parallel-reduction: row-reduction x=a out=s rows=rows threads=64; last FASTER 1.25x, "
          "best 1.25x (over 1.20x), 7 s left");
    shows(130, &candidate,
          "ks: rowsum: judging parallel-reduction: row-reduction x=a out=s rows=rows...; last FASTER 1.25x, "
          "best 1.25x (over 1.20x), 7 s left");
    shows(95, &candidate,
          "ks: rowsum: judging row-reduction; last FASTER 1.25x, best 1.25x (over 1.20x), 7 s left");
    shows(79, &candidate, "ks: rowsum: judging row-reduction x=a out...; best 1.25x (over 1.20x), 7 s left");
    shows(10, &candidate, "ks: rowsum: judging row-reduction; best 1.25x (over 1.20x), 7 s left");
}

// Of every width none is longer than it, once there is room for what stays.
static void none_is_longer(void **state)
{
    (void)state;
    struct ks_signature signature = {.instance = "rowsum"};
    struct ks_tu_kernel kernel = {.signature = &signature};
    struct ks_tune_result result = {0};
    struct ks_tuner t = {.kernel = &kernel, .result = &result, .best = 1, .last = "last looked at 0.97x"};
    struct ks_buf line = KS_BUF(4096);
    for (int width = 60; width < 200; width++) {
        ks_view_line(&t, "screening", &candidate, 120, width, &line);
        assert_in_range(line.len, 40, width);
        assert_non_null(strstr(ks_buf_text(&line), "best 1.00x"));
        assert_non_null(strstr(ks_buf_text(&line), "120 s left"));
    }
    ks_buf_free(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wide_one_has_all),
        cmocka_unit_test(a_narrow_one_has_the_best_and_the_time),
        cmocka_unit_test(none_is_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
