// ks skills adopt: a skill of the user's, shown to pay by tuning kernels with it and without it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/verb_paired.h"
#include "app/verb_skills.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"

struct adopting {
    struct ks_verb_context *context;
    const char *id;
    struct ks_outcomes *outcomes;
    struct ks_library library;
    struct verb_paired paired;
};

// Where every skill stands for one tuning: as for the user, but this one tried, or not.
static enum ks_status prepare(void *self, const char *state, bool with, struct ks_err *err)
{
    struct adopting *a = self;
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

static void print(struct adopting *a, const struct ks_trial_judgement *j, const char *standing)
{
    json_t *rows = verb_paired_rows(&a->paired);
    if (!a->context->json) {
        json_decref(rows);
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

static enum ks_status adopt(struct adopting *a, const struct ks_strv *targets, bool *adopted,
                            struct ks_err *err)
{
    struct verb_paired *p = &a->paired;
    struct ks_trial_judgement judgement;
    char date[32];
    KS_TRY(verb_paired_run(p, targets->at + 2, targets->len - 2, err));
    ks_trials_judge(a->context->arena, p->trials.at, p->trials.len, &judgement);
    const struct ks_skill_standing *was = ks_library_standing(&a->library, a->id);
    ks_utc_text(date);
    struct ks_skill_standing now = {.id = a->id, .reason = judgement.reason, .since = date, .toolkit = p->toolkit,
                                    .arch = p->trials.at[0].arch, .standing = KS_ADOPTED};
    // What was adopted under another toolkit and is not shown anew goes back on probation.
    if (!judgement.adopt)
        now.standing = was->standing == KS_ADOPTED ? KS_PROBATION : was->standing;
    KS_TRY(ks_standing_set(a->outcomes, &now, err));
    *adopted = judgement.adopt;
    print(a, &judgement, ks_standing_name(now.standing));
    return KS_OK;
}

static int check(struct adopting *a)
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
    return EXIT_OK;
}

int verb_skills_adopt(struct ks_verb_context *context, const struct verb_words *words, const char *budget,
                      const char *device)
{
    struct adopting a = {.context = context, .id = words->targets.at[1]};
    struct ks_err err = {0};
    bool adopted = false;
    int exit_code = verb_paired_check(context, "adopt", words->targets.at + 2, words->targets.len - 2);
    if (exit_code != EXIT_OK)
        return exit_code;
    ks_stop_on_signals();
    enum ks_status status = ks_outcomes_open(&context->config, &a.outcomes, &err);
    if (status == KS_OK)
        status = ks_library_load(context->arena, &context->config, a.outcomes, true, &a.library, &err);
    if (status == KS_OK)
        exit_code = check(&a);
    if (status == KS_OK && exit_code == EXIT_OK) {
        const struct ks_skill *skill = ks_skill_find(&a.library.skills, a.id);
        a.paired = (struct verb_paired){
            .context = context, .what = a.id, .recorded = a.id, .outcomes = a.outcomes, .budget = budget,
            .device = device, .words = words->nvcc, .prepare = prepare, .self = &a,
            .agents_alone = skill->transform == NULL && skill->template_ == NULL}; // advice: models alone make anything of it
        status = adopt(&a, &words->targets, &adopted, &err);
    }
    ks_outcomes_close(a.outcomes);
    if (status != KS_OK)
        return verb_fail(context, &err);
    return exit_code != EXIT_OK ? exit_code : adopted ? EXIT_OK : EXIT_NEGATIVE;
}
