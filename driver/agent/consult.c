#include "agent/consult.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/chain.h"
#include "os/clock.h"
#include "source/mechanism.h"

void ks_consult_show(struct ks_consult *c, const struct ks_skill *const *skills, size_t n)
{
    c->n_shown = n < KS_SKILLS_SHOWN ? n : KS_SKILLS_SHOWN;
    for (size_t i = 0; i < c->n_shown; i++) {
        c->shown[i] = skills[i];
        c->ids[i] = skills[i]->id;
    }
}

struct ks_consult *ks_consult_open(const struct ks_consult_ask *ask)
{
    struct ks_consult *c = KS_NEW(ask->arena, struct ks_consult);
    c->ask = *ask;
    c->arena = ask->arena;
    c->spend = (struct ks_spend){.limits = ask->agents->each, .whole = &ask->agents->all};
    c->best = 1;
    c->code = ks_brief_code(c->arena, ask->brief, &ask->source);
    c->contract = ks_brief_contract(c->arena, ask->brief, &ask->source);
    c->device = ks_brief_device(c->arena, ask->brief);
    c->facts = ks_brief_facts(c->arena, ask->brief);
    ks_consult_show(c, ask->skills, ask->n_skills);
    for (int i = 0; i < ask->agents->chains && i < KS_CHAINS_MOST; i++)
        c->chains[i].aided = i == 0 && ask->n_skills > 0;
    c->counts.n_models = ask->agents->n_models;
    for (size_t i = 0; i < ask->agents->n_models; i++)
        c->counts.models[i].name = ask->agents->models[i].name;
    return c;
}

void ks_consult_close(struct ks_consult *consult)
{
    for (int i = 0; i < consult->ask.agents->chains; i++)
        if (consult->chains[i].state == CHAIN_ANSWERED)
            ks_answer_free(&consult->chains[i].answer); // the rest lies in the arena
}

void ks_consult_keep(struct ks_consult *c, const struct ks_candidate *candidate, const struct ks_outcome *o)
{
    struct ks_buf reason = KS_BUF(4096);
    ks_redact_message(&c->ask.agents->redaction, ks_slice_of(o->reason), &reason);
    struct ks_tried *tried = ks_vec_push(c->arena, &c->tried);
    *tried = (struct ks_tried){.candidate = candidate, .outcome = *o,
                               .mechanism = ks_proposal_mechanism(c->arena, &candidate->proposal)};
    tried->outcome.reason = ks_arena_strdup(c->arena, ks_buf_text(&reason));
    ks_buf_free(&reason);
    if (o->gains && o->ratio > c->best)
        c->best = o->ratio;
}

void ks_consult_note(struct ks_consult *c, const struct ks_candidate *candidate, const struct ks_outcome *o)
{
    ks_consult_keep(c, candidate, o);
}

void ks_chain_earned(struct ks_consult *c, struct chain *chain, double reward, bool stuck)
{
    struct ks_agents *agents = c->ask.agents;
    if (chain->bought && agents->n_models > 0)
        ks_model_earned(&agents->models[chain->model], reward, chain->tokens_in, chain->tokens_out);
    chain->bought = false;
    if (stuck && chain->model + 1 < agents->n_models)
        chain->model++;
}

static enum ks_status ask_next(struct ks_consult *c, struct chain *chain, struct ks_err *err)
{
    if (chain->step == 0 && !chain->planned && !chain->ranked && c->ask.agents->n_models > 1)
        chain->model = ks_models_choose(c->ask.agents->models, c->ask.agents->n_models);
    struct ks_arena scratch = {0};
    struct ks_ask ask;
    const struct ks_backend *backend = &c->ask.agents->backend;
    enum ks_status status = ks_chain_ask(c, chain, &scratch, &ask, err);
    if (status == KS_OK)
        status = backend->submit(backend->self, &ask, err);
    ks_arena_free(&scratch);
    if (status == KS_E_LIMIT) { // too long, whatever is left out
        c->counts.stopped = ks_arena_strdup(c->arena, err->text);
        chain->state = CHAIN_OVER;
        return KS_OK;
    }
    if (status != KS_OK)
        return status;
    chain->state = CHAIN_ASKED;
    c->counts.models[chain->model].asked++;
    chain->step += chain->prompt == &c->ask.agents->coder || chain->prompt == &c->ask.agents->repairer;
    c->counts.asked++;
    return KS_OK;
}

void ks_consult_tell(struct ks_consult *c, const struct ks_outcome *o, double seconds)
{
    struct chain *chain = c->judging;
    double before = c->best;
    bool gained = o->gains && o->ratio > c->best;
    KS_ASSERT(chain != NULL);
    c->judging = NULL;
    ks_consult_keep(c, chain->last, o);
    ks_spend_time(&c->spend, 0, seconds);
    chain->failed = !o->correct;
    chain->stalled = o->correct && !gained ? chain->stalled + 1 : 0;
    c->counts.models[chain->model].correct += o->correct;
    c->counts.models[chain->model].gained += gained;
    double gain = gained ? o->ratio / before : 1;
    ks_chain_earned(c, chain, ks_model_reward(o->correct, gain), !gained && (o->correct || !ks_chain_repairs(c, chain)));
    const char *log = ks_arena_printf(c->arena, "%s%s", ks_outcome_text(c->arena, o),
                                      gained ? "; the best so far" : "");
    ks_chain_turn(c, chain, o->correctness, log, true);
}

