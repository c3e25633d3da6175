// Full judgement and confirmation; declared in verify/judge.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "os/clock.h"
#include "verify/correct.h"
#include "verify/emulate.h"
#include "verify/modelled.h"
#include "verify/recall.h"
#include "verify/sanitize.h"
#include "verify/timing.h"
#include "verify/wide.h"

const char *ks_check_kind_name(enum ks_check_kind kind)
{
    static const char *const names[KS_CHECK_COUNT] = {
        "text", "limits", "compile", "identity", "static", "correctness", "emulation", "domain",
        "timing", "memcheck", "racecheck", "confirmation",
    };
    return names[kind];
}

static void note(struct ks_verdict *verdict, enum ks_check_kind kind, double since, bool passed)
{
    verdict->checks.result[kind] = passed ? KS_CHECK_PASSED : KS_CHECK_FAILED;
    verdict->checks.seconds[kind] += ks_now() - since;
}

// What the emulated device makes unnecessary, or NULL.
static const char *reason_emulated(enum ks_check_kind kind)
{
    switch (kind) {
    case KS_CHECK_EMULATION:
        return "the device is the emulated one";
    case KS_CHECK_MEMCHECK:
    case KS_CHECK_RACECHECK:
        return "the emulated device looks for the same in every run";
    case KS_CHECK_CONFIRMATION:
        return "a modelled time has nothing to confirm";
    default:
        return NULL;
    }
}

// Why a check was not made that no other kept from being made.
static const char *reason_unmade(const struct ks_judge *judge, enum ks_check_kind kind)
{
    switch (kind) {
    case KS_CHECK_EMULATION:
        return "there is no PTX to run there";
    case KS_CHECK_TIMING:
        return judge->options.untimed ? "not asked for" : "no time is known";
    case KS_CHECK_MEMCHECK:
    case KS_CHECK_RACECHECK:
    case KS_CHECK_CONFIRMATION:
        return "for what seems faster alone";
    default:
        return "not reached";
    }
}

// For all that was not made; `none`: what kept from running anything, or NULL. What is known already stays.
static void tell_unmade(const struct ks_judge *judge, struct ks_verdict *verdict, const char *none)
{
    struct ks_checks *checks = &verdict->checks;
    bool emulated = strcmp(judge->device.kind, "emu") == 0;
    int failed = 0; // the first; but the confirmation begins before the sanitizers
    while (failed < KS_CHECK_COUNT && checks->result[failed] != KS_CHECK_FAILED)
        failed++;
    for (int kind = 0; kind < KS_CHECK_COUNT; kind++) {
        bool stopped = failed < kind || (failed == KS_CHECK_CONFIRMATION && kind >= KS_CHECK_MEMCHECK);
        const char **why = &checks->why[kind];
        if (checks->result[kind] != KS_CHECK_NOT_MADE)
            *why = NULL;
        if (checks->result[kind] != KS_CHECK_NOT_MADE || *why != NULL)
            continue;
        if (emulated)
            *why = reason_emulated((enum ks_check_kind)kind);
        if (*why == NULL && stopped)
            *why = ks_arena_printf(judge->arena, "%s failed", ks_check_kind_name((enum ks_check_kind)failed));
        if (*why == NULL)
            *why = none != NULL ? none : reason_unmade(judge, (enum ks_check_kind)kind);
    }
}

static struct ks_candidate *kept(const struct ks_judge *judge, const char *id)
{
    ks_vec_each(struct ks_candidate *, c, &judge->cache)
        if (strcmp((*c)->id, id) == 0)
            return *c;
    return NULL;
}

void ks_judge_keep(struct ks_judge *judge, struct ks_candidate *candidate)
{
    if (kept(judge, candidate->id) == NULL)
        *ks_vec_push(judge->arena, &judge->cache) = candidate;
}

bool ks_judge_compiled(const struct ks_judge *judge, const struct ks_proposal *proposal, struct ks_slice *image,
                       const char *const **names)
{
    const struct ks_candidate *c = kept(judge, ks_proposal_id(judge->arena, proposal));
    if (c == NULL || c->failure != KS_C_CORRECT)
        return false;
    *image = c->cubin;
    *names = c->names;
    return true;
}

