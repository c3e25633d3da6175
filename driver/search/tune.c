#include "search/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cfg/trust.h"
#include "memory/library.h"
#include "memory/structure.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/term.h"
#include "search/classes.h"
#include "search/incumbent.h"
#include "search/settle.h"
#include "search/tuner.h"

#define PROFILE_LAUNCHES 22 // of the kernel: seven timed, ten passes over its counters, and what goes before
#define PROFILE_SHARE 0.125 // of the budget
#define CONFIRM_AT_MOST 3 // winners tried in order; each confirmation costs fresh processes

bool ks_tuner_spent(const struct ks_tuner *t)
{
    return ks_stop_requested() || ks_now_own() >= t->deadline ||
           (t->options->budget_tries > 0 && t->result->judged >= t->options->budget_tries);
}

static enum ks_status make_brief(struct ks_tuner *t, struct ks_err *err)
{
    const struct ks_problem *problems;
    const double *baseline_us;
    size_t n = ks_judge_baseline(t->judge, &problems, &baseline_us);
    double begun = ks_now_own();
    KS_TRY(ks_choose_brief(t->arena, t->tu, t->kernel, problems, n, ks_judge_device(t->judge), &t->brief, err));
    t->read = ks_now_own() - begun;
    t->brief.baseline_us = baseline_us;
    return KS_OK;
}

bool ks_tuner_may_profile(const struct ks_tuner *t)
{
    const struct ks_problem *problems = t->brief.problems;
    double us = t->brief.baseline_us[ks_choose_workload(problems, t->brief.n_problems)];
    return PROFILE_LAUNCHES * us * 1e-6 <= t->options->budget_seconds * PROFILE_SHARE;
}

// A profile is a help, never a condition.
static void profile(struct ks_tuner *t)
{
    struct ks_err err = {0};
    bool fault;
    if (!ks_tuner_may_profile(t)) {
        ks_info("%s: not profiled: it would take more than an eighth of the budget", t->kernel->signature->instance);
        return;
    }
    const struct ks_problem *problems = t->brief.problems;
    const struct ks_profile_ask ask = {
        .config = t->options->config, .tu = t->tu, .plain = t->plain, .kernel = t->kernel,
        .problem = &problems[ks_choose_workload(problems, t->brief.n_problems)]};
    ks_view(t, "profiling", NULL);
    double begun = ks_now_own();
    enum ks_status status = ks_profile_run(t->arena, &ask, &t->result->profile, &fault, &err);
    t->profiled = ks_now_own() - begun;
    ks_step_took(t, KS_TUNE_PROFILING, t->profiled);
    if (status != KS_OK) {
        ks_info("%s: not profiled: %s", t->kernel->signature->instance, err.text);
        return;
    }
    t->result->profiled = true;
}

static const char *bottleneck(const struct ks_tuner *t)
{
    return t->result->profiled ? t->result->profile.bottleneck : "unknown";
}

static void keep_meetings(struct ks_tuner *t, const struct ks_settlement *standing)
{
    struct ks_tune_result *r = t->result;
    struct ks_meeting *all = KS_NEW_ARRAY(t->arena, struct ks_meeting, r->n_meetings + standing->n_meetings);
    for (size_t i = 0; i < r->n_meetings; i++)
        all[i] = r->meetings[i];
    for (size_t i = 0; i < standing->n_meetings; i++)
        all[r->n_meetings++] = standing->meetings[i];
    r->meetings = all;
}

// A stored variant is replaced by nothing that was not confirmed to be faster than it.
static void stays(struct ks_tuner *t, const struct ks_found *found, const char *why)
{
    struct ks_tune_result *r = t->result;
    if (r->end == KS_TUNE_VARIANT)
        return;
    r->end = KS_TUNE_STAYS;
    r->path = found->path;
    r->stays = ks_arena_printf(t->arena, "the stored variant %s stays: %s", found->variant.id, why);
}