static struct chain *chain_of(struct ks_consult *c, const char *id)
{
    for (int i = 0; i < c->ask.agents->chains; i++)
        if (c->chains[i].state == CHAIN_ASKED && strcmp(c->chains[i].id, id) == 0)
            return &c->chains[i];
    return NULL;
}

static struct chain *first_in(struct ks_consult *c, enum chain_state state)
{
    for (int i = 0; i < c->ask.agents->chains; i++)
        if (c->chains[i].state == state)
            return &c->chains[i];
    return NULL;
}

// All chains are asked together once all have their verdicts, and read in order: so what a question says depends
// on no clock, and a transcript fits the next run.
static enum ks_status ask_all(struct ks_consult *c, struct ks_err *err)
{
    struct chain *chain;
    char why[128];
    while ((chain = first_in(c, CHAIN_FREE)) != NULL) {
        if (ks_spend_left(&c->spend, why)) {
            KS_TRY(ask_next(c, chain, err));
            continue;
        }
        c->counts.stopped = ks_arena_strdup(c->arena, why);
        chain->state = CHAIN_OVER;
    }
    return KS_OK;
}

// One answer into its chain; false: none came in time.
static bool receive(struct ks_consult *c, double seconds)
{
    const struct ks_backend *backend = &c->ask.agents->backend;
    struct ks_answer answer;
    if (!backend->poll(backend->self, seconds, &answer))
        return false;
    struct chain *chain = chain_of(c, answer.id);
    if (chain == NULL) { // of another kernel of this run
        ks_answer_free(&answer);
        return true;
    }
    chain->answer = answer;
    chain->state = CHAIN_ANSWERED;
    return true;
}

// Nobody waits for answers any longer than the budget says: what is under way is left.
static void give_up_late(struct ks_consult *c, enum ks_consult_state *state)
{
    char why[128];
    if (ks_spend_left(&c->spend, why))
        return;
    for (struct chain *chain; (chain = first_in(c, CHAIN_ASKED)) != NULL;)
        chain->state = CHAIN_OVER;
    c->counts.stopped = ks_arena_strdup(c->arena, why);
    *state = KS_CONSULT_OVER;
}

enum ks_status ks_consult_next(struct ks_consult *c, double seconds, enum ks_consult_state *state,
                               struct ks_candidate **candidate, struct ks_err *err)
{
    double begun = ks_now(), until = begun + fmin(seconds, ks_spend_waiting(&c->spend));
    KS_ASSERT(c->judging == NULL);
    *state = KS_CONSULT_PENDING;
    while (*state == KS_CONSULT_PENDING) {
        double left = until - ks_now();
        if (first_in(c, CHAIN_ASKED) != NULL) {
            if (!receive(c, left > 0 ? left : 0))
                break;
            continue;
        }
        struct chain *chain = first_in(c, CHAIN_ANSWERED);
        if (chain != NULL) {
            if (ks_chain_take(c, chain)) {
                *candidate = chain->last;
                *state = KS_CONSULT_CANDIDATE;
            }
            continue;
        }
        KS_TRY(ask_all(c, err));
        if (first_in(c, CHAIN_ASKED) == NULL)
            *state = KS_CONSULT_OVER;
    }
    ks_spend_time(&c->spend, ks_now() - begun, 0);
    if (*state == KS_CONSULT_PENDING && !c->ask.agents->backend.patient)
        give_up_late(c, state);
    return KS_OK;
}

struct ks_consult_counts ks_consult_counts(struct ks_consult *c)
{
    struct ks_consult_counts counts = c->counts;
    for (int i = 0; i < c->ask.agents->chains; i++)
        counts.waiting += c->chains[i].state == CHAIN_ASKED;
    counts.spend = &c->spend;
    return counts;
}

enum ks_status ks_consult_print(struct ks_consult *c, struct ks_buf *out, struct ks_err *err)
{
    for (int i = 0; i < c->ask.agents->chains; i++) {
        struct ks_arena scratch = {0};
        struct ks_ask ask;
        enum ks_status status = ks_chain_ask(c, &c->chains[i], &scratch, &ask, err);
        if (status == KS_OK)
            ks_buf_printf(out, "==== %s, to a %s (version %d)\n---- system\n%s---- user\n%s", ask.id, ask.role,
                          c->chains[i].prompt->version, ask.system, ask.user);
        ks_arena_free(&scratch);
        KS_TRY(status);
    }
    return KS_OK;
}
