// The variant store: files, in tiers. Only this module knows paths.
//
// <tier>/<key>/<variant>.yaml, <variant>.yaml.minisig, original.yaml(.minisig); <tier>/index lists
// "key variant|original digest" lines sorted (the digest is of the file's bytes, so that a new
// verdict on the same proposal shows), and its mtime moves only when its content does.
// Project tier: <root>/.ks ; user tier: <cache_dir>/variants ; shared tiers: config->store_dirs, which
// no build writes and of which one that does not answer is left out.
//
// Writers hold <tier>/.lock; readers take no lock: files appear and change by rename, signature
// first, so that a reader sees a valid pair, the old pair, or one that does not verify (a miss).
#ifndef KS_STORE_H
#define KS_STORE_H

#include "cfg/trust.h"
#include "key/variant.h"

enum ks_tier_kind { KS_TIER_PROJECT, KS_TIER_USER, KS_TIER_SHARED };
#define KS_TIERS_MOST 10

struct ks_tier {
    enum ks_tier_kind kind;
    const char *dir;
    const char *index;            // path of its index file
    struct ks_pubkey *keys; size_t n_keys;
};

struct ks_store {
    struct ks_tier tiers[KS_TIERS_MOST]; // in order of lookup
    size_t n_tiers;
    struct ks_strv away;          // shared folders that do not answer
    struct ks_strv trust_files;   // what says which keys are trusted: ks.yaml, trusted.keys ...
    bool readonly;                // config->readonly: put fails
};

struct ks_found {
    struct ks_variant variant;    // valid when reason is KS_R_APPLIED
    const char *path;
    const struct ks_tier *tier;
    const char *signer;           // key id text
};

#define KS_STORE_MODELLED " (modelled)" // ends the text of a lookup whose best variant was not measured
struct ks_lookup {
    enum ks_reason reason;        // APPLIED, ORIGINAL_WINS, PENDING, or why what is there was not taken
    const char *text;             // detail for explain
    struct ks_found *variants; size_t n_variants; // in dispatch's order; all valid and trusted
    struct ks_original_decision original; // when ORIGINAL_WINS
};

// Tiers for a project (may have root NULL), the user and all; makes no folder of theirs.
void ks_store_open(struct ks_arena *arena, const struct ks_config *config,
                   const struct ks_project *project, struct ks_store *store);

// Folders of captured launches (workload/capture.h), in order of lookup; `ks record` writes into the first.
struct ks_strv ks_store_captures(struct ks_arena *arena, const struct ks_store *store);

// All usable variants of a key, as they were timed against each other (ks_variant_before), else the surest gain
// first. Damage, foreign formats and untrusted signatures are reasons, not
// errors; the first tier with a usable decision wins.
void ks_store_lookup(struct ks_arena *arena, const struct ks_store *store,
                     const struct ks_config *config, const struct ks_digest *key,
                     struct ks_lookup *lookup);

// The same of one file alone, as ks_store_each names it: what it holds, or why it is not taken.
void ks_store_read(struct ks_arena *arena, const struct ks_tier *tier,
                   const struct ks_config *config, const struct ks_digest *key, const char *path,
                   struct ks_lookup *lookup);

// Signs and publishes into the first tier that is the project's or the user's and can be written (project if there is one), updates its index.
// A measured variant replaces the decision that the original stays, and the other way round `lookup` believes
// the latter; a modelled one replaces nothing that was measured. KS_E_IO with the path when no tier can be written.
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

// Id of the key that signed the decision in the file `path`, by its own word, or NULL.
const char *ks_store_signer(struct ks_arena *arena, const char *path);

// What a marked TU depends on besides what it includes: index files (made, empty, where that is
// possible and `create` says so) and the files that say whom to trust. Only files that exist.
void ks_store_dependencies(struct ks_arena *arena, const struct ks_store *store, bool create,
                           struct ks_strv *paths);

// Moves the index's mtime without a change of its content: all that depends on it is built again.
void ks_store_stir(const struct ks_tier *tier);

// Adds to a running hash what the store would decide by: index files (one that is not there counts as
// empty) and trusted keys.
void ks_store_hash(struct ks_arena *arena, const struct ks_store *store, struct ks_hash *hash);

#endif
