// Long-term memory: every attempt's outcome and what it taught, in SQLite under the state directory. One
// writer at a time, many readers; WAL on local disks only; opened by the tuner and `ks`, never by a build.
// Each attempt is one transaction: a kill at any point loses at most the one in flight.
#ifndef KS_OUTCOMES_H
#define KS_OUTCOMES_H

#include "cfg/config.h"

struct ks_outcomes;

// Opens or creates <state_dir>/memory.db, migrating older versions in one transaction. KS_E_FORMAT:
// damaged (says how to move it aside); KS_E_UNSUPPORTED: written by a newer ks; neither it nor its log is
// changed then. KS_E_LIMIT: locked by another process for long; KS_E_IO: says so where the folder lies on a
// network disk.
enum ks_status ks_outcomes_open(const struct ks_config *config, struct ks_outcomes **outcomes,
                                struct ks_err *err);
// Looks into the memory where there is one, also where nothing can be written, and makes none: KS_OK with NULL
// where there is not.
enum ks_status ks_outcomes_look(const struct ks_config *config, struct ks_outcomes **outcomes,
                                struct ks_err *err);
// Forgets nothing (ks_outcomes_trim does).
void ks_outcomes_close(struct ks_outcomes *outcomes);
// Looks through every page (seconds where there is a million of attempts).
enum ks_status ks_outcomes_check(struct ks_outcomes *outcomes, struct ks_err *err);
// How long a call waits for another process that writes; 10 s until told otherwise.
void ks_outcomes_wait(struct ks_outcomes *outcomes, double seconds);
// Whether something could be written now: waits like any call, and leaves nothing.
enum ks_status ks_outcomes_writable(struct ks_outcomes *outcomes, struct ks_err *err);
bool ks_outcomes_on_network(const struct ks_outcomes *outcomes);

struct ks_attempt {
    const char *key, *kernel, *proposal, *skill, *direction, *params, *bottleneck, *date;
    int arch;
    const char *correctness, *speed, *reason;
    double ratio, lower, seconds; // ratio 0: not measured
    const char *text;             // the proposal's YAML, kept once for each id; NULL: not kept, not read
    const char *structure;        // ks_structure_of; NULL: "unknown"
    const char *toolkit;          // nvcc's version, or NULL
    int moved;                    // what the skill expects to move did so 1, did not -1, was not measured 0
    const char *move;             // the same in words, or NULL: "dram_pct 41.2 -> 70.3, + expected"
    const char *mechanism;        // ks_proposal_mechanism, or NULL: what is done, under whatever names
    const char *evidence;         // NULL: KS_MEASURED; what was modelled is kept and teaches nothing
    // What its step was applied to, and that one's ratio in the same session: the skill is credited with the ratio over
    // it, and with none where that was not looked at (0). NULL or "": the original.
    const char *base;
    double base_ratio;
    double screened;      // ratio of the screening that counted before, in the same words; 0: none
    double screened_over; // the ratio then of what it stands on, 1 of the original; 0: no gain was learned from it
};
#define KS_MEASURED "measured"
#define KS_MODELLED "modelled"
#define KS_SCREENED "SCREENED" // speed of what was looked at and not judged in full yet
enum ks_status ks_outcomes_add(struct ks_outcomes *outcomes, const struct ks_attempt *attempt,
                               struct ks_err *err);
// The trajectory of one key, oldest first (resume: a proposal already judged is not judged again).
enum ks_status ks_outcomes_for_key(struct ks_arena *arena, struct ks_outcomes *outcomes,
                                   const char *key, struct ks_attempt **attempts, size_t *n,
                                   struct ks_err *err);
// All keys with a trajectory, in order.
enum ks_status ks_outcomes_keys(struct ks_arena *arena, struct ks_outcomes *outcomes, struct ks_strv *keys,
                                struct ks_err *err);
// The same with whose they are.
struct ks_tried_kernel {
    const char *key, *kernel;
    int arch;
};
struct ks_tried_kernels {
    struct ks_tried_kernel *at;
    size_t len, cap;
};
enum ks_status ks_outcomes_tried(struct ks_arena *arena, struct ks_outcomes *outcomes,
                                 struct ks_tried_kernels *tried, struct ks_err *err);
// The text of a proposal that was judged here, by its id or by 4 digits or more that it begins with, for
// ks_proposal_read. KS_E_ABSENT: there is none; KS_E_USER: several begin so.
enum ks_status ks_outcomes_proposal(struct ks_arena *arena, struct ks_outcomes *outcomes,
                                    const char *id, const char **text, struct ks_err *err);

// ---- what was learned

// A kernel's place among others.
struct ks_place {
    int arch;
    const char *structure, *bottleneck;
};
// Two values of a skill: how often its proposals verified, and the mean log ratio of those that did over what its step
// was applied to, where that was looked at as well. They back off: from all attempts, to those with this bottleneck, to those on this structure too, to those on
// this architecture too; the mean of each level counts as 4 attempts of the next. A gain by another
// mechanism than the skill tells (moved -1) counts as verified and as no gain. `n`: judged attempts behind
// the first level (0: priors 0.5 and 0).
enum ks_status ks_outcomes_skill_value(struct ks_outcomes *outcomes, const char *skill,
                                       const struct ks_place *place, double *feasible, double *gain,
                                       int *n, struct ks_err *err);
struct ks_skill_stat {
    const char *skill;
    int attempts, correct, faster;
    int measured;       // of the correct, those whose ratio over what they stand on is known
    int agreed, denied; // of those whose metric was measured before and after
    double geomean;     // of faster ones: faster than the original and what they stand on, and not denied
    double mean;        // geometric mean over what they stand on of all that were correct and measured, 0: none
    const char *last;   // date
};
enum ks_status ks_outcomes_stats(struct ks_arena *arena, struct ks_outcomes *outcomes,
                                 struct ks_skill_stat **stats, size_t *n, struct ks_err *err);
// Deletes the oldest attempts, and texts of proposals that only they named, until the memory takes at most
// `bytes`; what they taught stays. *deleted may be NULL.
enum ks_status ks_outcomes_forget(struct ks_outcomes *outcomes, int64_t bytes, int64_t *deleted,
                                  struct ks_err *err);
// When a tuning ends: forgets down to config->memory_max (0: without limit), and where the file is still half as large
// again, with what is free in it, writes it anew without that. Where another process is in it, that is left to the next.
enum ks_status ks_outcomes_trim(struct ks_outcomes *outcomes, struct ks_err *err);

#endif
