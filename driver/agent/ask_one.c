#include "agent/ask_one.h"

#include <string.h>

#include "agent/pack.h"
#include "os/clock.h"
#include "os/proc.h"

static enum ks_status submit(struct ks_arena *arena, struct ks_agents *agents, struct ks_ask *ask,
                             struct ks_err *err)
{
    int64_t tokens = ks_tokens(ask->system) + ks_tokens(ask->user) + ask->max_tokens + KS_FRAMING;
    if (agents->context > 0 && tokens > agents->context)
        KS_FAIL(err, KS_E_LIMIT, "the question takes more than %lld tokens, answer included",
                (long long)agents->context);
    struct ks_spend *spend = KS_NEW(arena, struct ks_spend);
    *spend = (struct ks_spend){.limits = agents->each, .whole = &agents->all};
    ask->spend = spend;
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
    double until = ks_now() + (backend->patient ? 0 : agents->each.seconds);
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
    return KS_OK;
}
