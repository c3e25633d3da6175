// The variant store: files, in tiers. Only this module knows paths.
//
// <tier>/<key>/<variant>.yaml, <variant>.yaml.minisig, original.yaml(.minisig); <tier>/index lists
// "key variant|original digest" lines sorted (the digest is of the file's bytes, so that a new
// verdict on the same proposal shows), and its mtime moves only when its content does.
// Project tier: <root>/.ks ; user tier: <cache_dir>/variants.
//
// Writers hold <tier>/.lock; readers take no lock: files appear and change by rename, signature
// first, so that a reader sees a valid pair, the old pair, or one that does not verify (a miss).
#ifndef KS_STORE_H
#define KS_STORE_H

#include "cfg/trust.h"
#include "key/variant.h"

enum ks_tier_kind { KS_TIER_PROJECT, KS_TIER_USER };

struct ks_tier {
    enum ks_tier_kind kind;
    const char *dir;
    const char *index;            // path of its index file
    struct ks_pubkey *keys; size_t n_keys;
};

struct ks_store {
    struct ks_tier tiers[2];      // in order of lookup
    size_t n_tiers;
    bool readonly;                // config->readonly: put fails
};

struct ks_found {
    struct ks_variant variant;    // valid when reason is KS_R_APPLIED
    const char *path;
    const struct ks_tier *tier;
    const char *signer;           // key id text
};

struct ks_lookup {
    enum ks_reason reason;        // APPLIED, ORIGINAL_WINS, PENDING, or why what is there was not taken
    const char *text;             // detail for explain
    struct ks_found *variants; size_t n_variants; // best first; all valid and trusted
    struct ks_original_decision original; // when ORIGINAL_WINS
};

// Tiers for a project (may have root NULL) and the user; never creates anything.
void ks_store_open(struct ks_arena *arena, const struct ks_config *config,
                   const struct ks_project *project, struct ks_store *store);

// All usable variants of a key. Damage, foreign formats and untrusted signatures are reasons, not
// errors; the first tier with a usable decision wins.
void ks_store_lookup(struct ks_arena *arena, const struct ks_store *store,
                     const struct ks_config *config, const struct ks_digest *key,
                     struct ks_lookup *lookup);

// The same of one file alone, as ks_store_each names it: what it holds, or why it is not taken.
void ks_store_read(struct ks_arena *arena, const struct ks_tier *tier,
                   const struct ks_config *config, const struct ks_digest *key, const char *path,
                   struct ks_lookup *lookup);

// Signs and publishes into the first writable tier (project if there is one), updates its index.
// A variant replaces the decision that the original stays, and the other way round `lookup` believes
// the latter. KS_E_IO with the path when no tier can be written.
enum ks_status ks_store_put_variant(struct ks_arena *arena, const struct ks_store *store,
                                    const struct ks_secret_key *secret,
                                    const struct ks_variant *variant, const char **path,
                                    struct ks_err *err);
enum ks_status ks_store_put_original(struct ks_arena *arena, const struct ks_store *store,
                                     const struct ks_secret_key *secret,
                                     const struct ks_original_decision *decision,
                                     const char **path, struct ks_err *err);

// Every decision's file of every tier, for `ks list`: calls back with key and path, nothing read.
enum ks_status ks_store_each(struct ks_arena *arena, const struct ks_store *store,
                             void (*visit)(void *context, const struct ks_tier *tier,
                                           const struct ks_digest *key, const char *path),
                             void *context, struct ks_err *err);

// Makes sure the index files exist (empty) where that is possible, and returns their paths:
// what a marked TU depends on.
size_t ks_store_index_files(struct ks_arena *arena, const struct ks_store *store,
                            bool create, const char *paths[2]);

// Adds the contents of all index files to a running hash.
void ks_store_hash_indexes(struct ks_arena *arena, const struct ks_store *store,
                           struct ks_hash *hash);

#endif
