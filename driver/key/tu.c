#include "key/tu.h"

#include <string.h>

#include "os/file.h"

#define LARGEST_SOURCE ((size_t)256 << 20)

struct mark_vec {
    struct ks_tu_mark *at;
    size_t len, cap;
};

// Which marks of ks.yaml speak of a file. Asked before the file is lexed: most files hold no kernel,
// and most that do are named by no pattern.
static size_t side_marks_for(struct ks_arena *arena, const struct ks_tu *tu,
                             const struct ks_source_file *file, bool in_tu, size_t **indices)
{
    if ((!in_tu && !file->has_kernel) || !ks_project_may_mark(&tu->project, file->path))
        return 0;
    const char *real = ks_path_real(arena, file->path);
    return real == NULL ? 0 : ks_project_marks_for(arena, &tu->project, real, indices);
}

static enum ks_status read_side_mark(struct ks_arena *arena, const struct ks_tu *tu,
                                     const struct ks_side_mark *side, struct ks_mark *mark,
                                     struct ks_err *err)
{
    const char *where = ks_arena_printf(arena, "%s:%d", tu->project.file, side->line);
    if (!side->off)
        KS_TRY(ks_mark_parse_optimize(arena, where, side->optimize, mark, err));
    for (size_t w = 0; w < side->n_workloads; w++) {
        where = ks_arena_printf(arena, "%s:%d", tu->project.file, side->workload_lines[w]);
        KS_TRY(ks_mark_parse_workload(arena, where, side->workloads[w], mark, err));
    }
    return ks_mark_check(arena, mark, err);
}

// Those marks, each bound to every declaration of its name in the file.
static void bind_side_marks(struct ks_arena *arena, struct ks_tu *tu,
                            const struct ks_source_file *file, bool in_tu,
                            const struct ks_kernel_list *kernels, const size_t *indices, size_t n,
                            struct mark_vec *marks)
{
    for (size_t i = 0; i < n; i++) {
        const struct ks_side_mark *side = &tu->project.marks[indices[i]];
        const char *wanted = ks_instance_normalise(arena, side->kernel);
        size_t plain = strcspn(wanted, "<");
        bool bound = false;
        ks_vec_each(struct ks_kernel_decl, decl, kernels) {
            if (strlen(decl->qualified) != plain || strncmp(decl->qualified, wanted, plain) != 0)
                continue;
            struct ks_mark *mark = KS_NEW(arena, struct ks_mark);
            mark->file = tu->project.file;
            mark->line = side->line;
            mark->name = "";
            mark->from_side_file = true;
            mark->off = side->off;
            mark->kernel = decl;
            struct ks_err mistake = {0};
            if (read_side_mark(arena, tu, side, mark, &mistake) != KS_OK) {
                mark->problem = ks_arena_strdup(arena, mistake.text);
                mark->n_workloads = 0;
                ks_strv_add(arena, &tu->mistakes, mark->problem);
            }
            struct ks_tu_mark *out = ks_vec_push(arena, marks);
            *out = (struct ks_tu_mark){.mark = mark, .decl = decl, .file = file, .in_tu = in_tu};
            if (wanted[plain] == '<')
                out->side_instance = wanted;
            bound = true;
        }
        // A pattern speaks of many files; a file's own name promises the kernel.
        if (!bound && in_tu && strpbrk(side->file, "*?[") == NULL)
            ks_strv_add(arena, &tu->mistakes,
                        ks_arena_printf(arena, "%s:%d: %s defines no kernel `%s`; check the name, with "
                                        "its namespaces, or remove the entry",
                                        tu->project.file, side->line, file->path, side->kernel));
    }
}

