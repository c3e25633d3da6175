// Discovery with made-up toolkits of shell scripts; the real one only for its version.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "nvcc/toolkit.h"
#include "os/file.h"

static struct ks_arena arena;
static char *dir;
static const char *const variables[] = {"PATH", "CUDA_HOME", "CUDA_PATH"};
static char *saved[3];

static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const char *value = getenv(variables[i]);
        saved[i] = value == NULL ? NULL : strdup(value);
    }
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
    setenv("PATH", "/usr/bin:/bin", 1);
    return ks_dir_temp(&arena, "ks-test", &dir, NULL) == KS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        if (saved[i] != NULL)
            setenv(variables[i], saved[i], 1);
        else
            unsetenv(variables[i]);
        free(saved[i]);
    }
    enum ks_status status = ks_tree_remove(dir, NULL);
    ks_arena_free(&arena);
    return status == KS_OK ? 0 : -1;
}

static const char *put(const char *name, const char *text, mode_t mode)
{
    const char *path = ks_path_join(&arena, dir, name);
    assert_int_equal(ks_dir_make(ks_path_dir(&arena, path), NULL), KS_OK);
    assert_int_equal(ks_file_write(path, text, strlen(text), false, mode, NULL), KS_OK);
    return path;
}

// A toolkit whose nvcc answers with `version` and counts its calls; returns nvcc's path.
static const char *toolkit(const char *name, const char *version)
{
    put(ks_arena_printf(&arena, "%s/include/cuda_runtime.h", name), "", 0644);
    put(ks_arena_printf(&arena, "%s/nvvm/bin/cicc", name), "cicc", 0755);
    put(ks_arena_printf(&arena, "%s/bin/ptxas", name), "ptxas", 0755);
    const char *script = ks_arena_printf(&arena,
                                         "#!/bin/sh\necho call >> %s/calls\n"
                                         "echo 'nvcc: NVIDIA (R) Cuda compiler driver'\n"
                                         "echo 'Cuda compilation tools, release 1.2, V%s'\n",
                                         dir, version);
    return put(ks_arena_printf(&arena, "%s/bin/nvcc", name), script, 0755);
}

static size_t calls(void)
{
    struct ks_slice text;
    const char *path = ks_path_join(&arena, dir, "calls");
    return ks_file_read(&arena, path, 1 << 16, &text, NULL) == KS_OK ? text.len / 5 : 0;
}

static const char *bin_of(const char *nvcc)
{
    return ks_path_dir(&arena, nvcc);
}

static void looks_in_the_documented_order(void **state)
{
    (void)state;
    struct ks_config config = {0};
    struct ks_toolkit found;
    const char *a = toolkit("a", "1.2.3"), *b = toolkit("b", "1.2.3"), *c = toolkit("c", "1.2.3");
    const char *d = toolkit("d", "1.2.3");
    setenv("PATH", ks_arena_printf(&arena, "%s/none:%s:/usr/bin", dir, bin_of(d)), 1);
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_string_equal(found.nvcc, d);
    setenv("CUDA_PATH", ks_path_join(&arena, dir, "c"), 1);
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_string_equal(found.nvcc, c);
    setenv("CUDA_HOME", ks_path_join(&arena, dir, "b"), 1);
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_string_equal(found.nvcc, b);
    setenv("CUDA_HOME", ks_path_join(&arena, dir, "nowhere"), 1); // not there: the next one
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_string_equal(found.nvcc, c);
    config.real_nvcc = a;
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_string_equal(found.nvcc, a);
    assert_string_equal(found.bin_dir, ks_path_join(&arena, dir, "a/bin"));
    assert_string_equal(found.root, ks_path_join(&arena, dir, "a"));
    assert_string_equal(found.include_dir, ks_path_join(&arena, dir, "a/include"));
    config.real_nvcc = "nvcc"; // a bare name is looked up on PATH
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_string_equal(found.nvcc, d);
}

