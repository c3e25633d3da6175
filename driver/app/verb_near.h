// Decisions that are stored for a kernel of this name under another key, and what of the key is
// different: the fields as text, the kernel's code as PTX where it was compiled here before.
#ifndef KS_VERB_NEAR_H
#define KS_VERB_NEAR_H

#include "app/verb.h"
#include "base/vec.h"

struct verb_near_field {
    const char *name;  // of the key's text: nvcc, contract, ptx ...
    const char *there, *here; // values; of several lines those that differ
    const char *diff;  // lines that begin with "-" (there), "+" (here) or " "; NULL: there is not known
};
struct verb_near {
    const char *variant; // NULL: the decision that the original stays
    const char *path;
    char key[KS_HASH_TEXT];
    int arch;
    const char *first;   // the first difference as one sentence
    KS_VEC(struct verb_near_field) fields;
};
struct verb_near_list {
    struct verb_near *at;
    size_t len, cap;
};

// Nearest first: of the same architecture, then with the fewest differing fields.
void verb_near_find(struct ks_verb_context *context, const struct verb_tu *tu,
                    const struct ks_tu_kernel *kernel, struct verb_near_list *list);

#endif
