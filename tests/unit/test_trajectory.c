// The trajectory: rejected proposals of earlier runs are known, promising ones are not; the best come
// in order; a memory that fails stops nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "os/file.h"
#include "search/trajectory.h"
#include "source/mechanism.h"

static struct ks_arena arena;
static struct ks_config config;
static struct ks_candidate candidate = {.skill = "s", .direction = "d", .params = "x=1"};

static const char document[] = "params: [n]\n"
                               "source: |\n"
                               "  __global__ void k(int n) {}\n"
                               "plan:\n"
                               "  - {kernel: k, grid: [\"ceildiv(n, 64)\"], block: [64], args: [n]}\n";

static enum ks_status read_proposal(const char *text, struct ks_proposal *proposal)
{
    struct ks_slice slice = {text, strlen(text)};
    struct ks_yaml *root;
    struct ks_err err = {0};
    KS_TRY(ks_yaml_parse(&arena, "p", slice, &root, &err));
    return ks_proposal_read(&arena, "p", root, proposal, &err);
}

static int make_memory(void **state)
{
    struct ks_outcomes *outcomes;
    char *dir;
    (void)state;
    if (ks_dir_temp(&arena, "ks-trajectory", &dir, NULL) != KS_OK)
        return 1;
    config = (struct ks_config){.state_dir = dir};
    if (read_proposal(document, &candidate.proposal) != KS_OK)
        return 1;
    if (ks_outcomes_open(&config, &outcomes, NULL) != KS_OK)
        return 1;
    ks_outcomes_close(outcomes);
    return 0;
}

static int remove_memory(void **state)
{
    (void)state;
    return ks_tree_remove(config.state_dir, NULL) != KS_OK;
}

static struct ks_trajectory fresh(const char *key)
{
    struct ks_trajectory t = {.arena = &arena, .key = key, .kernel = "k", .bottleneck = "unknown",
                              .arch = 90};
    struct ks_err err = {0};
    if (ks_outcomes_open(&config, &t.outcomes, &err) != KS_OK)
        fail_msg("%s", err.text);
    return t;
}

static void add(struct ks_trajectory *t, const char *proposal, enum ks_correctness correctness,
                enum ks_speed speed, double geomean)
{
    struct ks_verdict verdict = {.correctness = correctness, .speed = speed, .geomean = geomean,
                                 .lower = geomean};
    ks_trajectory_add(t, &candidate, proposal, &verdict, NULL);
}

static void rejected_proposals_are_known_to_the_next_run(void **state)
{
    (void)state;
    struct ks_trajectory first = fresh("key");
    ks_trajectory_open(&first, false);
    assert_int_equal(first.tries.len, 0);
    add(&first, "wrong", KS_C_WRONG, KS_S_NOT_MEASURED, 0);
    add(&first, "slow", KS_C_CORRECT, KS_S_NOT_FASTER, 0.8);
    add(&first, "fast", KS_C_CORRECT, KS_S_FASTER, 2);
    add(&first, "unclear", KS_C_CORRECT, KS_S_AMBIGUOUS, 1.01);
    add(&first, "void", KS_C_VOID, KS_S_VOID, 0);
    ks_outcomes_close(first.outcomes);

    struct ks_trajectory second = fresh("key");
    ks_trajectory_open(&second, false);
    assert_true(ks_trajectory_knows(&second, "wrong"));
    assert_true(ks_trajectory_knows(&second, "slow"));
    assert_false(ks_trajectory_knows(&second, "fast"));
    assert_false(ks_trajectory_knows(&second, "unclear"));
    assert_false(ks_trajectory_knows(&second, "void"));
    assert_false(ks_trajectory_knows(&second, "new"));
    struct ks_try **best;
    assert_int_equal(ks_trajectory_best(&second, &best), 0); // a verdict of another day wins nothing
    ks_outcomes_close(second.outcomes);

    struct ks_trajectory anew = fresh("key"), other = fresh("other key");
    ks_trajectory_open(&anew, true);
    ks_trajectory_open(&other, false);
    assert_false(ks_trajectory_knows(&anew, "wrong"));
    assert_false(ks_trajectory_knows(&other, "wrong"));
    ks_outcomes_close(anew.outcomes);
    ks_outcomes_close(other.outcomes);
}

static void the_newest_verdict_counts(void **state)
{
    (void)state;
    struct ks_trajectory first = fresh("twice");
    add(&first, "was slow", KS_C_CORRECT, KS_S_NOT_FASTER, 0.9);
    add(&first, "was fast", KS_C_CORRECT, KS_S_FASTER, 1.5);
    add(&first, "was slow", KS_C_CORRECT, KS_S_FASTER, 1.4);
    add(&first, "was fast", KS_C_NONDET, KS_S_NOT_MEASURED, 0);
    ks_outcomes_close(first.outcomes);
    struct ks_trajectory second = fresh("twice");
    ks_trajectory_open(&second, false);
    assert_false(ks_trajectory_knows(&second, "was slow"));
    assert_true(ks_trajectory_knows(&second, "was fast"));
    assert_int_equal(second.tries.len, 1);
    ks_outcomes_close(second.outcomes);
}

