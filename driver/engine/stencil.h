// What a kernel makes of an element's neighbours, `v[i] = u[i] + k * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n] - 4 * u[i])`:
// which elements at which distances, and what of them. A template keeps it, as code of its own and in its formula.
#ifndef KS_STENCIL_H
#define KS_STENCIL_H

#include "engine/affine.h"
#include "engine/flatten.h"
#include "engine/tail.h"

enum {
    KS_STENCIL_TAPS = 80,
    KS_STENCIL_FIXED = 32,
    KS_STENCIL_OUTS = 4,
    KS_STENCIL_NUMBERS = 16,
    KS_STENCIL_REACH = 8, // along an axis; and of numbers from which places are no size's
};

struct ks_stencil {
    struct ks_stencil_tap {
        size_t param;
        struct ks_poly away; // from the element that is written, over integer parameters
        bool central;        // elements that the stencil does not reach are made of it
        bool folded;         // beyond the grid's ends another stands for it, or zero
    } taps[KS_STENCIL_TAPS];
    size_t n_taps;
    struct ks_stencil_fixed { // elements that all results take: coefficients
        size_t param;
        int64_t index;
    } fixed[KS_STENCIL_FIXED];
    size_t n_fixed;
    struct ks_stencil_out {
        size_t param;
        const char *value, *other; // in the formula, behind `lets`; other: of elements that it does not reach, or NULL
    } outs[KS_STENCIL_OUTS];
    size_t n_outs;
    struct ks_tail numbers; // parameters that are numbers: its scalars
    // Statements that make its_out0, ... of its_tap0, ..., its_fixed0, ... and parameters, and its_other0, ... likewise.
    const char *code;
    const char *lets; // the same as formula: taps are @tap0@, elements that all take @fixed0@, numbers tail_3 by position
    struct ks_strv named; // integers that tests of places and indices speak of, as plans name them
    struct ks_member_list members; // of structs by value: what distances call them, and plans
    int64_t sizes[KS_STENCIL_NUMBERS]; // numbers that places are compared with, where large
    size_t n_sizes;
};

// False, with *why, where it is no such thing or not understood. All that the kernel tests but for what stands in `code` is
// where an element lies.
bool ks_stencil_find(struct ks_arena *arena, const struct ks_brief *brief, struct ks_stencil *stencil,
                     const char **why);

#endif
