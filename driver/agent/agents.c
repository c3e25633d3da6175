#include "agent/agents.h"

#include <stdlib.h>
#include <string.h>

#include "agent/agent_key.h"
#include "agent/http.h"
#include "agent/transcript.h"
#include "base/log.h"
#include "os/file.h"

#define COMMAND_PARALLEL 4
#define HTTP_PARALLEL 32
#define HTTP_TRIES 6
#define HTTP_DELAY 1.0
#define DEFAULT_TIMEOUT 300.0
#define DEFAULT_REQUESTS 16 // of one kernel, where no budget says more or less
#define DEFAULT_SECONDS 900.0
#define CHAINS 2            // one with skills and one without: the control
#define STEPS 4

static enum ks_status open_command(struct ks_arena *arena, const char *words, double timeout,
                                   struct ks_agents *agents, struct ks_err *err)
{
    struct ks_strv argv = {0};
    for (const char *at = words; *at != '\0';) {
        size_t blank = strspn(at, " "), n = strcspn(at + blank, " ");
        if (n > 0)
            ks_strv_add(arena, &argv, ks_arena_strndup(arena, at + blank, n));
        at += blank + n;
    }
    if (argv.len == 0)
        KS_FAIL(err, KS_E_USER, "agent: command: names no program");
    const struct ks_command_options options = {argv.at, timeout, COMMAND_PARALLEL};
    return ks_command_open(&options, &agents->backend, err);
}

// "MODEL" or "MODEL@URL".
static enum ks_status open_http(struct ks_arena *arena, const struct ks_config *config, const char *words,
                                double timeout, bool anthropic, struct ks_agents *agents, struct ks_err *err)
{
    const char *at = strstr(words, "@http");
    struct ks_http_options options = {
        .anthropic = anthropic, .model = at != NULL ? ks_arena_strndup(arena, words, (size_t)(at - words)) : words,
        .url = at != NULL ? at + 1 : NULL, .ca = config->agent_ca, .timeout = timeout, .delay = HTTP_DELAY,
        .parallel = HTTP_PARALLEL, .tries = HTTP_TRIES, .redaction = &agents->redaction};
    const char *variable = anthropic ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
    KS_TRY(ks_agent_key(arena, config, variable, &options.key, err));
    if (options.key == NULL && options.url == NULL)
        KS_FAIL(err, KS_E_USER, "agent: there is no key: set %s, KS_AGENT_KEY or KS_AGENT_KEY_FILE", variable);
    if (options.key != NULL)
        ks_strv_add(arena, &agents->redaction.secrets, options.key);
    return ks_http_open(&options, &agents->backend, err);
}

static enum ks_status open_backend(struct ks_arena *arena, const struct ks_config *config,
                                   struct ks_agents *agents, struct ks_err *err)
{
    const char *spec = config->agent;
    const char *colon = strchr(spec, ':');
    const char *kind = ks_arena_strndup(arena, spec, colon != NULL ? (size_t)(colon - spec) : strlen(spec));
    const char *rest = colon != NULL ? colon + 1 : "";
    double timeout = config->agent_timeout > 0 ? config->agent_timeout : DEFAULT_TIMEOUT;
    static const char *const kinds[] = {"openai", "anthropic", "command", "mailbox", "replay", NULL};
    if (strcmp(kind, "command") == 0)
        return open_command(arena, rest, timeout, agents, err);
    bool anthropic = strcmp(kind, "anthropic") == 0;
    if (anthropic || strcmp(kind, "openai") == 0)
        return open_http(arena, config, rest, timeout, anthropic, agents, err);
    if (strcmp(kind, "mailbox") == 0)
        return ks_mailbox_open(rest, &agents->backend, err);
    if (strcmp(kind, "replay") == 0)
        return ks_replay_open(rest, &agents->backend, err);
    const char *near = ks_nearest_word(kind, kinds);
    KS_FAIL(err, KS_E_USER, "agent: `%s` is no backend%s%s%s; there are openai:MODEL, "
            "anthropic:MODEL, command:PROGRAM, mailbox:FOLDER and replay:FILE", spec,
            near != NULL ? " (do you mean " : "", near != NULL ? near : "", near != NULL ? "?)" : "");
}

