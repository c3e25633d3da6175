// The expert engine: features, transforms and templates, chosen by skills. No model, no network.
#ifndef KS_ENGINE_H
#define KS_ENGINE_H

#include "engine/brief.h"

// Features of the kernel's text and launch as facts: contiguous(thread), access_width(any), loops,
// barriers, shared(static), atomics(param), elementwise, branches, divergent, special, walks(thread), free_loops, reductions,
// operations_per_byte, ...
// Adds to brief->facts. What is not understood is left unknown, never guessed.
enum ks_status ks_engine_features(struct ks_arena *arena, struct ks_brief *brief,
                                  struct ks_err *err);

// Room for the small runs of the original that templates are held against: made when the first asks.
struct ks_specimens *ks_engine_specimens(struct ks_arena *arena);

// How each access lies in memory, a line each ("line 9: reads a[i * n + k] (a), apart by 1024 in x, contiguous in
// k, 1024 times a thread at most"), for people. KS_E_UNSUPPORTED where the body cannot be parsed.
enum ks_status ks_engine_describe(struct ks_arena *arena, const struct ks_brief *brief,
                                  struct ks_buf *out);

// What was counted of a line of the kernel's file.
struct ks_line_count {
    int line;
    double sectors;      // of 32 bytes, a warp's access to global memory; 0: none
    double shared;       // wavefronts of shared memory; 0: none
    double conflict_pct; // of these, for bank conflicts
};
// Holds what is read off the text against a run's counts (brief->problems[0] is what ran): appends a line
// for each disagreement, and returns how many counts could be compared.
int ks_engine_cross_check(struct ks_arena *arena, const struct ks_brief *brief,
                          const struct ks_fact_list *counted, const struct ks_line_count *lines,
                          size_t n_lines, struct ks_buf *out);

// Every candidate the skill's action gives for this kernel, cheapest parameters first. A transform
// that does not understand the kernel gives none and says why in *refusal (construct and line).
// Skills without action give none.
enum ks_status ks_engine_propose(struct ks_arena *arena, const struct ks_brief *brief,
                                 const struct ks_skill *skill, const char *template_dir,
                                 struct ks_candidate_list *out, const char **refusal,
                                 struct ks_err *err);

// Whether that is a template's which no assignment of parameters fits: it says no more than others of the kind.
bool ks_engine_fits_none(const char *refusal);
// Why no small run of the original says what it computes; NULL: one does.
const char *ks_engine_not_run(struct ks_arena *arena, const struct ks_brief *brief);

#endif
