// The order of things for one marked TU (ARCHITECTURE.md, "life of one compile").
#include "app/consume.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "nvcc/depfile.h"
#include "os/file.h"
#include "os/proc.h"

// The prerequisites nvcc wrote become the manifest's dependencies.
static enum ks_status take_dependencies(struct consume *c, const char *depfile, struct ks_err *err)
{
    struct ks_slice text;
    struct ks_depfile parsed = {0};
    KS_TRY(ks_file_read(c->arena, depfile, 64u << 20, &text, err));
    KS_TRY(ks_depfile_parse(c->arena, text, &parsed, err));
    c->manifest.dependencies = (struct ks_strv){0};
    for (size_t i = 0; i < parsed.prerequisites.len; i++)
        ks_strv_add(c->arena, &c->manifest.dependencies, parsed.prerequisites.at[i]);
    return KS_OK;
}

// Compile plainly with --keep, identify, decide, and prove what is to be substituted.
static int run_slow(struct consume *c)
{
    struct ks_err err = {0};
    char *keep = NULL;
    if (ks_dir_temp(c->arena, "ks-keep", &keep, &err) != KS_OK) {
        ks_debug("%s", err.text);
        return CONSUME_PASS;
    }
    int result = CONSUME_PASS;
    struct ks_tu_compile plain = {.keep_dir = keep};
    if (ks_tu_compile_plain(c->arena, &c->tu, NULL, &plain, &err) != KS_OK)
        goto done;
    result = plain.exit_code;
    if (result != 0)
        goto done;
    // From here on the object is the user's own: whatever fails below leaves it there.
    if (ks_tu_identify(c->arena, &c->tu, &plain, &err) != KS_OK ||
        take_dependencies(c, plain.depfile, &err) != KS_OK) {
        ks_debug("%s: %s", c->tu.path, err.text);
        goto done;
    }
    consume_from_identity(c);
    consume_decide(c);
    if (c->config->mode == KS_MODE_TUNE && consume_any_pending(c) && consume_tune(c))
        consume_decide(c);
    result = consume_prove(c, keep);
done:
    if (result == CONSUME_PASS && err.text[0] != '\0')
        ks_debug("%s: %s", c->tu.path, err.text);
    ks_tree_remove(keep, NULL);
    return result;
}

// A manifest answers without a compiler; it is only trusted for sets of variants proved before.
static int run_fast(struct consume *c)
{
    consume_from_manifest(c);
    consume_decide(c);
    if (c->config->mode == KS_MODE_TUNE && consume_any_pending(c) && consume_tune(c))
        consume_decide(c);
    if (c->n_subs == 0)
        return consume_plain(c);
    for (size_t i = 0; i < c->manifest.n_proved; i++) {
        if (!ks_digest_eq(&c->manifest.proved[i].set, &c->set))
            continue;
        if (c->manifest.proved[i].outcome == KS_R_APPLIED)
            return consume_proved(c);
        consume_report(c, c->manifest.proved[i].outcome, c->manifest.proved[i].text);
        return consume_plain(c);
    }
    return run_slow(c);
}

int consume_run(struct ks_arena *arena, const struct ks_config *config,
                const struct ks_cmdline *cmd, struct ks_toolkit *toolkit)
{
    struct consume c = {.arena = arena, .config = config, .cmd = cmd, .toolkit = toolkit};
    struct ks_err err = {0};
    enum ks_status status = ks_tu_open(arena, config, cmd, toolkit, &c.tu, &err);
    if (status == KS_E_USER) {
        ks_warn("%s; compiled as it stands", err.text);
        return config->mode == KS_MODE_STRICT ? 1 : CONSUME_PASS;
    }
    if (status != KS_OK || c.tu.n_marks == 0)
        return CONSUME_PASS;
    c.object = cmd->output != NULL ? cmd->output : ks_cmdline_default_output(arena, cmd);
    ks_store_open(arena, config, &c.tu.project, &c.store);
    c.n_index = ks_store_index_files(arena, &c.store, !config->readonly, c.index);
    if (ks_toolkit_version(arena, config, toolkit, &err) != KS_OK) {
        ks_debug("%s", err.text);
        return CONSUME_PASS;
    }
    c.name = ks_manifest_name(cmd, toolkit, c.tu.project.file);
    int result = ks_manifest_load(arena, config, &c.name, &c.manifest, &err) == KS_OK
                     ? run_fast(&c)
                     : run_slow(&c);
    if (result == 0 && config->mode == KS_MODE_STRICT && consume_strict_fails(&c)) {
        unlink(c.object);
        return 1;
    }
    return result;
}
