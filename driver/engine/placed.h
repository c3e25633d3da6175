// Extremes of which the place is kept too, where parts of a loop meet that ran apart.
#ifndef KS_PLACED_H
#define KS_PLACED_H

#include "engine/loop.h"
#include "engine/subject.h"

// Why parts cannot find the first of the best, or NULL: values compare as they are kept, and places as the loop counts.
// `env` holds what is declared round the loop.
const char *ks_placed_why_not(const struct ks_subject *subject, const struct ks_affine *env, const struct ks_loop *loop,
                              const struct ks_reduction *reduction);
// C text by which another part's best, `opt_other` at `opt_place`, meets the reduction's.
const char *ks_placed_meet(struct ks_arena *arena, const struct ks_reduction *reduction);

#endif
