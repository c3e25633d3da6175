// Element-wise maps: kernels whose threads are numbered by blockIdx * blockDim + threadIdx in one to
// three axes and use the numbers in no other way, so that any launch geometry that visits the same
// numbers computes the same. Grid-stride loops count as one axis.
#ifndef KS_MAP_H
#define KS_MAP_H

#include "engine/access.h"
#include "engine/edit.h"

struct ks_map_axis {
    bool used;
    bool wide;         // the index is a 64-bit integer
    const char *block; // text that stands for blockDim in the index ("256", "BLOCK"), NULL: itself
    const char *var;   // the local that holds the index and never changes, or NULL
};

struct ks_map_bound { // one conjunct of the guard
    const struct ks_node *expr;
    bool negated; // from an early return
};

struct ks_map {
    struct ks_map_axis axis[3];
    bool stride;                 // a grid-stride loop over x
    size_t begin, end;           // text of one item, guard included
    struct ks_edit_list edits;   // index expressions become opt_x, opt_y, opt_z
    struct ks_edit_list strip;   // takes the guard away
    struct ks_edit_list to_continue; // `return` for the case that an item stands in a loop
    struct ks_edit_list to_return;   // `continue` for the case that it does not
    const struct ks_node *deep_return; // a return inside an inner loop: no loop can stand round it
    size_t item_begin;           // where the declarations in front of the guard end
    struct ks_node **item; size_t n_item, cap_item; // statements behind the guard
    struct ks_map_bound *bounds; size_t n_bounds, cap_bounds;
    // Further tests in front of the common case, as `if (edge) { ...; return; }`: none of them true
    // (negated) or true, `common` leaves just that case.
    struct ks_map_bound *tests; size_t n_tests, cap_tests;
    struct ks_edit_list common;
    // Declarations without memory accesses in front of all that, in order.
    struct ks_node **front; size_t n_front, cap_front;
    const char *stride_type;     // type of the loop's variable
    // Exclusive upper bound of x as a plan expression over the original's integer parameters, when
    // the guard says nothing but that; NULL otherwise (the guard is then kept).
    const char *limit;
};

// `env` receives the body's locals. `constants` (may be NULL) gives plan text for names that are no
// parameters, as template arguments. KS_E_UNSUPPORTED by construct and line.
typedef const char *ks_map_constant(void *context, const char *name);
enum ks_status ks_map_find(struct ks_arena *arena, const struct ks_kernel_decl *decl,
                           const struct ks_body *body, const struct ks_access_list *access,
                           ks_map_constant *constant, void *context, struct ks_affine *env,
                           struct ks_map *map, struct ks_err *err);

// Plan text of an integer expression over parameters and constants, locals put in; NULL when it is
// none.
const char *ks_map_plan_text(struct ks_arena *arena, const struct ks_kernel_decl *decl,
                             const struct ks_affine *env, ks_map_constant *constant, void *context,
                             const struct ks_node *expr);

#endif
