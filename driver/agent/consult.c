#include "agent/consult.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/digest.h"
#include "base/log.h"
#include "fmt/hash.h"
#include "os/clock.h"

#define DIGEST_MOST 6000  // bytes of what was tried
#define REPAIRS_MOST 3    // of one proposal; then another is asked for
#define STALLED 2         // correct ones in a row without a gain end a chain

enum chain_state { CHAIN_FREE, CHAIN_ASKED, CHAIN_ANSWERED, CHAIN_JUDGED, CHAIN_OVER };
struct chain {
    enum chain_state state;
    bool aided;                       // skills are shown
    int step, repairs, stalled;
    char id[KS_ASK_ID];
    bool repairing;                   // of the question that is open
    struct ks_answer answer;          // CHAIN_ANSWERED
    struct ks_candidate *last;        // proposal that the last verdict is about, or NULL
    const char *last_id;              // and its content's name
    const char *word;                 // what became of the last answer: verdict or refusal
    const char *log;                  // the last verdict in full; NULL: none yet
    const char *refused;              // why the last answer was; NULL: it was not
    bool failed;                      // the last proposal can be repaired
};
struct ks_consult {
    struct ks_consult_ask ask;
    struct ks_arena *arena;
    struct ks_spend spend;
    struct chain chains[KS_CHAINS_MOST];
    struct ks_digest_list tried;
    struct chain *judging;
    struct ks_consult_counts counts;
    double best;
    const char *code, *contract, *device, *facts;
    const char *ids[64]; size_t n_ids; // of the skills
};

struct ks_consult *ks_consult_open(const struct ks_consult_ask *ask)
{
    struct ks_consult *c = KS_NEW(ask->arena, struct ks_consult);
    c->ask = *ask;
    c->arena = ask->arena;
    c->spend = (struct ks_spend){.limits = ask->agents->each, .price = ask->agents->price,
                                 .whole = &ask->agents->all};
    c->best = 1;
    c->code = ks_brief_code(c->arena, ask->brief, &ask->source);
    c->contract = ks_brief_contract(c->arena, ask->brief, &ask->source);
    c->device = ks_brief_device(c->arena, ask->brief);
    c->facts = ks_brief_facts(c->arena, ask->brief);
    for (size_t i = 0; i < ask->n_skills && i < sizeof c->ids / sizeof *c->ids; i++)
        c->ids[c->n_ids++] = ask->skills[i]->id;
    for (int i = 0; i < ask->agents->chains && i < KS_CHAINS_MOST; i++)
        c->chains[i].aided = i == 0 && ask->n_skills > 0;
    return c;
}

void ks_consult_close(struct ks_consult *consult)
{
    for (int i = 0; i < consult->ask.agents->chains; i++)
        if (consult->chains[i].state == CHAIN_ANSWERED)
            ks_answer_free(&consult->chains[i].answer); // the rest lies in the arena
}

static void note(struct ks_consult *c, const struct ks_candidate *candidate, const struct ks_outcome *o)
{
    struct ks_buf reason = KS_BUF(4096);
    ks_redact_message(&c->ask.agents->redaction, ks_slice_of(o->reason), &reason);
    *ks_vec_push(c->arena, &c->tried) =
        (struct ks_tried){.candidate = candidate, .correctness = o->correctness, .speed = o->speed,
                          .reason = ks_arena_strdup(c->arena, ks_buf_text(&reason)), .ratio = o->ratio,
                          .correct = o->correct};
    ks_buf_free(&reason);
    if (o->correct && o->ratio > c->best)
        c->best = o->ratio;
}

void ks_consult_note(struct ks_consult *c, const struct ks_candidate *candidate, const struct ks_outcome *o)
{
    note(c, candidate, o);
}

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

// The next question of a chain.
static enum ks_status write_question(struct ks_consult *c, struct chain *chain, struct ks_arena *scratch,
                                     struct ks_ask *ask, struct ks_err *err)
{
    const struct ks_agents *agents = c->ask.agents;
    chain->repairing = chain->failed && chain->last != NULL && chain->repairs < REPAIRS_MOST;
    const struct ks_prompt *prompt = chain->repairing ? &agents->repairer : &agents->coder;
    size_t number = (size_t)(chain - c->chains);
    name_question(c, number, chain, prompt->role);
    const struct ks_tried *best = ks_digest_best(&c->tried);
    const char *const names[] = {"request", "kernel", "contract", "device", "facts", "skills", "tried",
                                 "best", "log", "refused", "code", "plan"};
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
        chain->last != NULL ? ks_parts_print(scratch, chain->last->proposal.source) : "none", plan};
    KS_TRY(ks_prompt_fill(scratch, prompt, names, values, sizeof names / sizeof *names, ask, err));
    ask->id = chain->id;
    ask->kernel = c->ask.brief->signature->instance;
    ask->spend = &c->spend;
    struct ks_buf text = KS_BUF((size_t)4 << 20);
    ks_redact(&agents->redaction, ks_slice_of(ask->user), &text);
    ask->user = ks_arena_strdup(scratch, ks_buf_text(&text));
    ks_buf_free(&text);
    return KS_OK;
}

