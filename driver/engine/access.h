// Memory accesses of a kernel's body through its pointer parameters.
#ifndef KS_ACCESS_H
#define KS_ACCESS_H

#include "engine/affine.h"

struct ks_access {
    const struct ks_node *node;  // the KS_N_INDEX
    size_t param;                // of the kernel
    struct ks_poly index;        // of the subscript, locals put in
    bool reads, writes, atomic;
    bool conditional;            // not reached on every path through the statement walked
    bool in_loop;
    int order;                   // of evaluation in the text: assignments' targets come last
};

struct ks_param_use {
    bool read, written, atomic;
    const struct ks_node *opaque; // first use as other than a subscripted base, or NULL
};

struct ks_access_list {
    struct ks_access *at;
    size_t len, cap;
    struct ks_param_use *use; // one a parameter
    size_t n_params;
    int loops, branches, barriers, special, warp_ops, shared_arrays;
    const struct ks_node *first_barrier, *first_warp, *first_fence, *dynamic_shared;
    // Calls of functions that have shared memory, look at threads' numbers, whose text is not seen, or with atomics on
    // memory that no argument leads to.
    const struct ks_node *shared_call, *number_call, *unseen_call, *elsewhere_call;
    bool uses_double;
};

// Accesses below `root` in textual order. `env` must hold the declarations around it; those inside
// are entered on the way.
void ks_accesses_find(struct ks_arena *arena, const struct ks_kernel_decl *decl,
                      struct ks_affine *env, struct ks_node *root, struct ks_access_list *out);

#endif
