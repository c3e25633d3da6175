// The search of one kernel: what the policy asks for is screened in batches, what promises most is
// judged in full.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "os/clock.h"
#include "os/proc.h"
#include "search/tuner.h"
#include "source/mechanism.h"
#include "verify/accept.h"

#define SCREEN_BATCH 16     // candidates compiled at once: the cost hardly grows with their number
#define CLEARLY_FASTER 1.3   // screened so, a template is judged at once
#define ROUNDS 3            // of screening, where no finalist stood up
#define MODELLED_STEP 1.02  // a model says the same each time: what differs by less is equal
#define OWED 2              // judgements, until one was right
#define SURELY_SLOWER 0.95  // screened so on one workload, it cannot be accepted over all
#define CLOSE_TO_CEILING 97 // percent of the nearer ceiling: what is left is not worth a search
#define NEAR_CEILING 90     // the original's: at most what is recognised is looked at

struct entry { // by the tag of the policy's arm
    const char *name;
    const struct ks_skill *skill;
    struct ks_candidate *candidate; // once it was asked for
    const char *id, *mechanism;
    double screened; // ratio of a few pairs: an order, not a claim; 0: none, or judged since
};
struct fault {
    const char *reason;
    int n;
};
struct hunt {
    struct ks_tuner *t;
    KS_VEC(struct fault) faults;
    struct ks_strv broken; // ids of skills whose action cannot be read
    struct ks_reach reach;
    struct ks_policy policy;
    KS_VEC(struct entry) entries;
    double lost; // ratio at its look of the likeliest that was judged and did not win
    size_t wrong; // what was judged last and was not right; or KS_ORIGINAL
};

static struct entry *entry_of(struct hunt *h, size_t arm)
{
    return &h->entries.at[h->policy.arms.at[arm].tag];
}

static enum ks_status expand(void *context, struct ks_policy *policy, size_t from, size_t skill,
                             struct ks_err *err)
{
    struct hunt *h = context;
    const struct ks_skill *s = h->t->ranked[skill].skill;
    struct ks_candidate ahead; // of what was not asked for yet, the name is all there is
    const struct ks_candidate *base = from == KS_ORIGINAL ? NULL : entry_of(h, from)->candidate;
    if (from != KS_ORIGINAL && base == NULL) {
        const char *name = entry_of(h, from)->name;
        ahead = (struct ks_candidate){.mechanism = name, .params = name + strlen("transform ")};
        base = &ahead;
    }
    struct ks_strv names = {0};
    const char *refusal = NULL;
    for (size_t i = 0; i < h->broken.len; i++)
        if (strcmp(h->broken.at[i], s->id) == 0)
            return KS_OK;
    struct ks_err local = {0};
    enum ks_status status = ks_reach_names(&h->reach, base, s, &names, &refusal, &local);
    if (status == KS_E_MEMORY || status == KS_E_INTERRUPTED)
        return ks_err_set(err, status, "%s", local.text);
    if (status != KS_OK) { // one file that is wrong stops no search
        ks_warn("%s:%d: %s; its action is left out", s->file, s->action_line, local.text);
        ks_strv_add(h->t->arena, &h->broken, s->id);
        return KS_OK;
    }
    if (refusal != NULL && base == NULL) {
        ks_info("%s: %s: %s", h->t->kernel->signature->instance, s->id, refusal);
        if (h->t->result->refusal == NULL)
            h->t->result->refusal = ks_arena_printf(h->t->arena, "%s: %s", s->id, refusal);
    }
    for (size_t i = 0; i < names.len; i++)
        if (ks_policy_offer(policy, names.at[i], from, skill, h->entries.len))
            *ks_vec_push(h->t->arena, &h->entries) =
                (struct entry){.name = names.at[i], .skill = s};
    return KS_OK;
}

// Makes the proposal behind an arm, once.
static enum ks_status make(struct hunt *h, size_t arm, struct ks_err *err)
{
    struct entry *e = entry_of(h, arm);
    if (e->candidate != NULL)
        return KS_OK;
    struct ks_candidate made;
    KS_TRY(ks_reach_make(&h->reach, e->name, e->skill, &made, err));
    e->candidate = KS_NEW(h->t->arena, struct ks_candidate);
    *e->candidate = made;
    e->id = ks_proposal_id(h->t->arena, &made.proposal);
    e->mechanism = ks_proposal_mechanism(h->t->arena, &made.proposal);
    return KS_OK;
}

static bool stands(void *context, const struct ks_policy *policy, size_t arm)
{
    struct ks_err err = {0};
    (void)policy;
    return make(context, arm, &err) == KS_OK;
}

