// Long-term memory: every attempt's outcome, in SQLite under the state directory. One writer at a
// time, many readers; WAL on local disks only; opened by the tuner and `ks stats`, never by a build.
#ifndef KS_OUTCOMES_H
#define KS_OUTCOMES_H

#include "cfg/config.h"

struct ks_outcomes;

// Opens or creates <state_dir>/memory.db, migrating older versions in one transaction. KS_E_FORMAT:
// damaged (says how to move it aside); KS_E_UNSUPPORTED: written by a newer ks.
enum ks_status ks_outcomes_open(const struct ks_config *config, struct ks_outcomes **outcomes,
                                struct ks_err *err);
void ks_outcomes_close(struct ks_outcomes *outcomes);

struct ks_attempt {
    const char *key, *kernel, *proposal, *skill, *direction, *params, *bottleneck, *date;
    int arch;
    const char *correctness, *speed, *reason;
    double ratio, lower, seconds; // ratio 0: not measured
    const char *text;             // the proposal's YAML, kept once for each id; NULL: not kept, not read
};
enum ks_status ks_outcomes_add(struct ks_outcomes *outcomes, const struct ks_attempt *attempt,
                               struct ks_err *err);
// The trajectory of one key, oldest first (resume: a proposal already judged is not judged again).
enum ks_status ks_outcomes_for_key(struct ks_arena *arena, struct ks_outcomes *outcomes,
                                   const char *key, struct ks_attempt **attempts, size_t *n,
                                   struct ks_err *err);
// The text of a proposal that was judged here, by its id or by 4 digits or more that it begins with, for
// ks_proposal_read. KS_E_ABSENT: there is none; KS_E_USER: several begin so.
enum ks_status ks_outcomes_proposal(struct ks_arena *arena, struct ks_outcomes *outcomes,
                                    const char *id, const char **text, struct ks_err *err);
// Two values of a skill with back-off over (arch, bottleneck): how often its proposals verified, and
// the mean log ratio of those that did; `n` attempts behind them (0: priors 0.5 and 0).
enum ks_status ks_outcomes_skill_value(struct ks_outcomes *outcomes, const char *skill, int arch,
                                       const char *bottleneck, double *feasible, double *gain,
                                       int *n, struct ks_err *err);
struct ks_skill_stat {
    const char *skill;
    int attempts, correct, faster;
    double geomean; // of faster ones
};
enum ks_status ks_outcomes_stats(struct ks_arena *arena, struct ks_outcomes *outcomes,
                                 struct ks_skill_stat **stats, size_t *n, struct ks_err *err);

#endif
