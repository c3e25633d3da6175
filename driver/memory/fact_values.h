// The values of a fact that conditions can tell apart: what a checker needs to look at, and no more.
#ifndef KS_FACT_VALUES_H
#define KS_FACT_VALUES_H

#include "memory/condition.h"
#include "memory/fact.h"

struct ks_fact_value {
    bool known;
    double value;
};
struct ks_fact_values {
    struct ks_fact_value *at; // the first is: not known
    size_t len;
};

// One value of each range of `fact` on which all `conditions` on it have one truth; others are ignored.
struct ks_fact_values ks_fact_split(struct ks_arena *arena, const struct ks_fact_name *fact,
                                    const struct ks_condition *const *conditions, size_t n);

#endif
