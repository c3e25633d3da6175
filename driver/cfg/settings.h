// The settings in effect, one by one, with where each comes from: what `ks config` shows.
#ifndef KS_SETTINGS_H
#define KS_SETTINGS_H

#include "cfg/project.h"

struct ks_setting_row {
    const char *name;     // in config.yaml; of one that no file holds, what it is
    const char *variable; // of the environment
    const char *value;    // as text; "" where nothing is set
    const char *where;    // "--ks-mode", "KS_MODE", "<file>:<line>", "default"
};

// `config` as loaded; the project's settings are applied here. In the order of docs/environment.md.
size_t ks_settings_list(struct ks_arena *arena, const struct ks_config *config,
                        const struct ks_project *project, struct ks_setting_row **list);

#endif
