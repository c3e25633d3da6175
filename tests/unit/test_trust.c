#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "cfg/trust.h"
#include "os/file.h"

static struct ks_arena arena;
static char *dir;
static struct ks_config config;

static int set_up(void **state)
{
    (void)state;
    setenv("KS_LOG", "error", 1); // warnings about bad files are part of these tests
    ks_log_init("test_trust", KS_LOG_ERROR);
    if (ks_dir_temp(&arena, "ks-test", &dir, NULL) != KS_OK)
        return -1;
    config = (struct ks_config){.config_dir = ks_path_join(&arena, dir, "config")};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    enum ks_status status = ks_tree_remove(dir, NULL);
    ks_arena_free(&arena);
    return status == KS_OK ? 0 : -1;
}

static const char *in_config(const char *name)
{
    return ks_path_join(&arena, config.config_dir, name);
}

static struct ks_secret_key made(void)
{
    struct ks_secret_key key;
    struct ks_err err;
    if (ks_user_key(&config, true, &key, &err) != KS_OK)
        fail_msg("%s", err.text);
    return key;
}

static void makes_a_key_once(void **state)
{
    (void)state;
    struct ks_secret_key first, again, loaded;
    struct ks_err err;
    assert_int_equal(ks_user_key(&config, false, &first, &err), KS_E_ABSENT);
    assert_false(ks_file_exists(config.config_dir));
    first = made();
    again = made();
    assert_int_equal(ks_user_key(&config, false, &loaded, &err), KS_OK);
    assert_memory_equal(&first, &again, sizeof first);
    assert_memory_equal(&first, &loaded, sizeof first);

    struct stat st;
    struct ks_strv names = {0};
    assert_int_equal(stat(in_config("key.sec"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(ks_dir_list(&arena, config.config_dir, &names, NULL), KS_OK);
    assert_int_equal(names.len, 2); // key.pub, key.sec, and no temporary
}

static void refuses_a_secret_that_others_can_read(void **state)
{
    (void)state;
    struct ks_secret_key key;
    struct ks_err err;
    made();
    const mode_t modes[] = {0644, 0640, 0604, 0620, 0601};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(chmod(in_config("key.sec"), modes[i]), 0);
        assert_int_equal(ks_user_key(&config, i % 2 == 0, &key, &err), KS_E_TRUST);
        assert_non_null(strstr(err.text, "chmod 600"));
    }
    assert_int_equal(chmod(in_config("key.sec"), 0400), 0);
    assert_int_equal(ks_user_key(&config, false, &key, &err), KS_OK);
    if (geteuid() == 0) {
        assert_int_equal(chown(in_config("key.sec"), 12345, 12345), 0);
        assert_int_equal(ks_user_key(&config, false, &key, &err), KS_E_TRUST);
        assert_non_null(strstr(err.text, "another user"));
    }
}

static void says_when_there_is_no_place(void **state)
{
    (void)state;
    struct ks_secret_key key;
    struct ks_err err;
    config.readonly = true;
    assert_int_equal(ks_user_key(&config, true, &key, &err), KS_E_ABSENT);
    assert_non_null(strstr(err.text, "KS_READONLY"));
    assert_false(ks_file_exists(config.config_dir));
    config = (struct ks_config){0};
    assert_int_equal(ks_user_key(&config, true, &key, &err), KS_E_ABSENT);
    assert_non_null(strstr(err.text, "KS_CONFIG_DIR"));
    config.config_dir = "/proc/self/nowhere";
    assert_int_not_equal(ks_user_key(&config, true, &key, &err), KS_OK);
}

static void never_overwrites_a_damaged_key(void **state)
{
    (void)state;
    struct ks_secret_key key;
    struct ks_slice text;
    assert_int_equal(ks_dir_make(config.config_dir, NULL), KS_OK);
    assert_int_equal(ks_file_write(in_config("key.sec"), "broken", 6, false, 0600, NULL), KS_OK);
    assert_int_not_equal(ks_user_key(&config, true, &key, NULL), KS_OK);
    assert_int_equal(ks_file_read(&arena, in_config("key.sec"), 100, &text, NULL), KS_OK);
    assert_string_equal(text.at, "broken");
}

static void many_makers_get_one_key(void **state)
{
    (void)state;
    enum { MAKERS = 8 };
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    for (int i = 0; i < MAKERS; i++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            struct ks_secret_key key;
            bool good = ks_user_key(&config, true, &key, NULL) == KS_OK &&
                        write(ends[1], &key, sizeof key) == (ssize_t)sizeof key;
            _exit(good ? 0 : 1);
        }
    }
    for (int i = 0; i < MAKERS; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    struct ks_secret_key first, other;
    assert_int_equal(read(ends[0], &first, sizeof first), sizeof first);
    for (int i = 1; i < MAKERS; i++) {
        assert_int_equal(read(ends[0], &other, sizeof other), sizeof other);
        assert_memory_equal(&first, &other, sizeof first);
    }
    close(ends[0]);
    close(ends[1]);
    struct ks_pubkey *keys, own;
    size_t n;
    ks_trust_user(&arena, &config, &keys, &n);
    ks_secret_public(&first, &own);
    assert_int_equal(n, 1);
    assert_memory_equal(&keys[0], &own, sizeof own);
}

static const char *another_key(struct ks_pubkey *key)
{
    struct ks_secret_key secret;
    char text[KS_PUBKEY_TEXT];
    assert_int_equal(ks_key_generate(&secret, key, NULL), KS_OK);
    ks_pubkey_text(key, text);
    return ks_arena_strdup(&arena, text);
}

static void each_tier_has_its_keys(void **state)
{
    (void)state;
    struct ks_pubkey own, listed, of_project, *keys;
    struct ks_secret_key secret = made();
    size_t n;
    ks_secret_public(&secret, &own);
    const char *text = ks_arena_printf(&arena,
                                       "# a colleague\n\nuntrusted comment: minisign\n  %s \n"
                                       "rubbish\n",
                                       another_key(&listed));
    assert_int_equal(ks_file_write(in_config("trusted.keys"), text, strlen(text), false, 0, NULL),
                     KS_OK);
    ks_trust_user(&arena, &config, &keys, &n);
    assert_int_equal(n, 2);
    assert_memory_equal(&keys[0], &own, sizeof own);
    assert_memory_equal(&keys[1], &listed, sizeof own);

    another_key(&of_project);
    struct ks_project project = {.trust = &of_project, .n_trust = 1};
    ks_trust_project(&arena, &config, &project, &keys, &n);
    assert_int_equal(n, 2); // a project's key never enters the user's tier, nor the other way
    assert_memory_equal(&keys[0], &of_project, sizeof own);
    assert_memory_equal(&keys[1], &own, sizeof own);
}

static void believes_no_key_file_that_others_can_write(void **state)
{
    (void)state;
    struct ks_pubkey *keys;
    size_t n;
    made();
    assert_int_equal(chmod(in_config("key.pub"), 0666), 0);
    ks_trust_user(&arena, &config, &keys, &n);
    assert_int_equal(n, 0);
    config.config_dir = NULL;
    ks_trust_user(&arena, &config, &keys, &n);
    assert_int_equal(n, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(makes_a_key_once),
        TEST(refuses_a_secret_that_others_can_read),
        TEST(says_when_there_is_no_place),
        TEST(never_overwrites_a_damaged_key),
        TEST(many_makers_get_one_key),
        TEST(each_tier_has_its_keys),
        TEST(believes_no_key_file_that_others_can_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
