// Originals that a tuning on this machine found to be at fault: what was found, by key, in <state_dir>/findings.
#ifndef KS_BLAMED_H
#define KS_BLAMED_H

#include "cfg/config.h"
#include "fmt/hash.h"

// One line, as the user was told. What cannot be kept is not kept.
void ks_blamed_put(const struct ks_config *config, const struct ks_digest *key, const char *text);
const char *ks_blamed_read(struct ks_arena *arena, const struct ks_config *config, const struct ks_digest *key); // or NULL
void ks_blamed_remove(const struct ks_config *config, const struct ks_digest *key); // it was tuned since

#endif
