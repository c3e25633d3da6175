// Private to bind_stencil*.c: a stencil on a grid, and its form.
#ifndef KS_BIND_STENCIL_H
#define KS_BIND_STENCIL_H

#include "engine/binder.h"
#include "engine/stencil.h"

enum ks_stencil_ends { KS_STENCIL_CLAMPED, KS_STENCIL_ROUND, KS_STENCIL_ZERO, KS_STENCIL_ENDS };

struct ks_stencil_grid { // axes in the order of x, y, z; of those that it lacks sizes are one
    struct binder *b;
    const struct ks_assignment *assignment;
    int axes;
    size_t role[3];      // of the sizes
    const char *text[3]; // and what they are
    struct ks_poly size[3], stride[3];
    int off[KS_STENCIL_TAPS][3]; // by tap
    int low[3], high[3];         // how far the stencil reaches
    int from[3], upto[3];        // what is written begins and ends so far from the ends
    int inner_from[3], inner_upto[3]; // and what the stencil makes; the rest is of elements that it does not reach
    bool folded[3];                   // it reaches beyond the ends, where others stand for elements
    enum ks_stencil_ends ends;        // which
    const char *asks;                 // of a launch
};

// Its formula, and what stands for the template's placeholders.
enum ks_status ks_stencil_form(const struct ks_stencil_grid *g, struct ks_form *form, struct ks_err *err);

#endif
