// The linter of skills: what it finds in one skill and between two, and how it counts the lattice.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memory/lattice.h"
#include "memory/skill_check.h"
#include "os/file.h"

#define HOW "how: |\n  Mechanism: m of %s.\n  Pitfalls: p.\n  Sketch: s.\n"
#define WHOLE "expect: {metric: time_us, sign: \"-\"}\nsources: [x]\n"

static struct ks_arena arena;

// Skills a, b, ... with the given lines beside what every skill needs.
static struct ks_skill_list skills_of(const char *const *lines)
{
    char *dir;
    struct ks_skill_list skills = {0};
    struct ks_err err = {0};
    assert_int_equal(ks_dir_temp(&arena, "ks-lattice", &dir, &err), KS_OK);
    for (char id[2] = "a"; *lines != NULL; lines++, id[0]++) {
        const char *text = ks_arena_printf(&arena, "id: %s\ntitle: title of %s\ndirection: cache\n%s\n" WHOLE HOW,
                                           id, id, *lines, id);
        const char *path = ks_arena_printf(&arena, "%s/%s.yaml", dir, id);
        assert_int_equal(ks_file_write(path, text, strlen(text), false, 0, &err), KS_OK);
    }
    if (ks_skills_load(&arena, dir, false, &skills, &err) != KS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ks_tree_remove(dir, NULL), KS_OK);
    return skills;
}

static void what_is_wrong_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *lines[4];
        const char *finding; // NULL: nothing
        bool contradiction;
        int line;
    } cases[] = {
        {{"when: [dram_pct < 60, loops > 0]\nrequires: [map]"}, NULL, false, 0},
        {{"when: [dram_pct < 3, dram_pct > 5]"}, "never true together", true, 4},
        {{"when: [dram_pct < 5, dram_pct > 3]"}, NULL, false, 0},
        {{"when: [map]\nrequires: [loops > 5]\nforbids: [loops > 3]"}, "no value of `loops`", true, 6},
        {{"when: [map]\nrequires: [loops > 2]\nforbids: [loops > 3]"}, NULL, false, 0},
        {{"when: [map]\nrequires: [barriers > 0]\nforbids: [barriers > 0]"}, "is required in line 5", true, 6},
        {{"when: [dram_pct > 90]\nrequires: [dram_pct < 80]"}, "never true where the skill applies", true, 4},
        {{"when: [dram_pct < 90]\nrequires: [dram_pct < 80]"}, "is no evidence", false, 4},
        {{"when: [map]\nrequires: [dram_pct > 120]"}, "is never true", true, 5},
        {{"when: [map]\nrequires: [loops >= 0]"}, "decides nothing", false, 5},
        {{"when: [map, map]"}, "stands in line 4 already", false, 4},
        {{"when: [dram_pct]"}, "compare it with a number", false, 4},
        {{"when: []"}, "no `when`", false, 1},
        {{"when: [map]\nafter: [c]", "when: [map]"}, "names `c`", false, 5},
        {{"when: [map]\nafter: [b]", "when: [map]\nafter: [c]", "when: [map]\nafter: [a]"},
         "a after b after c after a", true, 5},
        {{"when: [map]\nafter: [b, c]", "when: [map]\nafter: [c]", "when: [map]"}, NULL, false, 0},
        {{"when: [map]\nafter: [a]"}, "a after a", true, 5},
        {{"when: [map]\naction: {transform: unroll, params: {unroll: [4]}}",
          "when: [loops > 1]\naction: {transform: unroll, params: {unroll: [4]}}"}, "does what `a`", false, 5},
        {{"when: [map]\naction: {transform: unroll, params: {unroll: [4]}}",
          "when: [loops > 1]\naction: {transform: unroll, params: {unroll: [8]}}"}, NULL, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_finding_list findings = {0};
        struct ks_skill_list skills = skills_of(cases[i].lines);
        const struct ks_finding *found = NULL;
        ks_skills_check(&arena, &skills, NULL, &findings);
        ks_vec_each(struct ks_finding, f, &findings)
            if (cases[i].finding != NULL && found == NULL && strstr(f->text, cases[i].finding) != NULL)
                found = f;
        if (cases[i].finding == NULL && findings.len > 0)
            fail_msg("case %zu: %s", i, findings.at[0].text);
        if (cases[i].finding != NULL &&
            (found == NULL || found->contradiction != cases[i].contradiction || found->line != cases[i].line))
            fail_msg("case %zu: %s", i, found != NULL ? found->text : findings.len > 0 ? findings.at[0].text : "none");
    }
}

