// A skill out of a win: what a model says was the idea, in general words, as a skill on probation. It is screened
// here; whether it pays is shown by `ks skills adopt`, which tunes kernels with it and without it.
#ifndef KS_SUMMARY_H
#define KS_SUMMARY_H

#include "agent/agents.h"
#include "agent/reading.h"

#define KS_SUMMARY_GAIN 1.1 // a win that is worth a skill

struct ks_summary_ask {
    struct ks_arena *arena;
    struct ks_agents *agents;
    const struct ks_brief *brief;
    struct ks_brief_source source;
    const char *key;                 // hexadecimal
    const struct ks_candidate *won;
    const char *variant;             // its id
    double ratio;                    // confirmed
    struct ks_spend *spend;          // of the kernel, which the question is one of
};
struct ks_summary {
    bool awaited;                    // a patient backend has no answer yet
    enum ks_refusal refusal;
    char why[400];
    const char *id, *text;           // KS_ACCEPTED: the skill's YAML, with model and evidence among its sources
};
// Asks, waiting for the answer unless the backend is patient.
enum ks_status ks_summarise(const struct ks_summary_ask *ask, struct ks_summary *out, struct ks_err *err);

// Reads an answer. Refused by `plan`: numbers of one kernel's sizes, its names, libraries in disguise, lower
// precision, leaving work out.
void ks_read_summary(struct ks_arena *arena, const struct ks_summary_ask *ask, const char *id,
                     const struct ks_answer *answer, struct ks_summary *out);

#endif