static bool at_the_ceiling(const struct ks_tuner *t)
{
    return t->result->profiled &&
           ks_profile_share(&t->result->profile) * (t->best > 1 ? t->best : 1) >= CLOSE_TO_CEILING;
}

static bool left_alone(const struct ks_tuner *t)
{
    return t->result->profiled && t->brief.n_problems == 1 && t->best <= 1 &&
           ks_profile_share(&t->result->profile) >= NEAR_CEILING;
}

// What memory bounds gains a ninth at most, whatever is in its place; full arithmetic may become other arithmetic.
static bool fills_memory(const struct ks_tuner *t)
{
    return t->result->profiled && t->brief.n_problems == 1 && ks_profile_memory_share(&t->result->profile) >= NEAR_CEILING;
}

bool ks_tuner_at_floor(const struct ks_tuner *t)
{
    const struct ks_profile_floor *floor = &t->result->profile.floor;
    return t->result->profiled && t->brief.n_problems == 1 && floor->least_us > 0 &&
           (floor->gain_us <= ks_rule_search.min_us || floor->ratio <= ks_rule_search.gain);
}

// The ratio below which a full judgement of what screened so cannot end well. Of a short kernel the least gain in
// microseconds is more than one percent; where there are several workloads, a gain on any would do.
static double worth(const struct ks_tuner *t)
{
    double us = t->brief.n_problems == 1 && t->brief.baseline_us != NULL ? t->brief.baseline_us[0] : 0;
    double least = us > ks_rule_search.min_us ? us / (us - ks_rule_search.min_us) : 1;
    return t->options->modelled ? KS_WORTH_JUDGING : fmax(KS_WORTH_JUDGING, least * KS_LOOK_ERROR);
}

static bool loses(const struct ks_verdict *screened)
{
    for (size_t w = 0; w < screened->evidence.n_timings; w++)
        if (screened->evidence.timings[w].ratio < SURELY_SLOWER)
            return true;
    return false;
}

// Another proposal does the same under other names: it was looked at, or is in this batch.
static bool is_repeated(struct hunt *h, const struct entry *e, const size_t *arms, size_t n)
{
    const char *other = ks_trajectory_same(&h->t->trajectory, e->id, e->mechanism);
    for (size_t i = 0; i < n && other == NULL; i++)
        if (strcmp(entry_of(h, arms[i])->mechanism, e->mechanism) == 0)
            other = entry_of(h, arms[i])->id;
    if (other != NULL)
        ks_info("%s: %s does what %s does", h->t->kernel->signature->instance, e->name, other);
    return other != NULL;
}

// A run that was interrupted has looked at it: its finding counts, without another look.
static bool recall_look(struct hunt *h, size_t arm)
{
    struct entry *e = entry_of(h, arm);
    const struct ks_kept_look *look = ks_trajectory_kept(&h->t->trajectory, e->id);
    if (look == NULL)
        return false;
    e->screened = look->least < SURELY_SLOWER ? 0 : look->ratio;
    ks_policy_tell(&h->policy, arm, look->ratio > 0, look->ratio);
    h->t->result->recalled++;
    return true;
}

// Whether its guard admits a declared workload, and its settings are for such: what leaves all of them to the original cannot be
// faster.
static bool serves(const struct ks_tuner *t, const struct ks_candidate *candidate)
{
    for (size_t w = 0; w < t->brief.n_problems; w++)
        if (ks_judge_admits(t->judge, &candidate->proposal, candidate->fits, w))
            return true;
    return false;
}

// Makes the proposals of a batch behind the first `made`; what cannot be made, serves no workload, or was judged before, drops out.
static enum ks_status make_batch(struct hunt *h, size_t *arms, size_t made, size_t *n, struct ks_err *err)
{
    struct ks_tuner *t = h->t;
    size_t kept = made;
    for (size_t i = made; i < *n; i++) {
        struct entry *e = entry_of(h, arms[i]);
        struct ks_err local = {0};
        enum ks_status status = make(h, arms[i], &local);
        if (status != KS_OK && status != KS_E_UNSUPPORTED)
            KS_FAIL(err, status, "%s: %s", e->skill->id, local.text);
        size_t from = h->policy.arms.at[arms[i]].from;
        if (status == KS_OK)
            e->candidate->n_skills = ks_policy_skills(&h->policy, arms[i], &e->candidate->skills);
        if (status == KS_OK && from != KS_ORIGINAL) // that was written, to look ahead on it
            e->candidate->base_id = entry_of(h, from)->id != NULL ? entry_of(h, from)->id : entry_of(h, from)->name;
        if (status != KS_OK || !serves(t, e->candidate) || ks_trajectory_knows(&t->trajectory, e->id) || is_repeated(h, e, arms, kept))
            ks_policy_drop(&h->policy, arms[i]);
        else if (!recall_look(h, arms[i]))
            arms[kept++] = arms[i];
    }
    *n = kept;
    t->result->proposed += (int)(kept - made);
    return KS_OK;
}

