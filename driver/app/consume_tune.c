// KS_MODE=tune: the tuner is a program of its own, so that the compile path links nothing of it.
#include "app/consume.h"

#include "base/log.h"
#include "os/file.h"
#include "os/proc.h"

const char **consume_words(struct consume *c)
{
    struct ks_strv words = {0};
    if (c->config->project != NULL)
        ks_strv_add(c->arena, &words,
                    ks_arena_printf(c->arena, "--ks-project=%s",
                                    ks_path_absolute(c->arena, c->config->project)));
    for (size_t i = 1; i < c->cmd->argc; i++)
        ks_strv_add(c->arena, &words, c->cmd->argv[i]);
    return words.at;
}

void consume_tune(struct consume *c)
{
    struct ks_strv argv = {0};
    const char *ks = ks_path_join(c->arena, ks_program_dir(c->arena), "ks");
    ks_strv_add(c->arena, &argv, ks);
    ks_strv_add(c->arena, &argv, "tune");
    for (size_t i = 0; i < c->n_kernels; i++) {
        char hex[KS_HASH_TEXT];
        if (!consume_undecided(&c->kernels[i]))
            continue;
        ks_digest_hex(&c->kernels[i].key, hex);
        ks_strv_add(c->arena, &argv, ks_arena_printf(c->arena, "--key=%s", hex));
    }
    ks_strv_add(c->arena, &argv, "--in-build");
    ks_strv_add(c->arena, &argv, c->tu.path);
    ks_strv_add(c->arena, &argv, "--");
    for (const char **word = consume_words(c); *word != NULL; word++)
        ks_strv_add(c->arena, &argv, *word);

    // What the tuner says is progress: it belongs on stderr, stdout is the compiler's.
    struct ks_proc_options options = {.capture_stdout = true, .null_stdin = true,
                                      .in_group = true};
    struct ks_proc_result result;
    struct ks_err err = {0};
    if (ks_proc_run(c->arena, argv.at, &options, &result, &err) != KS_OK)
        ks_warn("cannot tune: %s", err.text);
}
