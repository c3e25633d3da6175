#include "agent/agent_key.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"

#define KEY_MOST ((size_t)4096)

static enum ks_status read_file(struct ks_arena *arena, const char *path, const char **key, struct ks_err *err)
{
    struct stat info;
    struct ks_slice text;
    if (stat(path, &info) != 0)
        KS_FAIL(err, KS_E_USER, "%s: the agent's key cannot be read: %s", path, strerror(errno));
    if ((info.st_mode & 077) != 0 || (info.st_uid != geteuid() && info.st_uid != 0))
        KS_FAIL(err, KS_E_USER, "%s: others may read or change this key: chmod 600 it", path);
    KS_TRY(ks_file_read(arena, path, KEY_MOST, &text, err));
    text = ks_slice_trim(text);
    *key = text.len > 0 ? ks_arena_strndup(arena, text.at, text.len) : NULL;
    return KS_OK;
}

enum ks_status ks_agent_key(struct ks_arena *arena, const struct ks_config *config, const char *variable,
                            const char **key, struct ks_err *err)
{
    const char *said = getenv("KS_AGENT_KEY");
    const char *usual = variable != NULL ? getenv(variable) : NULL;
    *key = NULL;
    if (said != NULL && said[0] != '\0')
        *key = ks_arena_strdup(arena, said);
    else if (config->agent_key_file != NULL)
        return read_file(arena, config->agent_key_file, key, err);
    else if (usual != NULL && usual[0] != '\0')
        *key = ks_arena_strdup(arena, usual);
    return KS_OK;
}