// Why most candidates are not right: where that is one reason, it is about the kernel.
static void count_fault(struct hunt *h, const char *reason)
{
    struct fault *fault = NULL;
    ks_vec_each(struct fault, f, &h->faults)
        if (strcmp(f->reason, reason) == 0)
            fault = f;
    if (fault == NULL) {
        fault = ks_vec_push(h->t->arena, &h->faults);
        *fault = (struct fault){.reason = ks_arena_strdup(h->t->arena, reason)};
    }
    fault->n++;
    h->t->result->wrong++;
    if (2 * fault->n > h->t->result->wrong)
        h->t->result->wrong_most = fault->reason;
}

static size_t most_promising(struct hunt *h)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < h->policy.arms.len; i++)
        if (h->policy.arms.at[i].state == KS_ARM_RIGHT && entry_of(h, i)->screened > 0 &&
            (best == SIZE_MAX || entry_of(h, i)->screened > entry_of(h, best)->screened))
            best = i;
    return best;
}

// What was looked at and not judged, if it may still turn out as the best; else SIZE_MAX.
static size_t worth_judging(struct hunt *h)
{
    double error = h->t->options->modelled ? MODELLED_STEP : KS_LOOK_ERROR;
    size_t arm = most_promising(h);
    if (arm == SIZE_MAX || entry_of(h, arm)->screened < worth(h->t) ||
        (h->t->best > 1 && entry_of(h, arm)->screened < h->t->best * error))
        return SIZE_MAX;
    return arm;
}

// What others stand on first: their gain is that over it.
static void remember_looks(struct hunt *h, const size_t *arms, size_t n, const struct ks_verdict *verdicts)
{
    size_t seen = 0;
    for (int depth = 0; seen < n; depth++)
        for (size_t i = 0; i < n; i++) {
            struct entry *e = entry_of(h, arms[i]);
            if (h->policy.arms.at[arms[i]].depth != depth)
                continue;
            seen++;
            if (verdicts[i].correctness == KS_C_CORRECT)
                ks_trajectory_screened(&h->t->trajectory, e->candidate, e->id, &verdicts[i]);
        }
}

// Tiny shapes and a short look at speed for a batch. Wrong ones are remembered.
static enum ks_status screen_batch(struct hunt *h, const size_t *arms, size_t n, struct ks_err *err)
{
    struct ks_tuner *t = h->t;
    struct ks_proposal *proposals[SCREEN_BATCH];
    struct ks_verdict verdicts[SCREEN_BATCH];
    memset(verdicts, 0, sizeof verdicts);
    for (size_t i = 0; i < n; i++)
        proposals[i] = &entry_of(h, arms[i])->candidate->proposal;
    ks_view(t, "screening", entry_of(h, arms[0])->candidate);
    double begun = ks_now_own();
    // With nothing found that would be judged, a look may take as long again as the budget and no longer; the judge, whose
    // workers are gone then, is asked no more.
    ks_stop_at(t->best <= 1 && worth_judging(h) == SIZE_MAX ? t->deadline + t->options->budget_seconds : 0);
    enum ks_status status = ks_judge_screen(t->judge, proposals, n, verdicts, err);
    bool cut = status == KS_E_INTERRUPTED && ks_stop_expired();
    ks_stop_at(0);
    if (cut && t->looked == 0)
        t->result->unrun = ks_arena_printf(t->arena, "the budget of %.3g s ended while the first candidates were looked at; give "
                                           "it more, or declare smaller sizes", t->options->budget_seconds);
    if (cut)
        return KS_OK;
    KS_TRY(status);
    ks_step_took(t, KS_TUNE_SCREENING, ks_now_own() - begun);
    t->looked += (int)n;
    t->result->screened += (int)n;
    remember_looks(h, arms, n, verdicts);
    for (size_t i = 0; i < n; i++) {
        struct entry *e = entry_of(h, arms[i]);
        bool right = verdicts[i].correctness == KS_C_CORRECT;
        if (right) {
            ks_view_verdict(t, e->candidate, &verdicts[i], true);
            e->screened = loses(&verdicts[i]) ? 0 : verdicts[i].geomean;
        } else {
            count_fault(h, verdicts[i].reason);
            ks_tuner_remember(t, e->candidate, e->id, &verdicts[i]);
        }
        ks_policy_tell(&h->policy, arms[i], right && verdicts[i].geomean > 0, verdicts[i].geomean);
    }
    return KS_OK;
}

