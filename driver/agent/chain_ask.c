// Questions: who is asked next in a chain, and what he is told.
#include <stdio.h>
#include <string.h>

#include "agent/chain.h"
#include "agent/pack.h"
#include "fmt/hash.h"

#define REPAIRS_MOST 3 // of one proposal; then another is asked for

// The same question in another run has the same name: it goes by what led to it, never by measured
// numbers.
static void name_question(const struct ks_consult *c, size_t number, struct chain *chain,
                          const char *role)
{
    struct ks_hash hash;
    struct ks_digest digest;
    char hex[KS_HASH_TEXT];
    ks_hash_begin(&hash, "question");
    ks_hash_text(&hash, "key", c->ask.key);
    ks_hash_text(&hash, "role", role);
    ks_hash_int(&hash, "chain", (int64_t)number);
    ks_hash_int(&hash, "step", chain->step);
    ks_hash_text(&hash, "proposal", chain->last_id);
    ks_hash_text(&hash, "word", chain->word);
    ks_hash_end(&hash, &digest);
    ks_digest_hex(&digest, hex);
    snprintf(chain->id, sizeof chain->id, "%.12s-%s-%zu%d-%.8s", c->ask.key, role, number,
             chain->step, hex);
}

bool ks_chain_repairs(const struct ks_consult *c, const struct chain *chain)
{
    return c->ask.agents->repairs && chain->failed && chain->last != NULL &&
           chain->repairs < REPAIRS_MOST;
}

// Who is asked next.
static const struct ks_prompt *prompt_of(const struct ks_consult *c, const struct chain *chain)
{
    const struct ks_agents *agents = c->ask.agents;
    return chain->unreviewed ? &agents->reviewer
           : agents->ranks && chain->aided && !chain->ranked && c->ask.n_offered > 0
               ? &agents->ranker
           : agents->plans && chain->aided && !chain->planned ? &agents->planner
           : ks_chain_repairs(c, chain)                       ? &agents->repairer
                                                              : &agents->coder;
}

// What the best one is, and right ones beside it that go about it otherwise.
static const char *proposals_of(struct ks_consult *c, struct ks_arena *scratch,
                                const struct ks_packing *packing, const char **others)
{
    const struct ks_tried *best = ks_digest_best(&c->tried), *found[2];
    struct ks_buf text = KS_BUF((size_t)4 << 20);
    size_t n = ks_digest_others(scratch, &c->tried, best, 2, found),
           shown = (size_t)packing->others;
    for (size_t i = 0; i < n && i < shown; i++)
        ks_buf_printf(&text, "# %s\n%s", ks_outcome_text(scratch, &found[i]->outcome),
                      ks_digest_code(scratch, found[i]->candidate));
    if (n > shown)
        ks_buf_printf(&text, "(%zu more are left out)\n", n - shown);
    *others = n > 0 ? ks_arena_strdup(scratch, ks_buf_text(&text)) : "none";
    ks_buf_free(&text);
    return best == NULL    ? "none yet"
           : packing->best ? ks_digest_code(scratch, best->candidate)
                           : "(too long to show)";
}

static const char *skills_of(struct ks_consult *c, const struct chain *chain,
                             struct ks_arena *scratch, size_t most)
{
    size_t all = chain->aided ? c->n_shown : 0, n = all < most ? all : most;
    if (chain->prompt == &c->ask.agents->ranker)
        return ks_brief_titles(scratch, c->ask.offered, c->ask.n_offered);
    if (n == all)
        return ks_brief_skills(scratch, c->shown, n);
    return ks_arena_printf(scratch, "%s(%zu more are left out)\n",
                           n > 0 ? ks_brief_skills(scratch, c->shown, n) : "", all - n);
}

static const char *plan_of(const struct chain *chain, struct ks_arena *scratch)
{
    if (chain->last == NULL)
        return "none";
    struct ks_candidate bare =
        *chain->last; // the document without its source, which stands in parts
    bare.proposal.source = "(above)";
    return ks_digest_code(scratch, &bare);
}

static enum ks_status fill(struct ks_consult *c, const struct chain *chain,
                           const struct ks_packing *packing, struct ks_arena *scratch,
                           struct ks_ask *ask, struct ks_err *err)
{
    static const char *const names[] = {"request", "kernel", "contract", "device",   "facts",
                                        "skills",  "tried",  "best",     "others",   "log",
                                        "refused", "code",   "plan",     "diagnosis"};
    const char *others, *best = proposals_of(c, scratch, packing, &others);
    const char *skills = skills_of(c, chain, scratch, packing->skills);
    const char *const values[] = {
        chain->id,
        c->code,
        c->contract,
        c->device,
        ks_pack_lines(scratch, c->facts, packing->facts),
        skills,
        ks_digest_text(scratch, &c->tried, packing->digest),
        best,
        others,
        chain->log != NULL ? chain->log : "none",
        chain->refused != NULL ? chain->refused : "no",
        chain->last != NULL ? ks_parts_print(scratch, chain->last->proposal.source) : "none",
        plan_of(chain, scratch),
        chain->plan != NULL ? chain->plan : "none"};
    KS_TRY(ks_prompt_fill(scratch, chain->prompt, names, values, sizeof names / sizeof *names, ask,
                          err));
    struct ks_buf text = KS_BUF((size_t)4 << 20);
    ks_redact(&c->ask.agents->redaction, ks_slice_of(ask->user), &text);
    ask->user = ks_arena_strdup(scratch, ks_buf_text(&text));
    ks_buf_free(&text);
    return KS_OK;
}

// As much as fits beside the longest answer, and the framing of a protocol.
static enum ks_status pack(struct ks_consult *c, const struct chain *chain,
                           struct ks_arena *scratch, struct ks_ask *ask, struct ks_err *err)
{
    int64_t most = c->ask.agents->context;
    for (int step = 0; step < KS_PACKINGS; step++) {
        KS_TRY(fill(c, chain, ks_packing_at(step), scratch, ask, err));
        if (ks_tokens(ask->system) + ks_tokens(ask->user) + ask->max_tokens + KS_FRAMING <= most ||
            most == 0)
            return KS_OK;
    }
    KS_FAIL(
        err, KS_E_LIMIT,
        "a question to the %s takes more than %lld tokens, answer included, with all left out that "
        "can be: context=N in the budget",
        ask->role, (long long)most);
}

// The next question of a chain.
enum ks_status ks_chain_ask(struct ks_consult *c, struct chain *chain, struct ks_arena *scratch,
                            struct ks_ask *ask, struct ks_err *err)
{
    const struct ks_agents *agents = c->ask.agents;
    chain->prompt = prompt_of(c, chain);
    name_question(c, (size_t)(chain - c->chains), chain, chain->prompt->role);
    KS_TRY(pack(c, chain, scratch, ask, err));
    ask->id = chain->id;
    ask->kernel = c->ask.brief->signature->instance;
    ask->spend = &c->spend;
    if (agents->n_models > 0) {
        ask->model = agents->models[chain->model].name;
        ask->price = agents->models[chain->model].price;
    }
    return KS_OK;
}
