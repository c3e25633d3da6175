// One workload on its way through timing: private to verify/timing.c, timing_round.c and floors.c.
#ifndef KS_TIMING_ROUND_H
#define KS_TIMING_ROUND_H

#include "verify/timing.h"

struct ks_samples {
    double a[401], b[401]; // the last look's count
    size_t n;
};

struct ks_method {
    bool cold;
    int batch, groups; // of sets that pairs take turns on; 0: all
    double baseline_us;
    uint32_t poison;
    bool poisoned, deterministic;
    int64_t enough_us; // pairs end once so much was timed; 0: all of them
    bool steady;       // no times at all rather than those of a clock on its way
};

// One workload on its way through.
struct ks_round {
    struct ks_judge *judge;
    struct ks_arena *arena;
    const struct ks_candidate *candidate; // the arm b
    const struct ks_candidate *against;   // the arm a, of the same compile; NULL: the original
    struct ks_worker *worker;
    const struct ks_problem *problem;
    struct ks_vector *vector;
    bool every;            // time all workloads, also after one is slower
    json_t *a, *b;
    struct ks_method method;
    int sets;
    struct ks_timed *timed;
    enum ks_correctness *correctness;
};


// Whether there is nothing more to measure: not measurable, or not correct.
bool ks_round_failed(const struct ks_round *r);
// What an answer to the worker's timing means: a verdict in *correctness, VOID in timed, or the tool's fault.
enum ks_status ks_round_answer(struct ks_round *r, enum ks_answer answer, struct ks_err *err);
// Buffers, plans and one checked run. Leaves a and b NULL when a guard excludes the problem.
enum ks_status ks_round_prepare(struct ks_round *r, struct ks_err *err);
void ks_round_finish(struct ks_round *r);
// Appends `pairs` pairs of the plans x and y. An answer that has no sense counts as a lie.
enum ks_answer ks_round_pairs(struct ks_round *r, json_t *x, json_t *y, size_t pairs,
                              struct ks_samples *samples, bool *outputs_ok);
// Arm a against itself, twice if need be: its median in *alone_us, and in *differs by how much it is not quiet, 0 if it is.
enum ks_status ks_round_control(struct ks_round *r, double *alone_us, double *differs, struct ks_err *err);
enum ks_status ks_round_looks(struct ks_round *r, const struct ks_accept_rule *rule,
                              struct ks_paired *paired, enum ks_look *look, struct ks_err *err);
// Arm a over arm b where the arrays of a run lie in the L2 cache, just written and not flushed: the median in *ratio, 0 where
// that is no other way of timing or a run is long. *slower: b is, by more than the rule allows, proved.
enum ks_status ks_round_warm(struct ks_round *r, const struct ks_accept_rule *rule, double *ratio, bool *slower, struct ks_err *err);
// Least time that arm b can honestly take, by the compulsory bytes; 0 where that says nothing.
enum ks_status ks_round_floor(struct ks_round *r, double *floor_us, struct ks_err *err);
// The last output of each set, in full.
enum ks_status ks_round_outputs(struct ks_round *r, struct ks_err *err);
const char *ks_round_method(struct ks_arena *arena, const struct ks_method *m);

#endif
