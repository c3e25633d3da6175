// Which sizes, families of values and placements one workload is tested with: small sizes broadly,
// the declared one deeply, large ones as far as seconds allow.
#ifndef KS_SCHEDULE_H
#define KS_SCHEDULE_H

#include "verify/harvest.h"

#define KS_REPEATS 20 // runs compared bit by bit, on the declared size and on a small one

// Where a judgement would take too long, the last of these go first.
enum ks_worth {
    KS_WORTH_ALWAYS, // the declared problem
    KS_WORTH_EDGE,   // a first look at the edges of the proposal's numbers and at corners; one size in depth
    KS_WORTH_SIZE,   // a first look at residues and at numbers of the machine text
    KS_WORTH_MORE,   // further families and placements
};
struct ks_task {
    const struct ks_problem *problem;
    enum ks_family family;
    int variation;        // of float scalars
    enum ks_flush flush;
    int skew;             // of the layout (verify/launch.h)
    int repeats;
    bool first;           // first task of its problem
    enum ks_worth worth;
};
struct ks_schedule {
    struct ks_task *tasks; size_t n_tasks;
};

// Tasks of one workload of the mark for one proposal (whose numbers become sizes), small to large, the
// declared problem last. Derived sizes that no problem can be made of are left out.
enum ks_status ks_schedule_full(struct ks_judge *judge, struct ks_arena *arena, size_t workload,
                                const struct ks_proposal *proposal, struct ks_schedule *schedule,
                                struct ks_err *err);
// A handful of tiny problems; or the declared one, for originals that serve no such.
enum ks_status ks_schedule_quick(struct ks_judge *judge, struct ks_arena *arena, size_t workload, bool tiny,
                                 struct ks_schedule *schedule, struct ks_err *err);
// The smallest problem at hand that the proposal's guard admits, for one that admits none of those; none there is: no tasks.
enum ks_status ks_schedule_guarded(struct ks_judge *judge, struct ks_arena *arena, size_t workload,
                                   const struct ks_proposal *proposal, struct ks_schedule *schedule,
                                   struct ks_err *err);
// The declared problem, and `unseen` sizes drawn at random from what the guard admits.
enum ks_status ks_schedule_confirm(struct ks_judge *judge, struct ks_arena *arena, size_t workload,
                                   const struct ks_proposal *proposal, size_t unseen,
                                   struct ks_schedule *schedule, struct ks_err *err);

// Whether guard and assumptions admit a launch of this problem with some placement.
bool ks_guard_admits(const struct ks_judge *judge, struct ks_arena *arena,
                     const struct ks_proposal *proposal, const struct ks_problem *problem);

#endif