static enum ks_status build_one(struct ks_judge *judge, struct ks_proposal *proposal,
                                const struct ks_candidate **out, double *seconds, struct ks_err *err)
{
    *out = kept(judge, ks_proposal_id(judge->arena, proposal));
    if (*out != NULL)
        return KS_OK;
    struct ks_candidate *made;
    double start = ks_now();
    KS_TRY(judge->build(judge, &proposal, 1, KS_BUILD_SHARED, &made, err));
    *seconds += ks_now() - start;
    ks_judge_keep(judge, made);
    *out = made;
    return KS_OK;
}

static void log_checks(const struct ks_verdict *verdict)
{
    char text[512] = "";
    size_t len = 0;
    for (int kind = 0; kind < KS_CHECK_COUNT; kind++)
        if (verdict->checks.result[kind] != KS_CHECK_NOT_MADE)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s%s %.2f", len > 0 ? ", " : "",
                                    ks_check_kind_name((enum ks_check_kind)kind), verdict->checks.seconds[kind]);
    ks_debug("seconds of checks: %s", text);
}

// Notes of the session stand in every evidence, those on a candidate in its own alone.
static void take_notes(struct ks_judge *judge, struct ks_evidence *e)
{
    const char **notes = KS_NEW_ARRAY(judge->arena, const char *, e->n_notes + judge->n_notes);
    size_t n = 0;
    for (size_t i = 0; i < e->n_notes; i++)
        notes[n++] = e->notes[i];
    for (size_t i = 0; i < judge->n_notes; i++) {
        bool known = false;
        for (size_t k = 0; k < n && !known; k++)
            known = strcmp(notes[k], judge->notes[i]) == 0;
        if (!known)
            notes[n++] = judge->notes[i];
    }
    e->notes = notes;
    e->n_notes = n;
}

static void fill_evidence(struct ks_judge *judge, const struct ks_candidate *c,
                          const struct ks_correct *correct, struct ks_evidence *e)
{
    char date[32];
    ks_utc_text(date);
    e->level = strcmp(judge->device.kind, "emu") == 0 ? "modelled" : "measured";
    e->device = judge->gpu.name == NULL
                    ? judge->device.name
                    : ks_arena_printf(judge->arena, "%s, modelled for %s", judge->device.name,
                                      judge->gpu.name);
    e->driver = judge->device.driver;
    e->nvcc = judge->tu->toolkit != NULL && judge->tu->toolkit->version != NULL
                  ? judge->tu->toolkit->version : "";
    e->date = ks_arena_strdup(judge->arena, date);
    e->judge = KS_VERSION;
    e->shapes += correct->shapes;
    e->families = correct->families > e->families ? correct->families : e->families;
    e->runs += correct->tested.runs;
    e->max_ulp = fmax(e->max_ulp, correct->tested.max_ulp);
    e->max_rel = fmax(e->max_rel, correct->tested.max_rel);
    e->deterministic = correct->tested.deterministic;
    e->sandboxed = judge->options.sandbox;
    if (!c->stops && ks_gate_stops(judge->original_ptx))
        ks_judge_note(judge, KS_NOTE_ASSERT);
    take_notes(judge, e);
    e->n_kernels = c->n;
    e->kernels = KS_NEW_ARRAY(judge->arena, const char *, c->n);
    for (size_t i = 0; i < c->n; i++)
        e->kernels[i] = c->proposal->kernels.at[i].name;
    e->ptx = c->ptx;
    e->sass = c->sass;
}

static bool all_covered(const struct ks_judge *judge, const struct ks_correct *correct,
                        const char **missing)
{
    for (size_t w = 0; w < judge->n_problems; w++)
        if (ks_judge_counts(judge, w) && !correct->covered[w]) {
            *missing = judge->problems[w].name;
            return false;
        }
    return true;
}

