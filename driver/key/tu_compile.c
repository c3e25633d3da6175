// Runs of the real nvcc for one TU: the plain compile, and compiles of shadows.
#include "key/tu.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fmt/hash.h"
#include "nvcc/devlink.h"
#include "nvcc/host_front.h"
#include "nvcc/option.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/sandbox.h"

#define SHADOW_MAX (64u << 20)

static const char *output_of(struct ks_arena *arena, const struct ks_tu *tu)
{
    return tu->cmd->output != NULL ? tu->cmd->output : ks_cmdline_default_output(arena, tu->cmd);
}

// With -objtemp nvcc names its intermediate files after the object, puts them beside it and, under
// --keep, leaves them there, whatever --keep-dir says. They go where they were asked for; without
// --keep nvcc would have written and removed files of these very names (but not NAME.ltoir of -dlto).
static enum ks_status collect_kept(struct ks_arena *arena, const struct ks_tu *tu,
                                   const char *object, const char *keep_dir, struct ks_err *err)
{
    static const char *const endings[] = {".ii", ".cudafe1.c", ".cudafe1.cpp", ".cudafe1.gpu",
                                          ".stub.c", ".fatbin", ".fatbin.c", ".module_id", ".ptx",
                                          ".cubin", ".reg.c", ".ltoir", ".optixir"};
    if (object == NULL)
        object = output_of(arena, tu);
    const char *dir = ks_path_dir(arena, object);
    const char *stem = ks_arena_printf(arena, "%s.", ks_path_base(object));
    struct ks_strv names = {0};
    KS_TRY(ks_dir_list(arena, dir, &names, err));
    for (size_t i = 0; i < names.len; i++) {
        bool kept = false;
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++)
            kept |= ks_ends_with(names.at[i], endings[e]);
        kept &= !tu->cmd->dlto || !ks_ends_with(names.at[i], ".ltoir");
        if (!kept || !ks_starts_with(names.at[i], stem))
            continue;
        const char *from = ks_path_join(arena, dir, names.at[i]);
        const char *to = ks_path_join(arena, keep_dir, names.at[i]);
        if (rename(from, to) != 0) { // another file system
            KS_TRY(ks_file_copy(from, to, err));
            (void)unlink(from);
        }
    }
    return KS_OK;
}

// Our environment for a compile under --keep. Another TMPDIR: a device pass that fails leaves a file in it.
// No ccache, should the real nvcc be one: it answers with the object alone, not with what is kept.
// Confined, it gets no more than a compiler needs.
static const char *const *keep_environment(struct ks_arena *arena, const char *dir, bool confined)
{
    struct ks_strv list = {0};
    for (char **at = environ; *at != NULL; at++)
        if (!ks_starts_with(*at, "TMPDIR=") && !ks_starts_with(*at, "CCACHE_DISABLE=") &&
            (!confined || ks_sandbox_variable(*at)))
            ks_strv_add(arena, &list, *at);
    if (confined)
        ks_strv_add(arena, &list, ks_arena_printf(arena, "HOME=%s", dir));
    ks_strv_add(arena, &list, ks_arena_printf(arena, "TMPDIR=%s", dir));
    ks_strv_add(arena, &list, "CCACHE_DISABLE=1");
    return list.at;
}

static enum ks_status run_nvcc(struct ks_arena *arena, const struct ks_tu *tu,
                               const char *const *argv, struct ks_tu_compile *compile,
                               struct ks_err *err)
{
    bool limited = compile->limit_seconds > 0;
    const struct ks_sandbox *sandbox = compile->sandbox != NULL ? compile->sandbox : tu->sandbox;
    struct ks_proc_options options = {
        .capture_stdout = compile->quiet, .capture_stderr = compile->quiet, .in_group = !limited,
        .hold = compile->hold && !compile->quiet, .timeout_seconds = compile->limit_seconds,
        .max_memory = limited ? compile->limit_memory : 0,
        .sandbox = sandbox, .null_stdin = sandbox != NULL};
    struct ks_proc_result result = {0};
    if (compile->keep_dir != NULL)
        options.env = keep_environment(arena, compile->keep_dir, sandbox != NULL);
    else
        argv = ks_toolkit_command(arena, tu->toolkit, argv);
    enum ks_status status = ks_proc_run(arena, argv, &options, &result, err);
    compile->timed_out = result.timed_out;
    compile->exceeded = result.exceeded;
    bool killed = result.timed_out || result.exceeded != NULL;
    if (status != KS_OK && !killed)
        return status;
    compile->exit_code = killed ? 124 : result.exit_code;
    compile->out = result.out;
    compile->err = result.err;
    compile->held = result.held;
    return KS_OK;
}