static enum ks_status store_variant(struct ks_tuner *t, const struct ks_try *winner, const struct ks_verdict *verdict,
                                    const struct ks_settlement *standing, struct ks_variant *v, const char **path,
                                    struct ks_err *err)
{
    const struct ks_candidate *c = winner->candidate;
    const char **skills = c->n_skills > 0 ? c->skills : KS_NEW_ARRAY(t->arena, const char *, 1);
    if (c->n_skills == 0)
        skills[0] = c->skill;
    *v = (struct ks_variant){.id = winner->proposal, .proposal = c->proposal,
                             .proposer = c->proposer != NULL ? c->proposer : "engine", .skills = skills,
                             .n_skills = c->n_skills > 0 ? c->n_skills : 1, .parent = "", .rationale = c->rationale,
                             .against = standing->against, .n_against = standing->n_against};
    t->result->end = KS_TUNE_VARIANT;
    return ks_settle_variant(t->arena, t->options->config, t->options->store, t->kernel, verdict, v, path,
                             err);
}

// Stores what is confirmed to be the first for that workload, or all; `beaten` as in struct ks_challenge. The report
// names what comes first.
static enum ks_status settle(struct ks_tuner *t, const struct ks_try *won, const struct ks_verdict *verdict,
                             size_t workload, const char *beaten, struct ks_settlement *standing, struct ks_err *err)
{
    struct ks_tune_result *result = t->result;
    const struct ks_challenge challenge = {
        .config = t->options->config, .store = t->options->store, .kernel = t->kernel,
        .proposal = &won->candidate->proposal, .verdict = verdict, .workload = workload,
        .modelled = t->options->modelled, .beaten = beaten};
    struct ks_variant other;
    const char *path;
    bool first = result->end != KS_TUNE_VARIANT;
    double begun = ks_now_own();
    ks_view(t, "meeting what is stored", won->candidate);
    KS_TRY(ks_incumbent_meet(t->arena, t->judge, &challenge, standing, err));
    ks_step_took(t, KS_TUNE_CONFIRMING, ks_now_own() - begun);
    keep_meetings(t, standing);
    if (!standing->stored) {
        stays(t, standing->stays, ks_settlement_text(t->arena, standing));
        return KS_OK;
    }
    return store_variant(t, won, verdict, standing, first ? &result->variant : &other, first ? &result->path : &path,
                         err);
}

static bool spent_of(const void *tuner)
{
    return ks_tuner_spent(tuner);
}

// The best over all workloads, if there is one, and what beats it on one of them. *stored: the former is.
static enum ks_status store_all(struct ks_tuner *t, const struct ks_try *winner,
                                const struct ks_verdict *verdict, bool *stored, struct ks_err *err)
{
    struct ks_tune_result *result = t->result;
    struct ks_settlement standing = {.stored = false};
    struct ks_class_win *wins;
    size_t n;
    if (winner != NULL)
        KS_TRY(settle(t, winner, verdict, KS_ALL_CLASSES, NULL, &standing, err));
    *stored = standing.stored;
    ks_view(t, "judging each workload for itself", NULL);
    const struct ks_try *rival = !standing.stored && standing.part ? NULL : winner; // which may do for a part
    KS_TRY(ks_classes_settle(t->arena, t->judge, &t->trajectory, rival, rival != NULL ? verdict : NULL, spent_of, t,
                             &wins, &n, &result->judged, err));
    for (size_t i = 0; i < n; i++) {
        struct ks_settlement there;
        KS_TRY(settle(t, wins[i].won, &wins[i].verdict, wins[i].workload, *stored ? winner->proposal : NULL, &there,
                      err));
        if (there.stored)
            ks_info("%s: workload %s has a variant of its own: %s, %.3f times as fast",
                    t->kernel->signature->instance, t->brief.problems[wins[i].workload].name,
                    wins[i].won->proposal, wins[i].verdict.geomean);
    }
    return KS_OK;
}

