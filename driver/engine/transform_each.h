// Private: the check of each transform, in a file of its own. A check may complete the options it
// is given; refusals name construct and line.
#ifndef KS_TRANSFORM_EACH_H
#define KS_TRANSFORM_EACH_H

#include "engine/subject.h"

typedef enum ks_status ks_transform_check(struct ks_subject *subject, struct ks_options *options,
                                          struct ks_err *err);
ks_transform_check ks_transform_together, ks_transform_geometry, ks_transform_rows, ks_transform_vectorize,
    ks_transform_stream, ks_transform_unroll, ks_transform_bounds, ks_transform_readonly,
    ks_transform_private, ks_transform_math, ks_transform_lanes,
    ks_transform_jam, ks_transform_tile, ks_transform_shuffle, ks_transform_split,
    ks_transform_interchange, ks_transform_select, ks_transform_hoist, ks_transform_keep, ks_transform_divide,
    ks_transform_fold, ks_transform_halo, ks_transform_pad;

#endif
