// How a schedule is put together; for the files of it alone (verify/schedule*.c).
#ifndef KS_SCHEDULE_MAKER_H
#define KS_SCHEDULE_MAKER_H

#include "verify/schedule.h"

#define KS_MAX_CONSTANTS 16 // of a proposal, that become sizes
#define KS_MOST_CORNERED 4  // sizes whose every corner is run

struct ks_maker {
    struct ks_judge *judge;
    struct ks_arena *arena;
    KS_VEC(struct ks_problem *) problems;
    KS_VEC(struct ks_task) tasks;
    enum ks_worth worth; // of the tasks that follow
    size_t skews; // tasks with skewed layouts so far: they take turns
    int turn;     // of the values of free scalars
    int64_t small_bytes; // a problem of up to so many is run with everything
};

bool ks_same_sizes(const struct ks_problem *a, const struct ks_problem *b);
// Adds the problem of a shape unless it cannot be made, is there already, or is too big: then NULL.
struct ks_problem *ks_maker_problem(struct ks_maker *m, size_t workload, const struct ks_value *overrides,
                                    size_t n, int64_t max_bytes);
// The same for the shape with each size rounded up to the guard's modulus.
struct ks_problem *ks_maker_rounded(struct ks_maker *m, size_t workload, const struct ks_shape *shape,
                                    int64_t modulus, int64_t max_bytes);
// The domain is a box over independent sizes: its corners are run, each size least or as declared. Of more sizes than
// four only those where none, one, two or all but one are as declared.
void ks_maker_corners(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t max_bytes);
// Of two to four sizes: one more than the others where these fill tiles of the proposal's numbers, one twice the others, and
// each way to share the guard's modulus out between two. Seen once each.
void ks_maker_related(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t max_bytes);
// Of up to four sizes: beside those at which the plan's launch changes while one size grows and the others are small, since
// who counts one block too few loses elements there. Seen once each.
void ks_maker_changes(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t max_bytes);
// All small values of each size, the others small: for who divides by way of a rounded quotient, which is off at some numbers
// and no others. Seen once each.
void ks_maker_every(struct ks_maker *m, size_t workload, int64_t max_bytes);
// Small sizes drawn until the guard admits them: it may ask of several together what the code needs of one. Seen once each.
void ks_maker_tied(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t max_bytes);
// Of more than four sizes: each alone at the edges of the proposal's numbers and of 32, the others small, since all
// at once are too much there. False: there are fewer.
bool ks_maker_alone(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t max_bytes);
// Two sizes whose product, or whose sum, is `number`; and one that is `number` times one of the plan's: so many blocks.
// The others are 1.
void ks_maker_reached(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal, int64_t number,
                      int64_t max_bytes);
// Sizes between the tested edges, each for itself: in turn from the upper half and from a tenth to a half of
// the declared size, every other time on the guard's grid. Returns how many were found.
size_t ks_maker_middle(struct ks_maker *m, size_t workload, const struct ks_proposal *proposal,
                       struct ks_rng *rng, size_t wanted, int64_t max_bytes, struct ks_problem **found);

// A run of a family of values, where those differ from declared ones and say more than others.
void ks_maker_task(struct ks_maker *m, const struct ks_problem *problem, enum ks_family family, enum ks_flush flush, int repeats);
// A literal in place of each free scalar; an array has room for all at once. Of a problem of many elements, `deep`, the literals alone
// and no numbers beside them.
void ks_maker_literal_scalars(struct ks_maker *m, const struct ks_problem *problem, bool deep);
// Special values, also beside literals, and tiny ones beside what free scalars may be; `small`: and inputs of a few numbers, of which what is computed is
// often what it is compared with.
void ks_maker_beside_scalars(struct ks_maker *m, const struct ks_problem *problem, bool small);
// Each kind of special values; elsewhere they take turns.
void ks_maker_specials(struct ks_maker *m, const struct ks_problem *problem);
// Each of a few arrays in turn of nothing but one value: of floats what no minimum or maximum begins with, and nothing beside
// slight numbers whose products vanish, too; and each of the first literals.
void ks_maker_floods(struct ks_maker *m, const struct ks_problem *problem);
// Arrays that hold the same but for few elements (enum ks_twins): all ways, or two where the problem is not small.
void ks_maker_twins(struct ks_maker *m, const struct ks_problem *problem, bool small);
// Integers in runs of one value.
void ks_maker_runs(struct ks_maker *m, const struct ks_problem *problem);
// All values but one in 32, 64, 128 or 256 far less than those.
void ks_maker_stripes(struct ks_maker *m, const struct ks_problem *problem);
// Each of a few float inputs at what the original's whole numbers turn at, beside scalars as declared and drawn; true: there are such.
bool ks_maker_brinks(struct ks_maker *m, const struct ks_problem *problem, bool make);
// Each input in turn with numbers of more bits than TF32 has, for who has that and may not round to it.
void ks_maker_odd(struct ks_maker *m, const struct ks_problem *problem, enum ks_worth worth);

// What a run on a problem takes, if work grows with the product of the sizes: in thread instructions where the device
// counts them, else in units of that product.
double ks_schedule_work(const struct ks_judge *judge, size_t workload, const struct ks_problem *problem);
// What the tasks other than those on the declared problem may take together.
double ks_schedule_room(const struct ks_judge *judge, size_t workload);
// Leaves out what is too much for one judgement: of the least worth, and of that the largest.
void ks_schedule_fit(struct ks_maker *m, size_t workload);

#endif
