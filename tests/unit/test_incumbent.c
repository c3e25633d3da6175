// A confirmed winner meets what is stored, with the judge over the scripted worker: which of the two goes first, on all
// workloads and on one, and what decides where they cannot be timed against each other.
#define KS_TEST_BUILD
#include "verify/defence.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/log.h"
#include "fmt/yaml.h"
#include "os/file.h"
#include "search/incumbent.h"
#include "source/mark.h"
#include "verify/session.h"
#include "../fakes/fake_judge.h"

static struct setting s;
static struct ks_store store;
static struct ks_secret_key secret;
static char *base;

static void begin(const char *workloads)
{
    struct ks_err err = {0};
    s = (struct setting){0};
    check(ks_dir_temp(&s.arena, "ks-incumbent", &base, &err), &err);
    check(open_judge(&s, ks_arena_printf(&s.arena, "#pragma ks optimize\n%s__global__ void vadd" VADD_SIGNATURE " { }\n",
                                         workloads), SUM_PTX, &err), &err);
    s.config.config_dir = ks_path_join(&s.arena, base, "config");
    s.config.cache_dir = ks_path_join(&s.arena, base, "cache");
    s.kernel.key = (struct ks_digest){{0xee}};
    s.kernel.key_text = "format: 1\n";
    check(ks_user_key(&s.config, true, &secret, &err), &err);
    ks_store_open(&s.arena, &s.config, NULL, &store);
}

static int setup(void **state)
{
    (void)state;
    begin(VADD_WORKLOAD);
    return 0;
}

static int setup_classes(void **state)
{
    (void)state;
    begin(VADD_WORKLOAD_OF("500") VADD_WORKLOAD_OF("4000"));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ks_tree_remove(base, NULL);
    close_judge(&s);
    return 0;
}

// What an earlier search is made to have left: a gain over the original of `lower` at least, and a tenth more.
static const char *stored(const char *kernel, const char *domain, double lower, const struct ks_settlement *as)
{
    struct ks_err err = {0};
    const char *path, *date = as != NULL ? "2026-02-01T00:00:00Z" : "2026-01-01T00:00:00Z";
    struct ks_variant v = {.key = s.kernel.key, .key_text = s.kernel.key_text, .kernel = "vadd", .arch = 90,
                           .correctness = KS_C_CORRECT, .speed = KS_S_FASTER, .proposer = "engine", .parent = "",
                           .geomean = lower + 0.1, .lower = lower, .evidence = {.level = "measured", .date = date}};
    v.proposal = *make_proposal(&s, kernel, VADD_SIGNATURE, "a, b, c, n", "1");
    check(ks_expr_parse(&s.arena, "d", ks_slice_of(domain), &v.domain, &err), &err);
    v.id = ks_proposal_id(&s.arena, &v.proposal);
    if (as != NULL) {
        v.against = as->against;
        v.n_against = as->n_against;
    }
    check(ks_store_put_variant(&s.arena, &store, &secret, &v, &path, &err), &err);
    return v.id;
}

// A winner, confirmed to gain so much over the original at least, of one workload or all.
static struct ks_settlement met_on(size_t workload, const char *kernel, double lower, bool modelled)
{
    struct ks_err err = {0};
    struct ks_settlement settlement;
    const struct ks_verdict verdict = {.correctness = KS_C_CORRECT, .speed = KS_S_FASTER, .geomean = lower, .lower = lower};
    const struct ks_challenge challenge = {
        .config = &s.config, .store = &store, .kernel = &s.kernel, .verdict = &verdict, .workload = workload,
        .modelled = modelled, .proposal = make_proposal(&s, kernel, VADD_SIGNATURE, "a, b, c, n", "1")};
    check(ks_incumbent_meet(&s.arena, s.judge, &challenge, &settlement, &err), &err);
    return settlement;
}

static struct ks_settlement met(const char *kernel, double lower)
{
    return met_on(KS_ALL_CLASSES, kernel, lower, false);
}

