// The workloads of a mark are size classes: where the variant that is best over all of them is beaten on one by
// another, or none is faster over all, that one gets a variant of its own, for its sizes alone.
#ifndef KS_CLASSES_H
#define KS_CLASSES_H

#include "search/trajectory.h"

struct ks_class_win {
    const struct ks_try *won;
    struct ks_verdict verdict; // confirmed, of this class alone
    size_t workload;
};

// Judges for each class the correct tries, and those only screened, that may be faster there than `winner` (NULL:
// than the original), the likeliest two, and confirms. `winner` and its confirmed verdict are borrowed. Fewer than
// two workloads: none. Stops early, with what it has, once `stop` says so. Wins are in the arena; *judged grows by
// what was judged in full.
enum ks_status ks_classes_settle(struct ks_arena *arena, struct ks_judge *judge,
                                 const struct ks_trajectory *trajectory, const struct ks_try *winner,
                                 const struct ks_verdict *verdict, bool (*stop)(const void *),
                                 const void *context, struct ks_class_win **wins, size_t *n_wins,
                                 int *judged, struct ks_err *err);

#endif
