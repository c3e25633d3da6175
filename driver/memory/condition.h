// Conditions of skills in three-valued logic: what was not measured is neither true nor false.
#ifndef KS_CONDITION_H
#define KS_CONDITION_H

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
// False where it is not known.
bool ks_fact_get(const struct ks_fact_list *facts, const char *name, double *value);

// "name", "!name", "?name" (is not known), "name(arg)", "name OP number" with OP of < <= > >= == !=;
// each may end with "weight N".
struct ks_condition {
    const char *text, *fact; // `text` without the weight
    bool negated, absent;
    int op; // 0: truth of a property
    double number;
    double weight; // of evidence; 1 where the text has none
    int line;
};

// False for a text that is no condition; does not look whether the fact exists.
bool ks_condition_parse(struct ks_arena *arena, const char *text, struct ks_condition *out);
enum ks_truth ks_condition_eval(const struct ks_condition *condition,
                                const struct ks_fact_list *facts);
// The same for one value of its fact; `known` false: where that is not known.
enum ks_truth ks_condition_of(const struct ks_condition *condition, bool known, double value);
const char *ks_truth_name(enum ks_truth truth); // "no", "unknown", "yes"
double ks_truth_share(enum ks_truth truth);     // 0, 0.5, 1

#endif