static enum ks_status ask_next(struct ks_consult *c, struct chain *chain, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    struct ks_ask ask;
    const struct ks_backend *backend = &c->ask.agents->backend;
    enum ks_status status = write_question(c, chain, &scratch, &ask, err);
    if (status == KS_OK)
        status = backend->submit(backend->self, &ask, err);
    ks_arena_free(&scratch);
    if (status != KS_OK)
        return status;
    chain->state = CHAIN_ASKED;
    chain->step++;
    c->counts.asked++;
    return KS_OK;
}

// What became of an answer, for the chain's next question.
static void turn(struct ks_consult *c, struct chain *chain, const char *word, const char *text, bool verdict)
{
    struct ks_buf full = KS_BUF(8192);
    ks_buf_printf(&full, "%s: ", word);
    ks_redact_message(&c->ask.agents->redaction, ks_slice_of(text), &full);
    const struct ks_backend *backend = &c->ask.agents->backend;
    if (backend->done != NULL)
        backend->done(backend->self, chain->id);
    chain->word = ks_arena_strdup(c->arena, word);
    const char *said = ks_arena_strdup(c->arena, ks_buf_text(&full));
    ks_buf_free(&full);
    chain->refused = verdict ? NULL : said;
    chain->log = verdict ? said : chain->log;
    bool over = chain->step >= c->ask.agents->steps || chain->stalled >= STALLED;
    chain->state = over ? CHAIN_OVER : CHAIN_FREE;
}

static bool known_before(const struct ks_consult *c, const char *id)
{
    for (size_t i = 0; i < c->tried.len; i++)
        if (strcmp(ks_proposal_id(c->arena, &c->tried.at[i].candidate->proposal), id) == 0)
            return true;
    return false;
}

// Reads an answer; true where a candidate came of it.
static bool take(struct ks_consult *c, struct chain *chain)
{
    struct ks_answer *answer = &chain->answer;
    struct ks_reading reading;
    const struct ks_agents *agents = c->ask.agents;
    const struct ks_reading_ask ask = {
        .prompt = chain->repairing ? &agents->repairer : &agents->coder, .brief = c->ask.brief,
        .id = chain->id, .base = chain->repairing ? &chain->last->proposal : NULL,
        .log = chain->repairing ? chain->log : NULL, .skills = c->ids,
        .n_skills = chain->aided ? c->n_ids : 0, .known = c->ask.known};
    ks_read_proposal(c->arena, &ask, answer, &reading);
    c->counts.answered += answer->end != KS_ANSWER_NONE;
    ks_answer_free(answer);
    const char *id = reading.refusal == KS_ACCEPTED
                         ? ks_proposal_id(c->arena, &reading.candidate.proposal) : NULL;
    if (id != NULL && known_before(c, id)) {
        reading.refusal = KS_REFUSED_REPEATED;
        snprintf(reading.why, sizeof reading.why, "this was proposed before, see what was tried");
    }
    chain->repairs = chain->repairing ? chain->repairs + 1 : 0;
    if (reading.refusal != KS_ACCEPTED) {
        const char *name = ks_refusal_name(reading.refusal);
        c->counts.refused[reading.refusal]++;
        ks_info("%s: answer %s refused: %s: %s", c->ask.brief->signature->instance, chain->id, name,
                reading.why);
        turn(c, chain, name, reading.why, false);
        if (reading.refusal == KS_REFUSED_NO_ANSWER)
            chain->state = CHAIN_OVER; // the backend has tried what it could
        return false;
    }
    struct ks_candidate *candidate = KS_NEW(c->arena, struct ks_candidate);
    *candidate = reading.candidate;
    candidate->params = ks_arena_printf(c->arena, "question %s", chain->id);
    candidate->mechanism = ks_arena_printf(c->arena, "prompted %s", id);
    candidate->proposer = ks_arena_strdup(c->arena, agents->backend.model);
    chain->last = candidate;
    chain->last_id = id;
    chain->state = CHAIN_JUDGED;
    c->judging = chain;
    c->counts.proposed++;
    return true;
}

void ks_consult_tell(struct ks_consult *c, const struct ks_outcome *o, double seconds)
{
    struct chain *chain = c->judging;
    bool gained = o->correct && o->ratio > c->best;
    KS_ASSERT(chain != NULL);
    c->judging = NULL;
    note(c, chain->last, o);
    ks_spend_time(&c->spend, 0, seconds);
    chain->failed = !o->correct;
    chain->stalled = o->correct && !gained ? chain->stalled + 1 : 0;
    const char *log = o->correct && o->ratio > 0
                          ? ks_arena_printf(c->arena, "correct, %.3g times as fast as the original%s", o->ratio,
                                            gained ? ", the best so far" : "")
                          : o->reason;
    turn(c, chain, o->correctness, log, true);
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

enum ks_status ks_consult_next(struct ks_consult *c, double seconds, enum ks_consult_state *state,
                               struct ks_candidate **candidate, struct ks_err *err)
{
    double begun = ks_now(), until = begun + seconds;
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
            if (take(c, chain)) {
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
    return KS_OK;
}

struct ks_consult_counts ks_consult_counts(const struct ks_consult *c)
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
        enum ks_status status = write_question(c, &c->chains[i], &scratch, &ask, err);
        if (status == KS_OK)
            ks_buf_printf(out, "==== %s, to a %s (version %d)\n---- system\n%s---- user\n%s", ask.id, ask.role,
                          c->ask.agents->coder.version, ask.system, ask.user);
        ks_arena_free(&scratch);
        KS_TRY(status);
    }
    return KS_OK;
}
