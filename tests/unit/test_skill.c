// Skills: the installed ones load and name only what exists; bad ones are refused with file:line;
// conditions are three-valued.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/transform.h"
#include "memory/fact.h"
#include "memory/skill.h"
#include "os/file.h"

static struct ks_arena arena;

static bool has(const char *const *words, const char *word)
{
    for (; words && *words; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

static bool template_takes(const char *template, const char *param)
{
    struct ks_slice text;
    struct ks_yaml *root;
    struct ks_err err = {0};
    const char *path = ks_arena_printf(&arena, KS_SOURCE_DIR "/skills/templates/%s.yaml", template);
    if (ks_file_read(&arena, path, 1 << 18, &text, &err) != KS_OK ||
        ks_yaml_parse(&arena, path, text, &root, &err) != KS_OK)
        fail_msg("%s", err.text);
    return !param || ks_yaml_get(ks_yaml_get(root, "settings"), param);
}

static void installed_skills_name_what_exists(void **state)
{
    (void)state;
    struct ks_skill_list skills = {0};
    struct ks_err err = {0};
    if (ks_skills_load(&arena, KS_SOURCE_DIR "/skills/expert", false, &skills, &err) != KS_OK)
        fail_msg("%s", err.text);
    assert_true(skills.len >= 50);
    size_t directions = 0;
    for (size_t i = 0; i < skills.len; i++) {
        const struct ks_skill *s = &skills.at[i];
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= strcmp(skills.at[k].direction, s->direction) == 0;
        directions += !seen;
        // The file is found by the id.
        assert_string_equal(ks_path_base(s->file), ks_arena_printf(&arena, "%s.yaml", s->id));
        assert_true(s->when.len > 0);
        assert_true(s->expect_metric && *s->expect_metric);
        assert_non_null(strstr(s->how, "Mechanism:"));
        assert_non_null(strstr(s->how, "Pitfalls:"));
        if (s->transform && !ks_transform_params(s->transform))
            fail_msg("%s: no transform %s", s->file, s->transform);
        for (size_t p = 0; p < s->n_params; p++) {
            bool known = s->transform ? has(ks_transform_params(s->transform), s->param_names[p])
                                      : template_takes(s->template_, s->param_names[p]);
            if (!known)
                fail_msg("%s: no parameter %s", s->file, s->param_names[p]);
        }
        if (s->template_)
            assert_true(template_takes(s->template_, NULL));
    }
    assert_true(directions >= 9);
}

static enum ks_status load(const char *text, struct ks_skill_list *skills, struct ks_err *err)
{
    char *dir;
    assert_int_equal(ks_dir_temp(&arena, "ks-skill", &dir, err), KS_OK);
    const char *path = ks_path_join(&arena, dir, "a.yaml");
    assert_int_equal(ks_file_write(path, text, strlen(text), false, 0, err), KS_OK);
    enum ks_status status = ks_skills_load(&arena, dir, false, skills, err);
    assert_int_equal(ks_tree_remove(dir, NULL), KS_OK);
    return status;
}

#define HEAD "id: a\ntitle: t\ndirection: cache\nhow: h\n"

static void bad_skills_are_refused_by_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line;
    } cases[] = {
        {"- 1\n", "a.yaml:1: "},
        {"id: a\ntitle: t\ndirection: cache\n", "a.yaml:1: "},
        {"id: a\ntitle: [t]\ndirection: cache\nhow: h\n", "a.yaml:2: "},
        {"id: A/../b\ntitle: t\ndirection: cache\nhow: h\n", "a.yaml:1: "},
        {"id: a\ntitle: t\ndirection: faster\nhow: h\n", "a.yaml:3: "},
        {HEAD "risk: none\n", "a.yaml:5: "},
        {HEAD "precision: good\n", "a.yaml:5: "},
        {HEAD "when: [map weight 0]\n", "a.yaml:5: "},
        {HEAD "when: [map weight 1000]\n", "a.yaml:5: "},
        {HEAD "when: [map weight]\n", "a.yaml:5: "},
        {HEAD "when: [\"?dram_pct > 3\"]\n", "a.yaml:5: "},
        {HEAD "after: b\n", "a.yaml:5: "},
        {HEAD "sources: [[a]]\n", "a.yaml:5: "},
        {HEAD "expect: {metric: loops, sign: +}\n", "a.yaml:5: "},
        {HEAD "expect: {metric: dram_pct, sign: +, at_least: 101}\n", "a.yaml:5: "},
        {HEAD "expect: {metric: dram_pct, sign: +, at_least: -1}\n", "a.yaml:5: "},
        {HEAD "action: nothing\n", "a.yaml:5: "},
        {HEAD "action: [unroll]\n", "a.yaml:5: "},
        {HEAD "wen: [map]\n", "a.yaml:5: "},
        {HEAD "when: [dram_pc > 60]\n", "a.yaml:5: "},
        {HEAD "when:\n  - map\n  - dram_pct > much\n", "a.yaml:7: "},
        {HEAD "when: map\n", "a.yaml:5: "},
        {HEAD "expect: {metric: nothing, sign: +}\n", "a.yaml:5: "},
        {HEAD "expect: {metric: dram_pct, sign: up}\n", "a.yaml:5: "},
        {HEAD "action: {transform: a, template: b}\n", "a.yaml:5: "},
        {HEAD "action: {params: {x: [1]}}\n", "a.yaml:5: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_skill_list skills = {0};
        struct ks_err err = {0};
        if (load(cases[i].text, &skills, &err) != KS_E_USER || !strstr(err.text, cases[i].line))
            fail_msg("case %zu: %s", i, err.text);
    }
}

static void conditions_have_three_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum ks_truth truth;
    } cases[] = {
        {"map", KS_TRUE},           {"\"!map\"", KS_FALSE},       {"loops", KS_FALSE},
        {"dram_pct > 60", KS_TRUE}, {"dram_pct > 81.2", KS_FALSE}, {"dram_pct >= 81.2", KS_TRUE},
        {"dram_pct < 60", KS_FALSE}, {"loops == 0", KS_TRUE},     {"loops != 0", KS_FALSE},
        {"\"?l2_pct\"", KS_TRUE},   {"\"?dram_pct\"", KS_FALSE}, {"map weight 7", KS_TRUE},
        {"l2_pct > 1", KS_UNKNOWN}, {"\"!barriers\"", KS_UNKNOWN}, {"dram_pct <= 81.2", KS_TRUE},
    };
    struct ks_fact_list facts = {0};
    ks_fact_set(&arena, &facts, "map", 1);
    ks_fact_set(&arena, &facts, "loops", 0);
    ks_fact_set(&arena, &facts, "dram_pct", 1);
    ks_fact_set(&arena, &facts, "dram_pct", 81.2);
    assert_int_equal(facts.len, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_skill_list skills = {0};
        struct ks_err err = {0};
        if (load(ks_arena_printf(&arena, HEAD "when: [%s]\n", cases[i].text), &skills, &err))
            fail_msg("%s", err.text);
        if (ks_condition_eval(&skills.at[0].when.at[0], &facts) != cases[i].truth)
            fail_msg("%s", cases[i].text);
    }
}

