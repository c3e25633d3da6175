// How large the terms are that meet in each element of an output; for verify/widen.c alone.
#ifndef KS_SCALE_H
#define KS_SCALE_H

#include "verify/vector.h"

// Measures the sum of absolute terms of each element of the vector's outputs, into their `scale`, `sums` and `terms`, by runs of
// the original on absolute inputs, and by so many throws of signs where terms are of either sign. Where the original does not
// serve those there are none afterwards, which is no error. The oracle's buffers are other ones then.
enum ks_status ks_vector_sum_terms(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, int patterns,
                                   struct ks_err *err);

#endif
