// Rows of arrays in shared memory that are longer than they need be, so that lanes which go down a column meet in fewer
// banks.
#ifndef KS_PAD_H
#define KS_PAD_H

#include "engine/subject.h"

// Adds to subject->rewrites rows longer by `pad` (1, 2, 4 or 8) elements, of the arrays whose accesses then take fewer
// wavefronts, as the text tells (engine/lane.h). KS_E_UNSUPPORTED by construct and line where there are none.
enum ks_status ks_pad_rewrite(struct ks_subject *subject, int pad, struct ks_err *err);

#endif
