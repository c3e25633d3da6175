// The policy of a search: it asks for everything once, learns what options are worth, steps on from
// what is good, stops where nothing is left, and does the same again under the same seed.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "search/policy.h"

// A space of two options with five values each, in two skills: every value is worth something of
// its own, "b=" can only be chosen on top of "a=".
static const double worth_a[] = {0, 0.1, 0.4, -0.2, 0.05}, worth_b[] = {0.02, 0.3, -0.5, 0, 0.1};
static struct ks_skill skills[] = {{.id = "a", .direction = "first"},
                                   {.id = "b", .direction = "second"}};
static struct ks_arena arena;

struct world {
    int offered;
};

static enum ks_status expand(void *context, struct ks_policy *policy, size_t from, size_t skill,
                             struct ks_err *err)
{
    struct world *world = context;
    const char *base = from == KS_ORIGINAL ? NULL : policy->arms.at[from].name;
    (void)err;
    for (int i = 0; i < 5; i++) {
        char name[64];
        if (skill == 0 && base == NULL)
            snprintf(name, sizeof name, "transform a=%d", i);
        else if (skill == 1 && base != NULL && strstr(base, "b=") == NULL)
            snprintf(name, sizeof name, "%s b=%d", base, i);
        else
            continue;
        world->offered += ks_policy_offer(policy, name, from, skill, 0);
    }
    return KS_OK;
}

static double ratio_of(const char *name)
{
    const char *a = strstr(name, "a="), *b = strstr(name, "b=");
    return exp(worth_a[a[2] - '0'] + (b != NULL ? worth_b[b[2] - '0'] : 0));
}

static struct ks_policy policy_of(struct world *world, uint64_t seed)
{
    static const struct ks_ranked_skill ranked[] = {{.skill = &skills[0], .score = 0.5},
                                                    {.skill = &skills[1], .score = 0.5}};
    struct ks_policy policy;
    ks_policy_init(&policy, &arena, seed, 0, NULL);
    policy.space = (struct ks_policy_space){.context = world, .expand = expand};
    policy.ranked = ranked;
    policy.n_ranked = 2;
    return policy;
}

// Names in the order in which they were asked for, joined.
static const char *whole_search(struct ks_policy *policy, size_t batch, size_t most, int *asked,
                                double *best)
{
    size_t arms[32], n;
    struct ks_err err = {0};
    const char *order = "";
    *asked = 0;
    *best = 1;
    do {
        assert_int_equal(ks_policy_next(policy, batch, arms, &n, &err), KS_OK);
        for (size_t i = 0; i < n; i++) {
            const char *name = policy->arms.at[arms[i]].name;
            assert_null(strstr(order, ks_arena_printf(&arena, "%s;", name)));
            order = ks_arena_printf(&arena, "%s%s;", order, name);
            *best = fmax(*best, ratio_of(name));
            ks_policy_tell(policy, arms[i], true, ratio_of(name));
        }
        *asked += (int)n;
    } while (n > 0 && (size_t)*asked < most);
    return order;
}

static void test_finds_the_best(void **state)
{
    (void)state;
    struct world world = {0};
    struct ks_policy policy = policy_of(&world, 1);
    int asked;
    double best;
    whole_search(&policy, 4, 16, &asked, &best); // of 30
    assert_true(best > exp(0.69));               // a=2 b=1
    assert_true(world.offered > asked);
}

// Whose steps led to an arm: all of them, in order, each once.
static void test_names_all_skills(void **state)
{
    (void)state;
    struct world world = {0};
    struct ks_policy policy = policy_of(&world, 3);
    const char **ids;
    assert_true(ks_policy_offer(&policy, "transform a=1", KS_ORIGINAL, 0, 0));
    assert_true(ks_policy_offer(&policy, "transform a=1 b=2", 0, 1, 0));
    assert_true(ks_policy_offer(&policy, "transform a=1 b=2 c=3", 1, 0, 0));
    assert_int_equal(ks_policy_skills(&policy, 0, &ids), 1);
    assert_string_equal(ids[0], "a");
    assert_int_equal(ks_policy_skills(&policy, 1, &ids), 2);
    assert_string_equal(ids[1], "b");
    assert_int_equal(ks_policy_skills(&policy, 2, &ids), 2);
    assert_string_equal(ids[0], "a");
}

