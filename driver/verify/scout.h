// Sessions on the emulated device beside one on a GPU, and what they are asked before that GPU is: whether the original fails on
// a vector, which would cost it a context.
#ifndef KS_SCOUT_H
#define KS_SCOUT_H

#include "verify/session.h"
#include "verify/vector.h"

// Another session of the same original, whose arena is its own; it begins with no problems and no workers.
struct ks_judge *ks_scout_session(struct ks_judge *judge);
// Whether a problem is small enough for it to be run in passing.
bool ks_scout_fits(const struct ks_problem *problem);
// Whether the original fails on a vector for certain, by an access outside of its arrays or a trap. It is asked only once the
// original has failed on this session's own device a few times, and of small problems. `why`: what was found. The vector's
// placement is chosen. False where it does not fail, or nobody knows.
bool ks_scout_fails(struct ks_judge *judge, struct ks_arena *arena, const struct ks_vector *vector,
                    char why[KS_ANSWER_TEXT]);
// At the session's end. Idempotent.
void ks_scout_close(struct ks_judge *judge);

#endif
