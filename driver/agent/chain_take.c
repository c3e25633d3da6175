// Answers: what is refused, what is planned or reviewed, what goes to the judge.
#include <stdio.h>
#include <string.h>

#include "agent/chain.h"
#include "agent/roles.h"
#include "base/log.h"
#include "source/mechanism.h"

#define STALLED 2 // correct ones in a row without a gain end a chain

static void finish(struct ks_consult *c, const struct chain *chain)
{
    const struct ks_backend *backend = &c->ask.agents->backend;
    if (backend->done != NULL)
        backend->done(backend->self, chain->id);
}

// What became of an answer, for the chain's next question.
void ks_chain_turn(struct ks_consult *c, struct chain *chain, const char *word, const char *text, bool verdict)
{
    struct ks_buf full = KS_BUF(8192);
    ks_buf_printf(&full, "%s: ", word);
    ks_redact_message(&c->ask.agents->redaction, ks_slice_of(text), &full);
    finish(c, chain);
    chain->word = ks_arena_strdup(c->arena, word);
    const char *said = ks_arena_strdup(c->arena, ks_buf_text(&full));
    ks_buf_free(&full);
    chain->refused = verdict ? NULL : said;
    chain->log = verdict ? said : chain->log;
    bool over = chain->step >= c->ask.agents->steps || chain->stalled >= STALLED;
    chain->state = over ? CHAIN_OVER : CHAIN_FREE;
}

// What was tried and does the same, under whatever names, or NULL.
static const struct ks_tried *tried_before(const struct ks_consult *c, const struct ks_proposal *proposal)
{
    const char *mechanism = ks_proposal_mechanism(c->arena, proposal);
    for (size_t i = 0; i < c->tried.len; i++)
        if (strcmp(c->tried.at[i].mechanism, mechanism) == 0)
            return &c->tried.at[i];
    return NULL;
}

// A repair that leads back to what was tried would lead on as it did before: the next answer is to begin anew.
static void refuse_repeated(struct chain *chain, const struct ks_tried *same, bool repair, struct ks_reading *reading)
{
    reading->refusal = KS_REFUSED_REPEATED;
    snprintf(reading->why, sizeof reading->why, "it does what was tried before, under whatever names: that was %s, %.200s%s",
             same->outcome.correctness, same->outcome.reason,
             repair ? "; the repairs run in a circle, begin anew" : "");
    chain->failed = chain->failed && !repair;
}

static void count_refusal(struct ks_consult *c, const struct chain *chain, enum ks_refusal refusal,
                          const char *why)
{
    c->counts.refused[refusal]++;
    ks_info("%s: answer %s refused: %s: %s", c->ask.brief->signature->instance, chain->id,
            ks_refusal_name(refusal), why);
}

// A choice that does not hold is none: the skills that the engine chose stay.
static void take_ranking(struct ks_consult *c, struct chain *chain)
{
    struct ks_ranking_reading ranking;
    const struct ks_ranking_ask ask = {chain->prompt, chain->id, c->ask.offered, c->ask.n_offered};
    ks_read_ranking(c->arena, &ask, &chain->answer, &ranking);
    chain->ranked = true;
    chain->state = CHAIN_FREE;
    if (ranking.refusal == KS_ACCEPTED)
        ks_consult_show(c, ranking.skills, ranking.n);
    else
        count_refusal(c, chain, ranking.refusal, ranking.why);
    c->counts.ranked += ranking.refusal == KS_ACCEPTED;
    finish(c, chain);
}

// A plan that does not hold is none: the skills that the engine chose are shown as they are.
static void take_plan(struct ks_consult *c, struct chain *chain)
{
    struct ks_plan_reading plan;
    const struct ks_plan_ask ask = {.prompt = chain->prompt, .brief = c->ask.brief, .id = chain->id,
                                    .skills = c->ids, .n_skills = c->n_shown};
    ks_read_plan(c->arena, &ask, &chain->answer, &plan);
    chain->planned = true;
    chain->state = CHAIN_FREE;
    chain->plan = plan.refusal == KS_ACCEPTED ? plan.text : NULL;
    c->counts.planned += plan.refusal == KS_ACCEPTED;
    if (plan.refusal != KS_ACCEPTED)
        count_refusal(c, chain, plan.refusal, plan.why);
    finish(c, chain);
}

