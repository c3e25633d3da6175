#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cfg/config.h"
#include "os/file.h"

static struct ks_arena arena;
static char *dir;

static int set_up(void **state)
{
    (void)state;
    clearenv();
    if (ks_dir_temp(&arena, "ks-test", &dir, NULL) != KS_OK)
        return -1;
    setenv("HOME", dir, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    enum ks_status status = ks_tree_remove(dir, NULL);
    ks_arena_free(&arena);
    return status == KS_OK ? 0 : -1;
}

static struct ks_config load(const char *const *arguments)
{
    struct ks_config config;
    struct ks_err err;
    if (ks_config_load(&arena, arguments, &config, &err) != KS_OK)
        fail_msg("%s", err.text);
    return config;
}

// The message of a refusal.
static const char *refused(const char *const *arguments)
{
    struct ks_config config;
    struct ks_err err;
    assert_int_equal(ks_config_load(&arena, arguments, &config, &err), KS_E_USER);
    if (getenv("KS_NVCC_REAL") != NULL) // the plain nvcc to run instead is known all the same
        assert_string_equal(config.real_nvcc, getenv("KS_NVCC_REAL"));
    return ks_arena_strdup(&arena, err.text);
}

static const char *user_file(const char *text)
{
    const char *path = ks_path_join(&arena, dir, ".config/ks/config.yaml");
    assert_int_equal(ks_dir_make(ks_path_dir(&arena, path), NULL), KS_OK);
    assert_int_equal(ks_file_write(path, text, strlen(text), false, 0, NULL), KS_OK);
    return path;
}

static const char *in_home(const char *name)
{
    return ks_path_join(&arena, dir, name);
}

static void starts_from_defaults(void **state)
{
    (void)state;
    struct ks_config config = load(NULL);
    assert_int_equal(config.mode, KS_MODE_CONSUME);
    assert_int_equal(config.accept, KS_ACCEPT_MEASURED);
    assert_false(config.readonly || config.remarks_applied || config.remarks_missed);
    assert_true(config.budget_seconds > 59.9 && config.budget_seconds < 60.1);
    assert_null(config.project);
    assert_null(config.real_nvcc);
    assert_string_equal(config.device, "auto");
    assert_string_equal(config.cache_dir, in_home(".cache/ks"));
    assert_string_equal(config.state_dir, in_home(".local/state/ks"));
    assert_string_equal(config.config_dir, in_home(".config/ks"));
    assert_string_equal(config.runtime_dir,
                        ks_arena_printf(&arena, "/tmp/ks-%u", (unsigned)geteuid()));
    const char *bin = ks_program_dir(&arena);
    assert_string_equal(config.share_dir,
                        ks_path_join(&arena, ks_path_dir(&arena, bin), "share/ks"));
    assert_false(ks_file_exists(in_home(".cache"))); // loading makes nothing
}

static void follows_the_base_directories(void **state)
{
    (void)state;
    setenv("XDG_CACHE_HOME", "/x/cache", 1);
    setenv("XDG_STATE_HOME", "relative", 1); // to be ignored
    setenv("XDG_CONFIG_HOME", "/x/config", 1);
    setenv("XDG_RUNTIME_DIR", "/x/run", 1);
    struct ks_config config = load(NULL);
    assert_string_equal(config.cache_dir, "/x/cache/ks");
    assert_string_equal(config.state_dir, in_home(".local/state/ks"));
    assert_string_equal(config.config_dir, "/x/config/ks");
    assert_string_equal(config.runtime_dir, "/x/run/ks");
    setenv("KS_CACHE_DIR", "/k/cache", 1);
    setenv("KS_STATE_DIR", "/k/state", 1);
    setenv("KS_CONFIG_DIR", "/k/config", 1);
    setenv("KS_SHARE_DIR", "/k/share", 1);
    config = load(NULL);
    assert_string_equal(config.cache_dir, "/k/cache");
    assert_string_equal(config.state_dir, "/k/state");
    assert_string_equal(config.config_dir, "/k/config");
    assert_string_equal(config.share_dir, "/k/share");
    const char *names[] = {"KS_CACHE_DIR", "KS_STATE_DIR", "KS_CONFIG_DIR", "KS_SHARE_DIR"};
    for (size_t i = 0; i < 4; i++) {
        setenv(names[i], "not/absolute", 1);
        assert_non_null(strstr(refused(NULL), names[i]));
        unsetenv(names[i]);
    }
}

static void lives_without_a_home(void **state)
{
    (void)state;
    const char *homes[] = {"/nonexistent", "relative"};
    for (size_t i = 0; i < 2; i++) {
        setenv("HOME", homes[i], 1);
        struct ks_config config = load(NULL);
        assert_null(config.cache_dir);
        assert_null(config.state_dir);
        assert_null(config.config_dir);
        assert_non_null(config.runtime_dir);
    }
    unsetenv("HOME");
    assert_null(load(NULL).cache_dir);
}

static void prefers_option_to_environment_to_file(void **state)
{
    (void)state;
    user_file("mode: strict\nbudget: 5m\nremarks: all\naccept: modelled\nreadonly: yes\n"
              "nvcc: /n/nvcc\ndevice: ssh gpu\ncache_dir: /f/cache\n");
    struct ks_config config = load(NULL);
    assert_int_equal(config.mode, KS_MODE_STRICT);
    assert_int_equal(config.accept, KS_ACCEPT_MODELLED);
    assert_true(config.readonly && config.remarks_applied && config.remarks_missed);
    assert_true(config.budget_seconds > 299 && config.budget_seconds < 301);
    assert_string_equal(config.real_nvcc, "/n/nvcc");
    assert_string_equal(config.device, "ssh gpu");
    assert_string_equal(config.cache_dir, "/f/cache");
    assert_false(config.mode_fixed || config.budget_fixed);

    setenv("KS_MODE", "tune", 1);
    setenv("KS_BUDGET", "90", 1);
    setenv("KS_REMARKS", "missed", 1);
    setenv("KS_READONLY", "0", 1);
    setenv("KS_ACCEPT", "measured", 1);
    setenv("KS_NVCC_REAL", "/e/nvcc", 1);
    setenv("KS_DEVICE", "cuda", 1);
    setenv("KS_CACHE_DIR", "/e/cache", 1);
    setenv("KS_PROJECT", "/e/project", 1);
    config = load(NULL);
    assert_int_equal(config.mode, KS_MODE_TUNE);
    assert_int_equal(config.accept, KS_ACCEPT_MEASURED);
    assert_false(config.readonly || config.remarks_applied);
    assert_true(config.remarks_missed && config.mode_fixed && config.budget_fixed);
    assert_true(config.budget_seconds > 89 && config.budget_seconds < 91);
    assert_string_equal(config.real_nvcc, "/e/nvcc");
    assert_string_equal(config.cache_dir, "/e/cache");
    assert_string_equal(config.project, "/e/project");

    const char *const arguments[] = {"--ks-mode=consume", "--ks-budget=1.5s",
                                     "--ks-project=/o",   "--ks-remarks=applied,missed",
                                     "--ks-fingerprint",  NULL};
    config = load(arguments);
    assert_int_equal(config.mode, KS_MODE_CONSUME);
    assert_true(config.budget_seconds > 1.4 && config.budget_seconds < 1.6);
    assert_string_equal(config.project, "/o");
    assert_true(config.remarks_applied && config.remarks_missed);
    const char *const off[] = {"--ks-mode=tune", "--ks-disable", NULL};
    assert_int_equal(load(off).mode, KS_MODE_OFF);
}

static void reads_lists_of_folders_and_sizes(void **state)
{
    (void)state;
    assert_int_equal(load(NULL).store_dirs.len, 0);
    assert_int_equal(load(NULL).cache_max, 1 << 30);
    user_file("store_dir: /mnt/a\ncache_max: 1.5K\n");
    struct ks_config config = load(NULL);
    assert_int_equal(config.store_dirs.len, 1);
    assert_string_equal(config.store_dirs.at[0], "/mnt/a");
    assert_int_equal(config.cache_max, 1536);
    setenv("KS_STORE_DIR", ":/b::/c:", 1); // in place of the file's
    setenv("KS_CACHE_MAX", "2T", 1);
    config = load(NULL);
    assert_int_equal(config.store_dirs.len, 2);
    assert_string_equal(config.store_dirs.at[0], "/b");
    assert_string_equal(config.store_dirs.at[1], "/c");
    assert_true(config.cache_max == (int64_t)2 << 40);
    // Where each came from, the last one counting.
    const struct ks_said *last = &config.said.at[config.said.len - 1];
    assert_string_equal(last->where, "KS_CACHE_MAX");
    assert_string_equal(last->value, "2T");
    assert_non_null(strstr(config.said.at[0].where, "config.yaml:1: store_dir"));
}

static void empty_variables_say_nothing(void **state)
{
    (void)state;
    const char *names[] = {"KS_MODE", "KS_BUDGET", "KS_CACHE_DIR", "KS_DISABLE", "KS_PROJECT"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        setenv(names[i], "", 1);
    struct ks_config config = load(NULL);
    assert_int_equal(config.mode, KS_MODE_CONSUME);
    assert_null(config.project);
    assert_false(config.mode_fixed);
}

static void switches_off_whatever_else_is_wrong(void **state)
{
    (void)state;
    setenv("KS_MODE", "nonsense", 1);
    setenv("KS_NVCC_REAL", "/e/nvcc", 1);
    setenv("KS_DISABLE", "1", 1);
    user_file("mode: [");
    const char *const arguments[] = {"--ks-unheard-of", NULL};
    struct ks_config config = load(arguments);
    assert_int_equal(config.mode, KS_MODE_OFF);
    assert_string_equal(config.real_nvcc, "/e/nvcc");
    user_file("");
    setenv("KS_MODE", "tune", 1);
    assert_int_equal(load(NULL).mode, KS_MODE_OFF);
    setenv("KS_DISABLE", "0", 1);
    assert_int_equal(load(NULL).mode, KS_MODE_TUNE);
}

static void names_the_mistake_and_its_place(void **state)
{
    (void)state;
    const struct {
        const char *name, *value, *part;
    } bad[] = {
        {"KS_MODE", "fast", "KS_MODE: unknown mode fast; use consume, tune, strict or off"},
        {"KS_ACCEPT", "all", "KS_ACCEPT: unknown level all"},
        {"KS_READONLY", "maybe", "KS_READONLY"},
        {"KS_REMARKS", "applied,mist", "KS_REMARKS"},
        {"KS_REMARKS", "applied,", "KS_REMARKS"},
        {"KS_BUDGET", "0", "KS_BUDGET"},
        {"KS_BUDGET", "-5s", "KS_BUDGET"},
        {"KS_BUDGET", "ten", "KS_BUDGET"},
        {"KS_BUDGET", "1e9", "KS_BUDGET"},
        {"KS_BUDGET", "s", "KS_BUDGET"},
        {"KS_BUDGET", "inf", "KS_BUDGET"},
        {"KS_STORE_DIR", "/a:b", "KS_STORE_DIR: b is not an absolute path"},
        {"KS_STORE_DIR", "/1:/2:/3:/4:/5:/6:/7:/8:/9", "KS_STORE_DIR: more than 8 folders"},
        {"KS_CACHE_MAX", "0", "KS_CACHE_MAX: 0 is no size; use bytes, or 500M, 2G"},
        {"KS_CACHE_MAX", "5X", "KS_CACHE_MAX"},
        {"KS_CACHE_MAX", "G", "KS_CACHE_MAX"},
        {"KS_CACHE_MAX", "1e30", "KS_CACHE_MAX"},
    };
    setenv("KS_NVCC_REAL", "/e/nvcc", 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv(bad[i].name, bad[i].value, 1);
        assert_non_null(strstr(refused(NULL), bad[i].part));
        unsetenv(bad[i].name);
    }
    const struct {
        const char *word, *part;
    } words[] = {
        {"--ks-mod=tune", "unknown option --ks-mod; do you mean --ks-mode?"},
        {"--ks-zzzzzz", "unknown option --ks-zzzzzz"},
        {"--ks-mode", "--ks-mode wants a value"},
        {"--ks-mode=", "--ks-mode wants a value"},
        {"--ks-disable=1", "--ks-disable takes no value"},
        {"--ks-mode=x", "--ks-mode: unknown mode x"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *const arguments[] = {words[i].word, NULL};
        assert_non_null(strstr(refused(arguments), words[i].part));
    }
    const struct {
        const char *text, *part;
    } files[] = {
        {"budget: 5\nmoed: off\n", "config.yaml:2"},
        {"\n\nmode: x\n", "config.yaml:3: mode: unknown mode x"},
        {"mode: [tune]\n", "config.yaml:1: mode takes one value"},
        {"- mode\n", "config.yaml:1: expected settings"},
        {"cache_dir: x\n", "config.yaml:1: cache_dir: x is not an absolute path"},
        {"mode: {\n", "config.yaml:"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        user_file(files[i].text);
        assert_non_null(strstr(refused(NULL), files[i].part));
    }
}

static void believes_no_file_that_others_can_write(void **state)
{
    (void)state;
    const char *path = user_file("device: evil\n");
    assert_int_equal(chmod(path, 0666), 0);
    assert_non_null(strstr(refused(NULL), "can be written by everybody"));
    assert_int_equal(chmod(path, 0644), 0);
    assert_string_equal(load(NULL).device, "evil");
}

static void lists_unknown_variables(void **state)
{
    (void)state;
    setenv("KS_MODE", "off", 1);
    setenv("KS_LOG", "debug", 1);
    setenv("KS_MODUS", "off", 1);
    setenv("KS_CACHEDIR", "/x", 1);
    setenv("KS_COMPLETELY_OTHER", "1", 1);
    setenv("KSH_VERSION", "1", 1);
    struct ks_strv names = {0};
    ks_config_unknown_variables(&arena, &names);
    assert_int_equal(names.len, 3);
    assert_string_equal(names.at[0], "KS_MODUS (do you mean KS_MODE?)");
    assert_string_equal(names.at[1], "KS_CACHEDIR (do you mean KS_CACHE_DIR?)");
    assert_string_equal(names.at[2], "KS_COMPLETELY_OTHER");
}

// Rows of the document's tables name things that exist; the options named here have their row.
static void documents_only_what_exists(void **state)
{
    (void)state;
    struct ks_slice text;
    struct ks_err err;
    if (ks_file_read(&arena, KS_SOURCE_DIR "/docs/environment.md", 1 << 20, &text, &err) != KS_OK)
        fail_msg("%s", err.text);
    size_t rows = 0;
    for (const char *at = text.at; (at = strstr(at, "\n| `")) != NULL; rows++) {
        at += 4;
        const char *name = ks_arena_strndup(&arena, at, strcspn(at, "`=["));
        const char *const arguments[] = {name, NULL};
        struct ks_strv names = {0};
        struct ks_config config;
        if (ks_starts_with(name, "KS_")) {
            setenv(name, "", 1);
            ks_config_unknown_variables(&arena, &names);
            if (names.len != 0)
                fail_msg("docs/environment.md describes %s, which nothing reads", name);
        } else if (ks_config_load(&arena, arguments, &config, &err) != KS_OK &&
                   strstr(err.text, "unknown option") != NULL) {
            fail_msg("docs/environment.md describes %s, which does not exist", name);
        }
    }
    assert_true(rows > 20);
    const char *const options[] = {"--ks-mode=",   "--ks-project=", "--ks-remarks=",
                                   "--ks-budget=", "--ks-disable`", "--ks-fingerprint`"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strstr(text.at, ks_arena_printf(&arena, "\n| `%s", options[i])) == NULL)
            fail_msg("docs/environment.md lacks %s", options[i]);
}

static void check_reads(const char *file, const char *document, size_t *found)
{
    struct ks_slice text;
    assert_int_equal(ks_file_read(&arena, file, 1 << 20, &text, NULL), KS_OK);
    for (const char *at = text.at; (at = strstr(at, "getenv(")) != NULL;) {
        at += strlen("getenv(");
        at += strspn(at, "\\\"");
        if (!ks_starts_with(at, "KS_"))
            continue;
        const char *name = ks_arena_strndup(&arena, at, strcspn(at, "\\\""));
        struct ks_strv names = {0};
        clearenv();
        setenv(name, "1", 1);
        ks_config_unknown_variables(&arena, &names);
        if (names.len != 0)
            fail_msg("%s reads %s: driver/cfg/config.c does not list it", file, name);
        if (strstr(document, ks_arena_printf(&arena, "\n| `%s`", name)) == NULL)
            fail_msg("%s reads %s: docs/environment.md does not describe it", file, name);
        *found += 1;
    }
}

static void knows_every_variable_that_is_read(void **state)
{
    (void)state;
    struct ks_slice document;
    struct ks_strv folders = {0};
    size_t found = 0;
    assert_int_equal(
        ks_file_read(&arena, KS_SOURCE_DIR "/docs/environment.md", 1 << 20, &document, NULL),
        KS_OK);
    assert_int_equal(ks_dir_list(&arena, KS_SOURCE_DIR "/driver", &folders, NULL), KS_OK);
    for (size_t i = 0; i < folders.len; i++)
        folders.at[i] = ks_path_join(&arena, KS_SOURCE_DIR "/driver", folders.at[i]);
    ks_strv_add(&arena, &folders, KS_SOURCE_DIR "/cupti_probe");
    for (size_t i = 0; i < folders.len; i++) {
        struct ks_strv files = {0};
        if (ks_dir_list(&arena, folders.at[i], &files, NULL) != KS_OK)
            continue;
        for (size_t k = 0; k < files.len; k++)
            if (ks_ends_with(files.at[k], ".c") || ks_ends_with(files.at[k], ".h"))
                check_reads(ks_path_join(&arena, folders.at[i], files.at[k]), document.at, &found);
    }
    assert_true(found >= 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(starts_from_defaults),
        TEST(follows_the_base_directories),
        TEST(lives_without_a_home),
        TEST(prefers_option_to_environment_to_file),
        TEST(reads_lists_of_folders_and_sizes),
        TEST(empty_variables_say_nothing),
        TEST(switches_off_whatever_else_is_wrong),
        TEST(names_the_mistake_and_its_place),
        TEST(believes_no_file_that_others_can_write),
        TEST(lists_unknown_variables),
        TEST(documents_only_what_exists),
        TEST(knows_every_variable_that_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
