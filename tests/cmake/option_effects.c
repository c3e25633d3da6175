// The column `key` of the option table against the compiler: what a row calls neutral changes
// neither PTX nor machine code of any kernel, and what it calls code changes machine code under one
// PTX. A new neutral row needs a sample value here. argv[1]: the real nvcc.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "key/elf.h"
#include "key/ptx.h"
#include "nvcc/option.h"
#include "os/file.h"
#include "os/proc.h"

static const char source[] =
    "static __device__ __noinline__ float decay(float x, int n)\n"
    "{\n"
    "    float s = 0;\n"
    "    for (int i = 0; i < n; i++)\n"
    "        s += x * i / (s + 1.f);\n"
    "    return s;\n"
    "}\n"
    "__device__ float other(float x) { return sqrtf(x) * 2.f; }\n"
    "extern \"C\" __global__ void blend(float *x, const float *y, int n)\n"
    "{\n"
    "    __shared__ float tile[128];\n"
    "    tile[threadIdx.x] = x[threadIdx.x] * y[1] + y[2];\n"
    "    __syncthreads();\n"
    "    if (n > 7)\n"
    "        x[n] = decay(tile[threadIdx.x ^ 1], n) * 3 + sinf(x[1]) + other(y[3]) / y[7];\n"
    "    for (int i = 0; i < n; i++)\n"
    "        x[i] = x[i] * y[i] + 1.f / y[i + 1];\n"
    "}\n"
    // ptxas contracts these two unless it is told not to: nothing in the PTX says so.
    "extern \"C\" __global__ void contract(float *x)\n"
    "{\n"
    "    float p;\n"
    "    asm(\"mul.f32 %0, %1, %2;\" : \"=f\"(p) : \"f\"(x[1]), \"f\"(x[2]));\n"
    "    asm(\"add.f32 %0, %1, %2;\" : \"=f\"(x[0]) : \"f\"(p), \"f\"(x[3]));\n"
    "}\n"
    "int main() { return 0; }\n"; // for --run

// Values for neutral options that take one; "" for one that cannot be tried, with why.
static const struct {
    const char *name, *value;
} samples[] = {
    {"dependency-output", "t.d"},
    {"output-file", "t.o"},
    {"library", "m"},
    {"library-path", "."},
    {"output-directory", "."},
    {"archiver-binary", "ar"},
    {"cudart", "shared"},
    {"cudadevrt", "none"},
    {"optimization-info", "inline"},
    {"dopt", "on"},
    {"ftemplate-backtrace-limit", "3"},
    {"ftemplate-depth", "99"},
    {"machine", "64"},
    {"linker-options", "-s"},
    {"archive-options", "-v"},
    {"nvlink-options", "-v"},
    {"static-global-template-stub", "false"},
    {"device-entity-has-hidden-visibility", "false"},
    {"threads", "2"},
    {"run-args", "x"},
    {"dependency-target-name", "t"},
    {"Werror", "reorder"},
    {"qpp-config", ""}, // gcc does not know what it becomes
    {"diag-error", "177"},
    {"diag-suppress", "177"},
    {"diag-warn", "177"},
    {"brief-diagnostics", "true"},
    {"compress-mode", "none"},
    {"fatbin-options", "-compress-all"},
    {"nvasm-options", "-v"},
    {"nvdisasm-options", "-v"},
    {"cuda-api-version", "13.0"},
    {"version-ident", ""}, // ptxas 13.0 does not read what it makes
    {"tool-name", "t"},
    {"cl-version", ""}, // of another host compiler
};

struct code {
    struct ks_ptx_module module;
    struct ks_slice cubin;
};

static struct ks_arena arena;
static const char *nvcc, *folder;
static int failures;

static void must(enum ks_status status, const struct ks_err *err)
{
    if (status == KS_OK)
        return;
    fprintf(stderr, "option_effects: %s\n", err->text);
    exit(1);
}

static void complain(const char *what, const char *problem)
{
    printf("FAILED: %s: %s\n", what, problem);
    failures++;
}

// Compiles under --keep with these words; false if nvcc refuses.
static bool compile(const struct ks_strv *words, struct code *code)
{
    struct ks_err err;
    struct ks_strv argv = {0}, names = {0};
    const char *keep = ks_path_join(&arena, folder, "keep");
    const char *fixed[] = {nvcc, "-gencode=arch=compute_90,code=sm_90", "--keep", "--keep-dir=keep",
                           "t.cu"};
    must(ks_tree_remove(keep, &err), &err);
    must(ks_dir_make(keep, &err), &err);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        ks_strv_add(&arena, &argv, fixed[i]);
    for (size_t i = 0; i < words->len; i++)
        ks_strv_add(&arena, &argv, words->at[i]);
    struct ks_proc_options options = {
        .cwd = folder, .capture_stdout = true, .capture_stderr = true, .null_stdin = true};
    struct ks_proc_result result;
    must(ks_proc_run(&arena, argv.at, &options, &result, &err), &err);
    if (result.exit_code != 0) {
        printf("%.*s", (int)result.err.len, result.err.at);
        return false;
    }
    must(ks_dir_list(&arena, keep, &names, &err), &err);
    struct ks_slice ptx = {NULL, 0};
    code->cubin = ptx;
    for (size_t i = 0; i < names.len; i++) {
        const char *path = ks_path_join(&arena, keep, names.at[i]);
        if (ks_ends_with(path, ".ptx"))
            must(ks_file_read(&arena, path, 1 << 24, &ptx, &err), &err);
        if (ks_ends_with(path, ".cubin"))
            must(ks_file_read(&arena, path, 1 << 24, &code->cubin, &err), &err);
    }
    must(ks_ptx_read(&arena, ptx, &code->module, &err), &err);
    return code->cubin.len > 0;
}

