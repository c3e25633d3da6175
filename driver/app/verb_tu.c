// One TU under the words of its compile, for the verbs that look at kernels.
#include <stdio.h>
#include <string.h>

#include "app/verb.h"
#include "nvcc/option.h"
#include "os/file.h"
#include "verify/confine.h"
#include "workload/capture.h"
#include "workload/members.h"
#include "workload/ranges.h"

#define COMPILE_SECONDS 120.0
#define COMPILE_MEMORY (INT64_C(8) << 30) // of each program

void verb_split_target(struct ks_arena *arena, const char *text, const char **file,
                       const char **kernel)
{
    *file = text;
    *kernel = NULL;
    for (const char *at = text; *at != '\0'; at++) {
        if (at[0] != ':')
            continue;
        if (at[1] == ':') {
            at++;
            continue;
        }
        *file = ks_arena_strndup(arena, text, (size_t)(at - text));
        *kernel = at + 1;
        return;
    }
}

// A build's own words may spell the file relative to its folder, or absolutely.
static bool same_file(struct ks_arena *arena, const char *word, const char *file)
{
    if (word[0] == '-' || strcmp(ks_path_base(word), ks_path_base(file)) != 0)
        return false;
    const char *a = ks_path_real(arena, word), *b = ks_path_real(arena, file);
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

// argv for the command-line model: what shapes device code stays, outputs are ours, and other inputs of
// a command that compiles several or links are none of this file's business.
static int make_words(struct ks_arena *arena, const char *file, const char *const *words,
                      const char *object, struct ks_strv *out)
{
    struct ks_strv given = {0};
    size_t input = 0;
    ks_strv_add(arena, &given, "ks");
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        ks_strv_add(arena, &given, words[i]);
    struct ks_use use;
    for (size_t i = 1; i < given.len; i += use.n) {
        use = ks_option_at(given.at, given.len, i);
        if (use.kind == KS_USE_INPUT && same_file(arena, given.at[i], file))
            input = i;
    }
    *out = ks_cmdline_unit_words(arena, given.at, given.len, input, false);
    if (input == 0)
        ks_strv_add(arena, out, file);
    ks_strv_add(arena, out, "-o");
    ks_strv_add(arena, out, object);
    return (int)out->len;
}

// The compiler's first complaint; the rest is its own to tell.
static struct ks_slice first_error(struct ks_slice text)
{
    struct ks_slice first = {0};
    for (size_t at = 0; at < text.len;) {
        const char *newline = memchr(text.at + at, '\n', text.len - at);
        size_t n = newline == NULL ? text.len - at : (size_t)(newline - text.at) - at;
        struct ks_slice line = ks_slice_trim((struct ks_slice){text.at + at, n});
        at += n + 1;
        if (memmem(line.at, line.len, "error", 5) != NULL ||
            memmem(line.at, line.len, "fatal", 5) != NULL)
            return line;
        first = first.len == 0 ? line : first;
    }
    return first;
}

static bool is_header(const char *file)
{
    static const char *const ends[] = {".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ks_ends_with(file, ends[i]))
            return true;
    return false;
}

// Why ks.yaml marks nothing either, where it seems to have been meant to.
static enum ks_status nothing_marked(struct ks_arena *arena, const struct ks_tu *tu,
                                     const char *file, struct ks_err *err)
{
    const struct ks_project *project = &tu->project;
    const char *real = ks_path_real(arena, tu->path);
    size_t *indices = NULL;
    if (tu->off)
        KS_FAIL(err, KS_E_USER, "%s: the file's first mark is `ks off`: nothing in it is touched; "
                "remove that line", file);
    if (project->ignored != NULL)
        KS_FAIL(err, KS_E_USER, "%s: no kernel is marked, and the project's file is not used: %s; "
                "mend its owner or mode", file, project->ignored);
    if (real != NULL && ks_project_marks_for(arena, project, real, &indices) > 0) {
        const struct ks_side_mark *side = &project->marks[indices[0]];
        KS_FAIL(err, KS_E_USER, "%s: no kernel is marked; %s:%d names `%s`, which it does not "
                "define: check the name, with its namespaces", file, project->file, side->line,
                side->kernel);
    }
    KS_FAIL(err, KS_E_USER, "%s: no kernel is marked; put `#pragma ks optimize` and a workload line "
            "above one (docs/marks.md)", file);
}

// A build that named its project did so for its own reasons: the command that it left behind says so too.
static const struct ks_config *config_of(struct ks_verb_context *context,
                                         const struct ks_cmdline *cmd)
{
    static const char option[] = "--ks-project=";
    struct ks_config *config = ks_arena_memdup(context->arena, &context->config,
                                               sizeof context->config);
    for (size_t i = 0; i < cmd->n_own; i++)
        if (ks_starts_with(cmd->own[i], option))
            config->project = cmd->own[i] + strlen(option);
    return config;
}

// What nvcc preprocessed for the host, or for a device where it made device code alone; empty where it cannot be read.
static struct ks_slice preprocessed(struct ks_arena *arena, const struct ks_tu_compile *compile)
{
    struct ks_strv files = {0};
    struct ks_slice text = {0};
    if (ks_dir_list(arena, compile->keep_dir, &files, NULL) == KS_OK)
        for (size_t i = 0; i < files.len && text.len == 0; i++)
            if (ks_ends_with(files.at[i], compile->device ? ".cpp1.ii" : ".cpp4.ii"))
                ks_file_read(arena, ks_path_join(arena, compile->keep_dir, files.at[i]), 64 << 20, &text, NULL);
    return text;
}

// The keys stand: what a capture holds is not part of them but by its name, and clauses stand there as written.
static void expand_marks(struct ks_arena *arena, struct verb_tu *out)
{
    struct ks_strv dirs = ks_store_captures(arena, &out->store);
    struct ks_slice text = {0};
    for (size_t i = 0; i < out->tu.n_kernels; i++) {
        struct ks_tu_kernel *kernel = &out->tu.kernels[i];
        struct ks_tu_mark *mark = ks_arena_memdup(arena, kernel->mark, sizeof *mark);
        bool captured = false, members = ks_members_named(mark->mark), ranges = ks_ranges_wanted(mark->mark);
        for (size_t w = 0; w < mark->mark->n_workloads; w++)
            captured |= mark->mark->workloads[w].capture[0] != '\0';
        if ((!captured && !members && !ranges) || kernel->signature == NULL)
            continue;
        if (text.len == 0 && (captured || members))
            text = preprocessed(arena, &out->plain);
        if (members)
            mark->mark = ks_members_expand(arena, mark->mark, mark->decl, kernel->signature, text);
        if (captured)
            mark->mark = ks_capture_expand(arena, &dirs, mark->mark, mark->decl, kernel->signature, text);
        if (ranges)
            mark->mark = ks_ranges_read(arena, mark->mark, mark->decl, kernel->signature);
        kernel->mark = mark;
    }
}

static bool any_right(const struct ks_tu *tu)
{
    for (size_t i = 0; i < tu->n_marks; i++)
        if (tu->marks[i].mark->problem == NULL)
            return true;
    return false;
}

struct manner {
    bool partly, device;
    const char *const *within; // NULL: not confined
};

// What it writes to is the folder for builds of the original alone.
static enum ks_status confine(struct ks_arena *arena, const struct ks_config *config, const char *const *within,
                              struct verb_tu *out, struct ks_err *err)
{
    const char *own = ks_path_join(arena, out->dir, KS_TU_OWN);
    out->tu.within = within;
    out->plain.limit_seconds = COMPILE_SECONDS;
    out->plain.limit_memory = COMPILE_MEMORY;
    out->sandbox = KS_NEW(arena, struct ks_sandbox);
    out->sandbox->ruleset = -1;
    KS_TRY(ks_confine_compile(arena, config, &out->toolkit, &out->tu, NULL, own, out->sandbox, err));
    out->tu.sandbox = out->sandbox;
    return KS_OK;
}

// Why the plain compile made nothing: the user's mistake.
static enum ks_status not_compiled(const char *file, const struct verb_tu *out, struct ks_err *err)
{
    const struct ks_tu_compile *plain = &out->plain;
    struct ks_slice said = first_error(plain->err);
    int n = (int)(said.len < 800 ? said.len : 800);
    if (plain->timed_out)
        KS_FAIL(err, KS_E_USER, "%s does not compile within %g s", file, plain->limit_seconds);
    if (plain->exceeded != NULL)
        KS_FAIL(err, KS_E_USER, "%s does not compile: the compiler was stopped: %s", file, plain->exceeded);
    if (out->sandbox != NULL && memmem(plain->err.at, plain->err.len, "Permission denied", 17) != NULL)
        KS_FAIL(err, KS_E_USER, "%s does not compile in its sandbox, which lets the compiler read the suite's folder "
                "and the system's alone: %.*s; copy what it includes there, or --no-sandbox, if you know whose text "
                "it is", file, n, said.at);
    KS_FAIL(err, KS_E_USER, "%s does not compile with these options: %.*s", file, n, said.at);
}

static enum ks_status open_tu(struct ks_verb_context *context, const char *file,
                              const char *const *words, const struct manner *how,
                              struct verb_tu *out, struct ks_err *err)
{
    struct ks_arena *arena = context->arena;
    *out = (struct verb_tu){0};
    if (!ks_file_exists(file))
        return ks_err_set(err, KS_E_USER, "%s: no such file", file);
    KS_TRY(ks_toolkit_find(arena, &context->config, &out->toolkit, err));
    KS_TRY(ks_dir_temp(arena, "ks-work", &out->dir, err));
    struct ks_strv argv = {0};
    int argc = make_words(arena, file, words, ks_path_join(arena, out->dir, KS_TU_OWN "/plain.o"), &argv);
    ks_cmdline_read(arena, argc, argv.at, &out->cmd);
    if (out->cmd.pass != NULL && is_header(file))
        return ks_err_set(err, KS_E_USER, "%s: a header is compiled with the files that include it; "
                          "give one of them (FILE.cu:KERNEL)", file);
    if (out->cmd.pass != NULL)
        return ks_err_set(err, KS_E_USER, "%s: %s; give the nvcc options of its compile behind --",
                          file, out->cmd.pass);
    const struct ks_config *config = config_of(context, &out->cmd);
    enum ks_status status = ks_tu_open(arena, config, &out->cmd, &out->toolkit, &out->tu, err);
    if (status != KS_OK && (!how->partly || out->tu.mistakes.len == 0 || !any_right(&out->tu)))
        return status;
    ks_store_open(arena, config, &out->tu.project, &out->store);
    if (out->tu.n_marks == 0)
        return nothing_marked(arena, &out->tu, file, err);
    out->plain.quiet = true;
    out->plain.device = how->device;
    out->plain.keep_dir = ks_path_join(arena, out->dir, KS_TU_OWN "/keep");
    KS_TRY(ks_dir_make(out->plain.keep_dir, err));
    if (how->within != NULL)
        KS_TRY(confine(arena, config, how->within, out, err));
    KS_TRY(ks_tu_compile_plain(arena, &out->tu, out->cmd.output, &out->plain, err));
    if (out->plain.exit_code != 0)
        return not_compiled(file, out, err);
    KS_TRY(ks_tu_identify(arena, &out->tu, &out->plain, err));
    expand_marks(arena, out);
    return KS_OK;
}

enum ks_status verb_tu_open(struct ks_verb_context *context, const char *file,
                            const char *const *words, struct verb_tu *out, struct ks_err *err)
{
    return open_tu(context, file, words, &(struct manner){0}, out, err);
}

enum ks_status verb_tu_open_partly(struct ks_verb_context *context, const char *file,
                                   const char *const *words, struct verb_tu *out, struct ks_err *err)
{
    return open_tu(context, file, words, &(struct manner){.partly = true}, out, err);
}

enum ks_status verb_tu_open_device(struct ks_verb_context *context, const char *file,
                                   const char *const *words, struct verb_tu *out, struct ks_err *err)
{
    return open_tu(context, file, words, &(struct manner){.device = true}, out, err);
}

enum ks_status verb_tu_open_within(struct ks_verb_context *context, const char *file, const char *const *words,
                                   bool device, const char *const *within, struct verb_tu *out, struct ks_err *err)
{
    return open_tu(context, file, words, &(struct manner){.device = device, .within = within}, out, err);
}

int verb_tell_mistakes(const struct ks_verb_context *context, const struct verb_tu *tu)
{
    for (size_t i = 0; i < tu->tu.mistakes.len; i++)
        fprintf(stderr, "ks %s: %s\n", context->verb, tu->tu.mistakes.at[i]);
    bool wrong = tu->tu.mistakes.len > 0;
    for (size_t i = 0; i < tu->tu.n_kernels; i++) // what only the compile showed, and the kernel's report has told
        wrong |= tu->tu.kernels[i].reason == KS_R_BAD_MARK;
    return wrong ? EXIT_USAGE : EXIT_OK;
}

void verb_tu_close(struct verb_tu *tu)
{
    if (tu->sandbox != NULL)
        ks_sandbox_close(tu->sandbox);
    tu->sandbox = NULL;
    if (tu->dir != NULL)
        ks_tree_remove(tu->dir, NULL);
    tu->dir = NULL;
}

const char *verb_kernel_name(const struct ks_tu_kernel *kernel)
{
    return kernel->signature != NULL ? kernel->signature->instance : kernel->mark->decl->qualified;
}

bool verb_instance_of(const char *instance, const char *name)
{
    size_t n = strlen(name);
    return strncmp(instance, name, n) == 0 &&
           (instance[n] == '\0' || (instance[n] == '<' && strchr(name, '<') == NULL));
}

bool verb_kernel_is(struct ks_arena *arena, const struct ks_tu_kernel *kernel, const char *name)
{
    if (name == NULL)
        return true;
    name = ks_instance_normalise(arena, name);
    return strcmp(name, kernel->mark->decl->qualified) == 0 ||
           (kernel->signature != NULL && strcmp(name, kernel->signature->instance) == 0);
}

enum ks_status verb_no_kernel(const struct verb_tu *tu, const char *name, struct ks_err *err)
{
    struct ks_buf names = KS_BUF(512);
    for (size_t i = 0; i < tu->tu.n_kernels; i++) {
        const char *one = verb_kernel_name(&tu->tu.kernels[i]);
        if (i > 0 && strcmp(one, verb_kernel_name(&tu->tu.kernels[i - 1])) == 0)
            continue; // the same for another architecture
        ks_buf_printf(&names, "%s%s", names.len > 0 ? ", " : "", one);
    }
    ks_err_set(err, KS_E_USER, "%s: no marked kernel `%s`; there are: %s%s", tu->tu.path,
               name != NULL ? name : "", ks_buf_text(&names), names.failed ? ", ..." : "");
    ks_buf_free(&names);
    return KS_E_USER;
}

enum ks_status verb_tu_fault(struct ks_verb_context *context, const char *file, const char *kernel,
                             const char *const *words, struct ks_err *err)
{
    static const char *const any_arch[] = {"-arch=sm_90", NULL};
    struct verb_tu tu;
    struct ks_err local = {0};
    enum ks_status status = verb_tu_open(context, file, words != NULL ? words : any_arch, &tu, &local);
    bool found = false;
    for (size_t i = 0; status == KS_OK && !found && i < tu.tu.n_kernels; i++)
        found = verb_kernel_is(context->arena, &tu.tu.kernels[i], kernel);
    if (status == KS_OK && !found)
        status = verb_no_kernel(&tu, kernel, &local);
    verb_tu_close(&tu);
    return status == KS_E_USER ? ks_err_set(err, status, "%s", local.text) : KS_OK;
}
