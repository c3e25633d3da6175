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
#include "search/choose.h"
#include "search/classes.h"
#include "search/settle.h"
#include "search/trajectory.h"

#define SCREEN_BATCH 16      // candidates in one compile: its cost hardly grows with their number
#define FINALISTS 4          // correct ones judged in full after one screening
#define MODELLED_STEP 1.02   // a model says the same each time: what differs by less is equal
#define WORTH_JUDGING 1.005  // below this no full judgement can end well: the minimum gain is 1 %
#define SCREEN_ERROR 0.97    // a screened ratio is a few percent off
#define SURELY_SLOWER 0.95   // screened so on one workload, it cannot be accepted over all
#define CONFIRM_AT_MOST 3    // winners tried in order; each confirmation costs fresh processes
#define CLOSE_TO_CEILING 97  // percent of the nearer ceiling: what is left is not worth a search

struct tuner {
    struct ks_arena *arena;
    const struct ks_tu *tu;
    const struct ks_tu_kernel *kernel;
    const struct ks_tu_compile *plain;
    const struct ks_tune_options *options;
    struct ks_tune_result *result;
    struct ks_judge *judge;
    struct ks_brief brief;
    struct ks_skill_list skills;
    struct ks_ranked_skill *ranked; size_t n_ranked;
    struct ks_trajectory trajectory;
    const char *template_dir;
    double deadline;
    double best;             // search-phase ratio of the best so far
};

static bool spent(const struct tuner *t)
{
    return ks_stop_requested() || ks_now() >= t->deadline ||
           (t->options->budget_tries > 0 && t->result->judged >= t->options->budget_tries);
}

static void show(const struct tuner *t, const char *what)
{
    double left = t->deadline - ks_now();
    ks_progress(t->kernel->signature->instance, "ks: %s: %s; %d judged, %d correct, best %.2fx, %.0f s left",
                t->kernel->signature->instance, what, t->result->judged, t->result->correct,
                t->best, left > 0 ? left : 0);
}

static enum ks_status make_brief(struct tuner *t, struct ks_err *err)
{
    const struct ks_problem *problems;
    const double *baseline_us;
    size_t n = ks_judge_baseline(t->judge, &problems, &baseline_us);
    KS_TRY(ks_choose_brief(t->arena, t->kernel, problems, n, ks_judge_device(t->judge), &t->brief, err));
    t->brief.baseline_us = baseline_us;
    t->brief.multiply_add_only = ks_judge_multiply_add_only(t->judge);
    return KS_OK;
}

// A profile is a help, never a condition.
static void profile(struct tuner *t)
{
    struct ks_err err = {0};
    bool fault;
    const struct ks_problem *problems = t->brief.problems;
    const struct ks_profile_ask ask = {
        .config = t->options->config, .tu = t->tu, .plain = t->plain, .kernel = t->kernel,
        .problem = &problems[ks_choose_workload(problems, t->brief.n_problems)]};
    show(t, "profiling");
    if (ks_profile_run(t->arena, &ask, &t->result->profile, &fault, &err) != KS_OK) {
        ks_info("%s: not profiled: %s", t->kernel->signature->instance, err.text);
        return;
    }
    t->result->profiled = true;
}

static const char *bottleneck(const struct tuner *t)
{
    return t->result->profiled ? t->result->profile.bottleneck : "unknown";
}

static void remember(struct tuner *t, struct ks_candidate *candidate, const char *id,
                     const struct ks_verdict *verdict)
{
    ks_trajectory_add(&t->trajectory, candidate, id, verdict);
    // What is slower on a workload stands in nobody's way, whatever its mean.
    if (ks_verdict_promises(verdict) && verdict->geomean > t->best)
        t->best = verdict->geomean;
    ks_info("%s: %s %s: %s %s %.3f %s", t->kernel->signature->instance, candidate->skill,
            candidate->params, ks_correctness_name(verdict->correctness),
            ks_speed_name(verdict->speed), verdict->geomean, verdict->reason);
}

