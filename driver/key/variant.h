// Variant files: a proposal with its verdict, domain, evidence and provenance; and decisions that
// the original stays (DESIGN.md section 5). Text is what gets signed.
#ifndef KS_VARIANT_H
#define KS_VARIANT_H

#include "key/identity.h"
#include "source/proposal.h"

#define KS_VARIANT_FORMAT 1

enum ks_correctness {
    KS_C_CORRECT, KS_C_STATIC, KS_C_COMPILE, KS_C_LAUNCH, KS_C_WRONG, KS_C_UNSAFE, KS_C_NONDET,
    KS_C_HANG, KS_C_UNSUPPORTED, KS_C_BASELINE_FAULT, KS_C_VOID,
};
enum ks_speed {
    KS_S_FASTER, KS_S_NOT_FASTER, KS_S_AMBIGUOUS, KS_S_VOID, KS_S_MODELLED, KS_S_NOT_MEASURED,
};
const char *ks_correctness_name(enum ks_correctness value); // "CORRECT", ...
const char *ks_speed_name(enum ks_speed value);

// One timed workload.
struct ks_timing {
    const char *workload;       // name or "n=4096"
    double original_us, variant_us; // medians
    double ratio, lower;        // original / variant: median of pairs, exact lower bound
    double upper;               // exact upper bound; not in files
    double warm;                // ratio where the arrays lie in the L2 cache; 0: not timed so; not in files
    int pairs;
    const char *method;         // "flushed events" or "graph of 20"
};

struct ks_evidence {
    const char *level;          // "measured" or "modelled"
    const char *device;         // "NVIDIA H200", driver, toolkit in the next two
    const char *driver;
    const char *nvcc;
    const char *date;           // UTC
    const char *judge;          // version of the judge
    int shapes, families, runs; // what correctness was tested on
    double max_ulp, max_rel;    // largest difference seen from the original
    bool deterministic;         // repeated runs bitwise equal
    struct ks_timing *timings; size_t n_timings; // of the confirmation
    bool sandboxed;             // compiled and run confined, as what comes from elsewhere is
    const char **sanitizers; size_t n_sanitizers; // of the toolkit, that ran and found nothing ("memcheck")
    const char **notes; size_t n_notes; // what could not be done ("racecheck: not installed")
    // What the build that ships must compile to: per plan kernel in source order.
    const char **kernels;       // names in `source`
    struct ks_digest *ptx;      // canonical PTX
    struct ks_digest *sass;     // .text.<entry>
    size_t n_kernels;
};

// Where a variant stands to another one of its key: for the workloads that both serve dispatch asks one before the other.
struct ks_against {
    const char *variant;        // the other's id
    bool before;                // this one goes first
    double ratio, lower;        // the other's time over this one's, in pairs in one process; 0: it follows from another pairing
};

struct ks_variant {
    const char *id;             // ks_proposal_id
    struct ks_digest key;
    const char *key_text;       // ks_key_text, so that a miss can be explained
    const char *kernel;         // instance name when judged, for people: "transpose"
    int arch;
    struct ks_proposal proposal;
    enum ks_correctness correctness;
    enum ks_speed speed;
    struct ks_expr *domain;
    struct ks_evidence evidence;
    const char *proposer;       // "engine", or the agent's model
    const char **skills; size_t n_skills;
    const char *parent;         // variant id it was derived from, ""
    const char *rationale;      // one paragraph for people
    double geomean, lower;      // over timings, weighted; lower: the smallest lower bound
    struct ks_against *against; size_t n_against; // those that were there when it was stored
};

// original.yaml: the original won.
struct ks_original_decision {
    struct ks_digest key;
    const char *key_text, *kernel, *date, *device;
    int arch, tried, correct;
    double budget_seconds;
    double upper_bound;         // best ratio seen whose claim failed, or that of the floor: what may remain
    bool complete;              // the search ended by itself, not by its budget
};

// A note of evidence that those are told who do not read evidence.
#define KS_NOTE_ASSERT "an assert or a trap of the original is not in the variant: where it would stop the program, the variant goes on"
bool ks_evidence_notes(const struct ks_evidence *evidence, const char *note);

// Whether x was decided to go before y. Where both files speak of it the later one counts.
bool ks_variant_before(const struct ks_variant *x, const struct ks_variant *y);

const char *ks_variant_text(struct ks_arena *arena, const struct ks_variant *variant);
// KS_E_FORMAT: damaged; KS_E_UNSUPPORTED: format newer than KS_VARIANT_FORMAT. `name` for messages.
enum ks_status ks_variant_read(struct ks_arena *arena, const char *name, struct ks_slice text,
                               struct ks_variant *variant, struct ks_err *err);
// The proposal alone, of a variant file or of one that has nothing else; whether the rest belongs to it is not asked.
// KS_E_USER also for a key that neither has; KS_E_UNSUPPORTED: of a newer format.
enum ks_status ks_variant_read_proposal(struct ks_arena *arena, const char *name, struct ks_slice text,
                                        struct ks_proposal *proposal, struct ks_err *err);
const char *ks_original_text(struct ks_arena *arena, const struct ks_original_decision *decision);
enum ks_status ks_original_read(struct ks_arena *arena, const char *name, struct ks_slice text,
                                struct ks_original_decision *decision, struct ks_err *err);

#endif
