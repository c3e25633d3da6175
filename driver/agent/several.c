#include "agent/several.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "os/proc.h"

#define LOOK_SECONDS 0.02 // between looks at each

struct several {
    struct ks_backend *at;
    size_t n, next; // where the next look begins, so that none is starved
};

static enum ks_status submit(void *self, const struct ks_ask *ask, struct ks_err *err)
{
    struct several *s = self;
    size_t i = 0;
    while (ask->model != NULL && i < s->n && strcmp(s->at[i].model, ask->model) != 0)
        i++;
    KS_ASSERT(i < s->n);
    return s->at[i].submit(s->at[i].self, ask, err);
}

static bool look(struct several *s, struct ks_answer *answer)
{
    for (size_t k = 0; k < s->n; k++) {
        const struct ks_backend *one = &s->at[(s->next + k) % s->n];
        if (!one->poll(one->self, 0, answer))
            continue;
        snprintf(answer->model, sizeof answer->model, "%s", one->model);
        s->next = (s->next + k + 1) % s->n;
        return true;
    }
    return false;
}

static bool poll_for(void *self, double seconds, struct ks_answer *answer)
{
    double until = ks_now() + seconds;
    while (!look(self, answer)) {
        double left = until - ks_now();
        if (left <= 0 || ks_stop_requested())
            return false;
        ks_sleep(left < LOOK_SECONDS ? left : LOOK_SECONDS);
    }
    return true;
}

static void close_all(void *self)
{
    struct several *s = self;
    for (size_t i = 0; i < s->n; i++)
        s->at[i].close(s->at[i].self);
    free(s->at);
    free(s);
}

enum ks_status ks_several_open(const struct ks_backend *backends, size_t n,
                               struct ks_backend *backend, struct ks_err *err)
{
    struct several *s = calloc(1, sizeof *s);
    enum ks_status status = KS_OK;
    KS_ASSERT(s != NULL && (s->at = calloc(n, sizeof *s->at)) != NULL);
    memcpy(s->at, backends, n * sizeof *s->at);
    s->n = n;
    for (size_t i = 0; i < n && status == KS_OK; i++)
        for (size_t k = 0; k < i && status == KS_OK; k++)
            if (strcmp(backends[i].model, backends[k].model) == 0)
                status = ks_err_set(err, KS_E_USER, "agent: two of several models are called `%s`",
                                    backends[i].model);
    if (status != KS_OK)
        close_all(s);
    else
        *backend = (struct ks_backend){.model = s->at[0].model,
                                       .self = s,
                                       .submit = submit,
                                       .poll = poll_for,
                                       .close = close_all};
    return status;
}
