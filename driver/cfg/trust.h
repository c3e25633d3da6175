// Keys: the user's own (made at first tune, mode 0600) and those trusted for a tier.
#ifndef KS_TRUST_H
#define KS_TRUST_H

#include "cfg/project.h"

// The user's signing key from config_dir/key.sec; made (with key.pub beside it) if `make`.
enum ks_status ks_user_key(const struct ks_config *config, bool make, struct ks_secret_key *secret,
                           struct ks_err *err);

// Keys accepted for a project's own .ks/: its `trust:` list and the user's own key.
// Keys accepted for the user's and for shared tiers: the user's own key, and those of trusted.keys (one
// a line) in config_dir and system_dir. What a project says does not count there.
void ks_trust_project(struct ks_arena *arena, const struct ks_config *config,
                      const struct ks_project *project, struct ks_pubkey **keys, size_t *n);
void ks_trust_user(struct ks_arena *arena, const struct ks_config *config,
                   struct ks_pubkey **keys, size_t *n);
// Files that exist and say which keys are trusted: what is built with decisions depends on them.
void ks_trust_files(struct ks_arena *arena, const struct ks_config *config,
                    const struct ks_project *project, struct ks_strv *files);

#endif
