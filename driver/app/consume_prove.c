// The first compile with a set of variants, and the proofs that it is what was judged. The user's
// object is nvcc's plain one until everything holds: the shadow is compiled elsewhere and renamed
// over it, so that no kill and no full disk leaves an unproved substitution behind.
#include "app/consume.h"

#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "os/file.h"
#include "os/proc.h"

// Every variant must compile here to the very code that was judged. `*sure` is taken back where the
// answer may be another next time.
static enum ks_reason check_built(struct consume *c, const struct ks_tu_compile *compile,
                                  const char **text, bool *sure)
{
    for (size_t i = 0; i < c->n_subs; i++) {
        const struct ks_evidence *evidence = &c->found[i]->variant.evidence;
        struct ks_tu_built built = {0};
        struct ks_err err = {0};
        *text = c->subs[i].id;
        enum ks_status status =
            ks_tu_built_read(c->arena, &c->tu, compile, &c->subs[i], &built, &err);
        *sure = status == KS_OK || status == KS_E_ABSENT;
        if (status != KS_OK)
            *text = ks_arena_strdup(c->arena, err.text);
        if (status != KS_OK || built.n != evidence->n_kernels)
            return KS_R_VARIANT_DIFFERS;
        for (size_t k = 0; k < built.n; k++)
            if (!ks_digest_eq(&built.ptx[k], &evidence->ptx[k]) ||
                !ks_digest_eq(&built.sass[k], &evidence->sass[k]))
                return KS_R_VARIANT_DIFFERS;
    }
    return ks_tu_originals_unchanged(c->arena, &c->tu, compile, text);
}

static bool says(struct ks_slice text, const char *word)
{
    return memmem(text.at, text.len, word, strlen(word)) != NULL;
}

// An error of the text, rather than of the disk, the memory or somebody's kill.
static bool is_about_text(const struct ks_tu_compile *compile)
{
    return (compile->exit_code == 1 || compile->exit_code == 2) &&
           (says(compile->err, "error:") || says(compile->err, "error   :")) &&
           !says(compile->err, "fatal") && !says(compile->err, "catastrophic") &&
           !says(compile->err, "No space left") && !says(compile->err, "Killed");
}

static enum ks_reason prove(struct consume *c, const char *keep_dir, const char *object,
                            struct ks_strv *extra, const char **text, bool *sure)
{
    struct ks_err err = {0};
    struct ks_tu_compile compile = {0};
    const char *shadow = NULL, *root = consume_shadow_root(c);
    const char *depfile = ks_path_join(c->arena, keep_dir, "ks.d");
    *text = "";
    *sure = false;
    if (root == NULL) {
        *text = "no folder for shadow files; set KS_CACHE_DIR";
        return KS_R_INTERNAL;
    }
    enum ks_status status =
        ks_tu_compile_shadow(c->arena, &c->tu, c->subs, c->n_subs, true, root, keep_dir, object,
                             depfile, &compile, &shadow, &err);
    if (status != KS_OK) {
        *text = ks_arena_strdup(c->arena, err.text);
        *sure = status == KS_E_UNSUPPORTED;
        return KS_R_SHADOW_FAILED;
    }
    c->manifest.shadow = ks_path_base(ks_path_dir(c->arena, shadow));
    if (compile.exit_code != 0) {
        size_t n = compile.err.len < 400 ? compile.err.len : 400;
        *text = ks_arena_strndup(c->arena, compile.err.at, n);
        *sure = is_about_text(&compile);
        return KS_R_SHADOW_FAILED;
    }
    if (!consume_same_dependencies(c, compile.depfile, shadow, extra))
        return KS_R_DEPENDENCIES_CHANGED;
    *sure = true;
    return consume_has_proof(c, object) ? check_built(c, &compile, text, sure) : KS_R_NO_PROOF;
}

static void remember(struct consume *c, enum ks_reason outcome, const char *text)
{
    c->manifest.proved = ks_arena_alloc(c->arena, sizeof *c->manifest.proved);
    c->manifest.proved[0].set = c->set;
    c->manifest.proved[0].outcome = outcome;
    c->manifest.proved[0].text = text;
    c->manifest.n_proved = 1;
}

static void save_manifest(struct consume *c)
{
    struct ks_err err = {0};
    if (c->config->readonly || c->cmd->depfile_mmd) // -MMD hides files the manifest must know
        return;
    if (ks_manifest_save(c->config, &c->name, &c->manifest, &err) != KS_OK)
        ks_debug("%s", err.text);
}

// A device, a link or a pipe is no place to rename over.
static bool is_plain_file(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static enum ks_reason substitute(struct consume *c, const char *keep_dir, const char **text,
                                 bool *sure)
{
    struct ks_err err = {0};
    struct ks_strv extra = {0};
    const char *shadow_keep = ks_path_join(c->arena, keep_dir, "shadow");
    const char *out = ks_path_join(c->arena, keep_dir, "out");
    const char *object = ks_path_join(c->arena, out, ks_path_base(c->object));
    *sure = false;
    if (!is_plain_file(c->object)) {
        *text = ks_arena_printf(c->arena, "%s is no regular file", c->object);
        return KS_R_INTERNAL;
    }
    if (ks_dir_make(shadow_keep, &err) != KS_OK || ks_dir_make(out, &err) != KS_OK) {
        *text = ks_arena_strdup(c->arena, err.text);
        return KS_R_INTERNAL;
    }
    enum ks_reason outcome = prove(c, shadow_keep, object, &extra, text, sure);
    if (outcome != KS_R_APPLIED || ks_stop_requested())
        return outcome;
    if (ks_file_copy(object, c->object, &err) != KS_OK) {
        *text = ks_arena_strdup(c->arena, err.text);
        *sure = false;
        return KS_R_INTERNAL;
    }
    for (size_t i = 0; i < extra.len; i++) // a later compile with this set reads these too
        ks_strv_add(c->arena, &c->manifest.dependencies, extra.at[i]);
    return KS_R_APPLIED;
}

int consume_prove(struct consume *c, const char *keep_dir)
{
    struct ks_err err = {0};
    c->manifest.n_proved = 0;
    // The plain compile's depfile serves either object: the same files, and toolkit headers.
    if (consume_mend_depfile(c, c->tu.path, &err) != KS_OK)
        ks_debug("%s", err.text);
    if (c->n_subs > 0) {
        const char *text = "";
        bool sure;
        enum ks_reason outcome = substitute(c, keep_dir, &text, &sure);
        if (sure)
            remember(c, outcome, text);
        consume_outcome(c, outcome, text);
    }
    save_manifest(c);
    consume_report(c);
    return 0;
}
