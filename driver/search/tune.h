// Tuning of one kernel: profile, choose skills, propose, judge, confirm, decide, remember.
#ifndef KS_TUNE_H
#define KS_TUNE_H

#include "agent/consult.h"
#include "engine/engine.h"
#include "memory/outcomes.h"
#include "profile/profile.h"
#include "search/incumbent.h"
#include "store/store.h"
#include "verify/judge.h"

struct ks_tune_options {
    const struct ks_config *config;
    const struct ks_store *store;
    struct ks_outcomes *outcomes;        // may be NULL: nothing is remembered
    double budget_seconds;               // of this kernel
    int64_t budget_tries;                // 0: none
    bool again;                          // judge again what earlier runs judged
    bool modelled;                       // on the emulated device: nothing is profiled, and that the
                                         // original stays is no decision
    const char *work_dir;                // private
    struct ks_agents *agents;            // models to ask beside the engine; NULL: none. All is judged in a sandbox then
    bool only_agents;                    // and no search by the engine
    bool print_prompt;                   // their first questions are made, and nobody is asked
};

enum ks_tune_end {
    KS_TUNE_VARIANT,        // a variant was confirmed and stored
    KS_TUNE_STAYS,          // a variant that was stored before stays: none was confirmed to be faster than it
    KS_TUNE_ORIGINAL,       // the original stays, as a decision
    KS_TUNE_BUDGET,         // budget spent: the original stays, marked incomplete
    KS_TUNE_BASELINE_FAULT, // the original is at fault: a finding, nothing stored
    KS_TUNE_INTERRUPTED,    // what was judged is remembered
    KS_TUNE_WAITING,        // answers of a patient backend are awaited: nothing is decided yet
    KS_TUNE_PROMPT,         // only questions were made, and nothing is decided
    KS_TUNE_FAILED,         // the tool or the device failed; err says
};

// What the time went into.
enum ks_tune_step {
    KS_TUNE_OPENING,    // the original on its workloads
    KS_TUNE_PROFILING,
    KS_TUNE_SCREENING,  // batches of candidates: compiled, and looked at
    KS_TUNE_JUDGING,    // candidates in full
    KS_TUNE_CONFIRMING, // finalists
    KS_TUNE_STEPS
};
const char *ks_tune_step_name(enum ks_tune_step step); // "opening", ...

struct ks_tune_result {
    enum ks_tune_end end;
    const char *finding;         // BASELINE_FAULT: what and where
    struct ks_variant variant;   // when KS_TUNE_VARIANT
    const char *path;            // of the stored decision, or of the one that stays; NULL if none
    struct ks_meeting *meetings; size_t n_meetings; // of what was confirmed, with what was stored before
    const char *stays;           // when KS_TUNE_STAYS: why
    int proposed, judged, correct; // judged: in full
    int screened, recalled;        // looked at here, and by a run that was interrupted
    int wrong;                     // found not right by a look
    const char *wrong_most;        // the reason that most of those have
    const char *refusal;           // the first of an action that knows nothing to do with the kernel; NULL: none
    const char *unrun;             // BUDGET: it ended before a candidate could be looked at, while what was done; or NULL
    const char *lost;              // what became of the likeliest that was judged and did not win; NULL: of none
    double seconds;
    struct { int times; double seconds, longest; } steps[KS_TUNE_STEPS];
    double checks[KS_CHECK_COUNT]; // seconds of judging, by check
    struct ks_profile profile;
    bool profiled;
    bool at_ceiling;             // left alone, but for what it was recognised as where arithmetic is the ceiling: so near to one of this device
    bool at_floor;               // left alone: no variant could gain enough to be accepted (ks_profile_floor)
    bool consulted;              // models were asked:
    struct ks_consult_counts agents;
    const char *skill;           // that a model drew from its win, now on probation; or NULL
    const char *prompt;          // when KS_TUNE_PROMPT
};

// Progress goes to os/term.h. KS_TUNE_FAILED also returns the failure's status.
enum ks_status ks_tune_kernel(struct ks_arena *arena, const struct ks_tu *tu,
                              const struct ks_tu_kernel *kernel, const struct ks_tu_compile *plain,
                              const struct ks_tune_options *options, struct ks_tune_result *result,
                              struct ks_err *err);

#endif
