// Private to the consultation of models about one kernel: its chains, shared by what writes questions, what
// takes answers and what keeps the order.
#ifndef KS_CHAIN_H
#define KS_CHAIN_H

#include "agent/consult.h"
#include "agent/digest.h"

enum chain_state { CHAIN_FREE, CHAIN_ASKED, CHAIN_ANSWERED, CHAIN_JUDGED, CHAIN_OVER };
struct chain {
    enum chain_state state;
    bool aided;                       // skills are shown
    int step, repairs, stalled;
    size_t model;                     // that is asked
    int64_t tokens_in, tokens_out;    // of the last proposal's answer
    bool bought;                      // which somebody was asked for in this run
    char id[KS_ASK_ID];
    const struct ks_prompt *prompt;   // of the question that is open
    bool ranked, planned, unreviewed; // skills were ranked; a plan was asked for; `last` is to be reviewed
    const char *plan;                 // that held, or NULL
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
    const struct ks_skill *shown[KS_SKILLS_SHOWN]; size_t n_shown;
    const char *ids[KS_SKILLS_SHOWN]; // of these
};


// The chain's next question, in `scratch` (agent/chain_ask.c).
enum ks_status ks_chain_ask(struct ks_consult *consult, struct chain *chain, struct ks_arena *scratch,
                            struct ks_ask *ask, struct ks_err *err);
bool ks_chain_repairs(const struct ks_consult *consult, const struct chain *chain); // its last proposal, next
// The skills that are shown from here on.
void ks_consult_show(struct ks_consult *consult, const struct ks_skill *const *skills, size_t n);
// Reads the chain's answer; true where its proposal is to be judged (agent/chain_take.c).
bool ks_chain_take(struct ks_consult *consult, struct chain *chain);
// What became of the last answer: a verdict, or why it was refused.
void ks_chain_turn(struct ks_consult *consult, struct chain *chain, const char *word, const char *text,
                   bool verdict);
// The model earned `reward` with the last proposal; if it did not get the chain on, the next one is asked from here on.
void ks_chain_earned(struct ks_consult *consult, struct chain *chain, double reward, bool stuck);
// Keeps what became of a candidate for the digest.
void ks_consult_keep(struct ks_consult *consult, const struct ks_candidate *candidate,
                     const struct ks_outcome *outcome);

#endif
