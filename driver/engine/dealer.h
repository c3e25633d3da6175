// Private to the dealing out of loops to lanes: what its files share.
#ifndef KS_DEALER_H
#define KS_DEALER_H

#include "engine/lanes.h"

struct ks_dealer {
    const struct ks_subject *s;
    struct ks_lanes *out;
    struct ks_affine env;
    int unroll;
    bool apart;      // arrays of different names do not overlap
    const char *why; // the first loop's refusal
    struct ks_err *err;
    enum ks_status status;
    int parts;      // shared arrays given out,
    int64_t shared; // and their bytes
    int depth;      // of conditions and loops that stay
    bool *both;     // parameters that are read and written
};

// C text that gives every lane of the group the value of a reduced variable; counts the shared
// memory that it takes.
const char *ks_lanes_join(struct ks_dealer *dealer, const struct ks_loop *loop,
                          const struct ks_reduction *reduction);

#endif