void ks_tu_silence(struct ks_arena *arena, const struct ks_tu *tu, bool shadow,
                   struct ks_strv *args)
{
    if (!tu->headers_marked && (shadow || tu->tu_marks.n_blanks == 0))
        return;
    for (size_t i = 0; i < tu->files.len; i++)
        if (tu->files.at[i].has_odd_pragma || (tu->files.at[i].has_omp && !tu->cmd->openmp))
            return;
    ks_strv_add(arena, args, "-Xcompiler=-Wno-unknown-pragmas");
}

// Ends `cmd` (a copy of the user's) with the device's code.
static void stop_at_device(struct ks_arena *arena, struct ks_cmdline *cmd, struct ks_strv *first)
{
    struct ks_strv words = {0};
    struct ks_use use;
    ks_strv_add(arena, &words, cmd->argv[0]);
    for (size_t i = 1; i < cmd->argc; i += use.n) {
        use = ks_option_at(cmd->argv, cmd->argc, i);
        enum ks_effect effect = use.kind == KS_USE_OPTION ? use.option->effect : KS_OPT_PLAIN;
        if (effect == KS_OPT_DEVICE_C)
            ks_strv_add(arena, first, "-rdc=true");
        for (size_t k = i; k < i + use.n; k++)
            ks_strv_add(arena, &words, effect == KS_OPT_COMPILE || effect == KS_OPT_DEVICE_C ? "-fatbin" : cmd->argv[k]);
    }
    cmd->argv = words.at;
}

enum ks_status ks_tu_compile_plain(struct ks_arena *arena, const struct ks_tu *tu,
                                   const char *object, struct ks_tu_compile *compile,
                                   struct ks_err *err)
{
    struct ks_strv first = {0}, last = {0};
    ks_strv_add(arena, &first, "--keep");
    ks_strv_add(arena, &first, "--keep-dir");
    ks_strv_add(arena, &first, compile->keep_dir);
    ks_tu_silence(arena, tu, false, &last);
    compile->depfile = tu->cmd->depfile;
    struct ks_cmdline cmd = *tu->cmd;
    if (compile->device)
        stop_at_device(arena, &cmd, &first);
    const char **argv =
        ks_cmdline_build(arena, &cmd, tu->toolkit->nvcc, first.at, NULL, object, last.at);
    enum ks_status status = run_nvcc(arena, tu, argv, compile, err);
    if (tu->cmd->objtemp && !compile->device) {
        enum ks_status collected = collect_kept(arena, tu, object, compile->keep_dir, NULL);
        if (status == KS_OK && collected != KS_OK)
            KS_FAIL(err, KS_E_IO, "cannot collect what nvcc kept beside the object");
    }
    return status;
}

// <root>/<hash>/<base>: the same text always lands at the same path, whoever writes it.
static enum ks_status write_shadow(struct ks_arena *arena, const struct ks_tu *tu,
                                   const struct ks_buf *text, const char *shadow_root,
                                   const char **path, struct ks_err *err)
{
    char hex[KS_HASH_TEXT];
    struct ks_digest digest = ks_digest_of("shadow", text->data, text->len);
    ks_digest_hex(&digest, hex);
    hex[32] = '\0';
    const char *dir = ks_path_join(arena, shadow_root, hex);
    *path = ks_path_join(arena, dir, ks_path_base(tu->path));
    KS_TRY(ks_dir_make(dir, err));
    // One cut short by a crash is mended.
    KS_TRY(ks_file_update(*path, text->data, text->len, err));
    struct stat st;
    if (memmem(text->data, text->len, "__TIMESTAMP__", 13) == NULL || stat(tu->path, &st) != 0)
        return KS_OK;
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    if (utimensat(AT_FDCWD, *path, times, 0) != 0)
        return ks_err_errno(err, "%s", *path);
    return KS_OK;
}

