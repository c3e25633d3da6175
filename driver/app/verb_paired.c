#include "app/verb_paired.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmt/table.h"
#include "os/file.h"
#include "os/proc.h"

struct half {
    double ratio;
    int correct, arch;
    const char *kernel, *key, *evidence;
};

static enum ks_status read_half(struct verb_paired *p, const char *target,
                                const struct ks_proc_result *run, struct half *out,
                                struct ks_err *err)
{
    struct ks_arena *arena = p->context->arena;
    json_t *root = ks_json_parse(run->out, NULL);
    const json_t *row = json_array_get(json_object_get(root, "kernels"), 0);
    const char *status = ks_json_str(row, "status", ""), *arch = ks_json_str(row, "arch", "sm_0");
    bool variant = strcmp(status, "variant") == 0;
    enum ks_status result = KS_OK;
    if (json_array_size(json_object_get(root, "kernels")) > 1)
        result = ks_err_set(err, KS_E_USER,
                            "%s: several kernels or instances; give FILE.cu:KERNEL of one", target);
    else if (!variant && strcmp(status, "original") != 0 && strcmp(status, "budget") != 0) {
        const char *text = ks_json_str(row, "text", ks_json_str(root, "text", "it gave no report"));
        result = ks_err_set(err, run->exit_code == EXIT_USAGE ? KS_E_USER : KS_E_CHILD,
                            "%s cannot be tuned: %s", target, text);
    }
    *out = (struct half){.ratio = variant ? ks_json_num(row, "speedup", 1) : 1,
                         .correct = (int)ks_json_int(row, "correct", 0),
                         .kernel = ks_arena_strdup(arena, ks_json_str(row, "kernel", "")),
                         .key = ks_arena_strdup(arena, ks_json_str(row, "key", "")),
                         .evidence = ks_arena_strdup(arena, ks_json_str(row, "evidence", "")),
                         .arch = atoi(arch + strlen("sm_"))};
    json_decref(root);
    return result;
}

static enum ks_status tune(struct verb_paired *p, const char *target, bool with, struct half *out,
                           struct ks_err *err)
{
    struct ks_arena *arena = p->context->arena;
    struct ks_strv argv = {0};
    struct ks_proc_result run;
    const struct ks_proc_options options = {
        .capture_stdout = true, .capture_stderr = true, .null_stdin = true};
    const char *dir = ks_path_join(arena, p->scratch, with ? "with" : "without");
    const char *project = ks_path_join(arena, dir, "project"),
               *state = ks_path_join(arena, dir, "state");
    KS_TRY(ks_tree_remove(dir, err));
    KS_TRY(ks_dir_make(project, err));
    KS_TRY(ks_file_write(ks_path_join(arena, project, "ks.yaml"), "", 0, false, 0, err));
    KS_TRY(p->prepare(p->self, state, with, err));
    if (setenv("KS_STATE_DIR", state, 1) != 0 || setenv("KS_PROJECT", project, 1) != 0 ||
        setenv("KS_CACHE_DIR", ks_path_join(arena, dir, "cache"), 1) != 0)
        return ks_err_errno(err, "the environment of a trial");
    ks_strv_add(arena, &argv, ks_path_join(arena, ks_program_dir(arena), "ks"));
    ks_strv_add(arena, &argv, "--json");
    ks_strv_add(arena, &argv, "tune");
    ks_strv_add(arena, &argv, target);
    if (p->budget != NULL)
        ks_strv_add(arena, &argv, ks_arena_printf(arena, "--budget=%s", p->budget));
    if (p->device != NULL)
        ks_strv_add(arena, &argv, ks_arena_printf(arena, "--device=%s", p->device));
    if (p->agents_alone)
        ks_strv_add(arena, &argv, "--no-engine");
    if (p->words != NULL)
        ks_strv_add(arena, &argv, "--");
    for (const char *const *word = p->words; word != NULL && *word != NULL; word++)
        ks_strv_add(arena, &argv, *word);
    KS_TRY(ks_proc_run(arena, argv.at, &options, &run, err));
    KS_TRY(read_half(p, target, &run, out, err));
    fprintf(stderr, "ks %s: %s %s %s: %.2fx, %.0f s\n", p->context->verb, target,
            with ? "with" : "without", p->what, out->ratio, run.seconds);
    return KS_OK;
}

