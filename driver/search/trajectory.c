#include "search/trajectory.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "os/clock.h"

#define TEXT_MAX (4u << 20) // of a proposal's document

static bool is_final(const struct ks_attempt *attempt)
{
    bool correct = strcmp(attempt->correctness, ks_correctness_name(KS_C_CORRECT)) == 0;
    if (correct)
        return strcmp(attempt->speed, ks_speed_name(KS_S_NOT_FASTER)) == 0;
    // VOID says something about that session, not about the proposal.
    return strcmp(attempt->correctness, ks_correctness_name(KS_C_VOID)) != 0;
}

void ks_trajectory_open(struct ks_trajectory *t, bool again)
{
    struct ks_attempt *attempts = NULL;
    size_t n = 0;
    if (again || t->outcomes == NULL ||
        ks_outcomes_for_key(t->arena, t->outcomes, t->key, &attempts, &n, NULL) != KS_OK)
        return;
    for (size_t i = 0; i < n; i++) {
        bool last = true; // judged --again, a proposal's newer verdict counts
        for (size_t later = i + 1; later < n; later++)
            last &= strcmp(attempts[later].proposal, attempts[i].proposal) != 0;
        if (!last || !is_final(&attempts[i]))
            continue;
        struct ks_try *entry = ks_vec_push(t->arena, &t->tries);
        entry->proposal = attempts[i].proposal;
        entry->verdict.correctness = KS_C_VOID;
    }
}

bool ks_trajectory_knows(const struct ks_trajectory *t, const char *proposal)
{
    ks_vec_each(struct ks_try, entry, &t->tries)
        if (strcmp(entry->proposal, proposal) == 0)
            return true;
    return false;
}

void ks_trajectory_add(struct ks_trajectory *t, struct ks_candidate *candidate,
                       const char *proposal, const struct ks_verdict *verdict)
{
    struct ks_try *entry = ks_vec_push(t->arena, &t->tries);
    *entry = (struct ks_try){.proposal = proposal, .candidate = candidate, .verdict = *verdict};
    if (t->outcomes == NULL)
        return;
    char date[32];
    ks_utc_text(date);
    struct ks_buf text = KS_BUF(TEXT_MAX);
    struct ks_yaml_writer writer = {.out = &text};
    ks_proposal_write(&writer, &candidate->proposal);
    struct ks_attempt attempt = {
        .key = t->key, .kernel = t->kernel, .proposal = proposal, .skill = candidate->skill,
        .direction = candidate->direction, .params = candidate->params,
        .bottleneck = t->bottleneck, .structure = t->structure, .date = date, .arch = t->arch,
        .correctness = ks_correctness_name(verdict->correctness),
        .speed = ks_speed_name(verdict->speed), .reason = verdict->reason,
        .ratio = verdict->geomean, .lower = verdict->lower,
        .seconds = verdict->seconds_compile + verdict->seconds_run,
        .base = candidate->base, .base_ratio = candidate->base_ratio,
        .text = ks_buf_text(&text)};
    struct ks_err err = {0};
    enum ks_status status = ks_outcomes_add(t->outcomes, &attempt, &err);
    ks_buf_free(&text);
    if (status == KS_OK)
        return;
    ks_warn("%s; what is judged from here on is not remembered", err.text);
    t->outcomes = NULL; // said once; the search needs no memory
}

void ks_trajectory_screened(struct ks_trajectory *t, struct ks_candidate *candidate,
                            const char *proposal, const struct ks_verdict *verdict)
{
    *ks_vec_push(t->arena, &t->screened) =
        (struct ks_try){.proposal = proposal, .candidate = candidate, .verdict = *verdict};
}

bool ks_verdict_promises(const struct ks_verdict *v)
{
    return v->correctness == KS_C_CORRECT && v->geomean > 1 &&
           (v->speed == KS_S_FASTER || v->speed == KS_S_AMBIGUOUS || v->speed == KS_S_MODELLED);
}

static int by_gain(const void *a, const void *b)
{
    const struct ks_try *x = *(struct ks_try *const *)a, *y = *(struct ks_try *const *)b;
    if (x->verdict.geomean != y->verdict.geomean)
        return x->verdict.geomean < y->verdict.geomean ? 1 : -1;
    return x < y ? -1 : x > y; // the one tried first
}

size_t ks_trajectory_best(const struct ks_trajectory *t, struct ks_try ***best)
{
    struct ks_try **out = KS_NEW_ARRAY(t->arena, struct ks_try *, t->tries.len + 1);
    size_t n = 0;
    ks_vec_each(struct ks_try, entry, &t->tries)
        if (entry->candidate != NULL && ks_verdict_promises(&entry->verdict))
            out[n++] = entry;
    qsort(out, n, sizeof *out, by_gain);
    *best = out;
    return n;
}