static void stays(const struct ks_settlement *settlement, const char *id, const char *text)
{
    assert_false(settlement->stored);
    assert_string_equal(settlement->stays->variant.id, id);
    if (strstr(ks_settlement_text(&s.arena, settlement), text) == NULL)
        fail_msg("\"%s\" says nothing of \"%s\"", ks_settlement_text(&s.arena, settlement), text);
}

// The order in which builds ask.
static void order_is(const char *const *ids)
{
    struct ks_lookup lookup;
    ks_store_lookup(&s.arena, &store, &s.config, &s.kernel.key, &lookup);
    for (size_t i = 0; i < lookup.n_variants; i++)
        assert_string_equal(lookup.variants[i].variant.id, ids[i]);
    assert_null(ids[lookup.n_variants]);
}

static void who_meets_nobody_is_stored(void **state)
{
    (void)state;
    struct ks_settlement new = met("vadd_ok", 1.9);
    assert_true(new.stored && new.n_against == 0 && new.n_meetings == 0);
    stored("vadd_fast", "n < 4000", 3.9, NULL); // not for this workload
    new = met("vadd_ok", 1.9);
    assert_true(new.stored && new.n_meetings == 0);
}

// Whatever either showed against the original, in sessions of their own.
static void what_is_not_faster_than_it_does_not_replace_it(void **state)
{
    (void)state;
    const char *old = stored("vadd_ok", "n <= 4001", 1.5, NULL);
    struct ks_settlement new = met("vadd_even", 2.5);
    stays(&new, old, "1.000x against it");
    new = met("vadd_nearly", 2.5); // by 0.6 %
    stays(&new, old, "1.006x against it");
    new = met("vadd_slow", 2.5);
    stays(&new, old, "0.500x against it");
    assert_false(new.part);
}

static void what_is_faster_goes_before_it_and_keeps_it(void **state)
{
    (void)state;
    const char *old = stored("vadd_ok", "n <= 4001", 3.5, NULL), *third = stored("vadd_slow", "n <= 4001", 3.2, NULL);
    struct ks_settlement new = met("vadd_fast", 1.1);
    assert_true(new.stored && new.n_meetings == 1);
    assert_string_equal(new.meetings[0].variant, old);
    assert_true(new.meetings[0].lower > 1.9 && new.meetings[0].ratio < 2.1);
    const char *id = stored("vadd_fast", "n <= 4001", 1.1, &new); // its bound over the original is the least of all
    order_is((const char *[]){id, old, third, NULL});
    // The same code, judged anew, keeps its place.
    new = met("vadd_fast", 1.05);
    assert_true(new.stored && new.n_meetings == 0);
    stored("vadd_fast", "n <= 4001", 1.05, &new);
    order_is((const char *[]){id, old, third, NULL});
}

static void where_both_speak_the_later_counts(void **state)
{
    (void)state;
    const char *fast = stored("vadd_fast", "n <= 4001", 1.5, NULL);
    struct ks_against over = {.variant = fast, .before = true, .ratio = 1.2, .lower = 1.1};
    const struct ks_settlement earlier = {.stored = true, .against = &over, .n_against = 1};
    const char *slow = stored("vadd_ok", "n <= 4001", 1.2, &earlier);
    order_is((const char *[]){slow, fast, NULL});
    struct ks_settlement new = met("vadd_fast", 1.4);
    assert_true(new.stored && new.n_meetings == 1);
    struct ks_variant x = {.id = fast, .against = new.against, .n_against = new.n_against,
                           .evidence = {.date = "2026-03-01T00:00:00Z"}};
    struct ks_variant y = {.id = slow, .against = &over, .n_against = 1, .evidence = {.date = "2026-02-01T00:00:00Z"}};
    assert_true(ks_variant_before(&x, &y) && !ks_variant_before(&y, &x));
    x.evidence.date = "2026-01-01T00:00:00Z";
    assert_true(!ks_variant_before(&x, &y) && ks_variant_before(&y, &x));
}

