#include "search/trajectory.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "os/clock.h"
#include "source/mechanism.h"

#define TEXT_MAX (4u << 20) // of a proposal's document

static bool is_final(const struct ks_attempt *attempt)
{
    bool correct = strcmp(attempt->correctness, ks_correctness_name(KS_C_CORRECT)) == 0;
    if (correct)
        return strcmp(attempt->speed, ks_speed_name(KS_S_NOT_FASTER)) == 0;
    // VOID says something about that session, not about the proposal.
    return strcmp(attempt->correctness, ks_correctness_name(KS_C_VOID)) != 0;
}

static const char *evidence(const struct ks_trajectory *t)
{
    return t->modelled ? KS_MODELLED : KS_MEASURED;
}

void ks_trajectory_open(struct ks_trajectory *t, bool again)
{
    struct ks_attempt *attempts = NULL;
    size_t n = 0;
    if (again || t->outcomes == NULL ||
        ks_outcomes_for_key(t->arena, t->outcomes, t->key, &attempts, &n, NULL) != KS_OK)
        return;
    for (size_t i = 0; i < n; i++) {
        const struct ks_attempt *a = &attempts[i];
        bool last = strcmp(a->evidence, evidence(t)) == 0; // judged --again, a proposal's newer verdict counts
        for (size_t later = i + 1; last && later < n; later++)
            last = strcmp(attempts[later].proposal, a->proposal) != 0 ||
                   strcmp(attempts[later].evidence, a->evidence) != 0;
        if (last && strcmp(a->speed, KS_SCREENED) == 0)
            *ks_vec_push(t->arena, &t->kept) = (struct ks_kept_look){
                a->proposal, a->ratio, a->lower, a->base[0] == '\0' ? 1 : a->base_ratio};
        else if (last && is_final(a))
            *ks_vec_push(t->arena, &t->tries) = (struct ks_try){
                .proposal = a->proposal, .mechanism = a->mechanism, .earlier = a,
                .verdict = {.correctness = KS_C_VOID}};
    }
}

bool ks_trajectory_knows(const struct ks_trajectory *t, const char *proposal)
{
    ks_vec_each(struct ks_try, entry, &t->tries)
        if (strcmp(entry->proposal, proposal) == 0)
            return true;
    return false;
}

const struct ks_attempt *ks_trajectory_earlier(const struct ks_trajectory *t, const char *proposal)
{
    ks_vec_each(struct ks_try, entry, &t->tries)
        if (entry->earlier != NULL && strcmp(entry->proposal, proposal) == 0)
            return entry->earlier;
    return NULL;
}

const char *ks_trajectory_same(const struct ks_trajectory *t, const char *proposal, const char *mechanism)
{
    ks_vec_each(struct ks_try, entry, &t->tries)
        if (strcmp(entry->mechanism, mechanism) == 0 && strcmp(entry->proposal, proposal) != 0)
            return entry->proposal;
    ks_vec_each(struct ks_try, entry, &t->screened)
        if (strcmp(entry->mechanism, mechanism) == 0 && strcmp(entry->proposal, proposal) != 0)
            return entry->proposal;
    return NULL;
}

const struct ks_kept_look *ks_trajectory_kept(const struct ks_trajectory *t, const char *proposal)
{
    ks_vec_each(struct ks_kept_look, look, &t->kept)
        if (strcmp(look->proposal, proposal) == 0)
            return look;
    return NULL;
}

// The ratio that this run found of a correct proposal at a look, or in full; 0: none.
static double ratio_here(const struct ks_trajectory *t, const char *proposal, bool full)
{
    if (full) {
        ks_vec_each(struct ks_try, entry, &t->tries)
            if (entry->candidate != NULL && entry->verdict.correctness == KS_C_CORRECT &&
                strcmp(entry->proposal, proposal) == 0)
                return entry->verdict.geomean;
        return 0;
    }
    ks_vec_each(struct ks_try, entry, &t->screened)
        if (strcmp(entry->proposal, proposal) == 0)
            return entry->verdict.geomean;
    return 0;
}

