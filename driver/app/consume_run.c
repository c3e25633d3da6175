// The order of things for one marked TU (ARCHITECTURE.md, "life of one compile").
#include "app/consume.h"

#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/log.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/rescue.h"

// nvcc failed with our --keep folder in the way, perhaps: a full disk there, or a folder that is gone,
// is no error of the user's, and a message that names it is not nvcc's own.
static bool is_ours(const char *dir, const struct ks_tu_compile *compile)
{
    struct statvfs st;
    return statvfs(dir, &st) != 0 || st.f_bavail * st.f_frsize < 1u << 20 || st.f_favail == 0 ||
           ks_held_says(&compile->held, dir);
}

static struct ks_digest undecided_keys(const struct consume *c)
{
    struct ks_hash hash;
    struct ks_digest keys;
    ks_hash_begin(&hash, "undecided");
    for (size_t i = 0; i < c->n_kernels; i++)
        if (consume_undecided(&c->kernels[i]))
            ks_hash_field(&hash, "key", &c->kernels[i].key, sizeof c->kernels[i].key);
    ks_hash_end(&hash, &keys);
    return keys;
}

// The tuner may have stored decisions whatever its exit status says, and the first tune of all makes
// the key they are signed with: which keys are trusted is read anew. What it left undecided is not asked of
// it again, where a manifest's keys turn out to be the true ones.
static void tune_pending(struct consume *c)
{
    if (c->config->mode != KS_MODE_TUNE || !consume_any_pending(c))
        return;
    struct ks_digest keys = undecided_keys(c);
    if (ks_digest_eq(&keys, &c->tuned))
        return;
    c->tuned = keys;
    consume_tune(c);
    ks_store_open(c->arena, c->config, &c->tu.project, &c->store);
    consume_decide(c);
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
    struct ks_tu_compile plain = {.keep_dir = keep, .hold = true};
    if (ks_tu_compile_plain(c->arena, &c->tu, consume_output(c), &plain, &err) != KS_OK)
        goto done;
    result = plain.exit_code;
    if (result != 0 && !ks_stop_requested() && is_ours(keep, &plain))
        result = CONSUME_PASS;
    if (result == CONSUME_PASS)
        goto done;
    // From here on the object is the user's own: whatever fails below leaves it there.
    ks_rescue_settle(result);
    ks_held_pass(&plain.held);
    if (result != 0)
        goto done;
    if (ks_tu_identify(c->arena, &c->tu, &plain, &err) != KS_OK ||
        consume_take_dependencies(c, &plain, &err) != KS_OK) {
        ks_debug("%s: %s", c->tu.path, err.text);
        if (c->config->mode == KS_MODE_STRICT) // nothing was decided
            result = CONSUME_PASS;
        goto done;
    }
    consume_from_identity(c);
    consume_decide(c);
    tune_pending(c);
    result = consume_prove(c, keep);
done:
    if (result == CONSUME_PASS && err.text[0] != '\0')
        ks_debug("%s: %s", c->tu.path, err.text);
    ks_held_drop(&plain.held);
    ks_tree_remove(keep, NULL);
    return result;
}

// A failed compile leaves no object, not even an older one. A device or a link is not ours to remove.
static void remove_object(const struct consume *c)
{
    struct stat st;
    if (lstat(c->object, &st) == 0 && S_ISREG(st.st_mode))
        unlink(c->object);
}

static bool strict_fails(const struct consume *c)
{
    if (c->config->mode != KS_MODE_STRICT || !consume_strict_fails(c))
        return false;
    remove_object(c);
    return true;
}

// A manifest answers without a compiler; it is only trusted for sets of variants proved before.
static int run_fast(struct consume *c)
{
    consume_from_manifest(c);
    consume_decide(c);
    tune_pending(c);
    if (c->n_subs > 0 && !consume_recall(c))
        return run_slow(c);
    if (c->n_subs == 0 && c->manifest.probing) // its keys may be those of yesterday
        return run_slow(c);
    if (!c->manifest.probing && strict_fails(c))
        return 1;
    if (c->n_subs == 0)
        return consume_plain(c);
    int result = consume_proved(c);
    return result == CONSUME_PASS && !ks_stop_requested() ? run_slow(c) : result;
}