static enum ks_status make_and_screen(struct hunt *h, size_t *arms, size_t n, struct ks_err *err)
{
    KS_TRY(make_batch(h, arms, 0, &n, err));
    return n > 0 ? screen_batch(h, arms, n, err) : KS_OK;
}

// Seconds that the confirmation will take: of a kernel whose judgements take long about half of one.
static double confirming(const struct ks_tuner *t)
{
    double longest = t->result->steps[KS_TUNE_CONFIRMING].longest;
    return longest > 0 ? longest : fmax(ks_step_expected(t, KS_TUNE_CONFIRMING), t->result->steps[KS_TUNE_JUDGING].longest / 2);
}

// Screens until the policy has had enough, or what is left of the time is for judging. The first
// batch is owed, unless what is worth judging already would then come too late.
static enum ks_status screen(struct hunt *h, struct ks_err *err)
{
    struct ks_tuner *t = h->t;
    double now = ks_now_own(), left = t->deadline - now;
    double finals = ks_step_expected(t, KS_TUNE_JUDGING) + confirming(t);
    double until = now + fmin(left / 2, fmax(left - finals, left / 8));
    for (int looked = t->looked;;) {
        size_t arms[SCREEN_BATCH], n;
        double end = ks_now_own() + ks_step_expected(t, KS_TUNE_SCREENING);
        bool owed = t->looked == looked && (worth_judging(h) == SIZE_MAX || end < t->deadline);
        if (ks_tuner_spent(t) || (!owed && end >= until))
            return KS_OK;
        KS_TRY(ks_policy_next(&h->policy, SCREEN_BATCH, arms, &n, err));
        if (n == 0)
            return KS_OK;
        KS_TRY(make_and_screen(h, arms, n, err));
    }
    return KS_OK;
}

// Whoever finds the original still there wants to know of the one that looked best.
static void keep_lost(struct hunt *h, double looked, const struct ks_verdict *v)
{
    bool correct = v->correctness == KS_C_CORRECT;
    if (looked <= h->lost || (correct && (v->speed == KS_S_FASTER || v->speed == KS_S_MODELLED)))
        return;
    h->lost = looked;
    h->t->result->lost = ks_arena_printf(h->t->arena, "%.2fx at a look, then %s, %s", looked,
                                         correct ? ks_speed_name(v->speed) : ks_correctness_name(v->correctness), v->reason);
}

static enum ks_status judge_full(struct hunt *h, size_t arm, struct ks_err *err)
{
    struct ks_tuner *t = h->t;
    struct entry *e = entry_of(h, arm);
    struct ks_verdict verdict = {0};
    double begun = ks_now_own();
    ks_view(t, "judging", e->candidate);
    KS_TRY(ks_judge_full(t->judge, &e->candidate->proposal, &verdict, err));
    bool correct = verdict.correctness == KS_C_CORRECT;
    ks_checks_took(t, &verdict);
    if (correct)
        ks_step_took(t, KS_TUNE_JUDGING, ks_now_own() - begun);
    t->result->judged++;
    t->result->correct += correct;
    h->wrong = correct ? KS_ORIGINAL : arm;
    keep_lost(h, e->screened, &verdict);
    ks_tuner_remember(t, e->candidate, e->id, &verdict);
    ks_policy_tell(&h->policy, arm, correct, verdict.geomean > 0 ? verdict.geomean : e->screened);
    e->screened = 0;
    return KS_OK;
}

// Whether two have a skill in common on their way from the original.
static bool share_a_skill(struct hunt *h, size_t one, size_t other)
{
    const char **of_one, **of_other;
    const size_t n = ks_policy_skills(&h->policy, one, &of_one), m = ks_policy_skills(&h->policy, other, &of_other);
    for (size_t i = 0; i < n * m; i++)
        if (strcmp(of_one[i / m], of_other[i % m]) == 0)
            return true;
    return false;
}

// Whether one is mostly wrong for what the other is: for a skill of both, or for fewer bits than the judge admits.
static bool wrong_alike(struct hunt *h, size_t one, size_t other)
{
    return share_a_skill(h, one, other) || (ks_policy_reduces(&h->policy, one) && ks_policy_reduces(&h->policy, other));
}

