// Putting an argument vector for nvcc together again, word for word as the user wrote it.
#include <string.h>

#include "nvcc/cmdline.h"
#include "nvcc/option.h"

static void add_all(struct ks_arena *arena, struct ks_strv *list, const char *const *words)
{
    for (; words != NULL && *words != NULL; words++)
        ks_strv_add(arena, list, *words);
}

// "-o FILE", "-o=FILE" or "--output-file=FILE" with another file.
static void add_output(struct ks_arena *arena, struct ks_strv *list, const char *const *words,
                       const struct ks_use *use, const char *output)
{
    if (use->n == 2) {
        ks_strv_add(arena, list, words[0]);
        ks_strv_add(arena, list, output);
    } else {
        int option = (int)(use->value - words[0]); // with its "="
        ks_strv_add(arena, list, ks_arena_printf(arena, "%.*s%s", option, words[0], output));
    }
}

const char **ks_cmdline_build(struct ks_arena *arena, const struct ks_cmdline *cmd,
                              const char *nvcc, const char *const *first, const char *input,
                              const char *output, const char *const *last)
{
    struct ks_strv list = {0};
    ks_strv_add(arena, &list, nvcc);
    add_all(arena, &list, first);
    bool output_given = false;
    struct ks_use use;
    for (size_t i = 1; i < cmd->argc; i += use.n) {
        use = ks_option_at(cmd->argv, cmd->argc, i);
        bool is_output = use.kind == KS_USE_OPTION && use.option->effect == KS_OPT_OUTPUT;
        output_given |= is_output;
        if (is_output && output != NULL)
            add_output(arena, &list, cmd->argv + i, &use, output);
        else if (input != NULL && cmd->input == i)
            ks_strv_add(arena, &list, input);
        else
            for (size_t k = i; k < i + use.n; k++)
                ks_strv_add(arena, &list, cmd->argv[k]);
    }
    if (output != NULL && !output_given) {
        ks_strv_add(arena, &list, "-o");
        ks_strv_add(arena, &list, output);
    }
    add_all(arena, &list, last);
    return list.at;
}

const char *ks_cmdline_host_compiler(const struct ks_cmdline *cmd)
{
    const char *named = NULL;
    struct ks_use use;
    for (size_t i = 1; i < cmd->argc; i += use.n) {
        use = ks_option_at(cmd->argv, cmd->argc, i);
        if (use.kind == KS_USE_OPTION && strcmp(use.option->name, "compiler-bindir") == 0)
            named = use.value;
    }
    return named;
}
