// What was tried for a kernel as a tree: each attempt below the one whose options it adds to.
#ifndef KS_VERB_TREE_H
#define KS_VERB_TREE_H

#include "memory/outcomes.h"

// Attempts oldest first; of a proposal that was judged again the newest counts.
void verb_tree_print(struct ks_arena *arena, const char *kernel, const struct ks_attempt *attempts,
                     size_t n);

#endif