static void dispatches_from_13_on(void **state)
{
    (void)state;
    static const char *const versions[] = {"11.8.89", "12.9.86", "13.0.88", "13.4.1", "14.0.2"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        const struct ks_toolkit found = {.version = versions[i]};
        assert_int_equal(ks_toolkit_dispatches(&found), i >= 2);
    }
}

static void passes_over_itself(void **state)
{
    (void)state;
    struct ks_config config = {0};
    struct ks_toolkit found;
    struct ks_err err;
    const char *real = toolkit("t", "1.2.3");
    const char *own = ks_path_join(&arena, dir, "own"), *other = ks_path_join(&arena, dir, "other");
    assert_int_equal(ks_dir_make(own, NULL), KS_OK);
    assert_int_equal(ks_dir_make(other, NULL), KS_OK);
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    assert_int_equal(symlink(self, ks_path_join(&arena, own, "nvcc")), 0);
    const char *wrapper =
        put("x/ks-nvcc", "#!/bin/sh\n", 0755); // found by `ks`, a different program
    assert_int_equal(symlink(wrapper, ks_path_join(&arena, other, "nvcc")), 0);
    setenv("PATH", ks_arena_printf(&arena, "%s:%s:%s", own, other, bin_of(real)), 1);
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_string_equal(found.nvcc, real);

    config.real_nvcc = ks_path_join(&arena, own, "nvcc");
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, &err), KS_E_USER);
    assert_non_null(strstr(err.text, "ks-nvcc itself"));
    config.real_nvcc = ks_path_join(&arena, dir, "missing");
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, &err), KS_E_USER);
    assert_non_null(strstr(err.text, "KS_NVCC_REAL"));
}

static void resolves_links_unless_they_masquerade(void **state)
{
    (void)state;
    struct ks_config config = {0};
    struct ks_toolkit found;
    const char *real = toolkit("t", "1.2.3");
    const char *links = ks_path_join(&arena, dir, "links");
    assert_int_equal(ks_dir_make(links, NULL), KS_OK);
    const char *link = ks_path_join(&arena, links, "nvcc");
    assert_int_equal(symlink(real, link), 0);
    config.real_nvcc = link;
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_string_equal(found.nvcc, real);

    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink(put("ccache", "#!/bin/sh\n", 0755), link), 0);
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_string_equal(found.nvcc, link);
    assert_null(found.root);
}

// nvcc writes the path by which it was called: a link to the toolkit's folder is not for us to resolve.
static void keeps_the_way_to_the_toolkit(void **state)
{
    (void)state;
    struct ks_config config = {0};
    struct ks_toolkit found;
    (void)toolkit("t", "1.2.3");
    put("t/bin/nvcc.profile", "", 0644);
    assert_int_equal(symlink(ks_path_join(&arena, dir, "t"), ks_path_join(&arena, dir, "way")), 0);
    config.real_nvcc = ks_path_join(&arena, dir, "way/bin/nvcc");
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_string_equal(found.nvcc, config.real_nvcc);
    assert_string_equal(found.root, ks_path_join(&arena, dir, "way"));
    assert_string_equal(found.include_dir, ks_path_join(&arena, dir, "way/include"));
}

static void keeps_the_version(void **state)
{
    (void)state;
    struct ks_config config = {.cache_dir = ks_path_join(&arena, dir, "cache")};
    struct ks_toolkit found;
    config.real_nvcc = toolkit("t", "1.2.34");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
        assert_int_equal(ks_toolkit_version(&arena, &config, &found, NULL), KS_OK);
        assert_string_equal(found.version, "1.2.34");
    }
    assert_int_equal(calls(), 1);

    // Another ptxas, cicc or nvcc in the same place is another toolkit.
    put("t/bin/ptxas", "other ptxas", 0755);
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_int_equal(ks_toolkit_version(&arena, &config, &found, NULL), KS_OK);
    assert_int_equal(calls(), 2);
    toolkit("t", "1.2.35");
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_int_equal(ks_toolkit_version(&arena, &config, &found, NULL), KS_OK);
    assert_string_equal(found.version, "1.2.35");
    assert_int_equal(calls(), 3);
}

