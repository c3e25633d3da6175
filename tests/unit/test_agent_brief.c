// What models are told, and what of others' files and figures is believed: verdicts in words,
// questions of mailboxes, usage.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/digest.h"
#include "agent/section.h"
#include "agent/transcript_lines.h"
#include "agent/wire_form.h"

static struct ks_arena arena;

static int tear_down(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    return 0;
}

// One timing is no confirmation, and a ratio of what is not faster no gain.
static void tells_verdicts(void **state)
{
    (void)state;
    const struct {
        struct ks_outcome outcome;
        const char *text;
    } cases[] = {
        {{.correctness = "WRONG", .reason = "output `y` differs"}, "output `y` differs"},
        {{.correct = true, .gains = true, .ratio = 7.2, .lower = 6.5, .reason = ""},
         "right, 7.20 times as fast as the original in a first timing, at least 6.50; not "
         "confirmed yet"},
        {{.correct = true, .gains = true, .modelled = true, .ratio = 2.05, .reason = ""},
         "right, modelled as 2.05 times as fast as the original"},
        {{.correct = true, .ratio = 1.01, .lower = 0.97, .reason = ""},
         "right, but not faster: 1.01 times as fast as the original"},
        {{.correct = true, .reason = "guard excludes workload a"},
         "right, but no time of it counts: guard excludes workload a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(ks_outcome_text(&arena, &cases[i].outcome), cases[i].text);
    struct ks_candidate a = {.proposer = "m"}, b = {.proposer = "m"};
    struct ks_tried tried[] = {
        {.candidate = &a, .outcome = {.correct = true, .ratio = 1.3, .reason = ""}},
        {.candidate = &b, .outcome = {.correct = true, .gains = true, .ratio = 1.1, .reason = ""}}};
    const struct ks_digest_list list = {tried, 2, 2};
    assert_ptr_equal(ks_digest_best(&list)->candidate, &b); // the first is faster in noise alone
}

// Files in a mailbox may be anybody's: figures that budgets go by are checked.
static void reads_questions(void **state)
{
    (void)state;
    const struct {
        bool good;
        const char *fields;
    } cases[] = {
        {true, "\"max_tokens\":12000,\"temperature\":0.4"},
        {true, "\"role\":\"coder\""},
        {false, "\"max_tokens\":-100000"},
        {false, "\"max_tokens\":0"},
        {false, "\"max_tokens\":4294967396"},
        {false, "\"temperature\":-1"},
        {false, "\"id\":\"\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_ask ask;
        const char *id = strstr(cases[i].fields, "\"id\"") != NULL ? "" : "\"id\":\"q-1\",";
        const char *line = ks_arena_printf(&arena, "{%s\"user\":\"u\",%s}", id, cases[i].fields);
        if ((ks_question_read(&arena, ks_slice_of(line), &ask, NULL) == KS_OK) != cases[i].good)
            fail_msg("%zu: %s", i, line);
    }
}

// What a server tells of its usage cannot be more than a call could use, nor make sums overflow.
static void doubts_usage(void **state)
{
    (void)state;
    struct ks_spend spend = {0};
    struct ks_hold hold;
    char why[128];
    for (int i = 0; i < 3; i++) {
        assert_true(ks_spend_hold(&spend, (struct ks_price){0}, 100, 50, &hold, why));
        ks_spend_settle(&spend, &hold, INT64_MAX, i == 0 ? 5 : INT64_MAX);
    }
    assert_int_equal(spend.untold, 3);
    assert_int_equal(spend.tokens_in, 3 * (100 + 64));
    assert_int_equal(spend.tokens_out, 3 * 50);
}

// Secrets are in no line, of text or of bytes that are none.
static void keeps_no_secrets(void **state)
{
    (void)state;
    static const char *const texts[] = {"the key is hunter2hunter2!",
                                        "\xff the key is hunter2hunter2!"};
    struct ks_redaction redaction = {0};
    ks_strv_add(&arena, &redaction.secrets, "hunter2hunter2");
    for (int i = 0; i < 2; i++) {
        FILE *file = tmpfile();
        char line[1024] = "", hidden[64];
        struct ks_answer answer, again;
        assert_non_null(file);
        char *copy = strdup(texts[i]);
        ks_answer_text(&answer, "q-1", copy, strlen(copy));
        json_t *question = json_pack("{s:s}", "id", "q-1");
        assert_true(ks_line_append(fileno(file), question, &answer, &redaction));
        json_decref(question);
        ks_answer_free(&answer);
        assert_true(pread(fileno(file), line, sizeof line - 1, 0) > 0);
        assert_null(strstr(line, "hunter2"));
        assert_null(strstr(line, "68756e74657232")); // the same in digits
        const struct ks_line whole = {.id = "q-1", .len = strlen(line)};
        ks_line_answer(fileno(file), &whole, &again);
        snprintf(hidden, sizeof hidden, "%s the key is [secret]!", i == 0 ? "" : "\xff");
        assert_string_equal(again.text, hidden + (i == 0));
        ks_answer_free(&again);
        fclose(file);
    }
}

// A section is kept where no less is won with it; never on too little, nor where nothing is won at
// all.
static void keeps_sections(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        const char *keys[4];
        double with[4], without[4];
        int right_with[4], right_without[4];
        bool keep;
    } cases[] = {
        {3, {"a", "b", "c"}, {2, 1, 1}, {1, 1, 1}, {1, 0, 0}, {0, 0, 0}, true},
        {3, {"a", "b", "c"}, {2, 1, 1}, {1, 1.5, 1}, {1, 0, 0}, {0, 1, 0}, true},    // as many
        {3, {"a", "b", "c"}, {9, 1, 1}, {1.1, 1.1, 1}, {1, 1, 1}, {1, 1, 1}, false}, // one fewer,
                                                                                     // however fast
        {3, {"a", "b", "c"}, {2, 1, 1}, {2, 1, 1}, {1, 0, 0}, {1, 1, 0}, false}, // fewer right ones
        {3, {"a", "b", "c"}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, false}, // nothing won
        {2, {"a", "b"}, {2, 2}, {1, 1}, {1, 1}, {0, 0}, false},
        {4, {"a", "b", "a", "b"}, {2, 2, 2, 2}, {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_trial trials[4];
        bool keep;
        const char *reason;
        for (size_t k = 0; k < cases[i].n; k++)
            trials[k] = (struct ks_trial){.key = cases[i].keys[k],
                                          .with_ratio = cases[i].with[k],
                                          .without_ratio = cases[i].without[k],
                                          .with_correct = cases[i].right_with[k],
                                          .without_correct = cases[i].right_without[k]};
        ks_section_judge(&arena, trials, cases[i].n, &keep, &reason);
        if (keep != cases[i].keep)
            fail_msg("%zu: %s", i, reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_verdicts), cmocka_unit_test(reads_questions),
        cmocka_unit_test(doubts_usage),   cmocka_unit_test(keeps_no_secrets),
        cmocka_unit_test(keeps_sections),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
