#include "search/incumbent.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "verify/accept.h"

void ks_incumbents(struct ks_arena *arena, const struct ks_config *config, const struct ks_store *store,
                   const struct ks_tu_kernel *kernel, bool modelled, struct ks_lookup *lookup)
{
    struct ks_config any = *config; // a modelled variant never stands in the way of what is measured
    any.accept = modelled ? KS_ACCEPT_MODELLED : KS_ACCEPT_MEASURED;
    ks_store_lookup(arena, store, &any, &kernel->key, lookup);
}

const char *ks_meeting_text(struct ks_arena *arena, const struct ks_meeting *meeting)
{
    if (meeting->why[0] != '\0')
        return meeting->why;
    return ks_arena_printf(arena, "%.3fx against it%s%s, at least %.3fx", meeting->ratio,
                           meeting->workload[0] != '\0' ? " on " : "", meeting->workload, meeting->lower);
}

const char *ks_settlement_text(struct ks_arena *arena, const struct ks_settlement *standing)
{
    for (size_t i = 0; i < standing->n_meetings; i++)
        if (!standing->meetings[i].replaced)
            return ks_meeting_text(arena, &standing->meetings[i]);
    return "the new one is the same code, for less";
}

struct meeting {
    struct ks_arena *arena;
    struct ks_judge *judge;
    const struct ks_challenge *c;
    const struct ks_problem *problems;
    struct ks_lookup lookup;
    size_t *first; // by workload: who goes first there, n_variants: nobody
    size_t n;      // workloads
    const char *id;
    struct ks_settlement *standing;
};

static bool serves(const struct meeting *m, size_t v, size_t w)
{
    const struct ks_variant *variant = &m->lookup.variants[v].variant;
    return ks_judge_admits(m->judge, &variant->proposal, variant->domain, w);
}

static bool serves_all(const struct meeting *m, size_t v)
{
    for (size_t w = 0; w < m->n; w++)
        if (!serves(m, v, w))
            return false;
    return true;
}

static bool is_wrong(enum ks_correctness correctness)
{
    return correctness == KS_C_WRONG || correctness == KS_C_UNSAFE || correctness == KS_C_NONDET ||
           correctness == KS_C_HANG;
}

// Each was measured against the original, at different times: only what is beyond doubt counts.
static void by_claims(const struct meeting *m, const struct ks_variant *old, const char *cause, struct ks_meeting *met)
{
    met->replaced = m->c->verdict->lower > old->geomean;
    met->why = ks_arena_printf(m->arena, "not timed against each other (%s): over the original the new one has %.3fx "
                               "at least, the stored one %.3fx", cause, m->c->verdict->lower, old->geomean);
}

static enum ks_status pair(struct meeting *m, struct ks_found *old, size_t workload, struct ks_meeting *met,
                           struct ks_err *err)
{
    struct ks_verdict v = {0};
    struct ks_err local = {0};
    int at_fault = 1;
    ks_judge_class(m->judge, workload, NULL);
    enum ks_status status = ks_judge_compare(m->judge, &old->variant.proposal, m->c->proposal, true, &v, &at_fault,
                                             &local);
    ks_judge_class(m->judge, KS_ALL_CLASSES, NULL);
    const char *found = ks_arena_printf(m->arena, "%s: %.300s", ks_correctness_name(v.correctness), v.reason);
    if (status == KS_E_UNSUPPORTED) {
        by_claims(m, &old->variant, "the two do not compile in one unit", met);
    } else if (status != KS_OK) {
        return ks_err_set(err, status, "%s", local.text);
    } else if (is_wrong(v.correctness)) {
        met->replaced = at_fault == 0;
        met->why = ks_arena_printf(m->arena, "the %s one is %s", met->replaced ? "stored" : "new", found);
        if (met->replaced)
            ks_warn("%s: %s; it stands behind the new one, but is better removed", old->path, met->why);
    } else if (v.correctness != KS_C_CORRECT) {
        by_claims(m, &old->variant, ks_arena_printf(m->arena, "the %s one beside the other is %s",
                                                    at_fault == 0 ? "stored" : "new", found), met);
    } else if (v.speed == KS_S_VOID || v.evidence.n_timings == 0) {
        by_claims(m, &old->variant, ks_arena_strdup(m->arena, v.reason), met);
    } else {
        met->replaced = v.speed == KS_S_FASTER || v.speed == KS_S_MODELLED;
        met->ratio = v.geomean;
        met->lower = v.lower;
        for (size_t i = 0; i < v.evidence.n_timings; i++)
            m->standing->part |= v.evidence.timings[i].lower > ks_rule_confirm.gain;
    }
    return KS_OK;
}

static void against(struct meeting *m, const char *variant, bool before, double ratio, double lower)
{
    struct ks_settlement *s = m->standing;
    s->against[s->n_against++] = (struct ks_against){variant, before, ratio, lower};
}

// Whoever was not met stays ahead of the new one's place, or behind it, as they stand today.
static void place(struct meeting *m, size_t pivot)
{
    struct ks_settlement *s = m->standing;
    for (size_t v = 0; v < m->lookup.n_variants; v++) {
        const char *id = m->lookup.variants[v].variant.id;
        bool known = strcmp(id, m->id) == 0;
        for (size_t i = 0; i < s->n_against; i++)
            known |= strcmp(s->against[i].variant, id) == 0;
        if (!known)
            against(m, id, v >= pivot, 0, 0);
    }
}

