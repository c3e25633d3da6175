// The one list of fact names: what conditions of skills may speak of, and which values each can have.
#ifndef KS_FACT_H
#define KS_FACT_H

#include <stdbool.h>

enum ks_fact_kind {
    KS_FACT_PROPERTY, // 0 or 1
    KS_FACT_COUNT,    // whole, from 0 on
    KS_FACT_AMOUNT,   // any number from 0 on
};

struct ks_fact_name {
    const char *name;
    const char *meaning; // one line, for people and models
    bool metric;         // measured by the profiler; else read from text and launch, or drawn from those
    enum ks_fact_kind kind;
    double most;         // largest value, infinite where there is none
};

// Ends with a NULL name. Of the names that begin with "bottleneck(" one is true, or none is known.
const struct ks_fact_name *ks_fact_names(void);
const struct ks_fact_name *ks_fact_find(const char *name); // NULL: no fact is called so
bool ks_fact_is_known(const char *name);

#endif
