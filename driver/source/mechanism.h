// What a proposal does, whatever it calls things: the same mechanism in another wording has the same hash.
#ifndef KS_MECHANISM_H
#define KS_MECHANISM_H

#include "source/proposal.h"

// 16 hex digits over code, plan and guard, without comments and spacing, with what the code declares (functions,
// parameters, variables, types) named by the order in which it comes. A name that is not surely declared stays itself: two
// texts with one hash do the same, two with different ones may.
const char *ks_proposal_mechanism(struct ks_arena *arena, const struct ks_proposal *proposal);

#endif
