// ks skills adopt: a skill of the user's, shown to pay by tuning kernels with it and without it. Each tuning is
// a `ks tune` of its own, with a state, cache and project of its own: both begin from nothing learned, and
// nothing that they find is stored.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/verb_skills.h"
#include "fmt/json.h"
#include "fmt/table.h"
#include "memory/trial.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"

struct adopting {
    struct ks_verb_context *context;
    const char *id, *budget, *device;
    const char *const *words;
    struct ks_outcomes *outcomes;
    struct ks_library library;
    char *scratch;
    KS_VEC(struct ks_trial) trials;
};
struct half {
    double ratio;
    int correct, arch;
    const char *kernel, *key, *evidence;
};

// Where every skill stands for one tuning: as for the user, but this one tried, or not.
static enum ks_status prepare(struct adopting *a, const char *state, bool with, struct ks_err *err)
{
    struct ks_arena *arena = a->context->arena;
    const struct ks_config own = {.state_dir = state};
    const char *to = ks_path_join(arena, state, "skills");
    struct ks_outcomes *fresh;
    KS_TRY(ks_dir_make(to, err));
    KS_TRY(ks_outcomes_open(&own, &fresh, err));
    enum ks_status status = KS_OK;
    for (size_t i = 0; status == KS_OK && i < a->library.skills.len; i++) {
        struct ks_skill_standing s = a->library.standings.at[i];
        const struct ks_skill *skill = &a->library.skills.at[i];
        if (strcmp(s.id, a->id) == 0)
            s.standing = with ? KS_ADOPTED : KS_DISABLED;
        s.toolkit = "";
        if (strcmp(ks_path_dir(arena, skill->file), ks_library_own_dir(arena, &a->context->config)) == 0)
            status = ks_file_copy(skill->file, ks_path_join(arena, to, ks_path_base(skill->file)), err);
        if (status == KS_OK && s.standing != KS_IN_USE)
            status = ks_standing_set(fresh, &s, err);
    }
    ks_outcomes_close(fresh);
    return status;
}

