// Private to the tuning of one kernel: its state, shared by what searches, what decides and what is
// shown.
#ifndef KS_TUNER_H
#define KS_TUNER_H

#include "search/choose.h"
#include "search/policy.h"
#include "search/reach.h"
#include "search/trajectory.h"
#include "search/tune.h"

// What of a round's looks is judged in full; a replay does as much (search/replay.c).
#define KS_FINALISTS 4        // correct ones at most
#define KS_WORTH_JUDGING 1.005 // below this none can end well: the minimum gain is 1 %
#define KS_LOOK_ERROR 0.97    // a screened ratio is a few percent off: what is left of it at least

// What a profile measured, or counted.
struct ks_seen_facts {
    const char *proposal; // "" of the original
    struct ks_fact_list facts;
};
struct ks_tuner {
    struct ks_arena *arena;
    const struct ks_tu *tu;
    const struct ks_tu_kernel *kernel;
    const struct ks_tu_compile *plain;
    const struct ks_tune_options *options;
    struct ks_tune_result *result;
    struct ks_judge *judge;
    struct ks_brief brief;
    struct ks_skill_list skills;
    struct ks_ranked_skill *ranked;
    size_t n_ranked;
    struct ks_trajectory trajectory;
    const char *template_dir;
    double deadline;
    KS_VEC(struct ks_seen_facts) seen; // by profiles of the original and of candidates
    double best, bound; // ratio of the best judged so far, and its bound; 1 of the original
    double promised;    // the best ratio at a look; 0: none
    int looked;         // candidates screened
    double run, read, profiled; // seconds that the original's first runs, its text and its profile took
    char last[64];      // verdict on the last candidate, in words; "": none yet
};

bool ks_tuner_spent(const struct ks_tuner *tuner);
// Whether a profile of the original takes no more than its share of the budget.
bool ks_tuner_may_profile(const struct ks_tuner *tuner);
// Seconds that one will take: the longest seen here, and before one was seen what is usual.
double ks_step_expected(const struct ks_tuner *tuner, enum ks_tune_step step);
void ks_step_took(struct ks_tuner *tuner, enum ks_tune_step step, double seconds);
// What the judge says that it spent on a candidate.
void ks_checks_took(struct ks_tuner *tuner, const struct ks_verdict *verdict);

// What may be learned from a stored win of a model's: a skill on probation, if a summariser is asked.
void ks_prompted_learn(struct ks_tuner *tuner, const struct ks_candidate *won, const struct ks_variant *variant);
// A full judgement: kept in the trajectory and the memory, and the best so far where it is. What is faster is profiled,
// to see whether the metric moved that its skill names (search/remember.c).
void ks_tuner_remember(struct ks_tuner *tuner, struct ks_candidate *candidate, const char *id,
                       const struct ks_verdict *verdict);

// Whether the rule of acceptance takes nothing for this kernel: not even what only moves its arrays would gain enough.
// Known of a kernel with one workload alone, since a gain on any of several would do.
bool ks_tuner_at_floor(const struct ks_tuner *tuner);

// Searches, where there is anything to find: screens what the policy asks for and judges in full what promises most (search/hunt.c).
enum ks_status ks_hunt(struct ks_tuner *tuner, struct ks_err *err);

// Asks models for proposals, where any are configured, and has each judged (search/prompted.c).
enum ks_status ks_prompted(struct ks_tuner *tuner, struct ks_err *err);

// What happens, on the terminal: `candidate` may be NULL (search/view.c).
void ks_view(const struct ks_tuner *tuner, const char *what, const struct ks_candidate *candidate);
// The line of it, of at most `width` characters where the kernel's name leaves room for that: what a narrow one goes
// without is the counts, the candidate's settings, its direction and the last verdict, in this order.
void ks_view_line(const struct ks_tuner *tuner, const char *what, const struct ks_candidate *candidate, double left,
                  int width, struct ks_buf *out);
// One candidate's finding, in the log, and on the terminal with what happens next.
void ks_view_verdict(struct ks_tuner *tuner, const struct ks_candidate *candidate,
                     const struct ks_verdict *verdict, bool screened);

#endif
