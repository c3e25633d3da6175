// Ranking of skills: gates, evidence, what the memory taught, and a stable order.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "os/file.h"
#include "search/choose.h"

static struct ks_arena arena;
static const struct ks_place place = {.arch = 90, .structure = "loop", .bottleneck = "unknown"};

static void write_skill(const char *dir, const char *id, const char *conditions)
{
    const char *path = ks_arena_printf(&arena, "%s/%s.yaml", dir, id);
    const char *text = ks_arena_printf(&arena, "id: %s\ntitle: t\ndirection: cache\nhow: h\n%s", id,
                                       conditions);
    assert_int_equal(ks_file_write(path, text, strlen(text), false, 0, NULL), KS_OK);
}

// Skills in name order: a and b have the same evidence, c more, d is gated off.
static struct ks_skill_list some_skills(void)
{
    char *dir;
    struct ks_skill_list skills = {0};
    struct ks_err err = {0};
    assert_int_equal(ks_dir_temp(&arena, "ks-rank", &dir, NULL), KS_OK);
    write_skill(dir, "a", "when: [dram_pct > 60, registers > 100]\n");
    write_skill(dir, "b", "when: [dram_pct > 60, registers > 100]\n");
    write_skill(dir, "c", "when: [dram_pct > 60]\n");
    write_skill(dir, "d", "when: [dram_pct > 60]\nrequires: [registers > 100]\n");
    if (ks_skills_load(&arena, dir, false, &skills, &err) != KS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(skills.len, 4);
    assert_int_equal(ks_tree_remove(dir, NULL), KS_OK);
    return skills;
}

static struct ks_fact_list some_facts(void)
{
    struct ks_fact_list facts = {0};
    ks_fact_set(&arena, &facts, "dram_pct", 80);
    ks_fact_set(&arena, &facts, "registers", 32);
    return facts;
}

static const char *order(const struct ks_ranked_skill *ranked, size_t n)
{
    struct ks_buf text = KS_BUF(256);
    for (size_t i = 0; i < n; i++)
        ks_buf_puts(&text, ranked[i].skill->id);
    const char *copy = ks_arena_strdup(&arena, ks_buf_text(&text));
    ks_buf_free(&text);
    return copy;
}

// The class that counters gave is a fact like others: true of one, false of the rest, unknown without a profile.
static void the_bottleneck_is_evidence(void **state)
{
    (void)state;
    char *dir;
    struct ks_skill_list skills = {0};
    struct ks_err err = {0};
    assert_int_equal(ks_dir_temp(&arena, "ks-rank", &dir, NULL), KS_OK);
    write_skill(dir, "a", "when: [bottleneck(latency)]\n");
    write_skill(dir, "b", "when: [bottleneck(atomics)]\n");
    write_skill(dir, "c", "when: [registers < 64, dram_pct > 90]\n");
    if (ks_skills_load(&arena, dir, false, &skills, &err) != KS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ks_tree_remove(dir, NULL), KS_OK);
    struct ks_brief brief = {.facts = some_facts()};
    struct ks_profile profile = {.bottleneck = "atomics"};
    struct ks_ranked_skill *ranked;
    size_t n = ks_choose_skills(&arena, &skills, &brief, &profile, NULL, 90, &ranked);
    assert_string_equal(order(ranked, n), "bca");
    assert_float_equal(ranked[0].score, 1, 1e-12);
    assert_float_equal(ranked[2].score, 0, 1e-12);
    profile.modelled = true; // no evidence
    brief.facts = some_facts();
    n = ks_choose_skills(&arena, &skills, &brief, &profile, NULL, 90, &ranked);
    assert_string_equal(order(ranked, n), "abc");
    assert_float_equal(ranked[0].score, 0.5, 1e-12);
}

static void evidence_orders_and_gates_exclude(void **state)
{
    (void)state;
    struct ks_skill_list skills = some_skills();
    struct ks_fact_list facts = some_facts();
    struct ks_ranked_skill *ranked;
    size_t n = ks_rank_skills(&arena, &skills, &facts, NULL, &place, &ranked);
    assert_string_equal(order(ranked, n), "cab"); // half the evidence each: file order
    assert_float_equal(ranked[0].score, 1, 1e-12);
    assert_float_equal(ranked[1].score, 0.5, 1e-12);
    assert_non_null(strstr(ranked[0].why, "80"));
    struct ks_skill_list none = {0};
    assert_int_equal(ks_rank_skills(&arena, &none, &facts, NULL, &place, &ranked), 0);
}

static void record(struct ks_outcomes *outcomes, const char *skill, const char *correctness,
                   double ratio)
{
    struct ks_attempt attempt = {.key = "k", .kernel = "k", .proposal = "p", .skill = skill,
                                 .direction = "d", .params = "", .bottleneck = "unknown",
                                 .date = "2026-01-02", .arch = 90, .correctness = correctness,
                                 .speed = ratio > 1 ? "FASTER" : "NOT_FASTER", .reason = "",
                                 .ratio = ratio, .lower = ratio};
    struct ks_err err = {0};
    for (int i = 0; i < 20; i++)
        if (ks_outcomes_add(outcomes, &attempt, &err) != KS_OK)
            fail_msg("%s", err.text);
}

static void memory_is_told_and_moves_nothing(void **state)
{
    (void)state;
    struct ks_skill_list skills = some_skills();
    struct ks_fact_list facts = some_facts();
    struct ks_ranked_skill *ranked;
    struct ks_outcomes *outcomes;
    struct ks_err err = {0};
    char *dir;
    assert_int_equal(ks_dir_temp(&arena, "ks-rank", &dir, NULL), KS_OK);
    struct ks_config config = {.state_dir = dir};
    if (ks_outcomes_open(&config, &outcomes, &err) != KS_OK)
        fail_msg("%s", err.text);
    size_t n = ks_rank_skills(&arena, &skills, &facts, outcomes, &place, &ranked);
    assert_string_equal(order(ranked, n), "cab"); // nothing learned, nothing moved
    assert_float_equal(ranked[0].score, 1, 1e-12);
    record(outcomes, "b", "CORRECT", 3);
    record(outcomes, "c", "WRONG", 0);
    record(outcomes, "d", "CORRECT", 9);
    n = ks_rank_skills(&arena, &skills, &facts, outcomes, &place, &ranked);
    assert_string_equal(order(ranked, n), "cab");
    assert_float_equal(ranked[0].score, 1, 1e-12);
    assert_true(ranked[0].feasible < 0.1 && ranked[0].n == 20 && ranked[2].gain > 0.9);
    ks_outcomes_close(outcomes);
    assert_int_equal(ks_tree_remove(dir, NULL), KS_OK);
}

static void what_has_shown_nothing_comes_behind(void **state)
{
    (void)state;
    struct ks_skill_list skills = some_skills();
    struct ks_fact_list facts = some_facts();
    struct ks_ranked_skill *ranked;
    skills.at[2].on_probation = true;
    size_t n = ks_rank_skills(&arena, &skills, &facts, NULL, &place, &ranked);
    assert_string_equal(order(ranked, n), "abc");
    assert_float_equal(ranked[2].score, 0.5, 1e-12);
    assert_float_equal(ranked[2].evidence, 1, 1e-12);
    skills.at[2].on_probation = false;
    skills.at[2].shown_arch = 100; // elsewhere
    n = ks_rank_skills(&arena, &skills, &facts, NULL, &place, &ranked);
    assert_string_equal(order(ranked, n), "abc");
    skills.at[2].shown_arch = 90;
    n = ks_rank_skills(&arena, &skills, &facts, NULL, &place, &ranked);
    assert_string_equal(order(ranked, n), "cab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bottleneck_is_evidence),
        cmocka_unit_test(evidence_orders_and_gates_exclude),
        cmocka_unit_test(what_has_shown_nothing_comes_behind),
        cmocka_unit_test(memory_is_told_and_moves_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
