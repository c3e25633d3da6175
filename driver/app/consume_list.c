#include "app/consume.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "nvcc/depfile.h"
#include "os/file.h"
#include "os/proc.h"

#define LARGEST_LIST ((size_t)64 << 20)

// The list nvcc wrote, with what is missing; as it was, should it be unreadable.
static enum ks_status complete(struct consume *c, struct ks_slice *text, struct ks_buf *out)
{
    struct ks_err err = {0};
    enum ks_status status =
        ks_depfile_repair(*text, NULL, 0, c->extra_dependencies.at, out, &err);
    if (status == KS_OK)
        *text = (struct ks_slice){out->data, out->len};
    else
        ks_debug("%s: %s", c->tu.path, err.text);
    return status;
}

static int run(struct consume *c)
{
    struct ks_err err = {0};
    struct ks_buf out = KS_BUF(LARGEST_LIST);
    struct ks_proc_result result;
    const char *file = c->cmd->listing;
    if (file != NULL && strcmp(file, "-") == 0)
        file = NULL;
    struct ks_proc_options options = {.capture_stdout = file == NULL, .max_output = LARGEST_LIST};
    const char **argv =
        ks_cmdline_build(c->arena, c->cmd, c->toolkit->nvcc, NULL, NULL, NULL, NULL);
    if (ks_proc_run(c->arena, argv, &options, &result, &err) != KS_OK)
        return CONSUME_PASS;
    struct ks_slice text = result.out;
    if (file == NULL) {
        if (result.exit_code == 0)
            (void)complete(c, &text, &out);
        if (fwrite(text.at, 1, text.len, stdout) != text.len || fflush(stdout) != 0)
            ks_debug("standard output: not written");
    } else if (result.exit_code == 0 &&
               ks_file_read(c->arena, file, LARGEST_LIST, &text, &err) == KS_OK &&
               complete(c, &text, &out) == KS_OK) {
        if (ks_file_write(file, text.at, text.len, false, 0, &err) != KS_OK)
            ks_debug("%s", err.text);
    }
    ks_buf_free(&out);
    return result.exit_code;
}

// Not the user's own index and keys: who reads such a list (FindCUDA) may know no rule for a file
// that was deleted, and a cache may be deleted at any time.
static void keep_project_files(struct consume *c)
{
    struct ks_strv kept = {0};
    const char *root = c->tu.project.root;
    for (size_t i = 0; root != NULL && i < c->extra_dependencies.len; i++) {
        const char *path = c->extra_dependencies.at[i];
        if (ks_starts_with(path, root) && path[strlen(root)] == '/')
            ks_strv_add(c->arena, &kept, path);
    }
    c->extra_dependencies = kept;
}

int consume_list(struct ks_arena *arena, const struct ks_config *config,
                 const struct ks_cmdline *cmd, struct ks_toolkit *toolkit)
{
    struct consume c = {.arena = arena, .config = config, .cmd = cmd, .toolkit = toolkit};
    struct ks_err err = {0};
    if (!cmd->lists || cmd->n_sources != 1 ||
        consume_open_source(&c, cmd->sources[0], &err) != KS_OK || c.tu.n_marks == 0)
        return CONSUME_PASS;
    ks_store_open(arena, config, &c.tu.project, &c.store);
    ks_store_dependencies(arena, &c.store, !config->readonly, &c.extra_dependencies);
    keep_project_files(&c);
    return c.extra_dependencies.len == 0 ? CONSUME_PASS : run(&c);
}
