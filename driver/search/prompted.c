// What models propose, judged like anything else. Their text is nobody's: the session of a kernel that models are
// asked about compiles and runs all candidates in a sandbox.
#include <string.h>

#include "agent/retrieve.h"
#include "agent/summary.h"
#include "base/log.h"
#include "memory/fact.h"
#include "memory/library.h"
#include "os/clock.h"
#include "os/proc.h"
#include "search/tuner.h"

#define WAIT_SECONDS 1.0 // between looks at what else there is to do

static struct ks_outcome outcome_of(const struct ks_verdict *verdict)
{
    bool correct = verdict->correctness == KS_C_CORRECT;
    return (struct ks_outcome){.correctness = ks_correctness_name(verdict->correctness),
                               .speed = ks_speed_name(verdict->speed), .reason = verdict->reason,
                               .correct = correct, .gains = ks_verdict_promises(verdict),
                               .modelled = verdict->speed == KS_S_MODELLED,
                               .ratio = correct ? verdict->geomean : 0, .lower = correct ? verdict->lower : 0};
}

// What an earlier run found: an answer that stays in a mailbox or transcript is read again, not judged again.
static struct ks_outcome outcome_before(const struct ks_tuner *t, const struct ks_attempt *a)
{
    bool correct = strcmp(a->correctness, ks_correctness_name(KS_C_CORRECT)) == 0;
    return (struct ks_outcome){.correctness = a->correctness, .speed = a->speed, .reason = a->reason, .correct = correct,
                               .modelled = t->options->modelled, .ratio = correct ? a->ratio : 0,
                               .lower = correct ? a->lower : 0};
}

static size_t choose(const struct ks_tuner *t, size_t most, bool diverse, const struct ks_skill **chosen)
{
    struct ks_retrieve_from *from = KS_NEW_ARRAY(t->arena, struct ks_retrieve_from, t->n_ranked + 1);
    for (size_t i = 0; i < t->n_ranked; i++)
        from[i] = (struct ks_retrieve_from){t->ranked[i].skill, t->ranked[i].score};
    return ks_retrieve(t->arena, &t->brief, from, t->n_ranked, most, diverse, chosen);
}

// On the emulated device the search goes by text and launch alone; a model is told what was counted as well.
static void add_counted(struct ks_tuner *t)
{
    struct ks_err err = {0};
    struct ks_profile profile = {0};
    bool fault;
    const struct ks_problem *problems = t->brief.problems;
    const struct ks_profile_ask ask = {
        .config = t->options->config, .tu = t->tu, .plain = t->plain, .kernel = t->kernel,
        .problem = &problems[ks_choose_workload(problems, t->brief.n_problems)]};
    if (!t->options->modelled)
        return;
    if (ks_profile_run(t->arena, &ask, &profile, &fault, &err) != KS_OK) {
        ks_info("%s: nothing was counted: %s", t->kernel->signature->instance, err.text);
        return;
    }
    ks_vec_each(struct ks_fact, fact, &profile.facts)
        if (fact->known)
            ks_fact_set(t->arena, &t->brief.facts, fact->name, fact->value);
    const char *is = ks_arena_printf(t->arena, "bottleneck(%s)", profile.bottleneck);
    if (ks_fact_is_known(is))
        ks_fact_set(t->arena, &t->brief.facts, is, 1);
    json_decref(profile.json);
}

static struct ks_brief_source source_of(const struct ks_tuner *t)
{
    const struct ks_tu_mark *mark = t->kernel->mark;
    return (struct ks_brief_source){.file = mark->file->text, .begin = mark->decl->begin, .end = mark->decl->end,
                                    .contract = t->kernel->contract, .modelled = t->options->modelled};
}

static struct ks_consult *open_consult(struct ks_tuner *t)
{
    add_counted(t);
    const struct ks_skill **skills = KS_NEW_ARRAY(t->arena, const struct ks_skill *, KS_SKILLS_SHOWN);
    const struct ks_skill **offered = KS_NEW_ARRAY(t->arena, const struct ks_skill *, KS_SKILLS_OFFERED);
    const struct ks_consult_ask ask = {
        .arena = t->arena, .agents = t->options->agents, .brief = &t->brief,
        .source = source_of(t),
        .key = t->trajectory.key, .skills = skills,
        .n_skills = choose(t, KS_SKILLS_SHOWN, true, skills), .offered = offered,
        .n_offered = choose(t, KS_SKILLS_OFFERED, false, offered), .known = &t->skills};
    struct ks_consult *consult = ks_consult_open(&ask);
    ks_vec_each(struct ks_try, entry, &t->trajectory.tries)
        if (entry->candidate != NULL) {
            struct ks_outcome outcome = outcome_of(&entry->verdict);
            ks_consult_note(consult, entry->candidate, &outcome);
        }
    return consult;
}