static void gates_exclude_and_evidence_scores(void **state)
{
    (void)state;
    struct ks_fact_list facts = {0};
    struct ks_skill_list skills = {0};
    struct ks_err err = {0};
    double score;
    const char *why;
    ks_fact_set(&arena, &facts, "map", 1);
    ks_fact_set(&arena, &facts, "dram_pct", 40);
    assert_int_equal(load(HEAD "when: [dram_pct > 60, l2_pct > 1, map weight 2]\n"
                               "requires: [map, understood]\nforbids: [barriers]\n",
                          &skills, &err), KS_OK);
    assert_true(ks_skill_applies(&arena, &skills.at[0], &facts, &score, &why));
    assert_float_equal(score, 2.5 / 4, 1e-9);
    assert_non_null(strstr(why, "40"));
    ks_fact_set(&arena, &facts, "barriers", 1);
    assert_false(ks_skill_applies(&arena, &skills.at[0], &facts, &score, &why));
    ks_fact_set(&arena, &facts, "barriers", 0);
    ks_fact_set(&arena, &facts, "understood", 0);
    assert_false(ks_skill_applies(&arena, &skills.at[0], &facts, &score, &why));
}

// A win by another mechanism than the skill's is none of its own.
static void moves_are_held_against_what_was_expected(void **state)
{
    (void)state;
    static const struct {
        double before, after;
        enum ks_truth moved;
    } cases[] = {{40, 50, KS_TRUE}, {40, 45, KS_TRUE}, {40, 44, KS_FALSE}, {40, 30, KS_FALSE}};
    struct ks_skill_list skills = {0};
    struct ks_err err = {0};
    assert_int_equal(load(HEAD "expect: {metric: dram_pct, sign: +, at_least: 5}\n", &skills, &err), KS_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_fact_list before = {0}, after = {0};
        ks_fact_set(&arena, &before, "dram_pct", cases[i].before);
        assert_int_equal(ks_skill_moved(&skills.at[0], &before, &after), KS_UNKNOWN);
        ks_fact_set(&arena, &after, "dram_pct", cases[i].after);
        assert_int_equal(ks_skill_moved(&skills.at[0], &before, &after), cases[i].moved);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(installed_skills_name_what_exists),
        cmocka_unit_test(bad_skills_are_refused_by_line),
        cmocka_unit_test(conditions_have_three_values),
        cmocka_unit_test(gates_exclude_and_evidence_scores),
        cmocka_unit_test(moves_are_held_against_what_was_expected),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
