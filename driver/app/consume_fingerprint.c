// All that decides about an object besides the command and the files that it reads.
#include "app/consume.h"

#include <stdio.h>

#include "base/log.h"
#include "os/file.h"

#define LARGEST_SIDE_FILE ((size_t)4 << 20)

static void hash_project(struct ks_arena *arena, const struct ks_config *config,
                         const struct ks_project *project, struct ks_hash *hash)
{
    struct ks_store store;
    struct ks_slice side = {0};
    struct ks_strv made = {0};
    if (project->file != NULL &&
        ks_file_read(arena, project->file, LARGEST_SIDE_FILE, &side, NULL) == KS_OK)
        ks_hash_field(hash, "side file", side.at, side.len);
    ks_store_open(arena, config, project, &store);
    ks_store_hash(arena, &store, hash);
    // ccache in front keeps nothing that depends on a file made during the compile: the user tier's
    // index, which every project's objects depend on, is made now.
    ks_store_open(arena, config, NULL, &store);
    ks_store_dependencies(arena, &store, !config->readonly, &made);
}

int consume_fingerprint(struct ks_arena *arena, const struct ks_config *config,
                        struct ks_toolkit *toolkit)
{
    struct ks_err err = {0};
    struct ks_project project = {0};
    struct ks_hash hash;
    struct ks_digest digest;
    char hex[KS_HASH_TEXT];
    if (ks_toolkit_version(arena, config, toolkit, &err) != KS_OK ||
        ks_project_find(arena, config, ".", &project, &err) != KS_OK) {
        ks_error("%s", err.text);
        return 1;
    }
    ks_hash_begin(&hash, "fingerprint");
    ks_hash_text(&hash, "ks", KS_VERSION);
    ks_hash_text(&hash, "nvcc", toolkit->version);
    ks_hash_text(&hash, "mode", ks_mode_name(config->mode));
    ks_hash_int(&hash, "accept", config->accept);
    // ccache keeps what a compile printed.
    ks_hash_int(&hash, "remarks", config->remarks_applied * 2 + config->remarks_missed);
    hash_project(arena, config, &project, &hash);
    ks_hash_end(&hash, &digest);
    ks_digest_hex(&digest, hex);
    printf("%s\n", hex);
    return 0;
}
