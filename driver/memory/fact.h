// The one list of fact names: what conditions of skills may speak of.
#ifndef KS_FACT_H
#define KS_FACT_H

#include <stdbool.h>

struct ks_fact_name {
    const char *name;
    const char *meaning; // one line, for people and models
    bool metric;         // measured by the profiler; else read from text and launch, or drawn from those
};

// Ends with a NULL name.
const struct ks_fact_name *ks_fact_names(void);
bool ks_fact_is_known(const char *name);

#endif
