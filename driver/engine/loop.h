// Loops as transforms see them: the variable that counts, the variables that are reduced, the
// stores, and whether the turns may run in any order or side by side.
#ifndef KS_LOOP_H
#define KS_LOOP_H

#include "engine/place.h"
#include "engine/reduction.h"

struct ks_loop_access {
    const struct ks_node *node;
    struct ks_place place;
    bool writes;
    int64_t stride; // elements from one turn to the next; 0: the same; -1: not a known number
};
struct ks_loop {
    struct ks_node *node, *body;
    const char *var;
    bool declared;                      // in the header
    const struct ks_node *start;        // NULL: it runs on from the variable's value
    const struct ks_node *limit, *step; // the step's whole expression
    const char *compare;                // "<", "<=", ">" or ">=", the variable on the left
    const char *by;                     // C text of the step's width
    const struct ks_node *width;        // the same, NULL: one
    bool down;
    int64_t turns; // -1: not known
    struct ks_reduction *reductions;
    size_t n_reductions, cap_reductions;
    struct ks_loop_access *accesses;
    size_t n_accesses, cap_accesses;
    bool stores;        // to memory of others
    bool atomics;       // on such memory
    int units, strided; // accesses with a stride of one, and other ones
    // NULL: the turns may run in any order, if arrays do not overlap and reductions are combined.
    const char *why; // "line 12: ..."
};

// Reads a for or while statement. `env` holds the declarations around it.
void ks_loop_read(struct ks_arena *arena, const struct ks_kernel_decl *decl,
                  const struct ks_body *body, const struct ks_affine *env, struct ks_node *node,
                  struct ks_loop *loop);

// The same where reductions that keep a place are understood too.
void ks_loop_read_placed(struct ks_arena *arena, const struct ks_kernel_decl *decl,
                         const struct ks_body *body, const struct ks_affine *env,
                         struct ks_node *node, struct ks_loop *loop);

bool ks_node_is_loop(const struct ks_node *node);
// As ks_affine_declare, for declarations round a loop: integers that never change but are no
// polynomial stand for themselves.
void ks_loop_declare(struct ks_affine *env, const struct ks_node *decl);
// Enters the loop's variable as itself.
void ks_loop_enter(struct ks_affine *env, const struct ks_node *loop);
// The declaration of a local that was in sight at `before`, or NULL.
const struct ks_node *ks_loop_declaration(struct ks_node *root, const char *name, size_t before);

#endif
