// Paths and file pairs of the store, for its own files only.
#ifndef KS_STORE_PATH_H
#define KS_STORE_PATH_H

#include "store/bundle.h"
#include "store/store.h"

#define KS_STORE_SUFFIX ".yaml"
#define KS_STORE_SIGNATURE ".minisig"
#define KS_STORE_ORIGINAL "original"
#define KS_STORE_LARGEST ((size_t)4 << 20) // what the YAML reader takes
#define KS_STORE_SIGNATURE_LARGEST ((size_t)1 << 14)

const char *ks_store_key_dir(struct ks_arena *arena, const struct ks_tier *tier,
                             const struct ks_digest *key);
// Names (without suffix) of the decisions in a key's folder, sorted; none when it is not there.
void ks_store_names(struct ks_arena *arena, const char *key_dir, struct ks_strv *names);
// The trusted comment that binds a signature to its place.
const char *ks_store_comment(struct ks_arena *arena, const struct ks_digest *key, const char *name);
// The tier's folder, with what git is to know of it.
enum ks_status ks_store_tier_make(struct ks_arena *arena, const struct ks_tier *tier,
                                  struct ks_err *err);
// Writes the tier's index anew from its files, if anything changed. The caller holds the lock.
enum ks_status ks_store_index_write(struct ks_arena *arena, const struct ks_tier *tier,
                                    struct ks_err *err);
// What a decision says that is no file of the tier, or not yet, and whether the tier would believe it;
// `path` is for messages.
void ks_store_judge(struct ks_arena *arena, const struct ks_tier *tier,
                    const struct ks_config *config, const struct ks_bundled *decision,
                    const char *path, struct ks_lookup *lookup);
// Writes a decision with its signature; a variant takes the place of the decision that the original
// stays. The caller holds the lock, and writes the index when all are there.
enum ks_status ks_store_place(struct ks_arena *arena, const struct ks_tier *tier,
                              const struct ks_bundled *decision, struct ks_err *err);

#endif
