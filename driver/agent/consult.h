// What models are asked about one kernel: chains of questions, each waiting for the verdict on what came of
// the one before. Knows prompts and answers; what a proposal is worth is told by whoever judges.
#ifndef KS_CONSULT_H
#define KS_CONSULT_H

#include "agent/agents.h"
#include "agent/reading.h"

#define KS_SKILLS_SHOWN 3    // of different directions
#define KS_SKILLS_OFFERED 20
struct ks_consult_ask {
    struct ks_arena *arena;              // for all that lasts: candidates, verdicts
    struct ks_agents *agents;
    const struct ks_brief *brief;
    struct ks_brief_source source;
    const char *key;                     // hexadecimal; names the questions
    // Shown to the first chain, the second has none; and those that a ranker may show instead.
    const struct ks_skill *const *skills; size_t n_skills;
    const struct ks_skill *const *offered; size_t n_offered;
    const struct ks_skill_list *known;
};

struct ks_outcome { // of a candidate, in the judge's words
    const char *correctness, *speed, *reason;
    bool correct;
    bool gains;                          // correct, and by this one timing faster: nothing is confirmed yet
    bool modelled;                       // nothing was measured
    double ratio, lower;                 // over the original, and its lower bound; 0: not measured
};

struct ks_consult;
struct ks_consult *ks_consult_open(const struct ks_consult_ask *ask);
void ks_consult_close(struct ks_consult *consult);
// What was tried without a model, for the digest; in order.
void ks_consult_note(struct ks_consult *consult, const struct ks_candidate *candidate,
                     const struct ks_outcome *outcome);

enum ks_consult_state {
    KS_CONSULT_CANDIDATE, // to be judged: ks_consult_tell is to follow
    KS_CONSULT_PENDING,   // answers are under way, and none came in time
    KS_CONSULT_OVER,
};
// Asks what there is to be asked and waits up to `seconds` for a proposal. A backend or prompt that fails
// altogether is a failure status.
enum ks_status ks_consult_next(struct ks_consult *consult, double seconds, enum ks_consult_state *state,
                               struct ks_candidate **candidate, struct ks_err *err);
// In words for a model: what one timing says is not called more than that.
const char *ks_outcome_text(struct ks_arena *arena, const struct ks_outcome *outcome);
// The verdict on the candidate handed out last, which took so long.
void ks_consult_tell(struct ks_consult *consult, const struct ks_outcome *outcome, double seconds);

struct ks_model_counts { // of the chains' proposals
    const char *name;
    int asked, proposed, correct, gained;
};
struct ks_consult_counts {
    int asked, answered, proposed, waiting;
    int ranked;                          // choices of skills that held
    int planned, rejected;               // plans that held; proposals that a reviewer showed wrong
    int refused[KS_REFUSALS];
    struct ks_model_counts models[KS_MODELS_MOST]; size_t n_models;
    struct ks_spend *spend;
    const char *stopped;                 // why no more was asked, or NULL
};
struct ks_consult_counts ks_consult_counts(struct ks_consult *consult);

// The first questions, as they would be sent.
enum ks_status ks_consult_print(struct ks_consult *consult, struct ks_buf *out, struct ks_err *err);

#endif
