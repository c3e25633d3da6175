// The key of a model's maker. It comes from the environment, or from a file that only its owner reads, and goes
// nowhere but into the header of a call.
#ifndef KS_AGENT_KEY_H
#define KS_AGENT_KEY_H

#include "cfg/config.h"

// KS_AGENT_KEY, else the file of KS_AGENT_KEY_FILE, else the maker's own variable (NULL: not asked); NULL where there is none.
// KS_E_USER: the file cannot be read, or others can read it.
enum ks_status ks_agent_key(struct ks_arena *arena, const struct ks_config *config, const char *variable,
                            const char **key, struct ks_err *err);

#endif