static enum ks_status judge(struct ks_tuner *t, struct ks_consult *consult, struct ks_candidate *candidate,
                            struct ks_err *err)
{
    struct ks_verdict verdict = {0};
    const char *id = ks_proposal_id(t->arena, &candidate->proposal);
    double begun = ks_now_own();
    const struct ks_attempt *before = ks_trajectory_earlier(&t->trajectory, id);
    t->result->proposed++;
    if (before != NULL) {
        struct ks_outcome outcome = outcome_before(t, before);
        t->result->recalled++;
        ks_consult_tell(consult, &outcome, 0);
        return KS_OK;
    }
    ks_view(t, "judging", candidate);
    KS_TRY(ks_judge_full(t->judge, &candidate->proposal, &verdict, err));
    ks_checks_took(t, &verdict);
    t->result->judged++;
    t->result->correct += verdict.correctness == KS_C_CORRECT;
    ks_tuner_remember(t, candidate, id, &verdict);
    struct ks_outcome outcome = outcome_of(&verdict);
    ks_consult_tell(consult, &outcome, ks_now_own() - begun);
    return KS_OK;
}

static enum ks_status converse(struct ks_tuner *t, struct ks_consult *consult, struct ks_err *err)
{
    bool patient = t->options->agents->backend.patient;
    for (;;) {
        enum ks_consult_state state;
        struct ks_candidate *candidate;
        ks_view(t, "asking", NULL);
        KS_TRY(ks_consult_next(consult, patient ? 0 : WAIT_SECONDS, &state, &candidate, err));
        if (state == KS_CONSULT_OVER || ks_stop_requested())
            return KS_OK;
        if (state == KS_CONSULT_CANDIDATE)
            KS_TRY(judge(t, consult, candidate, err));
        else if (patient)
            return KS_OK;
    }
}

static enum ks_status print(struct ks_tuner *t, struct ks_consult *consult, struct ks_err *err)
{
    struct ks_buf text = KS_BUF((size_t)8 << 20);
    enum ks_status status = ks_consult_print(consult, &text, err);
    t->result->prompt = ks_arena_strdup(t->arena, ks_buf_text(&text));
    ks_buf_free(&text);
    return status;
}

enum ks_status ks_prompted(struct ks_tuner *t, struct ks_err *err)
{
    struct ks_agents *agents = t->options->agents;
    if (agents == NULL)
        return KS_OK;
    const char *evidence = t->options->modelled ? KS_MODELLED : KS_MEASURED;
    ks_agents_recall(agents, t->options->outcomes, evidence);
    struct ks_consult *consult = open_consult(t);
    t->deadline = ks_now_own() + agents->each.seconds; // beside the search's own time
    if (t->options->print_prompt)
        return print(t, consult, err);
    enum ks_status status = converse(t, consult, err);
    t->result->consulted = true;
    t->result->agents = ks_consult_counts(consult);
    ks_consult_close(consult);
    ks_agents_remember(agents, t->options->outcomes, evidence);
    return status;
}

// On probation: nothing is believed of it, but it is shown, and `ks skills adopt` can try it.
static enum ks_status add_skill(struct ks_tuner *t, const struct ks_summary *summary, struct ks_err *err)
{
    struct ks_outcomes *outcomes = t->options->outcomes;
    struct ks_library library;
    struct ks_skill_standing standing;
    if (outcomes == NULL)
        KS_FAIL(err, KS_E_ABSENT, "there is no memory to keep in that it is on probation");
    KS_TRY(ks_library_load(t->arena, t->options->config, outcomes, true, &library, err));
    return ks_library_add(t->arena, t->options->config, outcomes, &library, "the model's skill",
                          ks_slice_of(summary->text), &standing, err);
}

void ks_prompted_learn(struct ks_tuner *t, const struct ks_candidate *won, const struct ks_variant *variant)
{
    const struct ks_agents *agents = t->options->agents;
    struct ks_err err = {0};
    struct ks_summary summary;
    if (agents == NULL || !agents->summarises || won->proposer == NULL || variant->geomean < KS_SUMMARY_GAIN)
        return;
    const struct ks_summary_ask ask = {
        .arena = t->arena, .agents = t->options->agents, .brief = &t->brief, .source = source_of(t),
        .key = t->trajectory.key, .won = won, .variant = variant->id, .ratio = variant->geomean,
        .spend = t->result->consulted ? t->result->agents.spend : NULL};
    ks_view(t, "asking for a skill", NULL);
    const char *why = "";
    if (ks_summarise(&ask, &summary, &err) != KS_OK)
        why = err.text;
    else if (summary.awaited)
        why = "an answer is awaited";
    else if (summary.refusal != KS_ACCEPTED)
        why = summary.why;
    else if (add_skill(t, &summary, &err) != KS_OK)
        why = err.text;
    if (*why != '\0')
        ks_info("%s: no skill of it: %s", t->kernel->signature->instance, why);
    else
        t->result->skill = summary.id;
}