static enum ks_status read_half(struct adopting *a, const char *target, const struct ks_proc_result *run,
                                struct half *out, struct ks_err *err)
{
    struct ks_arena *arena = a->context->arena;
    json_t *root = ks_json_parse(run->out, NULL);
    const json_t *row = json_array_get(json_object_get(root, "kernels"), 0);
    const char *status = ks_json_str(row, "status", ""), *arch = ks_json_str(row, "arch", "sm_0");
    bool variant = strcmp(status, "variant") == 0;
    enum ks_status result = KS_OK;
    if (json_array_size(json_object_get(root, "kernels")) > 1)
        result = ks_err_set(err, KS_E_USER, "%s: several kernels or instances; give FILE.cu:KERNEL of one", target);
    else if (!variant && strcmp(status, "original") != 0 && strcmp(status, "budget") != 0) {
        const char *text = ks_json_str(row, "text", ks_json_str(root, "text", "it gave no report"));
        result = ks_err_set(err, run->exit_code == EXIT_USAGE ? KS_E_USER : KS_E_CHILD, "%s cannot be tuned: %s",
                            target, text);
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

static enum ks_status tune(struct adopting *a, const char *target, bool with, struct half *out,
                           struct ks_err *err)
{
    struct ks_arena *arena = a->context->arena;
    struct ks_strv argv = {0};
    struct ks_proc_result run;
    const struct ks_proc_options options = {.capture_stdout = true, .capture_stderr = true, .null_stdin = true};
    const char *dir = ks_path_join(arena, a->scratch, with ? "with" : "without");
    const char *project = ks_path_join(arena, dir, "project"), *state = ks_path_join(arena, dir, "state");
    KS_TRY(ks_tree_remove(dir, err));
    KS_TRY(ks_dir_make(project, err));
    KS_TRY(ks_file_write(ks_path_join(arena, project, "ks.yaml"), "", 0, false, 0, err));
    KS_TRY(prepare(a, state, with, err));
    if (setenv("KS_STATE_DIR", state, 1) != 0 || setenv("KS_PROJECT", project, 1) != 0 ||
        setenv("KS_CACHE_DIR", ks_path_join(arena, dir, "cache"), 1) != 0)
        return ks_err_errno(err, "the environment of a trial");
    ks_strv_add(arena, &argv, ks_path_join(arena, ks_program_dir(arena), "ks"));
    ks_strv_add(arena, &argv, "--json");
    ks_strv_add(arena, &argv, "tune");
    ks_strv_add(arena, &argv, target);
    if (a->budget != NULL)
        ks_strv_add(arena, &argv, ks_arena_printf(arena, "--budget=%s", a->budget));
    if (a->device != NULL)
        ks_strv_add(arena, &argv, ks_arena_printf(arena, "--device=%s", a->device));
    const struct ks_skill *skill = ks_skill_find(&a->library.skills, a->id);
    if (skill->transform == NULL && skill->template_ == NULL) // advice: models alone make anything of it
        ks_strv_add(arena, &argv, "--no-engine");
    if (a->words != NULL)
        ks_strv_add(arena, &argv, "--");
    for (const char *const *word = a->words; word != NULL && *word != NULL; word++)
        ks_strv_add(arena, &argv, *word);
    KS_TRY(ks_proc_run(arena, argv.at, &options, &run, err));
    KS_TRY(read_half(a, target, &run, out, err));
    fprintf(stderr, "ks skills: %s %s %s: %.2fx, %.0f s\n", target, with ? "with" : "without", a->id, out->ratio,
            run.seconds);
    return KS_OK;
}

static enum ks_status try_kernel(struct adopting *a, const char *target, const char *toolkit, struct ks_err *err)
{
    struct half with, without;
    bool first = a->trials.len % 2 == 0; // each comes first every other time
    KS_TRY(tune(a, target, first, first ? &with : &without, err));
    KS_TRY(tune(a, target, !first, first ? &without : &with, err));
    struct ks_trial *t = ks_vec_push(a->context->arena, &a->trials);
    *t = (struct ks_trial){.kernel = with.kernel, .key = with.key, .toolkit = toolkit, .arch = with.arch,
                           .evidence = with.evidence[0] != '\0'      ? with.evidence
                                       : without.evidence[0] != '\0' ? without.evidence : "none",
                           .with_ratio = with.ratio, .without_ratio = without.ratio,
                           .with_correct = with.correct, .without_correct = without.correct};
    return ks_trial_add(a->outcomes, a->id, t, err);
}

static void print(struct adopting *a, const struct ks_trial_judgement *j, const char *standing)
{
    static const char *const header[] = {"kernel", ">with", ">without", ">gain", "evidence"};
    struct ks_table table;
    json_t *rows = json_array();
    ks_table_begin(&table, a->context->arena, header, sizeof header / sizeof *header);
    ks_vec_each(struct ks_trial, t, &a->trials) {
        double gain = t->with_ratio / t->without_ratio;
        ks_table_cell(&table, "%s", t->kernel);
        ks_table_cell(&table, "%.2fx", t->with_ratio);
        ks_table_cell(&table, "%.2fx", t->without_ratio);
        ks_table_cell(&table, "%.2fx", gain);
        ks_table_cell(&table, "%s", t->evidence);
        json_array_append_new(rows, json_pack("{s:s,s:s,s:f,s:f,s:f,s:s}", "kernel", t->kernel, "key", t->key,
                                              "with", t->with_ratio, "without", t->without_ratio, "gain", gain,
                                              "evidence", t->evidence));
    }
    if (!a->context->json) {
        json_decref(rows);
        ks_table_print(&table, stdout);
        printf("%s: %s: %s\n", a->id, standing, j->reason);
        return;
    }
    json_t *report = ks_json_report("ks.adopt");
    json_object_set_new(report, "skill", json_string(a->id));
    json_object_set_new(report, "adopted", json_boolean(j->adopt));
    json_object_set_new(report, "standing", json_string(standing));
    json_object_set_new(report, "reason", json_string(j->reason));
    json_object_set_new(report, "lower", json_real(j->lower));
    json_object_set_new(report, "trials", rows);
    ks_json_print(report);
}

static enum ks_status toolkit_version(struct adopting *a, const char **version, struct ks_err *err)
{
    struct ks_toolkit toolkit;
    KS_TRY(ks_toolkit_find(a->context->arena, &a->context->config, &toolkit, err));
    KS_TRY(ks_toolkit_version(a->context->arena, &a->context->config, &toolkit, err));
    *version = toolkit.version;
    return KS_OK;
}

static enum ks_status adopt(struct adopting *a, const struct ks_strv *targets, bool *adopted,
                            struct ks_err *err)
{
    const char *version = NULL;
    struct ks_trial_judgement judgement;
    char date[32];
    KS_TRY(toolkit_version(a, &version, err));
    for (size_t i = 2; i < targets->len; i++)
        KS_TRY(try_kernel(a, targets->at[i], version, err));
    ks_trials_judge(a->context->arena, a->trials.at, a->trials.len, &judgement);
    const struct ks_skill_standing *was = ks_library_standing(&a->library, a->id);
    ks_utc_text(date);
    struct ks_skill_standing now = {.id = a->id, .reason = judgement.reason, .since = date, .toolkit = version,
                                    .arch = a->trials.at[0].arch, .standing = KS_ADOPTED};
    // What was adopted under another toolkit and is not shown anew goes back on probation.
    if (!judgement.adopt)
        now.standing = was->standing == KS_ADOPTED ? KS_PROBATION : was->standing;
    KS_TRY(ks_standing_set(a->outcomes, &now, err));
    *adopted = judgement.adopt;
    print(a, &judgement, ks_standing_name(now.standing));
    return KS_OK;
}

static int check(struct adopting *a, const struct ks_strv *targets)
{
    struct ks_verb_context *context = a->context;
    const struct ks_skill *skill = ks_skill_find(&a->library.skills, a->id);
    if (skill == NULL)
        return verb_skill_unknown(context, &a->library, a->id);
    if (ks_library_standing(&a->library, a->id)->standing == KS_IN_USE)
        return verb_usage(context, "`%s` is installed and in use; only skills that were added are adopted", a->id);
    if (skill->transform == NULL && skill->template_ == NULL && context->config.agent == NULL)
        return verb_usage(context, "`%s` has no action: with it and without it the same would be tried; configure a "
                          "model that is shown it (KS_AGENT)", a->id);
    for (size_t i = 2; i < targets->len; i++) {
        const char *file, *kernel;
        verb_split_target(context->arena, targets->at[i], &file, &kernel);
        if (!ks_file_exists(file))
            return verb_usage(context, "%s: no such file", file);
    }
    return EXIT_OK;
}

int verb_skills_adopt(struct ks_verb_context *context, const struct verb_words *words, const char *budget,
                      const char *device)
{
    struct adopting a = {.context = context, .id = words->targets.at[1], .budget = budget, .device = device,
                         .words = words->nvcc};
    struct ks_err err = {0};
    bool adopted = false;
    if (words->targets.len - 2 < KS_TRIAL_KERNELS)
        return verb_usage(context, "adopt takes %d kernels or more, FILE.cu:KERNEL each", KS_TRIAL_KERNELS);
    ks_stop_on_signals();
    enum ks_status status = ks_outcomes_open(&context->config, &a.outcomes, &err);
    if (status == KS_OK)
        status = ks_library_load(context->arena, &context->config, a.outcomes, true, &a.library, &err);
    int exit_code = status == KS_OK ? check(&a, &words->targets) : EXIT_OK;
    if (status == KS_OK && exit_code == EXIT_OK) {
        status = ks_dir_temp(context->arena, "ks-adopt", &a.scratch, &err);
        if (status == KS_OK)
            status = adopt(&a, &words->targets, &adopted, &err);
        if (a.scratch != NULL)
            ks_tree_remove(a.scratch, NULL);
    }
    ks_outcomes_close(a.outcomes);
    if (status != KS_OK)
        return verb_fail(context, &err);
    return exit_code != EXIT_OK ? exit_code : adopted ? EXIT_OK : EXIT_NEGATIVE;
}
