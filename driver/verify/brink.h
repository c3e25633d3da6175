// Values at which what the original decides turns: next to each other, on either side.
#ifndef KS_BRINK_H
#define KS_BRINK_H

#include "verify/vector.h"

// A kernel that makes whole numbers of floats or integers element by element (a comparison, a bin, a quotient cut off) has places where
// they change, and who compares what is rounded otherwise is wrong there alone, at one of 2^24 numbers. They are found by halving: between
// two numbers for which the original has different answers. Where terms meet, another order of them is right on either side.
// Whether that is asked of argument `arg`: an input with an element for each of an output of whole numbers, or
// with as many side by side (some of them in turn, the others stay as they are), few enough.
bool ks_brink_has(const struct ks_judge *judge, const struct ks_problem *problem, size_t arg);
// Halves; vector->brink says which slot, vector->brinks is allocated in `arena`. The oracle is ready; its buffers are other ones
// afterwards. Where the original does not serve a run the values stay as they are drawn.
void ks_brink_find(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector);

#endif
