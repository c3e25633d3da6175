// Where threads of a warp may go different ways, as far as the text tells.
#ifndef KS_DIVERGE_H
#define KS_DIVERGE_H

#include "engine/affine.h"
#include "engine/loop.h"
#include "engine/subject.h"

enum ks_diverge { // in the order of what outweighs what in an expression
    KS_DIVERGE_NONE,    // all threads agree
    KS_DIVERGE_EDGE,    // a comparison with a thread's number: the warps agree but where it changes
    KS_DIVERGE_UNKNOWN,
    KS_DIVERGE_WITHIN,  // it depends on what each thread has for itself
};

// What is known where a condition stands.
struct ks_diverge_view {
    const struct ks_subject *subject;
    const struct ks_affine *env;
    const struct ks_strv *counters; // loop variables that start alike, or at a known place, in all threads
};

enum ks_diverge ks_diverge_if(const struct ks_diverge_view *view, const struct ks_node *condition);
// Of how many turns a loop has: those of other elements, in steps of the grid, are an edge.
enum ks_diverge ks_diverge_loop(const struct ks_diverge_view *view, const struct ks_loop *loop);

#endif
