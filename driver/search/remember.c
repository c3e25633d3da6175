// What a full judgement leaves behind: its record, and whether a gain came as its skill foretells.
#include <string.h>

#include "base/log.h"
#include "search/tuner.h"

static const struct ks_fact_list *seen(const struct ks_tuner *t, const char *proposal)
{
    ks_vec_each(struct ks_seen_facts, one, &t->seen)
        if (strcmp(one->proposal, proposal) == 0)
            return &one->facts;
    return NULL;
}

// The facts of the original or, where there is a candidate, of that; NULL: they could not be had.
static const struct ks_fact_list *look(struct ks_tuner *t, const char *id, const struct ks_proposal *proposal)
{
    struct ks_profile profile;
    struct ks_profile_variant variant = {.proposal = proposal};
    struct ks_err err = {0};
    bool fault;
    if (seen(t, id) != NULL)
        return seen(t, id);
    if (proposal == NULL && !t->result->profiled && !ks_tuner_may_profile(t))
        return NULL;
    if (proposal != NULL && !ks_judge_compiled(t->judge, proposal, &variant.image, &variant.names))
        return NULL;
    struct ks_profile_ask ask = {
        .config = t->options->config, .tu = t->tu, .plain = t->plain, .kernel = t->kernel,
        .problem = &t->brief.problems[ks_choose_workload(t->brief.problems, t->brief.n_problems)],
        .variant = proposal != NULL ? &variant : NULL};
    if (proposal == NULL && t->result->profiled)
        profile = t->result->profile;
    else if (ks_profile_run(t->arena, &ask, &profile, &fault, &err) != KS_OK) {
        ks_info("%s: not profiled: %s", t->kernel->signature->instance, err.text);
        return NULL;
    }
    if (profile.time_us > 0)
        ks_fact_set(t->arena, &profile.facts, "time_us", profile.time_us);
    if (proposal != NULL || !t->result->profiled)
        json_decref(profile.json);
    *ks_vec_push(t->arena, &t->seen) = (struct ks_seen_facts){id, profile.facts};
    return seen(t, id);
}

// Against the candidate that it stands on where that one's facts are known, else against the original.
static struct ks_metric_move moved(struct ks_tuner *t, const struct ks_candidate *candidate, const char *id)
{
    struct ks_metric_move none = {0};
    double was, is;
    const struct ks_skill *skill = candidate->skill != NULL ? ks_skill_find(&t->skills, candidate->skill) : NULL;
    if (skill == NULL || skill->expect_metric[0] == '\0')
        return none;
    const struct ks_fact_list *before = candidate->base_id != NULL ? seen(t, candidate->base_id) : NULL;
    const char *over = before != NULL ? "what it stands on" : "the original";
    before = before != NULL ? before : look(t, "", NULL);
    const struct ks_fact_list *after = before != NULL ? look(t, id, &candidate->proposal) : NULL;
    before = strcmp(over, "the original") == 0 ? seen(t, "") : seen(t, candidate->base_id); // the list may have grown
    enum ks_truth truth = after != NULL ? ks_skill_moved(skill, before, after) : KS_UNKNOWN;
    if (truth == KS_UNKNOWN)
        return none;
    ks_fact_get(before, skill->expect_metric, &was);
    ks_fact_get(after, skill->expect_metric, &is);
    return (struct ks_metric_move){
        .moved = truth == KS_TRUE ? 1 : -1,
        .text = ks_arena_printf(t->arena, "%s %.4g -> %.4g over %s, %s by %g or more expected", skill->expect_metric,
                                was, is, over, skill->expect_sign > 0 ? "more" : "less", skill->expect_at_least)};
}

void ks_tuner_remember(struct ks_tuner *t, struct ks_candidate *candidate, const char *id,
                       const struct ks_verdict *verdict)
{
    struct ks_metric_move move = {0};
    if (ks_verdict_promises(verdict) && !ks_tuner_spent(t)) // what is left to do is judging alone
        move = moved(t, candidate, id);
    ks_trajectory_add(&t->trajectory, candidate, id, verdict, &move);
    // What is slower on a workload stands in nobody's way, whatever its mean.
    if (ks_verdict_promises(verdict) && verdict->geomean > t->best) {
        t->best = verdict->geomean;
        t->bound = verdict->lower;
    }
    ks_view_verdict(t, candidate, verdict, false);
    if (move.moved != 0)
        ks_info("%s: %s %s: %s: %s", t->kernel->signature->instance, candidate->skill, candidate->params,
                move.moved > 0 ? "as its skill says" : "not as its skill says", move.text);
}
