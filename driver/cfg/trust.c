#include "cfg/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "os/file.h"

// A secret that others can read is no secret any more.
static enum ks_status load(const char *path, struct ks_secret_key *secret, struct ks_err *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno == ENOENT
                   ? ks_err_set(err, KS_E_ABSENT, "no signing key at %s; `ks tune` makes one", path)
                   : ks_err_errno(err, "%s", path);
    if (st.st_uid != geteuid())
        KS_FAIL(err, KS_E_TRUST,
                "%s belongs to another user; move it away and tune again to make "
                "a key of your own",
                path);
    if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        KS_FAIL(err, KS_E_TRUST,
                "%s can be read by others (mode %03o): run `chmod 600 %s`, or "
                "remove it for a new key if somebody may have copied it",
                path, (unsigned)(st.st_mode & 0777), path);
    return ks_secret_load(path, secret, err);
}

// key.pub as minisign writes it.
static enum ks_status save_public(const char *path, const struct ks_secret_key *secret,
                                  struct ks_err *err)
{
    struct ks_pubkey public_key;
    char text[KS_PUBKEY_TEXT], id[17], file[256];
    ks_secret_public(secret, &public_key);
    ks_pubkey_text(&public_key, text);
    ks_key_id_text(public_key.id, id);
    int n =
        snprintf(file, sizeof file, "untrusted comment: minisign public key %s\n%s\n", id, text);
    KS_ASSERT(n > 0 && (size_t)n < sizeof file);
    return ks_file_update(path, file, (size_t)n, err);
}

// Moves `from` to `to` unless that exists (then false, `from` stays); whole or not at all.
static bool claim(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno == EEXIST || link(from, to) != 0) // not every file system knows the flag
        return false;
    (void)unlink(from);
    return true;
}

// Of several processes that make a key at once one wins, and all use its key.
static enum ks_status make_key(struct ks_arena *arena, const char *dir, const char *path,
                               struct ks_secret_key *secret, struct ks_err *err)
{
    struct ks_pubkey public_key;
    KS_TRY(ks_dir_make(dir, err));
    KS_TRY(ks_key_generate(secret, &public_key, err));
    const char *temp = ks_arena_printf(arena, "%s.%08llx", path,
                                       (unsigned long long)(ks_seed_from_os() & 0xffffffffu));
    enum ks_status status = ks_secret_save(temp, secret, err);
    if (status == KS_OK && !claim(temp, path) && errno != EEXIST)
        status = ks_err_errno(err, "%s", path);
    (void)unlink(temp);
    return status == KS_OK ? load(path, secret, err) : status;
}

enum ks_status ks_user_key(const struct ks_config *config, bool make, struct ks_secret_key *secret,
                           struct ks_err *err)
{
    if (config->config_dir == NULL)
        KS_FAIL(err, KS_E_ABSENT,
                "no place for a signing key: the home directory cannot be used; "
                "set KS_CONFIG_DIR");
    struct ks_arena arena = {0};
    const char *path = ks_path_join(&arena, config->config_dir, "key.sec");
    enum ks_status status = load(path, secret, err);
    if (make && status == KS_E_ABSENT) {
        if (config->readonly)
            status = ks_err_set(err, KS_E_ABSENT,
                                "no signing key at %s, and KS_READONLY forbids "
                                "making one",
                                path);
        else
            status = make_key(&arena, config->config_dir, path, secret, err);
    }
    if (make && status == KS_OK && !config->readonly)
        status = save_public(ks_path_join(&arena, config->config_dir, KS_PUBLIC_KEY_FILE), secret, err);
    ks_arena_free(&arena);
    return status;
}
