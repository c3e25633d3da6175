// Stored variants of a kernel, judged anew under another key: for a new toolkit, other ptxas options,
// another canonical form, or after a change of the kernel's text. The judge decides as after a search;
// nothing is searched for.
#ifndef KS_REQUALIFY_H
#define KS_REQUALIFY_H

#include "base/vec.h"
#include "search/settle.h"

struct ks_requalify_try {
    const struct ks_variant *from; // as it is stored, under its own key
    struct ks_verdict verdict;
    bool judged;                   // else one before it was stored, or time was over
};
struct ks_requalify_list {
    struct ks_requalify_try *at;
    size_t len, cap;
};

// Variants of a kernel of this name, with the same contract and architecture, under other keys of the
// store's tiers: what is usable alone, each proposal once, the surest gain first.
enum ks_status ks_requalify_find(struct ks_arena *arena, const struct ks_store *store,
                                 const struct ks_config *config, const struct ks_tu_kernel *kernel,
                                 struct ks_requalify_list *list, struct ks_err *err);

// Judges them in order, in full and before a fresh jury, and stores the first that is confirmed faster, also than what
// is stored under the new key already (search/incumbent.h):
// *variant, whose `parent` names the key and variant that it comes from, and *path; NULL where none is.
enum ks_status ks_requalify(struct ks_arena *arena, struct ks_judge *judge,
                            const struct ks_config *config, const struct ks_store *store,
                            const struct ks_tu_kernel *kernel, struct ks_requalify_list *list,
                            struct ks_variant *variant, const char **path, struct ks_err *err);

#endif
