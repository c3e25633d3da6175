// Where an access goes: through subscripts, `*`, `&`, sums of pointers and integers, and local
// pointers that never change, back to the parameter or local array it starts from.
#ifndef KS_PLACE_H
#define KS_PLACE_H

#include "engine/affine.h"

enum ks_place_base {
    KS_PLACE_UNKNOWN, // a pointer that changes, is loaded, or is cast to other elements
    KS_PLACE_PARAM,
    KS_PLACE_LOCAL, // an array or value of the thread's own, or of the block in shared memory
};
struct ks_place {
    enum ks_place_base base;
    size_t param;         // KS_PLACE_PARAM
    const char *name;     // of the parameter or local
    struct ks_poly index; // in elements of the parameter; not `known` where it is no polynomial
};

// Of an lvalue: a name, subscript, dereference or member. Its address is that of the whole element.
struct ks_place ks_place_of(const struct ks_affine *env, const struct ks_kernel_decl *decl,
                            const struct ks_node *lvalue);

#endif