static enum ks_status read_budget(struct ks_arena *arena, const struct ks_config *config,
                                  struct ks_agents *agents, struct ks_err *err)
{
    bool priced = false;
    agents->each.requests = DEFAULT_REQUESTS;
    agents->each.seconds = DEFAULT_SECONDS;
    if (config->agent_budget != NULL)
        KS_TRY(ks_limits_parse(arena, config->agent_budget, &agents->each, &agents->all.limits, err));
    if (config->agent_price != NULL)
        KS_TRY(ks_price_parse(arena, config->agent_price, agents->backend.model, &agents->price, &priced,
                              err));
    agents->all.price = agents->price;
    agents->chains = agents->each.chains > 0 ? (int)agents->each.chains : CHAINS;
    agents->steps = agents->each.steps > 0 ? (int)agents->each.steps : STEPS;
    if ((agents->each.money > 0 || agents->all.limits.money > 0) && !priced)
        KS_FAIL(err, KS_E_USER, "agent: a budget of money needs the price of %s: KS_AGENT_PRICE=IN/OUT per "
                "million tokens", agents->backend.model);
    return KS_OK;
}

// "coder,repairer,planner,reviewer": those that are named are asked, coders always.
static enum ks_status read_roles(struct ks_arena *arena, const struct ks_config *config,
                                 struct ks_agents *agents, struct ks_err *err)
{
    static const char *const names[] = {"coder", "repairer", "planner", "reviewer", "summariser", NULL};
    bool unused;
    bool *const asked[] = {&unused, &agents->repairs, &agents->plans, &agents->reviews, &agents->summarises};
    for (const char *at = config->agent_roles != NULL ? config->agent_roles : "repairer"; *at != '\0';
         at += *at == ',') {
        size_t n = strcspn(at, ","), i = 0;
        const char *word = ks_arena_strndup(arena, at, n);
        while (names[i] != NULL && strcmp(names[i], word) != 0)
            i++;
        if (names[i] == NULL)
            KS_FAIL(err, KS_E_USER, "agent: there is no role `%s`; roles are coder, repairer, planner, reviewer "
                    "and summariser",
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
    agents->chains = CHAINS;
    agents->steps = STEPS;
    agents->redaction.home = getenv("HOME");
    KS_TRY(read_roles(arena, config, agents, err));
    KS_TRY(ks_prompt_load(arena, dir, "coder", &agents->coder, err));
    KS_TRY(ks_prompt_load(arena, dir, "planner", &agents->planner, err));
    KS_TRY(ks_prompt_load(arena, dir, "summariser", &agents->summariser, err));
    KS_TRY(ks_prompt_load(arena, dir, "reviewer", &agents->reviewer, err));
    return ks_prompt_load(arena, dir, "repairer", &agents->repairer, err);
}

enum ks_status ks_agents_open(struct ks_arena *arena, const struct ks_config *config,
                              struct ks_agents **out, struct ks_err *err)
{
    struct ks_agents *agents = KS_NEW(arena, struct ks_agents);
    *out = NULL;
    if (config->agent == NULL)
        return KS_OK;
    bool local = ks_starts_with(config->agent, "mailbox:") || ks_starts_with(config->agent, "replay:");
    if (config->offline && !local) {
        ks_warn("offline: %.*s is not asked", (int)strcspn(config->agent, ":"), config->agent);
        return KS_OK;
    }
    KS_TRY(ks_agents_prompts(arena, config, agents, err));
    KS_TRY(open_backend(arena, config, agents, err));
    enum ks_status status = read_budget(arena, config, agents, err);
    if (status == KS_OK && config->agent_record != NULL) {
        struct ks_backend inner = agents->backend;
        status = ks_record_open(config->agent_record, &agents->redaction, &inner, &agents->backend, err);
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

void ks_agents_close(struct ks_agents *agents)
{
    if (agents != NULL && agents->backend.close != NULL)
        agents->backend.close(agents->backend.self);
}
