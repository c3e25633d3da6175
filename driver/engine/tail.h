// What a kernel does with the value that its last loop left, element by element, before it stores
// it: `v = fmaxf(v + bias[col], 0); y[row * n + col] = v;`. A template keeps it, as code of its own
// and in its formula, so that a product with bias and activation is one kernel still.
#ifndef KS_TAIL_H
#define KS_TAIL_H

#include "engine/brief.h"

enum { KS_TAIL_READS = 4, KS_TAIL_SCALARS = 8 };

struct ks_tail {
    struct ks_tail_read {
        size_t param;
        const char *index; // as the kernel writes it: which element that is, a template finds out
    } reads[KS_TAIL_READS];
    size_t n_reads;
    size_t scalars[KS_TAIL_SCALARS], n_scalars; // parameters that are numbers
    bool in_front;    // of the sum (engine/head.h), not behind it
    const char *type; // in front: of the sum, or of the counts
    bool once;         // of counts (engine/tally.h): each is of one
    const char *place; // of counts: the type that its_bin has
    int n_counts;      // of an element
    bool product;     // in front: nothing but the product of two elements is added
    const char
        *code; // statements that return the result for `its_sum`; reads are named its_read0, ...
    // The same as formula: clauses in front, and the result. The sum is @sum@, reads are @read0@,
    // ..., scalars tail_3 by the parameter's position.
    const char *lets, *value;
};

// False, with *why, where there is no such thing or it is not understood.
bool ks_tail_find(struct ks_arena *arena, const struct ks_brief *brief, struct ks_tail *tail,
                  const char **why);

enum { KS_TAIL_CUTS = 48 };
// The same of a kernel whose single store is not behind a loop, or where what the loop leaves is no
// sum: any of the kernel's values may be what a template gives, from which the rest goes without
// others. `nth` counts the ways to tell one from the rest, the longest tail first: what is in it
// stays, and what is not may be something that small runs do not show. False with *more set where
// this one is not understood, without where there are no more.
bool ks_tail_cut(struct ks_arena *arena, const struct ks_brief *brief, size_t nth,
                 struct ks_tail *tail, bool *more, const char **why);

// Whether something in it depends on how large values are: small runs may never show it.
bool ks_tail_chooses(const struct ks_tail *tail);

#endif
