// A confirmed winner meets what the store holds of its key. Who serves a workload today is replaced there by what is
// confirmed to be faster than it, timed in pairs in one process, and by nothing else: bounds over the original
// that come from different sessions do not order two variants.
#ifndef KS_INCUMBENT_H
#define KS_INCUMBENT_H

#include "store/store.h"
#include "verify/judge.h"

// One pairing with a stored variant, for reports.
struct ks_meeting {
    const char *variant, *path; // the stored one
    const char *workload;       // "": on all
    bool replaced;              // the new one goes before it; else it stays where it was
    double ratio, lower;        // the stored one's time over the new one's; 0: not timed against each other
    const char *why;            // where they were not, why, and what decided; else ""
};

struct ks_settlement {
    bool stored;                // the new one is to be stored
    struct ks_against *against; size_t n_against; // of it then
    struct ks_meeting *meetings; size_t n_meetings;
    bool part;                  // on one workload at least the new one is faster, confirmed
    const struct ks_found *stays; // where it is not, who stays; NULL: where it is
};

struct ks_challenge {
    const struct ks_config *config;
    const struct ks_store *store;
    const struct ks_tu_kernel *kernel;
    struct ks_proposal *proposal;     // the winner
    const struct ks_verdict *verdict; // confirmed
    size_t workload;                  // the class that it is to serve, or KS_ALL_CLASSES
    bool modelled;
    const char *beaten;               // stored by this search, and known to be slower on that workload; NULL: none
};

// Variants of the key that builds would take, for a search that ends (with --again) beside them.
void ks_incumbents(struct ks_arena *arena, const struct ks_config *config, const struct ks_store *store,
                   const struct ks_tu_kernel *kernel, bool modelled, struct ks_lookup *lookup);

// "1.004x against it, at least 0.998x", or why there is no such number.
const char *ks_meeting_text(struct ks_arena *arena, const struct ks_meeting *meeting);
// The same of the one that stays.
const char *ks_settlement_text(struct ks_arena *arena, const struct ks_settlement *standing);

// Times the winner against whoever goes first on its workloads, and says what is to be done. Where nothing can be timed the
// older stays, unless the winner's lower bound over the original exceeds the older one's ratio; what is found wrong now is
// replaced. All is in the arena; the judge's class is KS_ALL_CLASSES afterwards.
enum ks_status ks_incumbent_meet(struct ks_arena *arena, struct ks_judge *judge, const struct ks_challenge *challenge,
                                 struct ks_settlement *standing, struct ks_err *err);

#endif