static enum ks_status judge_full(struct tuner *t, struct ks_candidate *candidate,
                                 struct ks_err *err)
{
    const char *id = ks_proposal_id(t->arena, &candidate->proposal);
    if (ks_trajectory_knows(&t->trajectory, id))
        return KS_OK;
    show(t, ks_arena_printf(t->arena, "%s %s", candidate->skill, candidate->params));
    struct ks_verdict verdict = {0};
    KS_TRY(ks_judge_full(t->judge, &candidate->proposal, &verdict, err));
    t->result->judged++;
    t->result->correct += verdict.correctness == KS_C_CORRECT;
    remember(t, candidate, id, &verdict);
    return KS_OK;
}

struct screened {
    struct ks_candidate *candidate;
    double ratio; // of a few pairs: an order, not a claim
};

static int by_ratio(const void *a, const void *b)
{
    const struct screened *x = a, *y = b;
    if (x->ratio != y->ratio)
        return x->ratio < y->ratio ? 1 : -1;
    return x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

static bool at_the_ceiling(const struct tuner *t)
{
    return t->result->profiled && t->result->profile.roofline_pct > 0 &&
           t->result->profile.roofline_pct * (t->best > 1 ? t->best : 1) >= CLOSE_TO_CEILING;
}

static bool loses(const struct ks_verdict *screened)
{
    for (size_t w = 0; w < screened->evidence.n_timings; w++)
        if (screened->evidence.timings[w].ratio < SURELY_SLOWER)
            return true;
    return false;
}

// Tiny shapes and a short look at speed for a batch in one compile; this is also how templates are
// recognised. Wrong ones are remembered, the others join `out`.
static enum ks_status screen_batch(struct tuner *t, struct ks_candidate **batch, size_t n,
                                   struct screened *out, size_t *n_out, struct ks_err *err)
{
    struct ks_proposal *proposals[SCREEN_BATCH];
    struct ks_verdict verdicts[SCREEN_BATCH];
    memset(verdicts, 0, sizeof verdicts);
    for (size_t i = 0; i < n; i++)
        proposals[i] = &batch[i]->proposal;
    show(t, ks_arena_printf(t->arena, "screening %s", batch[0]->skill));
    KS_TRY(ks_judge_screen(t->judge, proposals, n, verdicts, err));
    for (size_t i = 0; i < n; i++) {
        if (verdicts[i].correctness != KS_C_CORRECT) {
            remember(t, batch[i], ks_proposal_id(t->arena, proposals[i]), &verdicts[i]);
            continue;
        }
        ks_info("%s: %s %s: screened at %.3f", t->kernel->signature->instance, batch[i]->skill,
                batch[i]->params, verdicts[i].geomean);
        ks_trajectory_screened(&t->trajectory, batch[i], ks_proposal_id(t->arena, proposals[i]),
                               &verdicts[i]);
        if (loses(&verdicts[i]))
            continue;
        out[(*n_out)++] = (struct screened){.candidate = batch[i], .ratio = verdicts[i].geomean};
    }
    return KS_OK;
}

// Screens what was proposed, then judges the fastest in full until the next one promises less than the
// best has shown.
static enum ks_status pursue(struct tuner *t, struct ks_candidate_list *all, struct ks_err *err)
{
    struct screened *screened = KS_NEW_ARRAY(t->arena, struct screened, all->len + 1);
    size_t n = 0, at = 0;
    int finalists = 0;
    double now = ks_now(), until = now + (t->deadline - now) / 2; // the rest is for judging
    t->result->proposed += (int)all->len;
    while (at < all->len && !spent(t) && (at == 0 || ks_now() < until)) {
        struct ks_candidate *batch[SCREEN_BATCH];
        size_t size = 0;
        for (; at < all->len && size < SCREEN_BATCH; at++)
            if (!ks_trajectory_knows(&t->trajectory,
                                     ks_proposal_id(t->arena, &all->at[at].proposal)))
                batch[size++] = &all->at[at];
        if (size > 0)
            KS_TRY(screen_batch(t, batch, size, screened, &n, err));
    }
    qsort(screened, n, sizeof *screened, by_ratio);
    double error = t->options->modelled ? MODELLED_STEP : SCREEN_ERROR;
    for (size_t i = 0; i < n && finalists < FINALISTS && !spent(t) && !at_the_ceiling(t); i++) {
        if (screened[i].ratio < WORTH_JUDGING ||
            (t->best > 1 && screened[i].ratio < t->best * error))
            break;
        int correct = t->result->correct;
        KS_TRY(judge_full(t, screened[i].candidate, err));
        finalists += t->result->correct > correct;
    }
    return KS_OK;
}

static enum ks_status explore(struct tuner *t, struct ks_err *err)
{
    struct ks_candidate_list all = {0};
    for (size_t i = 0; i < t->n_ranked; i++) {
        const char *refusal = NULL;
        size_t before = all.len;
        KS_TRY(ks_engine_propose(t->arena, &t->brief, t->ranked[i].skill, t->template_dir, &all,
                                 &refusal, err));
        if (all.len == before && refusal != NULL)
            ks_info("%s: %s: %s", t->kernel->signature->instance, t->ranked[i].skill->id, refusal);
    }
    return pursue(t, &all, err);
}

// A second transform on top of the best.
static enum ks_status compose(struct tuner *t, struct ks_err *err)
{
    struct ks_try **best;
    if (spent(t) || at_the_ceiling(t) || ks_trajectory_best(&t->trajectory, &best) == 0)
        return KS_OK;
    struct ks_candidate_list all = {0};
    for (size_t i = 0; i < t->n_ranked; i++)
        KS_TRY(ks_engine_compose(t->arena, &t->brief, best[0]->candidate, t->ranked[i].skill, &all,
                                 err));
    ks_vec_each(struct ks_candidate, c, &all) {
        c->base = best[0]->candidate->direction;
        c->base_ratio = best[0]->verdict.geomean;
    }
    return pursue(t, &all, err);
}

static enum ks_status store_variant(struct tuner *t, const struct ks_try *winner,
                                    const struct ks_verdict *verdict, struct ks_variant *v,
                                    const char **path, struct ks_err *err)
{
    const char **skills = KS_NEW_ARRAY(t->arena, const char *, 1);
    skills[0] = winner->candidate->skill;
    *v = (struct ks_variant){.id = winner->proposal, .proposal = winner->candidate->proposal,
                             .proposer = "engine", .skills = skills, .n_skills = 1, .parent = "",
                             .rationale = winner->candidate->rationale};
    t->result->end = KS_TUNE_VARIANT;
    return ks_settle_variant(t->arena, t->options->config, t->options->store, t->kernel, verdict, v, path,
                             err);
}

static bool spent_of(const void *tuner)
{
    return spent(tuner);
}

// The best over all workloads, if there is one, and what beats it on one of them. The report names the first.
static enum ks_status store_all(struct tuner *t, const struct ks_try *winner,
                                const struct ks_verdict *verdict, struct ks_err *err)
{
    struct ks_tune_result *result = t->result;
    struct ks_class_win *wins;
    size_t n;
    if (winner != NULL)
        KS_TRY(store_variant(t, winner, verdict, &result->variant, &result->path, err));
    show(t, "judging each workload for itself");
    KS_TRY(ks_classes_settle(t->arena, t->judge, &t->trajectory, winner, verdict, spent_of, t, &wins, &n,
                             &result->judged, err));
    for (size_t i = 0; i < n; i++) {
        struct ks_variant other;
        const char *path;
        bool first = winner == NULL && i == 0;
        KS_TRY(store_variant(t, wins[i].won, &wins[i].verdict, first ? &result->variant : &other,
                             first ? &result->path : &path, err));
        ks_info("%s: workload %s has a variant of its own: %s, %.3f times as fast",
                t->kernel->signature->instance, t->brief.problems[wins[i].workload].name,
                wins[i].won->proposal, wins[i].verdict.geomean);
    }
    return KS_OK;
}

static enum ks_status store_original(struct tuner *t, double upper, struct ks_err *err)
{
    char date[32];
    ks_utc_text(date);
    bool complete = !spent(t);
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
static enum ks_status decide(struct tuner *t, struct ks_err *err)
{
    struct ks_try **best;
    size_t n = ks_trajectory_best(&t->trajectory, &best);
    double upper = 1;
    for (size_t i = 0; i < n && i < CONFIRM_AT_MOST; i++) {
        struct ks_verdict verdict = best[i]->verdict;
        show(t, "confirming");
        KS_TRY(ks_judge_confirm(t->judge, &best[i]->candidate->proposal, &verdict, err));
        if (verdict.correctness == KS_C_CORRECT &&
            (verdict.speed == KS_S_FASTER || verdict.speed == KS_S_MODELLED))
            return store_all(t, best[i], &verdict, err);
        ks_info("%s: %s not confirmed: %s", t->kernel->signature->instance, best[i]->proposal,
                verdict.reason);
        upper = fmax(upper, verdict.geomean);
        if (ks_stop_requested())
            return ks_err_set(err, KS_E_INTERRUPTED, "interrupted");
    }
    KS_TRY(store_all(t, NULL, NULL, err));
    return t->result->end == KS_TUNE_VARIANT ? KS_OK : store_original(t, upper, err);
}

static enum ks_status run(struct tuner *t, struct ks_err *err)
{
    KS_TRY(make_brief(t, err));
    if (!t->options->modelled)
        profile(t);
    t->trajectory = (struct ks_trajectory){.arena = t->arena, .outcomes = t->options->outcomes,
                                           .kernel = t->kernel->signature->instance,
                                           .bottleneck = bottleneck(t), .arch = t->kernel->arch,
                                           .structure = ks_structure_of(&t->brief.facts)};
    char *hex = ks_arena_alloc(t->arena, KS_HASH_TEXT);
    ks_digest_hex(&t->kernel->key, hex);
    t->trajectory.key = hex;
    ks_trajectory_open(&t->trajectory, t->options->again);
    t->n_ranked = ks_choose_skills(t->arena, &t->skills, &t->brief,
                                   t->result->profiled ? &t->result->profile : NULL,
                                   t->options->outcomes, t->kernel->arch, &t->ranked);
    KS_TRY(explore(t, err));
    KS_TRY(compose(t, err));
    if (ks_stop_requested())
        return ks_err_set(err, KS_E_INTERRUPTED, "interrupted; run the same command to go on");
    return decide(t, err);
}

enum ks_status ks_tune_kernel(struct ks_arena *arena, const struct ks_tu *tu,
                              const struct ks_tu_kernel *kernel, const struct ks_tu_compile *plain,
                              const struct ks_tune_options *options, struct ks_tune_result *result,
                              struct ks_err *err)
{
    double begun = ks_now();
    const struct ks_config *config = options->config;
    struct tuner t = {.arena = arena, .tu = tu, .kernel = kernel, .plain = plain,
                      .options = options, .result = result, .best = 1,
                      .deadline = begun + options->budget_seconds};
    *result = (struct ks_tune_result){.end = KS_TUNE_FAILED};
    t.template_dir = ks_path_join(arena, config->share_dir, "skills/templates");
    struct ks_library library;
    enum ks_status status = ks_library_load(arena, config, options->outcomes, false, &library, err);
    if (status != KS_OK)
        return status;
    t.skills = library.skills;
    show(&t, "running the original");
    status = ks_settle_open(arena, tu, kernel, plain, config, options->work_dir, &t.judge,
                            &result->finding, err);
    if (result->finding != NULL)
        result->end = KS_TUNE_BASELINE_FAULT;
    else if (status == KS_OK)
        status = run(&t, err);
    if (status == KS_E_INTERRUPTED)
        result->end = KS_TUNE_INTERRUPTED;
    ks_judge_close(t.judge);
    ks_progress_done();
    result->seconds = ks_now() - begun;
    return status;
}
