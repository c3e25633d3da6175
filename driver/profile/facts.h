// From raw counters to facts with short names (skills and the bottleneck classifier use only these).
#ifndef KS_FACTS_H
#define KS_FACTS_H

#include "profile/profile.h"

// `metrics` is {"hardware name": value} as ks-probe read them; absent ones stay unknown.
void ks_profile_facts(struct ks_arena *arena, const json_t *metrics, struct ks_fact_list *facts);

#endif