// A link of this name to what stands in front of gcc's front end. Whoever else writes it writes the same.
static bool link_front(struct ks_arena *arena, const char *dir)
{
    const char *to = ks_path_join(arena, ks_program_dir(arena), "ks-nvcc");
    const char *path = ks_path_join(arena, dir, KS_HOST_FRONT);
    char now[4096];
    ssize_t n = readlink(path, now, sizeof now);
    if (n == (ssize_t)strlen(to) && memcmp(now, to, (size_t)n) == 0)
        return ks_file_exists(to);
    const char *temp = ks_arena_printf(arena, "%s.%d", path, (int)getpid());
    return ks_file_exists(to) && symlink(to, temp) == 0 &&
           (rename(temp, path) == 0 || (unlink(temp), false));
}

// Headers beside a unit in the current folder have names without a folder, as gcc spells them.
static void put_front(struct ks_arena *arena, const struct ks_tu *tu, const char *shadow,
                      struct ks_strv *first)
{
    const char *dir = ks_path_dir(arena, shadow);
    if (strchr(tu->path, '/') == NULL && !tu->cmd->host_parts &&
        ks_shadow_includes_beside(tu->files.at[0].text) && link_front(arena, dir))
        (void)ks_shadow_front(arena, dir, first);
}

// Makes `cmd` (a copy of the user's) write its depfile to `depfile`; returns where it will be. One that
// is asked for by an options file or the environment stays where it is.
static const char *redirect_depfile(struct ks_arena *arena, struct ks_cmdline *cmd,
                                    const char *depfile, struct ks_strv *first)
{
    if (depfile == NULL)
        return cmd->depfile;
    bool asked = false, placed = false;
    struct ks_strv words = {0};
    struct ks_use use;
    ks_strv_add(arena, &words, cmd->argc > 0 ? cmd->argv[0] : NULL);
    for (size_t i = 1; i < cmd->argc; i += use.n) {
        use = ks_option_at(cmd->argv, cmd->argc, i);
        bool option = use.kind == KS_USE_OPTION;
        bool file = option && use.option->effect == KS_OPT_MF;
        asked |= option &&
                 (use.option->effect == KS_OPT_MD || use.option->effect == KS_OPT_MMD);
        placed |= file;
        for (size_t k = i; k < i + use.n; k++)
            ks_strv_add(arena, &words, cmd->argv[k]);
        if (file && use.n == 2)
            words.at[words.len - 1] = depfile;
        else if (file) // "-MF=FILE"
            words.at[words.len - 1] =
                ks_arena_printf(arena, "%.*s%s", (int)(use.value - cmd->argv[i]), cmd->argv[i],
                                depfile);
    }
    if (cmd->depfile != NULL && !asked)
        return cmd->depfile;
    cmd->argv = words.at;
    if (!asked)
        ks_strv_add(arena, first, "-MD");
    if (!placed) {
        ks_strv_add(arena, first, "-MF");
        ks_strv_add(arena, first, depfile);
    }
    return depfile;
}

