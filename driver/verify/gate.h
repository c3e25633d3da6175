// What PTX tells before anything runs: what a candidate may not contain (the static gate), and what
// kind of arithmetic the original does, which decides the derived tolerance.
//
// The gate is a convenience, not a proof: the dynamic checks stand without it.
#ifndef KS_GATE_H
#define KS_GATE_H

#include "base/str.h"

#define KS_GATE_CONSTANTS 4096 // bytes of constant tables a candidate may bring
#define KS_GATE_SUM 0x1p-10    // from this F on tol(sum=F) has room for TF32: two factors, each rounded by 2^-11 of itself

struct ks_gate {
    bool relaxed; // fastmath, or a tolerance given by the user: lower precision is allowed
    bool probed;  // exact sums will tell TF32 from fp32 (three TF32 products may stand for one), or tol(sum=F) has
                  // room for it
};
bool ks_gate_stops(struct ks_slice ptx); // a failed assert(), or a trap, stops the program there
// Whether a kernel has TF32 and the original has not.
bool ks_gate_adds_tf32(struct ks_slice original, struct ks_slice candidate);
// Whether the candidate's kernel (canonical PTX of an entry and what it reaches) may be run; else
// `reason` says what was seen, in words for a proposer. Whatever the original itself does is allowed.
bool ks_gate_ptx(const struct ks_gate *gate, struct ks_slice original, struct ks_slice candidate,
                 char reason[256]);

// The same of machine code: variables, functions that are not there, and constant tables of `n`
// candidates, beyond what the plain build has.
bool ks_gate_cubin(struct ks_slice plain, struct ks_slice shadow, size_t n, char reason[256]);

// Whether a kernel makes floats of integers, and integers of floats.
bool ks_goes_by_floats(struct ks_slice text);
// In which types of float a kernel adds.
struct ks_adds {
    bool single, twice; // fp32, fp64
};
struct ks_adds ks_adds_of(struct ks_slice text);
// Whether a candidate's kernels (together) sum in fp32 what the original sums in double, be it that it has no sum in fp32 or that
// they have none in double.
bool ks_adds_fall_short(struct ks_adds original, struct ks_adds candidate);

// Whether a kernel sums floats on tensor cores (mma, wmma, wgmma), which cut where other instructions round.
bool ks_sums_on_tensor_cores(struct ks_slice text);

enum ks_arith_kind {
    KS_ARITH_NONE,   // moves, comparisons, integers, min and max: results are exact
    KS_ARITH_MULADD, // sums of products only: error bound from the sum of absolute terms
    KS_ARITH_OTHER,  // division, transcendentals, data-dependent choice
};
struct ks_arith {
    enum ks_arith_kind kind;
    bool subtracts;      // terms are subtracted, so |inputs| alone does not give the absolute sum
    bool of_integers;    // makes floats of integers
    bool clips;          // takes minima or maxima, or saturates: sums of absolute terms may be cut as well
    bool whole_numbers;  // every floating literal is a small whole number
    bool float_atomics;  // floats are added by atomics: in which order is luck
    bool gathers;        // many inputs may meet in one output: loops, barriers, shuffles, float atomics
    bool divides;        // by what may be so small that its reciprocal is infinite
    bool products;       // `gathers`, and floats are multiplied and nothing else is done with them: their order decides what
                         // leaves the type's range on the way
    bool joins;          // inputs meet, be they few: `gathers`, or sums of three loads and parameters or more without a loop, or of two with a product
    int roundings;       // sums and products that its text makes; 0: some may be made many times
    double u;            // unit roundoff of the coarsest floating arithmetic, 0 if none
};
struct ks_arith ks_arith_of(struct ks_slice original);
// Whether vectors may tell factors rounded to TF32 from fp32's, be it one term's: sums of products, alone or with other work
// behind them. What they do tell of the latter their results say (KS_FAMILY_ODD).
bool ks_arith_shows_tf32(const struct ks_arith *original);
bool ks_arith_joins(struct ks_slice original); // of text without loops

#endif
