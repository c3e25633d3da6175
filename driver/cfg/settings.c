#include "cfg/settings.h"

#include <stdlib.h>
#include <string.h>

static const char *list_text(struct ks_arena *arena, const struct ks_strv *list)
{
    const char *text = "";
    for (size_t i = 0; i < list->len; i++)
        text = ks_arena_printf(arena, "%s%s%s", text, i > 0 ? ":" : "", list->at[i]);
    return text;
}

static const char *size_text(struct ks_arena *arena, int64_t bytes)
{
    static const char units[] = "KMGT";
    int unit = -1;
    while (unit < 3 && bytes % 1024 == 0 && bytes >= 1024) {
        bytes /= 1024;
        unit++;
    }
    return unit < 0 ? ks_arena_printf(arena, "%lld", (long long)bytes)
                    : ks_arena_printf(arena, "%lld%c", (long long)bytes, units[unit]);
}

static const char *remarks_text(const struct ks_config *config)
{
    return config->remarks_applied && config->remarks_missed ? "applied,missed"
           : config->remarks_applied                         ? "applied"
           : config->remarks_missed                          ? "missed"
                                                             : "none";
}

// "<file>:<line>" of "<file>:<line>: name"; other places are one word.
static const char *place(struct ks_arena *arena, const char *where)
{
    const char *space = strrchr(where, ' ');
    size_t n = space != NULL && space > where && space[-1] == ':' ? (size_t)(space - where) - 1
                                                                  : strlen(where);
    return ks_arena_strndup(arena, where, n);
}

static const char *said_at(struct ks_arena *arena, const struct ks_config *config,
                           const char *name, const char *variable)
{
    for (size_t i = config->said.len; i > 0; i--)
        if (strcmp(config->said.at[i - 1].name, name) == 0)
            return place(arena, config->said.at[i - 1].where);
    const char *value = getenv(variable); // of the directories that no file can name
    return value != NULL && value[0] != '\0' ? variable : "default";
}

size_t ks_settings_list(struct ks_arena *arena, const struct ks_config *given,
                        const struct ks_project *project, struct ks_setting_row **list)
{
    struct ks_config c = *given;
    ks_project_apply(project, &c);
    const char *accept = c.accept == KS_ACCEPT_MEASURED ? "measured" : "modelled";
    const struct ks_setting_row all[] = {
        {"mode", "KS_MODE", ks_mode_name(c.mode), NULL},
        {"accept", "KS_ACCEPT", accept, NULL},
        {"readonly", "KS_READONLY", c.readonly ? "1" : "0", NULL},
        {"remarks", "KS_REMARKS", remarks_text(&c), NULL},
        {"budget", "KS_BUDGET", ks_arena_printf(arena, "%gs", c.budget_seconds), NULL},
        {"build", "KS_BUILD_ID", c.build, NULL},
        {"project", "KS_PROJECT", project->root, NULL},
        {"nvcc", "KS_NVCC_REAL", c.real_nvcc, NULL},
        {"launcher", "KS_NVCC_LAUNCHER", c.launcher, NULL},
        {"device", "KS_DEVICE", c.device, NULL},
        {"cache_dir", "KS_CACHE_DIR", c.cache_dir, NULL},
        {"cache_max", "KS_CACHE_MAX", size_text(arena, c.cache_max), NULL},
        {"store_dir", "KS_STORE_DIR", list_text(arena, &c.store_dirs), NULL},
        {"state_dir", "KS_STATE_DIR", c.state_dir, NULL},
        {"memory_max", "KS_MEMORY_MAX", size_text(arena, c.memory_max), NULL},
        {"agent", "KS_AGENT", c.agent, NULL},
        {"agent_budget", "KS_AGENT_BUDGET", c.agent_budget, NULL},
        {"agent_price", "KS_AGENT_PRICE", c.agent_price, NULL},
        {"agent_record", "KS_AGENT_RECORD", c.agent_record, NULL},
        {"agent_timeout", "KS_AGENT_TIMEOUT", c.agent_timeout > 0 ? ks_arena_printf(arena, "%gs", c.agent_timeout) : "300s", NULL},
        {"agent_key_file", "KS_AGENT_KEY_FILE", c.agent_key_file, NULL},
        {"agent_roles", "KS_AGENT_ROLES", c.agent_roles != NULL ? c.agent_roles : "repairer", NULL},
        {"agent_ca", "KS_AGENT_CA", c.agent_ca, NULL},
        {"offline", "KS_OFFLINE", c.offline ? "1" : "0", NULL},
        {"config_dir", "KS_CONFIG_DIR", c.config_dir, NULL},
        {"share_dir", "KS_SHARE_DIR", c.share_dir, NULL},
    };
    size_t n = sizeof all / sizeof *all;
    *list = ks_arena_memdup(arena, all, sizeof all);
    for (size_t i = 0; i < n; i++) {
        struct ks_setting_row *s = &(*list)[i];
        s->where = said_at(arena, &c, s->name, s->variable);
        if (s->value == NULL)
            s->value = "";
        bool of_project = (strcmp(s->name, "mode") == 0 && project->has_mode && !c.mode_fixed) ||
                          (strcmp(s->name, "budget") == 0 && project->has_budget && !c.budget_fixed);
        if (of_project)
            s->where = project->file;
        if (strcmp(s->name, "project") == 0 && project->root != NULL && c.project == NULL)
            s->where = "found upward";
        const char *disable = getenv("KS_DISABLE");
        if (strcmp(s->name, "mode") == 0 && disable != NULL && disable[0] != '\0' &&
            strcmp(disable, "0") != 0)
            s->where = "KS_DISABLE";
    }
    return n;
}
