#include "app/verb_remark.h"

#include <string.h>
#include <unistd.h>

#include "os/file.h"
#include "os/proc.h"

// FILE:LINE: remark: KERNEL: TEXT [ks:REASON]
static void read_line(struct ks_arena *arena, const char *line, struct verb_remark_list *list)
{
    static const char mark[] = ": remark: ";
    const char *at = strstr(line, mark), *tail = NULL;
    for (const char *next = line; (next = strstr(next, " [ks:")) != NULL; next++)
        tail = next;
    if (at == NULL || tail == NULL || tail < at)
        return;
    at += strlen(mark);
    const char *colon = strstr(at, ": ");
    const char *name = tail + strlen(" [ks:");
    enum ks_reason reason =
        ks_reason_parse(ks_arena_strndup(arena, name, strcspn(name, "]")));
    if (colon == NULL || colon > tail || reason == KS_R_COUNT)
        return;
    const char *text = ks_arena_strndup(arena, colon + 2, (size_t)(tail - colon - 2));
    static const char variant[] = "variant ", out[] = " is left out: ";
    const char *left_out = NULL, *behind = strstr(text, out);
    if (ks_starts_with(text, variant) && behind != NULL) {
        const char *id = text + strlen(variant);
        left_out = ks_arena_strndup(arena, id, (size_t)(behind - id));
        text = behind + strlen(out);
    }
    size_t sentence = strlen(ks_reason_text(reason));
    if (strncmp(text, ks_reason_text(reason), sentence) == 0)
        text += sentence + (text[sentence] == ':' ? strlen(": ") : 0);
    *ks_vec_push(arena, list) = (struct verb_remark){
        .kernel = ks_arena_strndup(arena, at, (size_t)(colon - at)), .reason = reason,
        .text = text, .left_out = left_out};
}

// A look must not count as a build: KS_READONLY keeps pending kernels, counters and manifests out.
static const char *const *readonly_environment(struct ks_arena *arena, const struct ks_config *config)
{
    struct ks_strv env = {0};
    for (char **at = environ; *at != NULL; at++)
        if (!ks_starts_with(*at, "KS_READONLY=") && !ks_starts_with(*at, "KS_LOG=") && !ks_starts_with(*at, "KS_ACCEPT="))
            ks_strv_add(arena, &env, *at);
    ks_strv_add(arena, &env, "KS_READONLY=1");
    ks_strv_add(arena, &env, config->accept == KS_ACCEPT_MODELLED ? "KS_ACCEPT=modelled" : "KS_ACCEPT=measured");
    return env.at;
}

enum ks_status verb_remarks(struct ks_verb_context *context, const struct verb_tu *tu,
                            struct verb_remark_list *list, struct ks_err *err)
{
    static const char *const ours[] = {"--ks-mode=consume", "--ks-remarks=all", NULL};
    struct ks_arena *arena = context->arena;
    const char *program = ks_path_join(arena, ks_program_dir(arena), "ks-nvcc");
    const char **argv = ks_cmdline_build(arena, &tu->cmd, program, ours, NULL,
                                         ks_path_join(arena, tu->dir, "proof.o"), NULL);
    struct ks_proc_options options = {.env = readonly_environment(arena, &context->config), .capture_stdout = true,
                                      .capture_stderr = true, .null_stdin = true};
    struct ks_proc_result result;
    KS_TRY(ks_proc_run(arena, argv, &options, &result, err));
    if (result.exit_code != 0)
        KS_FAIL(err, KS_E_CHILD, "%s fails with status %d on a command that nvcc compiles", program,
                result.exit_code);
    char *save = NULL, *text = ks_arena_strndup(arena, result.err.at, result.err.len);
    for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save))
        read_line(arena, line, list);
    return KS_OK;
}
