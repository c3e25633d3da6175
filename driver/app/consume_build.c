// The compiles of the consume path, and the proofs that a substitution is what was judged.
#include "app/consume.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "key/elf.h"
#include "nvcc/depfile.h"
#include "os/file.h"
#include "os/proc.h"
#include "source/dispatch.h"

#define OBJECT_MAX (1u << 30)
#define DEPFILE_MAX (64u << 20)

static const char *shadow_root(struct consume *c)
{
    const char *base = c->config->cache_dir != NULL && !c->config->readonly
                           ? c->config->cache_dir
                           : c->config->runtime_dir;
    return ks_path_join(c->arena, base, "shadow");
}

// Puts the original's name where the shadow's stands, and the index files behind it.
static enum ks_status repair_depfile(struct consume *c, const char *shadow, struct ks_err *err)
{
    if (c->cmd->depfile == NULL)
        return KS_OK;
    struct ks_slice text;
    struct ks_buf out = KS_BUF(DEPFILE_MAX);
    const char *extra[3] = {NULL, NULL, NULL};
    for (size_t i = 0; i < c->n_index; i++)
        extra[i] = c->index[i];
    enum ks_status status;
    KS_TRY_GOTO(ks_file_read(c->arena, c->cmd->depfile, DEPFILE_MAX, &text, err), done);
    KS_TRY_GOTO(ks_depfile_repair(text, shadow, c->tu.path, extra, &out, err), done);
    KS_TRY_GOTO(ks_file_write(c->cmd->depfile, out.data, out.len, false, 0, err), done);
done:
    ks_buf_free(&out);
    return status;
}

// The files a shadow compile read must be those the plain compile read: a new header that shadows
// another changes what is compiled, and only this notices.
static bool same_dependencies(struct consume *c, const char *depfile, const char *shadow)
{
    struct ks_slice text;
    struct ks_depfile seen = {0};
    if (ks_file_read(c->arena, depfile, DEPFILE_MAX, &text, NULL) != KS_OK ||
        ks_depfile_parse(c->arena, text, &seen, NULL) != KS_OK)
        return false;
    size_t matched = 0;
    for (size_t i = 0; i < seen.prerequisites.len; i++) {
        const char *path = seen.prerequisites.at[i];
        if (strcmp(path, shadow) == 0)
            path = c->tu.path;
        bool known = false;
        for (size_t k = 0; k < c->manifest.dependencies.len && !known; k++)
            known = strcmp(path, c->manifest.dependencies.at[k]) == 0;
        matched += known;
        // Headers a variant includes come from the toolkit, whose version is in the key.
        if (!known && !ks_starts_with(path, c->toolkit->root) &&
            !ks_starts_with(path, c->toolkit->bin_dir))
            return false;
    }
    return matched >= c->manifest.dependencies.len;
}

static bool has_proof(struct consume *c, const char *object)
{
    struct ks_slice file, section;
    return ks_file_read(c->arena, object, OBJECT_MAX, &file, NULL) == KS_OK &&
           ks_elf_section(file, KS_SECTION_HOOK, &section, NULL) == KS_OK &&
           ks_elf_section(file, KS_SECTION_TABLE, &section, NULL) == KS_OK;
}

static void pass_text_on(const struct ks_tu_compile *compile)
{
    fwrite(compile->out.at, 1, compile->out.len, stdout);
    fflush(stdout);
    fwrite(compile->err.at, 1, compile->err.len, stderr);
}

int consume_plain(struct consume *c)
{
    consume_report(c, KS_R_COUNT, "");
    struct ks_strv first = {0};
    if (c->tu.tu_marks.n_blanks > 0 || c->tu.headers_marked)
        ks_strv_add(c->arena, &first, "-Xcompiler=-Wno-unknown-pragmas");
    const char **argv =
        ks_cmdline_build(c->arena, c->cmd, c->toolkit->nvcc, first.at, NULL, NULL, NULL);
    struct ks_err err = {0};
    if (c->cmd->depfile == NULL) { // nothing to mend afterwards: become nvcc
        ks_proc_exec(c->toolkit->nvcc, argv, &err);
        return CONSUME_PASS;
    }
    struct ks_proc_options options = {0};
    struct ks_proc_result result;
    if (ks_proc_run(c->arena, argv, &options, &result, &err) != KS_OK)
        return CONSUME_PASS;
    if (result.exit_code == 0 && repair_depfile(c, c->tu.path, &err) != KS_OK)
        ks_debug("%s", err.text);
    return result.exit_code;
}

int consume_proved(struct consume *c)
{
    struct ks_err err = {0};
    struct ks_tu_compile compile = {0};
    const char *shadow = NULL;
    char *temp = NULL;
    const char *depfile = c->cmd->depfile;
    if (depfile == NULL) {
        if (ks_dir_temp(c->arena, "ks-dep", &temp, &err) != KS_OK)
            return CONSUME_PASS;
        depfile = ks_path_join(c->arena, temp, "ks.d");
    }
    enum ks_status status =
        ks_tu_compile_shadow(c->arena, &c->tu, c->subs, c->n_subs, true, shadow_root(c), NULL, NULL,
                             depfile, &compile, &shadow, &err);
    bool good = status == KS_OK && compile.exit_code == 0 &&
                same_dependencies(c, depfile, shadow) && has_proof(c, c->object);
    if (temp != NULL)
        ks_tree_remove(temp, NULL);
    if (!good || repair_depfile(c, shadow, &err) != KS_OK) {
        ks_debug("%s: substitution abandoned: %s", c->tu.path, err.text);
        consume_report(c, KS_R_DEPENDENCIES_CHANGED, err.text);
        return CONSUME_PASS; // nvcc writes object and depfile anew
    }
    pass_text_on(&compile);
    consume_report(c, KS_R_APPLIED, "");
    return 0;
}

