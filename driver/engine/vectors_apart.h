// Private to the template engine: arrays of short vectors (float4, half2) as arrays of their elements, which is all that a
// formula speaks of. Who is passed one takes it for an array of such elements.
#ifndef KS_VECTORS_APART_H
#define KS_VECTORS_APART_H

#include "engine/brief.h"

// Takes the problem's vectors apart; alignment stays.
void ks_vectors_apart(struct ks_problem *problem);
// Whether the kernel is passed an array of vectors of so many elements.
bool ks_vectors_have(const struct ks_brief *brief, int lanes);

#endif