static void what_cannot_be_timed_beside_it_needs_more_than_its_ratio(void **state)
{
    (void)state;
    const char *old = stored("vadd_alone", "n <= 4001", 1.5, NULL); // 1.6 times as fast as the original
    struct ks_settlement new = met("vadd_fast", 1.59);
    stays(&new, old, "do not compile in one unit");
    new = met("vadd_fast", 1.61);
    assert_true(new.stored && new.meetings[0].replaced && new.meetings[0].ratio == 0);
    assert_non_null(strstr(new.meetings[0].why, "1.610x at least, the stored one 1.600x"));
}

static void what_is_found_wrong_is_replaced(void **state)
{
    (void)state;
    stored("vadd_tail", "n <= 4001", 4.5, NULL);
    struct ks_settlement new = met("vadd_ok", 1.1);
    assert_true(new.stored && new.meetings[0].replaced);
    assert_non_null(strstr(new.meetings[0].why, "the stored one is WRONG"));
}

static void a_model_replaces_nothing_that_was_measured(void **state)
{
    (void)state;
    const char *old = stored("vadd_slow", "n <= 4001", 1.1, NULL);
    struct ks_settlement new = met_on(KS_ALL_CLASSES, "vadd_fast", 4, true);
    stays(&new, old, "it was measured");
}

// One that serves a part alone goes first there until it is beaten there.
static void classes_are_met_one_by_one(void **state)
{
    (void)state;
    const char *all = stored("vadd_slow", "n <= 4001", 1.2, NULL);
    const char *part = stored("vadd_fast", "n > 1000 && n <= 4001", 3, NULL);
    struct ks_settlement new = met("vadd_bigonly", 1.9); // twice as slow below 2000, and twice as fast above
    stays(&new, all, "against it, at least 0.5");
    assert_true(new.part);
    // Beats who serves all, and not who serves the large ones: it goes between the two.
    new = met("vadd_ok", 9);
    assert_true(new.stored && new.n_meetings == 2);
    assert_true(new.meetings[0].replaced && !new.meetings[1].replaced);
    assert_string_equal(new.meetings[1].variant, part);
    assert_string_equal(new.meetings[1].workload, "n=4000");
    const char *id = stored("vadd_ok", "n <= 4001", 9, &new);
    order_is((const char *[]){part, id, all, NULL});
    // Of one class alone: met is who goes first there.
    new = met_on(0, "vadd_fast_too", 1.5, false);
    assert_true(new.stored && new.n_meetings == 1);
    assert_string_equal(new.meetings[0].variant, id);
    const char *small = stored("vadd_fast_too", "n <= 501", 1.5, &new);
    order_is((const char *[]){part, small, id, all, NULL});
    new = met_on(1, "vadd_even", 9, false);
    stays(&new, part, "0.500x against it on n=4000");
    // What serves all is not made narrower, whoever else serves a part.
    assert_int_equal(ks_tree_remove(ks_path_dir(&s.arena, new.stays->path), NULL), KS_OK);
    id = stored("vadd_ok", "n <= 4001", 9, NULL);
    new = met_on(0, "vadd_ok", 9, false);
    stays(&new, id, "the same code");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return fake_worker_main(argc, argv);
    ks_log_init("test_incumbent", KS_LOG_ERROR);
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(who_meets_nobody_is_stored),
        TEST(what_is_not_faster_than_it_does_not_replace_it),
        TEST(what_is_faster_goes_before_it_and_keeps_it),
        TEST(where_both_speak_the_later_counts),
        TEST(what_cannot_be_timed_beside_it_needs_more_than_its_ratio),
        TEST(what_is_found_wrong_is_replaced),
        TEST(a_model_replaces_nothing_that_was_measured),
        cmocka_unit_test_setup_teardown(classes_are_met_one_by_one, setup_classes, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