// Every variant must compile here to the very code that was judged.
static enum ks_reason check_built(struct consume *c, const struct ks_tu_compile *compile,
                                  const char **text)
{
    for (size_t i = 0; i < c->n_subs; i++) {
        const struct ks_evidence *evidence = &c->found[i]->variant.evidence;
        struct ks_tu_built built;
        struct ks_err err = {0};
        *text = c->subs[i].id;
        if (ks_tu_built_read(c->arena, &c->tu, compile, &c->subs[i], &built, &err) != KS_OK ||
            built.n != evidence->n_kernels)
            return KS_R_VARIANT_DIFFERS;
        for (size_t k = 0; k < built.n; k++)
            if (!ks_digest_eq(&built.ptx[k], &evidence->ptx[k]) ||
                !ks_digest_eq(&built.sass[k], &evidence->sass[k]))
                return KS_R_VARIANT_DIFFERS;
    }
    return ks_tu_originals_unchanged(c->arena, &c->tu, compile, text);
}

static enum ks_reason prove(struct consume *c, const char *keep_dir, const char **shadow,
                            struct ks_tu_compile *compile, const char **text)
{
    struct ks_err err = {0};
    *text = "";
    const char *depfile = ks_path_join(c->arena, keep_dir, "ks.d");
    enum ks_status status =
        ks_tu_compile_shadow(c->arena, &c->tu, c->subs, c->n_subs, true, shadow_root(c), keep_dir,
                             NULL, depfile, compile, shadow, &err);
    if (status != KS_OK || compile->exit_code != 0) {
        *text = status != KS_OK ? ks_arena_strdup(c->arena, err.text)
                                : ks_arena_strndup(c->arena, compile->err.at,
                                                   compile->err.len < 400 ? compile->err.len : 400);
        return KS_R_SHADOW_FAILED;
    }
    if (!same_dependencies(c, compile->depfile, *shadow))
        return KS_R_DEPENDENCIES_CHANGED;
    if (!has_proof(c, c->object))
        return KS_R_NO_PROOF;
    return check_built(c, compile, text);
}

static void remember(struct consume *c, enum ks_reason outcome, const char *text)
{
    size_t n = c->manifest.n_proved;
    void *longer = ks_arena_array(c->arena, n + 1, sizeof *c->manifest.proved);
    if (n > 0)
        memcpy(longer, c->manifest.proved, n * sizeof *c->manifest.proved);
    c->manifest.proved = longer;
    c->manifest.proved[n].set = c->set;
    c->manifest.proved[n].outcome = outcome;
    c->manifest.proved[n].text = text;
    c->manifest.n_proved = n + 1;
}

static void save_manifest(struct consume *c)
{
    struct ks_err err = {0};
    if (c->config->readonly || c->cmd->depfile_mmd) // -MMD hides files the manifest must know
        return;
    if (ks_manifest_save(c->config, &c->name, &c->manifest, &err) != KS_OK)
        ks_debug("%s", err.text);
}

int consume_prove(struct consume *c, const char *keep_dir)
{
    struct ks_err err = {0};
    c->manifest.n_proved = 0;
    if (c->n_subs == 0) {
        save_manifest(c);
        consume_report(c, KS_R_COUNT, "");
        if (repair_depfile(c, c->tu.path, &err) != KS_OK)
            ks_debug("%s", err.text);
        return 0;
    }
    // The plain object waits aside, so that output names, depfile target and -objtemp are the user's.
    const char *plain = ks_path_join(c->arena, keep_dir, "plain.o");
    const char *shadow_keep = ks_path_join(c->arena, keep_dir, "shadow");
    struct ks_slice depfile = {0};
    if (ks_dir_make(shadow_keep, &err) != KS_OK || ks_file_copy(c->object, plain, &err) != KS_OK ||
        (c->cmd->depfile != NULL &&
         ks_file_read(c->arena, c->cmd->depfile, DEPFILE_MAX, &depfile, &err) != KS_OK)) {
        ks_debug("%s", err.text);
        return 0;
    }
    const char *shadow = NULL, *text = "";
    struct ks_tu_compile compile = {0};
    enum ks_reason outcome = prove(c, shadow_keep, &shadow, &compile, &text);
    if (outcome == KS_R_APPLIED && repair_depfile(c, shadow, &err) != KS_OK)
        outcome = KS_R_INTERNAL;
    if (outcome != KS_R_APPLIED) {
        ks_debug("%s: %s: %s", c->tu.path, ks_reason_name(outcome), text);
        if (ks_file_copy(plain, c->object, &err) != KS_OK)
            return CONSUME_PASS;
        if (c->cmd->depfile != NULL) {
            if (ks_file_write(c->cmd->depfile, depfile.at, depfile.len, false, 0, &err) != KS_OK)
                return CONSUME_PASS;
            repair_depfile(c, c->tu.path, &err);
        }
    }
    remember(c, outcome, text);
    save_manifest(c);
    consume_report(c, outcome, text);
    return 0;
}
