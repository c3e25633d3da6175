// Whether a mutant that the judge let through does what its origin does: all small sizes on the emulated
// device, equal bit by bit but for the sign of zero and NaN's payload.
#ifndef EXCUSE_H
#define EXCUSE_H

#include "verify/session.h"

struct excuse {
    int problems;   // on which both ran and agreed
    bool equal;     // and no one on which they did not
    char text[256]; // why not, or what was run
};

// `session` runs on the emulated device (a judge's own, or its second look's). A failure status is the tool's.
enum ks_status excuse_mutant(struct ks_judge *session, struct ks_arena *arena,
                             const struct ks_candidate *origin, const struct ks_candidate *mutant,
                             struct excuse *excuse, struct ks_err *err);

#endif