static void opposite_expectations_contradict(void **state)
{
    (void)state;
    static const char *const lines[] = {"when: [map, loops > 0]", "when: [loops > 0, map]", NULL};
    struct ks_skill_list skills = skills_of(lines);
    struct ks_finding_list findings = {0};
    ks_skills_check(&arena, &skills, NULL, &findings);
    assert_int_equal(findings.len, 0);
    skills.at[1].expect_sign = 1;
    ks_skills_check(&arena, &skills, NULL, &findings);
    assert_int_equal(findings.len, 1);
    assert_true(findings.at[0].contradiction);
    skills.at[1].title = skills.at[0].title;
    skills.at[1].how = skills.at[0].how;
    findings.len = 0;
    ks_skills_check(&arena, &skills, NULL, &findings);
    assert_int_equal(findings.len, 2); // and they say the same
}

static void points_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *lines[4];
        double points, uncovered;
        size_t facts;
    } cases[] = {
        {{"when: [map]"}, 3, 2, 1},                                  // no, yes, unknown: yes alone
        {{"when: [map]", "when: [\"!map\"]", "when: [\"?map\"]"}, 3, 0, 1},
        {{"when: [map, loops > 0]"}, 9, 4, 2},  // 5 have one true and no less than half: yes with any, any with > 0
        {{"when: [map weight 3, loops > 0]"}, 9, 5, 2}, // as above, less (no, > 0); (unknown, > 0) is 2.5 of 4
        {{"when: [map weight 3, loops > 0]\nrequires: [loops > 2]"}, 12, 9, 2}, // loops: 0, 1 to 2, more, unknown
        {{"when: [map]\nforbids: [loops > 0]"}, 9, 7, 2},            // yes with 0 or unknown
        {{"when: [dram_pct < 60, dram_pct < 30]"}, 4, 2, 1},         // < 30, 30 to 60, above, unknown
        {{"when: [bottleneck(atomics)]"}, 10, 9, 1},
        {{"when: [bottleneck(atomics), bottleneck(launch)]"}, 10, 8, 1},
        {{"when: [\"?bottleneck(launch)\"]", "when: [\"!bottleneck(launch)\"]", "when: [bottleneck(launch)]"},
         10, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_skill_list skills = skills_of(cases[i].lines);
        struct ks_lattice lattice;
        ks_lattice_count(&arena, &skills, &lattice);
        if (lattice.points != cases[i].points || lattice.uncovered != cases[i].uncovered ||
            lattice.facts != cases[i].facts || !lattice.complete ||
            (lattice.example != NULL) != (cases[i].uncovered > 0))
            fail_msg("case %zu: %g points of %zu facts, %g uncovered: %s", i, lattice.points, lattice.facts,
                     lattice.uncovered, lattice.example != NULL ? lattice.example : "");
    }
}

// Counting by parts gives what looking at every point gives.
static void parts_agree_with_points(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "when: [map, loops > 0 weight 2, barriers > 1]\nrequires: [dram_pct < 60]",
        "when: [dram_pct > 30 weight 2, \"!map\"]\nforbids: [loops > 3]",
        "when: [\"?dram_pct\", barriers > 0]\nrequires: [loops >= 1, map]", NULL};
    static const double dram[] = {10, 45, 60, -1}, loops[] = {0, 2, 4, -1}, barriers[] = {0, 1, 2, -1},
                        map[] = {0, 1, -1};
    struct ks_skill_list skills = skills_of(lines);
    struct ks_lattice lattice;
    ks_lattice_count(&arena, &skills, &lattice);
    double uncovered = 0, points = 0;
    for (size_t i = 0; i < 4 * 4 * 4 * 3; i++) {
        const double values[] = {dram[i % 4], loops[i / 4 % 4], barriers[i / 16 % 4], map[i / 64]};
        static const char *const names[] = {"dram_pct", "loops", "barriers", "map"};
        struct ks_fact_list facts = {0};
        bool covered = false;
        for (size_t k = 0; k < 4; k++)
            if (values[k] >= 0)
                ks_fact_set(&arena, &facts, names[k], values[k]);
        ks_vec_each(struct ks_skill, s, &skills) {
            bool some = false;
            for (size_t k = 0; k < s->when.len; k++)
                some |= ks_condition_eval(&s->when.at[k], &facts) == KS_TRUE;
            covered |= some && ks_skill_gate(s, &facts) != KS_FALSE && ks_skill_score(s, &facts) >= 0.5;
        }
        points++;
        uncovered += !covered;
    }
    assert_true(lattice.complete);
    assert_float_equal(lattice.points, points, 0);
    assert_float_equal(lattice.uncovered, uncovered, 1e-6);
    assert_true(uncovered > 0 && uncovered < points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_found),
        cmocka_unit_test(opposite_expectations_contradict),
        cmocka_unit_test(points_are_counted),
        cmocka_unit_test(parts_agree_with_points),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
