// Manifests: a round trip, what invalidates one, and what its name depends on.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/file.h"
#include "store/manifest.h"

static struct ks_arena arena;
static char *base;
static struct ks_config config;
static const struct ks_digest name = {{7, 7, 7}};

// Written long before this process: one that is newer might differ from what the compiler read.
static const char *file(const char *path, const char *text)
{
    const struct timespec past[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    path = ks_path_join(&arena, base, path);
    assert_int_equal(ks_dir_make(ks_path_dir(&arena, path), NULL), KS_OK);
    assert_int_equal(ks_file_write(path, text, strlen(text), false, 0, NULL), KS_OK);
    assert_int_equal(utimensat(AT_FDCWD, path, past, 0), 0);
    return path;
}

static int setup(void **state)
{
    (void)state;
    if (ks_dir_temp(&arena, "ks-manifest", &base, NULL) != KS_OK)
        return -1;
    config = (struct ks_config){.cache_dir = ks_path_join(&arena, base, "cache")};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ks_tree_remove(base, NULL);
    ks_arena_free(&arena);
    return 0;
}

static struct ks_manifest sample(void)
{
    struct ks_manifest manifest = {.n_kernels = 2, .n_proved = 1};
    ks_strv_add(&arena, &manifest.dependencies, file("src/a.cu", "kernel"));
    ks_strv_add(&arena, &manifest.dependencies, file("src/h.cuh", "header"));
    ks_strv_add(&arena, &manifest.dependencies, file("toolkit/include/cuda_runtime.h", "cuda"));
    ks_strv_add(&arena, &manifest.dependencies, file("toolkit/include/crt/x.h", "more"));
    manifest.kernels = KS_NEW_ARRAY(&arena, struct ks_manifest_kernel, 2);
    struct ks_signature *signature = KS_NEW(&arena, struct ks_signature);
    *signature = (struct ks_signature){.registered = "_Z1kIfEvPT_i", .qualified = "k",
                                       .instance = "k<float>", .n_template_args = 1,
                                       .n_params = 2};
    signature->template_args = KS_NEW_ARRAY(&arena, const char *, 1);
    signature->template_args[0] = "float";
    signature->params = KS_NEW_ARRAY(&arena, struct ks_type, 2);
    signature->params[0] = ks_type_parse(&arena, KS_SLICE("float4 const* __restrict__"));
    signature->params[1] = ks_type_parse(&arena, KS_SLICE("int"));
    signature->offsets = KS_NEW_ARRAY(&arena, size_t, 2);
    signature->offsets[1] = 8;
    manifest.kernels[0] = (struct ks_manifest_kernel){
        .signature = signature, .file = "src/a.cu", .decl_qualified = "k", .line = 12, .arch = 90,
        .key = {{1}}, .reason = KS_R_APPLIED, .text = ""};
    manifest.kernels[1] = (struct ks_manifest_kernel){
        .file = "src/h.cuh", .decl_qualified = "m", .line = 3, .arch = 80, .key = {{2}},
        .reason = KS_R_PRINTF, .text = "vprintf"};
    manifest.proved = KS_NEW_ARRAY(&arena, struct ks_manifest_proof, 1);
    manifest.proved[0].set = (struct ks_digest){{3}};
    manifest.proved[0].outcome = KS_R_VARIANT_DIFFERS;
    manifest.proved[0].text = "f";
    manifest.proved[0].n_drops = 2;
    manifest.proved[0].drops = KS_NEW_ARRAY(&arena, struct ks_manifest_drop, 2);
    manifest.proved[0].drops[0] = (struct ks_manifest_drop){{{4}}, KS_R_SHADOW_FAILED, "g"};
    manifest.proved[0].drops[1] = (struct ks_manifest_drop){{{5}}, KS_R_VARIANT_DIFFERS, ""};
    return manifest;
}

static void save(const struct ks_manifest *manifest)
{
    struct ks_err err;
    if (ks_manifest_save(&config, &name, manifest, &err) != KS_OK)
        fail_msg("%s", err.text);
}

static enum ks_status load(struct ks_manifest *manifest)
{
    return ks_manifest_load(&arena, &config, &name, manifest, NULL);
}

static void round_trip(void **state)
{
    (void)state;
    struct ks_manifest in = sample(), out;
    assert_int_equal(load(&out), KS_E_ABSENT);
    save(&in);
    assert_int_equal(load(&out), KS_OK);
    assert_int_equal(out.dependencies.len, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(out.dependencies.at[i], in.dependencies.at[i]);
    assert_int_equal(out.n_kernels, 2);
    const struct ks_signature *a = in.kernels[0].signature, *b = out.kernels[0].signature;
    assert_string_equal(a->registered, b->registered);
    assert_string_equal(a->qualified, b->qualified);
    assert_string_equal(a->instance, b->instance);
    assert_string_equal(b->template_args[0], "float");
    assert_int_equal(b->n_params, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct ks_type *x = &a->params[i], *y = &b->params[i];
        assert_string_equal(x->text, y->text);
        assert_true(x->pointer == y->pointer && x->pointee_const == y->pointee_const &&
                    x->restrict_ == y->restrict_ && x->elem.scalar == y->elem.scalar &&
                    x->elem.lanes == y->elem.lanes && x->elem.size == y->elem.size &&
                    x->elem.align == y->elem.align);
        assert_int_equal(a->offsets[i], b->offsets[i]);
    }
    assert_null(out.kernels[1].signature);
    assert_string_equal(out.kernels[1].file, "src/h.cuh");
    assert_string_equal(out.kernels[1].decl_qualified, "m");
    assert_int_equal(out.kernels[0].line, 12);
    assert_int_equal(out.kernels[1].arch, 80);
    assert_int_equal(out.kernels[1].reason, KS_R_PRINTF);
    assert_string_equal(out.kernels[1].text, "vprintf");
    assert_true(ks_digest_eq(&out.kernels[1].key, &in.kernels[1].key));
    assert_int_equal(out.n_proved, 1);
    assert_int_equal(out.proved[0].outcome, KS_R_VARIANT_DIFFERS);
    assert_true(ks_digest_eq(&out.proved[0].set, &in.proved[0].set));
    assert_int_equal(out.proved[0].n_drops, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct ks_manifest_drop *x = &in.proved[0].drops[i], *y = &out.proved[0].drops[i];
        assert_true(ks_digest_eq(&x->substitution, &y->substitution));
        assert_int_equal(x->reason, y->reason);
        assert_string_equal(x->text, y->text);
    }
    const struct ks_digest other = {{8}};
    assert_int_equal(ks_manifest_load(&arena, &config, &other, &out, NULL), KS_E_ABSENT);
}

static void changed_files_invalidate(void **state)
{
    (void)state;
    struct ks_manifest in = sample(), out;
    save(&in);
    // The same size and time: bytes decide.
    file("src/h.cuh", "HEADER");
    assert_int_equal(load(&out), KS_E_ABSENT);
    file("src/h.cuh", "header");
    assert_int_equal(load(&out), KS_OK); // back, and rewritten: bytes decide
    file("src/a.cu", "kernel ");
    assert_int_equal(load(&out), KS_E_ABSENT);
    file("src/a.cu", "kernel");
    assert_int_equal(load(&out), KS_OK);
    assert_int_equal(unlink(in.dependencies.at[1]), 0);
    assert_int_equal(load(&out), KS_E_ABSENT);
    file("src/h.cuh", "header");
    assert_int_equal(load(&out), KS_OK);
    // The toolkit's: size, time and inode decide.
    file("toolkit/include/crt/x.h", "more");
    assert_int_equal(load(&out), KS_E_ABSENT);
}

// What a header asks may be answered otherwise without a change of the header. The toolkit's own ask all
// the time.
static void files_that_ask_are_noted(void **state)
{
    (void)state;
    struct ks_manifest in = sample(), out;
    file("toolkit/include/crt/x.h", "#if __has_include(<y>)");
    save(&in);
    assert_int_equal(load(&out), KS_OK);
    assert_false(out.probing);
    file("src/h.cuh", "#if __has_include(NAME)");
    save(&in);
    assert_int_equal(load(&out), KS_OK);
    assert_true(out.probing);
}

// Headers of any compiler, wherever it is installed and however it spells its folders.
static void compilers_headers_are_not_searched(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "opt/lib/clang/19/include/stddef.h", "opt/lib/clang/19/include/limits.h",
        "opt/bin/../lib/gcc/x/14/../../../../include/c++/14/cstdlib",
        "opt/bin/../lib/gcc/x/14/../../../../include/c++/14/bits/config.h"};
    struct ks_manifest in = sample(), out;
    file("opt/bin/clang", "");
    file("opt/lib/gcc/x/14/crt.o", "");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        ks_strv_add(&arena, &in.dependencies, file(headers[i], "#if __has_include(<y>)"));
    save(&in);
    assert_int_equal(load(&out), KS_OK);
    assert_false(out.probing);
    // The user's, though it has the name of one, or lies beside them.
    static const char *const others[] = {"src/compat/stddef.h", "src/compat/cstdlib",
                                         "opt/bin/../lib/gcc/x/14/../../../../mine/y.h"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        in = sample();
        ks_strv_add(&arena, &in.dependencies, file(headers[2], ""));
        ks_strv_add(&arena, &in.dependencies, file(others[i], "#if __has_include(<y>)"));
        save(&in);
        assert_int_equal(load(&out), KS_OK);
        assert_true(out.probing);
    }
}

// The "file" of a #line, which depfiles name.
static void a_file_that_is_not_there_may_stay_away(void **state)
{
    (void)state;
    struct ks_manifest in = sample(), out;
    const char *path = ks_path_join(&arena, base, "src/generated from.y");
    ks_strv_add(&arena, &in.dependencies, path);
    save(&in);
    assert_int_equal(load(&out), KS_OK);
    file("src/generated from.y", "");
    assert_int_equal(load(&out), KS_E_ABSENT);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(load(&out), KS_OK);
}

static void what_cannot_be_vouched_for_is_refused(void **state)
{
    (void)state;
    struct ks_err err;
    struct ks_manifest in = sample(), out;
    file("src/h.cuh", "const char *when = __TIME__;");
    assert_int_equal(ks_manifest_save(&config, &name, &in, &err), KS_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "h.cuh"));

    file("src/h.cuh", "header");
    const struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
    usleep(50000); // the process's start is known to 10 ms
    assert_int_equal(utimensat(AT_FDCWD, in.dependencies.at[1], now, 0), 0);
    assert_int_equal(ks_manifest_save(&config, &name, &in, &err), KS_E_UNSUPPORTED);
    assert_int_equal(load(&out), KS_E_ABSENT);

    file("src/h.cuh", "header");
    assert_int_equal(unlink(in.dependencies.at[0]), 0);
    assert_int_equal(ks_manifest_save(&config, &name, &in, &err), KS_E_ABSENT);

    in = sample();
    config.readonly = true;
    assert_int_equal(ks_manifest_save(&config, &name, &in, &err), KS_E_IO);
    assert_false(ks_is_dir(config.cache_dir));
    config.cache_dir = NULL;
    assert_int_equal(ks_manifest_save(&config, &name, &in, &err), KS_E_IO);
    assert_int_equal(load(&out), KS_E_ABSENT);
}

