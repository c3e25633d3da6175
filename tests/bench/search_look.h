// Proposals compiled at leisure and looked at later, several times: what the recorder asks of the
// judge.
#ifndef SEARCH_LOOK_H
#define SEARCH_LOOK_H

#include "verify/judge.h"

#define LOOKS 3

struct look {
    struct ks_verdict verdict; // of the screening
    double ratio[LOOKS];       // a median of pairs each, in a process of its own; 0: not timed
    double run_ms;
};

// Compiles `batch` at a time and keeps the results for look_at; no device is used.
enum ks_status look_build(struct ks_judge *judge, struct ks_proposal *const *proposals, size_t n,
                          size_t batch, struct ks_err *err);
// Screens proposals that were built, and times the right ones again.
enum ks_status look_at(struct ks_judge *judge, struct ks_proposal *const *proposals, size_t n,
                       struct look *looks, struct ks_err *err);

#endif