// True where the proposal goes to the judge: a review that does not hold keeps nothing from it.
static bool take_review(struct ks_consult *c, struct chain *chain)
{
    struct ks_review_reading review;
    ks_read_review(c->arena, chain->prompt, chain->id, chain->last->proposal.source, &chain->answer, &review);
    chain->unreviewed = false;
    if (review.refusal != KS_ACCEPTED)
        count_refusal(c, chain, review.refusal, review.why);
    if (!review.rejects) {
        finish(c, chain);
        chain->state = CHAIN_JUDGED;
        c->judging = chain;
        return true;
    }
    const struct ks_outcome outcome = {.correctness = "REVIEW", .speed = "NOT_MEASURED", .reason = review.finding};
    c->counts.rejected++;
    ks_chain_earned(c, chain, 0, false); // its repair comes first
    ks_consult_keep(c, chain->last, &outcome);
    chain->failed = true;
    ks_chain_turn(c, chain, outcome.correctness, review.finding, true);
    return false;
}

// Reads a proposal; true where a candidate came of it.
static bool take_proposal(struct ks_consult *c, struct chain *chain)
{
    struct ks_reading reading;
    const struct ks_agents *agents = c->ask.agents;
    bool repair = chain->prompt == &agents->repairer;
    const struct ks_reading_ask ask = {
        .prompt = chain->prompt, .brief = c->ask.brief, .id = chain->id,
        .base = repair ? &chain->last->proposal : NULL, .log = repair ? chain->log : NULL, .skills = c->ids,
        .n_skills = chain->aided ? c->n_shown : 0, .known = c->ask.known};
    ks_read_proposal(c->arena, &ask, &chain->answer, &reading);
    const struct ks_proposal *proposal = &reading.candidate.proposal;
    const char *id = reading.refusal == KS_ACCEPTED ? ks_proposal_id(c->arena, proposal) : NULL;
    const struct ks_tried *same = id != NULL ? tried_before(c, proposal) : NULL;
    if (same != NULL)
        refuse_repeated(chain, same, repair, &reading);
    chain->repairs = repair ? chain->repairs + 1 : 0;
    chain->tokens_in = chain->answer.tokens_in;
    chain->tokens_out = chain->answer.tokens_out;
    chain->bought = chain->answer.calls > 0; // a transcript's cost nothing now, and was counted then
    if (reading.refusal != KS_ACCEPTED) {
        size_t asked = chain->model;
        ks_chain_earned(c, chain, 0, true);
        count_refusal(c, chain, reading.refusal, reading.why);
        ks_chain_turn(c, chain, ks_refusal_name(reading.refusal), reading.why, false);
        if (reading.refusal == KS_REFUSED_NO_ANSWER && chain->model == asked)
            chain->state = CHAIN_OVER; // the backend has tried what it could, and there is no other
        return false;
    }
    struct ks_candidate *candidate = KS_NEW(c->arena, struct ks_candidate);
    *candidate = reading.candidate;
    candidate->params = ks_arena_printf(c->arena, "question %s", chain->id);
    candidate->mechanism = ks_arena_printf(c->arena, "prompted %s", id);
    const char *model = chain->answer.model[0] != '\0' ? chain->answer.model : agents->backend.model;
    candidate->proposer = ks_arena_strdup(c->arena, model);
    chain->last = candidate;
    chain->last_id = id;
    c->counts.proposed++;
    c->counts.models[chain->model].proposed++;
    chain->unreviewed = agents->reviews;
    if (chain->unreviewed) {
        finish(c, chain);
        chain->state = CHAIN_FREE;
        return false;
    }
    chain->state = CHAIN_JUDGED;
    c->judging = chain;
    return true;
}

bool ks_chain_take(struct ks_consult *c, struct chain *chain)
{
    const struct ks_agents *agents = c->ask.agents;
    bool candidate = false;
    c->counts.answered += chain->answer.end != KS_ANSWER_NONE;
    if (chain->prompt == &agents->ranker)
        take_ranking(c, chain);
    else if (chain->prompt == &agents->planner)
        take_plan(c, chain);
    else if (chain->prompt == &agents->reviewer)
        candidate = take_review(c, chain);
    else
        candidate = take_proposal(c, chain);
    ks_answer_free(&chain->answer);
    return candidate;
}
