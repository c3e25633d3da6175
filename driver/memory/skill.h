// Skills: reusable optimisations as YAML data (DESIGN.md section 9), their conditions in three-valued
// logic, and the linter.
#ifndef KS_SKILL_H
#define KS_SKILL_H

#include "base/vec.h"
#include "fmt/yaml.h"

enum ks_truth { KS_FALSE, KS_UNKNOWN, KS_TRUE };

// One fact about a kernel: a metric ("dram_pct" 81.2), a count, or a property ("contiguous(thread)").
struct ks_fact {
    const char *name;
    bool known;
    double value; // properties: 0 or 1
};
struct ks_fact_list {
    struct ks_fact *at;
    size_t len, cap;
};
void ks_fact_set(struct ks_arena *arena, struct ks_fact_list *facts, const char *name, double value);

// "name", "!name", "name(arg)", "name OP number" with OP of < <= > >= == !=.
struct ks_condition {
    const char *text, *fact;
    bool negated;
    int op; // 0: truth of a property
    double number;
};

struct ks_skill {
    const char *id, *title, *direction, *risk, *precision, *how, *file;
    int line;
    struct ks_condition *when; size_t n_when;         // evidence for it: weights, not a gate
    struct ks_condition *requires_; size_t n_requires; // gate: must not be false
    struct ks_condition *forbids; size_t n_forbids;    // gate: must not be true
    const char *expect_metric; int expect_sign; double expect_at_least;
    const char *transform, *template_;                 // one of them, or neither (advice only)
    const char **param_names; const char ***param_values; size_t n_params; // values NULL-terminated
};
struct ks_skill_list {
    struct ks_skill *at;
    size_t len, cap;
};

// All *.yaml of a folder, in name order. A bad skill is KS_E_USER file:line; `lenient` skips it
// with a warning instead.
enum ks_status ks_skills_load(struct ks_arena *arena, const char *dir, bool lenient,
                              struct ks_skill_list *skills, struct ks_err *err);
enum ks_truth ks_condition_eval(const struct ks_condition *condition,
                                const struct ks_fact_list *facts);
// False when a gate excludes it; else *score in [0,1]: how much of `when` speaks for it (unknown
// counts half), and `why` one line with the numbers.
bool ks_skill_applies(struct ks_arena *arena, const struct ks_skill *skill,
                      const struct ks_fact_list *facts, double *score, const char **why);

#endif