static enum ks_status read_file_marks(struct ks_arena *arena, struct ks_tu *tu,
                                      struct ks_source_file *file, bool in_tu,
                                      struct mark_vec *marks, struct ks_err *err)
{
    size_t *side = NULL, n_side = side_marks_for(arena, tu, file, in_tu, &side);
    if (!file->may_have_mark && n_side == 0)
        return KS_OK;
    if (file->text.at == NULL)
        KS_TRY(ks_file_read(arena, file->path, LARGEST_SOURCE, &file->text, err));
    struct ks_kernel_list *kernels = KS_NEW(arena, struct ks_kernel_list);
    enum ks_status status = ks_kernels_find(arena, file->path, file->text, kernels, err);
    if (status != KS_OK) // a file without marks of its own owes us nothing
        return file->may_have_mark ? status : KS_OK;
    struct ks_mark_list *list = in_tu ? &tu->tu_marks : KS_NEW(arena, struct ks_mark_list);
    if (file->may_have_mark) {
        ks_marks_find(arena, file->path, file->text, kernels, list, NULL);
        for (size_t i = 0; i < list->mistakes.len; i++)
            ks_strv_add(arena, &tu->mistakes, list->mistakes.at[i]);
        if (list->file_off) {
            tu->off |= in_tu;
            return KS_OK;
        }
        if (!in_tu && list->n_blanks > 0)
            tu->headers_marked = true;
        ks_vec_each(struct ks_mark, mark, list) {
            if (mark->kernel == NULL)
                continue;
            struct ks_tu_mark *out = ks_vec_push(arena, marks);
            *out = (struct ks_tu_mark){
                .mark = mark, .decl = mark->kernel, .file = file, .in_tu = in_tu};
        }
    }
    bind_side_marks(arena, tu, file, in_tu, kernels, side, n_side, marks);
    return KS_OK;
}

// The toolkit's headers and the system's hold no marks, also where -I names their folders.
static enum ks_status read_files(struct ks_arena *arena, struct ks_tu *tu, struct ks_err *err)
{
    const char *const left_out[] = {
        "/usr/include", tu->toolkit->include_dir,
        tu->toolkit->include_dir ? ks_path_join(arena, tu->toolkit->include_dir, "cccl") : NULL,
        NULL};
    struct ks_closure_dirs dirs = {tu->cmd->quote_dirs, tu->cmd->include_dirs, left_out};
    return ks_closure_read(arena, tu->path, &dirs, &tu->files, err);
}

// A unit that only gathers others (a unity build's) lies in a build folder, perhaps outside of every
// project: then the first project counts whose source or marked header it includes.
static enum ks_status find_project(struct ks_arena *arena, struct ks_tu *tu, struct ks_err *err)
{
    for (size_t i = 1; i < tu->files.len; i++) {
        const struct ks_source_file *file = &tu->files.at[i];
        if (tu->project.root != NULL || tu->project.ignored != NULL)
            break;
        if (file->may_have_mark || ks_ends_with(file->path, ".cu"))
            KS_TRY(ks_project_find(arena, tu->config, file->path, &tu->project, err));
    }
    return KS_OK;
}

// --ks-kernel: the marked kernels that are not named are as if marked off.
static void leave_out(struct ks_arena *arena, const struct ks_strv *wanted, struct ks_tu_mark *mark)
{
    for (size_t i = 0; i < wanted->len; i++)
        if (strcmp(wanted->at[i], mark->decl->qualified) == 0)
            return;
    struct ks_mark *off = ks_arena_memdup(arena, mark->mark, sizeof *mark->mark);
    off->off = true;
    mark->mark = off;
}

enum ks_status ks_tu_open(struct ks_arena *arena, const struct ks_config *config,
                          const struct ks_cmdline *cmd, struct ks_toolkit *toolkit,
                          struct ks_tu *tu, struct ks_err *err)
{
    *tu = (struct ks_tu){.config = config, .cmd = cmd, .toolkit = toolkit};
    tu->path = cmd->argv[cmd->input];
    KS_TRY(ks_project_find(arena, config, tu->path, &tu->project, err));
    KS_TRY(read_files(arena, tu, err));
    KS_TRY(find_project(arena, tu, err));
    struct mark_vec marks = {0};
    for (size_t i = 0; i < tu->files.len && !tu->off; i++)
        KS_TRY(read_file_marks(arena, tu, &tu->files.at[i], i == 0, &marks, err));
    tu->marks = marks.at;
    tu->n_marks = tu->off ? 0 : marks.len;
    for (size_t i = 0; config->kernels.len > 0 && i < tu->n_marks; i++)
        leave_out(arena, &config->kernels, &tu->marks[i]);
    if (tu->mistakes.len > 0)
        return ks_err_set(err, KS_E_USER, "%s", tu->mistakes.at[0]);
    return KS_OK;
}
