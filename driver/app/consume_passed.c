// A command that goes to nvcc as it is (-G, --keep, several inputs ...): its marked kernels get the
// reason, and strict mode refuses them.
#include "app/consume.h"

#include <unistd.h>

#include "base/log.h"

enum ks_status consume_open_source(struct consume *c, const char *source, struct ks_err *err)
{
    struct ks_cmdline *one = ks_arena_memdup(c->arena, c->cmd, sizeof *c->cmd);
    one->argv = KS_NEW_ARRAY(c->arena, const char *, 3);
    one->argv[1] = source;
    one->argc = 2;
    one->input = 1;
    return ks_tu_open(c->arena, c->config, one, c->toolkit, &c->tu, err);
}

static void fill_kernels(struct consume *c, enum ks_reason reason, const char *text)
{
    c->kernels = KS_NEW_ARRAY(c->arena, struct consume_kernel, c->tu.n_marks);
    c->n_kernels = c->tu.n_marks;
    for (size_t i = 0; i < c->tu.n_marks; i++) {
        const struct ks_tu_mark *mark = &c->tu.marks[i];
        c->kernels[i] = (struct consume_kernel){
            .mark = mark,
            .reason = mark->mark->off ? KS_R_MODE_OFF : reason,
            .text = mark->mark->off ? "marked off" : text};
    }
}

// Whether strict mode lets this input pass.
static bool allow_source(struct consume *c, const char *source, enum ks_reason reason,
                         const char *text)
{
    struct ks_err err = {0};
    struct ks_config config = *c->config;
    enum ks_status status = consume_open_source(c, source, &err);
    ks_project_apply(&c->tu.project, &config);
    bool strict = config.mode == KS_MODE_STRICT;
    if (config.mode == KS_MODE_OFF)
        return true;
    if (status != KS_OK && access(source, R_OK) == 0) {
        if (strict)
            ks_error("strict: %s", err.text);
        return !strict;
    }
    if (status != KS_OK || c->tu.n_marks == 0)
        return true;
    fill_kernels(c, reason, text);
    consume_report(c);
    return !strict || !consume_strict_fails(c);
}

bool consume_may_stay(struct ks_arena *arena, const struct ks_config *config,
                      const struct ks_cmdline *cmd, struct ks_toolkit *toolkit,
                      enum ks_reason reason, const char *text)
{
    struct consume_part part = {.program = cmd->output, .alone = cmd->n_sources == 1};
    bool allowed = true;
    for (size_t i = 0; !cmd->no_code && i < cmd->n_sources; i++) {
        struct consume c = {.arena = arena, .config = config, .cmd = cmd, .toolkit = toolkit,
                            .part = &part};
        allowed &= allow_source(&c, cmd->sources[i], reason, text);
    }
    return allowed;
}

bool consume_may_pass(struct ks_arena *arena, const struct ks_config *config,
                      const struct ks_cmdline *cmd, struct ks_toolkit *toolkit)
{
    return consume_may_stay(arena, config, cmd, toolkit,
                            cmd->debug_device ? KS_R_DEBUG_BUILD : KS_R_COMMAND, cmd->pass);
}
