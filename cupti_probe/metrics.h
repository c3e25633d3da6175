// The metrics the probe reads: hardware names with alternatives for other chips, and the short names
// facts and skills use. Source of the set and of its pass counts: measured on GH100, 59 metrics in
// ten passes (CUPTI 13.0).
#ifndef KS_METRICS_H
#define KS_METRICS_H

#include <stddef.h>

#define KS_METRIC_NAMES 2
struct ks_metric {
    const char *names[KS_METRIC_NAMES]; // tried in order; NULL-padded
};

extern const struct ks_metric ks_metrics[];
extern const size_t ks_metric_count;

#endif
