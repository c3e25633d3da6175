// Questions: who is asked next in a chain, and what he is told.
#include <stdio.h>
#include <string.h>

#include "agent/chain.h"
#include "fmt/hash.h"

#define DIGEST_MOST 6000 // bytes of what was tried
#define REPAIRS_MOST 3   // of one proposal; then another is asked for

// The same question in another run has the same name: it goes by what led to it, never by measured numbers.
static void name_question(const struct ks_consult *c, size_t number, struct chain *chain, const char *role)
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
    snprintf(chain->id, sizeof chain->id, "%.12s-%s-%zu%d-%.8s", c->ask.key, role, number, chain->step, hex);
}

bool ks_chain_repairs(const struct ks_consult *c, const struct chain *chain)
{
    return c->ask.agents->repairs && chain->failed && chain->last != NULL && chain->repairs < REPAIRS_MOST;
}

// Who is asked next.
static const struct ks_prompt *prompt_of(const struct ks_consult *c, const struct chain *chain)
{
    const struct ks_agents *agents = c->ask.agents;
    return chain->unreviewed                                  ? &agents->reviewer
           : agents->plans && chain->aided && !chain->planned ? &agents->planner
           : ks_chain_repairs(c, chain)                       ? &agents->repairer
                                                              : &agents->coder;
}

// The next question of a chain.
enum ks_status ks_chain_ask(struct ks_consult *c, struct chain *chain, struct ks_arena *scratch,
                                     struct ks_ask *ask, struct ks_err *err)
{
    const struct ks_agents *agents = c->ask.agents;
    const struct ks_prompt *prompt = chain->prompt = prompt_of(c, chain);
    size_t number = (size_t)(chain - c->chains);
    name_question(c, number, chain, prompt->role);
    const struct ks_tried *best = ks_digest_best(&c->tried);
    const char *const names[] = {"request", "kernel", "contract", "device", "facts", "skills", "tried",
                                 "best", "log", "refused", "code", "plan", "diagnosis"};
    const char *plan = "none";
    if (chain->last != NULL) { // the document without its source, which stands in parts
        struct ks_candidate bare = *chain->last;
        bare.proposal.source = "(above)";
        plan = ks_digest_code(scratch, &bare);
    }
    const char *const values[] = {
        chain->id, c->code, c->contract, c->device, c->facts,
        ks_brief_skills(scratch, c->ask.skills, chain->aided ? c->n_ids : 0),
        ks_digest_text(scratch, &c->tried, DIGEST_MOST),
        best != NULL ? ks_digest_code(scratch, best->candidate) : "none yet",
        chain->log != NULL ? chain->log : "none", chain->refused != NULL ? chain->refused : "no",
        chain->last != NULL ? ks_parts_print(scratch, chain->last->proposal.source) : "none", plan,
        chain->plan != NULL ? chain->plan : "none"};
    KS_TRY(ks_prompt_fill(scratch, prompt, names, values, sizeof names / sizeof *names, ask, err));
    ask->id = chain->id;
    ask->kernel = c->ask.brief->signature->instance;
    ask->spend = &c->spend;
    if (agents->n_models > 0) {
        ask->model = agents->models[chain->model].name;
        ask->price = agents->models[chain->model].price;
    }
    struct ks_buf text = KS_BUF((size_t)4 << 20);
    ks_redact(&agents->redaction, ks_slice_of(ask->user), &text);
    ask->user = ks_arena_strdup(scratch, ks_buf_text(&text));
    ks_buf_free(&text);
    return KS_OK;
}