// On one workload, or all: whether the new one is to go first.
static enum ks_status meet(struct meeting *m, size_t v, size_t workload, bool *replaced, struct ks_err *err)
{
    struct ks_found *old = &m->lookup.variants[v];
    struct ks_meeting *met = &m->standing->meetings[m->standing->n_meetings];
    *met = (struct ks_meeting){.variant = old->variant.id, .path = old->path, .why = "",
                               .workload = workload == KS_ALL_CLASSES ? "" : m->problems[workload].name};
    if (m->c->modelled && strcmp(old->variant.evidence.level, "measured") == 0)
        met->why = "it was measured, and a model replaces nothing that was";
    else
        KS_TRY(pair(m, old, workload, met, err));
    m->standing->n_meetings++;
    *replaced = met->replaced;
    if (!met->replaced && m->standing->stays == NULL)
        m->standing->stays = old;
    ks_info("%s: %s %s %s: %.3f, at least %.3f %s", m->c->kernel->signature->instance, m->id,
            met->replaced ? "goes before" : "is not confirmed against", met->variant, met->ratio, met->lower, met->why);
    return KS_OK;
}

static const struct ks_meeting *last(const struct meeting *m)
{
    return &m->standing->meetings[m->standing->n_meetings - 1];
}

// Of one class. What this search has stored was beaten before, by bounds of one session.
static enum ks_status meet_class(struct meeting *m, size_t w, struct ks_err *err)
{
    struct ks_settlement *s = m->standing;
    size_t v = m->first[w];
    const char *id = v < m->lookup.n_variants ? m->lookup.variants[v].variant.id : "";
    if (strcmp(id, m->id) == 0) { // what serves others too is not made narrower
        for (size_t k = 0; k < m->n; k++)
            s->stored &= k == w || !serves(m, v, k);
        s->stays = &m->lookup.variants[v];
    } else if (id[0] != '\0' && (m->c->beaten == NULL || strcmp(id, m->c->beaten) != 0)) {
        KS_TRY(meet(m, v, w, &s->stored, err));
        against(m, id, s->stored, last(m)->ratio, last(m)->lower);
    }
    place(m, v);
    return KS_OK;
}

// One that goes first on some workloads alone stays in front where it is not beaten on each of these.
static enum ks_status meet_special(struct meeting *m, size_t v, bool *beaten, struct ks_err *err)
{
    double ratio = INFINITY, lower = INFINITY;
    *beaten = true;
    for (size_t w = 0; w < m->n; w++) {
        bool replaced;
        if (m->first[w] != v)
            continue;
        KS_TRY(meet(m, v, w, &replaced, err));
        *beaten &= replaced;
        ratio = fmin(ratio, last(m)->ratio);
        lower = fmin(lower, last(m)->lower);
    }
    against(m, m->lookup.variants[v].variant.id, *beaten, ratio, lower);
    return KS_OK;
}

// Who serves all workloads is met on all; once that is replaced, so are those, one by one, that go before it on some.
static enum ks_status meet_all(struct meeting *m, struct ks_err *err)
{
    struct ks_settlement *s = m->standing;
    size_t nobody = m->lookup.n_variants, general = 0;
    while (general < nobody && !serves_all(m, general))
        general++;
    const char *id = general < nobody ? m->lookup.variants[general].variant.id : "";
    if (strcmp(id, m->id) == 0) { // the same code, judged anew: its place is what it was
        place(m, general);
        return KS_OK;
    }
    if (general < nobody) {
        KS_TRY(meet(m, general, KS_ALL_CLASSES, &s->stored, err));
        if (!s->stored)
            return KS_OK;
        against(m, id, true, last(m)->ratio, last(m)->lower);
    }
    size_t pivot = general;
    bool wins = general < nobody;
    for (size_t v = 0; v < nobody; v++) {
        bool first = false, beaten;
        for (size_t w = 0; w < m->n; w++)
            first |= m->first[w] == v;
        if (!first || v == general || strcmp(m->lookup.variants[v].variant.id, m->id) == 0)
            continue;
        KS_TRY(meet_special(m, v, &beaten, err));
        wins |= beaten;
        if (beaten && general == nobody && v < pivot)
            pivot = v;
    }
    for (size_t w = 0; w < m->n; w++) // nobody serves it yet, or the same code does
        wins |= m->first[w] == nobody || strcmp(m->lookup.variants[m->first[w]].variant.id, m->id) == 0;
    s->stored = wins;
    place(m, pivot);
    return KS_OK;
}

enum ks_status ks_incumbent_meet(struct ks_arena *arena, struct ks_judge *judge, const struct ks_challenge *challenge,
                                 struct ks_settlement *standing, struct ks_err *err)
{
    struct meeting m = {.arena = arena, .judge = judge, .c = challenge, .standing = standing};
    const double *us;
    *standing = (struct ks_settlement){.stored = true};
    ks_incumbents(arena, challenge->config, challenge->store, challenge->kernel, challenge->modelled, &m.lookup);
    m.id = ks_proposal_id(arena, challenge->proposal);
    m.n = ks_judge_baseline(judge, &m.problems, &us);
    m.first = KS_NEW_ARRAY(arena, size_t, m.n);
    standing->against = KS_NEW_ARRAY(arena, struct ks_against, m.lookup.n_variants);
    standing->meetings = KS_NEW_ARRAY(arena, struct ks_meeting, m.n + 1);
    for (size_t w = 0; w < m.n; w++)
        while (m.first[w] < m.lookup.n_variants && !serves(&m, m.first[w], w))
            m.first[w]++;
    KS_TRY(challenge->workload == KS_ALL_CLASSES ? meet_all(&m, err) : meet_class(&m, challenge->workload, err));
    if (standing->stored)
        standing->stays = NULL;
    return KS_OK;
}
