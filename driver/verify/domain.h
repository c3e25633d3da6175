// The domain: where a variant was seen to hold, as an expression that dispatch tests before each launch
// (DESIGN.md section 5). Conservative: what cannot be said in the language is pinned to the
// declared workload's value.
#ifndef KS_DOMAIN_H
#define KS_DOMAIN_H

#include "source/proposal.h"
#include "workload/problem.h"

// One workload's evidence.
struct ks_seen {
    size_t workload;
    const struct ks_problem **passed; size_t n_passed; // correct with the guard true
    const struct ks_value *floors; size_t n_floors;    // sizes below these were slower, as far as less than declared
};

// Per workload, all of: each size that a parameter shows (verify/names.h) between the smallest that passed and those of
// one problem that passed, the declared one or one that has each of its sizes and one more at most (where the declared
// one did not pass, any that has no more); other sizes at their declared value; integer parameters equal to their
// formula; grid, block and shared equal to the workload's; pointers of which one is written not overlapping; declared
// aliases equal, as overlap(y,1,x,1), which holds only for equal addresses; pointers null where the workload's are and
// not elsewhere, as aligned(p,2^62); the mark's assumptions. Workloads are joined by ||. Names are the proposal's.
// KS_E_ABSENT when nothing of that kind passed; KS_E_LIMIT when it does not fit the language, or an argument's value
// (int2) has no name in it.
enum ks_status ks_domain_make(struct ks_arena *arena, const struct ks_mark *mark,
                              const struct ks_proposal *proposal, const struct ks_seen *seen,
                              size_t n_seen, struct ks_expr **domain, struct ks_err *err);

// For a variant of workload `class` alone; `seen` is by workload, and is changed. The others were not seen. What a
// smaller one declares is below the class's floors, which are at most what it declares itself, and of the problems that
// passed those are left out that have all sizes of another one that is no smaller: the declared ones stay. Sizes are
// told by name: workloads that have others are not looked at.
void ks_domain_of_class(struct ks_arena *arena, const struct ks_mark *mark, size_t class, struct ks_seen *seen,
                        size_t n_seen);

#endif
