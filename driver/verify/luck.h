// What of a vector at the edges of a type's range is luck.
#ifndef KS_LUCK_H
#define KS_LUCK_H

#include "verify/vector.h"

// Where a sum of great numbers is infinite, their order decides which infinity or NaN it is: an original whose results
// stay finite has seen to it that they do, unless a minimum or a maximum hides it; then some elements are not what they are in
// double. But what is no number in double either is none by the text. Of such an output nothing is asked; *none: of none.
enum ks_status ks_leave_luck(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, bool *none,
                             struct ks_err *err);

#endif
