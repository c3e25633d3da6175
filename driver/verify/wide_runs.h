// Runs of the original in double, and where asked for as it is, on inputs moved a little. Private to verify/wide*.c.
#ifndef KS_WIDE_RUNS_H
#define KS_WIDE_RUNS_H

#include "verify/vector.h"

struct ks_wide_runs { // borrows all
    struct ks_judge *judge;
    struct ks_arena *arena;
    struct ks_vector *vector;
    json_t *plan;
    bool single; // moved numbers of fp32 are rounded to fp32, and those of 16 bits stay
    bool narrow; // not in double: the original itself, whose plan that is
};
// The launch in double; the caller's.
json_t *ks_wide_plan(const struct ks_judge *judge, const struct ks_vector *vector);
// One run on inputs moved by the pattern; each output of floats into `into`, and integers must be the original's unless what
// they count may have overflown: false in *same.
enum ks_answer ks_wide_run(struct ks_wide_runs *r, uint64_t nudge, double **into, bool *same);
// The same on what lies there already.
enum ks_answer ks_wide_again(struct ks_wide_runs *r, uint64_t nudge, double **into, bool *same);

struct ks_wide_joining {
    const double *value, *moved;
    double move;    // its size
    double *change; // largest |difference| over the move
};
void ks_wide_join_part(void *joining, size_t part, int64_t first, int64_t count); // for ks_parallel

// What tol(sum=F) lets terms err by may bring an element to where it bends, a ReLU about 0: how much it changes when all
// inputs move by as much. Not more than where elements change most for a small move: a threshold leaps at any.
enum ks_answer ks_wide_reach(struct ks_wide_runs *r, double sum, double inputs, double *const *value, double **moved,
                             double *const *change, bool *same);

// The value on odd numbers as the reference of each output.
enum ks_answer ks_wide_odd(struct ks_wide_runs *r, bool *same);

// What random rounding of intermediate results changes each element by on inputs moved a little, so that none is exact by
// chance: the largest of some runs in fp32, or what in double is as if it were fp32's, whichever is less. shaken[o],
// malloc'ed, stays NULL where value[o] is, and of all where there can be no such runs. The oracle may be gone afterwards.
enum ks_answer ks_wide_shake(struct ks_wide_runs *r, double *const *value, float **shaken);

#endif
