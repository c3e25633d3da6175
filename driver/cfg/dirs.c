#include "cfg/dirs.h"

#include <stdlib.h>
#include <unistd.h>

#include "os/file.h"

const char *ks_dirs_home(struct ks_arena *arena)
{
    const char *home = getenv("HOME");
    return home != NULL && home[0] == '/' && ks_is_dir(home) ? ks_arena_strdup(arena, home) : NULL;
}

// Where nothing was said: <xdg>/ks, else ~/<fallback>/ks, else NULL.
static void pick(struct ks_arena *arena, const char *xdg, const char *fallback, const char **dir)
{
    if (*dir != NULL)
        return;
    const char *value = getenv(xdg), *home;
    if (value != NULL && value[0] == '/') // the specification ignores relative ones
        *dir = ks_path_join(arena, value, "ks");
    else if ((home = ks_dirs_home(arena)) != NULL)
        *dir = ks_path_join(arena, ks_path_join(arena, home, fallback), "ks");
}

enum ks_status ks_dirs_config(struct ks_arena *arena, struct ks_config *config, struct ks_err *err)
{
    const char *value = getenv("KS_CONFIG_DIR");
    if (value != NULL && value[0] != '\0') {
        if (value[0] != '/')
            KS_FAIL(err, KS_E_USER, "KS_CONFIG_DIR: %s is not an absolute path", value);
        config->config_dir = ks_arena_strdup(arena, value);
    }
    pick(arena, "XDG_CONFIG_HOME", ".config", &config->config_dir);
    return KS_OK;
}

enum ks_status ks_dirs_fill(struct ks_arena *arena, struct ks_config *config, struct ks_err *err)
{
    pick(arena, "XDG_CACHE_HOME", ".cache", &config->cache_dir);
    pick(arena, "XDG_STATE_HOME", ".local/state", &config->state_dir);
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    config->runtime_dir = runtime != NULL && runtime[0] == '/'
                              ? ks_path_join(arena, runtime, "ks")
                              : ks_arena_printf(arena, "/tmp/ks-%lu", (unsigned long)geteuid());
    const char *share = getenv("KS_SHARE_DIR");
    if (share != NULL && share[0] != '\0') {
        if (share[0] != '/')
            KS_FAIL(err, KS_E_USER, "KS_SHARE_DIR: %s is not an absolute path", share);
        config->share_dir = ks_arena_strdup(arena, share);
    } else {
        const char *bin = ks_program_dir(arena);
        const char *prefix = bin == NULL ? "/usr/local" : ks_path_dir(arena, bin);
        config->share_dir = ks_path_join(arena, prefix, "share/ks");
    }
    return KS_OK;
}
