// What integers that are read promise: the range of those that were there.
#ifndef KS_RANGES_H
#define KS_RANGES_H

#include "source/mark.h"
#include "source/signature.h"

// The smallest and the largest of integers, lane by lane; 0 and 0 of none.
void ks_range_of(struct ks_elem elem, const void *data, int64_t count, double *low, double *high);

// Whether some array of the mark is read from a file.
bool ks_ranges_wanted(const struct ks_mark *mark);
// A copy of the mark in which such arrays of integers have the range of the file's contents in init.a and init.b, for
// one instance of its kernel. A workload with a file that cannot be read says why in capture_problem.
struct ks_mark *ks_ranges_read(struct ks_arena *arena, const struct ks_mark *mark,
                               const struct ks_kernel_decl *decl, const struct ks_signature *signature);

#endif
