// Keys: the user's own (made at first tune, mode 0600) and those trusted for a tier.
#ifndef KS_TRUST_H
#define KS_TRUST_H

#include "cfg/project.h"

#define KS_PUBLIC_KEY_FILE "key.pub" // in config_dir, beside key.sec

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
// Every key that is trusted somewhere, and where that is said.
enum ks_trust_place {
    KS_TRUST_OWN,     // the user's own: everywhere
    KS_TRUST_PROJECT, // ks.yaml: for this project's .ks/
    KS_TRUST_USER,    // trusted.keys in config_dir: for the user's and shared tiers
    KS_TRUST_SYSTEM,  // trusted.keys in system_dir: likewise
};
struct ks_trusted {
    struct ks_pubkey key;
    enum ks_trust_place place;
    const char *file;
};
size_t ks_trust_all(struct ks_arena *arena, const struct ks_config *config,
                    const struct ks_project *project, struct ks_trusted **list);
const char *ks_trust_place_name(enum ks_trust_place place); // "own", "project", "user", "system"

// `said` is a public key's text, or the path of a file that holds one, as minisign's key.pub does.
enum ks_status ks_trust_read(const char *said, struct ks_pubkey *key, struct ks_err *err);

// Adds a key to the project's ks.yaml or the user's trusted.keys (made where there is none), or takes
// it out; everything else in the file stays byte for byte. *file is that file. KS_E_UNSUPPORTED when
// ks.yaml is written in a way that is not edited. Adding a key that is there changes nothing; removing
// one that is not is KS_E_ABSENT.
enum ks_status ks_trust_add(struct ks_arena *arena, const struct ks_config *config,
                            const struct ks_project *project, enum ks_trust_place place,
                            const struct ks_pubkey *key, const char **file, struct ks_err *err);
enum ks_status ks_trust_remove(struct ks_arena *arena, const struct ks_config *config,
                               const struct ks_project *project, enum ks_trust_place place,
                               const struct ks_pubkey *key, const char **file, struct ks_err *err);

// Files that exist and say which keys are trusted: what is built with decisions depends on them.
void ks_trust_files(struct ks_arena *arena, const struct ks_config *config,
                    const struct ks_project *project, struct ks_strv *files);

#endif
