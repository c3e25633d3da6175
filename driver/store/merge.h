// Decisions that were made elsewhere, with the signatures they came with, put into a tier: what may
// come in, what stays because it is better or pinned, and the writing.
#ifndef KS_MERGE_H
#define KS_MERGE_H

#include "store/bundle.h"
#include "store/store.h"

enum ks_merged {
    KS_MERGED_NEW,         // comes in; for this kernel nothing was there, or nothing usable
    KS_MERGED_BESIDE,      // comes in beside other variants
    KS_MERGED_REPLACED,    // comes in place of a worse one
    KS_MERGED_SAME,        // is there already
    KS_MERGED_KEPT_BETTER, // what is there is at least as good, and stays
    KS_MERGED_KEPT_PINNED, // what is there is pinned, and stays
    KS_MERGED_UNTRUSTED,   // signed by a key that is not trusted for the tier
    KS_MERGED_NEWER,       // of a format that this ks does not know
};
const char *ks_merged_name(enum ks_merged value); // "new", "beside", "replaced", "same", ...
bool ks_merged_written(enum ks_merged value);

struct ks_merge_item {
    const struct ks_bundled *from;
    enum ks_merged result;
    struct ks_lookup lookup; // what it says: a variant or that the original stays
    const char *signer;      // id of the key
    const char *text;        // detail
};
struct ks_merge_options {
    bool replace;            // also in place of what is better or pinned
    bool dry_run;
};

// Judges all n decisions before the first is written; then writes what comes in, under the tier's
// lock, and the index once. KS_E_FORMAT: one is damaged, or signed for another place, or its
// signature is by a trusted key and does not hold; then nothing is written. A failure while writing
// (KS_E_IO) leaves whole decisions.
enum ks_status ks_store_merge(struct ks_arena *arena, const struct ks_config *config,
                              const struct ks_tier *tier, const struct ks_bundled *decisions,
                              size_t n, const struct ks_merge_options *options,
                              struct ks_merge_item *items, struct ks_err *err);

// The decisions of a store as they are used, with their signatures: for each key those of the first
// tier that decides. Data in the arena.
struct ks_stored {
    struct ks_bundled bundled;
    const struct ks_tier *tier;
    struct ks_lookup lookup; // this decision alone
    const char *signer;
};
enum ks_status ks_store_all(struct ks_arena *arena, const struct ks_store *store,
                            const struct ks_config *config, struct ks_stored **list, size_t *n,
                            struct ks_err *err);

#endif
