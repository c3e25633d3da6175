// What searches on this machine judged, by name: for people who look at a candidate, or judge it again.
#ifndef KS_VERB_ATTEMPT_H
#define KS_VERB_ATTEMPT_H

#include "app/verb.h"
#include "source/proposal.h"

// The proposal whose id is `id` or begins with it (4 digits or more). KS_E_USER: nothing of that name was
// judged here, or several; says how to find it.
enum ks_status verb_attempt_find(struct ks_verb_context *context, const char *id,
                                 struct ks_proposal **proposal, struct ks_err *err);

#endif
