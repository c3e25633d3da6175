// The skills that a model is shown: those whose words fit the kernel (BM25) and whose conditions and record speak for
// them, each of another direction, so that they complement each other.
#ifndef KS_RETRIEVE_H
#define KS_RETRIEVE_H

#include "engine/brief.h"

struct ks_retrieve_from {
    const struct ks_skill *skill;
    double score; // of rules and memory, larger is better
};
// Chooses up to `most` of `from`, best first, by 0.35 x words + 0.65 x score, each in proportion to the best one's.
// Skills about measuring are none for a model. `diverse`: of each direction one at most. Returns how many.
size_t ks_retrieve(struct ks_arena *arena, const struct ks_brief *brief, const struct ks_retrieve_from *from,
                   size_t n, size_t most, bool diverse, const struct ks_skill **chosen);

#endif
