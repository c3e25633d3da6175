#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "os/clock.h"
#include "os/term.h"

static int real_stderr;
static FILE *capture;

// What went to stderr since begin(), as text.
static void begin(void)
{
    real_stderr = dup(STDERR_FILENO);
    capture = tmpfile();
    assert_true(dup2(fileno(capture), STDERR_FILENO) >= 0);
}

static const char *end(void)
{
    static char text[8192];
    assert_true(dup2(real_stderr, STDERR_FILENO) >= 0);
    close(real_stderr);
    rewind(capture);
    size_t n = fread(text, 1, sizeof text - 1, capture);
    text[n] = '\0';
    fclose(capture);
    return text;
}

static void the_level_decides_what_is_logged(void **state)
{
    (void)state;
    unsetenv("KS_LOG");
    begin();
    ks_log_init("prog", KS_LOG_WARN);
    errno = 7;
    ks_error("it is %d", 1);
    ks_warn("two");
    ks_info("three");
    setenv("KS_LOG", "debug", 1);
    ks_log_init("prog", KS_LOG_ERROR);
    ks_debug("four");
    setenv("KS_LOG", "nonsense", 1);
    ks_log_init("prog", KS_LOG_ERROR);
    ks_warn("five");
    int kept = errno;
    const char *said = end(), *others = "prog: error: it is 1\nprog: warning: two\nprog: debug: ";
    char *rest;
    assert_int_equal(strncmp(said, others, strlen(others)), 0);
    assert_true(strtod(said + strlen(others), &rest) >= 0); // seconds since the start
    assert_string_equal(rest, ": four\n");
    assert_int_equal(kept, 7);
}

static void a_long_line_is_cut_and_ended(void **state)
{
    (void)state;
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    begin();
    ks_error("%s", text);
    const char *got = end();
    assert_in_range(strlen(got), 1000, 2048);
    assert_ptr_equal(strchr(got, '\n'), got + strlen(got) - 1);
}

static void progress_off_a_terminal_is_plain_lines(void **state)
{
    (void)state;
    begin();
    ks_progress("a", "a %d", 1);
    ks_progress("a", "a %d", 2); // the same key within 10 s: held back
    ks_progress("b", "b %d", 3);
    ks_progress_done();
    bool tty = ks_term_is_tty();
    assert_string_equal(end(), "a 1\nb 3\n");
    assert_false(tty);
}

static void colours_follow_the_environment(void **state)
{
    (void)state;
    begin();
    unsetenv("NO_COLOR");
    unsetenv("CLICOLOR_FORCE");
    bool plain = ks_term_colour();
    setenv("CLICOLOR_FORCE", "1", 1);
    bool forced = ks_term_colour();
    setenv("NO_COLOR", "1", 1);
    bool refused = ks_term_colour();
    int width = ks_term_width();
    end();
    assert_false(plain);
    assert_true(forced);
    assert_false(refused);
    assert_int_equal(width, 80);
}

static void time_moves_and_is_written_in_utc(void **state)
{
    (void)state;
    double started = ks_now();
    ks_sleep(0.02);
    assert_true(ks_now() - started >= 0.02);
    char text[32];
    int part[6];
    ks_utc_text(text);
    assert_int_equal(strlen(text), 20);
    assert_int_equal(sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ", &part[0], &part[1], &part[2],
                            &part[3], &part[4], &part[5]),
                     6);
    assert_true(part[0] >= 2024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_level_decides_what_is_logged),
        cmocka_unit_test(a_long_line_is_cut_and_ended),
        cmocka_unit_test(progress_off_a_terminal_is_plain_lines),
        cmocka_unit_test(colours_follow_the_environment),
        cmocka_unit_test(time_moves_and_is_written_in_utc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
