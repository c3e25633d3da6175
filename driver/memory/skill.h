// Skills: reusable optimisations as YAML data (docs/skills.md): when they apply, how they work, what
// should move, and what does them mechanically.
#ifndef KS_SKILL_H
#define KS_SKILL_H

#include "memory/condition.h"

struct ks_conditions {
    struct ks_condition *at;
    size_t len;
};

struct ks_finding_list; // memory/skill_check.h

struct ks_skill {
    const char *id, *title, *direction, *risk, *precision, *how, *file;
    int line;
    unsigned misread;              // KS_MISREAD_...: fields that are there in part only, as their findings say
    bool on_probation;             // not shown to pay yet (memory/library.h);
    int shown_arch;                // or shown on this architecture alone; 0: does not matter
    struct ks_conditions when;     // evidence for it, by weight: scores, excludes nothing
    struct ks_conditions requires_; // gate: must not be false
    struct ks_conditions forbids;  // gate: must not be true
    const char *expect_metric; int expect_sign; double expect_at_least; // "": nothing is expected
    struct ks_strv after;          // ids of skills on top of which it pays
    int after_line;
    struct ks_strv sources;        // public documents
    const char *transform, *template_; // one of them, or neither (advice only)
    int action_line;               // 0: the file has no `action`
    const char **param_names; const char ***param_values; size_t n_params; // values NULL-terminated
};
struct ks_skill_list {
    struct ks_skill *at;
    size_t len, cap;
};

// All *.yaml of a folder, in name order, behind what the list holds. A bad skill is KS_E_USER file:line;
// `lenient` skips it with a warning instead. An id that the list has already is bad.
enum ks_status ks_skills_load(struct ks_arena *arena, const char *dir, bool lenient,
                              struct ks_skill_list *skills, struct ks_err *err);
#define KS_MISREAD_WHEN 1u
#define KS_MISREAD_EXPECT 2u
#define KS_MISREAD_HOW 4u
#define KS_MISREAD_SOURCES 8u

// One file, or its text.
enum ks_status ks_skill_parse(struct ks_arena *arena, const char *path, struct ks_slice text,
                              struct ks_skill *skill, struct ks_err *err);
enum ks_status ks_skill_read(struct ks_arena *arena, const char *path, struct ks_skill *skill,
                             struct ks_err *err);
// The same to the end of the file, whatever is wrong on the way: each error is a finding, with its line, and the skill has
// what could be read (texts that could not are ""). True where nothing was wrong.
bool ks_skill_read_all(struct ks_arena *arena, const char *path, struct ks_skill *skill, struct ks_finding_list *findings);
const struct ks_skill *ks_skill_find(const struct ks_skill_list *skills, const char *id);

// A choice of a value for each parameter, by position, begins with zeros: the next one, the first parameter
// turning fastest; false after the last. Needs a value of each.
bool ks_skill_next(const struct ks_skill *skill, size_t *choice);
// "block=256 items=4".
const char *ks_skill_settings(struct ks_arena *arena, const struct ks_skill *skill, const size_t *choice);

// KS_FALSE when a gate excludes it, KS_TRUE when all of the gate is known to hold.
enum ks_truth ks_skill_gate(const struct ks_skill *skill, const struct ks_fact_list *facts);
// The share of the weight of `when` that speaks for it, unknown counting half; 0.5 without any.
double ks_skill_score(const struct ks_skill *skill, const struct ks_fact_list *facts);
// False when a gate excludes it; else *score, and *why: its evidence in one line, with the numbers.
bool ks_skill_applies(struct ks_arena *arena, const struct ks_skill *skill,
                      const struct ks_fact_list *facts, double *score, const char **why);
// What became of the metric that the skill expects to move, from `before` to `after`: as it says by at
// least as much (KS_TRUE), not so (KS_FALSE), or one of the two was not measured.
enum ks_truth ks_skill_moved(const struct ks_skill *skill, const struct ks_fact_list *before,
                             const struct ks_fact_list *after);

#endif