static void the_best_come_first(void **state)
{
    (void)state;
    struct ks_trajectory t = {.arena = &arena};
    ks_trajectory_open(&t, false);
    add(&t, "a", KS_C_CORRECT, KS_S_FASTER, 1.2);
    add(&t, "wrong", KS_C_WRONG, KS_S_FASTER, 9);
    add(&t, "b", KS_C_CORRECT, KS_S_AMBIGUOUS, 1.5);
    add(&t, "slower", KS_C_CORRECT, KS_S_AMBIGUOUS, 0.99);
    add(&t, "refused", KS_C_CORRECT, KS_S_NOT_FASTER, 1.3);
    add(&t, "unmeasured", KS_C_CORRECT, KS_S_NOT_MEASURED, 3);
    add(&t, "c", KS_C_CORRECT, KS_S_FASTER, 1.2);
    struct ks_try **best;
    assert_int_equal(ks_trajectory_best(&t, &best), 3);
    assert_string_equal(best[0]->proposal, "b");
    assert_string_equal(best[1]->proposal, "a"); // equal gains: the one tried first
    assert_string_equal(best[2]->proposal, "c");
    assert_true(ks_trajectory_knows(&t, "wrong"));
}

static void what_was_judged_can_be_read_again(void **state)
{
    (void)state;
    struct ks_trajectory t = fresh("texts");
    struct ks_err err = {0};
    struct ks_proposal read;
    const char *text;
    add(&t, "abcd1", KS_C_WRONG, KS_S_NOT_MEASURED, 0);
    add(&t, "abcd2", KS_C_CORRECT, KS_S_FASTER, 2);
    add(&t, "abcd2", KS_C_CORRECT, KS_S_FASTER, 2);
    assert_int_equal(ks_outcomes_proposal(&arena, t.outcomes, "abcd2", &text, &err), KS_OK);
    assert_int_equal(read_proposal(text, &read), KS_OK);
    assert_string_equal(read.source, candidate.proposal.source);
    assert_string_equal(ks_proposal_id(&arena, &read), ks_proposal_id(&arena, &candidate.proposal));
    assert_int_equal(ks_outcomes_proposal(&arena, t.outcomes, "abcd", &text, &err), KS_E_USER);
    assert_int_equal(ks_outcomes_proposal(&arena, t.outcomes, "abce", &text, &err), KS_E_ABSENT);
    assert_int_equal(ks_outcomes_proposal(&arena, t.outcomes, "abc", &text, &err), KS_E_ABSENT);
    assert_int_equal(ks_outcomes_proposal(&arena, t.outcomes, "abcd*", &text, &err), KS_E_ABSENT);
    ks_outcomes_close(t.outcomes);
}

static void looks_of_an_interrupted_run_are_kept(void **state)
{
    (void)state;
    struct ks_verdict verdict = {.correctness = KS_C_CORRECT, .geomean = 1.4};
    struct ks_trajectory first = fresh("looks");
    ks_trajectory_screened(&first, &candidate, "looked at", &verdict);
    ks_trajectory_screened(&first, &candidate, "judged since", &verdict);
    add(&first, "judged since", KS_C_CORRECT, KS_S_NOT_FASTER, 0.9);
    ks_outcomes_close(first.outcomes);
    struct ks_trajectory second = fresh("looks"), modelled = fresh("looks");
    ks_trajectory_open(&second, false);
    modelled.modelled = true;
    ks_trajectory_open(&modelled, false);
    assert_non_null(ks_trajectory_kept(&second, "looked at"));
    assert_true(ks_trajectory_kept(&second, "looked at")->ratio == 1.4);
    assert_null(ks_trajectory_kept(&second, "judged since"));
    assert_true(ks_trajectory_knows(&second, "judged since"));
    assert_false(ks_trajectory_knows(&second, "looked at"));
    assert_null(ks_trajectory_kept(&modelled, "looked at")); // what was measured is another trajectory
    assert_false(ks_trajectory_knows(&modelled, "judged since"));
    ks_outcomes_close(second.outcomes);
    ks_outcomes_close(modelled.outcomes);
}

// Attempts of a key, which are oldest first: what the n-th stands on.
static void assert_over(const char *key, size_t nth, const char *base, double ratio)
{
    struct ks_trajectory t = fresh(key);
    struct ks_attempt *attempts;
    size_t n;
    assert_int_equal(ks_outcomes_for_key(&arena, t.outcomes, key, &attempts, &n, NULL), KS_OK);
    assert_true(nth < n);
    assert_string_equal(attempts[nth].base, base);
    assert_float_equal(attempts[nth].base_ratio, ratio, 1e-12);
    ks_outcomes_close(t.outcomes);
}