// Whether a program's launch of that declared workload would take the variant, as far as domain and guard say.
static bool admits(const struct ks_judge *judge, const struct ks_proposal *proposal, const struct ks_expr *domain,
                   size_t workload)
{
    uint64_t addresses[KS_LAUNCH_SLOTS];
    struct ks_layout layout = ks_layout_of(judge->arena, &judge->problems[workload]);
    struct ks_scope scope = ks_judge_scope(judge, &judge->problems[workload], &layout, proposal);
    struct ks_placement placement;
    if (!ks_placement_choose(&scope, KS_FLUSH_END, &placement))
        return false;
    ks_placement_predict(&layout, placement, addresses);
    scope.addresses = addresses;
    return ks_expr_holds(domain, ks_scope_lookup, &scope);
}

// A claim is made of what was timed, and holds there: a domain without one of those workloads, or with one of another
// class, where the variant may be slower, allows none.
static void check_domain(const struct ks_judge *judge, const struct ks_proposal *proposal,
                         const struct ks_correct *correct, struct ks_verdict *verdict)
{
    for (size_t w = 0; w < judge->n_problems; w++) {
        bool counts = ks_judge_counts(judge, w);
        if ((counts && !correct->covered[w]) || admits(judge, proposal, verdict->domain, w) == counts)
            continue;
        verdict->checks.result[KS_CHECK_DOMAIN] = KS_CHECK_FAILED;
        if (verdict->speed == KS_S_NOT_FASTER)
            return; // nothing is claimed, and why not stands there
        if (verdict->speed != KS_S_NOT_MEASURED)
            verdict->speed = KS_S_VOID;
        snprintf(verdict->reason, sizeof verdict->reason,
                 counts ? "the domain excludes workload %s"
                        : "the domain cannot tell workload %s from the one that was timed",
                 judge->problems[w].name);
        return;
    }
}

static enum ks_status make_domain(struct ks_judge *judge, const struct ks_candidate *c,
                                  struct ks_correct *correct, const struct ks_timed *timed,
                                  struct ks_verdict *verdict, struct ks_err *err)
{
    struct ks_seen *seen = correct->seen;
    for (size_t w = 0; timed != NULL && w < correct->n_seen; w++) {
        seen[w].floors = timed->floors[w];
        seen[w].n_floors = timed->n_floors[w];
    }
    const struct ks_tu_mark *mark = judge->kernel->mark;
    if (judge->class_of != 0)
        ks_domain_of_class(judge->arena, mark->mark, judge->class_of - 1, seen, correct->n_seen);
    struct ks_err local = {0};
    double start = ks_now();
    enum ks_status status =
        ks_domain_make(judge->arena, mark->mark, c->proposal, seen, correct->n_seen,
                       &verdict->domain, &local);
    note(verdict, KS_CHECK_DOMAIN, start, status == KS_OK);
    if (status == KS_E_ABSENT) // the guard excludes what is declared and all around it, which is told already
        return KS_OK;
    if (status == KS_E_LIMIT || status == KS_E_USER) {
        verdict->correctness = KS_C_UNSUPPORTED;
        snprintf(verdict->reason, sizeof verdict->reason, "no domain can be written: %.300s", local.text);
        return KS_OK;
    }
    if (status != KS_OK)
        return ks_err_set(err, status, "%s", local.text);
    check_domain(judge, c->proposal, correct, verdict);
    return KS_OK;
}

static void take_timing(const struct ks_timed *timed, struct ks_verdict *verdict)
{
    verdict->speed = timed->speed;
    verdict->geomean = timed->geomean;
    verdict->lower = isfinite(timed->lower) ? timed->lower : 0;
    verdict->evidence.timings = timed->timings;
    verdict->evidence.n_timings = timed->n_timings;
    snprintf(verdict->reason, sizeof verdict->reason, "%s", timed->reason);
}

static void refuse(struct ks_verdict *verdict, enum ks_correctness correctness, const char *reason)
{
    verdict->correctness = correctness;
    snprintf(verdict->reason, sizeof verdict->reason, "%s", reason);
}