static bool same_ptx(const struct code *a, const struct code *b)
{
    bool same = a->module.n_entries == b->module.n_entries;
    for (size_t i = 0; same && i < a->module.n_entries; i++) {
        const struct ks_ptx_entry *other = ks_ptx_find(&b->module, a->module.entries[i].name);
        same = other != NULL && ks_digest_eq(&a->module.entries[i].digest, &other->digest);
    }
    return same;
}

static bool same_code(const struct code *a, const struct code *b)
{
    bool same = true;
    for (size_t i = 0; same && i < a->module.n_entries; i++) {
        struct ks_digest x, y;
        const char *name = a->module.entries[i].name;
        same = ks_cubin_entry_digest(a->cubin, name, &x, NULL) == KS_OK &&
               ks_cubin_entry_digest(b->cubin, name, &y, NULL) == KS_OK && ks_digest_eq(&x, &y);
    }
    return same;
}

// The option as a word, or NULL where it cannot be tried.
static const char *sample_word(const struct ks_option *option)
{
    if (option->value == KS_VALUE_NO)
        return ks_arena_printf(&arena, "--%s", option->name);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (strcmp(samples[i].name, option->name) == 0)
            return samples[i].value[0] == '\0'
                       ? NULL
                       : ks_arena_printf(&arena, "--%s=%s", option->name, samples[i].value);
    complain(option->name, "the neutral option has no sample value");
    return NULL;
}

// All neutral options together; those that exclude others in a second command, and phases that do.
static void check_neutral(const struct code *base)
{
    static const char *const second[] = {
        "device-w",           "no-compress", "no-display-error-number",
        "force-cl-env-setup", "diag-error",  "link"};
    static const char *const third[] = {"link", "objdir-as-tempdir", "diag-warn"};
    static const char *const fourth[] = {"run"};
    size_t n, tried = 0;
    const struct ks_option *options = ks_options(&n);
    struct ks_strv lists[4] = {{0}, {0}, {0}, {0}};
    for (size_t i = 0; i < n; i++) {
        const char *word = options[i].key == KS_KEY_NONE ? sample_word(&options[i]) : NULL;
        size_t list = 0;
        for (size_t k = 0; k < sizeof second / sizeof *second; k++)
            list = strcmp(options[i].name, second[k]) == 0 ? 1 : list;
        for (size_t k = 0; k < sizeof third / sizeof *third; k++)
            list = strcmp(options[i].name, third[k]) == 0 ? 2 : list;
        for (size_t k = 0; k < sizeof fourth / sizeof *fourth; k++)
            list = strcmp(options[i].name, fourth[k]) == 0 ? 3 : list;
        if (word != NULL)
            ks_strv_add(&arena, &lists[list], word);
        tried += word != NULL;
    }
    ks_strv_add(&arena, &lists[0], "-MD"); // for -MF
    ks_strv_add(&arena, &lists[2], "-shared");
    for (size_t list = 0; list < 4; list++) {
        static const char *const names[] = {"first list", "second list", "third list", "fourth list"};
        struct code code;
        const char *what = names[list];
        if (!compile(&lists[list], &code))
            complain(what, "nvcc refuses this list of neutral options");
        else if (!same_ptx(base, &code))
            complain(what, "one of these neutral options changes PTX");
        else if (!same_code(base, &code))
            complain(what, "one of these neutral options changes machine code");
    }
    printf("%zu neutral options tried\n", tried);
}

// Each of these makes other code from the same PTX, and the table knows.
static void check_code(const struct code *base)
{
    static const struct {
        const char *name, *word;
    } tried[] = {{"relocatable-device-code", "--relocatable-device-code=true"},
                 {"device-c", "--device-c"},
                 {"ptxas-options", "--ptxas-options=-O1"},
                 {"maxrregcount", "--maxrregcount=16"},
                 {"fmad", "--fmad=false"}};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        struct ks_strv words = {0};
        struct code code;
        ks_strv_add(&arena, &words, tried[i].word);
        if (strcmp(tried[i].name, "device-c") != 0)
            ks_strv_add(&arena, &words, "-c");
        if (ks_option_find(tried[i].name)->key != KS_KEY_CODE)
            complain(tried[i].name, "the table does not put it into the key");
        if (!compile(&words, &code))
            complain(tried[i].word, "nvcc refuses it");
        else if (same_code(base, &code))
            complain(tried[i].word, "changes no machine code: is it still worth its row?");
    }
}

int main(int argc, char **argv)
{
    struct ks_err err;
    char *temp;
    struct code base;
    if (argc != 2 || !ks_file_exists(argv[1])) {
        puts("skipped: no nvcc");
        return 77;
    }
    nvcc = argv[1];
    must(ks_dir_temp(&arena, "ks-option-effects", &temp, &err), &err);
    folder = temp;
    must(ks_file_write(ks_path_join(&arena, folder, "t.cu"), source, sizeof source - 1, false, 0,
                       &err),
         &err);
    struct ks_strv plain = {0};
    ks_strv_add(&arena, &plain, "-c");
    if (!compile(&plain, &base) || base.module.n_entries != 2) {
        complain("the sample", "does not compile");
    } else {
        check_neutral(&base);
        check_code(&base);
    }
    must(ks_tree_remove(folder, &err), &err);
    return failures > 0;
}
