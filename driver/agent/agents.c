#include "agent/agents.h"

#include <stdlib.h>
#include <string.h>

#include "agent/section.h"
#include "agent/transcript.h"
#include "base/log.h"
#include "os/file.h"

#define DEFAULT_REQUESTS 16 // of one kernel, where no budget says more or less
#define DEFAULT_SECONDS 900.0
#define CHAINS 2 // one with skills and one without: the control
#define STEPS 4
#define CONTEXT 32000 // which also small models of one's own take

static enum ks_status read_prices(struct ks_arena *arena, const struct ks_config *config,
                                  struct ks_agents *agents, struct ks_err *err)
{
    bool limited = agents->each.money > 0 || agents->all.limits.money > 0;
    for (size_t i = 0; i < agents->n_models; i++) {
        struct ks_asked_model *model = &agents->models[i];
        bool priced = false;
        if (config->agent_price != NULL)
            KS_TRY(ks_price_parse(arena, config->agent_price, model->name, &model->price, &priced,
                                  err));
        if (limited && !priced)
            KS_FAIL(err, KS_E_USER,
                    "agent: a budget of money needs the price of %s: KS_AGENT_PRICE=IN/OUT per "
                    "million tokens",
                    model->name);
    }
    return KS_OK;
}

static enum ks_status read_limits(struct ks_arena *arena, const struct ks_config *config,
                                  struct ks_agents *agents, struct ks_err *err)
{
    agents->context = CONTEXT;
    agents->each.requests = DEFAULT_REQUESTS;
    agents->each.seconds = DEFAULT_SECONDS;
    if (config->agent_budget != NULL)
        KS_TRY(
            ks_limits_parse(arena, config->agent_budget, &agents->each, &agents->all.limits, err));
    agents->chains = agents->each.chains > 0 ? (int)agents->each.chains : CHAINS;
    if (agents->each.context > 0)
        agents->context = agents->each.context;
    agents->steps = agents->each.steps > 0 ? (int)agents->each.steps : STEPS;
    return KS_OK;
}

// "coder,repairer,planner,reviewer": those that are named are asked, coders always.
static enum ks_status read_roles(struct ks_arena *arena, const struct ks_config *config,
                                 struct ks_agents *agents, struct ks_err *err)
{
    static const char *const names[] = {"coder",      "repairer", "planner", "reviewer",
                                        "summariser", "ranker",   NULL};
    bool unused;
    bool *const asked[] = {&unused,          &agents->repairs,    &agents->plans,
                           &agents->reviews, &agents->summarises, &agents->ranks};
    for (const char *at = config->agent_roles != NULL ? config->agent_roles : "repairer";
         *at != '\0'; at += *at == ',') {
        size_t n = strcspn(at, ","), i = 0;
        const char *word = ks_arena_strndup(arena, at, n);
        while (names[i] != NULL && strcmp(names[i], word) != 0)
            i++;
        if (names[i] == NULL)
            KS_FAIL(err, KS_E_USER,
                    "agent: there is no role `%s`; roles are coder, repairer, planner, reviewer, "
                    "ranker and summariser",
                    word);
        *asked[i] = true;
        at += n;
    }
    return KS_OK;
}

enum ks_status ks_agents_prompts(struct ks_arena *arena, const struct ks_config *config,
                                 struct ks_agents *agents, struct ks_err *err)
{
    const char *dir = ks_path_join(arena, config->share_dir, "skills/prompts");
    agents->redaction.home = getenv("HOME");
    KS_TRY(read_limits(arena, config, agents, err));
    KS_TRY(read_roles(arena, config, agents, err));
    const struct {
        const char *role;
        struct ks_prompt *prompt;
    } prompts[] = {{"coder", &agents->coder},     {"repairer", &agents->repairer},
                   {"planner", &agents->planner}, {"reviewer", &agents->reviewer},
                   {"ranker", &agents->ranker},   {"summariser", &agents->summariser}};
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
        KS_TRY(ks_prompt_load(arena, dir, prompts[i].role, prompts[i].prompt, err));
        KS_TRY(ks_sections_own(arena, config->state_dir, prompts[i].prompt, err));
    }
    return KS_OK;
}

enum ks_status ks_agents_open(struct ks_arena *arena, const struct ks_config *config,
                              struct ks_agents **out, struct ks_err *err)
{
    struct ks_agents *agents = KS_NEW(arena, struct ks_agents);
    *out = NULL;
    if (config->agent == NULL)
        return KS_OK;
    bool local =
        ks_starts_with(config->agent, "mailbox:") || ks_starts_with(config->agent, "replay:");
    if (config->offline && !local) {
        ks_warn("offline: %.*s is not asked", (int)strcspn(config->agent, ":"), config->agent);
        return KS_OK;
    }
    KS_TRY(ks_agents_prompts(arena, config, agents, err));
    KS_TRY(ks_agents_backend(arena, config, agents, err));
    enum ks_status status = read_prices(arena, config, agents, err);
    if (status == KS_OK && config->agent_record != NULL) {
        struct ks_backend inner = agents->backend;
        status =
            ks_record_open(config->agent_record, &agents->redaction, &inner, &agents->backend, err);
    }
    if (status == KS_OK)
        *out = agents;
    else
        ks_agents_close(agents);
    return status;
}

bool ks_agents_fresh(const struct ks_agents *agents, const char *key)
{
    return agents != NULL && agents->backend.fresh != NULL &&
           agents->backend.fresh(agents->backend.self, key);
}

void ks_agents_recall(struct ks_agents *agents, struct ks_outcomes *outcomes, const char *evidence)
{
    struct ks_err err = {0};
    for (size_t i = 0; i < agents->n_models && outcomes != NULL && !agents->recalled; i++)
        if (ks_model_record_get(outcomes, agents->models[i].name, evidence,
                                &agents->models[i].record, &err) != KS_OK)
            ks_info("%s", err.text);
    agents->recalled = true;
}

void ks_agents_remember(struct ks_agents *agents, struct ks_outcomes *outcomes,
                        const char *evidence)
{
    struct ks_err err = {0};
    for (size_t i = 0; i < agents->n_models && outcomes != NULL && agents->learns; i++) {
        struct ks_asked_model *model = &agents->models[i];
        if (model->added.questions > 0 &&
            ks_model_record_add(outcomes, model->name, evidence, &model->added, &err) != KS_OK)
            ks_warn("%s", err.text);
        model->added = (struct ks_model_record){0};
    }
}

void ks_agents_close(struct ks_agents *agents)
{
    if (agents != NULL && agents->backend.close != NULL)
        agents->backend.close(agents->backend.self);
}
