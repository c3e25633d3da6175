// Play-back of searches on a recorded log (docs/search.md) in place of engine, judge and device:
// what was not recorded is not offered. What policies learn on other kernels leaves the kernel out
// that is searched.
#ifndef KS_REPLAY_H
#define KS_REPLAY_H

#include "search/policy.h"

struct ks_replay_step {
    size_t from, action;
};
struct ks_replay_node {
    const char *name;
    bool right;
    double look, ratio; // the first look, and the mean of all
    struct ks_replay_step *steps;
    size_t n_steps;
};
struct ks_replay_kernel {
    const char *name, *bottleneck;
    int arch;
    struct ks_fact_list facts;
    struct ks_strv actions;
    KS_VEC(struct ks_replay_node) nodes; // [0] is the original
    double best;                         // ratio
    bool whole;
};
struct ks_replay_log {
    struct ks_arena *arena;
    const struct ks_skill_list *skills;
    KS_VEC(struct ks_replay_kernel) kernels;
};
// KS_E_FORMAT with file:line.
enum ks_status ks_replay_load(struct ks_arena *arena, const char *path,
                              const struct ks_skill_list *skills, struct ks_replay_log *log,
                              struct ks_err *err);

// What a candidate costs of the device, in looks of a few pairs.
enum ks_replay_racing {
    KS_REPLAY_UNCOUNTED, // its first look is all that is told of it
    KS_REPLAY_RACED,     // one look; the full number for those that stay, as `ks tune` chooses them
    KS_REPLAY_ALL_FULL,  // the full number for each
};
struct ks_replay_options {
    uint64_t seed;
    unsigned without; // bits of parts
    const struct ks_policy_constants *constants; // NULL: the usual
    bool random;      // no policy: any candidate of the log, in any order
    size_t batch;     // candidates that are looked at together
    double share;     // of the best ratio that is asked for (0.95)
    enum ks_replay_racing racing;
    size_t full;      // looks that the full number takes
};
struct ks_replay_result {
    size_t needed;  // candidates until one reached that share; 0: the original does
    size_t looks;   // at right ones, by whole batches, until one of that share had the full number; 0: as above, or uncounted
    bool missed;    // none of that share ever got it: as many as the full number for all
    size_t asked;   // until the policy ended
    double found;   // best ratio by then, at least 1
    double seconds; // the policy took
};
enum ks_status ks_replay_search(const struct ks_replay_log *log, size_t kernel,
                                const struct ks_replay_options *options,
                                struct ks_replay_result *result, struct ks_err *err);

#endif
