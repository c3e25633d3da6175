// Private to the analysis of loops: what its files share.
#ifndef KS_LOOP_READER_H
#define KS_LOOP_READER_H

#include "engine/loop.h"

struct ks_loop_reader {
    struct ks_arena *arena;
    const struct ks_kernel_decl *decl;
    const struct ks_body *body;
    struct ks_affine env; // grows with the loop's own declarations
    struct ks_loop *loop;
    bool placed; // reductions that keep a place are understood
    int depth; // of loops in the loop
};

// Fills in variable, start, limit and step; false where the loop does not count.
bool ks_loop_header(struct ks_loop_reader *reader);
// Whether a name of the expression changes in the loop, or the expression changes something.
bool ks_loop_changes(const struct ks_loop_reader *reader, const struct ks_node *expr);
// How many turns there are; -1 where that is no constant.
int64_t ks_loop_turns(const struct ks_loop_reader *reader);

#endif