static void test_same_seed(void **state)
{
    (void)state;
    struct world world = {0};
    struct ks_policy one = policy_of(&world, 5), two = policy_of(&world, 5);
    int asked;
    double best;
    const char *first = whole_search(&one, 3, 100, &asked, &best);
    assert_string_equal(first, whole_search(&two, 3, 100, &asked, &best));
}

static void test_wrong_is_no_base(void **state)
{
    (void)state;
    struct world world = {0};
    struct ks_policy policy = policy_of(&world, 1);
    struct ks_err err = {0};
    size_t arms[8], n;
    policy.without = 1u << KS_PART_AHEAD;
    assert_int_equal(ks_policy_next(&policy, 8, arms, &n, &err), KS_OK);
    assert_int_equal(n, 5);
    assert_true(ks_policy_offer(&policy, "transform a=0 b=9", 0, 1, 0));
    for (size_t i = 0; i < n; i++)
        ks_policy_tell(&policy, arms[i], false, 0);
    assert_int_equal(ks_policy_next(&policy, 8, arms, &n, &err), KS_OK);
    assert_int_equal(n, 0); // nothing right to step on from, and nothing on what was wrong
}

static void test_later_answer_counts(void **state)
{
    (void)state;
    struct world world = {0};
    struct ks_policy policy = policy_of(&world, 1);
    struct ks_err err = {0};
    size_t arms[8], n;
    assert_int_equal(ks_policy_next(&policy, 1, arms, &n, &err), KS_OK);
    ks_policy_tell(&policy, arms[0], true, 3);
    assert_true(fabs(policy.best - log(3)) < 1e-9);
    ks_policy_tell(&policy, arms[0], true, 1.5); // judged in full
    assert_true(fabs(policy.best - log(1.5)) < 1e-9);
    ks_policy_tell(&policy, arms[0], false, 0); // wrong after all
    assert_true(policy.best == 0);
}

static bool all_but_two(void *context, const struct ks_policy *policy, size_t arm)
{
    (void)context;
    return strstr(policy->arms.at[arm].name, "a=2") == NULL;
}

// What cannot be made is no base to look ahead on, and is never asked for once that is known.
static void test_what_does_not_stand(void **state)
{
    (void)state;
    struct world world = {0};
    struct ks_policy policy = policy_of(&world, 1);
    int asked;
    double best;
    policy.space.stands = all_but_two;
    const char *order = whole_search(&policy, 4, 100, &asked, &best);
    assert_null(strstr(order, "a=2"));
    assert_int_equal(asked, 4 * 6);
    assert_int_equal(world.offered, 5 + 4 * 5);
}

// Two skills recognise the original, with seven and three settings.
static enum ks_status expand_recognised(void *context, struct ks_policy *policy, size_t from, size_t skill, struct ks_err *err)
{
    (void)context, (void)err;
    for (int i = 0; from == KS_ORIGINAL && i < (skill == 0 ? 7 : 3); i++) {
        char name[64];
        snprintf(name, sizeof name, "template %c n=%d", skill == 0 ? 'a' : 'b', i);
        ks_policy_offer(policy, name, from, skill, 0);
    }
    return KS_OK;
}

static void test_recognised_by_turns(void **state)
{
    (void)state;
    struct world world = {0};
    struct ks_policy policy = policy_of(&world, 7);
    policy.space.expand = expand_recognised;
    static const char *const want[] = {"template a n=0", "template b n=0", "template a n=1", "template b n=1",
                                       "template a n=2", "template b n=2", "template a n=3", "template a n=4"};
    size_t arms[KS_RECOGNISED], n;
    struct ks_err err = {0};
    assert_int_equal(ks_policy_recognised(&policy, KS_RECOGNISED, arms, &n, &err), KS_OK);
    assert_int_equal(n, KS_RECOGNISED);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(policy.arms.at[arms[i]].name, want[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recognised_by_turns),
        cmocka_unit_test(test_finds_the_best), cmocka_unit_test(test_names_all_skills),
        cmocka_unit_test(test_same_seed),
        cmocka_unit_test(test_wrong_is_no_base), cmocka_unit_test(test_later_answer_counts),
        cmocka_unit_test(test_what_does_not_stand)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
