#include "agent/ask_one.h"

#include <string.h>

#include "agent/pack.h"
#include "os/clock.h"
#include "os/proc.h"

static void redact_user(struct ks_arena *arena, const struct ks_agents *agents, struct ks_ask *ask)
{
    struct ks_buf text = KS_BUF((size_t)4 << 20);
    ks_redact(&agents->redaction, ks_slice_of(ask->user), &text);
    ask->user = ks_arena_strdup(arena, ks_buf_text(&text));
    ks_buf_free(&text);
}

static enum ks_status submit(struct ks_arena *arena, struct ks_agents *agents, struct ks_ask *ask,
                             struct ks_err *err)
{
    redact_user(arena, agents, ask);
    int64_t tokens = ks_tokens(ask->system) + ks_tokens(ask->user) + ask->max_tokens + KS_FRAMING;
    if (agents->context > 0 && tokens > agents->context)
        KS_FAIL(err, KS_E_LIMIT, "the question takes more than %lld tokens, answer included",
                (long long)agents->context);
    if (ask->spend == NULL) {
        ask->spend = KS_NEW(arena, struct ks_spend);
        *ask->spend = (struct ks_spend){.limits = agents->each, .whole = &agents->all};
    }
    if (agents->n_models > 0) {
        ask->model = agents->models[agents->n_models - 1].name;
        ask->price = agents->models[agents->n_models - 1].price;
    }
    return agents->backend.submit(agents->backend.self, ask, err);
}

enum ks_status ks_ask_one(struct ks_arena *arena, struct ks_agents *agents, struct ks_ask *ask,
                          struct ks_answer *answer, bool *answered, struct ks_err *err)
{
    const struct ks_backend *backend = &agents->backend;
    *answered = false;
    KS_TRY(submit(arena, agents, ask, err));
    double begun = ks_now();
    double until = begun + (backend->patient ? 0 : ks_spend_waiting(ask->spend));
    while (!ks_stop_requested()) {
        double left = until - ks_now();
        if (!backend->poll(backend->self, left < 0 ? 0 : left < 1 ? left : 1, answer)) {
            if (left <= 0)
                break;
            continue;
        }
        if (strcmp(answer->id, ask->id) == 0) {
            *answered = true;
            if (backend->done != NULL)
                backend->done(backend->self, ask->id);
            break;
        }
        ks_answer_free(answer); // one that came too late for its question
    }
    ks_spend_time(ask->spend, ks_now() - begun, 0);
    return KS_OK;
}