enum ks_status ks_tu_compile_shadow(struct ks_arena *arena, const struct ks_tu *tu,
                                    const struct ks_substitution *subs, size_t n_subs,
                                    bool dispatch, const char *shadow_root, const char *keep_dir,
                                    const char *object, const char *depfile,
                                    struct ks_tu_compile *compile, const char **shadow_path,
                                    struct ks_err *err)
{
    struct ks_slice text = tu->files.at[0].text;
    struct ks_shadow_request request = {.tu_token = tu->path, .text = text,
                                        .marks = &tu->tu_marks, .subs = subs, .n_subs = n_subs,
                                        .dispatch = dispatch};
    struct ks_buf shadow = KS_BUF(SHADOW_MAX);
    enum ks_status status;
    KS_TRY_GOTO(ks_shadow_text(arena, &request, &shadow, err), done);
    KS_TRY_GOTO(ks_buf_check(&shadow, "shadow", err), done);
    KS_TRY_GOTO(write_shadow(arena, tu, &shadow, shadow_root, shadow_path, err), done);

    struct ks_strv first = {0}, last = {0};
    const char *hook = ks_path_join(arena, tu->config->share_dir, "hook");
    KS_TRY_GOTO(ks_shadow_arguments(arena, tu->path, hook, dispatch, &first, err), done);
    put_front(arena, tu, *shadow_path, &first);
    ks_tu_silence(arena, tu, true, &last);
    if (keep_dir != NULL) {
        ks_strv_add(arena, &first, "--keep");
        ks_strv_add(arena, &first, "--keep-dir");
        ks_strv_add(arena, &first, keep_dir);
        if (object != NULL && tu->cmd->objtemp)
            ks_shadow_map_debug(arena, object, output_of(arena, tu), &first);
    }
    compile->keep_dir = keep_dir;
    struct ks_cmdline cmd = *tu->cmd;
    compile->depfile = redirect_depfile(arena, &cmd, depfile, &first);
    if (compile->device)
        stop_at_device(arena, &cmd, &first);
    const char **argv =
        ks_cmdline_build(arena, &cmd, tu->toolkit->nvcc, first.at, *shadow_path, object, last.at);
    ks_buf_free(&shadow); // as large as the user's file, and nobody's while nvcc runs
    status = run_nvcc(arena, tu, argv, compile, err);
    if (keep_dir != NULL && tu->cmd->objtemp &&
        collect_kept(arena, tu, object, keep_dir, NULL) != KS_OK && status == KS_OK)
        status = ks_err_set(err, KS_E_IO, "cannot collect what nvcc kept beside the object");
done:
    ks_buf_free(&shadow);
    return status;
}

enum ks_status ks_tu_compile_text(struct ks_arena *arena, const struct ks_tu *tu,
                                  struct ks_slice text, const char *path, const char *keep_dir,
                                  const char *object, struct ks_tu_compile *compile, struct ks_err *err)
{
    struct ks_strv first = {0}, last = {0};
    struct ks_cmdline cmd = *tu->cmd;
    KS_TRY(ks_file_update(path, text.at, text.len, err));
    KS_TRY(ks_shadow_arguments(arena, tu->path, tu->config->share_dir, false, &first, err));
    ks_tu_silence(arena, tu, true, &last);
    ks_strv_add(arena, &first, "--keep");
    ks_strv_add(arena, &first, "--keep-dir");
    ks_strv_add(arena, &first, keep_dir);
    if (compile->lines)
        ks_strv_add(arena, &first, "-lineinfo");
    compile->keep_dir = keep_dir;
    stop_at_device(arena, &cmd, &first);
    const char **argv =
        ks_cmdline_build(arena, &cmd, tu->toolkit->nvcc, first.at, path, object, last.at);
    return run_nvcc(arena, tu, argv, compile, err);
}

