// A command that compiles and links, taken apart: what compiles one of its inputs, and what links.
// nvcc takes the very same steps for the parts as for the whole (tried with --dryrun: the link's
// fat binary alone does not repeat the front end's options in its note).
#include <string.h>

#include "nvcc/cmdline.h"
#include "nvcc/option.h"

// Words that belong to one of the two alone, or that name what the whole writes.
static bool is_left_out(const struct ks_use *use, bool links, bool depfile)
{
    if (use->kind != KS_USE_OPTION)
        return false;
    switch (use->option->effect) {
    case KS_OPT_OBJTEMP: // of no effect on a command that links (tried)
        return true;
    case KS_OPT_COMPILE:
    case KS_OPT_OUTPUT:
    case KS_OPT_OUTPUT_DIR:
    case KS_OPT_LINK:
    case KS_OPT_RUN:
        return !links;
    case KS_OPT_MD:
    case KS_OPT_MMD:
    case KS_OPT_MF:
    case KS_OPT_MT:
    case KS_OPT_MP:
        return links || !depfile;
    case KS_OPT_LANGUAGE:
        return links;
    default:
        return false;
    }
}

struct ks_strv ks_cmdline_unit_words(struct ks_arena *arena, const char *const *words, size_t len,
                                     size_t input, bool depfile)
{
    struct ks_strv list = {0};
    struct ks_use use;
    bool device_c = false;
    ks_strv_add(arena, &list, words[0]);
    for (size_t i = 1; i < len; i += use.n) {
        use = ks_option_at(words, len, i);
        if (is_left_out(&use, false, depfile) || (use.kind == KS_USE_INPUT && i != input))
            continue;
        device_c |= use.kind == KS_USE_OPTION && use.option->effect == KS_OPT_DEVICE_C;
        for (size_t k = i; k < i + use.n; k++)
            ks_strv_add(arena, &list, words[k]);
    }
    if (!device_c)
        ks_strv_add(arena, &list, "-c");
    return list;
}

void ks_cmdline_read_unit(struct ks_arena *arena, const struct ks_cmdline *cmd, size_t i,
                          const char *object, struct ks_cmdline *unit)
{
    struct ks_strv words =
        ks_cmdline_unit_words(arena, cmd->argv, cmd->argc, cmd->units[i].at, true);
    if (cmd->depfile != NULL) {
        struct ks_cmdline named = *cmd; // nvcc names the object where the program has no name
        bool target = false, file = false;
        named.phase = KS_PHASE_COMPILE;
        named.input = cmd->units[i].at;
        struct ks_use use;
        for (size_t k = 1; k < words.len; k += use.n) {
            use = ks_option_at(words.at, words.len, k);
            target |= use.kind == KS_USE_OPTION && use.option->effect == KS_OPT_MT;
            file |= use.kind == KS_USE_OPTION && use.option->effect == KS_OPT_MF;
        }
        if (!target) {
            ks_strv_add(arena, &words, "-MT");
            ks_strv_add(arena, &words,
                        cmd->output != NULL ? cmd->output
                                            : ks_cmdline_default_output(arena, &named));
        }
        if (!file) {
            ks_strv_add(arena, &words, "-MF");
            ks_strv_add(arena, &words, cmd->depfile);
        }
    }
    ks_cmdline_read(arena, (int)words.len, words.at, unit);
    unit->own = cmd->own;
    unit->n_own = cmd->n_own;
    unit->output = object;
}

const char **ks_cmdline_build_link(struct ks_arena *arena, const struct ks_cmdline *cmd,
                                   const char *nvcc, const char *const *objects)
{
    struct ks_strv list = {0};
    struct ks_use use;
    size_t unit = 0;
    ks_strv_add(arena, &list, nvcc);
    for (size_t i = 1; i < cmd->argc; i += use.n) {
        use = ks_option_at(cmd->argv, cmd->argc, i);
        if (is_left_out(&use, true, false))
            continue;
        if (unit < cmd->n_units && cmd->units[unit].at == i)
            ks_strv_add(arena, &list, objects[unit++]);
        else
            for (size_t k = i; k < i + use.n; k++)
                ks_strv_add(arena, &list, cmd->argv[k]);
    }
    return list.at;
}
