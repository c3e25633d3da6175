// Trees in shared memory: loops in which half of the threads combine pairs of elements, a barrier a
// level, until the first element holds the value of all. In any spelling of halves and pairs.
#ifndef KS_TREE_H
#define KS_TREE_H

#include "engine/subject.h"

enum { KS_TREE_UPDATES = 4 };

struct ks_tree_update {
    const char *array;
    const char *front, *between, *behind, *pick; // as in ks_reduction
};
struct ks_tree {
    struct ks_node *loop;
    const char *half; // the loop's variable
    bool up;          // from neighbours to halves
    int64_t threads;  // a block's
    bool meets_first; // the barrier stands in front of the level's work
    struct ks_tree_update update[KS_TREE_UPDATES];
    int n;
};

// Reads a loop as a tree; NULL, or why it is none ("line 12: ..."). `env` holds the declarations around it.
const char *ks_tree_read(struct ks_subject *subject, const struct ks_affine *env, struct ks_node *loop,
                         struct ks_tree *tree);

// Adds to subject->rewrites shuffles in place of such loops, and to subject->guard what they ask of
// the block. KS_E_UNSUPPORTED by construct and line where there are none.
enum ks_status ks_tree_rewrite(struct ks_subject *subject, struct ks_err *err);

#endif
