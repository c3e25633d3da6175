// Shared tiers: read behind project and user, with the user's and the system's keys alone, never
// written; one that is missing or hangs is as good as empty. And what the trusted keys decide: the
// files that builds depend on, the fingerprint.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/file.h"
#include "os/reach.h"
#include "store/store.h"

// A folder on a server that is gone: whoever opens it waits for ever. Each call leaves a mark.
int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (strstr(path, "/hang") != NULL) {
        const char *count = getenv("HANG_COUNT");
        long fd = syscall(SYS_openat, AT_FDCWD, count, O_WRONLY | O_APPEND | O_CREAT, 0666);
        if (fd < 0 || write((int)fd, ".", 1) != 1)
            abort();
        for (;;)
            pause();
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static struct ks_arena arena;
static char *base;
static struct ks_config config;
static struct ks_secret_key own, friend;

static const char *below(const char *name)
{
    return ks_path_join(&arena, base, name);
}

static void write_text(const char *path, const char *text)
{
    assert_int_equal(ks_dir_make(ks_path_dir(&arena, path), NULL), KS_OK);
    assert_int_equal(ks_file_write(path, text, strlen(text), false, 0, NULL), KS_OK);
}

static const char *public_text(const struct ks_secret_key *secret)
{
    struct ks_pubkey key;
    char *text = ks_arena_alloc(&arena, KS_PUBKEY_TEXT);
    ks_secret_public(secret, &key);
    ks_pubkey_text(&key, text);
    return text;
}

static int setup(void **state)
{
    (void)state;
    struct ks_err err;
    struct ks_pubkey half;
    if (ks_dir_temp(&arena, "ks-shared", &base, &err) != KS_OK)
        return -1;
    config = (struct ks_config){.cache_dir = below("cache"), .config_dir = below("config"),
                                .system_dir = below("etc")};
    setenv("HANG_COUNT", below("count"), 1);
    return ks_user_key(&config, true, &own, &err) == KS_OK &&
                   ks_key_generate(&friend, &half, &err) == KS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    ks_tree_remove(base, NULL);
    ks_arena_free(&arena);
    return 0;
}

static const struct ks_digest key = {{1, 2, 3}};

static struct ks_store opened(const struct ks_project *project)
{
    struct ks_store store;
    ks_store_open(&arena, &config, project, &store);
    return store;
}

// Published into the folder as some other user's tool does.
static void publish(const char *dir, const struct ks_secret_key *by)
{
    struct ks_original_decision decision = {.key = key, .tried = 5, .complete = true,
                                            .kernel = "k", .arch = 90};
    const struct ks_store there = {.tiers = {{.kind = KS_TIER_USER, .dir = dir,
                                              .index = ks_path_join(&arena, dir, "index")}},
                                   .n_tiers = 1};
    const char *path;
    struct ks_err err;
    if (ks_store_put_original(&arena, &there, by, &decision, &path, &err) != KS_OK)
        fail_msg("%s", err.text);
}

static enum ks_reason looked_up(const struct ks_project *project)
{
    struct ks_lookup lookup;
    struct ks_store store = opened(project);
    ks_store_lookup(&arena, &store, &config, &key, &lookup);
    return lookup.reason;
}

static void come_behind_the_user_with_the_users_keys(void **state)
{
    (void)state;
    struct ks_project project = {.root = below("project"), .n_trust = 1};
    struct ks_pubkey theirs;
    ks_secret_public(&friend, &theirs);
    project.trust = &theirs;
    publish(below("shared"), &friend);
    assert_int_equal(looked_up(&project), KS_R_PENDING);
    ks_strv_add(&arena, &config.store_dirs, below("missing"));
    ks_strv_add(&arena, &config.store_dirs, below("shared"));
    struct ks_store store = opened(&project);
    assert_int_equal(store.n_tiers, 3);
    assert_int_equal(store.tiers[2].kind, KS_TIER_SHARED);
    assert_string_equal(store.tiers[2].dir, below("shared"));
    assert_int_equal(store.away.len, 1);
    assert_string_equal(store.away.at[0], below("missing"));

    // The project trusts the friend: for its own folder, not for this one.
    assert_int_equal(looked_up(&project), KS_R_UNTRUSTED);
    write_text(below("config/trusted.keys"), public_text(&friend));
    assert_int_equal(looked_up(&project), KS_R_ORIGINAL_WINS);
    assert_int_equal(unlink(below("config/trusted.keys")), 0);
    assert_int_equal(looked_up(&project), KS_R_UNTRUSTED);
    write_text(below("etc/trusted.keys"), public_text(&friend));
    assert_int_equal(looked_up(&project), KS_R_ORIGINAL_WINS);
}

static bool depends_on(const struct ks_strv *paths, const char *path)
{
    for (size_t i = 0; i < paths->len; i++)
        if (strcmp(paths->at[i], path) == 0)
            return true;
    return false;
}

static void are_not_written(void **state)
{
    (void)state;
    const char *shared = below("shared");
    assert_int_equal(ks_dir_make(shared, NULL), KS_OK);
    ks_strv_add(&arena, &config.store_dirs, shared);
    struct ks_store store = opened(NULL);
    struct ks_strv paths = {0};
    ks_store_dependencies(&arena, &store, true, &paths);
    struct ks_strv names = {0};
    assert_int_equal(ks_dir_list(&arena, shared, &names, NULL), KS_OK);
    assert_int_equal(names.len, 0);
    assert_true(depends_on(&paths, shared)); // without an index, its own time tells

    // Without project and user there is nowhere to put a decision.
    config.cache_dir = NULL;
    store = opened(NULL);
    assert_int_equal(store.n_tiers, 1);
    struct ks_original_decision decision = {.key = key, .kernel = "k", .arch = 90};
    const char *path;
    assert_int_equal(ks_store_put_original(&arena, &store, &own, &decision, &path, NULL), KS_E_IO);
    assert_int_equal(ks_dir_list(&arena, shared, &names, NULL), KS_OK);
    assert_int_equal(names.len, 0);
}

static size_t hangs(void)
{
    struct ks_slice text = {0};
    (void)ks_file_read(&arena, below("count"), 100, &text, NULL);
    return text.len;
}

static void one_that_hangs_is_left_out(void **state)
{
    (void)state;
    publish(below("shared"), &own);
    ks_strv_add(&arena, &config.store_dirs, below("hang"));
    ks_strv_add(&arena, &config.store_dirs, below("shared"));
    assert_int_equal(looked_up(NULL), KS_R_ORIGINAL_WINS);
    assert_int_equal(hangs(), 1);
    // Within the next half minute nobody asks it again.
    struct ks_store store = opened(NULL);
    assert_int_equal(store.n_tiers, 2);
    assert_int_equal(store.away.len, 1);
    assert_int_equal(hangs(), 1);
}

static void reach_tells_folders_apart(void **state)
{
    (void)state;
    write_text(below("file"), "x");
    const char *dirs[] = {base, below("none"), below("file"), below("hang"), base};
    enum ks_reach reach[5];
    ks_reach(dirs, 5, 0.5, reach);
    const enum ks_reach expected[] = {KS_REACH_HERE, KS_REACH_ABSENT, KS_REACH_ABSENT,
                                      KS_REACH_AWAY, KS_REACH_HERE};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(reach[i], expected[i]);
}

static struct ks_digest fingerprint(void)
{
    struct ks_store store = opened(NULL);
    struct ks_hash hash;
    struct ks_digest digest;
    ks_hash_begin(&hash, "test");
    ks_store_hash(&arena, &store, &hash);
    ks_hash_end(&hash, &digest);
    return digest;
}

// An index may stand still while trust goes: builds depend on what says whom to trust.
static void builds_follow_indexes_and_trust(void **state)
{
    (void)state;
    struct ks_project project = {.root = below("project"), .file = below("project/ks.yaml")};
    publish(below("shared"), &friend);
    ks_strv_add(&arena, &config.store_dirs, below("shared"));
    write_text(project.file, "");
    struct ks_store store = opened(&project);
    struct ks_strv paths = {0};
    ks_store_dependencies(&arena, &store, true, &paths);
    assert_true(depends_on(&paths, below("project/.ks/index")));
    assert_true(depends_on(&paths, below("cache/variants/index")));
    assert_true(depends_on(&paths, below("shared/index")));
    assert_true(depends_on(&paths, below("project/ks.yaml")));
    assert_true(depends_on(&paths, below("config/key.pub")));
    assert_false(depends_on(&paths, below("config/trusted.keys"))); // not there

    struct ks_digest before = fingerprint();
    write_text(below("config/trusted.keys"), public_text(&friend));
    struct ks_digest trusted = fingerprint();
    assert_false(ks_digest_eq(&before, &trusted));
    paths = (struct ks_strv){0};
    store = opened(&project);
    ks_store_dependencies(&arena, &store, false, &paths);
    assert_true(depends_on(&paths, below("config/trusted.keys")));
    publish(below("shared"), &own);
    struct ks_digest other = fingerprint();
    assert_true(ks_digest_eq(&trusted, &other)); // the index tells contents, not signers
    write_text(below("shared/index"), "");
    other = fingerprint();
    assert_false(ks_digest_eq(&trusted, &other));
}

static void a_stirred_index_is_new(void **state)
{
    (void)state;
    struct ks_store store = opened(NULL);
    struct ks_strv paths = {0};
    struct stat before, after;
    ks_store_dependencies(&arena, &store, true, &paths);
    assert_int_equal(stat(store.tiers[0].index, &before), 0);
    ks_store_stir(&store.tiers[0]);
    assert_int_equal(stat(store.tiers[0].index, &after), 0);
    assert_true(after.st_mtim.tv_sec > before.st_mtim.tv_sec);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(come_behind_the_user_with_the_users_keys),
        TEST(are_not_written),
        TEST(one_that_hangs_is_left_out),
        TEST(reach_tells_folders_apart),
        TEST(builds_follow_indexes_and_trust),
        TEST(a_stirred_index_is_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
