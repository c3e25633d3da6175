// ks-nvcc: nvcc, with verified variants of marked kernels compiled in.
//
// The one rule here: whatever cannot be done right is done by the real nvcc, with the arguments as
// they came. Only strict mode turns a missing decision into a failure, and a mode that cannot be read
// may be that one.
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/consume.h"
#include "base/log.h"
#include "nvcc/host_front.h"
#include "nvcc/named.h"
#include "nvcc/reentry.h"
#include "os/proc.h"
#include "os/rescue.h"

#define EXIT_REFUSED 1 // as nvcc does for a wrong option
#define EXIT_NO_COMPILER 110

// By the environment, so that a tuner started from here uses the same nvcc.
static void adopt(const struct ks_named *named)
{
    if (named->nvcc != NULL)
        setenv("KS_NVCC_REAL", named->nvcc, 1);
    if (named->launcher != NULL)
        setenv("KS_NVCC_LAUNCHER", named->launcher, 1);
}

static int pass_through(struct ks_arena *arena, const struct ks_cmdline *cmd,
                        const struct ks_toolkit *toolkit)
{
    struct ks_err err = {0};
    const char *const *argv =
        ks_cmdline_build(arena, cmd, toolkit->nvcc, NULL, NULL, NULL, NULL);
    if (cmd->phase == KS_PHASE_COMPILE || cmd->phase == KS_PHASE_DEVICE_C)
        argv = ks_toolkit_command(arena, toolkit, argv);
    ks_proc_exec(argv[0], argv, &err);
    ks_error("%s", err.text);
    return EXIT_NO_COMPILER;
}

static bool asked_for_fingerprint(const struct ks_cmdline *cmd)
{
    for (size_t i = 0; i < cmd->n_own; i++)
        if (strcmp(cmd->own[i], "--ks-fingerprint") == 0)
            return true;
    return false;
}

// A setting that is wrong is told where it counts: with a command that compiles CUDA. Where strict mode
// may have been asked for, misspelt perhaps, nothing is compiled without it.
static bool stops_at_settings(const struct ks_cmdline *cmd, const struct ks_config *config,
                              const struct ks_err *err)
{
    if (cmd->no_code || cmd->n_sources == 0)
        return false;
    if (config->mode == KS_MODE_STRICT)
        ks_error("%s; nothing is compiled, as strict mode may be meant", err->text);
    else
        ks_warn("%s; compiled by nvcc alone", err->text);
    return config->mode == KS_MODE_STRICT;
}

// Before the settings are read: a breakdown must not let strict mode pass what it forbids.
static bool may_be_strict(char **argv)
{
    const char *mode = getenv("KS_MODE");
    bool strict = mode != NULL && strcmp(mode, "strict") == 0;
    for (; *argv != NULL; argv++)
        strict |= strcmp(*argv, "--ks-mode=strict") == 0;
    return strict;
}

int main(int argc, char **argv)
{
    struct ks_arena arena = {0};
    struct ks_cmdline cmd;
    struct ks_config config;
    struct ks_toolkit toolkit;
    struct ks_err err = {0};

    if (ks_host_front_is(argv[0])) // by gcc, under a shadow's compile
        return ks_host_front(argc, argv);
    if (may_be_strict(argv))
        ks_rescue_refuse(NULL);
    ks_rescue_prepare(ks_toolkit_guess, argv, "--ks-");
    ks_stand_in();
    const char *seen;
    int depth = ks_reentry_enter(&arena, &seen);
    // What is freed before nvcc runs goes back to the system: blocks above the threshold are mapped one by
    // one, and naming it keeps glibc from raising it with the first that is freed.
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    ks_log_init("ks-nvcc", KS_LOG_WARN);
    struct ks_named named;
    ks_named_take(&arena, &argc, argv, &named);
    adopt(&named);
    ks_cmdline_read(&arena, argc, (const char *const *)argv, &cmd);
    if (depth >= KS_REENTRY_DEEPEST) {
        ks_error("the real nvcc leads back to ks-nvcc, again and again; set KS_NVCC_REAL to the CUDA "
                 "toolkit's nvcc");
        return EXIT_NO_COMPILER;
    }
    bool configured = ks_config_load(&arena, cmd.own, &config, &err) == KS_OK;
    if (!configured && depth == 0 && stops_at_settings(&cmd, &config, &err))
        return EXIT_REFUSED;
    if (depth > 0) {
        config.real_nvcc = named.nvcc;
        config.launcher = NULL;
        config.led_back = seen;
    }
    if (ks_toolkit_find(&arena, &config, &toolkit, &err) != KS_OK) {
        ks_error("%s", err.text);
        return EXIT_NO_COMPILER;
    }
    ks_reentry_note(&arena, depth, seen, &toolkit);
    if (configured && asked_for_fingerprint(&cmd))
        return consume_fingerprint(&arena, &config, &toolkit);
    if (!configured || depth > 0 || config.mode == KS_MODE_OFF)
        return pass_through(&arena, &cmd, &toolkit);
    if (cmd.pass != NULL && !consume_may_pass(&arena, &config, &cmd, &toolkit))
        return EXIT_REFUSED;
    if (cmd.pass != NULL) {
        int listed = consume_list(&arena, &config, &cmd, &toolkit);
        return listed == CONSUME_PASS ? pass_through(&arena, &cmd, &toolkit) : listed;
    }
    ks_rescue_arm(toolkit.nvcc, ks_cmdline_build(&arena, &cmd, toolkit.nvcc, NULL, NULL, NULL, NULL));
    int status = cmd.phase == KS_PHASE_LINK ? consume_link(&arena, &config, &cmd, &toolkit)
                                            : consume_run(&arena, &config, &cmd, &toolkit, NULL);
    if (status != CONSUME_PASS)
        ks_exit_as_child(status);
    if (ks_stop_requested())
        ks_exit_stopped();
    return pass_through(&arena, &cmd, &toolkit);
}
