// Who is asked, from the words of KS_AGENT.
#include <string.h>

#include "agent/agent_key.h"
#include "agent/agents.h"
#include "agent/http.h"
#include "agent/several.h"
#include "agent/transcript.h"

#define COMMAND_PARALLEL 4
#define HTTP_PARALLEL 32
#define HTTP_TRIES 6
#define HTTP_DELAY 1.0
#define DEFAULT_TIMEOUT 300.0

static enum ks_status open_command(struct ks_arena *arena, const char *words, double timeout,
                                   struct ks_backend *backend, struct ks_err *err)
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
    return ks_command_open(&options, backend, err);
}

// One of the models, and to which server its key goes.
struct opened {
    const char *key, *server; // NULL: none
    bool several;             // it is not the only model
};

// "https://host:port" of an address.
static const char *server_of(struct ks_arena *arena, const char *url, const char *maker)
{
    const char *host = url != NULL ? strstr(url, "://") : NULL;
    return host == NULL ? maker
                        : ks_arena_strndup(arena, url, (size_t)(host + 3 - url) + strcspn(host + 3, "/?#"));
}

// "MODEL" or "MODEL@URL".
static enum ks_status open_http(struct ks_arena *arena, const struct ks_config *config,
                                const char *words, double timeout, bool anthropic,
                                struct ks_agents *agents, struct opened *opened,
                                struct ks_backend *backend, struct ks_err *err)
{
    const char *at = strstr(words, "@http");
    struct ks_http_options options = {
        .anthropic = anthropic,
        .model = at != NULL ? ks_arena_strndup(arena, words, (size_t)(at - words)) : words,
        .url = at != NULL ? at + 1 : NULL,
        .ca = config->agent_ca,
        .timeout = timeout,
        .delay = HTTP_DELAY,
        .parallel = HTTP_PARALLEL,
        .tries = HTTP_TRIES,
        .redaction = &agents->redaction};
    const char *variable = anthropic ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
    // Of several, the maker's own key is for the maker alone.
    KS_TRY(ks_agent_key(arena, config, opened->several && at != NULL ? NULL : variable, &options.key, err));
    if (options.key == NULL && options.url == NULL)
        KS_FAIL(err, KS_E_USER, "agent: there is no key: set %s, KS_AGENT_KEY or KS_AGENT_KEY_FILE",
                variable);
    opened->key = options.key;
    opened->server = server_of(arena, options.url, anthropic ? "anthropic" : "openai");
    if (options.key != NULL)
        ks_strv_add(arena, &agents->redaction.secrets, options.key);
    return ks_http_open(&options, backend, err);
}

static enum ks_status open_one(struct ks_arena *arena, const struct ks_config *config,
                               const char *spec, struct ks_agents *agents,
                               struct opened *opened, struct ks_backend *backend, struct ks_err *err)
{
    const char *colon = strchr(spec, ':');
    const char *kind =
        ks_arena_strndup(arena, spec, colon != NULL ? (size_t)(colon - spec) : strlen(spec));
    const char *rest = colon != NULL ? colon + 1 : "";
    double timeout = config->agent_timeout > 0 ? config->agent_timeout : DEFAULT_TIMEOUT;
    static const char *const kinds[] = {"openai",  "anthropic", "command",
                                        "mailbox", "replay",    NULL};
    if (strcmp(kind, "command") == 0)
        return open_command(arena, rest, timeout, backend, err);
    bool anthropic = strcmp(kind, "anthropic") == 0;
    if (anthropic || strcmp(kind, "openai") == 0)
        return open_http(arena, config, rest, timeout, anthropic, agents, opened, backend, err);
    if (strcmp(kind, "mailbox") == 0)
        return ks_mailbox_open(rest, backend, err);
    if (strcmp(kind, "replay") == 0)
        return ks_replay_open(rest, backend, err);
    const char *near = ks_nearest_word(kind, kinds);
    KS_FAIL(err, KS_E_USER,
            "agent: `%s` is no backend%s%s%s; there are openai:MODEL, "
            "anthropic:MODEL, command:PROGRAM, mailbox:FOLDER and replay:FILE",
            spec, near != NULL ? " (do you mean " : "", near != NULL ? near : "",
            near != NULL ? "?)" : "");
}

// A key of one server is no other's business.
static enum ks_status keep_keys_apart(const struct opened *opened, size_t n, struct ks_err *err)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (opened[i].key != NULL && opened[k].key != NULL && strcmp(opened[i].key, opened[k].key) == 0 &&
                strcmp(opened[i].server, opened[k].server) != 0)
                KS_FAIL(err, KS_E_USER,
                        "agent: one key would go to both %s and %s; name one of them, or leave KS_AGENT_KEY and "
                        "KS_AGENT_KEY_FILE and set the makers' own OPENAI_API_KEY and ANTHROPIC_API_KEY",
                        opened[k].server, opened[i].server);
    return KS_OK;
}

enum ks_status ks_agents_backend(struct ks_arena *arena, const struct ks_config *config,
                                 struct ks_agents *agents, struct ks_err *err)
{
    struct ks_backend backends[KS_MODELS_MOST];
    struct opened opened[KS_MODELS_MOST] = {0};
    size_t n = 0;
    enum ks_status status = KS_OK;
    for (const char *at = config->agent; status == KS_OK; at += 3) {
        const char *end = strstr(at, " ; ");
        size_t len = end != NULL ? (size_t)(end - at) : strlen(at);
        const char *spec = ks_arena_strndup(arena, at, len);
        bool patient = ks_starts_with(spec, "mailbox:") || ks_starts_with(spec, "replay:");
        if (n == KS_MODELS_MOST)
            status =
                ks_err_set(err, KS_E_USER, "agent: there are more than %d models", KS_MODELS_MOST);
        else if (patient && (n > 0 || end != NULL))
            status = ks_err_set(err, KS_E_USER, "agent: `%s` is none of several models", spec);
        else {
            opened[n].several = n > 0 || end != NULL;
            status = open_one(arena, config, spec, agents, &opened[n], &backends[n], err);
        }
        if (status == KS_OK) {
            agents->models[n].name = backends[n].model;
            agents->learns = !patient;
            n++;
        }
        if (end == NULL)
            break;
        at = end;
    }
    agents->n_models = n;
    if (status == KS_OK)
        status = keep_keys_apart(opened, n, err);
    if (status == KS_OK && n > 1)
        return ks_several_open(backends, n, &agents->backend, err);
    if (status == KS_OK)
        agents->backend = backends[0];
    for (size_t i = 0; status != KS_OK && i < n; i++)
        backends[i].close(backends[i].self);
    return status;
}
