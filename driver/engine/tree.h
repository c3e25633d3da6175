// Trees in shared memory: loops in which half of the threads combine pairs of elements, a barrier a
// level, until the first element holds the value of all. In any spelling of halves and pairs.
#ifndef KS_TREE_H
#define KS_TREE_H

#include "engine/subject.h"

// Adds to subject->rewrites shuffles in place of such loops, and to subject->guard what they ask of
// the block. KS_E_UNSUPPORTED by construct and line where there are none.
enum ks_status ks_tree_rewrite(struct ks_subject *subject, struct ks_err *err);

#endif