static enum ks_status store_original(struct ks_tuner *t, double upper, struct ks_err *err)
{
    char date[32];
    ks_utc_text(date);
    bool complete = !ks_tuner_spent(t);
    t->result->end = complete ? KS_TUNE_ORIGINAL : KS_TUNE_BUDGET;
    if (t->options->modelled) // a GPU may find what a model does not
        return KS_OK;
    struct ks_original_decision decision = {
        .key = t->kernel->key, .key_text = t->kernel->key_text,
        .kernel = t->kernel->signature->instance, .date = date,
        .device = t->brief.device->name, .arch = t->kernel->arch, .tried = t->result->judged,
        .correct = t->result->correct, .budget_seconds = t->options->budget_seconds,
        .upper_bound = upper, .complete = complete};
    struct ks_secret_key secret;
    KS_TRY(ks_user_key(t->options->config, true, &secret, err));
    return ks_store_put_original(t->arena, t->options->store, &secret, &decision, &t->result->path,
                                 err);
}

// The best candidates in order, each before a fresh jury; the first that is confirmed is stored.
static enum ks_status decide(struct ks_tuner *t, struct ks_err *err)
{
    struct ks_try **best;
    size_t n = ks_trajectory_best(&t->trajectory, &best);
    double upper = t->result->at_floor ? fmax(t->result->profile.floor.ratio, 1) : 1;
    for (size_t i = 0; i < n && i < CONFIRM_AT_MOST; i++) {
        struct ks_verdict verdict = best[i]->verdict;
        double begun = ks_now_own();
        ks_view(t, "confirming", best[i]->candidate);
        KS_TRY(ks_judge_confirm(t->judge, &best[i]->candidate->proposal, &verdict, err));
        ks_step_took(t, KS_TUNE_CONFIRMING, ks_now_own() - begun);
        if (verdict.correctness == KS_C_CORRECT &&
            (verdict.speed == KS_S_FASTER || verdict.speed == KS_S_MODELLED)) {
            bool stored;
            KS_TRY(store_all(t, best[i], &verdict, &stored, err));
            if (stored)
                ks_prompted_learn(t, best[i]->candidate, &t->result->variant);
            return KS_OK;
        }
        ks_info("%s: %s not confirmed: %s", t->kernel->signature->instance, best[i]->proposal,
                verdict.reason);
        if (i == 0)
            t->result->lost = ks_arena_printf(t->arena, "%.2fx when judged, not confirmed: %s", best[i]->verdict.geomean,
                                              verdict.reason);
        upper = fmax(upper, verdict.geomean);
        if (ks_stop_requested())
            return ks_err_set(err, KS_E_INTERRUPTED, "interrupted");
    }
    bool stored;
    KS_TRY(store_all(t, NULL, NULL, &stored, err));
    if (t->result->end == KS_TUNE_VARIANT)
        return KS_OK;
    if (t->result->consulted && t->result->agents.waiting > 0) {
        t->result->end = KS_TUNE_WAITING;
        return KS_OK;
    }
    if (t->result->end == KS_TUNE_STAYS)
        return KS_OK;
    struct ks_lookup there;
    ks_incumbents(t->arena, t->options->config, t->options->store, t->kernel, t->options->modelled, &there);
    if (there.n_variants > 0) { // that this search found nothing says nothing against what another one confirmed
        stays(t, &there.variants[0], "nothing new was confirmed");
        return KS_OK;
    }
    return store_original(t, upper, err);
}