// Another build of this program may write other shadows or other keys.
static void name_manifest(struct consume *c)
{
    struct stat self = {0};
    struct ks_hash hash;
    struct ks_digest base = ks_manifest_name(c->cmd, c->toolkit, c->tu.project.file);
    (void)stat("/proc/self/exe", &self);
    ks_hash_begin(&hash, "consume");
    ks_hash_field(&hash, "name", &base, sizeof base);
    ks_hash_text(&hash, "version", KS_VERSION);
    ks_hash_int(&hash, "size", self.st_size);
    ks_hash_int(&hash, "seconds", self.st_mtim.tv_sec);
    ks_hash_int(&hash, "nanoseconds", self.st_mtim.tv_nsec);
    ks_hash_text(&hash, "share", c->config->share_dir);
    for (size_t i = 0; i < c->tu.files.len; i++) // a new header may take another's place
        ks_hash_text(&hash, "file", c->tu.files.at[i].path);
    for (size_t i = 0; i < c->config->kernels.len; i++)
        ks_hash_text(&hash, "kernel", c->config->kernels.at[i]);
    ks_hash_end(&hash, &c->name);
}

// A build that insists on decisions is not served by doubt.
static int strict_refuses(const struct consume *c, const char *why)
{
    ks_error("strict: %s", why[0] != '\0' ? why : "this unit's kernels cannot be identified; see "
                                                  "KS_LOG=debug");
    remove_object(c);
    return 1;
}

int consume_run(struct ks_arena *arena, const struct ks_config *given,
                const struct ks_cmdline *cmd, struct ks_toolkit *toolkit,
                const struct consume_part *part)
{
    struct ks_config config = *given;
    struct consume c = {
        .arena = arena, .config = &config, .cmd = cmd, .toolkit = toolkit, .part = part};
    struct ks_err err = {0};
    c.object = cmd->output != NULL ? cmd->output : ks_cmdline_default_output(arena, cmd);
    enum ks_status status = ks_tu_open(arena, &config, cmd, toolkit, &c.tu, &err);
    ks_project_apply(&c.tu.project, &config);
    bool off = config.mode == KS_MODE_OFF; // said by ks.yaml: main has seen to the other ways
    if (off && status != KS_OK)
        return CONSUME_PASS;
    if (config.mode == KS_MODE_STRICT)
        ks_rescue_refuse(c.object);
    // A file that is not there is nvcc's error to tell.
    if (status != KS_OK && config.mode == KS_MODE_STRICT && access(c.tu.path, R_OK) == 0)
        return strict_refuses(&c, err.text);
    if (status == KS_E_USER) {
        ks_warn("%s; compiled as it stands", err.text);
        consume_report_mark(&c, err.text);
    }
    if (status != KS_OK || c.tu.n_marks == 0)
        return CONSUME_PASS;
    ks_store_open(arena, &config, &c.tu.project, &c.store);
    ks_store_dependencies(arena, &c.store, !config.readonly, &c.extra_dependencies);
    if (off) // nvcc's object, and a depfile that brings the build back once ks.yaml is edited
        return consume_plain(&c);
    int result = CONSUME_PASS;
    if (ks_toolkit_version(arena, &config, toolkit, &err) == KS_OK) {
        name_manifest(&c);
        result = ks_manifest_load(arena, &config, &c.name, &c.manifest, &err) == KS_OK
                     ? run_fast(&c)
                     : run_slow(&c);
    } else {
        ks_debug("%s", err.text);
    }
    if (c.scratch != NULL)
        ks_tree_remove(c.scratch, NULL);
    if (config.mode != KS_MODE_STRICT || ks_stop_requested())
        return result;
    if (result == CONSUME_PASS)
        return strict_refuses(&c, "");
    return result == 0 && strict_fails(&c) ? 1 : result;
}