static const char *only_file(const char *dir)
{
    while (ks_is_dir(dir)) {
        struct ks_strv names = {0};
        assert_int_equal(ks_dir_list(&arena, dir, &names, NULL), KS_OK);
        assert_int_equal(names.len, 1);
        dir = ks_path_join(&arena, dir, names.at[0]);
    }
    return dir;
}

static void damage_is_absence(void **state)
{
    (void)state;
    struct ks_manifest in = sample(), out;
    save(&in);
    const char *path = only_file(config.cache_dir);
    struct ks_slice good;
    assert_int_equal(ks_file_read(&arena, path, 1 << 20, &good, NULL), KS_OK);
    for (size_t i = 0; i < good.len; i += 3) {
        char *bad = ks_arena_memdup(&arena, good.at, good.len);
        bad[i] ^= 0x10;
        assert_int_equal(ks_file_write(path, bad, good.len, false, 0, NULL), KS_OK);
        assert_int_equal(load(&out), KS_E_ABSENT);
        assert_int_equal(out.n_kernels, 0);
        assert_int_equal(ks_file_write(path, good.at, i, false, 0, NULL), KS_OK);
        assert_int_equal(load(&out), KS_E_ABSENT);
    }
}

static struct ks_digest named(const char *const *words, const char *side_file)
{
    struct ks_cmdline cmd;
    const struct ks_toolkit toolkit = {.nvcc = "/opt/cuda/bin/nvcc", .version = "13.0.88"};
    int n = 0;
    while (words[n] != NULL)
        n++;
    ks_cmdline_read(&arena, n, words, &cmd);
    return ks_manifest_name(&cmd, &toolkit, side_file);
}

