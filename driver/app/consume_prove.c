// The first compile with a set of variants, and the proofs that it is what was judged. The user's
// object is nvcc's plain one until everything holds: the shadow is compiled elsewhere and renamed
// over it, so that no kill and no full disk leaves an unproved substitution behind.
#include "app/consume.h"

#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "os/file.h"
#include "os/proc.h"

#define DEPFILE_MAX (64u << 20)

// One look at a set of substitutions.
struct attempt {
    const char *keep_dir, *object;
    struct ks_strv extra;   // files that the variants' own includes brought
    enum ks_reason outcome; // for all of the set that are left
    const char *text;
    bool sure; // the answer is the same next time
};

static void give_up(struct attempt *a, enum ks_reason outcome, const char *text, bool sure)
{
    a->outcome = outcome;
    a->text = text;
    a->sure = sure;
}

// Every variant must compile here to the very code that was judged; those that do not are dropped.
static bool check_built(struct consume *c, const struct ks_tu_compile *compile, struct attempt *a)
{
    for (size_t i = c->n_subs; i-- > 0;) {
        struct ks_err err = {0};
        bool same;
        enum ks_status status = consume_check_variant(c, compile, i, &same, &err);
        if (status != KS_OK && status != KS_E_ABSENT) {
            give_up(a, KS_R_VARIANT_DIFFERS, ks_arena_strdup(c->arena, err.text), false);
            return false;
        }
        if (status == KS_E_ABSENT)
            consume_drop(c, i, KS_R_VARIANT_DIFFERS, ks_arena_strdup(c->arena, err.text));
        else if (!same)
            consume_drop(c, i, KS_R_VARIANT_DIFFERS, c->subs[i].id);
    }
    return true;
}

// An entry of the table is found by the name that the object's own host code registers; one that
// fits none, or several, would never be asked.
static bool check_registered(struct consume *c, const struct ks_tu_compile *compile,
                             struct attempt *a)
{
    struct ks_err err = {0};
    struct ks_signature_list registered = {0};
    if (ks_tu_registered_read(c->arena, compile, &registered, &err) != KS_OK) {
        give_up(a, KS_R_NO_PROOF, ks_arena_strdup(c->arena, err.text), false);
        return false;
    }
    for (size_t i = c->n_subs; i-- > 0;) {
        size_t fits = 0;
        ks_vec_each (struct ks_signature, signature, &registered)
            fits += ks_registered_same(c->subs[i].signature->registered, signature->registered);
        if (fits != 1)
            consume_drop(c, i, KS_R_NO_PROOF, "");
    }
    return true;
}

static void compile_failed(struct consume *c, const struct ks_tu_compile *compile,
                           struct attempt *a)
{
    bool sure = consume_is_about_text(compile);
    if (sure && consume_blame(c, compile) > 0)
        return;
    size_t n = compile->err.len < 400 ? compile->err.len : 400;
    give_up(a, KS_R_SHADOW_FAILED, ks_arena_strndup(c->arena, compile->err.at, n), sure);
}

static void attempt(struct consume *c, struct attempt *a)
{
    struct ks_err err = {0};
    struct ks_tu_compile compile = {.quiet = true}; // the user saw the plain one's text
    const char *shadow = NULL, *root = consume_shadow_root(c);
    const char *depfile =
        c->cmd->depfile != NULL ? ks_path_join(c->arena, a->keep_dir, "ks.d") : NULL;
    a->outcome = KS_R_APPLIED;
    a->text = "";
    a->sure = true;
    a->extra.len = 0;
    if (root == NULL)
        return give_up(a, KS_R_INTERNAL, "no folder for shadow files; set KS_CACHE_DIR", false);
    if (ks_dir_make(a->keep_dir, &err) != KS_OK)
        return give_up(a, KS_R_INTERNAL, ks_arena_strdup(c->arena, err.text), false);
    enum ks_status status =
        ks_tu_compile_shadow(c->arena, &c->tu, c->subs, c->n_subs, true, root, a->keep_dir,
                             a->object, depfile, &compile, &shadow, &err);
    if (status != KS_OK)
        return give_up(a, KS_R_SHADOW_FAILED, ks_arena_strdup(c->arena, err.text),
                       status == KS_E_UNSUPPORTED);
    c->manifest.shadow = ks_path_base(ks_path_dir(c->arena, shadow));
    if (compile.exit_code != 0)
        return compile_failed(c, &compile, a);
    if (!consume_same_dependencies(c, &compile, shadow, &a->extra))
        return give_up(a, KS_R_DEPENDENCIES_CHANGED, "", false);
    status = consume_has_proof(c, a->object);
    if (status != KS_OK)
        return give_up(a, KS_R_NO_PROOF, "", status == KS_E_ABSENT);
    size_t before = c->n_subs;
    if (!check_registered(c, &compile, a) || !check_built(c, &compile, a) || c->n_subs < before)
        return;
    a->outcome = ks_tu_originals_unchanged(c->arena, &c->tu, &compile, &a->text);
    a->sure = a->outcome != KS_R_INTERNAL;
}

