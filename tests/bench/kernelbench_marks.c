// kernelbench_marks FILE.cu...: whether every kernel of the files has a mark with a workload that
// ks takes.
#include <stdio.h>

#include "os/file.h"
#include "source/mark.h"

static struct ks_arena arena;

static enum ks_status look(const char *file, size_t *kernels_seen, struct ks_err *err)
{
    struct ks_slice text;
    struct ks_kernel_list kernels = {0};
    struct ks_mark_list marks = {0};
    KS_TRY(ks_file_read(&arena, file, 1u << 20, &text, err));
    KS_TRY(ks_kernels_find(&arena, file, text, &kernels, err));
    KS_TRY(ks_marks_find(&arena, file, text, &kernels, &marks, err));
    if (kernels.len == 0 || marks.len != kernels.len)
        return ks_err_set(err, KS_E_USER, "%s: %zu kernels, %zu marks", file, kernels.len,
                          marks.len);
    for (size_t i = 0; i < marks.len; i++)
        if (marks.at[i].n_workloads == 0 || marks.at[i].kernel->problem != NULL)
            return ks_err_set(err, KS_E_USER, "%s:%d: a mark that cannot be tuned", file,
                              marks.at[i].line);
    *kernels_seen += kernels.len;
    return KS_OK;
}

int main(int argc, char **argv)
{
    size_t kernels = 0;
    int bad = argc < 2;
    for (int i = 1; i < argc; i++) {
        struct ks_err err = {0};
        if (look(argv[i], &kernels, &err) != KS_OK) {
            printf("%s\n", err.text);
            bad++;
        }
    }
    printf("%d ports, %zu kernels, %d bad\n", argc - 1, kernels, bad);
    return bad != 0;
}
