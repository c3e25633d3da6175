// The models that `ks` may ask in one run: a backend, its budget, the prompts. None unless somebody
// configured one.
#ifndef KS_AGENTS_H
#define KS_AGENTS_H

#include "agent/models.h"
#include "agent/prompt.h"
#include "agent/redact.h"
#include "cfg/config.h"

struct ks_agents {
    struct ks_backend backend;
    struct ks_spend all;                          // what this run has cost
    struct ks_limits each;                        // of one kernel
    struct ks_asked_model models[KS_MODELS_MOST]; // that can be asked, cheap ones first
    size_t n_models;
    bool learns, recalled; // what they earn is remembered; their records are read
    struct ks_redaction redaction;
    struct ks_prompt coder, repairer, planner, reviewer, summariser, ranker;
    bool repairs, plans, reviews, summarises,
        ranks; // roles that are asked; else the engine's own choice stands, or the judge's word
    int64_t context;   // tokens of one question with its answer, 0: any
    int chains, steps; // lines of attempts a kernel, and questions of each
};

// KS_AGENT and its companions (docs/agents.md). *agents is NULL where none is configured.
// KS_E_USER: a setting is wrong. No network is touched here.
enum ks_status ks_agents_open(struct ks_arena *arena, const struct ks_config *config,
                              struct ks_agents **agents, struct ks_err *err);
// Prompts, roles and limits alone, to show what would be asked.
enum ks_status ks_agents_prompts(struct ks_arena *arena, const struct ks_config *config,
                                 struct ks_agents *agents, struct ks_err *err);
// The backend of `config->agent`, or several with ` ; ` between, and their models' names; a mailbox
// or transcript stands alone.
enum ks_status ks_agents_backend(struct ks_arena *arena, const struct ks_config *config,
                                 struct ks_agents *agents, struct ks_err *err);
// Whether a patient backend has answers about the kernel of this key (12 digits or more) that
// nobody looked at.
bool ks_agents_fresh(const struct ks_agents *agents, const char *key);
// What its models earned in earlier runs, read once; and what they earned since, added to it.
// `outcomes` may be NULL.
void ks_agents_recall(struct ks_agents *agents, struct ks_outcomes *outcomes, const char *evidence);
void ks_agents_remember(struct ks_agents *agents, struct ks_outcomes *outcomes,
                        const char *evidence);
void ks_agents_close(struct ks_agents *agents); // NULL is fine

#endif