static void name_follows_command_environment_and_side_file(void **state)
{
    (void)state;
    unsetenv("NVCC_APPEND_FLAGS");
    unsetenv("CPATH");
    unsetenv("INCLUDES");
    const char *options = file("options", "-DA=1");
    const char *words[] = {"ks-nvcc", "--options-file", options, "-c", "a.cu", NULL};
    struct ks_digest first = named(words, NULL), again = named(words, NULL);
    assert_true(ks_digest_eq(&first, &again));
#define DIFFERS(setting, undoing)                                                                 \
    setting;                                                                                      \
    again = named(words, NULL);                                                                   \
    assert_false(ks_digest_eq(&first, &again));                                                   \
    undoing;                                                                                      \
    again = named(words, NULL);                                                                   \
    assert_true(ks_digest_eq(&first, &again))
    DIFFERS(words[4] = "b.cu", words[4] = "a.cu");
    DIFFERS(file("options", "-DA=2"), file("options", "-DA=1"));
    DIFFERS(setenv("CPATH", "/x", 1), unsetenv("CPATH"));
    DIFFERS(setenv("INCLUDES", "-I/x", 1), unsetenv("INCLUDES"));
    DIFFERS(setenv("NVCC_APPEND_FLAGS", "-DX", 1), unsetenv("NVCC_APPEND_FLAGS"));
    char *cwd = getcwd(NULL, 0);
    DIFFERS(assert_int_equal(chdir(base), 0), assert_int_equal(chdir(cwd), 0));
    free(cwd);

    struct ks_digest side = named(words, file("ks.yaml", "a: 1\n"));
    assert_false(ks_digest_eq(&first, &side));
    struct ks_digest edited = named(words, file("ks.yaml", "a: 2\n"));
    assert_false(ks_digest_eq(&edited, &side));
}

