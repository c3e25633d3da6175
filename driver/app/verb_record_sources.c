// The kernels that a project's files define: where a recorded name has its source, and which are marked.
#include <string.h>

#include "app/verb_record.h"
#include "os/file.h"

#define LARGEST_SOURCE (16 << 20)
#define DEEPEST 16

static bool is_source(const char *name)
{
    static const char *const ends[] = {".cu", ".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ks_ends_with(name, ends[i]))
            return true;
    return false;
}

// A file that cannot be read, or whose marks are wrong, defines nothing here: its own compile says why.
static void add_file(struct ks_arena *arena, const char *path, struct record_sources *sources)
{
    struct ks_slice text;
    struct ks_kernel_list kernels = {0};
    struct ks_mark_list marks = {0};
    if (ks_file_read(arena, path, LARGEST_SOURCE, &text, NULL) != KS_OK ||
        memmem(text.at, text.len, "__global__", 10) == NULL ||
        ks_kernels_find(arena, path, text, &kernels, NULL) != KS_OK ||
        ks_marks_find(arena, path, text, &kernels, &marks, NULL) != KS_OK)
        return;
    for (size_t i = 0; i < kernels.len; i++) {
        struct record_source *source = ks_vec_push(arena, sources);
        *source = (struct record_source){.path = path, .decl = &kernels.at[i], .text = text};
        for (size_t k = 0; k < marks.len; k++)
            source->marked |= marks.at[k].kernel == source->decl;
    }
}

static void walk(struct ks_arena *arena, const char *dir, int depth, struct record_sources *sources)
{
    struct ks_strv list = {0};
    if (depth > DEEPEST || ks_dir_list(arena, dir, &list, NULL) != KS_OK ||
        (depth > 0 && ks_file_exists(ks_path_join(arena, dir, "CMakeCache.txt"))))
        return;
    for (size_t i = 0; i < list.len; i++) {
        const char *path = ks_path_join(arena, dir, list.at[i]);
        if (list.at[i][0] == '.')
            continue;
        if (is_source(list.at[i]))
            add_file(arena, path, sources);
        else if (ks_is_dir(path))
            walk(arena, path, depth + 1, sources);
    }
}

static bool marked_aside(const struct ks_project *project, const char *qualified)
{
    for (size_t i = 0; i < project->n_marks; i++) {
        const char *kernel = project->marks[i].kernel;
        size_t n = strcspn(kernel, "<");
        if (!project->marks[i].off && strlen(qualified) == n && strncmp(kernel, qualified, n) == 0)
            return true;
    }
    return false;
}

const char *record_sources_find(struct ks_arena *arena, const struct ks_project *project,
                                struct record_sources *sources)
{
    const char *root = project->root != NULL ? project->root : ".";
    *sources = (struct record_sources){0};
    walk(arena, root, 0, sources);
    for (size_t i = 0; i < sources->len; i++)
        sources->at[i].marked |= marked_aside(project, sources->at[i].decl->qualified);
    return root;
}

const struct record_source *record_source_of(struct ks_arena *arena, const struct record_sources *sources,
                                             const char *kernel)
{
    const char *instance = ks_instance_normalise(arena, kernel);
    static const char unnamed[] = "(anonymous namespace)::"; // adds nothing to a declaration's name
    struct ks_buf plain = KS_BUF(1 << 16);
    for (const char *at = instance; *at != '\0';)
        if (ks_starts_with(at, unnamed))
            at += sizeof unnamed - 1;
        else
            ks_buf_putc(&plain, *at++);
    const struct record_source *found = NULL;
    for (size_t i = 0; i < sources->len && found == NULL; i++)
        if (verb_instance_of(ks_buf_text(&plain), sources->at[i].decl->qualified))
            found = &sources->at[i];
    ks_buf_free(&plain);
    return found;
}