// Whether it is for the judge although the time is over: a search that found something is not for nothing because it judged
// nothing, or only something wrong. Then what is another matter is owed a judgement.
static bool owed_a_judgement(struct hunt *h, size_t *arm)
{
    const struct ks_tune_result *result = h->t->result;
    if (result->correct > 0 || result->judged >= OWED || h->t->options->budget_tries > 0 || ks_stop_requested())
        return false;
    for (size_t i = 0; i < h->policy.arms.len && h->wrong != KS_ORIGINAL; i++)
        if (entry_of(h, i)->screened > 0 && wrong_alike(h, i, h->wrong))
            entry_of(h, i)->screened = 0;
    *arm = worth_judging(h);
    const double faster = h->t->options->modelled ? MODELLED_STEP : 1 / KS_LOOK_ERROR; // error and all
    return *arm != SIZE_MAX && entry_of(h, *arm)->screened > faster;
}

// The fastest in full, until the next one promises less than the best has shown.
static enum ks_status judge_finalists(struct hunt *h, struct ks_err *err)
{
    struct ks_tuner *t = h->t;
    int finalists = 0;
    while (finalists < KS_FINALISTS && !at_the_ceiling(t)) {
        size_t arm = worth_judging(h);
        if (arm == SIZE_MAX)
            break;
        // Once something stands, its confirmation has to fit, too.
        double after = t->best > 1 ? confirming(t) : 0;
        if ((ks_tuner_spent(t) || ks_now_own() + t->result->steps[KS_TUNE_JUDGING].longest + after > t->deadline) &&
            !owed_a_judgement(h, &arm))
            break;
        int correct = t->result->correct;
        KS_TRY(judge_full(h, arm, err));
        finalists += t->result->correct > correct;
    }
    return KS_OK;
}

// What templates recognise goes first, in a batch of its own; what an interrupted run knows of it
// needs none. Unless the time is over, what is clearly the fastest there is looked at in its other settings before it is judged,
// which takes longer.
static enum ks_status try_recognised(struct hunt *h, struct ks_err *err)
{
    size_t arms[KS_RECOGNISED], n = 0;
    for (size_t asked = 1; n < KS_RECOGNISED && asked > 0;) { // others come in place of what drops out
        KS_TRY(ks_policy_recognised(&h->policy, KS_RECOGNISED - n, arms + n, &asked, err));
        size_t made = n;
        n += asked;
        KS_TRY(make_batch(h, arms, made, &n, err));
    }
    if (n > 0)
        KS_TRY(screen_batch(h, arms, n, err));
    size_t best = most_promising(h);
    if (best == SIZE_MAX || entry_of(h, best)->screened < CLEARLY_FASTER)
        return KS_OK;
    if (!ks_tuner_spent(h->t)) {
        ks_policy_settings(&h->policy, best, arms, &n);
        KS_TRY(make_and_screen(h, arms, n, err));
    }
    return judge_finalists(h, err);
}

// Whether another round would end before the deadline, once there is something to lose.
static bool worth_a_round(const struct ks_tuner *t)
{
    double round = t->result->steps[KS_TUNE_SCREENING].longest + t->result->steps[KS_TUNE_JUDGING].longest + confirming(t);
    return t->best <= 1 || ks_now_own() + round <= t->deadline;
}

enum ks_status ks_hunt(struct ks_tuner *t, struct ks_err *err)
{
    struct hunt h = {.t = t, .wrong = KS_ORIGINAL};
    if (ks_tuner_at_floor(t))
        return KS_OK;
    if (fills_memory(t)) {
        t->result->at_ceiling = true;
        return KS_OK;
    }
    ks_reach_open(&h.reach, t->arena, &t->brief, t->template_dir);
    ks_policy_init(&h.policy, t->arena, t->kernel->key.b[0], 0, NULL);
    h.policy.space = (struct ks_policy_space){&h, expand, stands};
    h.policy.ranked = t->ranked;
    h.policy.n_ranked = t->n_ranked;
    KS_TRY(try_recognised(&h, err));
    for (int round = 0;
         round < ROUNDS && !ks_tuner_spent(t) && !at_the_ceiling(t) && !left_alone(t) && worth_a_round(t); round++) {
        int looked = t->looked, judged = t->result->judged;
        KS_TRY(screen(&h, err));
        KS_TRY(judge_finalists(&h, err));
        if (t->looked == looked ? t->result->judged == judged : t->best > 1)
            break;
    }
    t->result->at_ceiling = left_alone(t);
    return judge_finalists(&h, err); // where looks alone took the time
}
