// An item of a map done by a group of lanes together: turns of loops are dealt out, reductions meet by
// shuffles, stores outside such loops are one lane's. All lanes compute the rest, so that every value
// outside the loops is the same in each of them.
#ifndef KS_LANES_H
#define KS_LANES_H

#include "engine/loop.h"
#include "engine/subject.h"

struct ks_lanes {
    int count;                  // lanes of a group, a power of two
    int across;                 // items side by side in a block, the lanes of each below it; 0: lanes side by side
    int loops;                  // that are dealt out
    bool stores;                // in such loops: arrays must lie apart
    struct ks_edit_list edits;  // opt_lane and, below 32 lanes, opt_mask are to be declared
    const char *limits;         // plan condition that no counter runs over, or ""
};

// KS_E_UNSUPPORTED by construct and line when no loop can be dealt out. `unroll` as in ks_options. With
// `across` all threads of a block reach the loops together, and those without an item have opt_common false.
enum ks_status ks_lanes_make(const struct ks_subject *subject, int count, int across, int unroll,
                             bool apart, struct ks_lanes *lanes, struct ks_err *err);

#endif
