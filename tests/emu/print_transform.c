// Prints what transforms, one on top of the other, make of the only marked kernel of a file, as a proposal that
// `ks verify` reads:
//   print_transform FILE.cu "TRANSFORM PARAMETERS; TRANSFORM PARAMETERS" [PREPROCESSED]
// With the file as nvcc -E leaves it, macros are put in.
#include "engine/transform.h"
#include "os/file.h"
#include "source/expanded.h"
#include "../host_run/host_run.h"

static enum ks_status apply(struct ks_arena *arena, struct ks_subject *subject, char *steps,
                            struct ks_options *options, struct ks_err *err)
{
    for (char *step = strtok(steps, ";"); step != NULL; step = strtok(NULL, ";")) {
        step += strspn(step, " ");
        size_t n = strcspn(step, " ");
        KS_TRY(ks_transform_apply(subject, ks_arena_strndup(arena, step, n), step + n, options, err));
    }
    return KS_OK;
}

int main(int argc, char **argv)
{
    struct ks_arena arena = {0};
    struct ks_err err = {0};
    struct ks_slice text, preprocessed;
    struct ks_kernel_decl decl;
    struct ks_subject subject;
    struct ks_options options = {0};
    struct ks_proposal proposal;
    struct host_case c;
    if (argc < 3 || ks_file_read(&arena, argv[1], 1u << 20, &text, &err) != KS_OK)
        return 2;
    host_case_make(&arena, ks_arena_strndup(&arena, text.at, text.len), NULL, NULL, 0, &c);
    if (argc > 3 && (ks_file_read(&arena, argv[3], 16u << 20, &preprocessed, &err) != KS_OK ||
                     !ks_kernel_expanded(&arena, argv[1], text, c.brief.decl, preprocessed,
                                         &c.brief.kernel_text, &decl)))
        return 2;
    if (argc > 3)
        c.brief.decl = &decl;
    if (ks_subject_make(&arena, &c.brief, &subject, &err) != KS_OK ||
        apply(&arena, &subject, argv[2], &options, &err) != KS_OK ||
        ks_emit(&subject, &options, &proposal, &err) != KS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    struct ks_buf out = KS_BUF(1u << 20);
    struct ks_yaml_writer w = {.out = &out};
    ks_proposal_write(&w, &proposal);
    fputs(ks_buf_text(&out), stdout);
    ks_buf_free(&out);
    ks_arena_free(&arena);
    return 0;
}
