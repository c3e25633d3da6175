// The coarse kind of a kernel, by its features: what is learned of one is a hint for others of its kind.
#ifndef KS_STRUCTURE_H
#define KS_STRUCTURE_H

#include "memory/condition.h"

// "elementwise", "grid" (a map in two or three axes), "permutation" (a map whose stores lie apart), "loop"
// (a map, a loop a thread), "cooperative" (barriers or shuffles), "scatter" (atomics on a parameter),
// "other", or "unknown" where the text was not understood.
const char *ks_structure_of(const struct ks_fact_list *facts);

#endif