static void keeps_no_version_where_it_may_not(void **state)
{
    (void)state;
    const char *cache = ks_path_join(&arena, dir, "cache");
    struct ks_config configs[] = {{.readonly = true, .cache_dir = cache}, {.cache_dir = NULL}};
    const char *nvcc = toolkit("t", "1.2.3");
    for (size_t i = 0; i < 2; i++) {
        struct ks_toolkit found;
        configs[i].real_nvcc = nvcc;
        assert_int_equal(ks_toolkit_find(&arena, &configs[i], &found, NULL), KS_OK);
        assert_int_equal(ks_toolkit_version(&arena, &configs[i], &found, NULL), KS_OK);
        assert_string_equal(found.version, "1.2.3");
        assert_false(ks_file_exists(cache));
    }
}

static void mends_a_damaged_cache(void **state)
{
    (void)state;
    struct ks_config config = {.cache_dir = ks_path_join(&arena, dir, "cache")};
    struct ks_toolkit found;
    struct ks_strv names = {0};
    config.real_nvcc = toolkit("t", "1.2.34");
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_int_equal(ks_toolkit_version(&arena, &config, &found, NULL), KS_OK);
    const char *folder = ks_path_join(&arena, config.cache_dir, "toolkit");
    assert_int_equal(ks_dir_list(&arena, folder, &names, NULL), KS_OK);
    assert_int_equal(names.len, 1);
    const char *file = ks_path_join(&arena, folder, names.at[0]);
    struct ks_slice text;
    assert_int_equal(ks_file_read(&arena, file, 1 << 16, &text, NULL), KS_OK);
    for (size_t len = 0; len < text.len; len += len + 12 < text.len ? 40 : 1) { // cut anywhere
        assert_int_equal(ks_file_write(file, text.at, len, false, 0, NULL), KS_OK);
        found.version = NULL;
        assert_int_equal(ks_toolkit_version(&arena, &config, &found, NULL), KS_OK);
        assert_string_equal(found.version, "1.2.34");
    }
}

static void refuses_what_is_no_nvcc(void **state)
{
    (void)state;
    struct ks_config config = {.real_nvcc = put("nvcc", "#!/bin/sh\necho hello\n", 0755)};
    struct ks_toolkit found;
    struct ks_err err;
    assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
    assert_int_equal(ks_toolkit_version(&arena, &config, &found, &err), KS_E_CHILD);
    assert_non_null(strstr(err.text, "does not answer like an nvcc"));
    const char *bad[] = {"1.2", "1.2.3.4", "1..3", "x", "1.2.3-rc"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        config.real_nvcc = toolkit("t", bad[i]);
        assert_int_equal(ks_toolkit_find(&arena, &config, &found, NULL), KS_OK);
        assert_int_equal(ks_toolkit_version(&arena, &config, &found, &err), KS_E_CHILD);
    }
}

static void finds_the_installed_one(void **state)
{
    (void)state;
    struct ks_config config = {0};
    struct ks_toolkit found;
    setenv("PATH", saved[0] == NULL ? "" : saved[0], 1);
    if (ks_toolkit_find(&arena, &config, &found, NULL) != KS_OK)
        skip();
    assert_int_equal(ks_toolkit_version(&arena, &config, &found, NULL), KS_OK);
    assert_true(strlen(found.version) >= 5);
    assert_int_equal(found.nvcc[0], '/');
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(looks_in_the_documented_order),
        TEST(dispatches_from_13_on),
        TEST(passes_over_itself),
        TEST(resolves_links_unless_they_masquerade),
        TEST(keeps_the_way_to_the_toolkit),
        TEST(keeps_the_version),
        TEST(keeps_no_version_where_it_may_not),
        TEST(mends_a_damaged_cache),
        TEST(refuses_what_is_no_nvcc),
        TEST(finds_the_installed_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
