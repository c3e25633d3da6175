// The compiles of the consume path that are not the first: of a unit whose outcome is known.
#include "app/consume.h"

#include <unistd.h>

#include "base/log.h"
#include "key/elf.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/rescue.h"
#include "source/dispatch.h"

#define OBJECT_MAX (1u << 30)

enum ks_status consume_has_proof(struct consume *c, const char *object)
{
    struct ks_slice file, section;
    if (ks_file_read(c->arena, object, OBJECT_MAX, &file, NULL) != KS_OK)
        return KS_E_IO;
    return ks_elf_section(file, KS_SECTION_HOOK, &section, NULL) == KS_OK &&
                   ks_elf_section(file, KS_SECTION_TABLE, &section, NULL) == KS_OK
               ? KS_OK
               : KS_E_ABSENT;
}

// Shadows lie where their content says and stay: a debugger wants the text. Where nothing may be kept
// they go with the compile.
const char *consume_shadow_root(struct consume *c)
{
    if (c->config->cache_dir != NULL && !c->config->readonly) {
        const char *root = ks_path_join(c->arena, c->config->cache_dir, "shadow");
        if (ks_dir_make(root, NULL) == KS_OK && access(root, W_OK) == 0)
            return root;
    }
    if (c->scratch == NULL && ks_dir_temp(c->arena, "ks-shadow", &c->scratch, NULL) != KS_OK)
        c->scratch = NULL;
    return c->scratch;
}

const char *consume_output(const struct consume *c)
{
    return c->part != NULL ? c->object : NULL;
}

int consume_plain(struct consume *c)
{
    consume_report(c);
    struct ks_strv last = {0};
    ks_tu_silence(c->arena, &c->tu, false, &last);
    const char *const *argv = ks_toolkit_command(
        c->arena, c->toolkit,
        ks_cmdline_build(c->arena, c->cmd, c->toolkit->nvcc, NULL, NULL, consume_output(c),
                         last.at));
    struct ks_err err = {0};
    if (c->cmd->depfile == NULL) { // nothing to mend afterwards: become nvcc
        ks_proc_exec(argv[0], argv, &err);
        return CONSUME_PASS;
    }
    struct ks_proc_options options = {.in_group = true};
    struct ks_proc_result result;
    if (ks_proc_run(c->arena, argv, &options, &result, &err) != KS_OK)
        return CONSUME_PASS;
    ks_rescue_settle(result.exit_code);
    if (result.exit_code == 0 && consume_mend_depfile(c, c->tu.path, &err) != KS_OK)
        ks_debug("%s", err.text);
    return result.exit_code;
}

// Files do not tell of every change: -MMD hides some of them, and __has_include asks for those that
// are not there. Then what was compiled is looked at again.
static bool needs_look(const struct consume *c)
{
    return c->manifest.probing || c->cmd->depfile_mmd;
}

static bool holds(struct consume *c, const struct ks_tu_compile *compile, const char *shadow,
                  struct ks_err *err)
{
    if (needs_look(c) && !consume_confirms(c, compile, err))
        return false;
    if (!c->cmd->depfile_mmd && !consume_same_dependencies(c, compile, shadow, NULL))
        return false;
    // Written since the keys were looked up: what is substituted may be another kernel's by now.
    return ks_closure_holds(&c->tu.files) &&
           consume_has_proof(c, c->object) == KS_OK &&
           consume_mend_depfile(c, shadow, err) == KS_OK;
}

int consume_proved(struct consume *c)
{
    struct ks_err err = {0};
    struct ks_tu_compile compile = {.hold = true};
    const char *shadow = NULL, *root = consume_shadow_root(c), *keep = NULL, *depfile = NULL;
    char *temp = NULL;
    bool lists = c->cmd->depfile != NULL;
    if (root == NULL)
        return CONSUME_PASS;
    if (!lists || needs_look(c)) {
        if (ks_dir_temp(c->arena, "ks-hit", &temp, &err) != KS_OK)
            return CONSUME_PASS;
        // What was read is told by what is kept, or, where a launcher must not be kept out, by a
        // depfile: messages then come in the order that -MD gives them.
        if (needs_look(c) || c->toolkit->launcher == NULL)
            keep = temp;
        else
            depfile = ks_path_join(c->arena, temp, "ks.d");
    }
    enum ks_status status = ks_tu_compile_shadow(c->arena, &c->tu, c->subs, c->n_subs, true, root,
                                                 keep, consume_output(c), depfile, &compile,
                                                 &shadow, &err);
    bool good = status == KS_OK && compile.exit_code == 0 && holds(c, &compile, shadow, &err);
    if (temp != NULL)
        ks_tree_remove(temp, NULL);
    if (!good && status == KS_OK && ks_stop_requested()) { // the answer to a Ctrl-C is nvcc's
        ks_held_pass(&compile.held);
        return compile.exit_code;
    }
    if (!good) {
        ks_held_drop(&compile.held);
        ks_debug("%s: the substitution proved before does not hold now: %s", c->tu.path, err.text);
        return CONSUME_PASS;
    }
    ks_rescue_settle(0);
    ks_held_pass(&compile.held);
    consume_report(c);
    return 0;
}
