// Where ks keeps things: environment first, then the XDG base directories.
#ifndef KS_DIRS_H
#define KS_DIRS_H

#include "cfg/config.h"

// Fills the directories that are still NULL. KS_E_USER for a KS_*_DIR that is not absolute.
enum ks_status ks_dirs_fill(struct ks_arena *arena, struct ks_config *config, struct ks_err *err);
// config_dir alone: it has to be known before the user's file can be read.
enum ks_status ks_dirs_config(struct ks_arena *arena, struct ks_config *config, struct ks_err *err);
// The home directory as HOME says, or NULL. The user database is not asked: that may be a server, and
// a compile needs neither a network nor a home.
const char *ks_dirs_home(struct ks_arena *arena);

#endif
