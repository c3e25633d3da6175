// What a lane of a block's first warp has for an expression of integers, in the first workload, in block 0, and in the
// first turn of the loops round it; and what that says of an access to shared memory.
#ifndef KS_LANE_H
#define KS_LANE_H

#include "engine/subject.h"

enum { KS_LANE_PADS = 4 };

struct ks_lane_access {
    const struct ks_node *node;
    const char *name; // of the array in shared memory
    bool reads, writes;
    bool known;               // where each lane goes
    int64_t along_x, along_y; // elements from thread to thread; KS_STEP_UNKNOWN (engine/pattern.h): uneven steps
    unsigned waves, turns;    // wavefronts that the warp takes, and would without bank conflicts (device/banks.h)
    unsigned padded[KS_LANE_PADS]; // the same with rows longer by 1, 2, 4 and 8 elements; 0: there are no rows
    double times;             // a thread does it, -1: unknown
};

// Whether it is an array in shared memory; `env` holds the declarations in sight. And the name of the one that the
// expression is, or an element or row of; NULL: none.
bool ks_lane_is_shared(const struct ks_subject *subject, const struct ks_affine *env, const char *name);
const char *ks_lane_array(const struct ks_subject *subject, const struct ks_affine *env, const struct ks_node *expr);
// An access to a whole element of such an array; `reads`, `writes` and `times` are for the caller.
struct ks_lane_access ks_lane_look(const struct ks_subject *subject, const struct ks_affine *env, const struct ks_node *expr);

#endif