// All runs, on the emulated device as well.
static enum ks_status look_twice(struct ks_judge *judge, struct ks_arena *scratch,
                                 const struct ks_candidate *c, struct ks_correct *correct,
                                 struct ks_verdict *verdict, struct ks_err *err)
{
    struct ks_second_look look = {0};
    struct ks_emulation emulation;
    double start = ks_now();
    enum ks_status status = ks_correct_run(judge, scratch, c, KS_JUDGE_FULL, &look, correct, err);
    if (status == KS_OK) {
        fill_evidence(judge, c, correct, &verdict->evidence);
        refuse(verdict, correct->verdict, correct->reason);
        note(verdict, KS_CHECK_CORRECTNESS, start, correct->verdict == KS_C_CORRECT);
    }
    if (status != KS_OK || correct->verdict != KS_C_CORRECT) {
        ks_second_look_drop(&look);
        return status;
    }
    KS_TRY(ks_second_look_end(&look, judge, c, &emulation, err));
    if (emulation.runs > 0 || emulation.verdict != KS_C_CORRECT)
        note(verdict, KS_CHECK_EMULATION, ks_now() - emulation.seconds, emulation.verdict == KS_C_CORRECT);
    else if (ks_starts_with(look.note, KS_UNLOOKED))
        verdict->checks.why[KS_CHECK_EMULATION] =
            ks_arena_strdup(judge->arena, look.note + strlen(KS_UNLOOKED));
    if (emulation.verdict != KS_C_CORRECT)
        refuse(verdict, emulation.verdict, emulation.reason);
    take_notes(judge, &verdict->evidence);
    return KS_OK;
}

static enum ks_status judge_full(struct ks_judge *judge, struct ks_arena *scratch,
                                 struct ks_proposal *proposal, struct ks_verdict *verdict,
                                 struct ks_err *err)
{
    const struct ks_candidate *c;
    ks_wide_begin(judge);
    KS_TRY(build_one(judge, proposal, &c, &verdict->seconds_compile, err));
    verdict->checks = c->checks;
    if (c->failure != KS_C_CORRECT) {
        refuse(verdict, c->failure, c->reason);
        return KS_OK;
    }
    struct ks_correct correct;
    KS_TRY(look_twice(judge, scratch, c, &correct, verdict, err));
    if (verdict->correctness != KS_C_CORRECT)
        return KS_OK;
    const char *missing;
    if (!all_covered(judge, &correct, &missing) && ks_judge_defends(judge, KS_D_GUARD)) {
        verdict->speed = KS_S_NOT_FASTER;
        snprintf(verdict->reason, sizeof verdict->reason, "guard excludes workload %s", missing);
        KS_TRY(make_domain(judge, c, &correct, NULL, verdict, err));
        verdict->checks.result[KS_CHECK_DOMAIN] = KS_CHECK_FAILED;
        return KS_OK;
    }
    struct ks_timed timed;
    if (!ks_judge_times(judge)) {
        double start = ks_now();
        KS_TRY(ks_modelled_run(judge, scratch, c, &timed, err));
        if (timed.speed != KS_S_NOT_MEASURED) {
            take_timing(&timed, verdict);
            note(verdict, KS_CHECK_TIMING, start, timed.speed == KS_S_MODELLED);
        }
        return make_domain(judge, c, &correct, NULL, verdict, err);
    }
    enum ks_correctness timed_correct = KS_C_CORRECT;
    double start = ks_now();
    KS_TRY(ks_timing_run(judge, scratch, c, &ks_rule_search, true, &timed, &timed_correct, err));
    verdict->probes = timed.probes;
    take_timing(&timed, verdict);
    note(verdict, KS_CHECK_TIMING, start,
         timed_correct == KS_C_CORRECT && timed.speed == KS_S_FASTER);
    if (timed_correct != KS_C_CORRECT) {
        verdict->correctness = timed_correct;
        verdict->speed = KS_S_NOT_MEASURED;
        return KS_OK;
    }
    KS_TRY(make_domain(judge, c, &correct, timed.speed == KS_S_FASTER ? &timed : NULL, verdict, err));
    // FASTER is the confirmation's word.
    if (verdict->speed == KS_S_FASTER && ks_judge_defends(judge, KS_D_CONFIRMATION))
        verdict->speed = KS_S_AMBIGUOUS;
    return KS_OK;
}

