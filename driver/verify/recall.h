// Vectors that a session uses for more than one candidate: what the original makes of a vector does not
// depend on the candidate, and is half of the work. A confirmation recalls nothing of the search, but times on what it
// has made itself.
#ifndef KS_RECALL_H
#define KS_RECALL_H

#include "verify/vector.h"

// The session's vector for this problem, family, variation and skew, made at first use and again after
// KS_RECALL_USES uses, so that verdicts of many candidates tell nothing of its contents. It belongs to
// the session: give it back with ks_recall_done, and do not free it.
#define KS_RECALL_USES 16
enum ks_status ks_recall(struct ks_judge *judge, const struct ks_problem *problem,
                         enum ks_family family, int variation, int skew,
                         struct ks_vector **vector, struct ks_err *err);
// Drops what is too big to keep; the oracle makes it again if it is asked for.
void ks_recall_done(struct ks_judge *judge, struct ks_vector *vector);
// At the session's end.
void ks_recall_free(struct ks_judge *judge);
// Around a confirmation: nothing is known from here on, and what was is known again.
void ks_recall_anew(struct ks_judge *judge);
void ks_recall_back(struct ks_judge *judge);

#endif
