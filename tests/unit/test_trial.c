// The gate that a skill of the user's must pass.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memory/trial.h"

static struct ks_arena arena;

static void the_gate_holds(void **state)
{
    (void)state;
    static const struct {
        double with[7], without[7]; // up to a 0
        const char *keys;           // a digit each
        int with_correct, without_correct;
        bool adopt;
        const char *reason;
    } cases[] = {
        {{1.2, 1.3, 1.4}, {1, 1, 1}, "123", 1, 1, true, "1.20x at least on 3 kernels"},
        {{1.2, 1.3}, {1, 1}, "12", 1, 1, false, "2 kernels"},
        {{1.2, 1.3, 1.4}, {1, 1, 1}, "112", 1, 1, false, "2 kernels"}, // one twice
        {{1.2, 1.3, 1.07}, {1, 1, 1}, "123", 1, 1, false, "not above 1.08"},
        {{1.2, 1.3, 1.4}, {1.2, 1.3, 1.4}, "123", 1, 1, false, "1.00x"}, // no better than without it
        {{2, 2, 2}, {1, 1, 2.1}, "123", 1, 1, false, "below 0.97"},
        {{1.2, 1.3, 1.4, 1.5, 0.98, 2, 2}, {1, 1, 1, 1, 1, 1, 1}, "1234567", 1, 1, true, "1.20x"}, // one of seven not
        {{1.2, 1.3, 1.4, 1.5, 0.96, 2, 2}, {1, 1, 1, 1, 1, 1, 1}, "1234567", 1, 1, false, "0.96x"},
        {{1.2, 1.3, 1.4, 1.5, 0.98, 0.99, 2}, {1, 1, 1, 1, 1, 1, 1}, "1234567", 1, 1, false, "0.99x"}, // two of seven
        {{1.2, 1.3, 1.4}, {1, 1, 1}, "123", 0, 2, false, "nothing verifies"},
        {{1.2, 1.3, 1.4}, {1, 1, 1}, "123", 1, 0, true, "1.20x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_trial trials[7] = {0};
        struct ks_trial_judgement judgement;
        size_t n = 0;
        for (; n < 7 && cases[i].with[n] > 0; n++)
            trials[n] = (struct ks_trial){.kernel = "k", .evidence = "measured",
                                          .key = ks_arena_strndup(&arena, cases[i].keys + n, 1),
                                          .with_ratio = cases[i].with[n], .without_ratio = cases[i].without[n],
                                          .with_correct = cases[i].with_correct,
                                          .without_correct = cases[i].without_correct};
        ks_trials_judge(&arena, trials, n, &judgement);
        if (judgement.adopt != cases[i].adopt || strstr(judgement.reason, cases[i].reason) == NULL)
            fail_msg("case %zu: %s", i, judgement.reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_gate_holds)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