static enum ks_status try_kernel(struct verb_paired *p, const char *target, struct ks_err *err)
{
    struct half with, without;
    bool first = p->trials.len % 2 == 0; // each comes first every other time
    KS_TRY(tune(p, target, first, first ? &with : &without, err));
    KS_TRY(tune(p, target, !first, first ? &without : &with, err));
    struct ks_trial *t = ks_vec_push(p->context->arena, &p->trials);
    *t = (struct ks_trial){.kernel = with.kernel,
                           .key = with.key,
                           .toolkit = p->toolkit,
                           .arch = with.arch,
                           .evidence = with.evidence[0] != '\0'      ? with.evidence
                                       : without.evidence[0] != '\0' ? without.evidence
                                                                     : "none",
                           .with_ratio = with.ratio,
                           .without_ratio = without.ratio,
                           .with_correct = with.correct,
                           .without_correct = without.correct};
    return ks_trial_add(p->outcomes, p->recorded, t, err);
}

static enum ks_status toolkit_version(struct verb_paired *p, struct ks_err *err)
{
    struct ks_toolkit toolkit;
    KS_TRY(ks_toolkit_find(p->context->arena, &p->context->config, &toolkit, err));
    KS_TRY(ks_toolkit_version(p->context->arena, &p->context->config, &toolkit, err));
    p->toolkit = toolkit.version;
    return KS_OK;
}

enum ks_status verb_paired_run(struct verb_paired *p, const char *const *targets, size_t n,
                               struct ks_err *err)
{
    KS_TRY(toolkit_version(p, err));
    KS_TRY(ks_dir_temp(p->context->arena, "ks-paired", &p->scratch, err));
    enum ks_status status = KS_OK;
    for (size_t i = 0; i < n && status == KS_OK; i++)
        status = try_kernel(p, targets[i], err);
    ks_tree_remove(p->scratch, NULL);
    return status;
}

json_t *verb_paired_rows(const struct verb_paired *p)
{
    static const char *const header[] = {"kernel", ">with", ">without", ">gain", "evidence"};
    struct ks_table table;
    json_t *rows = json_array();
    ks_table_begin(&table, p->context->arena, header, sizeof header / sizeof *header);
    ks_vec_each (const struct ks_trial, t, &p->trials) {
        double gain = t->with_ratio / t->without_ratio;
        ks_table_cell(&table, "%s", t->kernel);
        ks_table_cell(&table, "%.2fx", t->with_ratio);
        ks_table_cell(&table, "%.2fx", t->without_ratio);
        ks_table_cell(&table, "%.2fx", gain);
        ks_table_cell(&table, "%s", t->evidence);
        json_array_append_new(rows,
                              json_pack("{s:s,s:s,s:f,s:f,s:f,s:s}", "kernel", t->kernel, "key",
                                        t->key, "with", t->with_ratio, "without", t->without_ratio,
                                        "gain", gain, "evidence", t->evidence));
    }
    if (!p->context->json)
        ks_table_print(&table, stdout);
    return rows;
}

int verb_paired_check(struct ks_verb_context *context, const char *verb, const char *const *targets,
                      size_t n)
{
    if (n < KS_TRIAL_KERNELS)
        return verb_usage(context, "%s takes %d kernels or more, FILE.cu:KERNEL each", verb,
                          KS_TRIAL_KERNELS);
    for (size_t i = 0; i < n; i++) {
        const char *file, *kernel;
        verb_split_target(context->arena, targets[i], &file, &kernel);
        if (!ks_file_exists(file))
            return verb_usage(context, "%s: no such file", file);
    }
    return EXIT_OK;
}