// Of what the step was applied to, 1 of the original: the same kind of number where there is one.
static double ratio_below(const struct ks_trajectory *t, const struct ks_candidate *candidate, bool full)
{
    if (candidate->base_id == NULL)
        return 1;
    double same = ratio_here(t, candidate->base_id, full);
    return same > 0 ? same : ratio_here(t, candidate->base_id, !full);
}

// What an earlier look counted as, in the memory.
static struct ks_kept_look look_before(const struct ks_trajectory *t, const char *proposal)
{
    const struct ks_kept_look *kept = ks_trajectory_kept(t, proposal);
    ks_vec_each(struct ks_try, entry, &t->screened)
        if (strcmp(entry->proposal, proposal) == 0)
            return (struct ks_kept_look){.ratio = entry->verdict.geomean, .over = entry->over};
    return kept != NULL ? *kept : (struct ks_kept_look){0};
}

static void record(struct ks_trajectory *t, const struct ks_candidate *candidate, const struct ks_try *entry,
                   const char *speed, double lower, struct ks_kept_look look, const struct ks_metric_move *move)
{
    const struct ks_verdict *verdict = &entry->verdict;
    char date[32];
    struct ks_err err = {0};
    struct ks_buf text = KS_BUF(TEXT_MAX);
    struct ks_yaml_writer writer = {.out = &text};
    if (t->outcomes == NULL)
        return;
    ks_utc_text(date);
    ks_proposal_write(&writer, &candidate->proposal);
    struct ks_attempt attempt = {
        .key = t->key, .kernel = t->kernel, .proposal = entry->proposal, .skill = candidate->skill,
        .direction = candidate->direction, .params = candidate->params,
        .bottleneck = t->bottleneck, .structure = t->structure, .date = date, .arch = t->arch,
        .correctness = ks_correctness_name(verdict->correctness), .speed = speed, .reason = verdict->reason,
        .ratio = verdict->geomean, .lower = lower,
        .base = candidate->base_id, .base_ratio = candidate->base_id != NULL ? entry->over : 0,
        .screened = look.ratio, .screened_over = look.over,
        .seconds = verdict->seconds_compile + verdict->seconds_run,
        .mechanism = entry->mechanism, .evidence = evidence(t),
        .moved = move != NULL ? move->moved : 0, .move = move != NULL ? move->text : NULL,
        .text = ks_buf_text(&text)};
    enum ks_status status = ks_outcomes_add(t->outcomes, &attempt, &err);
    ks_buf_free(&text);
    if (status == KS_OK)
        return;
    ks_warn("%s; what is judged from here on is not remembered", err.text);
    t->outcomes = NULL; // said once; the search needs no memory
}

static struct ks_try try_of(struct ks_trajectory *t, struct ks_candidate *candidate, const char *proposal,
                            const struct ks_verdict *verdict)
{
    return (struct ks_try){.proposal = proposal, .candidate = candidate, .verdict = *verdict,
                           .mechanism = ks_proposal_mechanism(t->arena, &candidate->proposal)};
}

void ks_trajectory_add(struct ks_trajectory *t, struct ks_candidate *candidate,
                       const char *proposal, const struct ks_verdict *verdict,
                       const struct ks_metric_move *move)
{
    struct ks_try *entry = ks_vec_push(t->arena, &t->tries);
    *entry = try_of(t, candidate, proposal, verdict);
    entry->over = ratio_below(t, candidate, true);
    record(t, candidate, entry, ks_speed_name(verdict->speed), verdict->lower, look_before(t, proposal), move);
}

void ks_trajectory_screened(struct ks_trajectory *t, struct ks_candidate *candidate,
                            const char *proposal, const struct ks_verdict *verdict)
{
    double least = verdict->geomean;
    for (size_t w = 0; w < verdict->evidence.n_timings; w++)
        least = verdict->evidence.timings[w].ratio < least ? verdict->evidence.timings[w].ratio : least;
    struct ks_try *entry = ks_vec_push(t->arena, &t->screened);
    *entry = try_of(t, candidate, proposal, verdict);
    entry->over = ratio_below(t, candidate, false);
    record(t, candidate, entry, KS_SCREENED, least, (struct ks_kept_look){0}, NULL);
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