struct seen {
    int live, stale, damaged;
    const char *shadow, *main_source;
};

static void see(void *context, const char *path, const struct ks_manifest *manifest, bool live)
{
    struct seen *seen = context;
    assert_true(ks_file_exists(path));
    *(manifest == NULL ? &seen->damaged : live ? &seen->live : &seen->stale) += 1;
    if (manifest == NULL)
        return;
    seen->shadow = ks_arena_strdup(&arena, manifest->shadow);
    seen->main_source = ks_arena_strdup(&arena, manifest->dependencies.at[0]);
    assert_true(ks_digest_eq(&manifest->kernels[0].key, &(struct ks_digest){{1}}));
}

// Seen from another folder, a manifest's relative paths are still those of its own.
// A compile believes its user's manifests alone; who collects sees that all of them are in use.
static void another_users_is_absent(void **state)
{
    (void)state;
    struct ks_manifest in = sample(), out;
    struct seen seen = {0};
    save(&in);
    const char *path = only_file(config.cache_dir);
    assert_int_equal(load(&out), KS_OK);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(load(&out), KS_E_ABSENT);
    assert_int_equal(chmod(path, 0664), 0);
    assert_int_equal(load(&out), KS_OK);
    if (chown(path, 65534, (gid_t)-1) == 0) // only root can
        assert_int_equal(load(&out), KS_E_ABSENT);
    ks_manifest_each(&config, see, &seen);
    assert_true(seen.live == 1 && seen.stale == 0 && seen.damaged == 0);
}

static void each_tells_whether_files_are_as_they_were(void **state)
{
    (void)state;
    struct ks_manifest in = sample();
    struct seen seen = {0};
    char *cwd = getcwd(NULL, 0);
    assert_int_equal(chdir(base), 0);
    in.dependencies.at[0] = "src/a.cu";
    in.shadow = "0123abcd";
    save(&in);
    assert_int_equal(chdir("/"), 0);
    ks_manifest_each(&config, see, &seen);
    assert_true(seen.live == 1 && seen.stale == 0 && seen.damaged == 0);
    assert_string_equal(seen.shadow, "0123abcd");
    assert_string_equal(seen.main_source, "src/a.cu");

    file("src/h.cuh", "HEADER");
    seen = (struct seen){0};
    ks_manifest_each(&config, see, &seen);
    assert_true(seen.live == 0 && seen.stale == 1 && seen.damaged == 0);
    const char *path = only_file(config.cache_dir);
    assert_int_equal(ks_file_write(path, "ks-manifest 1\n", 14, false, 0, NULL), KS_OK);
    seen = (struct seen){0};
    ks_manifest_each(&config, see, &seen);
    assert_true(seen.live == 0 && seen.stale == 0 && seen.damaged == 1);
    assert_int_equal(chdir(cwd), 0);
    free(cwd);
}

// The time of the last use is renewed once it is a day old, and never by who may not write.
static void a_hit_is_a_use(void **state)
{
    (void)state;
    struct ks_manifest in = sample(), out;
    struct stat st;
    save(&in);
    const char *path = only_file(config.cache_dir);
    const struct timespec past[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    assert_int_equal(utimensat(AT_FDCWD, path, past, 0), 0);
    config.readonly = true;
    assert_int_equal(load(&out), KS_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mtim.tv_sec, 1000000);
    config.readonly = false;
    assert_int_equal(load(&out), KS_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_true(time(NULL) - st.st_mtim.tv_sec < 3600);
    const struct timespec hours[2] = {{.tv_sec = time(NULL) - 7200}, {.tv_sec = time(NULL) - 7200}};
    assert_int_equal(utimensat(AT_FDCWD, path, hours, 0), 0);
    assert_int_equal(load(&out), KS_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mtim.tv_sec, hours[1].tv_sec);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(round_trip),
        TEST(changed_files_invalidate),
        TEST(files_that_ask_are_noted),
        TEST(compilers_headers_are_not_searched),
        TEST(a_file_that_is_not_there_may_stay_away),
        TEST(what_cannot_be_vouched_for_is_refused),
        TEST(damage_is_absence),
        TEST(each_tells_whether_files_are_as_they_were),
        TEST(another_users_is_absent),
        TEST(a_hit_is_a_use),
        TEST(name_follows_command_environment_and_side_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
