// What the runs in double of verify/wide_run.c say of each element: whether it is a sum or a choice, by how much rounding
// may change it, and whether the original computes it at all. Private to verify/wide*.c.
#ifndef KS_WIDE_WEIGH_H
#define KS_WIDE_WEIGH_H

#include "verify/vector.h"

#define KS_WIDE_U 0x1p-24 // roundoff of fp32

// Great or slight numbers, whose squares over- and underflow on the original's way: what they come to in double is right
// as well, and agrees with nothing of the original's.
bool ks_wide_ends(const struct ks_vector *vector);
// Whether a slot's elements are doubles there.
bool ks_wide_takes(const struct ks_slot *slot);
// Of the median magnitudes of the arrays that are read, from some elements of each, the largest; 0 where an array
// is too large to look at.
double ks_wide_inputs(const struct ks_vector *vector);
// `change`: of an element, over the size of the move of the inputs that made it; `size`: the element's own.
// An element that a small move changes by much of its size: a choice, or a sum that nearly cancels.
bool ks_wide_jumps(const struct ks_reference *reference, double change, double size);
// A sum that nearly cancels, and what is divided by it: as long as rounding leaves of it the half; or where all sums of the output
// cancel, as those of a norm of equal elements, and rounding is all that is seen of any.
bool ks_wide_is_steep(const struct ks_reference *reference, double change, double size);
// How elements that jump do so, by looking at moves there and back.
enum { KS_WIDE_BENDS, KS_WIDE_UNMOVED, KS_WIDE_SMOOTH };
// Makes value, change (by lane as ks_vector_looks has them) the reference of an output, which owns them from then on.
// sums: of a multiply-add kernel; inputs: of ks_wide_inputs; sum: of tol(sum=F), 0: none; shape: by lane, NULL: nobody
// looked; shaken: of the reference, NULL likewise, and its own if true is returned. false: the original does something else than this, and nothing was taken.
bool ks_wide_weigh(struct ks_vector *vector, size_t o, bool sums, double inputs, double sum, double *value, double *change,
                   const unsigned char *shape, const float *shaken);
// Whether so many elements of an output are farther from it than rounding of their results explains that it takes runs with
// random rounding to believe it.
bool ks_wide_strays(const struct ks_vector *vector, size_t o, double inputs, const double *value, const double *change,
                    const unsigned char *shape);
// On odd numbers, where sums are exact, value becomes the reference, which owns it from then on: what rounding may change is how
// results are made of sums, and that in proportion to them and to what a move of all inputs alike (to `moved`) changes.
void ks_wide_refer_odd(struct ks_vector *vector, size_t o, double *value, const double *moved);
// What that says where a few factors are rounded to TF32.
struct ks_wide_shown {
    int64_t judged, far;   // elements, and those that the original's own rounding brings farther than allowed is
    int64_t changed, seen; // by such factors, and by more than twice what is allowed
};
void ks_wide_show(const struct ks_vector *vector, size_t o, const double *rounded, struct ks_wide_shown *shown);
// Whether it is seen, and the sums are exact and are what results are made of: else other orders would differ, too.
bool ks_wide_is_shown(const struct ks_wide_shown *shown);
// The same of a kernel that does nothing but multiply: of n factors, which is what moves of all of them change it by, an
// order of n roundings errs by n u |value|, and by underflow besides. kinds: of special factors, what the product is by them
// alone, the others being +-1: zero, infinite, NaN, or a number, be it beyond double's range; NULL: there are none.
bool ks_wide_weigh_product(struct ks_vector *vector, size_t o, double *value, double *change, const double *kinds);

#endif