static void steps_are_held_against_what_they_stand_on(void **state)
{
    (void)state;
    struct ks_candidate first = candidate, second = candidate;
    struct ks_verdict look = {.correctness = KS_C_CORRECT, .geomean = 2}, next = {.correctness = KS_C_CORRECT, .geomean = 2.2};
    struct ks_verdict full = {.correctness = KS_C_CORRECT, .speed = KS_S_FASTER, .geomean = 2.1, .lower = 2};
    second.base_id = "first";
    struct ks_trajectory t = fresh("steps");
    ks_trajectory_screened(&t, &first, "first", &look);
    ks_trajectory_screened(&t, &second, "second", &next); // look over look
    ks_trajectory_add(&t, &second, "second", &full, NULL); // nothing better than a look is there
    full.geomean = 1.9;
    ks_trajectory_add(&t, &first, "first", &full, NULL);
    full.geomean = 2.3;
    ks_trajectory_add(&t, &second, "again", &full, NULL); // judgement over judgement
    second.base_id = "never";
    ks_trajectory_screened(&t, &second, "third", &next);
    ks_outcomes_close(t.outcomes);
    assert_over("steps", 0, "", 0);
    assert_over("steps", 1, "first", 2);
    assert_over("steps", 2, "first", 2);
    assert_over("steps", 3, "", 0);
    assert_over("steps", 4, "first", 1.9);
    assert_over("steps", 5, "never", 0);
    // The next run was not there: a judgement takes back what the look taught, and has nothing to hold itself against.
    struct ks_trajectory later = fresh("steps");
    ks_trajectory_open(&later, false);
    assert_null(ks_trajectory_kept(&later, "second"));
    assert_float_equal(ks_trajectory_kept(&later, "third")->over, 0, 1e-12);
    second.base_id = "first";
    ks_trajectory_add(&later, &second, "third", &full, NULL);
    ks_outcomes_close(later.outcomes);
    assert_over("steps", 6, "first", 0);
}

static const char *mechanism_of(const char *source, const char *kernel, const char *grid)
{
    struct ks_proposal proposal;
    const char *text = ks_arena_printf(&arena, "params: [x, n]\nsource: |\n  %s\nplan:\n"
                                               "  - {kernel: %s, grid: [\"%s\"], block: [64], args: [x, n]}\n",
                                       source, kernel, grid);
    assert_int_equal(read_proposal(text, &proposal), KS_OK);
    return ks_proposal_mechanism(&arena, &proposal);
}

static void the_same_by_other_words_counts_once(void **state)
{
    (void)state;
    const char *was = mechanism_of("__global__ void k(float *x, int n) { int i = n - 1; x[i] = sinf(x[i]); }", "k", "n");
    assert_string_equal(was, mechanism_of("__global__ void fast( float* data, int size ) { int at=size-1; /* last */ "
                                          "data[at] = sinf(data[at]); }", "fast", "n"));
    // Another function, another type, another order of names, another plan: another mechanism.
    assert_string_not_equal(was, mechanism_of("__global__ void k(float *x, int n) { int i = n - 1; x[i] = cosf(x[i]); }",
                                              "k", "n"));
    assert_string_not_equal(was, mechanism_of("__global__ void k(float *x, int n) { long i = n - 1; x[i] = sinf(x[i]); }",
                                              "k", "n"));
    assert_string_not_equal(was, mechanism_of("__global__ void k(float *x, int n) { int i = n - 1; x[n] = sinf(x[i]); }",
                                              "k", "n"));
    assert_string_not_equal(was, mechanism_of("__global__ void k(float *x, int n) { int i = n - 1; x[i] = sinf(x[i]); }",
                                              "k", "n + 1"));
    struct ks_trajectory t = {.arena = &arena};
    add(&t, "first", KS_C_CORRECT, KS_S_NOT_FASTER, 0.9);
    const char *mechanism = ks_proposal_mechanism(&arena, &candidate.proposal);
    assert_string_equal(ks_trajectory_same(&t, "renamed", mechanism), "first");
    assert_null(ks_trajectory_same(&t, "first", mechanism));
    assert_null(ks_trajectory_same(&t, "renamed", was));
}

static void a_memory_that_fails_is_left(void **state)
{
    (void)state;
    struct ks_trajectory t = fresh("failing");
    char *path = ks_path_join(&arena, config.state_dir, "memory.db");
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DROP TABLE attempts", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    struct ks_outcomes *outcomes = t.outcomes;
    add(&t, "p", KS_C_CORRECT, KS_S_FASTER, 2);
    assert_null(t.outcomes);
    add(&t, "q", KS_C_CORRECT, KS_S_FASTER, 3);
    struct ks_try **best;
    assert_int_equal(ks_trajectory_best(&t, &best), 2);
    ks_outcomes_close(outcomes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejected_proposals_are_known_to_the_next_run),
        cmocka_unit_test(the_newest_verdict_counts),
        cmocka_unit_test(the_best_come_first),
        cmocka_unit_test(what_was_judged_can_be_read_again),
        cmocka_unit_test(looks_of_an_interrupted_run_are_kept),
        cmocka_unit_test(steps_are_held_against_what_they_stand_on),
        cmocka_unit_test(the_same_by_other_words_counts_once),
        cmocka_unit_test(a_memory_that_fails_is_left),
    };
    int failed = cmocka_run_group_tests(tests, make_memory, remove_memory);
    ks_arena_free(&arena);
    return failed;
}
