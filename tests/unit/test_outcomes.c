// What attempts teach: values back off, a gain by another mechanism is not credited, losers retire.
#include "memory/library.h"
#include "memory/outcomes.h"
#include "memory_fixture.h"

static const struct ks_place *at(int arch)
{
    static struct ks_place place = {.structure = "loop", .bottleneck = "dram"};
    place.arch = arch;
    return &place;
}

static void values_back_off(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_outcomes *o = opened(&config);
    double feasible, gain;
    int n;
    assert_int_equal(ks_outcomes_skill_value(o, "a", at(90), &feasible, &gain, &n, NULL),
                     KS_OK);
    assert_int_equal(n, 0);
    assert_float_equal(feasible, 0.5, 1e-12);
    assert_float_equal(gain, 0, 1e-12);
    for (int i = 0; i < 20; i++)
        add(o, attempt("k", "a", "CORRECT", 2));
    struct ks_attempt here = attempt("k", "a", "WRONG", 0);
    here.arch = 80;
    for (int i = 0; i < 20; i++)
        add(o, here);
    add(o, attempt("k", "a", "VOID", 0)); // says nothing
    double other_feasible, other_gain, none_feasible, none_gain;
    ks_outcomes_skill_value(o, "a", at(90), &feasible, &gain, &n, NULL);
    assert_int_equal(n, 40);
    ks_outcomes_skill_value(o, "a", at(80), &other_feasible, &other_gain, &n, NULL);
    ks_outcomes_skill_value(o, "a", at(70), &none_feasible, &none_gain, &n, NULL);
    assert_true(feasible > 0.9 && other_feasible < 0.1);
    assert_float_equal(none_feasible, 0.5, 0.01); // nothing known there: the mean of all
    assert_true(gain > 0.6 && none_gain > 0.4);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static void a_gain_by_another_mechanism_is_not_credited(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_outcomes *o = opened(&config);
    struct ks_attempt a = attempt("k", "right", "CORRECT", 2), b = attempt("k", "wrong", "CORRECT", 2);
    double feasible, right, wrong;
    int n;
    a.moved = 1;
    b.moved = -1;
    for (int i = 0; i < 10; i++) {
        add(o, a);
        add(o, b);
    }
    ks_outcomes_skill_value(o, "right", at(90), &feasible, &right, &n, NULL);
    assert_true(right > 0.5);
    ks_outcomes_skill_value(o, "wrong", at(90), &feasible, &wrong, &n, NULL);
    assert_true(feasible > 0.9); // it verified
    assert_float_equal(wrong, 0, 1e-12);
    struct ks_skill_stat *stats;
    size_t count;
    assert_int_equal(ks_outcomes_stats(&arena, o, &stats, &count, NULL), KS_OK);
    assert_int_equal(stats[0].agreed, 10);
    assert_int_equal(stats[1].denied, 10);
    assert_float_equal(stats[0].geomean, 2, 1e-9);
    assert_int_equal(stats[1].faster, 0);
    assert_float_equal(stats[1].geomean, 0, 1e-12);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

// A sequence of two steps: the second is credited with what it added, not with what the first had gained.
static void a_step_is_credited_with_what_it_adds(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_outcomes *o = opened(&config);
    struct ks_attempt first = attempt("k", "first", "CORRECT", 8), second = attempt("k", "second", "CORRECT", 8.8);
    struct ks_attempt worse = attempt("k", "worse", "CORRECT", 4), unknown = attempt("k", "unknown", "CORRECT", 9);
    double feasible, gain;
    int n;
    second.base = worse.base = unknown.base = "p1";
    second.base_ratio = worse.base_ratio = 8;
    add(o, first);
    add(o, second);
    add(o, worse);
    add(o, unknown); // what it stands on was not looked at
    struct ks_skill_stat *stats;
    size_t count;
    assert_int_equal(ks_outcomes_stats(&arena, o, &stats, &count, NULL), KS_OK);
    assert_int_equal(count, 4);
    assert_string_equal(stats[0].skill, "first");
    assert_float_equal(stats[0].mean, 8, 1e-9);
    assert_float_equal(stats[0].geomean, 8, 1e-9);
    assert_float_equal(stats[1].mean, 1.1, 1e-9);
    assert_float_equal(stats[1].geomean, 1.1, 1e-9);
    assert_int_equal(stats[1].faster, 1);
    assert_string_equal(stats[2].skill, "unknown");
    assert_int_equal(stats[2].correct, 1);
    assert_int_equal(stats[2].measured, 0);
    assert_int_equal(stats[2].faster, 0);
    assert_float_equal(stats[2].mean, 0, 1e-12);
    assert_float_equal(stats[3].mean, 0.5, 1e-9); // faster than the original, and a loss
    assert_int_equal(stats[3].faster, 0);
    ks_outcomes_skill_value(o, "unknown", at(90), &feasible, &gain, &n, NULL);
    assert_int_equal(n, 1);
    assert_true(feasible > 0.5); // it verified
    assert_float_equal(gain, 0, 1e-12);
    struct ks_attempt *attempts;
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k", &attempts, &count, NULL), KS_OK);
    assert_string_equal(attempts[0].base, "");
    assert_string_equal(attempts[1].base, "p1");
    assert_float_equal(attempts[1].base_ratio, 8, 1e-12);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

// A look over one thing, then the full judgement over another: as if that alone had been.
static void a_look_is_taken_back_as_it_was_learned(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_outcomes *o = opened(&config);
    struct ks_attempt look = attempt("k", "a", "CORRECT", 3), full = attempt("k", "a", "CORRECT", 2.4);
    struct ks_skill_stat *stats;
    size_t count;
    look.speed = KS_SCREENED;
    look.base = full.base = "p1";
    look.base_ratio = full.screened_over = 1.5;
    full.screened = 3;
    full.base_ratio = 2;
    add(o, look);
    add(o, full);
    look.skill = full.skill = "b"; // where the look taught nothing
    look.base_ratio = full.screened_over = 0;
    add(o, look);
    add(o, full);
    assert_int_equal(ks_outcomes_stats(&arena, o, &stats, &count, NULL), KS_OK);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(stats[i].measured, 1);
        assert_int_equal(stats[i].correct, 1);
        assert_float_equal(stats[i].mean, 1.2, 1e-9);
    }
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static void alike(struct ks_outcomes *o, const char *one, const char *other)
{
    double feasible[2], gain[2];
    int n[2];
    ks_outcomes_skill_value(o, one, at(90), &feasible[0], &gain[0], &n[0], NULL);
    ks_outcomes_skill_value(o, other, at(90), &feasible[1], &gain[1], &n[1], NULL);
    assert_int_equal(n[0], 1);
    assert_int_equal(n[1], 1);
    assert_float_equal(feasible[0], feasible[1], 1e-12);
    assert_float_equal(gain[0], gain[1], 1e-12);
}

static void a_full_judgement_replaces_its_look(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_outcomes *o = opened(&config);
    struct ks_attempt look = attempt("k", "looked at", "CORRECT", 3), full = attempt("k", "looked at", "CORRECT", 1.5);
    struct ks_attempt modelled = attempt("k", "once", "CORRECT", 9);
    look.speed = KS_SCREENED;
    full.screened = 3;
    full.screened_over = 1;
    modelled.evidence = KS_MODELLED; // kept, and teaches nothing
    add(o, look);
    add(o, full);
    add(o, modelled);
    add(o, attempt("k", "once", "CORRECT", 1.5));
    alike(o, "looked at", "once");
    // Right at a look and wrong after all: as if it had been wrong at once.
    look.skill = full.skill = "fooled";
    full.correctness = "WRONG";
    full.ratio = 0;
    add(o, look);
    add(o, full);
    add(o, attempt("k", "wrong", "WRONG", 0));
    alike(o, "fooled", "wrong");
    struct ks_attempt *attempts;
    size_t n;
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k", &attempts, &n, NULL), KS_OK);
    assert_int_equal(n, 7);
    assert_string_equal(attempts[2].evidence, KS_MODELLED);
    assert_string_equal(attempts[0].evidence, KS_MEASURED);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static void structure_and_bottleneck_tell_apart(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_outcomes *o = opened(&config);
    double loop, grid;
    int n;
    for (int i = 0; i < 20; i++) {
        struct ks_attempt a = attempt("k", "a", "CORRECT", 2), b = attempt("k", "a", "WRONG", 0);
        b.structure = "grid";
        add(o, a);
        add(o, b);
    }
    double gain;
    ks_outcomes_skill_value(o, "a", at(90), &loop, &gain, &n, NULL);
    ks_outcomes_skill_value(o, "a", &(struct ks_place){90, "grid", "dram"}, &grid, &gain, &n, NULL);
    assert_true(loop > 0.85 && grid < 0.15);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static void put(struct ks_outcomes *o, const char *id, enum ks_standing standing)
{
    struct ks_skill_standing s = {.id = id, .standing = standing, .toolkit = "13.0.88", .arch = 90};
    assert_int_equal(ks_standing_set(o, &s, NULL), KS_OK);
}

// Installed skills only weigh less; what was added by the user and does not pay is no longer tried.
static void losers_retire(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_outcomes *o = opened(&config);
    struct ks_strv ids = {0};
    put(o, "slow", KS_PROBATION);
    put(o, "fast", KS_ADOPTED);
    put(o, "lucky", KS_ADOPTED);
    put(o, "few", KS_PROBATION);
    for (int i = 0; i < 10; i++) {
        struct ks_attempt lucky = attempt("k", "lucky", "CORRECT", 2);
        lucky.moved = i < 4 ? 1 : -1;
        add(o, attempt("k", "installed", "CORRECT", 0.7));
        add(o, attempt("k", "slow", "CORRECT", 0.7));
        add(o, attempt("k", "fast", "CORRECT", i < 5 ? 0.9 : 1.3));
        add(o, lucky);
        if (i < 9)
            add(o, attempt("k", "few", "CORRECT", 0.7));
    }
    assert_int_equal(ks_skills_retire_losers(&arena, o, &ids, NULL), KS_OK);
    assert_int_equal(ids.len, 2);
    assert_string_equal(ids.at[0], "lucky");
    assert_string_equal(ids.at[1], "slow");
    ids.len = 0;
    assert_int_equal(ks_skills_retire_losers(&arena, o, &ids, NULL), KS_OK);
    assert_int_equal(ids.len, 0); // once
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static void adoption_holds_where_it_was_shown(void **state)
{
    (void)state;
    struct ks_skill_standing s = {.id = "a", .standing = KS_ADOPTED, .toolkit = "13.0.88", .arch = 90};
    assert_null(ks_standing_stale(&arena, &s, "13.0.88", 90));
    assert_non_null(strstr(ks_standing_stale(&arena, &s, "13.0.88", 100), "sm_90"));
    assert_non_null(strstr(ks_standing_stale(&arena, &s, "13.1.0", 90), "13.0.88"));
    s.standing = KS_IN_USE;
    assert_null(ks_standing_stale(&arena, &s, "13.1.0", 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_back_off),
        cmocka_unit_test(a_gain_by_another_mechanism_is_not_credited),
        cmocka_unit_test(a_step_is_credited_with_what_it_adds),
        cmocka_unit_test(a_look_is_taken_back_as_it_was_learned),
        cmocka_unit_test(a_full_judgement_replaces_its_look),
        cmocka_unit_test(structure_and_bottleneck_tell_apart),
        cmocka_unit_test(losers_retire),
        cmocka_unit_test(adoption_holds_where_it_was_shown),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
