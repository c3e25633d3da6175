// What was tried on a kernel so far, for the next question: a line each, the newest last, and the
// code of what was best.
#ifndef KS_DIGEST_H
#define KS_DIGEST_H

#include "agent/consult.h"
#include "base/vec.h"

struct ks_tried {
    const struct ks_candidate *candidate;
    const char *mechanism;     // ks_proposal_mechanism: what it does, under whatever names
    struct ks_outcome outcome; // its reason without secrets
};
struct ks_digest_list {
    struct ks_tried *at;
    size_t len, cap;
};

// At most `most` bytes: the newest lines, and above them how many there were before.
const char *ks_digest_text(struct ks_arena *arena, const struct ks_digest_list *tried, size_t most);
const struct ks_tried *
ks_digest_best(const struct ks_digest_list *tried); // the fastest of those that gain, or NULL
// Right proposals beside `best` (or NULL) that teach something else: up to `most`, each time the
// one with the largest 0.7 x its gain over the largest one's - 0.3 x the share of its lines that
// stand in one shown before. Returns how many.
size_t ks_digest_others(struct ks_arena *arena, const struct ks_digest_list *tried,
                        const struct ks_tried *best, size_t most, const struct ks_tried **found);
// A candidate as a proposal's document.
const char *ks_digest_code(struct ks_arena *arena, const struct ks_candidate *candidate);

#endif