// Compiles what is left until nothing of it is dropped any more. A front end names all bad variants
// at once, ptxas and the comparison with the evidence again: three drops in turn are the most that
// happens, and whoever needs more is no set to trust.
static void attempt_rounds(struct consume *c, const char *keep_dir, struct attempt *a)
{
    for (int round = 0; round < 4 && c->n_subs > 0; round++) {
        size_t before = c->n_subs;
        a->keep_dir =
            ks_path_join(c->arena, keep_dir, ks_arena_printf(c->arena, "shadow%d", round));
        attempt(c, a);
        if (c->n_subs == before || a->outcome != KS_R_APPLIED || ks_stop_requested())
            return;
    }
    if (c->n_subs > 0)
        give_up(a, c->drops.at[c->drops.len - 1].reason, "too many variants fail", true);
}

static void save_manifest(struct consume *c)
{
    struct ks_err err = {0};
    if (c->config->readonly)
        return;
    // What was compiled and what would be remembered may be two texts, whatever the dates say:
    // clocks jump, and those of file servers differ from ours.
    if (!ks_closure_holds(&c->tu.files)) {
        ks_debug("%s: written while it was compiled", c->tu.path);
        return;
    }
    if (ks_manifest_save(c->config, &c->name, &c->manifest, &err) != KS_OK)
        ks_debug("%s", err.text);
}

// A device, a link or a pipe is no place to rename over.
static bool is_plain_file(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

// The object is replaced where something of the set is left and holds.
static void substitute(struct consume *c, const char *keep_dir, struct attempt *a)
{
    struct ks_err err = {0};
    const char *out = ks_path_join(c->arena, keep_dir, "out");
    a->object = ks_path_join(c->arena, out, ks_path_base(c->object));
    if (!is_plain_file(c->object))
        return give_up(a, KS_R_INTERNAL,
                       ks_arena_printf(c->arena, "%s is no regular file", c->object), false);
    if (ks_dir_make(out, &err) != KS_OK)
        return give_up(a, KS_R_INTERNAL, ks_arena_strdup(c->arena, err.text), false);
    attempt_rounds(c, keep_dir, a);
    if (ks_stop_requested())
        a->sure = false;
    if (a->outcome != KS_R_APPLIED || c->n_subs == 0 || ks_stop_requested())
        return;
    if (!ks_closure_holds(&c->tu.files)) // nvcc may have read a later text than the shadow's
        return give_up(a, KS_R_DEPENDENCIES_CHANGED, "written while it was compiled", false);
    if (ks_file_copy(a->object, c->object, &err) != KS_OK)
        return give_up(a, KS_R_INTERNAL, ks_arena_strdup(c->arena, err.text), false);
    for (size_t i = 0; i < a->extra.len; i++) // a later compile with this set reads these too
        ks_strv_add(c->arena, &c->manifest.dependencies, a->extra.at[i]);
}

int consume_prove(struct consume *c, const char *keep_dir)
{
    struct ks_err err = {0};
    c->manifest.n_proved = 0;
    // The plain compile's depfile serves either object: the same files, and toolkit headers. Where
    // an options file or the environment asks for it, a shadow's compile writes to the same place.
    bool mended = consume_mend_depfile(c, c->tu.path, &err) == KS_OK;
    struct ks_slice depfile = {0};
    if (mended && c->cmd->depfile != NULL)
        mended = ks_file_read(c->arena, c->cmd->depfile, DEPFILE_MAX, &depfile, &err) == KS_OK;
    if (c->n_subs > 0) {
        struct attempt a = {.outcome = KS_R_APPLIED, .text = "", .sure = true};
        if (mended) // else nothing would bring a later change of the variant into the object
            substitute(c, keep_dir, &a);
        else
            a = (struct attempt){.outcome = KS_R_INTERNAL, .text = err.text};
        if (depfile.len > 0 && consume_restore_depfile(c, depfile, &err) != KS_OK)
            ks_debug("%s", err.text);
        if (a.sure)
            consume_remember(c, a.outcome, a.text);
        consume_outcome(c, a.outcome, a.text);
    }
    if (!mended)
        ks_debug("%s", err.text);
    save_manifest(c);
    consume_report(c);
    return 0;
}