static enum ks_status run(struct ks_tuner *t, struct ks_err *err)
{
    KS_TRY(make_brief(t, err));
    if (!t->options->modelled)
        profile(t);
    if (ks_stop_expired())
        KS_FAIL(err, KS_E_INTERRUPTED, "the budget ended with the original's first runs");
    ks_stop_at(0); // what a search has found is judged
    t->trajectory = (struct ks_trajectory){.arena = t->arena, .outcomes = t->options->outcomes,
                                           .kernel = t->kernel->signature->instance,
                                           .bottleneck = bottleneck(t), .arch = t->kernel->arch,
                                           .modelled = t->options->modelled,
                                           .structure = ks_structure_of(&t->brief.facts)};
    char *hex = ks_arena_alloc(t->arena, KS_HASH_TEXT);
    ks_digest_hex(&t->kernel->key, hex);
    t->trajectory.key = hex;
    ks_trajectory_open(&t->trajectory, t->options->again);
    t->n_ranked = ks_choose_skills(t->arena, &t->skills, &t->brief,
                                   t->result->profiled ? &t->result->profile : NULL,
                                   t->options->modelled ? NULL : t->options->outcomes, t->kernel->arch,
                                   &t->ranked);
    if (!t->options->only_agents)
        KS_TRY(ks_hunt(t, err));
    t->result->at_floor = ks_tuner_at_floor(t);
    if (!ks_stop_requested() && (!t->result->at_floor || t->options->print_prompt))
        KS_TRY(ks_prompted(t, err));
    if (ks_stop_requested())
        return ks_err_set(err, KS_E_INTERRUPTED, "interrupted; run the same command to go on");
    if (t->options->print_prompt) {
        t->result->end = KS_TUNE_PROMPT;
        return KS_OK;
    }
    return decide(t, err);
}

// Nothing was looked at within the budget: the original stays, and no decision says so. What took most of it is named.
static enum ks_status out_of_time(struct ks_tuner *t)
{
    bool read = t->read > t->run && t->read > t->profiled, profiled = !read && t->profiled > t->run;
    t->result->end = KS_TUNE_BUDGET;
    t->result->unrun =
        ks_arena_printf(t->arena, "the budget of %.3g s ended while the original was %s, which took %.2g s; give it more%s",
                        t->options->budget_seconds, read ? "read" : profiled ? "profiled" : "run",
                        read ? t->read : profiled ? t->profiled : t->run, read ? "" : ", or declare smaller sizes");
    return KS_OK;
}

enum ks_status ks_tune_kernel(struct ks_arena *arena, const struct ks_tu *tu,
                              const struct ks_tu_kernel *kernel, const struct ks_tu_compile *plain,
                              const struct ks_tune_options *options, struct ks_tune_result *result,
                              struct ks_err *err)
{
    const struct ks_config *config = options->config;
    struct ks_library library;
    *result = (struct ks_tune_result){.end = KS_TUNE_FAILED};
    KS_TRY(ks_library_load(arena, config, options->outcomes, false, &library, err));
    double since = ks_now(), begun = ks_now_own(); // what waits for another process's memory is not the kernel's time
    struct ks_tuner t = {.arena = arena,
                         .tu = tu,
                         .kernel = kernel,
                         .plain = plain,
                         .options = options,
                         .result = result,
                         .skills = library.skills,
                         .template_dir = ks_path_join(arena, config->share_dir, "skills/templates"),
                         .best = 1,
                         .deadline = begun + options->budget_seconds};
    ks_view(&t, "running the original", NULL);
    // A kernel that the device takes longer for than the budget is is left as soon as that is clear.
    ks_stop_at(t.deadline);
    enum ks_status status = ks_settle_open(arena, tu, kernel, plain, config, options->work_dir, options->agents != NULL, &t.judge,
                            &result->finding, err);
    t.run = ks_now_own() - begun;
    ks_step_took(&t, KS_TUNE_OPENING, t.run);
    if (result->finding != NULL)
        result->end = KS_TUNE_BASELINE_FAULT;
    else if (status == KS_OK)
        status = run(&t, err);
    if (status == KS_E_INTERRUPTED && ks_stop_expired())
        status = out_of_time(&t);
    else if (status == KS_E_INTERRUPTED)
        result->end = KS_TUNE_INTERRUPTED;
    ks_stop_at(0);
    ks_judge_close(t.judge);
    ks_progress_done();
    result->seconds = ks_now() - since;
    return status;
}