const char *ks_tu_cubin_among(struct ks_arena *arena, const struct ks_tu_compile *compile,
                              const struct ks_strv *names, int arch)
{
    // NAME.sm_90.cubin, NAME.compute_90.sm_90.cubin, NAME.compute_90.cubin for one real target with
    // its PTX kept in the object, NAME.cubin for one without (-gencode=arch=compute_90,code=sm_90).
    static const char *const virtual[] = {"sm", "compute"}, *const suffixes[] = {"", "a", "f"};
    for (size_t e = 0; e < 6; e++) {
        const char *ending = ks_arena_printf(arena, ".%s_%d%s.cubin", virtual[e / 3], arch, suffixes[e % 3]);
        for (size_t i = 0; i < names->len; i++)
            if (ks_ends_with(names->at[i], ending))
                return ks_path_join(arena, compile->keep_dir, names->at[i]);
    }
    const char *only = NULL;
    for (size_t i = 0; i < names->len; i++)
        if (ks_ends_with(names->at[i], ".cubin")) {
            if (only != NULL)
                return NULL;
            only = names->at[i];
        }
    if (only == NULL || strstr(only, ".sm_") != NULL || strstr(only, ".compute_") != NULL)
        return NULL;
    return ks_path_join(arena, compile->keep_dir, only);
}

const char *ks_tu_cubin(struct ks_arena *arena, const struct ks_tu_compile *compile, int arch)
{
    struct ks_strv names = {0};
    return ks_dir_list(arena, compile->keep_dir, &names, NULL) == KS_OK
               ? ks_tu_cubin_among(arena, compile, &names, arch)
               : NULL;
}

// "sm_90a", where the unit is compiled for that.
static const char *target_of(struct ks_arena *arena, const struct ks_tu *tu, int arch)
{
    const struct ks_ptx_module *module = ks_ptx_of_arch(tu->modules, tu->n_modules, arch);
    return module != NULL ? module->target : ks_arena_printf(arena, "sm_%d", arch);
}

enum ks_status ks_tu_image(struct ks_arena *arena, const struct ks_tu *tu,
                           const struct ks_tu_compile *compile, int arch,
                           const char *const *names, const char **image, struct ks_err *err)
{
    const char *cubin = *image = ks_tu_cubin(arena, compile, arch);
    if (cubin == NULL)
        KS_FAIL(err, KS_E_ABSENT, "the build made no code for sm_%d", arch);
    if (!tu->cmd->rdc)
        return KS_OK;
    *image = ks_arena_printf(arena, "%s.linked", cubin); // not .cubin: ks_tu_cubin takes those
    return ks_device_link(arena, tu->toolkit, cubin, target_of(arena, tu, arch), names,
                          compile->sandbox != NULL ? compile->sandbox : tu->sandbox, *image, err);
}

enum ks_status ks_tu_assemble(struct ks_arena *arena, const struct ks_tu *tu, const char *ptx, int arch,
                              const char *const *names, int registers, const char **image, struct ks_err *err)
{
    const char *target = target_of(arena, tu, arch);
    const char *cubin = *image = ks_arena_printf(arena, "%s.cubin", ptx);
    KS_TRY(ks_device_assemble(arena, tu->toolkit, ptx, target, tu->cmd->rdc, registers, tu->sandbox, cubin, err));
    if (!tu->cmd->rdc)
        return KS_OK;
    *image = ks_arena_printf(arena, "%s.linked", cubin);
    return ks_device_link(arena, tu->toolkit, cubin, target, names, tu->sandbox, *image, err);
}

struct ks_slice ks_tu_preprocessed(struct ks_arena *arena, const struct ks_tu *tu, int arch)
{
    struct ks_strv names = {0};
    struct ks_slice text = {"", 0};
    const char suffix[2] = {ks_cmdline_suffix(tu->cmd, arch), '\0'};
    const char *found = NULL, *ending = ks_arena_printf(arena, ".compute_%d%s.cpp1.ii", arch, suffix);
    size_t n = 0;
    if (tu->plain_dir == NULL || ks_dir_list(arena, tu->plain_dir, &names, NULL) != KS_OK)
        return text;
    for (size_t i = 0; i < names.len; i++) {
        bool device = ks_ends_with(names.at[i], ".cpp1.ii"), own = ks_ends_with(names.at[i], ending);
        n += device;
        if (device && (found == NULL || own))
            found = names.at[i];
    }
    if (found != NULL && (n == 1 || ks_ends_with(found, ending)))
        (void)ks_file_read(arena, ks_path_join(arena, tu->plain_dir, found), SHADOW_MAX, &text, NULL);
    return text;
}
