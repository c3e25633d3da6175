// A unit compiled by the real nvcc in a folder of its own, for tests that judge its kernels.
#ifndef KS_TEST_REAL_TU_H
#define KS_TEST_REAL_TU_H

#include "key/tu.h"
#include "os/file.h"

struct real_tu {
    struct ks_arena arena;
    char *dir;
    struct ks_config config;
    struct ks_toolkit toolkit;
    struct ks_cmdline cmd;
    struct ks_tu tu;
    struct ks_tu_compile plain;
};

static inline void check(enum ks_status status, const struct ks_err *err)
{
    if (status != KS_OK)
        fail_msg("%s: %s", ks_status_name(status), err->text);
}

static inline bool real_nvcc(void)
{
    struct ks_arena arena = {0};
    struct ks_config config = {0};
    struct ks_toolkit toolkit;
    bool found = ks_toolkit_find(&arena, &config, &toolkit, NULL) == KS_OK;
    ks_arena_free(&arena);
    return found;
}

static inline void real_tu_open(struct real_tu *b, const char *name, const char *source)
{
    struct ks_err err = {0};
    const char *const none[] = {NULL};
    check(ks_dir_temp(&b->arena, "ks-test-build", &b->dir, &err), &err);
    check(ks_config_load(&b->arena, none, &b->config, &err), &err);
    b->config.cache_dir = b->config.state_dir = b->config.runtime_dir = b->dir;
    check(ks_toolkit_find(&b->arena, &b->config, &b->toolkit, &err), &err);
    check(ks_toolkit_version(&b->arena, &b->config, &b->toolkit, &err), &err);
    char *file = ks_path_join(&b->arena, b->dir, name);
    check(ks_file_write(file, source, strlen(source), false, 0, &err), &err);
    const char *const argv[] = {"ks-nvcc", "-std=c++14", "-arch=sm_90", "-c", file, "-o",
                                ks_path_join(&b->arena, b->dir, "unit.o"), NULL};
    ks_cmdline_read(&b->arena, 7, argv, &b->cmd);
    assert_null(b->cmd.pass);
    check(ks_tu_open(&b->arena, &b->config, &b->cmd, &b->toolkit, &b->tu, &err), &err);
    b->plain.quiet = true;
    b->plain.keep_dir = ks_path_join(&b->arena, b->dir, "plain");
    check(ks_dir_make(b->plain.keep_dir, &err), &err);
    check(ks_tu_compile_plain(&b->arena, &b->tu, ks_path_join(&b->arena, b->dir, "plain.o"), &b->plain,
                              &err), &err);
    assert_int_equal(b->plain.exit_code, 0);
    check(ks_tu_identify(&b->arena, &b->tu, &b->plain, &err), &err);
    assert_int_equal(b->tu.n_kernels, 1);
}

static inline void real_tu_close(struct real_tu *b)
{
    ks_tree_remove(b->dir, NULL);
    ks_arena_free(&b->arena);
}

#endif