enum ks_status ks_judge_prepare(struct ks_judge *judge, struct ks_proposal *const *proposals,
                                size_t n, struct ks_err *err)
{
    struct ks_candidate **made = KS_NEW_ARRAY(judge->arena, struct ks_candidate *, n);
    KS_TRY(judge->build(judge, proposals, n, KS_BUILD_DEVICE, made, err));
    for (size_t i = 0; i < n; i++)
        ks_judge_keep(judge, made[i]);
    return KS_OK;
}

enum ks_status ks_judge_gates(struct ks_judge *judge, struct ks_proposal *proposal,
                              struct ks_verdict *verdict, struct ks_err *err)
{
    const struct ks_candidate *c;
    *verdict = (struct ks_verdict){.correctness = KS_C_VOID, .speed = KS_S_NOT_MEASURED};
    KS_TRY(build_one(judge, proposal, &c, &verdict->seconds_compile, err));
    verdict->checks = c->checks;
    if (c->failure != KS_C_CORRECT)
        refuse(verdict, c->failure, c->reason);
    tell_unmade(judge, verdict, "there is no device");
    return KS_OK;
}

enum ks_status ks_judge_full(struct ks_judge *judge, struct ks_proposal *proposal,
                             struct ks_verdict *verdict, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    *verdict = (struct ks_verdict){.correctness = KS_C_VOID, .speed = KS_S_NOT_MEASURED};
    double start = ks_now();
    judge->n_notes = judge->n_session_notes;
    ks_sanitize_park(judge);
    enum ks_status status = ks_workers_stay(judge, true, err);
    if (status == KS_OK)
        status = judge_full(judge, &scratch, proposal, verdict, err);
    ks_workers_part(judge);
    if (verdict->checks.result[KS_CHECK_CORRECTNESS] != KS_CHECK_NOT_MADE)
        verdict->draw = judge->seed;
    tell_unmade(judge, verdict, NULL);
    verdict->seconds_run = ks_now() - start - verdict->seconds_compile;
    log_checks(verdict);
    ks_arena_free(&scratch);
    return status;
}

// What the toolkit's sanitizers found meanwhile.
static enum ks_status take_findings(struct ks_judge *judge, struct ks_arena *scratch, struct ks_sanitizing *s,
                                    struct ks_verdict *verdict, struct ks_err *err)
{
    static const enum ks_check_kind kinds[] = {KS_CHECK_MEMCHECK, KS_CHECK_RACECHECK};
    struct ks_evidence *e = &verdict->evidence;
    KS_TRY(ks_sanitize_finish(judge, scratch, s, err));
    e->sanitizers = KS_NEW_ARRAY(judge->arena, const char *, KS_TOOL_COUNT);
    e->n_sanitizers = 0;
    for (int t = 0; t < KS_TOOL_COUNT; t++) {
        verdict->checks.result[kinds[t]] = s->tools[t].result;
        verdict->checks.seconds[kinds[t]] = s->tools[t].seconds;
        verdict->checks.why[kinds[t]] = s->tools[t].why;
        if (s->tools[t].result == KS_CHECK_PASSED)
            e->sanitizers[e->n_sanitizers++] = ks_tool_name((enum ks_tool)t);
    }
    take_notes(judge, e);
    if (s->verdict != KS_C_CORRECT) {
        refuse(verdict, s->verdict, s->reason);
        verdict->speed = KS_S_NOT_MEASURED;
    }
    return KS_OK;
}

