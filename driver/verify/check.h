// One candidate against one vector: placement, runs under two poisons, comparison, repeats.
#ifndef KS_CHECK_H
#define KS_CHECK_H

#include "verify/vector.h"

// What a candidate has been through.
struct ks_tested {
    int vectors, runs;
    double max_ulp, max_rel;
    bool deterministic;   // every repeat agreed
};

struct ks_check {
    struct ks_judge *judge;
    const struct ks_candidate *candidate;
    struct ks_worker *runner;
    const char *module;         // as which it holds the candidate's cubin
    struct ks_tested *tested;
    char *reason;               // 512 bytes
};

// KS_C_CORRECT, or what is wrong, with the reason. `covered` is false when the guard does not hold for
// any placement: nothing was run. `proved`: the vector was passed and would have caught trivial answers.
// A failure status is the tool's.
enum ks_status ks_check_vector(struct ks_check *check, struct ks_arena *arena,
                               struct ks_vector *vector, enum ks_flush flush, int repeats,
                               enum ks_correctness *verdict, bool *covered, bool *proved,
                               struct ks_err *err);

// Verdict for an answer to a candidate's run; false if it is the tool's fault instead.
bool ks_check_answer(enum ks_answer answer, const char *text, enum ks_correctness *verdict,
                     char reason[512]);

#endif