// The finalist's correctness anew, and the sanitizers beside it.
static enum ks_status confirm_correct(struct ks_judge *judge, struct ks_arena *scratch,
                                      const struct ks_candidate *c, struct ks_verdict *verdict,
                                      struct ks_err *err)
{
    struct ks_correct correct;
    struct ks_sanitizing *sanitizing;
    enum ks_status status = ks_sanitize_begin(judge, scratch, c, &sanitizing, err);
    if (status == KS_OK)
        status = ks_correct_run(judge, scratch, c, KS_JUDGE_CONFIRM, NULL, &correct, err);
    if (status == KS_OK) {
        fill_evidence(judge, c, &correct, &verdict->evidence);
        if (correct.verdict != KS_C_CORRECT) {
            refuse(verdict, correct.verdict, correct.reason);
            verdict->speed = KS_S_NOT_MEASURED;
        } else {
            status = take_findings(judge, scratch, sanitizing, verdict, err);
        }
    }
    ks_sanitize_end(sanitizing);
    return status;
}

static enum ks_status judge_confirm(struct ks_judge *judge, struct ks_arena *scratch,
                                    struct ks_proposal *proposal, struct ks_verdict *verdict,
                                    struct ks_err *err)
{
    const struct ks_candidate *c;
    KS_TRY(build_one(judge, proposal, &c, &verdict->seconds_compile, err));
    if (c->failure != KS_C_CORRECT) {
        refuse(verdict, c->failure, c->reason);
        return KS_OK;
    }
    // Nothing of the search is reused: new processes (spares have done nothing yet), new seeds, unseen sizes.
    ks_worker_leave(&judge->oracle, &judge->leaving);
    ks_rng_seed(&judge->rng, ks_hash_counter(judge->seed, ++judge->confirmations));
    KS_TRY(confirm_correct(judge, scratch, c, verdict, err));
    if (verdict->correctness != KS_C_CORRECT)
        return KS_OK;
    struct ks_timed timed;
    enum ks_correctness timed_correct = KS_C_CORRECT;
    if (!ks_judge_times(judge)) { // the model's word is the same as in the search
        KS_TRY(ks_modelled_run(judge, scratch, c, &timed, err));
        take_timing(&timed, verdict);
        return KS_OK;
    }
    const struct ks_accept_rule rule = ks_rule_claim(++judge->claims);
    KS_TRY(ks_timing_run(judge, scratch, c, &rule, false, &timed, &timed_correct, err));
    take_timing(&timed, verdict);
    if (timed_correct != KS_C_CORRECT) {
        verdict->correctness = timed_correct;
        verdict->speed = KS_S_NOT_MEASURED;
    }
    return KS_OK;
}

enum ks_status ks_judge_confirm(struct ks_judge *judge, struct ks_proposal *proposal,
                                struct ks_verdict *verdict, struct ks_err *err)
{
    if (verdict->correctness != KS_C_CORRECT || verdict->domain == NULL)
        KS_FAIL(err, KS_E_INTERNAL, "only a proposal that ks_judge_full found correct is confirmed");
    if (!ks_judge_defends(judge, KS_D_CONFIRMATION)) // weakened on purpose: as the search left it
        return KS_OK;
    struct ks_arena scratch = {0};
    double start = ks_now(), compiled = verdict->seconds_compile;
    verdict->speed = KS_S_NOT_MEASURED;
    for (int kind = KS_CHECK_MEMCHECK; kind < KS_CHECK_COUNT; kind++)
        verdict->checks.why[kind] = NULL; // they are to be made now
    judge->n_notes = judge->n_session_notes;
    enum ks_status status = ks_workers_stay(judge, false, err);
    ks_recall_anew(judge);
    if (status == KS_OK)
        status = judge_confirm(judge, &scratch, proposal, verdict, err);
    ks_recall_back(judge);
    ks_workers_part(judge);
    note(verdict, KS_CHECK_CONFIRMATION, start,
         verdict->correctness == KS_C_CORRECT &&
             (verdict->speed == KS_S_FASTER || verdict->speed == KS_S_MODELLED));
    tell_unmade(judge, verdict, NULL);
    verdict->seconds_run += ks_now() - start - (verdict->seconds_compile - compiled);
    log_checks(verdict);
    ks_arena_free(&scratch);
    return status;
}
